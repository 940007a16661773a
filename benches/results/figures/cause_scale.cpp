#include "benches/results/figures/cause_scale.hpp"

#include <algorithm>

#include "benches/results/rows/cause_words.hpp"

namespace kernbench {

Json cause_scale(const Json& records) {
  Json scale = {{"domain", Json::array()}, {"range", Json::array()}};
  for (const CauseWords& words : cause_words()) {
    const auto has = [&words](const Json& record) { return record.value("cause", "") == words.name; };
    if (std::none_of(records.begin(), records.end(), has)) continue;
    scale["domain"].push_back(words.name);
    scale["range"].push_back(words.colour);
  }
  return scale;
}

}  // namespace kernbench
