// The calls of the GEMMs that take most of the time, sorted out by where they are from: what the figures of GEMM times
// are made of. All numbers are those of the table `gemm_calls`.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "benches/traces/report/table_values.hpp"
#include "benches/traces/tables/trace_table.hpp"

namespace kernbench::traces {

struct GemmAxis {
  std::string name;
  std::vector<std::string> values;  ///< in order
};

struct TimedCall {
  std::size_t gemm = 0;             ///< into GemmTimes::gemms
  std::size_t point = 0;            ///< into GemmTimes::points
  std::vector<std::string> places;  ///< a value an axis of GemmTimes::axes; "" where it is on none of this axis
  double time_us = 0;
};

struct GemmTimes {
  std::vector<std::string> gemms;   ///< in words, by the time of all calls
  std::size_t left_out = 0;         ///< GEMMs beyond those
  std::vector<GemmAxis> axes;       ///< those of the traces, then `rank`
  std::vector<std::string> points;  ///< of the sweep, in words, in order: all axes but `rank`
  std::vector<TimedCall> calls;

  /// Axes with two values or more, of at most 64, without kRunAxis; without `rank` those of the sweep alone.
  [[nodiscard]] std::vector<const GemmAxis*> varied(bool with_rank) const;
  /// The values of kRunAxis; empty where nothing is compared.
  [[nodiscard]] std::vector<std::string> runs() const;
  /// Where the call is on the axis; "" where there is no such axis.
  [[nodiscard]] std::string place(const TimedCall& call, const std::string& axis) const;
  /// Times in µs of one GEMM's calls that have these values on these axes, in order.
  [[nodiscard]] std::vector<double> times(std::size_t gemm,
                                          const std::vector<std::pair<std::string, std::string>>& places) const;
};

/// Of the six GEMMs that take most time; `table` is gemm_calls_table().
[[nodiscard]] GemmTimes gemm_times(const TraceTable& table);

}  // namespace kernbench::traces
