// Decimal numbers as tables and command lines have them.
#pragma once

#include <optional>
#include <string_view>

namespace kernbench {

/// 0.3, -2, 1e-9; nothing for any other text, with blanks, a plus in front, nan and inf among them.
[[nodiscard]] std::optional<double> read_number(std::string_view text);

}  // namespace kernbench
