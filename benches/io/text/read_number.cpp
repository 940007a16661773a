#include "benches/io/text/read_number.hpp"

#include <charconv>
#include <cmath>
#include <system_error>

namespace kernbench {

std::optional<double> read_number(std::string_view text) {
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto [last, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || last != end || !std::isfinite(value)) return std::nullopt;
  return value;
}

}  // namespace kernbench
