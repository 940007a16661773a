// Products that a machine's numbers were fitted to: they say nothing about how good its predictions are (52.4).
#pragma once

#include <set>
#include <string>

#include "benches/io/text/json.hpp"
#include "sim/machine/gpu/load_gpu.hpp"

namespace kernbench {

/// "m k n dtype" of the products that the machine's numbers were fitted to. Throws ConfigError as read_file.
[[nodiscard]] const std::set<std::string>& fitted_products(const LoadedGpu& gpu);

/// The same of what has fields m, k, n and dtype.
[[nodiscard]] std::string product_key(const Json& point);

}  // namespace kernbench
