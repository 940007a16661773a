// The file a trace streams into: without a name until it is whole, gzip-compressed where its name ends in .gz.
#pragma once

#include <zlib.h>

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

namespace kernbench {

/// What a crash may leave beside `path`.
[[nodiscard]] std::filesystem::path partial_file(const std::filesystem::path& path);

class TraceFile {
 public:
  /// Opens it. Whatever ends the program, no part of it stays; where a file system has no files without names it is
  /// called `path`.partial meanwhile, and a crash leaves that behind. Throws ConfigError naming the path where the
  /// operating system refuses.
  explicit TraceFile(std::filesystem::path path);
  /// Removes the temporary file, unless commit() has put it in place.
  ~TraceFile();
  TraceFile(const TraceFile&) = delete;
  TraceFile& operator=(const TraceFile&) = delete;

  /// Never throws: a failed write is remembered, later ones are dropped, and commit() reports it. Records come from
  /// inside the simulation, where SystemC would turn an exception into one of its own.
  void write(std::string_view bytes);

  /// Puts the file in place. Throws SimulationError that says why it cannot be whole, e.g. that the disk is full.
  void commit();

 private:
  struct Close {
    void operator()(gzFile file) const { ::gzclose(file); }
  };

  void remember_failure();
  /// Closes the file; it is gone, unless it is in its place.
  void discard();
  /// Gives a file without a name its temporary one.
  void name_it();
  [[nodiscard]] std::string refusal(const std::string& why) const;

  std::filesystem::path path_;
  std::filesystem::path temporary_;
  int descriptor_;  ///< a second one of the file, which outlives zlib's
  bool is_named_;   ///< the temporary name is there
  std::unique_ptr<gzFile_s, Close> file_;
  std::string failure_;
};

}  // namespace kernbench
