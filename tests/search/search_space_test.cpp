// The choices among which a search looks.
#include <doctest/doctest.h>

#include "benches/experiments/search/space.hpp"
#include "benches/experiments/whatif/bench_axes.hpp"
#include "benches/workloads/selection.hpp"
#include "sim/machine/schema.hpp"
#include "tests/support/error_of.hpp"
#include "tests/support/milestone.hpp"
#include "tests/support/toy_bench.hpp"

using namespace kernbench;

namespace {

const Bench kBench = toy_bench();
const std::vector<LabelledPoint> kPoints = select_points(kBench, "");

Space space_of(const MachineSpec& machine, const std::vector<std::string>& varied,
               const std::vector<std::string>& links = {}, const std::vector<std::string>& where = {}) {
  std::vector<Condition> conditions;
  for (const std::string& text : where) conditions.emplace_back("--where", text);
  return {machine, kBench, kPoints, varied, links, std::move(conditions)};
}

std::string wrong(const std::vector<std::string>& varied) {
  const MachineSpec machine = milestone();
  return ::error_of([&] { static_cast<void>(space_of(machine, varied)); });
}

}  // namespace

TEST_SUITE("ADR-0038") {
  TEST_CASE("38.1 a choice has a value of each axis, and linked keys with it") {
    const MachineSpec machine = milestone({"die.hbm.bandwidth=300 GB/s"});
    const Space space = space_of(machine, {"die.hbm.bandwidth=128..512*2 GB/s", "pe.stream_depth=1..3", "way"},
                                 {"die.router.link_bandwidth=die.hbm.bandwidth"});
    CHECK(space.size() == 3 * 3 * 2);
    REQUIRE(space.axes().front().name == "way");
    const Choice choice{1, 2, 0};
    CHECK(space.machine(choice).die.hbm.bandwidth.gbs() == 512);
    CHECK(space.machine(choice).die.router.link.gbs() == 512);
    CHECK(space.settings(choice) == std::vector<std::string>{"way=slow", "die.hbm.bandwidth=512 GB/s",
                                                             "die.router.link_bandwidth=512 GB/s",
                                                             "pe.stream_depth=1"});
    CHECK(space.points(choice) == std::vector<std::size_t>{1, 3});
    CHECK(space.points({0, 0, 0}) == std::vector<std::size_t>{0, 2});
  }

  TEST_CASE("38.1 as it is: the largest value that is not above the machine's own") {
    const MachineSpec machine = milestone({"die.hbm.bandwidth=300 GB/s", "pe.stream_depth=2"});
    CHECK(space_of(machine, {"die.hbm.bandwidth=128..512*2 GB/s", "pe.stream_depth=1..3"}).as_it_is() == Choice{1, 1});
    CHECK(space_of(machine, {"die.hbm.bandwidth=400..512+56 GB/s", "way"}).as_it_is() == Choice{0, 0});
    const MachineSpec ring = milestone({"system.arrangement=ring"});
    CHECK(space_of(ring, {"system.arrangement=mesh,ring"}).as_it_is() == Choice{1});
    const MachineSpec grid = milestone({"die.routers.rows=2", "die.routers.columns=4"});
    const Space routers = space_of(grid, {"die.routers=4x4,2x4,1x8"});
    CHECK(routers.as_it_is() == Choice{1});
    CHECK(routers.own_value(0) == "2x4");
    CHECK(space_of(machine, {"die.hbm.bandwidth=128,512 GB/s"}).own_value(0) == "300 GB/s");
  }

  TEST_CASE("38.1 what contradicts itself or a condition is no machine") {
    const MachineSpec machine = milestone();
    const Space space =
        space_of(machine, {"die.hbm.bandwidth=128..512*2 GB/s", "die.router.link_bandwidth=128..512*2 GB/s"}, {},
                 {"die.hbm.bandwidth <= die.router.link_bandwidth"});
    CHECK(space.allows({0, 0}));
    CHECK(space.allows({0, 2}));
    CHECK_FALSE(space.allows({1, 0}));
    const Space bursts = space_of(machine, {"die.hbm.burst=256,512 B"});  // a packet is 256 B
    CHECK(bursts.allows({0}));
    CHECK_FALSE(bursts.allows({1}));
  }

  TEST_CASE("38.1 axes of the bench have the values that it was asked for") {
    const MachineSpec machine = milestone();
    const Bench some = with_own_axes(kBench, "--vary", {"way=slow", "size"}).bench;
    const std::vector<LabelledPoint> points = select_points(some, "");
    const Space space(machine, some, points, {"way=slow", "size"}, {}, {});
    CHECK(space.size() == 2);
    CHECK(space.points({0, 1}) == std::vector<std::size_t>{1});
    CHECK(points[1].point.at("way") == "slow");
    CHECK(wrong({"wy"}).find("--vary wy: expected KEY=VALUES") == 0);
    CHECK(wrong({"pe.stream_dept=1,2"}).find("did you mean pe.stream_depth?") != std::string::npos);
    CHECK(wrong({}).find("--vary: expected at least one") == 0);
  }
}
