#include "benches/universal_gemm/method_choice.hpp"

#include <algorithm>
#include <string>
#include <string_view>

#include "benches/results/rows/run_metrics.hpp"
#include "sim/plan/distributed_gemm/distributed_gemm.hpp"

namespace kernbench {
namespace {

/// What `auto` comes to.
std::string_view auto_method(const Row& row) {
  const Json& point = row.point;
  return kStationaryMethods[largest_operand_stays({.m = point.at("m"), .k = point.at("k"), .n = point.at("n")})];
}

}  // namespace

double MethodChoice::loss() const { return chosen->metrics.at(kTime) / fastest->metrics.at(kTime) - 1; }

std::vector<MethodChoice> method_choices(const Results& simulated) {
  std::vector<MethodChoice> choices;
  std::vector<std::string> cases;
  for (const Row& row : simulated.rows) {
    if (row.status != "ok") continue;
    Json point = row.point;
    const std::string method = point.at("method");
    point.erase("method");
    const auto known = std::ranges::find(cases, point.dump());
    const auto index = static_cast<std::size_t>(known - cases.begin());
    if (known == cases.end()) {
      cases.push_back(point.dump());
      choices.emplace_back();
    }
    MethodChoice& choice = choices[index];
    const auto time = [](const Row* of) { return of->metrics.at(kTime); };
    if (method == auto_method(row)) choice.chosen = &row;
    if (choice.fastest == nullptr || time(&row) < time(choice.fastest)) choice.fastest = &row;
  }
  std::erase_if(choices, [](const MethodChoice& choice) { return choice.chosen == nullptr; });
  return choices;
}

}  // namespace kernbench
