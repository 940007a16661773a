// No simulated collective ends before its bound, whatever the machine: one that sends too little, or a bound that
// counts too much, would.
#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "benches/workloads/collective/collective_case.hpp"
#include "benches/workloads/collective/rank_units.hpp"
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

/// Slots and buffers in other memories than TCM, too, each sometimes the narrowest.
std::vector<std::string> in_memories() {
  std::vector<std::string> keys{"pe.message_queue.slots=8",
                                "pe.message_queue.slot_bytes=1 KiB",
                                "pe.tcm.capacity=" + one_of<std::string>({"192 KiB", "192 KiB", "16 MiB"}),
                                "die.hbm.bandwidth=" + one_of<std::string>({"20 GB/s", "2 TB/s"}),
                                "die.hbm.write_batch=2",
                                "die.hbm.write_queue=4",
                                "die.sram.bandwidth=" + one_of<std::string>({"64 GB/s", "2 TB/s"}),
                                "pe.vector.lanes=" + one_of<std::string>({"8", "512"})};
  const bool shared = one_of({true, false});
  if (shared) keys.push_back("die.hbm.controllers=" + one_of<std::string>({"0,0", "0,0 1,3"}));
  keys.push_back("pe.message_queue.tier=" + one_of<std::string>({"tcm", "sram", shared ? "tcm" : "hbm"}));
  return keys;
}

void halve(MachineSpec& machine, std::string_view key) {
  const std::map<std::string_view, std::int64_t*> values{
      {"die.router.link_bandwidth", &machine.die.router.link.bytes_per_second},
      {"pe.tcm.read_bandwidth", &machine.pe.tcm.read.bytes_per_second},
      {"pe.tcm.write_bandwidth", &machine.pe.tcm.write.bytes_per_second},
      {"pe.vector.lanes", &machine.pe.vector.lanes},
      {"die.hbm.bandwidth", &machine.die.hbm.bandwidth.bytes_per_second},
      {"die.sram.bandwidth", &machine.die.sram.bandwidth.bytes_per_second},
      {"package.die_to_die.bandwidth", &machine.package.die_to_die.bandwidth.bytes_per_second},
      {"system.package_link.bandwidth", &machine.system.package_link.bytes_per_second}};
  *values.at(key) /= 2;
}

/// How near collectives came to their bounds, by what set these.
using Nearest = std::map<std::string, double>;

/// Random collectives between ranks of these kinds.
Nearest nearest_to_bound(std::initializer_list<RanksPer> kinds, bool memories = false) {
  Nearest nearest;
  CHECK(rc::check([&] {
    std::vector<std::string> keys;
    if (one_of({true, true, false})) keys = free_of_overheads();
    if (memories) std::erase(keys, "pe.message_queue.slots=32");
    keys.push_back("system.arrangement=" + one_of<std::string>({"ring", "fully_connected", "switched"}));
    keys.push_back("system.packages.columns=" + std::to_string(one_of({1, 2, 3})));
    keys.push_back("package.dies.rows=" + std::to_string(one_of({1, 2})));
    keys.push_back("package.dies.columns=" + std::to_string(one_of({1, 2})));
    keys.push_back("package.die_to_die.bandwidth=" + one_of<std::string>({"16 GB/s", "128 GB/s", "1 TB/s"}));
    keys.push_back("system.package_link.bandwidth=" + one_of<std::string>({"16 GB/s", "512 GB/s"}));
    keys.push_back("pe.tcm.read_bandwidth=" + one_of<std::string>({"100 GB/s", "512 GB/s"}));
    if (memories) std::ranges::copy(in_memories(), std::back_inserter(keys));
    const MachineSpec machine = milestone(keys);
    const CollectiveAlgorithm algorithm = *rc::gen::elementOf(collective_algorithms());
    CollectiveCase asked{.collective = *rc::gen::elementOf(algorithm.collectives), .algorithm = algorithm.name};
    const RanksPer per = one_of(kinds);
    // With many ranks slots take a small TCM wholly.
    const std::int64_t most =
        std::min<std::int64_t>(memories ? 12 : 1000, pes_of_system(machine) / pes_of_rank(machine, per));
    const MachinePart part = first_ranks(machine, *rc::gen::inRange<std::int64_t>(most > 1 ? 2 : 1, most + 1), per);
    const std::int64_t ranks = part.grid.size();
    asked.bytes =
        2 * *rc::gen::inRange<std::int64_t>(1, one_of<std::int64_t>({40, 4000, 60000, memories ? 250'000 : 60'000}));
    if (asked.collective == Collective::kAllToAll) asked.bytes = 2 * ranks * (1 + asked.bytes / 2 / ranks);
    asked.root = static_cast<std::int32_t>(*rc::gen::inRange<std::int64_t>(0, ranks));
    asked.root_die = one_of({RootDie::kCentre, RootDie::kCorner});
    asked.chunk = usual_chunk(asked, machine);
    std::string text = algorithm.name + " " + std::string(kCollectives[asked.collective]);
    for (const std::string& key : keys) text += " " + key;
    RC_LOG(text + " ranks " + std::to_string(ranks) + " of " + std::to_string(part.pes_of_rank) + " bytes " +
           std::to_string(asked.bytes));
    const CollectiveBound bound = bound_of(asked, part);
    const Picoseconds time{std::stoll(
        forked([&] { return std::to_string(run_collective(part.machine, rails_of(asked, part)).time.value); }))};
    RC_ASSERT(bound.time.value <= time.value);
    if (ranks == 1) return;
    double& of_resource = nearest[bound.resource];
    of_resource = std::max(of_resource, bound.time.ns() / time.ns());
    MachineSpec slower = machine;
    for (const std::string_view key : keys_of_bound(bound.resource)) halve(slower, key);
    const CollectiveBound raised = bound_of(asked, first_ranks(slower, ranks, per));
    RC_ASSERT((raised.time > bound.time || bound.resource == "latency"));
  }));
  return nearest;
}

/// Whatever set the bound.
double nearest_of_all(const Nearest& nearest) {
  double most = 0;
  for (const auto& [resource, near] : nearest) most = std::max(most, near);
  return most;
}

}  // namespace

TEST_SUITE("ADR-0020") {
  // And the bound is not just any small number.
  TEST_CASE("20.5 no collective is faster than its bound, which rises where what sets it is halved") {
    CHECK(nearest_of_all(nearest_to_bound({RanksPer::kPe})) > 0.7);
  }

  TEST_CASE("20.5 no collective is faster than the memories allow in which its buffers and slots lie") {
    static_cast<void>(nearest_to_bound({RanksPer::kPe, RanksPer::kPe, RanksPer::kDie}, true));
  }

  TEST_CASE("20.5 a collective comes near to what the memory allows that sets its bound") {
    const auto check = [](const std::string& resource, std::int64_t bytes, const std::vector<std::string>& keys) {
      CAPTURE(resource);
      const MachineSpec machine = milestone(keys);
      CollectiveCase asked{.collective = Collective::kAllReduce, .algorithm = "ring", .bytes = bytes};
      asked.chunk = usual_chunk(asked, machine);
      const MachinePart part = first_ranks(machine, 8, RanksPer::kPe);
      const CollectiveBound bound = bound_of(asked, part);
      const Picoseconds time{std::stoll(
          forked([&] { return std::to_string(run_collective(part.machine, rails_of(asked, part)).time.value); }))};
      CHECK(bound.resource == resource);
      CHECK(bound.time.ns() > 0.7 * time.ns());
    };
    const std::string in_sram = "pe.message_queue.tier=sram";
    check("sram", 64 << 10, {in_sram});
    check("sram_link", 64 << 10, {in_sram, "die.sram.bandwidth=4 TB/s"});
    check("hbm", 256 << 10, {"pe.message_queue.tier=hbm", "die.hbm.bandwidth=64 GB/s"});
    check("vector", 256 << 10, {"pe.vector.lanes=16"});
  }

  TEST_CASE("20.15 no collective between dies or packages is faster than its bound") {
    CHECK(nearest_of_all(nearest_to_bound({RanksPer::kDie, RanksPer::kPackage})) > 0.7);
  }
}
