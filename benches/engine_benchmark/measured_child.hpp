// Runs one measurement in a forked child: SystemC's kernel is global, and the child's peak memory is the measurement's.
#pragma once

#include <cstdint>
#include <functional>

namespace kernbench {

struct Sample {
  std::int64_t wakeups = 0;
  std::int64_t tiles = 0;
  std::int64_t tiles_passed_over = 0;
  std::int64_t bursts = 0;
  double cpu_s = 0;     ///< CPU time of what was measured; the child's whole life where the work leaves it 0
  double peak_mib = 0;  ///< peak resident memory of the child
};

/// What `work` returned. Throws std::runtime_error when the child did not get that far.
Sample measured_in_child(const std::function<Sample()>& work);

/// CPU time of this process so far, in seconds.
double process_cpu_s();

}  // namespace kernbench
