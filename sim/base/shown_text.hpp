// What users typed, and what their files hold: whether it is text, and as messages show it, bounded and without control
// characters.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace kernbench {

/// Whether all of it is well-formed UTF-8 (RFC 3629). JSON can hold nothing else.
[[nodiscard]] bool is_utf8(std::string_view text);

/// Whether a character of it commands a terminal: a control character (of C1 as well) but tab and line end.
[[nodiscard]] bool has_control_characters(std::string_view text);

/// Control characters, and bytes that are no UTF-8, as \x1b: an error stays on its line and leaves the terminal alone.
[[nodiscard]] std::string printable(std::string_view text);
/// The same of each line.
[[nodiscard]] std::string printable_lines(const std::string& text);

/// At most `most` bytes (16 or more): of a longer text its beginning, "...", its end. Characters stay whole.
[[nodiscard]] std::string shortened(std::string_view text, std::size_t most);

/// A line each; of more than `most` the first ones and "and N more".
[[nodiscard]] std::string listed(const std::vector<std::string>& lines, std::size_t most);

}  // namespace kernbench
