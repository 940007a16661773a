#include "benches/measured/cases/copy_cases.hpp"

#include <string>
#include <utility>

namespace kernbench {

std::vector<PlannedCase> copy_cases(const Suites& suites, int gpus, bool smoke) {
  std::vector<std::int64_t> sizes = sizes_of(suites.part("copy").at("sizes"));
  if (smoke) sizes = {4096, 16 << 20};
  std::vector<std::pair<std::string, int>> kinds{{"device_to_device", 1}, {"host_to_device", 1}, {"device_to_host", 1}};
  if (gpus == 2) kinds = {{"peer", 2}, {"peer_bidirectional", 2}};
  if (gpus > 2) kinds = {{"peer", gpus}};
  std::vector<PlannedCase> cases;
  for (const auto& [copy, used] : kinds) {
    for (const std::int64_t bytes : sizes) {
      PlannedCase planned;
      planned.suite = copy;
      planned.point = {{"copy", copy}, {"gpus", used}, {"bytes", bytes}};
      planned.estimate_s = 0.06 + 30 * static_cast<double>(bytes) / 50e9;
      cases.push_back(std::move(planned));
    }
  }
  return cases;
}

}  // namespace kernbench
