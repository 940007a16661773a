// Figures of trace tables. A figure's numbers are those of a table, or follow from them as ADR-0040 says (40.41 to
// 40.44, 40.47 to 40.52).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "benches/results/figures/figure.hpp"
#include "benches/traces/report/gemm_times.hpp"
#include "benches/traces/tables/trace_table.hpp"

namespace kernbench::traces {

/// Those that the tables have something for, of the tables `timeline`, `gemm_calls`, `slowdowns`, `collectives` and
/// `around_longest`; `source` says where they are from.
[[nodiscard]] std::vector<Figure> trace_figures(const std::vector<TraceTable>& tables, const std::string& source);

/// A bar a rank: where its time went, idle by reason.
[[nodiscard]] Figure timeline_figure(const TraceTable& timeline, const std::string& source);

/// Box plots of the calls' times over the values of an axis; nullptr: one box of all.
[[nodiscard]] Figure gemm_box_figure(const GemmTimes& times, const GemmAxis* axis, const std::string& source);
/// Densities of the calls' times at each point.
[[nodiscard]] Figure gemm_violin_figure(const GemmTimes& times, const std::string& source);
/// The median time over the values of one axis, a line a value of the other.
[[nodiscard]] Figure gemm_interaction_figure(const GemmTimes& times, const GemmAxis& across, const GemmAxis& lines,
                                             const std::string& source);

/// Kernels' times against how much of them communication runs beside, of the tables `gemm_calls` and `slowdowns`;
/// nothing where no kernel has a fit.
[[nodiscard]] std::optional<Figure> overlap_figure(const TraceTable& calls, const TraceTable& slowdowns,
                                                   const std::vector<std::string>& axes, const std::string& source);
/// Waits, rank by collective, of the table `collectives`; nothing where there are none.
[[nodiscard]] std::optional<Figure> waits_figure(const TraceTable& collectives, const std::vector<std::string>& axes,
                                                 const std::string& source);
/// busbw against size, of the table `collectives`; nothing where none has one.
[[nodiscard]] std::optional<Figure> busbw_figure(const TraceTable& collectives, const std::vector<std::string>& axes,
                                                 const std::string& source);
/// The table `around_longest` as lanes; nothing where it has no rows.
[[nodiscard]] std::optional<Figure> around_longest_figure(const TraceTable& around,
                                                          const std::vector<std::string>& axes,
                                                          const std::string& source);

}  // namespace kernbench::traces
