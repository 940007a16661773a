// The bytes of a trace file, decompressed where it is gzip: by its content, not its name.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

namespace kernbench::traces {

class ByteSource {
 public:
  virtual ~ByteSource() = default;

  /// The next bytes, at most `most`; 0 at the end only. Throws ConfigError that names the file, and the byte of the
  /// compressed file where its gzip data are damaged or end too early.
  [[nodiscard]] virtual std::size_t read(char* out, std::size_t most) = 0;
  /// For messages.
  [[nodiscard]] virtual const std::string& name() const = 0;
};

/// Throws ConfigError where the file cannot be opened or is no regular file.
[[nodiscard]] std::unique_ptr<ByteSource> open_bytes(const std::filesystem::path& file);

}  // namespace kernbench::traces
