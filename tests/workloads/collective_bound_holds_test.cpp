// No simulated collective ends before its bound, whatever the machine: one that sends too little, or a bound that
// counts too much, would.
#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "benches/workloads/collective/collective_case.hpp"
#include "sim/system/collective/run_collective.hpp"
#include "tests/support/forked.hpp"
#include "tests/support/milestone.hpp"

using namespace kernbench;

namespace {

template <class T>
T one_of(std::initializer_list<T> values) {
  return *rc::gen::elementOf(std::vector<T>(values));
}

/// Nothing but links and ports is left to take time, so that the bound is as near as it gets.
std::vector<std::string> free_of_overheads() {
  return {"pe.control_latency=0 ns",          "pe.dma.setup_latency=0 ns",         "pe.message_queue.wake_latency=0 ns",
          "pe.message_queue.consumer=inline", "pe.message_queue.credit_bytes=0 B", "pe.message_queue.slots=32",
          "die.wire.delay=0 ns/mm",           "die.router.hop_latency=0 ns"};
}

/// Random collectives between ranks of these kinds; the nearest that one came to its bound.
double nearest_to_bound(std::initializer_list<RanksPer> kinds) {
  double nearest = 0;
  CHECK(rc::check([&] {
    std::vector<std::string> keys;
    if (one_of({true, true, false})) keys = free_of_overheads();
    keys.push_back("system.arrangement=" + one_of<std::string>({"ring", "fully_connected", "switched"}));
    keys.push_back("system.packages.columns=" + std::to_string(one_of({1, 2, 3})));
    keys.push_back("package.dies.rows=" + std::to_string(one_of({1, 2})));
    keys.push_back("package.dies.columns=" + std::to_string(one_of({1, 2})));
    keys.push_back("package.die_to_die.bandwidth=" + one_of<std::string>({"16 GB/s", "128 GB/s", "1 TB/s"}));
    keys.push_back("system.package_link.bandwidth=" + one_of<std::string>({"16 GB/s", "512 GB/s"}));
    keys.push_back("pe.tcm.read_bandwidth=" + one_of<std::string>({"100 GB/s", "512 GB/s"}));
    const MachineSpec machine = milestone(keys);
    const CollectiveAlgorithm algorithm = *rc::gen::elementOf(collective_algorithms());
    CollectiveCase asked{.collective = *rc::gen::elementOf(algorithm.collectives), .algorithm = algorithm.name};
    const RanksPer per = one_of(kinds);
    const std::int64_t most = pes_of_system(machine) / pes_of_rank(machine, per);
    const MachinePart part = first_ranks(machine, *rc::gen::inRange<std::int64_t>(most > 1 ? 2 : 1, most + 1), per);
    const std::int64_t ranks = part.grid.size();
    asked.bytes = 2 * *rc::gen::inRange<std::int64_t>(1, one_of<std::int64_t>({40, 4000, 60000}));
    if (asked.collective == Collective::kAllToAll) asked.bytes = 2 * ranks * (1 + asked.bytes / 2 / ranks);
    asked.root = static_cast<std::int32_t>(*rc::gen::inRange<std::int64_t>(0, ranks));
    asked.root_die = one_of({RootDie::kCentre, RootDie::kCorner});
    asked.chunk = usual_chunk(asked, machine);
    std::string text = algorithm.name + " " + std::string(kCollectives[asked.collective]);
    for (const std::string& key : keys) text += " " + key;
    RC_LOG(text + " ranks " + std::to_string(ranks) + " of " + std::to_string(part.pes_of_rank) + " bytes " +
           std::to_string(asked.bytes));
    const Picoseconds bound = bound_of(asked, part).time;
    const Picoseconds time{std::stoll(
        forked([&] { return std::to_string(run_collective(part.machine, rails_of(asked, part)).time.value); }))};
    RC_ASSERT(bound.value <= time.value);
    if (ranks > 1) nearest = std::max(nearest, bound.ns() / time.ns());
  }));
  return nearest;
}

}  // namespace

TEST_SUITE("ADR-0020") {
  // And the bound is not just any small number.
  TEST_CASE("20.5 no collective is faster than its bound") { CHECK(nearest_to_bound({RanksPer::kPe}) > 0.7); }

  TEST_CASE("20.15 no collective between dies or packages is faster than its bound") {
    CHECK(nearest_to_bound({RanksPer::kDie, RanksPer::kPackage}) > 0.7);
  }
}
