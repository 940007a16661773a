// A value of JSON in names, tables and sentences.
#pragma once

#include <string>

#include "benches/io/text/json.hpp"

namespace kernbench {

/// A text without its quotes; anything else as JSON has it.
[[nodiscard]] inline std::string plain_text(const Json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

}  // namespace kernbench
