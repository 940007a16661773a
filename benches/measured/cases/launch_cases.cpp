#include "benches/measured/cases/launch_cases.hpp"

#include <algorithm>
#include <string>

namespace kernbench {

std::vector<PlannedCase> launch_cases(const Suites& suites, bool smoke) {
  const CheckedJson part = suites.part("launches");
  auto products = shapes_of(part.at("products"), 3);
  std::vector<std::string> dtypes = texts_of(part.at("dtypes"));
  if (smoke) {
    products.resize(std::min<std::size_t>(products.size(), 1));
    dtypes.resize(std::min<std::size_t>(dtypes.size(), 1));
  }
  std::vector<PlannedCase> cases;
  for (const auto& product : products) {
    for (const std::string& dtype : dtypes) {
      PlannedCase planned;
      planned.suite = "launches";
      planned.point = {{"m", product[0]}, {"k", product[1]}, {"n", product[2]}, {"dtype", dtype}};
      planned.estimate_s = 0.5;
      cases.push_back(std::move(planned));
    }
  }
  return cases;
}

}  // namespace kernbench
