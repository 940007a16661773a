// JSON as it is read from files: within limits, and with nothing said twice.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>

namespace kernbench {

/// Keys keep the order in which they were written, so that equal results are equal bytes.
using Json = nlohmann::ordered_json;

/// Arrays and objects inside each other; results have 4.
inline constexpr std::size_t kDeepestJson = 64;
/// Fields of one object; a row of results has some dozens.
inline constexpr std::size_t kMostJsonFields = 10'000;

/// The one way to read a text from outside. Throws ConfigError "FILE:LINE:COLUMN: ..." for what is not JSON, for a
/// field that an object has twice, and beyond the limits above; `file` is for messages only.
[[nodiscard]] Json parse_json(const std::string& text, const std::string& file);

}  // namespace kernbench
