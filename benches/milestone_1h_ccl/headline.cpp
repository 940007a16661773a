// The sentence that begins the page of the collectives: which algorithm is fastest where.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "benches/milestone_1h_ccl/figures.hpp"
#include "benches/results/figures/rows.hpp"
#include "benches/results/rows/run_metrics.hpp"
#include "benches/workloads/collective/collective_metrics.hpp"
#include "sim/base/quantity.hpp"
#include "sim/base/text.hpp"

namespace kernbench {
namespace {

std::string best_text(const Row& row) {
  const double time = row.metrics.at(kTime);
  return row.metrics.at(kFastestAlgorithm) + " at " +
         format_quantity(row.point.at("bytes").get<std::int64_t>(), Dimension::kBytes) + " (" +
         (time < 1000 ? formatted("%.4g ns", time) : formatted("%.4g µs", time / 1000)) + ")";
}

}  // namespace

std::string milestone_1h_ccl_headline(const Results& sim, const Results& /*theory*/) {
  const std::vector<std::pair<std::string, Json>> scales{
      {"on a die", {{"scale", "die"}}},
      {"on a package", {{"scale", "package"}}},
      {"on six packages", {{"scale", "system"}, {"packages", "2x3"}, {"arrangement", "torus"}}}};
  std::vector<std::string> parts;
  for (const auto& [where, fields] : scales) {
    Json wanted{{"derived", "best"}, {"collective", "all_reduce"}, {"tier", "tcm"}, {"pes", nullptr}};
    wanted.update(fields);
    const std::vector<const Row*> rows = rows_where(sim, wanted);
    if (rows.empty()) continue;
    const auto by_size = [](const Row* a, const Row* b) { return a->point.at("bytes") < b->point.at("bytes"); };
    const auto [least, most] = std::minmax_element(rows.begin(), rows.end(), by_size);
    std::string part = where + " " + best_text(**least);
    if (*least != *most) part += " and " + best_text(**most);
    parts.push_back(std::move(part));
  }
  return parts.empty() ? "" : "The fastest all_reduce: " + joined(parts, "; ") + ".";
}

}  // namespace kernbench
