// The table of gemms.hpp.
#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <utility>

#include "benches/measured/cases/statistics.hpp"
#include "benches/traces/tables/gemms.hpp"
#include "benches/traces/tables/overlaps.hpp"

namespace kernbench::traces {
namespace {

constexpr double kPsInUs = 1e6;
using Type = TraceColumn::Type;

/// Of the calls of a group: times in ps.
struct CallTimes {
  std::vector<TracePs> sorted;
  TracePs sum;

  explicit CallTimes(std::vector<TracePs> times)
      : sorted(std::move(times)), sum(std::accumulate(sorted.begin(), sorted.end(), TracePs{0})) {
    std::ranges::sort(sorted);
  }
  [[nodiscard]] double mean_us() const {
    return static_cast<double>(sum) / kPsInUs / static_cast<double>(sorted.size());
  }
  [[nodiscard]] double median_us() const { return median({sorted.begin(), sorted.end()}) / kPsInUs; }
  [[nodiscard]] double std_us() const {
    if (sorted.size() < 2) return 0;
    double squares = 0;
    for (const TracePs time : sorted) {
      const double off = static_cast<double>(time) / kPsInUs - mean_us();
      squares += off * off;
    }
    return std::sqrt(squares / static_cast<double>(sorted.size() - 1));
  }
};

void add_columns(TraceTable& table) {
  const auto column = [&table](const char* name, const char* unit, Type type, int rank) {
    table.columns.push_back({name, unit, type, rank});
  };
  add_shape_columns(table);
  column("count", "", Type::kInteger, 0);
  column("min_us", "µs", Type::kTime, 0);
  column("mean_us", "µs", Type::kReal, 3);
  column("median_us", "µs", Type::kReal, 1);
  column("std_us", "µs", Type::kReal, 4);
  column("max_us", "µs", Type::kTime, 0);
  column("sum_us", "µs", Type::kTime, 3);
  column("spread_us", "µs", Type::kTime, 5);
  column("kernel_min_us", "µs", Type::kTime, 8);
  column("kernel_median_us", "µs", Type::kReal, 8);
  column("kernel_max_us", "µs", Type::kTime, 8);
  column("kernel_sum_us", "µs", Type::kTime, 9);
  column("flops", "", Type::kInteger, 10);
  column("bytes", "B", Type::kInteger, 10);
  column("flop_per_byte", "FLOP/B", Type::kReal, 10);
  column("tflops_mean", "TFLOP/s", Type::kReal, 9);
  column("tflops_median", "TFLOP/s", Type::kReal, 2);
  column("tflops_min", "TFLOP/s", Type::kReal, 9);
  column("tflops_max", "TFLOP/s", Type::kReal, 9);
  column("kernel", "", Type::kText, 11);
  column("kernels_distinct", "", Type::kInteger, 11);
  column("basis", "", Type::kText, 7);
}

const char* basis_word(GemmBasis basis) {
  switch (basis) {
    case GemmBasis::kShape:
      return "shape";
    case GemmBasis::kKernel:
      return "op and kernel";
    case GemmBasis::kName:
      break;
  }
  return "kernel name";
}

/// Mean, median, least and most of the calls' rates in TFLOP/s; a call without time has none.
void add_rate_cells(std::vector<TraceCell>& row, const GemmGroup& group, std::int64_t flops) {
  std::vector<double> rates;
  for (const GemmCall& call : group.calls) {
    if (flops > 0 && call.time > 0) rates.push_back(static_cast<double>(flops) / static_cast<double>(call.time));
  }
  if (rates.empty()) {
    row.resize(row.size() + 4);
    return;
  }
  const auto [least, most] = std::ranges::minmax(rates);
  row.emplace_back(std::accumulate(rates.begin(), rates.end(), 0.0) / static_cast<double>(rates.size()));
  row.emplace_back(median(rates));
  row.emplace_back(least);
  row.emplace_back(most);
}

std::vector<TraceCell> row_of(std::vector<TraceCell> row, const GemmGroup& group, const RankTrace& trace) {
  std::vector<TracePs> times;
  std::vector<TracePs> kernel_times;
  for (const GemmCall& call : group.calls) {
    times.push_back(call.time);
    kernel_times.push_back(trace.gpu_events[call.kernel].duration);
  }
  const CallTimes calls(std::move(times));
  const CallTimes kernels(std::move(kernel_times));
  const auto time_cell = [&row](TracePs time) { row.emplace_back(Picoseconds{time}); };
  add_shape_cells(row, group.shape);
  row.emplace_back(static_cast<std::int64_t>(group.calls.size()));
  time_cell(calls.sorted.front());
  row.emplace_back(calls.mean_us());
  row.emplace_back(calls.median_us());
  row.emplace_back(calls.std_us());
  time_cell(calls.sorted.back());
  time_cell(calls.sum);
  time_cell(calls.sorted.back() - calls.sorted.front());
  time_cell(kernels.sorted.front());
  row.emplace_back(kernels.median_us());
  time_cell(kernels.sorted.back());
  time_cell(kernels.sum);
  const std::int64_t flops = flops_of(group.shape);
  const std::int64_t bytes = bytes_of(group.shape);
  row.push_back(flops > 0 ? TraceCell(flops) : TraceCell());
  row.push_back(bytes > 0 ? TraceCell(bytes) : TraceCell());
  row.push_back(bytes > 0 ? TraceCell(static_cast<double>(flops) / static_cast<double>(bytes)) : TraceCell());
  add_rate_cells(row, group, flops);
  row.emplace_back(group.kernel);
  row.emplace_back(group.kernels_distinct);
  row.emplace_back(std::string(basis_word(group.basis)));
  return row;
}

}  // namespace

double std_us(const std::vector<GemmCall>& calls) {
  std::vector<TracePs> times;
  for (const GemmCall& call : calls) times.push_back(call.time);
  return CallTimes(std::move(times)).std_us();
}

void add_short_shape_cells(std::vector<TraceCell>& row, const GemmShape& shape) {
  row.emplace_back(shape.op);
  if (!shape.is_known()) {
    row.resize(row.size() + 4);
    return;
  }
  for (const std::int64_t size : {shape.m, shape.n, shape.k}) row.emplace_back(size);
  row.emplace_back(shape.layout);
}

void add_shape_columns(TraceTable& table) {
  const auto column = [&table](const char* name, Type type, int rank) {
    table.columns.push_back({name, "", type, rank});
  };
  column("op", Type::kText, 0);
  for (const char* name : {"M", "N", "K"}) column(name, Type::kInteger, 0);
  column("batch", Type::kInteger, 6);
  column("bias", Type::kInteger, 9);
  column("dtype_a", Type::kText, 7);
  column("dtype_b", Type::kText, 9);
  column("dtype_c", Type::kText, 9);
  column("layout", Type::kText, 2);
}

void add_shape_cells(std::vector<TraceCell>& row, const GemmShape& shape) {
  row.emplace_back(shape.op);
  if (!shape.is_known()) {
    row.resize(row.size() + 9);
    return;
  }
  for (const std::int64_t size : {shape.m, shape.n, shape.k, shape.batch, bias_dimensions(shape)}) {
    row.emplace_back(size);
  }
  for (const std::string* text : {&shape.dtype_a, &shape.dtype_b, &shape.dtype_c, &shape.layout}) {
    row.emplace_back(*text);
  }
}

TraceTable gemms_table(const std::vector<PlacedTrace>& traces, const TraceSelection& selection) {
  const std::vector<TraceColumn> places = place_columns(traces);
  TraceTable table{"gemms", places, {}};
  add_columns(table);
  for (const PlacedTrace& placed : traces) {
    for (const GemmGroup& group : gemm_groups(placed.trace, selection)) {
      table.add_row(row_of(place_cells(places, placed), group, placed.trace));
    }
  }
  return table;
}

TraceTable gemm_calls_table(const std::vector<PlacedTrace>& traces, const TraceSelection& selection) {
  const std::vector<TraceColumn> places = place_columns(traces);
  TraceTable table{"gemm_calls", places, {}};
  add_shape_columns(table);
  table.columns.push_back({"call", "", Type::kInteger, 0});
  table.columns.push_back({"time_us", "µs", Type::kTime, 0});
  table.columns.push_back({"kernel_us", "µs", Type::kTime, 1});
  table.columns.push_back({"share_pct", "%", Type::kReal, 2});
  table.columns.push_back({"kernel", "", Type::kText, 11});
  for (const PlacedTrace& placed : traces) {
    const CommunicationTimes communication(placed.trace, selection.unlinked);
    for (const GemmGroup& group : gemm_groups(placed.trace, selection)) {
      std::int64_t number = 0;
      for (const GemmCall& call : group.calls) {
        const GpuEvent& kernel = placed.trace.gpu_events[call.kernel];
        std::vector<TraceCell> row = place_cells(places, placed);
        add_shape_cells(row, group.shape);
        row.emplace_back(number++);
        row.emplace_back(Picoseconds{call.time});
        row.emplace_back(Picoseconds{kernel.duration});
        const TracePs overlap = communication.during({kernel.start, kernel.end()}).time;
        row.emplace_back(
            kernel.duration > 0 ? 100.0 * static_cast<double>(overlap) / static_cast<double>(kernel.duration) : 0.0);
        // Of a group without a shape it is the group's.
        row.emplace_back(placed.trace.name(kernel.name));
        table.add_row(std::move(row));
      }
    }
  }
  return table;
}

}  // namespace kernbench::traces
