// Which build of this program runs.
#pragma once

#include <string>

namespace kernbench {

/// Another one may give other bytes: what it made is not mixed with what this one makes.
[[nodiscard]] std::string program_identity();

}  // namespace kernbench
