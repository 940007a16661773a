// A profiler's trace, plain or gzip, or fields of an event in one. Any is read or refused with a ConfigError; what is
// read is the same wherever the windows' ends lie, and has tables whose parts add up.
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "benches/traces/events/parse_events.hpp"
#include "benches/traces/events/trace_files.hpp"
#include "benches/traces/grow/event_numbers.hpp"
#include "benches/traces/tables/causes.hpp"
#include "benches/traces/tables/collectives.hpp"
#include "benches/traces/tables/gemms.hpp"
#include "benches/traces/tables/timeline.hpp"
#include "sim/base/errors.hpp"
#include "tests/fuzz/require.hpp"

namespace {

using namespace kernbench::traces;

/// A file in memory.
class MemoryFile {
 public:
  explicit MemoryFile(const std::string& bytes) : descriptor_(::memfd_create("trace", 0)) {
    require(descriptor_ >= 0);
    require(::write(descriptor_, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()));
  }
  ~MemoryFile() { ::close(descriptor_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  [[nodiscard]] std::string path() const { return "/proc/self/fd/" + std::to_string(descriptor_); }

 private:
  int descriptor_;
};

/// A trace that has a line of `text` as each field of its events: ts, dur, correlation, cat, name, args.
std::string trace_of_fields(const std::string& text) {
  std::vector<std::string> lines(1);
  for (const char character : text) {
    if (character == '\n') {
      lines.emplace_back();
    } else {
      lines.back() += character;
    }
  }
  std::string events;
  for (std::size_t i = 0; i < lines.size(); i += 6) {
    lines.resize(std::max(lines.size(), i + 6));
    if (!events.empty()) events += ",";
    events += R"({"ph":"X","pid":1,"tid":1,"ts":)" + lines[i] + R"(,"dur":)" + lines[i + 1] + R"(,"cat":")" +
              lines[i + 3] + R"(","name":")" + lines[i + 4] + R"(","args":{"correlation":)" + lines[i + 2] +
              lines[i + 5] + "}}";
  }
  return R"({"distributedInfo":{"rank":0,"world_size":2},"traceEvents":[)" + events + "]}";
}

std::optional<RankTrace> read(const std::string& path, const TraceReadOptions& options) {
  try {
    return read_rank_trace(path, options);
  } catch (const kernbench::ConfigError&) {
    return std::nullopt;
  }
}

bool are_equal(const RankTrace& a, const RankTrace& b) {
  if (a.gpu_events.size() != b.gpu_events.size() || a.launches.size() != b.launches.size() ||
      a.gemm_ops.size() != b.gemm_ops.size() || a.steps.size() != b.steps.size() || a.bad_events != b.bad_events) {
    return false;
  }
  for (std::size_t i = 0; i < a.gpu_events.size(); ++i) {
    const GpuEvent& one = a.gpu_events[i];
    const GpuEvent& other = b.gpu_events[i];
    if (one.start != other.start || one.duration != other.duration || one.correlation != other.correlation ||
        one.gemm_op != other.gemm_op || one.activity != other.activity || a.name(one.name) != b.name(other.name)) {
      return false;
    }
  }
  return true;
}

void use(RankTrace trace) {
  std::vector<PlacedTrace> traces;
  traces.push_back({{}, 0, std::move(trace)});
  for (const bool unlinked : {false, true}) {
    const TraceSelection selection{.unlinked = unlinked, .steps = {}};
    const Timeline times = timeline_of(traces[0].trace, selection);
    require(times.computation + times.exposed_communication + times.exposed_copy + times.idle == times.total);
    require(times.idle_host + times.idle_dependency + times.idle_gap + times.idle_unknown == times.idle);
    const GemmCauses causes(traces, selection);
    for (const GemmGroup& group : gemm_groups(traces[0].trace, selection)) {
      for (const GemmCall& call : group.calls) {
        const GemmCause cause = causes.cause_of(traces[0], call.kernel);
        if (!cause.base) continue;
        require(cause.kernel + cause.contention + cause.clock + cause.unexplained == cause.excess());
      }
    }
    for (const TimedGroup& group : timed_groups(traces, selection)) (void)rank_waits(group);
  }
}

class Counted : public NumberedEventSink {
 public:
  std::string take(const NumberedEvent& event) override {
    for (const EventNumber& number : event.numbers) {
      require(number.digits.data() >= event.text.data());
      require(number.digits.data() + number.digits.size() <= event.text.data() + event.text.size());
    }
    return "";
  }
};

/// As `dev trace-grow` reads it.
void use_numbers(const std::string& path) {
  Counted sink;
  NumberedEventParser parser(sink);
  try {
    const auto source = open_bytes(path);
    EventBatches batches(*source, 64, EventParser::padding());
    (void)parse_events(
        batches, [&](const EventBatch& batch, BadEvent& bad) { return parser.parse(batch, bad); }, "t", true);
  } catch (const kernbench::ConfigError&) {  // refused
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  std::string text(reinterpret_cast<const char*>(data + 1), size - 1);
  if ((data[0] & 1U) != 0) text = trace_of_fields(text);
  const MemoryFile file(text);
  const std::string path = file.path();
  TraceReadOptions options;
  options.skip_bad = (data[0] & 2U) != 0;
  std::optional<RankTrace> whole = read(path, options);
  options.window = 1 + (data[0] >> 2U);
  const std::optional<RankTrace> parts = read(path, options);
  require(whole.has_value() == parts.has_value());
  use_numbers(path);
  if (!whole) return 0;
  require(are_equal(*whole, *parts));
  use(std::move(*whole));
  return 0;
}
