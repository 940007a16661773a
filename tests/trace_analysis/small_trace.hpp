// Traces written by hand, an event a line.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "benches/traces/events/read_rank_trace.hpp"
#include "benches/traces/events/trace_files.hpp"
#include "tests/support/temporary_folder.hpp"

/// Times are texts of µs, as the file has them; `args` are JSON fields: R"("stream": 7)".
[[nodiscard]] std::string event_text(const std::string& cat, const std::string& name, const std::string& ts,
                                     const std::string& dur, const std::string& args = "",
                                     const std::string& track = R"("pid":1,"tid":1)");

/// A GPU event with its launch before it: `launch` is "ts dur" of the latter, on thread 1/1.
[[nodiscard]] std::string launched(const std::string& cat, const std::string& name, int correlation,
                                   const std::string& ts, const std::string& dur, const std::string& launch_ts = "0",
                                   const std::string& launch_dur = "0.5");

/// An operator with the sizes and strides of its arguments as JSON: "[[2,3],[3,4]]".
[[nodiscard]] std::string op_text(const std::string& name, const std::string& ts, const std::string& dur,
                                  const std::string& dims, const std::string& strides, const std::string& more = "");

/// {"traceEvents": [...]} with `fields` ("\"a\": 1") before it.
[[nodiscard]] std::string trace_text(const std::vector<std::string>& events, const std::string& fields = "");

/// Gzip of it.
[[nodiscard]] std::string gzipped(const std::string& text);

/// A text as a trace file, read.
class SmallTrace {
 public:
  explicit SmallTrace(const std::string& text, const std::string& name = "rank0.json");

  [[nodiscard]] const std::filesystem::path& file() const { return file_; }
  [[nodiscard]] kernbench::traces::RankTrace read(const kernbench::traces::TraceReadOptions& options = {}) const;
  /// The message it is refused with, without the file's name; "" where it is not.
  [[nodiscard]] std::string error(const kernbench::traces::TraceReadOptions& options = {}) const;

 private:
  TemporaryFolder folder_;
  std::filesystem::path file_;
};

/// Of the events alone.
[[nodiscard]] kernbench::traces::RankTrace read_events(const std::vector<std::string>& events,
                                                       const kernbench::traces::TraceReadOptions& options = {});
