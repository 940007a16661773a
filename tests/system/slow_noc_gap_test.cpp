// How far flit routers and packet routers are apart, and where they saturate: the numbers that ADR-0017 states.
#include <doctest/doctest.h>

#include <cmath>

#include "tests/system/noc_gap.hpp"

using namespace kernbench;
using namespace kernbench::testing;

namespace {

/// The first rate of steps of 0.01 at which a run is saturated, in hundredths.
struct SaturationRow {
  TrafficPattern pattern = TrafficPattern::kUniform;
  int packet_flits = 1;
  int flits = 0;
  int packets = 0;
};

bool saturated(const SaturationRow& row, NocNetwork network, int hundredths) {
  const GapRow at{.pattern = row.pattern, .packet_flits = row.packet_flits, .rate = hundredths / 100.0};
  return noc_outcome(gap_test(at, network)).saturated;
}

/// The same for packets for several, in thousandths: the first rate, of steps as large as `step`.
struct CopiesSaturation {
  TrafficGroups groups;
  int packet_flits = 1;
  int flits = 0;
  int packets = 0;
  int step = 10;
};

bool saturated(const CopiesSaturation& row, NocNetwork network, int thousandths) {
  const CopiesRow at{.groups = row.groups, .packet_flits = row.packet_flits, .rate = thousandths / 1000.0};
  return noc_outcome(gap_test(at, network)).saturated;
}

/// Flits that arrive per node and cycle where half a flit is offered, three digits.
double most(NocNetwork network, int packet_flits, int virtual_channels, int buffer_flits) {
  NocTest test;
  test.network = network;
  test.mesh.packet_flits = packet_flits;
  test.mesh.virtual_channels = virtual_channels;
  test.mesh.buffer_flits = buffer_flits;
  test.rate = 0.5;
  test.warm_up = 1000;
  test.measure = 6000;
  return std::round(1000 * noc_outcome(test).accepted) / 1000;
}

}  // namespace

TEST_SUITE("ADR-0017") {
  TEST_CASE("17.28 mean latencies of both networks under the same traffic") {
    using enum TrafficPattern;
    for (const GapRow& row : {
             GapRow{kUniform, 1, 4, 8, 3, 0.1, 27.27, 27.26},
             GapRow{kUniform, 1, 4, 8, 3, 0.4, 39.86, 35.42},
             GapRow{kUniform, 8, 4, 8, 3, 0.1, 37.71, 36.78},
             GapRow{kUniform, 8, 4, 8, 3, 0.35, 72.38, 76.76},
             GapRow{kTranspose, 1, 4, 8, 3, 0.1, 27.46, 27.44},
             GapRow{kTranspose, 1, 4, 8, 3, 0.13, 28.49, 28.43},
             GapRow{kTranspose, 8, 4, 8, 3, 0.13, 52.68, 49.04},
             GapRow{kHotspot, 1, 4, 8, 3, 0.1, 27.12, 26.97},
             GapRow{kHotspot, 1, 4, 8, 3, 0.11, 27.79, 27.18},
             GapRow{kHotspot, 8, 4, 8, 3, 0.12, 45.52, 43.95},
             GapRow{kNeighbour, 1, 4, 8, 3, 0.3, 19.99, 19.99},
             GapRow{kNeighbour, 8, 4, 8, 3, 0.3, 28.49, 28.49},
             GapRow{kUniform, 1, 2, 32, 3, 0.1, 27.28, 27.26},
             GapRow{kUniform, 1, 2, 32, 3, 0.3, 29.80, 29.12},
             GapRow{kUniform, 1, 2, 32, 3, 0.35, 32.71, 30.95},
             GapRow{kUniform, 8, 2, 256, 3, 0.1, 37.35, 36.81},
             GapRow{kUniform, 8, 2, 256, 3, 0.3, 53.25, 53.65},
             GapRow{kUniform, 8, 2, 256, 3, 0.4, 110.22, 127.47},
             GapRow{kUniform, 8, 2, 256, 16, 0.1, 125.09, 118.89},
             GapRow{kUniform, 8, 2, 256, 16, 0.2, 148.67, 123.05},
             GapRow{kUniform, 8, 16, 256, 16, 0.2, 125.66, 122.94},
         }) {
      check_gap(row);
    }
  }

  TEST_CASE("17.29 the rate at which each network saturates") {
    using enum TrafficPattern;
    for (const SaturationRow& row : {SaturationRow{kUniform, 1, 43, 42}, SaturationRow{kUniform, 8, 41, 39},
                                     SaturationRow{kTranspose, 1, 15, 15}, SaturationRow{kTranspose, 8, 15, 15},
                                     SaturationRow{kHotspot, 1, 12, 13}, SaturationRow{kHotspot, 8, 14, 14}}) {
      CAPTURE(kTrafficPatterns[row.pattern]);
      CAPTURE(row.packet_flits);
      CHECK_FALSE(saturated(row, NocNetwork::kFlits, row.flits - 1));
      CHECK(saturated(row, NocNetwork::kFlits, row.flits));
      CHECK_FALSE(saturated(row, NocNetwork::kPackets, row.packets - 1));
      CHECK(saturated(row, NocNetwork::kPackets, row.packets));
    }
    for (const NocNetwork network : {NocNetwork::kFlits, NocNetwork::kPackets}) {
      CHECK_FALSE(saturated({kNeighbour, 1}, network, 60));
      CHECK_FALSE(saturated({kNeighbour, 8}, network, 60));
    }
  }

  TEST_CASE("17.47 mean latencies of copies over both networks") {
    for (const CopiesRow& row : kCopiesRows) check_gap(row);
  }

  TEST_CASE("17.47 the rate at which packets for several saturate each network") {
    for (const CopiesSaturation& row :
         {CopiesSaturation{kRows, 1, 120, 150}, CopiesSaturation{kRows, 8, 130, 140},
          CopiesSaturation{kColumns, 1, 130, 150}, CopiesSaturation{kColumns, 8, 130, 140},
          CopiesSaturation{kAll, 1, 14, 16, 1}, CopiesSaturation{kAll, 8, 15, 16, 1}}) {
      CAPTURE(row.groups.rows);
      CAPTURE(row.groups.columns);
      CAPTURE(row.packet_flits);
      CHECK_FALSE(saturated(row, NocNetwork::kFlits, row.flits - row.step));
      CHECK(saturated(row, NocNetwork::kFlits, row.flits));
      CHECK_FALSE(saturated(row, NocNetwork::kPackets, row.packets - row.step));
      CHECK(saturated(row, NocNetwork::kPackets, row.packets));
    }
  }

  TEST_CASE("17.29 what arrives at most, by virtual channels and buffers") {
    using enum NocNetwork;
    CHECK(most(kFlits, 8, 4, 8) == 0.387);
    CHECK(most(kPackets, 8, 4, 8) == 0.378);
    CHECK(most(kFlits, 8, 4, 64) == 0.431);
    CHECK(most(kPackets, 8, 4, 64) == 0.430);
    CHECK(most(kFlits, 1, 4, 64) == 0.430);
    CHECK(most(kPackets, 1, 4, 64) == 0.447);
    CHECK(most(kFlits, 1, 1, 8) == 0.191);
    CHECK(most(kPackets, 1, 1, 8) == 0.373);
  }
}
