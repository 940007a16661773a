// KB_CHECK: an invariant of ours that every build holds, release builds included (ADR-0001).
#pragma once

#include <string_view>

namespace kernbench {

/// Throws InvariantError: "kernbench is wrong here: FILE:LINE: MESSAGE; please report it".
[[noreturn, gnu::cold, gnu::noinline]] void invariant_failed(std::string_view file, int line, std::string_view message);

}  // namespace kernbench

/// Throws InvariantError unless `condition`. `message` says what should hold, and may be a std::string: it is made only
/// on failure. For what the user can cause there are ConfigError and SimulationError.
#define KB_CHECK(condition, message)                                        \
  (__builtin_expect(static_cast<bool>(condition), 1) ? static_cast<void>(0) \
                                                     : ::kernbench::invariant_failed(__FILE__, __LINE__, message))
