// The sentence that begins the page of the GEMM milestone.
#include <algorithm>

#include "benches/harness/figures/rows.hpp"
#include "benches/harness/text/numbers.hpp"
#include "benches/milestone_1h_gemm/figures.hpp"
#include "benches/milestone_1h_gemm/figures/points.hpp"
#include "sim/base/text.hpp"

namespace kernbench {
namespace {

double value_of(const Row& row, const char* name) { return row.metrics.at(name).get<double>(); }

/// The good rows of the shape with the most work.
std::vector<const Row*> rows_of_largest_shape(const Results& sim) {
  std::vector<const Row*> rows;
  for (const Row& row : sim.rows) {
    if (row.status != "ok") continue;
    if (!rows.empty()) {
      const double more = value_of(row, "useful_macs") - value_of(*rows.front(), "useful_macs");
      if (more < 0 || (more == 0 && shape_label(row) != shape_label(*rows.front()))) continue;
      if (more > 0) rows.clear();
    }
    rows.push_back(&row);
  }
  return rows;
}

/// ", bound by HBM (1.1 % above the bound)"; empty where there is no bound.
std::string bound_text(const Row& row, const Results& theory) {
  const Row* bound = find_row(theory, row.point);
  if (bound == nullptr || bound->status != "ok") return "";
  const double above = value_of(row, "time_ns") / value_of(*bound, "time_ns") - 1;
  return ", bound by " + bottleneck_words(bound->metrics.at("bottleneck")) + " (" + percent(above) +
         " above the bound)";
}

std::string run_text(const Row& row, const Results& theory) {
  return row.point.at("variant").get<std::string>() + " takes " +
         formatted("%.4g µs", value_of(row, "time_ns") / 1000) + bound_text(row, theory) + ", and uses " +
         percent(value_of(row, "mac_util")) + " of the MAC array";
}

}  // namespace

std::string milestone_1h_gemm_headline(const Results& sim, const Results& theory) {
  const std::vector<const Row*> rows = rows_of_largest_shape(sim);
  if (rows.empty()) return "";
  const auto by_time = [](const Row* a, const Row* b) { return value_of(*a, "time_ns") < value_of(*b, "time_ns"); };
  const auto [fastest, slowest] = std::minmax_element(rows.begin(), rows.end(), by_time);
  const std::string text = "At " + shape_label(**slowest) + " " + run_text(**slowest, theory);
  if (*fastest == *slowest) return text + ".";
  const double times = value_of(**slowest, "time_ns") / value_of(**fastest, "time_ns");
  return text + "; " + run_text(**fastest, theory) + ": " + formatted("%.2f", times) + " times as fast.";
}

}  // namespace kernbench
