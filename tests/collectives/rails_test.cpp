// Rails: the shares of a rank's PEs are all of its data, once, and the algorithms see ranks alone.
#include "sim/plan/collective/rails.hpp"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <cstdint>
#include <set>

#include "sim/base/errors.hpp"

using namespace kernbench;

namespace {

CollectiveRequest ranks_do(Collective collective, std::int64_t count, std::int32_t ranks) {
  CollectiveRequest request;
  request.collective = collective;
  request.count = count;
  request.grid.packages = {1, ranks};
  return request;
}

}  // namespace

TEST_SUITE("ADR-0018") {
  TEST_CASE("18.13 the shares of the rails: of the whole, or of every block") {
    const auto counts = [](Collective collective, std::int64_t count) {
      std::vector<std::int64_t> all;
      for (std::int32_t rail = 0; rail < 4; ++rail) {
        all.push_back(rail_request(ranks_do(collective, count, 3), {rail, 4}).count);
      }
      return all;
    };
    using Counts = std::vector<std::int64_t>;
    CHECK(counts(Collective::kAllReduce, 17) == Counts{5, 4, 4, 4});
    CHECK(counts(Collective::kBroadcast, 2) == Counts{1, 1, 0, 0});
    CHECK(counts(Collective::kReduce, 4) == Counts{1, 1, 1, 1});
    CHECK(counts(Collective::kAllGather, 17) == Counts{6, 5, 3, 3});  // blocks of 6, 6, 5: 2 2 1 1, 2 2 1 1, 2 1 1 1
    CHECK(counts(Collective::kReduceScatter, 3) == Counts{3, 0, 0, 0});
    CHECK(counts(Collective::kAllToAll, 15) == Counts{6, 3, 3, 3});  // blocks of 5: 2 1 1 1
  }

  TEST_CASE("18.13 all shares together are the data once, and the blocks of a rail are its shares of the blocks") {
    CHECK(rc::check([] {
      const auto ranks = *rc::gen::inRange<std::int32_t>(1, 40);
      const auto rails = *rc::gen::inRange<std::int32_t>(1, 40);
      std::int64_t count = *rc::gen::inRange<std::int64_t>(0, 5000);
      const Collective collective =
          *rc::gen::elementOf(std::vector<Collective>(kCollectives.values().begin(), kCollectives.values().end()));
      if (collective == Collective::kAllToAll) count -= count % ranks;
      const bool blocks = collective == Collective::kAllToAll || collective == Collective::kAllGather ||
                          collective == Collective::kReduceScatter;
      const CollectiveRequest request = ranks_do(collective, count, ranks);
      std::set<std::int64_t> different;
      std::int64_t sum = 0;
      for (std::int32_t number = 0; number < rails; ++number) {
        const std::int64_t own = rail_request(request, {number, rails}).count;
        different.insert(own);
        sum += own;
        RC_ASSERT(own <= rail_request(request, {0, rails}).count);
        for (std::int32_t rank = 0; blocks && rank < ranks; ++rank) {
          const std::int64_t block = balanced_block(count, ranks, rank).count;
          RC_ASSERT(balanced_block(own, ranks, rank).count == balanced_block(block, rails, number).count);
        }
        if (!blocks) RC_ASSERT(own == balanced_block(count, rails, number).count);
      }
      RC_ASSERT(sum == count);
      RC_ASSERT(static_cast<std::int64_t>(different.size()) == schedules_of_rails(request, rails));
    }));
  }

  TEST_CASE("18.13 a rail's schedule is the algorithm's for the ranks, on the rail's share") {
    for (const CollectiveAlgorithm& algorithm : collective_algorithms()) {
      for (const Collective collective : algorithm.collectives) {
        CAPTURE(algorithm.name);
        CAPTURE(kCollectives[collective]);
        CollectiveRequest request = ranks_do(collective, 3 * 14, 3);
        request.root = 2;
        request.chunk = 5;
        const CollectiveRails rails = generate_rails(algorithm, request, 4);
        REQUIRE(rails.size() == 4);
        for (std::int32_t number = 0; number < 4; ++number) {
          const CollectiveSchedule own = algorithm.generate(rail_request(request, {number, 4}));
          const CollectiveSchedule& rail = *rails.at(static_cast<std::size_t>(number));
          CHECK(rail.count == own.count);
          CHECK(rail.elements == own.elements);
          CHECK(rail.size() == 3);
          CHECK(rail.root == 2);
          CHECK(rail.phases == own.phases);
        }
        CHECK(rails[2] == rails[3]);  // rails of as many elements have one in common
      }
    }
    // The whole is checked, not the share: 8 elements for 3 ranks are no blocks, the rails' 3, 3, 2 among them.
    CHECK_THROWS_WITH_AS(static_cast<void>(generate_rails(find_collective_algorithm("direct"),
                                                          ranks_do(Collective::kAllToAll, 8, 3), 3)),
                         doctest::Contains("all_to_all sends equal blocks"), ConfigError);
  }
}
