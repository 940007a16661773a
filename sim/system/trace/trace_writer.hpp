// Writes what every engine did, and when, as a trace for Perfetto (docs/traces.md). Records stream through: memory does
// not grow with the length of the run.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "sim/system/trace/lanes.hpp"
#include "sim/system/trace/trace_encoding.hpp"
#include "sim/system/trace/trace_file.hpp"

namespace kernbench {

enum class TraceFormat { kPerfetto, kChrome };

/// By the name: .perfetto-trace and .pftrace, or .json, each with or without .gz. Throws ConfigError "OPTION PATH: ..."
/// for any other.
[[nodiscard]] TraceFormat trace_format(const std::filesystem::path& path, const std::string& option);

/// Of --trace: throws ConfigError unless the name ends in .perfetto-trace, .pftrace or .json, each with or without .gz.
void check_trace_name(const std::filesystem::path& path);

class TraceWriter : public OpSink {
 public:
  /// The format follows from the name: .json is Chrome's, the others are Perfetto's own. Throws ConfigError for any
  /// other name and where the file cannot be opened.
  TraceWriter(const std::filesystem::path& path, TraceHeader header);

  void record(std::string_view engine, const Stage& stage, const OpRecord& op) override;

  /// Puts the whole file in place; a writer destroyed without it leaves nothing behind. Throws SimulationError when the
  /// file could not be written, e.g. because the disk is full.
  void finish();

 private:
  TraceHeader header_;
  std::unique_ptr<TraceEncoding> encoding_;
  TraceFile file_;
  Lanes lanes_;
  Span run_;
  std::string buffer_;
};

}  // namespace kernbench
