// Small things done to text: joining, splitting, trimming, quoting.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kernbench {

/// "a, b, c"
[[nodiscard]] std::string joined(std::span<const std::string> parts, std::string_view separator = ", ");
[[nodiscard]] std::string joined(std::span<const std::string_view> parts, std::string_view separator = ", ");

/// "a, b and c"; `last` comes before the last one
[[nodiscard]] std::string joined_in_words(std::span<const std::string> parts, std::string_view last = " and ");

/// The parts between the separators, empty ones too: one more than there are separators (which are not
/// empty).
[[nodiscard]] std::vector<std::string> split(std::string_view text, std::string_view separator);

/// Without the spaces and tabs at both ends.
[[nodiscard]] std::string_view trimmed(std::string_view text);

/// One value by a printf format, e.g. formatted("%+.1f %%", 12.5); at most 63 characters.
[[nodiscard]] std::string formatted(const char* format, double value);

/// "'text'"
[[nodiscard]] std::string in_quotes(std::string_view text);

}  // namespace kernbench
