// Chrome's trace events, one a line. Arguments are written as they were, ids apart.
#include "benches/traces/events/event_batches.hpp"
#include "benches/traces/merge/json_text.hpp"
#include "benches/traces/merge/merged_encoding.hpp"

namespace kernbench::traces {
namespace {

class MergedChrome : public MergedEncoding {
 public:
  void describe(const WholeEvent& event, MergedIds& ids, std::string& body) override {
    body += R"(,"name":)";
    append_json_text(body, event.name);
    if (!event.category.empty()) {
      body += R"(,"cat":)";
      append_json_text(body, event.category);
    }
    if (event.arguments.empty()) return;
    body += R"(,"args":{)";
    for (std::size_t i = 0; i < event.arguments.size(); ++i) {
      if (i > 0) body += ',';
      add_argument(event.arguments[i], ids, body);
    }
    body += '}';
  }

  void begin(std::int64_t base_ns, const std::string& metadata, std::string& out) override {
    out += R"({"displayTimeUnit":"ns",")" + std::string(EventBatches::kBaseTime) + "\":" + std::to_string(base_ns) +
           ",\n\"" + std::string(EventBatches::kMerge) + "\":" + metadata + ",\n\"traceEvents\":[";
  }

  void process(const MergedProcess& process, std::string& out) override {
    const std::string place = R"("pid":)" + std::to_string(process.pid) + R"(,"tid":0)";
    start_event(out);
    out += R"({"ph":"M",)" + place + R"(,"name":"process_name","args":{"name":)";
    append_json_text(out, process.name);
    out += "}}";
    start_event(out);
    out += R"({"ph":"M",)" + place + R"(,"name":"process_sort_index","args":{"sort_index":)" +
           std::to_string(process.pid) + "}}";
  }

  void track(const MergedTrack& track, std::string& out) override {
    start_event(out);
    out += R"({"ph":"M")" + place_of(track) + R"(,"name":"thread_name","args":{"name":)";
    append_json_text(out, track.name);
    out += "}}";
    start_event(out);
    out += R"({"ph":"M")" + place_of(track) + R"(,"name":"thread_sort_index","args":{"sort_index":)" +
           std::to_string(track.sort_index) + "}}";
  }

  void slice(const MergedTrack& track, const EventTimes& times, std::string_view body,
             const std::vector<FlowPoint>& flows, std::string& out) override {
    add_event(track, 'X', times.start, body, out);
    out += R"(,"dur":)";
    append_microseconds(out, times.end - times.start);
    out += '}';
    for (const FlowPoint& flow : flows) loose_flow(track, flow, out);
  }

  void slice_end(const MergedTrack& track, TracePs /*end*/, const std::vector<FlowPoint>& flows,
                 std::string& out) override {
    for (const FlowPoint& flow : flows) loose_flow(track, flow, out);
  }

  void instant(const MergedTrack& track, TracePs at, std::string_view body, std::string& out) override {
    add_event(track, 'i', at, body, out);
    out += R"(,"s":"t"})";
  }

  void loose_flow(const MergedTrack& track, const FlowPoint& flow, std::string& out) override {
    add_event(track, flow.phase, flow.time, flow.body, out);
    out += R"(,"id":)" + std::to_string(flow.id) + (flow.phase == 's' ? "}" : R"(,"bp":"e"})");
  }

  void end(std::string& out) override { out += "\n]}\n"; }

 private:
  static void add_argument(const EventArgument& argument, MergedIds& ids, std::string& body) {
    append_json_text(body, argument.name);
    body += ':';
    std::uint64_t id = 0;
    if (argument.kind == EventArgument::Kind::kText) {
      append_json_text(body, argument.value);
    } else if (MergedIds::is_id(argument.name) && read_id(argument.value, id)) {
      body += std::to_string(ids.merged(id));
    } else {
      body += argument.value;
    }
  }

  static std::string place_of(const MergedTrack& track) {
    return R"(,"pid":)" + std::to_string(track.pid) + R"(,"tid":)" + std::to_string(track.tid);
  }

  void start_event(std::string& out) {
    out += is_first_ ? "\n" : ",\n";
    is_first_ = false;
  }

  void add_event(const MergedTrack& track, char phase, TracePs time, std::string_view body, std::string& out) {
    start_event(out);
    out += R"({"ph":")";
    out += phase;
    out += '"';
    out += place_of(track);
    out += R"(,"ts":)";
    append_microseconds(out, time);
    out += body;
  }

  bool is_first_ = true;
};

}  // namespace

std::unique_ptr<MergedEncoding> merged_chrome_encoding() { return std::make_unique<MergedChrome>(); }

}  // namespace kernbench::traces
