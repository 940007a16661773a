// Command lines as a shell takes them.
#pragma once

#include <string>

namespace kernbench {

/// In quotes where it has more than letters, digits and what means nothing to a shell.
[[nodiscard]] std::string quoted_for_shell(const std::string& argument);

}  // namespace kernbench
