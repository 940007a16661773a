// A place in the source: what std::source_location is, for compilers that lack it (clang before 16, with libstdc++).
#pragma once

#include <cstdint>

namespace kernbench {

struct SourcePlace {
  const char* file = "";
  std::uint32_t line = 0;

  /// As a default argument: where the function that has it is called.
  static constexpr SourcePlace here(const char* file = __builtin_FILE(), std::uint32_t line = __builtin_LINE()) {
    return {file, line};
  }
};

}  // namespace kernbench
