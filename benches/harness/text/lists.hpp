// Lists as options take them: "a,b,c".
#pragma once

#include <string>
#include <vector>

namespace kernbench {

/// The parts between the separators, in their order; at least one. Throws ConfigError that names `option` for a part
/// that is empty: a separator too many is a slip, or a value that a script left out.
[[nodiscard]] std::vector<std::string> list_items(const std::string& option, const std::string& text,
                                                  char separator = ',');

}  // namespace kernbench
