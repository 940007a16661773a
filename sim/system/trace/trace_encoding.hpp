// What a trace format has to be able to write. An encoding appends bytes; where they go is the writer's business.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/engine/op_log.hpp"

namespace kernbench {

/// What a trace says about the run that it shows.
struct TraceHeader {
  std::string title;                                       ///< e.g. "gemm 32x3072x32 load_ref on milestone-1h"
  std::vector<std::pair<std::string, std::string>> facts;  ///< e.g. {"variant", "load_ref"}
};

/// One row of the viewer. Slices on it follow each other in time and do not overlap.
struct Track {
  std::int64_t id = 0;    ///< from 1, in the order of first use
  std::string name;       ///< "pe0.pe.mac", "pe0.pe.dma_in #2"
  std::int32_t rank = 0;  ///< place from the top
};

class TraceEncoding {
 public:
  virtual ~TraceEncoding() = default;
  virtual void begin(const TraceHeader& header, std::string& out) = 0;
  virtual void track(const Track& track, std::string& out) = 0;
  virtual void slice(const Track& track, const Stage& stage, const OpRecord& op, std::string& out) = 0;
  /// The run as one slice over everything, with the header's facts as its arguments; then the end of the file.
  virtual void end(const TraceHeader& header, const Span& run, std::string& out) = 0;
};

/// Perfetto's own format: TrackEvent packets in protobuf.
[[nodiscard]] std::unique_ptr<TraceEncoding> perfetto_encoding();
/// The JSON that chrome://tracing introduced: larger, but readable.
[[nodiscard]] std::unique_ptr<TraceEncoding> chrome_encoding();

/// "mac 17", or the stage alone outside composites.
[[nodiscard]] inline std::string slice_name(const Stage& stage, const OpRecord& op) {
  std::string name(stage.name);
  return op.tile < 0 ? name : name + ' ' + std::to_string(op.tile);
}

}  // namespace kernbench
