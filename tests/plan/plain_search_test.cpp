// The search keeps what a search without any short cut would put first.
#include "tests/plan/plain_search.hpp"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <set>

#include "sim/plan/best_mappings.hpp"
#include "tests/plan/random_mapping.hpp"

using namespace kernbench;

namespace {

/// Tiles of a few elements, problems of a few tiles, and a TCM that not all mappings fit.
struct Case {
  MachineSpec machine = random_machine();
  GemmProblem problem;
  MappingRequest request;
};

Case random_case() {
  Case any;
  TileShape& tile = any.machine.pe.mac.tile;
  any.problem = {random_size(3 * tile.m), random_size(2 * tile.k), random_size(2 * tile.n)};
  any.problem.epilogues = parse_epilogues(*rc::gen::element<std::string>("", "bias,gelu", "scale@k_tile"));
  const GemmMapping whole = whole_mapping(any.problem, tile, {true, true});
  const Bytes most = MappedGemm(any.problem, whole).tcm(any.machine);
  any.machine.pe.tcm.capacity = ceil_div(most * *rc::gen::inRange<std::int64_t>(4, 24), 16);
  any.machine.die.hbm.read_latency = from_ns(*rc::gen::inRange<std::int64_t>(0, 200));
  if (*rc::gen::inRange(0, 3) == 0) any.request.tile = tile;
  if (*rc::gen::inRange(0, 3) > 0) return any;
  const GemmMapping asked = random_mapping(any.problem, tile);
  if (*rc::gen::arbitrary<bool>()) any.request.order = asked.order;
  if (*rc::gen::arbitrary<bool>()) any.request.sums = asked.sums;
  if (*rc::gen::arbitrary<bool>()) any.request.block = asked.block;
  if (*rc::gen::arbitrary<bool>()) any.request.blocks = Residency{asked.blocks.a, true};
  if (*rc::gen::arbitrary<bool>()) any.request.buffers = random_size(kMostBuffers);
  return any;
}

void expect_same(const RankedMapping& one, const RankedMapping& other) {
  RC_ASSERT(one.mapping == other.mapping);
  RC_ASSERT(one.bound == other.bound);
  RC_ASSERT(plain_search::rank(one) == plain_search::rank(other));
}

/// The first `count`, and of what is not kept that its bound is none below what is told.
void expect_first(const MappingSearch& search, const std::vector<RankedMapping>& all, std::size_t count) {
  RC_ASSERT(search.best.size() >= std::min(count, all.size()));
  for (std::size_t i = 0; i < std::min(count, all.size()); ++i) expect_same(search.best[i], all[i]);
  for (const RankedMapping& one : all) {
    const bool kept = std::ranges::find(search.best, one.mapping, &RankedMapping::mapping) != search.best.end();
    RC_ASSERT(kept || one.bound >= search.least_left);
  }
}

/// Besides, the first of each group, so of each tile, and all of one step of the machine's tile.
void expect_besides(const MappingSearch& search, const std::vector<RankedMapping>& all, const TileShape& own) {
  std::set<MappingGroup> groups;
  for (const RankedMapping& one : all) {
    const bool first = groups.insert(group_of(one)).second;
    if (!first && (one.steps > 1 || one.mapping.tile != own)) continue;
    RC_ASSERT(std::ranges::find(search.best, one.mapping, &RankedMapping::mapping) != search.best.end());
  }
}

}  // namespace

TEST_SUITE("ADR-0032") {
  TEST_CASE("32.8 the search keeps what one that looks at every mapping puts first, in that order") {
    int compared = 0;
    CHECK(rc::check("as plain", [&compared] {
      const Case any = random_case();
      const std::vector<RankedMapping> all = plain_search::search(any.problem, any.machine, any.request);
      if (all.empty()) return;
      ++compared;
      for (const std::size_t count : {std::size_t{1}, std::size_t{6}, std::size_t{64}, kEveryMapping}) {
        const MappingSearch search = search_mappings(any.problem, any.machine, any.request, count);
        expect_first(search, all, count);
        expect_besides(search, all, any.request.tile.value_or(any.machine.pe.mac.tile));
      }
      const auto least = std::ranges::min_element(all, {}, &RankedMapping::bound);
      expect_same(least_bound_mapping(any.problem, any.machine, any.request), *least);
    }));
    CHECK(compared > 0);
  }

  TEST_CASE("32.21 where bytes cost, those that move least of all that may be nearly as fast are kept, too") {
    CHECK(rc::check("frugal", [] {
      Case any = random_case();
      any.machine.energy.hbm = 1;
      const std::vector<RankedMapping> all = plain_search::search(any.problem, any.machine, any.request);
      if (all.empty()) return;
      const MappingSearch search = search_mappings(any.problem, any.machine, any.request, 1);
      expect_first(search, all, 1);
      for (const RankedMapping& one : all) {
        if (one.estimate.ns() > kNearlyAsFast * all.front().estimate.ns()) break;
        if (std::ranges::find(search.best, one.mapping, &RankedMapping::mapping) != search.best.end()) continue;
        const auto less = [&one](const RankedMapping& other) { return other.traffic <= one.traffic; };
        RC_ASSERT(std::ranges::count_if(search.best, less) >= 512);
      }
    }));
  }
}
