#include "benches/measured/cases/beside_cases.hpp"

#include <algorithm>

namespace kernbench {

std::vector<PlannedCase> beside_cases(const Suites& suites, int gpus, bool smoke) {
  const CheckedJson part = suites.part("beside");
  auto products = shapes_of(part.at("products"), 3);
  std::vector<std::int64_t> channels = sizes_of(part.at("channels"));
  if (smoke) {
    products.resize(std::min<std::size_t>(products.size(), 1));
    channels.resize(std::min<std::size_t>(channels.size(), 2));
  }
  std::vector<PlannedCase> cases;
  for (const std::int64_t channel : channels) {
    for (const auto& product : products) {
      PlannedCase planned;
      planned.suite = "beside";
      planned.point = {{"m", product[0]},
                       {"k", product[1]},
                       {"n", product[2]},
                       {"dtype", part.at("dtype").string()},
                       {"collective", part.at("collective").string()},
                       {"bytes", part.at("bytes").integer()},
                       {"gpus", gpus},
                       {"channels", channel}};
      planned.estimate_s = 1;
      cases.push_back(std::move(planned));
    }
  }
  return cases;
}

}  // namespace kernbench
