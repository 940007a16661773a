#include "benches/cli/sim_noc_rates.hpp"

#include <cmath>
#include <optional>

#include "benches/io/text/lists.hpp"
#include "benches/io/text/read_number.hpp"
#include "sim/base/errors.hpp"

namespace kernbench {
namespace {

constexpr double kMostRates = 10'000;
constexpr double kLeastRate = 1e-10;  // rates are rounded to ten digits

[[noreturn]] void refuse(const std::string& text) {
  throw ConfigError("--rate " + text +
                    ": expected flits per node and cycle, from 1e-10 to 1, as 0.1, 0.1,0.2 or "
                    "start:stop:step");
}

double number(const std::string& text, const std::string& whole) {
  const std::optional<double> value = read_number(text);
  if (!value) refuse(whole);
  return *value;
}

}  // namespace

std::vector<double> parse_rates(const std::string& text) {
  std::vector<double> rates;
  for (const std::string& item : list_items("--rate", text)) {
    const std::vector<std::string> parts = list_items("--rate", item, ':');
    if (parts.size() != 1 && parts.size() != 3) refuse(text);
    const double start = number(parts[0], text);
    const double stop = parts.size() == 3 ? number(parts[1], text) : start;
    const double step = parts.size() == 3 ? number(parts[2], text) : 1;
    if (start < kLeastRate || stop > 1 || !(step > 0) || stop < start || (stop - start) / step > kMostRates)
      refuse(text);
    const auto steps = static_cast<std::int64_t>(std::floor((stop - start) / step + 1e-9));
    for (std::int64_t i = 0; i <= steps; ++i) {
      // Ten digits, so that 0.05 + 2 x 0.05 is 0.15.
      rates.push_back(std::round((start + static_cast<double>(i) * step) * 1e10) / 1e10);
    }
    if (static_cast<double>(rates.size()) > kMostRates) refuse(text);
  }
  return each_once(rates);
}

}  // namespace kernbench
