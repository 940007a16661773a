// The search over mappings: all that fit are ranked, and traffic stands beside the least there can be.
#include "sim/plan/mapping_search.hpp"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cmath>

#include "sim/base/capacity_error.hpp"
#include "tests/plan/random_mapping.hpp"
#include "tests/support/error_of.hpp"

using namespace kernbench;

TEST_SUITE("ADR-0032") {
  TEST_CASE("32.8 mappings are ranked by bound, traffic, steps; what is asked for is kept") {
    MachineSpec machine = milestone();
    machine.pe.tcm.capacity = 128 << 10;
    const GemmProblem problem{256, 256, 256};
    const MappingSearch search = search_mappings(problem, machine, {});
    CHECK(search.fit == static_cast<std::int64_t>(search.best.size()));
    CHECK(search.fit < search.tried);
    for (std::size_t i = 0; i + 1 < search.best.size(); ++i) {
      const RankedMapping& one = search.best[i];
      const RankedMapping& next = search.best[i + 1];
      REQUIRE(std::tuple(one.bound, one.traffic, one.steps, one.tcm) <=
              std::tuple(next.bound, next.traffic, next.steps, next.tcm));
      REQUIRE(one.tcm <= machine.pe.tcm.capacity);
    }
    MappingRequest request;
    request.block = TileShape{64, 128, 64};
    request.order = LoopOrder::kNmk;
    request.buffers = 2;
    for (const RankedMapping& ranked : search_mappings(problem, machine, request).best) {
      CHECK(ranked.mapping.block == *request.block);
      CHECK(ranked.mapping.order == LoopOrder::kNmk);
      CHECK(ranked.mapping.buffers == 2);
    }
  }

  TEST_CASE("32.8 the staging variants are among them, and nothing that is tried is better than the first") {
    CHECK(rc::check("first", [] {
      MachineSpec machine = random_machine();
      const GemmProblem problem = random_problem();
      const MappingSearch search = search_mappings(problem, machine, {});
      for (const Residency& loaded : {Residency{}, Residency{true, false}, Residency{true, true}}) {
        const GemmMapping variant = whole_mapping(problem, machine.pe.mac.tile, loaded);
        const auto found = std::ranges::find(search.best, variant, &RankedMapping::mapping);
        RC_ASSERT(found != search.best.end());
        RC_ASSERT(found->bound == gemm_bound(problem, loaded, machine).pe);
        RC_ASSERT(search.best.front().bound <= found->bound);
      }
      const GemmMapping any = random_mapping(problem, machine.pe.mac.tile);
      const MappingSearch one =
          search_mappings(problem, machine, {any.tile, any.block, any.order, any.blocks, any.buffers, any.sums});
      RC_ASSERT(one.best.size() == 1);
      RC_ASSERT(one.best.front().mapping == any);
    }));
  }

  TEST_CASE("32.8 where nothing fits the error says what is missing") {
    MachineSpec machine = milestone();
    machine.pe.tcm.capacity = 8 << 10;
    CHECK(::error_of([&] {
            (void)search_mappings({256, 256, 256}, machine, {});
          }).find("bytes are missing") != std::string::npos);
  }

  TEST_CASE("32.9 least traffic: 2 m n k / sqrt(S) - 2 S elements, and each matrix once") {
    CHECK(least_traffic({4096, 4096, 4096}, 1 << 20) ==
          doctest::Approx(2 * (2 * std::pow(4096.0, 3) / std::sqrt(524288.0) - 2 * 524288.0)));
    CHECK(least_traffic({64, 64, 64}, 1 << 20) == 2.0 * 3 * 64 * 64);
  }
}
