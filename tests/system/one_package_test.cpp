// A run of one package that stands for all is the run of all packages.
#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <sstream>
#include <string>
#include <vector>

#include "sim/plan/collective/one_for_all.hpp"
#include "sim/system/collective/run_collective.hpp"
#include "tests/support/forked.hpp"
#include "tests/support/random_collective.hpp"

using namespace kernbench;

namespace {

std::string everything(const CollectiveResult& run) {
  std::ostringstream text;
  text << "time " << run.time.value << " launch " << run.launch.value << " steps " << run.steps << " sent " << run.sent
       << " bytes " << run.link_bytes << " hbm " << run.in_hbm << " hops " << run.packet_hops;
  for (const Picoseconds end : run.phase_ends) text << " phase " << end.value;
  for (const LinkUse& link : run.links) {
    text << '\n'
         << link.name << ' ' << link.totals.packets << ' ' << link.totals.bytes << ' ' << link.totals.busy.value;
  }
  const Activity& did = run.activity;
  text << "\ndid " << did.vector_operations << ' ' << did.registers << ' ' << did.tcm << ' ' << did.sram << ' '
       << did.hbm << ' ' << did.router << ' ' << did.die_to_die << ' ' << did.package_link << ' ' << did.pes;
  return text.str();
}

struct Ran {
  std::string text;
  std::int64_t pes_simulated = 0;
};

Ran run(const MachineSpec& machine, const CollectiveSchedule& schedule, bool fast_forward) {
  const std::string answer = forked([&] {
    const CollectiveResult result = run_collective(machine, schedule, {.fast_forward = fast_forward});
    return std::to_string(result.pes_simulated) + " " + everything(result);
  });
  return {answer.substr(answer.find(' ')), std::stoll(answer)};
}

/// A ring whose blocks turn with the packages.
CollectiveSchedule ring(const RankGrid& grid, Collective collective, std::int64_t a_block, std::int64_t chunk = 0) {
  CollectiveRequest request;
  request.collective = collective;
  request.grid = grid;
  request.count = a_block * grid.size();
  request.chunk = chunk;
  return find_collective_algorithm("ring").generate(request);
}

const RankGrid kThree{{1, 3}, {1, 1}, {2, 4}};

MachineSpec three(std::vector<std::string> keys = {}) {
  keys.insert(keys.begin(), {"system.packages.columns=3", "package.dies.rows=1", "package.dies.columns=1"});
  return milestone(keys);
}

bool one_for_all(const std::vector<std::string>& keys) {
  return one_package_stands_for_all(three(keys), ring(kThree, Collective::kAllReduce, 128));
}

}  // namespace

TEST_SUITE("ADR-0062") {
  TEST_CASE("62.1 rings turn with the packages, where their blocks lie on the same pseudo-channels") {
    const MachineSpec machine = three();
    for (const Collective collective : {Collective::kAllReduce, Collective::kReduceScatter, Collective::kAllGather}) {
      CHECK(one_package_stands_for_all(machine, ring(kThree, collective, 128)));
    }
    CHECK_FALSE(one_package_stands_for_all(machine, ring(kThree, Collective::kBroadcast, 128)));
    CHECK_FALSE(one_package_stands_for_all(machine, ring(kThree, Collective::kAllReduce, 127)));
    CHECK_FALSE(one_package_stands_for_all(machine, ring({{1, 3}, {1, 1}, {2, 3}}, Collective::kAllReduce, 1024)));
    CollectiveRequest request{.collective = Collective::kAllReduce, .count = 128 * 24 + 1, .grid = kThree};
    CHECK_FALSE(one_package_stands_for_all(machine, find_collective_algorithm("ring").generate(request)));
    request.count = 128 * 24;
    CHECK_FALSE(one_package_stands_for_all(machine, find_collective_algorithm("bidirectional_ring").generate(request)));
    CHECK_FALSE(one_package_stands_for_all(machine, find_collective_algorithm("hierarchical").generate(request)));
    CHECK_FALSE(one_for_all({"pe.message_queue.tier=hbm"}));
    CHECK_FALSE(one_for_all({"die.hbm.model=tlm_simple"}));
  }

  TEST_CASE("62.2 packages can be turned in one row or column that goes round, and where each is linked with each") {
    CHECK(one_for_all({"system.arrangement=ring"}));
    CHECK(one_for_all({"system.arrangement=torus"}));
    CHECK(one_for_all({"system.arrangement=fully_connected"}));
    CHECK_FALSE(one_for_all({"system.arrangement=mesh"}));
    CHECK_FALSE(one_for_all({"system.arrangement=switched"}));
    CHECK(one_for_all({"die.router.virtual_channels=6"}));        // 27 nodes a package
    CHECK_FALSE(one_for_all({"die.router.virtual_channels=4"}));  // destinations' channels differ by package
    const RankGrid two{{1, 2}, {1, 1}, {2, 4}};
    CHECK_FALSE(one_package_stands_for_all(milestone({"package.dies.rows=1", "package.dies.columns=1"}),
                                           ring(two, Collective::kAllReduce, 128)));
    const RankGrid six{{2, 3}, {1, 1}, {2, 4}};
    CHECK_FALSE(one_package_stands_for_all(three({"system.packages.rows=2", "system.arrangement=torus"}),
                                           ring(six, Collective::kAllReduce, 128)));
  }

  TEST_CASE("62.3 and 62.4 one package says all of every package, of random rings on random machines") {
    std::int64_t folded = 0;
    CHECK(rc::check([&folded] {
      const RandomSizes sizes{
          .packages = {{1, 3}, {1, 4}, {1, 5}}, .dies = {{1, 1}, {1, 1}, {1, 2}}, .ranks_in_hbm = 12};
      const auto collective = one_of({Collective::kAllReduce, Collective::kReduceScatter, Collective::kAllGather});
      CollectiveCase chosen = random_collective(find_collective_algorithm("ring"), collective, sizes);
      const RankGrid& grid = chosen.request.grid;
      const std::int64_t a_block = 1024 / (grid.dies.size() * grid.pes.size());
      const std::int64_t turns = 1 + chosen.request.count / (a_block * grid.size() * 2);
      const CollectiveSchedule schedule = ring(grid, collective, a_block * turns, chosen.request.chunk);
      RC_LOG(chosen.text + ", blocks of " + std::to_string(a_block * turns));
      const Ran one = run(chosen.machine, schedule, true);
      if (one.pes_simulated < grid.size()) ++folded;
      RC_ASSERT(one.text == run(chosen.machine, schedule, false).text);
    }));
    CHECK(folded > 0);
  }

  TEST_CASE("62.4 all PEs are simulated where one package does not stand for all, and 62.5 where it is asked for") {
    const CollectiveSchedule schedule = ring(kThree, Collective::kAllReduce, 128);
    CHECK(run(three(), schedule, true).pes_simulated == 8);
    CHECK(run(three(), schedule, false).pes_simulated == 24);
    CHECK(run(three({"system.arrangement=switched"}), schedule, true).pes_simulated == 24);
  }
}
