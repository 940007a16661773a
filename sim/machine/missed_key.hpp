// Keys that somebody may look for in a machine file, of either kind, and that are not there.
#pragma once

#include <string_view>

namespace kernbench {

/// What to use instead of a key that somebody may look for and that no machine file has: "expected ..."; "" of others.
[[nodiscard]] std::string_view instead_of_key(std::string_view path);

}  // namespace kernbench
