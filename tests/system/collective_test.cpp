// Whole collectives on the machine: right values, closed forms, bounds, and errors that say why.
#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <string>
#include <vector>

#include "sim/plan/collective/algorithm.hpp"
#include "tests/support/many_cases.hpp"
#include "tests/support/milestone.hpp"
#include "tests/system/collective_run.hpp"

namespace kernbench::collective_test {
namespace {

MachineSpec machine_of(const RankGrid& grid, std::vector<std::string> overrides = {}) {
  const auto set = [&](const char* key, std::int32_t value) {
    overrides.push_back(std::string(key) + "=" + std::to_string(value));
  };
  set("system.packages.rows", grid.packages.rows);
  set("system.packages.columns", grid.packages.columns);
  if (grid.packages.rows > 1) overrides.emplace_back("system.arrangement=torus");
  set("package.dies.rows", grid.dies.rows);
  set("package.dies.columns", grid.dies.columns);
  return milestone(overrides);
}

CollectiveSchedule schedule_of(const std::string& algorithm, const CollectiveRequest& request) {
  return find_collective_algorithm(algorithm).generate(request);
}

CollectiveRequest all_reduce(std::int64_t count, const RankGrid& grid = {{}, {}, {2, 4}}) {
  CollectiveRequest request;
  request.count = count;
  request.grid = grid;
  return request;
}

constexpr CollectiveSettings kIntegers{.values = CollectiveValues::kIntegers};
constexpr CollectiveSettings kBf16{.values = CollectiveValues::kBf16};

}  // namespace

TEST_SUITE("ADR-0019") {
  TEST_CASE("19.14 every algorithm and collective leaves the right values with every rank") {
    for (const CollectiveAlgorithm& algorithm : collective_algorithms()) {
      for (const Collective collective : algorithm.collectives) {
        for (const std::int64_t count : {8, 64, 8 * 1100}) {
          CAPTURE(algorithm.name);
          CAPTURE(kCollectives[collective]);
          CAPTURE(count);
          CollectiveRequest request = all_reduce(count, {{}, {1, 2}, {2, 4}});
          if (count == 8 && collective == Collective::kAllToAll) continue;
          request.collective = collective;
          request.root = 3;
          request.chunk = 500;
          CHECK(collective_error(machine_of(request.grid), algorithm.generate(request), kIntegers).empty());
        }
      }
    }
  }

  TEST_CASE("19.14 a wrong sum, a lost message and an early read are found") {
    const MachineSpec machine = machine_of({});
    const auto error = [&](std::vector<CollectiveThread> threads) {
      return collective_error(machine, by_hand(4, std::move(threads)), kIntegers);
    };
    CHECK(error({{send_to(1, 4), reduce_from(1, 4)}, {send_to(0, 4), reduce_from(0, 4)}}).empty());
    CHECK(
        error({{send_to(1, 4), reduce_from(1, 4)}, {send_to(0, 4), receive_from(0, 4)}}).find("wrong result: rank 1") ==
        0);
    CHECK(
        error({{send_to(1, 4), reduce_from(1, 4)}, {reduce_from(0, 4), send_to(0, 4)}}).find("wrong result: rank 0") ==
        0);
    CHECK(error({{send_to(1, 4), reduce_from(1, 4)}, {reduce_from(0, 4)}}).find("nothing is ever sent") !=
          std::string::npos);
    CHECK(error({{send_to(1, 4), reduce_from(1, 4), reduce_from(1, 4)}, {send_to(0, 4), reduce_from(0, 4)}})
              .find("deadlock: nothing is left to happen and the collective has not ended:\n"
                    "  the collective, rank 0 (package0.die0.pe0) waits since ") == 0);
  }

  TEST_CASE("19.14 bf16 sums stay within the bound, and are not exact") {
    for (const char* algorithm : {"ring", "direct", "recursive_doubling"}) {
      CAPTURE(algorithm);
      const CollectiveRequest request = all_reduce(512);
      const double error =
          collective_numbers(machine_of(request.grid), schedule_of(algorithm, request), kBf16).largest_error;
      CHECK(error > 0);
      CHECK(error <= 1);
    }
  }

  TEST_CASE("19.18 a copy in HBM reads and writes it, piece by piece") {
    const CollectiveRequest request{.collective = Collective::kAllToAll, .count = 65'536, .grid = {{}, {}, {1, 1}}};
    const auto time = [&](const std::vector<std::string>& keys) {
      return collective_numbers(machine_of(request.grid, keys), schedule_of("direct", request), kIntegers).time;
    };
    // As one piece nothing overlaps: the vector unit's 512 cycles and 4 come on top.
    const std::string small = "pe.tcm.capacity=131072 B";
    const std::string one = "pe.message_queue.slot_bytes=128 KiB";
    const std::int64_t in_one = time({small, one});
    const std::int64_t inline_one = time({small, one, "pe.message_queue.consumer=inline"});
    CHECK(in_one - inline_one == 516'000);
    // Many pieces overlap: no faster than the memory, which moves every byte twice, and not much slower.
    const std::int64_t bytes = 2 * request.count * kElementBytes;
    const Bytes posted = 8 * 32 * 256;  // acknowledged at the end, and not yet written
    const std::int64_t bound = (bytes - posted) * 1000 / 256;
    const std::int64_t overlapped = time({small, "die.hbm.turnaround=0 ns"});
    CHECK(overlapped > bound);
    CHECK(overlapped < in_one);
    CHECK(time({small, "pe.message_queue.slots=1"}) > time({small}));
    CHECK(time({}) == 2'000 + 512'000 + 4'000);  // in TCM: control, cycles, latency
  }

  TEST_CASE("19.9 buffers that do not fit in TCM beside the slots lie in HBM") {
    // Two queues of 4 slots of 4 KiB lead to each rank.
    const auto in_hbm = [&](Bytes tcm, std::int64_t count) {
      const CollectiveRequest request = all_reduce(count, {{}, {}, {1, 3}});
      CollectiveRequest two = request;
      return collective_numbers(machine_of({{}, {}, {2, 4}}, {"pe.tcm.capacity=" + std::to_string(tcm) + " B"}),
                                schedule_of("direct", two), kIntegers)
          .in_hbm;
    };
    const Bytes least = 131072;                                              // what the tiles' buffers need
    const std::int64_t fits = (least - 2 * 4 * 4096) / (2 * kElementBytes);  // direct: input and copy
    CHECK(in_hbm(least, fits) == 0);
    CHECK(in_hbm(least, fits + 1) == 1);
    // From HBM it takes longer.
    const CollectiveRequest request = all_reduce((least - 4 * 4096) / 2 + 8);
    const auto time = [&](const char* tcm) {
      return collective_numbers(machine_of(request.grid, {std::string("pe.tcm.capacity=") + tcm}),
                                schedule_of("ring", request), kIntegers)
          .time;
    };
    CHECK(time("128 KiB") > time("256 KiB"));
  }

  TEST_CASE("19.10 queues or buffers that fit nowhere are refused before the run") {
    const CollectiveRequest request = all_reduce(64);
    const auto error = [&](const std::vector<std::string>& overrides, std::int64_t count = 64) {
      CollectiveRequest more = request;
      more.count = count;
      return collective_error(machine_of(request.grid, overrides), schedule_of("direct", more));
    };
    CHECK(error({"pe.message_queue.slots=4096"}) ==
          "pe.message_queue: 7 queues of 4096 slots of 4 KiB for a PE do not fit in its TCM: expected at most 16 MiB, "
          "got "
          "112 MiB; take fewer or smaller slots, or another algorithm");
    CHECK(error({"pe.message_queue.tier=sram", "die.sram.capacity=128 KiB"}).find("share of the die's SRAM") !=
          std::string::npos);
    CHECK(error({"die.hbm.capacity=32 MiB"}, std::int64_t{1} << 25U)
              .find("a buffer of 128 MiB a rank fits neither in pe.tcm.capacity, 16 MiB, nor in die.hbm.capacity") ==
          0);
    CHECK(collective_error(machine_of({{}, {}, {2, 4}}), schedule_of("ring", all_reduce(64, {{}, {}, {1, 9}}))) ==
          "the collective has 9 ranks; machine milestone-1h has 8 PEs");
  }

  TEST_CASE("19.11 every step costs control time, and threads of a PE share the control processor") {
    // A copy of 128 elements: a cycle and the latency of the vector unit, which threads share as well.
    const CollectiveStep copy{.kind = StepKind::kCopy, .first = 0, .count = 128, .from = 128};
    const std::int64_t one = 2000 + 1000 + 4000;
    CHECK(collective_numbers(machine_of({}), by_hand(256, {{copy}})).time == one);
    CHECK(collective_numbers(machine_of({}), by_hand(256, {{copy, copy}})).time == 2 * one);
    CollectiveSchedule threads = by_hand(256, {{copy}});
    threads.ranks[0].push_back({copy});
    CHECK(collective_numbers(machine_of({}), threads).time == one + 2000);
    CHECK(collective_numbers(machine_of({}, {"pe.control_latency=0 ns"}), threads).time == one - 2000 + 1000);
    CHECK(collective_numbers(machine_of({}), by_hand(256, {{}})).time == 0);
  }

  TEST_CASE("19.13 launch: IO processor, host link, switch, and the way to the farthest PE") {
    // Host link 5, switch 5, up the package: 4 dies of 2 routers, between them 3 ports of 16, and one from the switch.
    const std::int64_t up = 16'000 + 8 * 2000 + 3 * 16'000 + 4 * 40 + 10;
    CHECK(collective_numbers(machine_of({{}, {4, 4}, {2, 4}}), by_hand(2, {{}})).launch == 10'000 + 5000 + 5000 + up);
  }
}

}  // namespace kernbench::collective_test
