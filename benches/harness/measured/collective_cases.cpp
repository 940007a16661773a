#include "benches/harness/measured/collective_cases.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>

namespace kernbench {
namespace {

constexpr std::array<const char*, 5> kCollectives{"all_reduce", "reduce_scatter", "all_gather", "broadcast",
                                                  "all_to_all"};

}  // namespace

std::vector<PlannedCase> measured_collective_cases(const Suites& suites, int gpus, const std::string& setting,
                                                   const std::vector<std::string>& only, bool smoke) {
  for (const std::string& name : only) static_cast<void>(bus_factor(name, 1));  // throws for an unknown one
  std::vector<std::int64_t> sizes = sizes_of(suites.part("collectives").at("sizes"));
  if (smoke) sizes = {4096, 4 << 20};
  std::vector<PlannedCase> cases;
  for (const char* collective : kCollectives) {
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

double bus_factor(const std::string& collective, int gpus) {
  const double others = static_cast<double>(gpus - 1) / gpus;
  if (collective == "all_reduce") return 2 * others;
  if (collective == "broadcast") return 1;
  for (const char* known : kCollectives) {
    if (collective == known) return others;
  }
  throw std::invalid_argument("there is no collective \"" + collective + "\"");
}

}  // namespace kernbench
