// What a fuzz target holds its input against.
#pragma once

#include <cstdlib>

/// Ends the program as a crash does, so that the input is kept.
inline void require(bool holds) {
  if (!holds) std::abort();
}
