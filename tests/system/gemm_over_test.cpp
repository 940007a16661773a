// GEMMs over several PEs: the right product, the time of their parts, never faster than their bounds.
#include "sim/system/gemm_over.hpp"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <numeric>
#include <sstream>
#include <string>
#include <vector>

#include "tests/support/milestone.hpp"
#include "tests/system/simulate.hpp"

using namespace kernbench;

namespace {

struct Over {
  Picoseconds time;
  Picoseconds array;  // of all PEs together
  Bytes read = 0;
  Bytes sent = 0;
  std::vector<Picoseconds> ends;
};

std::vector<std::int32_t> first_pes(std::int32_t count) {
  std::vector<std::int32_t> pes(static_cast<std::size_t>(count));
  std::iota(pes.begin(), pes.end(), 0);
  return pes;
}

Over over(const MachineSpec& machine, const GemmProblem& problem, const GemmPlacement& placement,
          const std::string& kernel, const std::vector<std::int32_t>& pes, bool verify = true) {
  std::istringstream in(forked([&] {
    const OverResult run = run_gemm_over(machine, problem, placement, kernel, pes, {.verify = verify});
    std::ostringstream out;
    out << run.time.value;
    for (const PeReport& pe : run.pes) {
      out << ' ' << pe.end.value << ' ' << pe.array.value << ' ' << pe.read << ' ' << pe.sent;
    }
    return out.str();
  }));
  Over result;
  in >> result.time.value;
  Picoseconds end;
  Picoseconds array;
  Bytes read = 0;
  Bytes sent = 0;
  while (in >> end.value >> array.value >> read >> sent) {
    result.ends.push_back(end);
    result.array += array;
    result.read += read;
    result.sent += sent;
  }
  return result;
}

Over over(const MachineSpec& machine, const GemmProblem& problem, const std::string& kernel, std::int32_t pes,
          bool verify = true) {
  return over(machine, problem, find_gemm_over_kernel(kernel).placement, kernel, first_pes(pes), verify);
}

/// Tiles small enough for many of them; four dies of 2 x 2 PEs.
MachineSpec small_machine() {
  static const MachineSpec kMachine =
      milestone({"system.packages.columns=1", "package.dies.rows=2", "package.dies.columns=2", "die.routers.columns=2",
                 "package.die_to_die.connections=2", "pe.mac.tile.m=4", "pe.mac.tile.k=8", "pe.mac.tile.n=4",
                 "die.hbm.burst=32B", "simulation.packet_bytes=64B", "pe.message_queue.slot_bytes=256B"});
  return kMachine;
}

std::string error_of(const GemmProblem& problem, const GemmPlacement& placement, const std::string& kernel) {
  return failure_of([&] { (void)over(small_machine(), problem, placement, kernel, first_pes(4)); });
}

constexpr auto kRows = PlacementPolicy::kRows;
constexpr auto kColumns = PlacementPolicy::kColumns;
constexpr auto kReplicate = PlacementPolicy::kReplicate;

}  // namespace

TEST_SUITE("ADR-0030") {
  TEST_CASE("30.6 30.7 any GEMM over any PEs has the reference's bits, and is no faster than its bound") {
    CHECK(rc::check("verified GEMMs over several PEs", [] {
      const auto up_to = [](std::int64_t most) { return *rc::gen::inRange<std::int64_t>(1, most + 1); };
      const auto pes = static_cast<std::int32_t>(up_to(6));
      GemmProblem problem{up_to(30), up_to(50), up_to(30)};
      problem.layout = *rc::gen::element(Layout::kBlocked, Layout::kRowMajor);
      const auto kernel = *rc::gen::element<std::string>("owner_computes", "ring_shift", "split_k");
      GemmPlacement placement = find_gemm_over_kernel(kernel).placement;
      if (kernel == "owner_computes") {
        const auto policy = [] { return *rc::gen::element(kReplicate, kRows, kColumns, PlacementPolicy::kBlocks); };
        placement = {policy(), policy(), policy()};
      }
      if (kernel == "split_k") problem.k = 8 * pes * up_to(2);  // a part of K for each
      if (kernel != "split_k" && *rc::gen::arbitrary<bool>()) problem.epilogues = parse_epilogues("scale,relu");
      MachineSpec machine = small_machine();
      machine.pe.message_queue.consumer = *rc::gen::element(SlotConsumer::kVectorUnit, SlotConsumer::kInline);
      std::vector<std::int32_t> where(static_cast<std::size_t>(pes));
      for (std::int32_t i = 0; i < pes; ++i) where[static_cast<std::size_t>(i)] = (i * 5 + 3) % 16;
      RC_LOG() << kernel << ' ' << to_text(placement) << ' ' << pes << " PEs " << problem.m << 'x' << problem.k << 'x'
               << problem.n;
      const Over run = over(machine, problem, placement, kernel, where);
      const GemmOverKernel& of = find_gemm_over_kernel(kernel);
      const PlacedGemm gemm = place_on(machine, problem, placement, of, pes);
      RC_ASSERT(run.time >= gemm_over_bound(of.work(gemm, pes), machine).time);
    }));
  }

  TEST_CASE("30.3 with all operands of their own, PEs take what each alone takes") {
    // The network's own times are those of wires of one's own (4.14): nobody is in anybody's way.
    for (const std::int64_t rows : {64, 40}) {
      CAPTURE(rows);
      const Over run = over(one_die(), {8 * 32 * ceil_div(rows, 32), 256, 128}, "owner_computes", 8, false);
      const Observed alone = simulate_gemm(milestone(), {32 * ceil_div(rows, 32), 256, 128}, "ref_ref");
      CHECK(run.time == alone.result.pe.end);
      for (const Picoseconds end : run.ends) CHECK(end == run.time);
    }
  }

  TEST_CASE("30.3 operands of others come over the network: more bytes on links, never less time") {
    const GemmProblem problem{128, 128, 128};
    const Over own = over(small_machine(), problem, {kRows, kReplicate, kRows}, "owner_computes", first_pes(4));
    const Over remote = over(small_machine(), problem, {kRows, kRows, kRows}, "owner_computes", first_pes(4));
    CHECK(remote.read == own.read);
    CHECK(remote.time > own.time);
    CHECK(remote.array == own.array);
  }

  TEST_CASE("30.4 in ring_shift each part of B is read once, and sent on to all others") {
    const GemmProblem problem{128, 64, 128};
    const Over run = over(one_die(), problem, "ring_shift", 4);
    CHECK(run.read == (128 * 64 + 64 * 128) * 2);
    CHECK(run.sent == 3 * 64 * 128 * 2);
    CHECK(run.array == Picoseconds{4 * 4 * milestone().pe.tile_time().value});
    CHECK(error_of(problem, {kRows, kRows, kRows}, "ring_shift") ==
          "variant ring_shift: expected --place a=rows,b=columns,c=rows");
  }

  TEST_CASE("30.5 in split_k every product goes round but for a PE's own rows") {
    const GemmProblem problem{128, 256, 64};
    const Over run = over(one_die(), problem, "split_k", 4);
    CHECK(run.sent == 4 * 3 * 32 * 64 * 2);
    CHECK(
        error_of({64, 24, 64}, {kColumns, kRows, kRows}, "split_k") ==
        "variant split_k: 3 tiles along K leave some of 4 PEs without any; expected a part for each: take fewer PEs or "
        "a larger K");
    GemmProblem relu = problem;
    relu.epilogues = parse_epilogues("relu");
    CHECK(error_of(relu, {kColumns, kRows, kRows}, "split_k").find("an epilogue needs whole sums") !=
          std::string::npos);
  }

  TEST_CASE("30.6 a kernel that leaves a part of C out is found") {
    const std::string text = failure_of([] {
      (void)forked([] {
        const MachineSpec machine = small_machine();
        System system(machine, {.values = true});
        GemmOverKernel lazy = find_gemm_over_kernel("owner_computes");
        lazy.run = [](KernelPe pe, GemmOverCall call) -> Process {
          if (pe.rank() != 1) co_await find_gemm_over_kernel("owner_computes").run(pe, call).finished();
        };
        GemmOverLaunch launch(system, {16, 16, 16}, lazy.placement, lazy, first_pes(4));
        run_launches(system, {&launch});
        launch.check(system);
        return std::string();
      });
    });
    CHECK(text.find("verification failed: 64 of 256 elements are wrong; first: C[4][0] is what nobody has written") ==
          0);
  }

  TEST_CASE("30.8 imbalance and exposed time come from the ends of the PEs and their arrays") {
    // Nine rows of tiles over four PEs: 3, 3, 3 and none.
    const Over run = over(one_die(), {9 * 32, 128, 32}, "owner_computes", 4);
    REQUIRE(run.ends.size() == 4);
    CHECK(run.ends[3] == Picoseconds{});
    CHECK(run.ends[0] == run.time);
  }
}
