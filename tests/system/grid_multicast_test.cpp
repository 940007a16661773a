// SUMMA on grids of PEs: right products, each block of A and B read once for a whole row or column, and sums that fit.
#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <set>
#include <string>
#include <vector>

#include "sim/system/multi_pe_choice.hpp"
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
      const std::int64_t tcm = *rc::gen::element(2, 3, 4, 12, 24, 1024);
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

  TEST_CASE("30.19 parts of C, rooms and pieces of K are those with the least estimate of what fits") {
    const GemmProblem problem{24, 512, 36};
    // PE 0 has 8 x 12 elements of C, of which columns are the longer side; of K there are 64 tiles.
    struct Cut {
      std::int64_t estimate = INT64_MAX;
      Bytes tcm = 0;
      std::int64_t passes = 0;
    };
    const auto time_for = [](Bytes bytes, std::int64_t gigabytes) { return ceil_div(bytes * 1000, gigabytes); };
    // 6 products of 4 x 4 along K fetch 8 bytes of A and of B an element of K each; 256 MACs a cycle take less.
    const std::int64_t work = time_for(512 * 6 * (4 * 2 + 4 * 2), 100);
    const auto by_hand = [&](std::int64_t read_latency, Bytes capacity) {
      Cut least;
      for (const std::int64_t passes : {1, 2, 3}) {
        const std::int64_t columns = 4 * ceil_div(3, passes);
        const std::int64_t brought = time_for((8 * passes + 12) * 512 * 2, 32);
        for (const std::int64_t rooms : {3, 2}) {
          for (std::int64_t each = 64; each > 0; --each) {
            const std::int64_t pieces = ceil_div(64, each);
            const Bytes piece = (8 + columns) * ceil_div(64, pieces) * 8 * 2;
            const Bytes sums = pieces > 1 ? 8 * columns * 4 : 0;
            const Bytes tcm = rooms * piece + sums + 2 * 4 * 4 * 2 + 2 * 256;  // and results, and slots
            const std::int64_t estimate = std::max(brought + (rooms == 2 ? brought : 0), work) +
                                          passes * pieces * (time_for(sums, 100) + read_latency * 1000) +
                                          2 * time_for(piece, 32);
            if (tcm <= capacity && estimate < least.estimate) least = {estimate, tcm, passes};
          }
        }
      }
      return least;
    };
    std::set<std::int64_t> passes;
    for (const std::int64_t read_latency : {1, 3, 10, 100}) {
      for (const Bytes bytes : {1280, 1536, 1792, 2048, 8192, 12288, 20480, 1048576}) {
        const MachineSpec machine =
            grid_of(3, 3,
                    {"die.hbm.read_latency=" + std::to_string(read_latency) + " ns", "pe.dma.setup_latency=0 ns",
                     "pe.control_latency=0 ns", "pe.fetch_bandwidth=100 GB/s", "die.router.link_bandwidth=32 GB/s",
                     "pe.message_queue.slots=1", "pe.tcm.capacity=" + std::to_string(bytes) + " B"});
        const Cut cut = by_hand(read_latency, bytes);
        passes.insert(cut.passes);
        CAPTURE(read_latency);
        CAPTURE(bytes);
        CHECK(plan_multi_pe_gemm(machine, plan_network(machine), request_of(problem, 9, {kBlocks, kBlocks, kBlocks}))
                  .tcm == cut.tcm);
      }
    }
    CHECK(passes == std::set<std::int64_t>{1, 2, 3});
  }

  TEST_CASE("30.18 where sums of all of a PE's C do not fit it is done in parts, and A or B brought for each again") {
    const auto read = [](const GemmProblem& problem) {
      const MachineSpec machine = grid_of(1, 2, {"pe.tcm.capacity=1280 B", "pe.message_queue.slots=1"});
      return verified_run(machine, request_of(problem, 2, {kBlocks, kBlocks, kBlocks, {1, 2}})).read;
    };
    // A PE has 16 x 4 or 4 x 16 elements of C, which are done in two parts.
    CHECK(read({16, 256, 8}) == 2 * 256 * (16 + 2 * 8));
    CHECK(read({4, 256, 32}) == 2 * 256 * (2 * 4 + 32));
  }

  TEST_CASE(
      "30.15 of grids the one with the least bound is taken, of equal ones that with the fewest bytes over links") {
    const auto chosen = [](const GemmProblem& problem, const char* place) {
      const MachineSpec machine = grid_of(2, 4);
      return to_text(choose_placement(machine, plan_network(machine), request_of(problem, 8, {}), place).placement);
    };
    const std::string blocks = "a=blocks,b=blocks,c=blocks,grid=";
    CHECK(chosen({64, 64, 4}, "") == blocks + "8x1,block=8x64x4,buffers=3");
    CHECK(chosen({4, 64, 64}, "") == blocks + "1x8,block=4x64x8,buffers=3");
    CHECK(chosen({8, 64, 32}, "grid=4x2") == blocks + "4x2,block=4x64x16,buffers=3");
    CHECK(chosen({64, 64, 64}, "") == blocks + "2x4,block=32x64x16,buffers=3");  // rows of the mesh
  }

  TEST_CASE("30.17 30.18 each way that fits can be asked for by its block and buffers, and multiplies right") {
    const MachineSpec machine = grid_of(2, 2, {"pe.tcm.capacity=4 KiB", "pe.message_queue.slots=1"});
    const NetworkPlan network = plan_network(machine);
    const GemmProblem problem{24, 96, 20};
    for (const char* kernel : {"grid_multicast", "grid_shift"}) {
      MultiPeGemmRequest request = request_of(problem, 4, {kBlocks, kBlocks, kBlocks});
      request.kernel = kernel;
      const PlacedGemm placed = place_multi_pe_gemm(machine, request, std::vector<MemoryNode>(4, 0));
      const std::vector<GridCut> cuts = find_multi_pe_gemm_kernel(kernel).cuts(placed, machine);
      CHECK(cuts.size() > 4);
      std::set<Bytes> taken;
      for (const GridCut& cut : cuts) {
        request.placement.block = cut.block;
        request.placement.buffers = cut.rooms;
        CAPTURE(to_text(request.placement));
        const MultiPeGemmPlan plan = plan_multi_pe_gemm(machine, network, request);
        CHECK(plan.placement.block == cut.block);
        CHECK(plan.placement.buffers == cut.rooms);
        taken.insert(plan.tcm);
        CHECK(verified_run(machine, request).written == problem.m * problem.n * 2);
      }
      CHECK(taken.size() > 4);
      request.placement.block.k = 97;
      CHECK(error_of([&] {
              (void)plan_multi_pe_gemm(machine, network, request);
            }).find(std::string("ways that fit variant ") + kernel) != std::string::npos);
    }
    MultiPeGemmRequest none = request_of(problem, 4, parse_placement("buffers=2", {}));
    none.kernel = "owner_computes";
    CHECK(error_of([&] { (void)plan_multi_pe_gemm(machine, network, none); }).find("no steps with blocks") !=
          std::string::npos);
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
