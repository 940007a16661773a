#include "benches/io/text/numbers.hpp"

#include <cmath>
#include <cstddef>

namespace kernbench {

std::string percent(double fraction) { return formatted("%.1f %%", 100 * fraction); }

std::string grouped(std::int64_t value) {
  std::string text = std::to_string(value);
  for (auto i = static_cast<std::ptrdiff_t>(text.size()) - 3; i > 0; i -= 3) {
    text.insert(static_cast<std::size_t>(i), ",");
  }
  return text;
}

std::string one_decimal(double value) {
  const auto tenths = std::llround(10 * std::abs(value));
  return (value < 0 && tenths > 0 ? "-" : "") + grouped(tenths / 10) + "." + std::to_string(tenths % 10);
}

std::string short_number(double value) {
  const double size = std::abs(value);
  if (size >= 1000 && size < 1e12) return (value < 0 ? "-" : "") + grouped(std::llround(size));
  return formatted("%.4g", value);
}

std::string counted(std::int64_t count, const std::string& what) {
  return grouped(count) + " " + what + (count == 1 ? "" : "s");
}

}  // namespace kernbench
