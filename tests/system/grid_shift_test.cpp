// Cannon's algorithm on grids of PEs: right products, each block of C's operands read once where the grid is square,
// and sums that fit.
#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <string>
#include <vector>

#include "tests/support/error_of.hpp"
#include "tests/support/milestone.hpp"
#include "tests/system/multi_pe_run.hpp"

namespace kernbench::grid_shift_test {
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
  return {.problem = problem, .kernel = "grid_shift", .placement = placement, .pes = first_pes(pes)};
}

}  // namespace

TEST_SUITE("ADR-0030") {
  TEST_CASE(
      "30.17 grid_shift has the reference's bits on any grid, placement and TCM, and is no faster than its bound") {
    CHECK(rc::check("verified runs of grid_shift", [] {
      const auto up_to = [](std::int64_t most) { return *rc::gen::inRange<std::int64_t>(1, most + 1); };
      const std::int64_t rows = up_to(3);
      const std::int64_t columns = up_to(3);
      const std::int64_t tcm = *rc::gen::element(2, 3, 4, 12, 24, 1024);
      const MachineSpec machine =
          grid_of(rows, columns, {"pe.tcm.capacity=" + std::to_string(tcm) + " KiB", "pe.message_queue.slots=2"});
      GemmProblem problem{up_to(40), up_to(150), up_to(40)};
      problem.layout = *rc::gen::element(Layout::kBlocked, Layout::kRowMajor);
      const auto pes = static_cast<std::int32_t>(up_to(rows * columns));
      const auto policy = [] {
        return *rc::gen::element(kBlocks, kReplicate, PlacementPolicy::kRows, PlacementPolicy::kColumns);
      };
      MultiPeGemmRequest request = request_of(problem, pes, {policy(), policy(), kBlocks});
      const auto grid_rows = static_cast<int>(up_to(pes));
      if (pes % grid_rows == 0) request.placement.grid = {grid_rows, pes / grid_rows};
      MultiPeGemmPlan plan;
      const std::string refused = error_of([&] { plan = plan_multi_pe_gemm(machine, plan_network(machine), request); });
      RC_CLASSIFY(!refused.empty(), "does not fit");
      if (!refused.empty()) return;
      const VerifiedRun run = verified_run(machine, request);
      RC_ASSERT(run.time >= plan.bound.time);
      RC_ASSERT(run.written == problem.m * bytes_of_row(problem.n, machine.pe.mac.tile.n, problem.result()));
    }));
  }

  TEST_CASE("30.17 on a square grid each block is loaded once and sent to all others of its row or column") {
    const MachineSpec machine = grid_of(3, 3);
    const GemmProblem problem{24, 144, 36};
    const VerifiedRun run = verified_run(machine, request_of(problem, 9, {kBlocks, kBlocks, kBlocks}));
    const Bytes operands = 2 * (problem.m * problem.k + problem.k * problem.n);
    CHECK(run.sent == 2 * operands);
    CHECK(run.read == operands);
  }

  TEST_CASE("30.17 with less TCM K is cut finer, and what is loaded is the same") {
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

  TEST_CASE("30.17 what it cannot do is refused") {
    const MachineSpec machine = grid_of(2, 2);
    const auto refused = [&](const GemmProblem& problem, GemmPlacement placement) {
      return error_of([&] {
        static_cast<void>(plan_multi_pe_gemm(machine, plan_network(machine), request_of(problem, 4, placement)));
      });
    };
    CHECK(refused({64, 64, 64}, {kBlocks, kBlocks, PlacementPolicy::kRows}) ==
          "variant grid_shift: expected --place c=blocks");
    GemmProblem scaled{64, 64, 64};
    scaled.epilogues = parse_epilogues("scale@k_tile");
    CHECK(refused(scaled, {kBlocks, kBlocks, kBlocks}).starts_with("variant grid_shift: an epilogue of every K tile"));
  }
}

}  // namespace kernbench::grid_shift_test
