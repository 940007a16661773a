// The axis `variant` of benches of GEMMs on a PE: a staging variant, a mapping, or the one that suits it best.
#pragma once

#include <string>

namespace kernbench {

inline constexpr const char* kChosenMapping = "auto";  ///< 32.8

/// Whether it is the name of a staging variant, and so no mapping.
[[nodiscard]] bool is_staging_variant(const std::string& variant);

/// Throws ConfigError, which names what there is, for what is neither a staging variant nor a mapping.
void check_variant(const std::string& variant);

}  // namespace kernbench
