// What is said about a name that nobody knows: the one message of every look-up by name.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace kernbench {

/// "unknown axis 'shap': did you mean 'shape'? There are: shape, variant". Says nothing of a nearest name where none is
/// near, "There are none" where `known` is empty, and of a long list its beginning and its length.
[[nodiscard]] std::string unknown_name(std::string_view kind, std::string_view given,
                                       std::span<const std::string> known);
[[nodiscard]] std::string unknown_name(std::string_view kind, std::string_view given,
                                       std::span<const std::string_view> known);

/// Throws ConfigError with unknown_name(), after "PLACE: " where a place (a file and line, an option) is given.
[[noreturn]] void refuse_name(std::string_view kind, std::string_view given, std::span<const std::string> known,
                              std::string_view place = {});
[[noreturn]] void refuse_name(std::string_view kind, std::string_view given, std::span<const std::string_view> known,
                              std::string_view place = {});

}  // namespace kernbench
