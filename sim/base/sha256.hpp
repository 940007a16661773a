// SHA-256, by which results name the machine and the model they came from.
#pragma once

#include <string>
#include <string_view>

namespace kernbench {

/// SHA-256 of `bytes` as 64 lower-case hexadecimal digits.
std::string sha256_hex(std::string_view bytes);

}  // namespace kernbench
