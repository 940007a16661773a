// Random collectives on random machines: values are right, nothing is lost on the way, and what must not matter does
// not.
#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <exception>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "sim/plan/network/network_plan.hpp"
#include "tests/support/random_collective.hpp"
#include "tests/system/collective_run.hpp"

using namespace kernbench;

TEST_SUITE("ADR-0019") {
  TEST_CASE("19.14 random collectives on random machines end with the right values, and lose nothing on the way") {
    CHECK(rc::check([] {
      const CollectiveCase chosen = random_collective();
      RC_LOG(chosen.text);
      const auto run = [&] {
        const CollectiveResult result =
            run_collective(chosen.machine, chosen.schedule, {.values = CollectiveValues::kIntegers});
        const NetworkPlan plan = plan_network(chosen.machine);
        Bytes entered = 0;
        Bytes left = 0;
        std::int64_t packets = 0;
        for (std::size_t i = 0; i < plan.links.size(); ++i) {
          const auto endpoint = [&](std::int32_t node) {
            const NodeKind kind = plan.node(node).kind;
            return kind != NodeKind::kRouter && kind != NodeKind::kSwitch;
          };
          const LinkTotals& totals = result.links[i].totals;
          if (endpoint(plan.links[i].from)) entered += totals.bytes, packets += totals.packets;
          if (endpoint(plan.links[i].to)) left += totals.bytes, packets -= totals.packets;
          // A link carries its bytes one after the other, within the time.
          if (totals.busy < plan.links[i].bandwidth.time_for(totals.bytes)) return std::string("too fast");
        }
        return std::to_string(entered) + ' ' + std::to_string(left) + ' ' + std::to_string(packets) + ' ' +
               std::to_string(result.sent);
      };
      std::istringstream in(forked(run));
      Bytes entered = -1;
      Bytes left = 0;
      std::int64_t packets = 1;
      Bytes sent = 0;
      in >> entered >> left >> packets >> sent;
      RC_ASSERT(entered == left);
      RC_ASSERT(packets == 0);
      RC_ASSERT(entered >= sent);
    }));
  }

  TEST_CASE("19.17 ranks of random machines that send each other what they add to end, and with the right values") {
    CHECK(rc::check([] {
      const CollectiveCase chosen = random_exchange();
      RC_LOG(chosen.text);
      RC_ASSERT(collective_error(chosen.machine, chosen.schedule, {.values = CollectiveValues::kIntegers}).empty());
    }));
  }

  TEST_CASE("19.14 neither the values nor whether they are carried changes a time") {
    CHECK(rc::check([] {
      // Three runs a case: of at most 16 ranks, which differ in all that larger ones do.
      const RandomSizes sizes{.packages = {{1, 1}, {1, 2}, {2, 2}}, .dies = {{1, 1}, {1, 2}}, .pes = {{1, 1}, {1, 2}}};
      const CollectiveAlgorithm algorithm = *rc::gen::elementOf(collective_algorithms());
      const CollectiveCase chosen = random_collective(algorithm, *rc::gen::elementOf(algorithm.collectives), sizes);
      RC_LOG(chosen.text);
      const auto time = [&](CollectiveValues values, std::uint64_t seed) {
        return collective_numbers(chosen.machine, chosen.schedule, {.values = values, .seed = seed}).time;
      };
      const std::int64_t bare = time(CollectiveValues::kNone, 1);
      RC_ASSERT(bare == time(CollectiveValues::kIntegers, 1));
      RC_ASSERT(bare == time(CollectiveValues::kBf16, 2));
    }));
  }

  TEST_CASE("19.3 every credit comes back: as many as pieces were sent, and a queue can be used for ever") {
    // Thirty messages through one slot, both ways at once.
    CollectiveThread there;
    CollectiveThread back;
    for (int i = 0; i < 30; ++i) {
      there.push_back(send_to(1, 100));
      there.push_back(reduce_from(1, 100));
      back.push_back(send_to(0, 100));
      back.push_back(reduce_from(0, 100));
    }
    const MachineSpec machine = milestone({"system.packages.columns=1", "package.dies.rows=1", "package.dies.columns=1",
                                           "pe.message_queue.slots=1", "pe.message_queue.slot_bytes=64 B"});
    const CollectiveNumbers numbers = collective_numbers(machine, by_hand(100, {there, back}));
    const std::int64_t pieces = 30 * 2 * 4;  // 200 bytes in slots of 64
    CHECK(numbers.link_bytes == 3 * (30 * 2 * 200) + 3 * pieces * 16);
    CHECK(numbers.packet_hops == 3 * pieces * 2);
  }

  TEST_CASE("19.11 more link bandwidth is never slower for a fixed schedule on an uncontended network") {
    // A ring over the PEs of a die: every link has one user and direction.
    CHECK(rc::check([] {
      const auto count = *rc::gen::inRange<std::int64_t>(8, 20000);
      const auto slow = *rc::gen::inRange<std::int64_t>(50, 400);
      const auto more = *rc::gen::inRange<std::int64_t>(0, 300);
      const auto time = [&](std::int64_t gbs) {
        CollectiveRequest request;
        request.count = count;
        request.grid.pes = {2, 4};
        return collective_numbers(milestone({"system.packages.columns=1", "package.dies.rows=1",
                                             "package.dies.columns=1", "simulation.packet_bytes=4 KiB",
                                             "pe.message_queue.consumer=inline", "pe.message_queue.wake_latency=0 ns",
                                             "pe.tcm.read_bandwidth=1 TB/s", "pe.tcm.write_bandwidth=1 TB/s",
                                             "die.router.link_bandwidth=" + std::to_string(gbs) + " GB/s"}),
                                  find_collective_algorithm("ring").generate(request))
            .time;
      };
      RC_ASSERT(time(slow + more) <= time(slow));
    }));
  }
}

TEST_SUITE("ADR-0001") {
  TEST_CASE("1.14 a collective costs at most 3 wake-ups for each packet and link") {
    // Ring all_reduce over 64 PEs at 4 KiB packets, in TCM and from HBM.
    for (const std::int64_t bytes : {std::int64_t{1} << 20U, std::int64_t{17} << 20U}) {
      CollectiveRequest request;
      request.count = bytes / 2;
      request.grid = {{}, {2, 4}, {2, 4}};
      const CollectiveNumbers numbers =
          collective_numbers(milestone({"system.packages.columns=1", "package.dies.rows=2", "package.dies.columns=4",
                                        "simulation.packet_bytes=4 KiB"}),
                             find_collective_algorithm("ring").generate(request));
      CHECK(numbers.wakeups <= 3 * numbers.packet_hops);
    }
  }
}
