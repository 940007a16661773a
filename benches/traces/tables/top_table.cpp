// The table `top` of top.hpp.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string>
#include <utility>

#include "benches/traces/tables/sweep_points.hpp"
#include "benches/traces/tables/top.hpp"

namespace kernbench::traces {
namespace {

using Type = TraceColumn::Type;

void add_top_columns(TraceTable& table) {
  const auto column = [&table](const char* name, const char* unit, Type type, int rank) {
    table.columns.push_back({name, unit, type, rank});
  };
  column("place", "", Type::kInteger, 9);
  column("op", "", Type::kText, 0);
  for (const char* name : {"M", "N", "K"}) column(name, "", Type::kInteger, 0);
  column("layout", "", Type::kText, 3);
  column("kernel", "", Type::kText, 11);
  column("count", "", Type::kInteger, 2);
  for (const char* name : {"min_us", "max_us", "difference_us"}) column(name, "µs", Type::kTime, 0);
  column("std_us", "µs", Type::kReal, 7);
  column("min_at_us", "", Type::kText, 10);
  column("max_at_us", "", Type::kText, 10);
  column("between_us", "µs", Type::kTime, 9);
  column("max_kernel_us", "µs", Type::kTime, 8);
  column("collectives", "", Type::kInteger, 8);
  column("collective_names", "", Type::kText, 4);
  column("max_share_pct", "%", Type::kReal, 1);
  column("max_share_collective", "", Type::kText, 8);
  column("overlap_us", "µs", Type::kTime, 6);
  column("min_share_pct", "%", Type::kReal, 5);
  column("base_us", "µs", Type::kTime, 2);
  column("excess_us", "µs", Type::kTime, 4);
  for (const char* name : {"contention_us", "clock_us", "unexplained_us"}) column(name, "µs", Type::kTime, 2);
}

Interval kernel_interval(const RankTrace& trace, const GemmCall& call) {
  const GpuEvent& kernel = trace.gpu_events[call.kernel];
  return {kernel.start, kernel.end()};
}

double percent(TracePs part, const Interval& whole) {
  return whole.end > whole.begin ? 100.0 * static_cast<double>(part) / static_cast<double>(whole.end - whole.begin) : 0;
}

/// Each once, in order of first appearance.
std::string names_of(const RankTrace& trace, const std::vector<TraceId>& collectives) {
  std::vector<std::string> names;
  for (const TraceId id : collectives) {
    const std::string& name = collective_name(trace, trace.gpu_events[id]);
    if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  }
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : "; ") + name;
  return text;
}

void add_overlap_cells(std::vector<TraceCell>& row, const VaryingGemm& gemm, bool unlinked) {
  const RankTrace& trace = gemm.placed->trace;
  const CommunicationTimes communication(trace, unlinked);
  const Interval longest = kernel_interval(trace, gemm.longest);
  const Interval shortest = kernel_interval(trace, gemm.shortest);
  const Overlap overlap = communication.during(longest);
  row.emplace_back(static_cast<std::int64_t>(overlap.collectives.size()));
  row.emplace_back(names_of(trace, overlap.collectives));
  row.emplace_back(percent(overlap.largest_time, longest));
  row.emplace_back(overlap.largest == kNoId ? "" : collective_name(trace, trace.gpu_events[overlap.largest]));
  row.emplace_back(Picoseconds{overlap.time});
  row.emplace_back(percent(communication.during(shortest).time, shortest));
}

void add_split_cells(std::vector<TraceCell>& row, const GemmCause& cause) {
  if (!cause.base) {
    row.resize(row.size() + 5);
    return;
  }
  for (const TracePs time :
       {cause.base->time, cause.call.duration - cause.base->time, cause.contention, cause.clock, cause.unexplained}) {
    row.emplace_back(Picoseconds{time});
  }
}

}  // namespace

TraceTable top_table(const std::vector<PlacedTrace>& traces, const TraceSelection& selection, std::size_t top) {
  const std::vector<TraceColumn> places = place_columns(traces);
  TraceTable table{"top", places, {}};
  add_top_columns(table);
  const GemmCauses causes(traces, selection);
  for (const VaryingGemm& gemm : varying_gemms(traces, selection, top)) {
    const RankTrace& trace = gemm.placed->trace;
    const TracePs shortest_at = kernel_interval(trace, gemm.shortest).begin;
    const Interval longest = kernel_interval(trace, gemm.longest);
    std::vector<TraceCell> row = place_cells(places, *gemm.placed);
    row.emplace_back(static_cast<std::int64_t>(gemm.place));
    add_short_shape_cells(row, gemm.group.shape);
    row.emplace_back(gemm.group.kernel);
    row.emplace_back(static_cast<std::int64_t>(gemm.group.calls.size()));
    for (const TracePs time : {gemm.shortest.time, gemm.longest.time, gemm.difference()}) {
      row.emplace_back(Picoseconds{time});
    }
    row.emplace_back(std_us(gemm.group.calls));
    row.emplace_back(instant_us(trace, shortest_at));
    row.emplace_back(instant_us(trace, longest.begin));
    row.emplace_back(Picoseconds{std::abs(longest.begin - shortest_at)});
    row.emplace_back(Picoseconds{longest.end - longest.begin});
    add_overlap_cells(row, gemm, selection.unlinked);
    add_split_cells(row, causes.cause_of(*gemm.placed, gemm.longest.kernel));
    table.add_row(std::move(row));
  }
  return table;
}

}  // namespace kernbench::traces
