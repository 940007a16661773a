#include "benches/measured/cases/collective_cases.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "sim/base/unknown_name.hpp"
#include "sim/plan/collective/algorithm.hpp"

namespace kernbench {
namespace {

constexpr std::array kMeasured{Collective::kAllReduce, Collective::kReduceScatter, Collective::kAllGather,
                               Collective::kBroadcast, Collective::kAllToAll};

std::vector<std::string_view> measured_names() {
  std::vector<std::string_view> names;
  for (const Collective collective : kMeasured) names.push_back(kCollectives[collective]);
  return names;
}

}  // namespace

std::vector<PlannedCase> measured_collective_cases(const Suites& suites, int gpus, const std::string& setting,
                                                   const std::vector<std::string>& only, bool smoke) {
  const std::vector<std::string_view> names = measured_names();
  for (const std::string& name : only) {
    if (std::ranges::find(names, name) == names.end()) refuse_name("measured collective", name, names);
  }
  std::vector<std::int64_t> sizes = sizes_of(suites.part("collectives").at("sizes"));
  if (smoke) sizes = {4096, 4 << 20};
  std::vector<PlannedCase> cases;
  for (const std::string_view measured : names) {
    const std::string collective(measured);
    if (!only.empty() && std::find(only.begin(), only.end(), collective) == only.end()) continue;
    for (const std::int64_t bytes : sizes) {
      PlannedCase planned;
      planned.suite = collective;
      planned.point = {{"collective", collective}, {"gpus", gpus}, {"bytes", bytes}, {"setting", setting}};
      planned.estimate_s = 0.08 + 40 * static_cast<double>(bytes) / 100e9;
      cases.push_back(std::move(planned));
    }
  }
  return cases;
}

}  // namespace kernbench
