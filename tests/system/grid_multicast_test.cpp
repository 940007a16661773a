// SUMMA on grids of PEs: right products, each block of A and B read once for a whole row or column, and sums that fit.
#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <string>
#include <vector>

#include "tests/support/error_of.hpp"
#include "tests/support/milestone.hpp"
#include "tests/system/multi_pe_run.hpp"

namespace kernbench::grid_multicast_test {
namespace {

constexpr auto kBlocks = PlacementPolicy::kBlocks;
constexpr auto kReplicate = PlacementPolicy::kReplicate;

/// A die of rows x columns PEs, with tiles small enough for many of them.
MachineSpec grid_of(std::int64_t rows, std::int64_t columns, std::vector<std::string> overrides = {}) {
  for (const char* key : {"pe.mac.tile.m=4", "pe.mac.tile.k=8", "pe.mac.tile.n=4", "die.hbm.burst=32B",
                          "simulation.packet_bytes=64B", "pe.message_queue.slot_bytes=256B"}) {
    overrides.emplace_back(key);
  }
  overrides.push_back("die.routers.rows=" + std::to_string(rows));
  overrides.push_back("die.routers.columns=" + std::to_string(columns));
  overrides.push_back("package.die_to_die.connections=" + std::to_string(rows * columns));
  return one_die(overrides);
}

MultiPeGemmRequest request_of(const GemmProblem& problem, std::int32_t pes, GemmPlacement placement) {
  return {.problem = problem, .kernel = "grid_multicast", .placement = placement, .pes = first_pes(pes)};
}

}  // namespace

TEST_SUITE("ADR-0030") {
  TEST_CASE(
      "30.18 grid_multicast has the reference's bits on any grid, placement and TCM, and is no faster than its bound") {
    CHECK(rc::check("verified runs of grid_multicast", [] {
      const auto up_to = [](std::int64_t most) { return *rc::gen::inRange<std::int64_t>(1, most + 1); };
      const std::int64_t rows = up_to(3);
      const std::int64_t columns = up_to(3);
      const std::int64_t tcm = *rc::gen::element(12, 16, 24, 1024);
      const MachineSpec machine =
          grid_of(rows, columns,
                  {"pe.tcm.capacity=" + std::to_string(tcm) + " KiB", "pe.message_queue.slots=2",
                   std::string("die.router.multicast=") + *rc::gen::element("true", "false")});
      GemmProblem problem{up_to(40), up_to(150), up_to(40)};
      problem.layout = *rc::gen::element(Layout::kBlocked, Layout::kRowMajor);
      const auto pes = static_cast<std::int32_t>(up_to(rows * columns));
      const auto policy = [] {
        return *rc::gen::element(kBlocks, kReplicate, PlacementPolicy::kRows, PlacementPolicy::kColumns);
      };
      const MultiPeGemmRequest request = request_of(problem, pes, {policy(), policy(), kBlocks});
      MultiPeGemmPlan plan;
      const std::string refused = error_of([&] { plan = plan_multi_pe_gemm(machine, plan_network(machine), request); });
      RC_CLASSIFY(!refused.empty(), "does not fit");
      if (!refused.empty()) return;
      const VerifiedRun run = verified_run(machine, request);
      RC_ASSERT(run.time >= plan.bound.time);
      RC_ASSERT(run.written == problem.m * problem.n * bytes_of(problem.result()));
    }));
  }

  TEST_CASE("30.18 each block is loaded once and sent once to all others of its row or column, or to each") {
    const GemmProblem problem{24, 144, 36};
    const Bytes operands = 2 * (problem.m * problem.k + problem.k * problem.n);
    const auto run = [&](const char* multicast) {
      const MachineSpec machine = grid_of(3, 3, {std::string("die.router.multicast=") + multicast});
      return verified_run(machine, request_of(problem, 9, {kBlocks, kBlocks, kBlocks}));
    };
    CHECK(run("true").read == operands);
    CHECK(run("true").sent == operands);
    CHECK(run("false").read == operands);
    CHECK(run("false").sent == 2 * operands);
  }

  TEST_CASE("30.18 with less TCM K is cut finer, and what is loaded is the same") {
    const GemmProblem problem{48, 288, 48};
    const auto tcm_of = [&](std::int64_t kib) {
      const MachineSpec machine =
          grid_of(3, 3, {"pe.tcm.capacity=" + std::to_string(kib) + " KiB", "pe.message_queue.slots=2"});
      return plan_multi_pe_gemm(machine, plan_network(machine), request_of(problem, 9, {kBlocks, kBlocks, kBlocks}))
          .tcm;
    };
    const Bytes whole = tcm_of(1024);
    CHECK(tcm_of(ceil_div(whole, 1024)) == whole);
    CHECK(tcm_of(whole / 1024) < whole);
  }

  TEST_CASE("30.18 what it cannot do is refused") {
    const MachineSpec machine = grid_of(2, 2);
    const auto refused = [&](const GemmProblem& problem, GemmPlacement placement) {
      return error_of([&] {
        static_cast<void>(plan_multi_pe_gemm(machine, plan_network(machine), request_of(problem, 4, placement)));
      });
    };
    CHECK(refused({64, 64, 64}, {kBlocks, kBlocks, PlacementPolicy::kRows}) ==
          "variant grid_multicast: expected --place c=blocks");
    GemmProblem scaled{64, 64, 64};
    scaled.epilogues = parse_epilogues("scale@k_tile");
    CHECK(refused(scaled, {kBlocks, kBlocks, kBlocks})
              .starts_with("variant grid_multicast: an epilogue of every K tile"));
  }
}

TEST_SUITE("ADR-0065") {
  TEST_CASE("65.8 the bound counts a packet once on the sender's port and on each link") {
    // A sender of B has two receivers, whom it sends a third of B each.
    const GemmProblem problem{24, 1152, 36};
    const auto bound = [&](const char* multicast) {
      const MachineSpec machine =
          grid_of(3, 3, {std::string("die.router.multicast=") + multicast, "die.router.link_bandwidth=32 GB/s"});
      return plan_multi_pe_gemm(machine, plan_network(machine), request_of(problem, 9, {kBlocks, kBlocks, kBlocks}))
          .bound.time;
    };
    const Picoseconds both = Bandwidth{32'000'000'000}.time_for(2 * problem.k * problem.n / 3 * 2);
    CHECK(bound("false") >= both);
    CHECK(bound("true") < both);
  }
}

}  // namespace kernbench::grid_multicast_test
