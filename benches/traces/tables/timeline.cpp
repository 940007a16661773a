#include "benches/traces/tables/timeline.hpp"

#include <algorithm>

#include "benches/traces/tables/intervals.hpp"

namespace kernbench::traces {
namespace {

constexpr TracePs kLongestGap = 2'000'000;  // ps: a gap from here on waits for something (40.14)

TracePs& idle_of(Timeline& timeline, const RankTrace& trace, const GpuEvent& next, const Interval& gap) {
  if (next.launch == kNoId) return timeline.idle_unknown;
  if (trace.launches[next.launch].end > gap.begin) return timeline.idle_host;
  return gap.end - gap.begin >= kLongestGap ? timeline.idle_dependency : timeline.idle_gap;
}

}  // namespace

Timeline timeline_of(const RankTrace& trace, const TraceSelection& selection) {
  Timeline timeline;
  const std::vector<TraceId> events = selected_events(trace, selection);
  timeline.gpu_events = static_cast<std::int64_t>(events.size());
  for (const GpuEvent& event : trace.gpu_events) {
    if (selection.unlinked || trace.counts(event)) continue;
    ++timeline.left_out_events;
    timeline.left_out += event.duration;
  }
  if (events.empty()) return timeline;

  UnionLength computation;
  UnionLength communication;
  UnionLength copy;
  UnionLength either;  // computation or communication
  UnionLength all;
  const TracePs start = trace.gpu_events[events.front()].start;
  all.add({start, start});
  for (const TraceId id : events) {  // by start
    const GpuEvent& event = trace.gpu_events[id];
    const Interval time{event.start, event.end()};
    // The event after a gap is the first that begins where it ends.
    if (time.begin > all.end()) idle_of(timeline, trace, event, {all.end(), time.begin}) += time.begin - all.end();
    all.add(time);
    if (event.activity != GpuActivity::kCopy) either.add(time);
    UnionLength& own = event.activity == GpuActivity::kCopy            ? copy
                       : event.activity == GpuActivity::kCommunication ? communication
                                                                       : computation;
    own.add(time);
  }
  timeline.computation = computation.length();
  timeline.communication = communication.length();
  timeline.copy = copy.length();
  timeline.exposed_communication = either.length() - computation.length();
  timeline.overlapped_communication = communication.length() - timeline.exposed_communication;
  timeline.busy = all.length();
  timeline.exposed_copy = timeline.busy - either.length();
  timeline.total = all.end() - start;
  timeline.idle = timeline.total - timeline.busy;
  return timeline;
}

TraceTable timeline_table(const std::vector<PlacedTrace>& traces, const TraceSelection& selection) {
  const std::vector<TraceColumn> places = place_columns(traces);
  TraceTable table{"timeline", places, {}};
  using Type = TraceColumn::Type;
  const auto column = [&table](const char* name, const char* unit, Type type, int rank) {
    table.columns.push_back({name, unit, type, rank});
  };
  column("scope", "", Type::kText, 8);
  column("gpu_events", "", Type::kInteger, 7);
  for (const char* name : {"computation_us", "exposed_comm_us", "exposed_copy_us"}) column(name, "µs", Type::kTime, 0);
  column("busy_us", "µs", Type::kTime, 4);
  column("total_us", "µs", Type::kTime, 0);
  column("idle_us", "µs", Type::kTime, 0);
  column("total_comm_us", "µs", Type::kTime, 3);
  column("total_copy_us", "µs", Type::kTime, 6);
  column("comm_overlapped_pct", "%", Type::kReal, 1);
  for (const char* name : {"idle_host_us", "idle_dependency_us", "idle_gap_us"}) column(name, "µs", Type::kTime, 2);
  column("idle_unknown_us", "µs", Type::kTime, 9);
  column("left_out_events", "", Type::kInteger, 10);
  column("left_out_us", "µs", Type::kTime, 10);
  for (const PlacedTrace& placed : traces) {
    const Timeline timeline = timeline_of(placed.trace, selection);
    std::vector<TraceCell> row = place_cells(places, placed);
    row.emplace_back(std::string(selection.unlinked ? "all" : "linked"));
    row.emplace_back(timeline.gpu_events);
    for (const TracePs time : {timeline.computation, timeline.exposed_communication, timeline.exposed_copy,
                               timeline.busy, timeline.total, timeline.idle, timeline.communication, timeline.copy}) {
      row.emplace_back(Picoseconds{time});
    }
    const double share = 100.0 * static_cast<double>(timeline.overlapped_communication) /
                         static_cast<double>(std::max<TracePs>(timeline.communication, 1));
    row.push_back(timeline.communication > 0 ? TraceCell(share) : TraceCell());
    for (const TracePs time :
         {timeline.idle_host, timeline.idle_dependency, timeline.idle_gap, timeline.idle_unknown}) {
      row.emplace_back(Picoseconds{time});
    }
    row.emplace_back(timeline.left_out_events);
    row.emplace_back(Picoseconds{timeline.left_out});
    table.add_row(std::move(row));
  }
  return table;
}

}  // namespace kernbench::traces
