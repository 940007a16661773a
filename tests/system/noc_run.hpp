// The traffic test in a child process.
#pragma once

#include <cstdint>
#include <sstream>

#include "sim/system/noc/noc_traffic.hpp"
#include "tests/support/forked.hpp"

namespace kernbench::testing {

struct NocOutcome {
  double latency = 0;
  double last = 0;
  double offered = 0;
  double accepted = 0;
  double as_offered = 0;
  double hops = 0;
  std::int64_t packets = 0;
  std::int64_t undelivered = 0;
  bool saturated = false;
};

inline NocOutcome noc_outcome(const NocTest& test) {
  std::istringstream in(forked([&] {
    const NocResult result = run_noc_test(test);
    std::ostringstream out;
    out.precision(17);
    out << result.mean_latency << ' ' << result.last_latency << ' ' << result.accepted_as_offered << ' '
        << result.offered << ' ' << result.accepted << ' ' << result.mean_hops << ' ' << result.packets << ' '
        << result.undelivered << ' ' << result.saturated;
    return out.str();
  }));
  NocOutcome outcome;
  in >> outcome.latency >> outcome.last >> outcome.as_offered >> outcome.offered >> outcome.accepted >> outcome.hops >>
      outcome.packets >> outcome.undelivered >> outcome.saturated;
  return outcome;
}

}  // namespace kernbench::testing
