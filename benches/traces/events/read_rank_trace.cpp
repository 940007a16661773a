#include "benches/traces/events/read_rank_trace.hpp"

#include <memory>
#include <string>

#include "benches/traces/events/event_batches.hpp"
#include "benches/traces/events/event_parser.hpp"
#include "benches/traces/events/parse_events.hpp"
#include "benches/traces/events/rank_trace_builder.hpp"
#include "benches/traces/events/trace_fields.hpp"
#include "benches/traces/events/trace_warnings.hpp"
#include "sim/base/errors.hpp"

namespace kernbench::traces {

RankTrace read_rank_trace(const std::filesystem::path& file, const TraceReadOptions& options) {
  const std::unique_ptr<ByteSource> source = open_bytes(file);
  const std::string name = source->name();
  RankTraceBuilder builder(options);
  EventParser parser(builder);
  EventBatches batches(*source, options.window, EventParser::padding());
  const std::uint64_t bad_events = parse_events(
      batches, [&parser](const EventBatch& batch, BadEvent& bad) { return parser.parse(batch, bad); }, name,
      options.skip_bad);
  try {
    RankTrace trace = builder.finish();
    trace.file = file;
    trace.bytes = batches.bytes();
    trace.bad_events = bad_events;
    trace.truncated_at = batches.truncated_at();
    read_trace_fields(batches, name, trace);
    add_warnings(trace);
    return trace;
  } catch (const ConfigError& error) {
    const std::string message = error.what();
    throw ConfigError(message.starts_with(name) ? message : name + ": " + message);
  }
}

}  // namespace kernbench::traces
