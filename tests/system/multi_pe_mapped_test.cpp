// GEMMs over several PEs by mappings: right products, never faster than their bounds, K split between any of the PEs.
#include "sim/system/multi_pe_mapped.hpp"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <set>
#include <string>
#include <vector>

#include "sim/base/capacity_error.hpp"
#include "sim/plan/multi_pe_mapping.hpp"
#include "sim/system/multi_pe_choice.hpp"
#include "tests/plan/random_mapping.hpp"
#include "tests/support/error_of.hpp"
#include "tests/support/milestone.hpp"
#include "tests/system/multi_pe_run.hpp"
#include "tests/system/random_dtypes.hpp"
#include "tests/system/simulate.hpp"

namespace kernbench::multi_pe_mapped_test {
namespace {

constexpr auto kRows = PlacementPolicy::kRows;
constexpr auto kColumns = PlacementPolicy::kColumns;
constexpr auto kReplicate = PlacementPolicy::kReplicate;

/// Tiles small enough for many of them; four dies of 2 x 2 PEs.
MachineSpec small_machine() {
  static const MachineSpec kMachine =
      milestone({"system.packages.columns=1", "package.dies.rows=2", "package.dies.columns=2", "die.routers.columns=2",
                 "package.die_to_die.connections=2", "pe.mac.tile.m=4", "pe.mac.tile.k=8", "pe.mac.tile.n=4",
                 "die.hbm.burst=32B", "simulation.packet_bytes=64B", "pe.message_queue.slot_bytes=256B"});
  return kMachine;
}

MachineSpec random_rates() {
  MachineSpec machine = small_machine();
  const auto gbs = [] { return Bandwidth{*rc::gen::element(16, 64, 256, 1024) * std::int64_t{1'000'000'000}}; };
  machine.die.router.link = gbs();
  machine.die.hbm.bandwidth = gbs();
  machine.pe.tcm.write = gbs();
  machine.pe.mac.macs_per_cycle = *rc::gen::element(8, 128, 4096);
  machine.pe.message_queue.tier = *rc::gen::element(MemoryTier::kTcm, MemoryTier::kSram, MemoryTier::kHbm);
  return machine;
}

MultiPeGemmPlan plan_of(const MachineSpec& machine, const MultiPeGemmRequest& request) {
  return plan_multi_pe_gemm(machine, plan_network(machine), request);
}

}  // namespace

TEST_SUITE("ADR-0032") {
  TEST_CASE("32.16 32.17 any mapping over any PEs has the reference's bits, and is no faster than its bound") {
    CHECK(rc::check("verified mappings over several PEs", [] {
      const auto up_to = [](std::int64_t most) { return *rc::gen::inRange<std::int64_t>(1, most + 1); };
      GemmProblem problem{up_to(40), up_to(70), up_to(40)};
      problem.layout = *rc::gen::element(Layout::kBlocked, Layout::kRowMajor);
      const std::int64_t k_tiles = ceil_div(problem.k, 8);
      std::int64_t split_k = up_to(std::min<std::int64_t>(4, k_tiles));
      while (piece_of(k_tiles, split_k, split_k - 1).empty()) --split_k;
      const std::int64_t pes = split_k * up_to(3);
      const auto policy = [] { return *rc::gen::element(kReplicate, kRows, kColumns, PlacementPolicy::kBlocks); };
      GemmPlacement placement{policy(), policy(), *rc::gen::element(kRows, kColumns)};
      if (split_k == 1) placement.c = policy();
      MachineSpec machine = random_rates();
      set_any_dtypes(problem, machine);
      const bool whole = problem.dtype == Dtype::kInt8;
      const char* const epilogues = whole ? "relu" : "scale,relu";
      if (split_k == 1 && *rc::gen::arbitrary<bool>()) problem.epilogues = parse_epilogues(epilogues);
      MultiPeGemmRequest request{.problem = problem, .kernel = "", .placement = placement, .pes = {}};
      for (std::int32_t i = 0; i < pes; ++i) request.pes.push_back((i * 5 + 3) % 16);
      request.mapping = MultiPeMapping{random_mapping(problem, machine.pe.mac.tile), split_k};
      if (whole) request.mapping->local.sums.format = SumFormat::kInt32;
      RC_LOG() << to_text(*request.mapping) << ' ' << to_text(placement) << ' ' << pes << " PEs " << problem.m << 'x'
               << problem.k << 'x' << problem.n;
      const MultiPeGemmPlan plan = plan_of(machine, request);
      RC_TAG(split_k);
      RC_ASSERT(verified_run(machine, request).time >= plan.bound.time);
    }));
  }

  TEST_CASE("32.16 parts of K that are not equal are those of the reference, where sums are so large that they round") {
    const GemmProblem problem{16, 8 * 301, 16};
    MultiPeGemmRequest request{
        .problem = problem, .kernel = "", .placement = {kColumns, kRows, kRows}, .pes = first_pes(2)};
    request.mapping = MultiPeMapping{{.tile = small_machine().pe.mac.tile, .block = {16, 8 * 151, 16}}, 2};
    CHECK_NOTHROW(static_cast<void>(verified_run(small_machine(), request)));
  }

  TEST_CASE("32.16 one PE without split K takes what the mapping takes on it alone, to the picosecond") {
    CHECK(rc::check("one PE", [] {
      const auto up_to = [](std::int64_t most) { return *rc::gen::inRange<std::int64_t>(1, most + 1); };
      GemmProblem problem{up_to(40), up_to(70), up_to(40)};
      MachineSpec machine = small_machine();
      set_any_dtypes(problem, machine);
      GemmMapping mapping = random_mapping(problem, machine.pe.mac.tile);
      if (problem.dtype == Dtype::kInt8) mapping.sums.format = SumFormat::kInt32;
      const MultiPeGemmRequest request{.problem = problem,
                                       .kernel = "",
                                       .placement = {kRows, kRows, kRows},
                                       .pes = {0},
                                       .mapping = MultiPeMapping{mapping, 1}};
      const std::string alone =
          forked([&] { return std::to_string(run_gemm(machine, problem, mapping).pe.end.value); });
      // The program ends a call after the PE's last operation, if the last one is a wait that returns at once.
      RC_ASSERT(verified_run(machine, request).time.value >= std::stoll(alone));
      RC_ASSERT(verified_run(machine, request).time.value <= std::stoll(alone) + 2 * machine.pe.control.value);
    }));
  }

  TEST_CASE("32.16 K split between two of four PEs: each reads its part of K, and each group adds up its part of C") {
    const GemmProblem problem{64, 128, 64};
    MachineSpec machine = small_machine();
    MultiPeGemmRequest request{
        .problem = problem, .kernel = "", .placement = {kReplicate, kReplicate, kRows}, .pes = first_pes(4)};
    request.mapping = MultiPeMapping{{.tile = machine.pe.mac.tile, .block = {32, 64, 64}, .buffers = 1}, 2};
    const VerifiedRun ran = verified_run(machine, request);
    // A group has 32 rows, a PE 64 of K: 32 x 64 of A, 64 x 64 of B. Then one step: half of the product is read and
    // sent, and half is read and added to.
    const Bytes operands = 4 * (32 * 64 + 64 * 64) * kElementBytes;
    const Bytes half = 16 * 64 * kElementBytes;
    CHECK(ran.sent == 4 * half);
    CHECK(ran.read >= operands + 4 * 2 * half);
    CHECK(plan_of(machine, request).idle == 0);
  }

  TEST_CASE("32.17 what a plan says it takes of a TCM is enough, and a byte less is refused with what is missing") {
    const GemmProblem problem{64, 128, 64};
    MachineSpec machine = small_machine();
    MultiPeGemmRequest request{
        .problem = problem, .kernel = "", .placement = {kColumns, kRows, kRows}, .pes = first_pes(4)};
    request.mapping = MultiPeMapping{{.tile = machine.pe.mac.tile, .block = {16, 16, 16}}, 4};
    machine.pe.tcm.capacity = plan_of(machine, request).tcm;
    (void)verified_run(machine, request);
    machine.pe.tcm.capacity -= 1;
    CHECK(::error_of([&] { (void)plan_of(machine, request); }).find("byte is missing") != std::string::npos);
  }

  TEST_CASE("32.18 every split that divides the PEs is tried; what is asked for is kept; the first are the least") {
    const MachineSpec machine = small_machine();
    const NetworkPlan network = plan_network(machine);
    const MultiPeGemmRequest request{.problem = {64, 128, 64}, .kernel = "", .placement = {}, .pes = first_pes(4)};
    const MultiPeMappingSearch all = search_multi_pe_mappings(machine, network, request, {}, "");
    std::vector<std::int64_t> splits;
    for (std::size_t i = 0; i < all.best.size(); ++i) {
      const RankedMultiPeMapping& ranked = all.best[i];
      if (i > 0) CHECK(all.best[i - 1].estimate <= ranked.estimate);
      CHECK(ranked.plan.bound.time <= ranked.estimate);
      if (std::ranges::find(splits, ranked.mapping.split_k) == splits.end()) splits.push_back(ranked.mapping.split_k);
    }
    std::ranges::sort(splits);
    CHECK(splits == std::vector<std::int64_t>{1, 2, 4});
    std::set<std::string> planned;  // one may be among the first and the first of its group
    for (const auto* of : {&all.best, &all.first_of_groups}) {
      for (const RankedMultiPeMapping& ranked : *of) {
        planned.insert(to_text(ranked.mapping) + " " + to_text(ranked.plan.placement));
      }
    }
    CHECK(all.planned == std::ssize(planned));
    CHECK(all.planned < std::ssize(all.best) + std::ssize(all.first_of_groups));
    const MappingRequest asked = parse_mapping("split_k=2 order=nkm buffers=2 stream=none", "test");
    for (const RankedMultiPeMapping& ranked :
         search_multi_pe_mappings(machine, network, request, asked, "c=columns").best) {
      CHECK(ranked.mapping.split_k == 2);
      CHECK(ranked.mapping.local.order == LoopOrder::kNkm);
      CHECK(ranked.plan.placement.c == kColumns);
    }
    const auto refused = [&](const std::string& map, const std::string& place) {
      return ::error_of(
          [&] { (void)search_multi_pe_mappings(machine, network, request, parse_mapping(map, "test"), place); });
    };
    CHECK(refused("split_k=3", "").find("split_k 3: expected a number that divides the 4 PEs") != std::string::npos);
    CHECK(refused("split_k=2", "c=blocks").find("expected --place c=rows or c=columns") != std::string::npos);
    MultiPeGemmRequest shallow = request;
    shallow.problem.k = 8;
    CHECK(::error_of([&] {
            (void)search_multi_pe_mappings(machine, network, shallow, parse_mapping("split_k=2", "test"), "");
          }).find("that cuts the 1 tiles along K") != std::string::npos);
  }
}

}  // namespace kernbench::multi_pe_mapped_test
