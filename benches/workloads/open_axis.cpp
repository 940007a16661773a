#include "benches/workloads/open_axis.hpp"

#include <utility>

#include "sim/base/errors.hpp"
#include "sim/plan/dimension.hpp"

namespace kernbench {

Axis text_axis(const std::string& name, const char* usual, std::function<void(const std::string&)> check) {
  const auto read = [check = std::move(check)](const std::string& text) -> AxisValue {
    check(text);
    return {text, Json(text)};
  };
  return {name, {usual}, OpenAxis{{}, read}};
}

Axis count_axis(const std::string& name, int usual, std::int64_t least, std::int64_t most) {
  return count_axis(name, std::vector<int>{usual}, least, most);
}

Axis count_axis(const std::string& name, const std::vector<int>& usual, std::int64_t least, std::int64_t most) {
  const auto read = [least, most](const std::string& text) -> AxisValue {
    try {
      const std::int64_t value = parse_quantity(text, Dimension::kCount);
      if (value >= least && value <= most) return {std::to_string(value), Json(value)};
    } catch (const ConfigError&) {  // said below
    }
    throw ConfigError("expected a whole number from " + std::to_string(least) + " to " + std::to_string(most) +
                      ", got '" + text + "'");
  };
  return {name, std::vector<AxisValue>(usual.begin(), usual.end()), OpenAxis{Dimension::kCount, read}};
}

Axis dimension_axis(const std::string& name) { return count_axis(name, 512, 1, kLargestDimension); }

}  // namespace kernbench
