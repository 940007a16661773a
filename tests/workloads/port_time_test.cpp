// Which algorithms are too far behind the best to be simulated with the others.
#include "benches/workloads/collective/port_time.hpp"

#include <doctest/doctest.h>

#include <optional>
#include <string>
#include <vector>

#include "tests/support/milestone.hpp"

using namespace kernbench;

namespace {

CollectiveCase case_of(const std::string& algorithm, Bytes bytes, Collective collective = Collective::kAllReduce) {
  return {.collective = collective, .algorithm = algorithm, .bytes = bytes};
}

/// Why ring and direct are skipped, of so many PEs.
std::vector<std::string> skipped(std::int64_t ranks, Bytes bytes) {
  return far_behind({case_of("ring", bytes), case_of("direct", bytes)}, first_pes(milestone(), ranks));
}

}  // namespace

TEST_SUITE("ADR-0020") {
  TEST_CASE("20.16 ten times the port time of the best is skipped, just below it is not") {
    // direct sends (n - 1) S, ring 2 (n - 1) / n S: n / 2 times, to the picosecond where blocks are whole packets.
    constexpr Bytes kBytes = 20 * 19 * 18 * 256;
    CHECK(skipped(20, kBytes) ==
          std::vector<std::string>{"",
                                   "its ports alone take 10 times as long as those of ring; --algorithm direct "
                                   "simulates it"});
    CHECK(skipped(19, kBytes) == std::vector<std::string>{"", ""});
    CHECK(skipped(20, kBytes - 2 * 20 * 256)[1].find("10 times") != std::string::npos);
    CHECK(skipped(128, 128 * 256)[1].find(" 64 times") != std::string::npos);
  }

  TEST_CASE("20.16 the port time is not below the bound, so that nothing is skipped for its latency") {
    const MachinePart part = first_pes(milestone(), 128);
    for (const CollectiveAlgorithm& algorithm : collective_algorithms()) {
      CAPTURE(algorithm.name);
      if (!algorithm.does(Collective::kAllReduce)) continue;
      const std::optional<Picoseconds> time = port_time(case_of(algorithm.name, 16), part);
      REQUIRE(time);
      CHECK(*time >= bound_of(case_of(algorithm.name, 16), part).time);
    }
    CHECK(skipped(128, 16) == std::vector<std::string>{"", ""});
    CHECK(skipped(1, 1024) == std::vector<std::string>{"", ""});
    CHECK(skipped(128, 0) == std::vector<std::string>{"", ""});
  }

  TEST_CASE("20.16 sizes are compared by themselves, a rank of several PEs by the share of one") {
    const MachinePart part = first_pes(milestone(), 128);
    const std::vector<std::string> reasons =
        far_behind({case_of("direct", 16), case_of("ring", 1 << 20), case_of("direct", 1 << 20)}, part);
    CHECK(reasons[0].empty());
    CHECK(reasons[1].empty());
    CHECK_FALSE(reasons[2].empty());
    const MachinePart dies = first_ranks(milestone(), 16, RanksPer::kDie);
    CHECK(port_time(case_of("direct", 1 << 20), dies)->value == 15 * ((1 << 20) / 8 * 1000 / 256));
    CHECK(far_behind({case_of("ring", 1 << 20), case_of("direct", 1 << 20)}, dies)[1].empty());
  }

  TEST_CASE("20.16 without a closed form the schedule says it, and one that is too long is not skipped") {
    const MachinePart part = first_pes(milestone(), 12);  // no power of two
    const CollectiveCase exchanges = case_of("recursive_doubling", 12 * 25600);
    REQUIRE(port_time(exchanges, part));
    CHECK(port_time(exchanges, part)->value >= 4 * 1200 * 1000);  // a guest's buffer, three exchanges
    CollectiveCase cut = case_of("double_binary_tree", 1 << 20);
    cut.chunk = 2;
    CHECK_FALSE(port_time(cut, part));
    CHECK(far_behind({case_of("ring", 1 << 20), cut}, part)[1].empty());
  }
}
