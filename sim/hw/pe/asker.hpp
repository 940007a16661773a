// Who asks a unit of a PE that several programs share (adr/0019, adr/0028).
#pragma once

#include <cstdint>

namespace kernbench {

/// A thread of a launch. Of those who ask a unit at one instant the lower thread comes first (19.12), of one thread the
/// earlier launch (28.1).
struct Asker {
  std::int64_t thread = 0;
  std::int64_t launch = 0;  ///< its place among those of the run

  [[nodiscard]] std::int64_t turn() const { return (thread << kLaunchBits) + launch; }
  static constexpr unsigned kLaunchBits = 16;
};

}  // namespace kernbench
