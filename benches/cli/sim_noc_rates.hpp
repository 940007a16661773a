// `--rate` of `kernbench sim noc`: "0.1", "0.1,0.2", "0.05:0.45:0.05" and mixtures of these.
#pragma once

#include <string>
#include <vector>

namespace kernbench {

/// In the order of the text; a range holds its stop where a whole number of steps leads there. Throws ConfigError.
[[nodiscard]] std::vector<double> parse_rates(const std::string& text);

}  // namespace kernbench
