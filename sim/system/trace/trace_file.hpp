// The file a trace streams into: under a temporary name until it is whole, gzip-compressed where its name ends in .gz.
#pragma once

#include <zlib.h>

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

namespace kernbench {

/// The temporary file beside `path`, which a crash leaves behind.
[[nodiscard]] std::filesystem::path partial_file(const std::filesystem::path& path);

class TraceFile {
 public:
  /// Opens the temporary file. Throws ConfigError naming the path where the operating system refuses.
  explicit TraceFile(std::filesystem::path path);
  /// Removes the temporary file, unless commit() has put it in place.
  ~TraceFile();
  TraceFile(const TraceFile&) = delete;
  TraceFile& operator=(const TraceFile&) = delete;

  /// Never throws: a failed write is remembered, later ones are dropped, and commit() reports it. Records come from
  /// inside the simulation, where SystemC would turn an exception into one of its own.
  void write(std::string_view bytes);

  /// Renames the file into place. Throws SimulationError that says why it cannot be whole, e.g. that the disk is full.
  void commit();

 private:
  struct Close {
    void operator()(gzFile file) const { ::gzclose(file); }
  };

  void remember_failure();
  /// Before the rename: a name on the disk without its bytes would be a trace that is not whole.
  void bring_to_disk();
  [[nodiscard]] std::string refusal(const std::string& why) const;

  std::filesystem::path path_;
  std::filesystem::path temporary_;
  std::unique_ptr<gzFile_s, Close> file_;
  std::string failure_;
};

}  // namespace kernbench
