// The simulator beside the calculator on machines that nobody chose.
#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <array>

#include "sim/base/source_dir.hpp"
#include "sim/plan/collective/algorithm.hpp"
#include "tests/collectives_calculator/collective.hpp"
#include "tests/support/random_collective.hpp"
#include "tests/system/collective_run.hpp"

namespace {

using namespace kernbench;

/// The milestone's machine with these keys, as a calculator reads it.
calc::Machine calculated_machine(const std::vector<std::string>& keys) {
  YAML::Node root = YAML::LoadFile(kernbench::source_dir() + "/topology/milestone_1h.yaml");
  for (const std::string& key : keys) {
    const std::size_t equals = key.find('=');
    YAML::Node at = root;
    std::istringstream path(key.substr(0, equals));
    for (std::string name; std::getline(path, name, '.');) at.reset(YAML::Node(at[name]));
    at = key.substr(equals + 1);
  }
  return calc::read_machine(root);
}

calc::Grid grid_of(GridShape shape) { return {static_cast<int>(shape.rows), static_cast<int>(shape.columns)}; }

calc::Request calculated_request(const CollectiveCase& chosen) {
  const CollectiveRequest& request = chosen.request;
  const bool rooted = request.collective == Collective::kBroadcast || request.collective == Collective::kReduce;
  return {.collective = std::string(kCollectives[request.collective]),
          .algorithm = chosen.schedule.algorithm,
          .count = request.count,
          .chunk = request.chunk,
          .root = rooted ? request.root : 0,  // of the others' trees it is rank 0
          .grid = {grid_of(request.grid.packages), grid_of(request.grid.dies), grid_of(request.grid.pes)},
          .root_die_in_corner = request.root_die == RootDie::kCorner};
}

void compare(const CollectiveCase& chosen) {
  RC_LOG(chosen.text);
  const CollectiveNumbers simulated = collective_numbers(chosen.machine, chosen.schedule);
  calc::Collective collective(calculated_machine(chosen.keys), calc::make_schedule(calculated_request(chosen)));
  const calc::Time time = collective.run();
  const std::array<std::int64_t, 5> calculated{time, collective.launch(), collective.steps(), collective.sent_bytes(),
                                               collective.link_bytes()};
  const std::array<std::int64_t, 5> expected{simulated.time, simulated.launch, simulated.steps, simulated.sent,
                                             simulated.link_bytes};
  RC_ASSERT(calculated == expected);
}

}  // namespace

TEST_CASE("random collectives on random machines are as the decisions say, to the picosecond") {
  CHECK(rc::check([] {
    const CollectiveCase chosen = random_collective();
    // Not calculated: hierarchical collectives but all_reduce.
    RC_PRE(chosen.schedule.algorithm != "hierarchical" || chosen.request.collective == Collective::kAllReduce);
    compare(chosen);
  }));
}

TEST_CASE("so are ranks that send each other what they add to (19.16)") {
  CHECK(rc::check([] { compare(random_exchange()); }));
}

TEST_CASE("so are ranks that begin with a copy, in TCM or in HBM (19.18)") {
  CHECK(rc::check([] { compare(random_copy()); }));
}
