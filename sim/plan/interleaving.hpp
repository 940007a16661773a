// Which controller of a memory has a burst, and which of its own it is (adr/0064, 64.3).
#pragma once

#include <cstdint>

namespace kernbench {

struct Interleaving {
  std::int64_t granule = 0;  ///< bursts that a controller has on end; 0: there is one controller
  std::int64_t controllers = 1;
  bool hashed = false;  ///< of several controllers

  [[nodiscard]] constexpr std::int64_t controller_of(std::int64_t burst) const {
    if (granule == 0) return 0;
    std::int64_t turn = burst / granule;
    if (!hashed) return turn % controllers;
    std::int64_t digits = 0;
    for (; turn > 0; turn /= controllers) digits += turn % controllers;
    return digits % controllers;
  }
  /// What that controller calls it.
  [[nodiscard]] constexpr std::int64_t burst_there(std::int64_t burst) const {
    return granule == 0 ? burst : burst / granule / controllers * granule + burst % granule;
  }
  /// Bursts from this one on that one controller has on end, of at most `most`.
  [[nodiscard]] constexpr std::int64_t on_end(std::int64_t burst, std::int64_t most) const {
    const std::int64_t left = granule == 0 ? most : granule - burst % granule;
    return left < most ? left : most;
  }
};

}  // namespace kernbench
