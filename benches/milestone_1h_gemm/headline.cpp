// The sentence that begins the page of the GEMM milestone.
#include <algorithm>

#include "benches/io/text/numbers.hpp"
#include "benches/milestone_1h_gemm/figures.hpp"
#include "benches/milestone_1h_gemm/figures/points.hpp"
#include "benches/results/figures/rows.hpp"
#include "benches/results/rows/cause_words.hpp"
#include "benches/results/rows/run_metrics.hpp"
#include "sim/base/text.hpp"

namespace kernbench {
namespace {

/// The good rows of the shape with the most work.
std::vector<const Row*> rows_of_largest_shape(const Results& sim) {
  std::vector<const Row*> rows;
  for (const Row& row : sim.rows) {
    if (row.status != "ok") continue;
    if (!rows.empty()) {
      const std::int64_t more = row.metrics.at(kUsefulMacs) - rows.front()->metrics.at(kUsefulMacs);
      if (more < 0 || (more == 0 && shape_label(row) != shape_label(*rows.front()))) continue;
      if (more > 0) rows.clear();
    }
    rows.push_back(&row);
  }
  return rows;
}

/// ", limited by the HBM bandwidth (51.8 % of the time)"; empty where there is no ledger.
std::string limit_text(const Row& row) {
  const std::optional<std::string> limit = row.metrics.find(kLimitedBy);
  if (!limit) return "";
  return ", limited by the " + cause_name(*limit) + " (" + percent(row.metrics.at(kLimitedByShare)) + " of the time)";
}

/// "68.05 µs, limited by ..., 1.1 % above its bound", as far as it is known.
std::string result_text(const Row& row, const Results& theory) {
  std::string text = formatted("%.4g µs", row.metrics.at(kTime) / 1000) + limit_text(row);
  const Row* bound = find_row(theory, row.point);
  if (bound == nullptr || bound->status != "ok") return text;
  return text + ", " + percent(row.metrics.at(kTime) / bound->metrics.at(kTime) - 1) + " above its bound";
}

std::string variant_of(const Row& row) { return row.point.at("variant").get<std::string>(); }

}  // namespace

std::string milestone_1h_gemm_headline(const Results& sim, const Results& theory) {
  const std::vector<const Row*> rows = rows_of_largest_shape(sim);
  if (rows.empty()) return "";
  const auto by_time = [](const Row* a, const Row* b) { return a->metrics.at(kTime) < b->metrics.at(kTime); };
  const auto [fastest, slowest] = std::minmax_element(rows.begin(), rows.end(), by_time);
  const std::string text =
      "At " + shape_label(**slowest) + " " + variant_of(**slowest) + " takes " + result_text(**slowest, theory);
  if (*fastest == *slowest) return text + ".";
  const double times = (*slowest)->metrics.at(kTime) / (*fastest)->metrics.at(kTime);
  return text + "; " + variant_of(**fastest) + " is " + formatted("%.2f", times) +
         " times as fast: " + result_text(**fastest, theory) + ".";
}

}  // namespace kernbench
