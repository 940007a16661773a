// Who asks a unit of a PE that several programs share (adr/0019, adr/0028).
#pragma once

#include <cstdint>

namespace kernbench {

/// A thread of a launch. Of those who ask a unit at one instant the lower thread comes first (19.12), of one thread the
/// earlier launch (28.1), of one launch the receive that was begun first (28.26).
struct Asker {
  std::int64_t thread = 0;
  std::int64_t launch = 0;   ///< its place among those of the run
  std::int64_t receive = 0;  ///< its place among those of the rank

  [[nodiscard]] std::int64_t turn() const { return (((thread << kLaunchBits) + launch) << kReceiveBits) + receive; }
  static constexpr unsigned kLaunchBits = 16;
  static constexpr unsigned kReceiveBits = 32;
};

}  // namespace kernbench
