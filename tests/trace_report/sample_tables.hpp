// Tables of traces written by hand.
#pragma once

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "benches/traces/tables/gemms.hpp"
#include "benches/traces/tables/trace_table.hpp"

namespace kernbench::traces::sample {

/// One call of a square GEMM.
struct Call {
  std::int64_t channels = 0;
  std::int64_t threads = 0;
  std::int64_t rank = 0;
  std::int64_t size = 0;
  double time_us = 0;
  std::string run{};
};

inline Picoseconds microseconds(double time) { return {std::llround(time * 1e6)}; }

/// [run,] channels, threads, rank.
inline std::vector<TraceColumn> place_columns(bool with_run) {
  using Type = TraceColumn::Type;
  std::vector<TraceColumn> columns{
      {"channels", "", Type::kInteger}, {"threads", "", Type::kInteger}, {"rank", "", Type::kInteger}};
  if (with_run) columns.insert(columns.begin(), {"run", "", Type::kText});
  return columns;
}

/// As gemm_calls_table() makes it; with the axis run where the first call has one.
inline TraceTable calls_table(const std::vector<Call>& calls) {
  using Type = TraceColumn::Type;
  const bool with_run = !calls.empty() && !calls.front().run.empty();
  TraceTable table{"gemm_calls", place_columns(with_run), {}};
  add_shape_columns(table);
  table.columns.push_back({"time_us", "µs", Type::kTime});
  for (const Call& call : calls) {
    std::vector<TraceCell> row{call.channels, call.threads, call.rank};
    if (with_run) row.insert(row.begin(), call.run);
    add_shape_cells(row,
                    {"aten::mm", call.size, call.size, call.size, 1, 0, "BFloat16", "BFloat16", "BFloat16", "", "NN"});
    row.emplace_back(microseconds(call.time_us));
    table.add_row(std::move(row));
  }
  return table;
}

}  // namespace kernbench::traces::sample
