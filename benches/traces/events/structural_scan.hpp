// Finds where the elements of a JSON array end, without parsing them: brackets and commas outside of strings. Damaged
// text gives wrong places, never an error; who parses what lies between them notices.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

namespace kernbench::traces {

inline constexpr std::size_t kNotFound = std::numeric_limits<std::size_t>::max();

/// Between two calls: where in the text they meet.
struct ScanState {
  std::int64_t depth = 0;  ///< brackets that are open inside the array
  bool in_string = false;
  bool is_escaped = false;  ///< the next character follows a backslash
};

struct ScanResult {
  std::size_t comma = kNotFound;  ///< the last comma between two elements, or the first, as asked
  std::size_t close = kNotFound;  ///< the bracket that closes the array; nothing is read beyond it
};

enum class ScanFor { kLastComma, kFirstComma };

/// Reads text[begin, end), up to the first comma where that is asked for; indices are of `text`.
[[nodiscard]] ScanResult scan_array(const char* text, std::size_t begin, std::size_t end, ScanState& state,
                                    ScanFor what);

}  // namespace kernbench::traces
