#include "benches/harness/figures/caption.hpp"

#include <algorithm>

namespace kernbench {

std::vector<std::string> axis_values(const Results& results, const std::string& axis) {
  std::vector<std::string> values;
  for (const Row& row : results.rows) {
    const auto found = row.point.find(axis);
    if (found == row.point.end()) continue;
    std::string value = found->is_string() ? found->get<std::string>() : found->dump();
    if (std::find(values.begin(), values.end(), value) == values.end()) values.push_back(std::move(value));
  }
  return values;
}

std::string caption(const Results& results) {
  const Source& source = results.source;
  constexpr std::size_t kHashDigits = 8;
  std::string line = "bench " + results.bench + " (version " + source.bench + ") · machine " + source.machine;
  if (!source.machine_sha256.empty()) line += " (sha256 " + source.machine_sha256.substr(0, kHashDigits) + ")";
  line += " · model " + source.model;
  const std::vector<std::string> variants = axis_values(results, "variant");
  for (std::size_t i = 0; i < variants.size(); ++i) line += (i == 0 ? " · variants " : ", ") + variants[i];
  return line;
}

Json figure_title(const std::string& title, const Results& results, const std::vector<std::string>& notes) {
  Json lines = Json::array({caption(results)});
  for (const std::string& note : notes) lines.push_back(note);
  return {{"text", title}, {"subtitle", std::move(lines)}};
}

}  // namespace kernbench
