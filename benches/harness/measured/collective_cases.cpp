#include "benches/harness/measured/collective_cases.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "sim/base/errors.hpp"
#include "sim/plan/collective/bandwidth_metrics.hpp"

namespace kernbench {
namespace {

constexpr std::array<std::pair<const char*, Collective>, 5> kCollectives{
    {{"all_reduce", Collective::kAllReduce},
     {"reduce_scatter", Collective::kReduceScatter},
     {"all_gather", Collective::kAllGather},
     {"broadcast", Collective::kBroadcast},
     {"all_to_all", Collective::kAllToAll}}};

}  // namespace

std::vector<PlannedCase> measured_collective_cases(const Suites& suites, int gpus, const std::string& setting,
                                                   const std::vector<std::string>& only, bool smoke) {
  for (const std::string& name : only) {
    if (!bus_factor(name, gpus)) throw ConfigError("there is no measured collective \"" + name + "\"");
  }
  std::vector<std::int64_t> sizes = sizes_of(suites.part("collectives").at("sizes"));
  if (smoke) sizes = {4096, 4 << 20};
  std::vector<PlannedCase> cases;
  for (const auto& known : kCollectives) {
    const std::string collective = known.first;
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

std::optional<double> bus_factor(const std::string& collective, std::int64_t gpus) {
  for (const auto& [name, known] : kCollectives) {
    if (collective == name) return busbw_factor(known, gpus);
  }
  return std::nullopt;
}

}  // namespace kernbench
