// The tables `causes` and `slowdowns` of top.hpp.
#include <array>
#include <cstdlib>
#include <string>
#include <utility>

#include "benches/traces/tables/sweep_points.hpp"
#include "benches/traces/tables/top.hpp"

namespace kernbench::traces {
namespace {

using Type = TraceColumn::Type;
constexpr const char* kNoBaseline = "no baseline";
constexpr const char* kNoShape = "shape not known";

void add_short_shape_columns(TraceTable& table) {
  table.columns.push_back({"op", "", Type::kText, 3});
  for (const char* name : {"M", "N", "K"}) table.columns.push_back({name, "", Type::kInteger, 0});
  table.columns.push_back({"layout", "", Type::kText, 2});
}

void add_cause_columns(TraceTable& table) {
  const auto column = [&table](const char* name, const char* unit, Type type, int rank) {
    table.columns.push_back({name, unit, type, rank});
  };
  column("kernel", "", Type::kText, 11);
  column("at_us", "", Type::kText, 10);
  column("step", "", Type::kInteger, 9);
  column("duration_us", "µs", Type::kTime, 2);
  column("best_us", "µs", Type::kTime, 7);
  column("base_us", "µs", Type::kTime, 4);
  column("baseline", "", Type::kText, 4);
  column("base_samples", "", Type::kInteger, 8);
  column("share_pct", "%", Type::kReal, 1);
  column("excess_us", "µs", Type::kTime, 0);
  column("kernel_us", "µs", Type::kTime, 2);
  column("contention_us", "µs", Type::kTime, 0);
  column("clock_us", "µs", Type::kTime, 1);
  column("unexplained_us", "µs", Type::kTime, 3);
  for (const char* name : {"kernel_pct", "contention_pct", "clock_pct", "unexplained_pct"}) {
    column(name, "%", Type::kReal, 5);
  }
  column("contention_samples", "", Type::kInteger, 6);
  column("clock_samples", "", Type::kInteger, 6);
  column("main_cause", "", Type::kText, 0);
}

constexpr const char* kUnexplained = "unexplained";

struct Part {
  const char* name;
  TracePs time;
};

std::array<Part, 4> parts_of(const GemmCause& cause) {
  return {{{"kernel", cause.kernel},
           {"contention", cause.contention},
           {"clock", cause.clock},
           {kUnexplained, cause.unexplained}}};
}

/// The part that is the largest in the excess's direction.
std::string main_cause(const GemmCause& cause) {
  std::string name;
  TracePs most = 0;
  for (const Part& part : parts_of(cause)) {
    const TracePs towards = cause.excess() < 0 ? -part.time : part.time;
    if (towards > most) {
      most = towards;
      name = part.name;
    }
  }
  // Too few other kernels say how fast the rank's clock was: the rest may be its.
  if (name == kUnexplained && !cause.clock_known()) name += " (clock not known)";
  return name;
}

const char* baseline_word(const Baseline& base) { return base.of_sweep ? "sweep" : "point"; }

void add_cause_cells(std::vector<TraceCell>& row, const GemmCause& cause, bool is_shape_known) {
  const double share = 100 * cause.call.share();
  if (!cause.base) {
    const std::string why = is_shape_known ? kNoBaseline : kNoShape;
    row.resize(row.size() + 2);
    row.emplace_back(why);
    row.emplace_back(std::int64_t{0});
    row.emplace_back(share);
    row.resize(row.size() + 11);
    row.emplace_back(why);
    return;
  }
  row.emplace_back(Picoseconds{cause.best});
  row.emplace_back(Picoseconds{cause.base->time});
  row.emplace_back(std::string(baseline_word(*cause.base)));
  row.emplace_back(static_cast<std::int64_t>(cause.base->samples));
  row.emplace_back(share);
  row.emplace_back(Picoseconds{cause.excess()});
  for (const Part& part : parts_of(cause)) row.emplace_back(Picoseconds{part.time});
  for (const Part& part : parts_of(cause)) {
    const double percent = 100.0 * static_cast<double>(part.time) / static_cast<double>(cause.excess());
    row.push_back(cause.excess() == 0 ? TraceCell() : TraceCell(percent));
  }
  row.emplace_back(static_cast<std::int64_t>(cause.contention_samples));
  row.emplace_back(static_cast<std::int64_t>(cause.clock_samples));
  row.emplace_back(main_cause(cause));
}

std::vector<TraceCell> cause_row(std::vector<TraceCell> row, const VaryingGemm& gemm, const GemmCall& call,
                                 const GemmCauses& causes) {
  const RankTrace& trace = gemm.placed->trace;
  const GpuEvent& kernel = trace.gpu_events[call.kernel];
  const GemmCause cause = causes.cause_of(*gemm.placed, call.kernel);
  add_short_shape_cells(row, gemm.group.shape);
  row.emplace_back(trace.name(kernel.name));
  row.emplace_back(instant_us(trace, kernel.start));
  row.push_back(cause.call.step ? TraceCell(trace.steps[*cause.call.step].number) : TraceCell());
  row.emplace_back(Picoseconds{kernel.duration});
  add_cause_cells(row, cause, gemm.group.shape.is_known());
  return row;
}

void add_slowdown_columns(TraceTable& table) {
  const auto column = [&table](const char* name, const char* unit, Type type, int rank) {
    table.columns.push_back({name, unit, type, rank});
  };
  for (const char* name : {"instances", "alone", "fully_overlapped"}) column(name, "", Type::kInteger, 1);
  for (const char* name : {"alone_median_us", "overlapped_median_us"}) column(name, "µs", Type::kTime, 0);
  column("slowdown", "", Type::kReal, 0);
  column("base_us", "µs", Type::kTime, 4);
  column("baseline", "", Type::kText, 8);
  column("base_samples", "", Type::kInteger, 8);
  column("contention_slope", "", Type::kReal, 3);
  column("contention_samples", "", Type::kInteger, 5);
  column("kernel", "", Type::kText, 11);
}

TraceCell median_cell(const std::vector<TracePs>& times) {
  return times.empty() ? TraceCell() : TraceCell(Picoseconds{median_time(times)});
}

void add_fit_cells(std::vector<TraceCell>& row, const KernelSlowdown& slowdown) {
  if (!slowdown.base) {
    row.emplace_back();
    row.emplace_back(std::string(kNoBaseline));
    row.emplace_back(std::int64_t{0});
    row.resize(row.size() + 2);
    return;
  }
  row.emplace_back(Picoseconds{slowdown.base->time});
  row.emplace_back(std::string(baseline_word(*slowdown.base)));
  row.emplace_back(static_cast<std::int64_t>(slowdown.base->samples));
  row.push_back(slowdown.slope.samples == 0 ? TraceCell() : TraceCell(slowdown.slope.slope));
  row.emplace_back(static_cast<std::int64_t>(slowdown.slope.samples));
}

std::vector<TraceCell> slowdown_row(std::vector<TraceCell> row, const KernelSlowdown& slowdown) {
  add_shape_cells(row, slowdown.key.shape);
  for (const std::size_t count : {slowdown.instances, slowdown.alone.size(), slowdown.overlapped.size()}) {
    row.emplace_back(static_cast<std::int64_t>(count));
  }
  row.push_back(median_cell(slowdown.alone));
  row.push_back(median_cell(slowdown.overlapped));
  const bool has_both = !slowdown.alone.empty() && !slowdown.overlapped.empty();
  row.push_back(has_both ? TraceCell(static_cast<double>(median_time(slowdown.overlapped)) /
                                     static_cast<double>(median_time(slowdown.alone)))
                         : TraceCell());
  add_fit_cells(row, slowdown);
  row.emplace_back(slowdown.key.kernel);
  return row;
}

}  // namespace

TraceTable causes_table(const std::vector<PlacedTrace>& traces, const TraceSelection& selection, std::size_t top,
                        CausedCalls calls) {
  const std::vector<TraceColumn> places = place_columns(traces);
  TraceTable table{"causes", places, {}};
  add_short_shape_columns(table);
  add_cause_columns(table);
  const GemmCauses causes(traces, selection);
  for (const VaryingGemm& gemm : varying_gemms(traces, selection, top)) {
    const std::vector<GemmCall> wanted = calls == CausedCalls::kAll ? gemm.group.calls : std::vector{gemm.longest};
    for (const GemmCall& call : wanted) {
      table.add_row(cause_row(place_cells(places, *gemm.placed), gemm, call, causes));
    }
  }
  return table;
}

TraceTable slowdowns_table(const std::vector<PlacedTrace>& traces, const TraceSelection& selection) {
  const std::vector<TraceColumn> axes = axis_columns(traces);
  TraceTable table{"slowdowns", axes, {}};
  add_shape_columns(table);
  add_slowdown_columns(table);
  const GemmCauses causes(traces, selection);
  for (const SweepPoint& point : sweep_points(traces)) {
    for (const KernelSlowdown& slowdown : causes.slowdowns(point.front()->axes)) {
      table.add_row(slowdown_row(place_cells(axes, *point.front()), slowdown));
    }
  }
  return table;
}

}  // namespace kernbench::traces
