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

/// A row of the table of 17.47: of copies, and of the packets' last ones.
struct CopiesRow {
  TrafficGroups groups = {};
  int packet_flits = 1;
  double rate = 0;
  double flits = 0;
  double last_of_flits = 0;
  double packets = 0;
  double last_of_packets = 0;
};

inline NocTest gap_test(const CopiesRow& row, NocNetwork network) {
  NocTest test = gap_test(
      GapRow{.pattern = TrafficPattern::kMulticast, .packet_flits = row.packet_flits, .rate = row.rate}, network);
  test.traffic.groups = row.groups;
  return test;
}

inline void check_gap(const CopiesRow& row) {
  const auto two_digits = [](double latency) { return std::round(100 * latency) / 100; };
  CAPTURE(row.groups.rows);
  CAPTURE(row.groups.columns);
  CAPTURE(row.packet_flits);
  CAPTURE(row.rate);
  const NocOutcome flits = noc_outcome(gap_test(row, NocNetwork::kFlits));
  const NocOutcome packets = noc_outcome(gap_test(row, NocNetwork::kPackets));
  CHECK(two_digits(flits.latency) == row.flits);
  CHECK(two_digits(flits.last) == row.last_of_flits);
  CHECK(two_digits(packets.latency) == row.packets);
  CHECK(two_digits(packets.last) == row.last_of_packets);
  CHECK_FALSE(flits.saturated);
  CHECK_FALSE(packets.saturated);
}

inline const TrafficGroups kRows{};
inline const TrafficGroups kColumns{.rows = 0, .columns = 1};
inline const TrafficGroups kAll{.rows = 0, .columns = 0};
inline const std::vector<CopiesRow> kCopiesRows{
    {kRows, 1, 0.001, 18.00, 28.01, 18.00, 28.01},    {kRows, 1, 0.07, 18.76, 29.23, 18.43, 28.55},
    {kRows, 8, 0.001, 25.25, 35.28, 25.16, 35.22},    {kRows, 8, 0.07, 34.64, 47.65, 29.15, 40.48},
    {kColumns, 1, 0.001, 18.24, 28.39, 18.24, 28.39}, {kColumns, 1, 0.07, 18.75, 29.21, 18.43, 28.53},
    {kColumns, 8, 0.001, 25.49, 35.67, 25.40, 35.60}, {kColumns, 8, 0.07, 34.75, 47.87, 29.21, 40.53},
    {kAll, 1, 0.0002, 27.61, 50.46, 27.61, 50.46},    {kAll, 1, 0.008, 28.15, 51.49, 27.88, 50.66},
    {kAll, 8, 0.0002, 34.56, 57.06, 34.28, 57.06},    {kAll, 8, 0.008, 43.78, 71.10, 38.17, 63.20}};

}  // namespace kernbench::testing
