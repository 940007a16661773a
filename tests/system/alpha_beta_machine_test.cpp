// topology/alpha_beta.yaml is the textbook's machine: times are those of the closed forms, to the picosecond.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "sim/base/source_dir.hpp"
#include "sim/machine/load_machine.hpp"
#include "sim/plan/collective/algorithm.hpp"
#include "sim/plan/collective/alpha_beta.hpp"
#include "sim/system/collective/run_collective.hpp"
#include "tests/support/forked.hpp"

using namespace kernbench;

namespace {

constexpr AlphaBeta kCost{{936'250}, {400'000'000'000}, kElementBytes};

MachineSpec textbook(const std::vector<std::string>& overrides = {}) {
  return load_machine(kernbench::source_dir() + "/topology/alpha_beta.yaml", overrides).spec;
}

/// Every package on one switch: a rank's link to it is its port out, the link from it its port in.
MachineSpec switched() { return textbook({"system.arrangement=switched", "system.package_link.latency=468.125 ns"}); }

CollectiveRequest request_of(Collective collective, std::int64_t count) {
  CollectiveRequest request;
  request.collective = collective;
  request.count = count;
  request.root = 2;
  request.grid = {{1, 8}, {}, {}};
  return request;
}

std::int64_t simulated(const MachineSpec& machine, const CollectiveSchedule& schedule) {
  return std::stoll(forked([&] { return std::to_string(run_collective(machine, schedule).time.value); }));
}

}  // namespace

TEST_SUITE("ADR-0020") {
  TEST_CASE("20.13 ring all_reduce of 1 MiB over 8 ranks takes 14 x (936.25 + 327.68) ns") {
    const CollectiveAlgorithm& ring = find_collective_algorithm("ring");
    const CollectiveSchedule schedule = ring.generate(request_of(Collective::kAllReduce, 524'288));
    CHECK(simulated(textbook(), schedule) == 17'695'020);
    CHECK(simulated(switched(), schedule) == 17'695'020);
  }

  TEST_CASE("20.13 a ring's schedules take the time without contention") {
    const CollectiveAlgorithm& ring = find_collective_algorithm("ring");
    for (const Collective collective : ring.collectives) {
      for (const std::int64_t count : {8, 1001, 524'288}) {
        CAPTURE(kCollectives[collective]);
        CAPTURE(count);
        const CollectiveSchedule schedule = ring.generate(request_of(collective, count));
        CHECK(simulated(textbook(), schedule) == alpha_beta_time(schedule, kCost).value);
      }
    }
  }

  TEST_CASE("20.13 with a port out and a port in a rank, every algorithm takes the time without contention") {
    for (const CollectiveAlgorithm& algorithm : collective_algorithms()) {
      for (const Collective collective : algorithm.collectives) {
        for (const std::int64_t count : {8, 524'288}) {
          CAPTURE(algorithm.name);
          CAPTURE(kCollectives[collective]);
          CAPTURE(count);
          const CollectiveSchedule schedule = algorithm.generate(request_of(collective, count));
          CHECK(simulated(switched(), schedule) == alpha_beta_time(schedule, kCost).value);
        }
      }
    }
  }

  TEST_CASE("20.17 two trees gain over one where messages wait at the ranks' ports, not in a switch's queues") {
    constexpr double kShortest = 16.0 * 1024 * 1024 / 50e9 * 1e12;  // S / B, in ps
    const auto takes = [](const char* algorithm, std::int32_t ranks, std::vector<std::string> keys) {
      keys.insert(keys.end(), {"system.arrangement=switched", "system.packages.columns=" + std::to_string(ranks),
                               "system.package_link.latency=5 ns", "simulation.packet_bytes=16 KiB"});
      CollectiveRequest request;
      request.count = 8 << 20;
      request.chunk = 8 << 10;
      request.grid = {{1, ranks}, {}, {}};
      const CollectiveSchedule schedule = find_collective_algorithm(algorithm).generate(request);
      return static_cast<double>(simulated(textbook(keys), schedule)) / kShortest;
    };
    const std::vector<std::string> own{"system.package_link.bandwidth=4 TB/s", "die.router.link_bandwidth=50 GB/s"};
    const auto of_switch = [](int channels) {
      return std::vector<std::string>{"system.package_link.bandwidth=50 GB/s",
                                      "die.router.virtual_channels=" + std::to_string(channels)};
    };
    CHECK(takes("double_binary_tree", 8, own) == doctest::Approx(2.005).epsilon(0.001));
    CHECK(takes("double_binary_tree", 8, of_switch(2)) == doctest::Approx(2.987).epsilon(0.001));
    CHECK(takes("double_binary_tree", 8, of_switch(4)) == doctest::Approx(2.500).epsilon(0.001));
    CHECK(takes("double_binary_tree", 8, of_switch(10)) == doctest::Approx(2.297).epsilon(0.001));
    CHECK(takes("double_binary_tree", 3, of_switch(10)) ==
          doctest::Approx(takes("double_binary_tree", 3, own)).epsilon(0.002));
    CHECK(takes("double_binary_tree", 3, of_switch(2)) > 1.08 * takes("double_binary_tree", 3, own));
    for (const auto& keys : {own, of_switch(2), of_switch(4), of_switch(10)}) {
      CHECK(takes("binary_tree", 8, keys) == doctest::Approx(3.007).epsilon(0.001));
    }
  }
}
