#include "benches/traces/report/trace_figures.hpp"

#include <utility>

#include "benches/traces/report/table_values.hpp"

namespace kernbench::traces {
namespace {

/// Every pair of the sweep's axes; of one axis, it and the ranks.
void add_interactions(std::vector<Figure>& figures, const GemmTimes& times, const std::string& source) {
  std::vector<const GemmAxis*> axes = times.varied(false);
  if (axes.size() == 1) axes = times.varied(true);
  for (std::size_t i = 0; i < axes.size(); ++i) {
    for (std::size_t j = i + 1; j < axes.size(); ++j) {
      figures.push_back(gemm_interaction_figure(times, *axes[i], *axes[j], source));
    }
  }
}

/// Boxes, medians over two axes, densities.
void add_gemm_times(std::vector<Figure>& figures, const TraceTable& calls, const std::string& source) {
  const GemmTimes times = gemm_times(calls);
  const std::vector<const GemmAxis*> axes = times.varied(true);
  for (const GemmAxis* axis : axes) figures.push_back(gemm_box_figure(times, axis, source));
  if (axes.empty()) figures.push_back(gemm_box_figure(times, nullptr, source));
  add_interactions(figures, times, source);
  figures.push_back(gemm_violin_figure(times, source));
}

void add_if_any(std::vector<Figure>& figures, std::optional<Figure> figure) {
  if (figure) figures.push_back(std::move(*figure));
}

}  // namespace

std::vector<Figure> trace_figures(const std::vector<TraceTable>& tables, const std::string& source) {
  const std::vector<std::string> axes = sweep_axes(tables);
  const TraceTable* timeline = find_table(tables, "timeline");
  const TraceTable* calls = find_table(tables, "gemm_calls");
  const TraceTable* slowdowns = find_table(tables, "slowdowns");
  const TraceTable* collectives = find_table(tables, "collectives");
  const TraceTable* around = find_table(tables, "around_longest");
  std::vector<Figure> figures;
  if (timeline != nullptr) figures.push_back(timeline_figure(*timeline, source));
  if (calls != nullptr && !calls->rows.empty()) add_gemm_times(figures, *calls, source);
  if (calls != nullptr && slowdowns != nullptr) add_if_any(figures, overlap_figure(*calls, *slowdowns, axes, source));
  if (around != nullptr) add_if_any(figures, around_longest_figure(*around, axes, source));
  if (collectives != nullptr) {
    add_if_any(figures, waits_figure(*collectives, axes, source));
    add_if_any(figures, busbw_figure(*collectives, axes, source));
  }
  return figures;
}

}  // namespace kernbench::traces
