// While it lives, SIGINT, SIGTERM and SIGHUP are noted instead of ending the process, and arrive only inside wait().
#pragma once

#include <poll.h>

#include <array>
#include <chrono>
#include <csignal>
#include <vector>

namespace kernbench {

class StopSignals {
 public:
  StopSignals();
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  /// Waits until a descriptor is ready, a signal arrives or the time is over.
  void wait(std::vector<pollfd>& descriptors, std::chrono::milliseconds at_most) const;

  /// The first signal that arrived; 0: none.
  [[nodiscard]] static int caught();

 private:
  static constexpr std::array<int, 3> kSignals{SIGINT, SIGTERM, SIGHUP};

  sigset_t mask_before_{};
  std::array<struct sigaction, kSignals.size()> actions_before_{};
};

}  // namespace kernbench
