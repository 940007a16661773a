// Numbers as people read them: the one way in which tables and messages write them.
#pragma once

#include <cstdint>
#include <string>

#include "sim/base/text.hpp"  // formatted(), for other numbers

namespace kernbench {

/// "12.5 %" for 0.125
[[nodiscard]] std::string percent(double fraction);
/// "1,234,567"
[[nodiscard]] std::string grouped(std::int64_t value);
/// "1,234.5", for values that are not negative
[[nodiscard]] std::string one_decimal(double value);
/// "1,234,567", "12.34": whole from a thousand on, else four digits
[[nodiscard]] std::string short_number(double value);
/// "1 tile", "2 tiles"
[[nodiscard]] std::string counted(std::int64_t count, const std::string& what);

}  // namespace kernbench
