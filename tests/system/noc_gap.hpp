// A row of the table of ADR-0017, 17.28, held to what both networks give.
#pragma once

#include <doctest/doctest.h>

#include <cmath>

#include "tests/system/noc_run.hpp"

namespace kernbench::testing {

struct GapRow {
  TrafficPattern pattern = TrafficPattern::kUniform;
  int packet_flits = 1;
  int virtual_channels = 4;
  int buffer_flits = 8;
  int router_cycles = 3;
  double rate = 0;
  double flits = 0;    ///< mean latency over flit routers, two digits
  double packets = 0;  ///< over packet routers
};

/// As the table's numbers are measured.
inline NocTest gap_test(const GapRow& row, NocNetwork network) {
  NocTest test;
  test.network = network;
  test.traffic.pattern = row.pattern;
  test.mesh.packet_flits = row.packet_flits;
  test.mesh.virtual_channels = row.virtual_channels;
  test.mesh.buffer_flits = row.buffer_flits;
  test.mesh.router_cycles = row.router_cycles;
  test.rate = row.rate;
  test.warm_up = 2000;
  test.measure = 20'000;
  return test;
}

inline void check_gap(const GapRow& row) {
  const auto two_digits = [](double latency) { return std::round(100 * latency) / 100; };
  CAPTURE(kTrafficPatterns[row.pattern]);
  CAPTURE(row.packet_flits);
  CAPTURE(row.virtual_channels);
  CAPTURE(row.rate);
  const NocOutcome flits = noc_outcome(gap_test(row, NocNetwork::kFlits));
  const NocOutcome packets = noc_outcome(gap_test(row, NocNetwork::kPackets));
  CHECK(two_digits(flits.latency) == row.flits);
  CHECK(two_digits(packets.latency) == row.packets);
  CHECK_FALSE(flits.saturated);
  CHECK_FALSE(packets.saturated);
}

}  // namespace kernbench::testing
