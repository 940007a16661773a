// GEMMs over several PEs: the right product, the time of their parts, never faster than their bounds.
#include "sim/system/multi_pe_gemm.hpp"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <sstream>
#include <string>
#include <vector>

#include "sim/base/capacity_error.hpp"
#include "sim/plan/gemm_bound.hpp"
#include "sim/system/multi_pe_choice.hpp"
#include "tests/support/milestone.hpp"
#include "tests/system/multi_pe_run.hpp"
#include "tests/system/random_dtypes.hpp"
#include "tests/system/simulate.hpp"

namespace kernbench::multi_pe_gemm_test {
namespace {

struct Over {
  Picoseconds time;
  Picoseconds array;  // of all PEs together
  Bytes read = 0;
  Bytes sent = 0;
  Bytes network = 0;
  std::vector<Picoseconds> ends;
};

Over over(const MachineSpec& machine, const GemmProblem& problem, const GemmPlacement& placement,
          const std::string& kernel, const std::vector<std::int32_t>& pes, bool verify = true) {
  std::istringstream in(forked([&] {
    const MultiPeResult run = run_multi_pe_gemm(
        machine, {.problem = problem, .kernel = kernel, .placement = placement, .pes = pes}, {.verify = verify});
    std::ostringstream out;
    out << run.time.value << ' ' << run.network_bytes;
    for (const PeReport& pe : run.pes) {
      out << ' ' << pe.end.value << ' ' << pe.array.value << ' ' << pe.read << ' ' << pe.sent;
    }
    return out.str();
  }));
  Over result;
  in >> result.time.value >> result.network;
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
  return over(machine, problem, find_multi_pe_gemm_kernel(kernel).placements.front(), kernel, first_pes(pes), verify);
}

/// Tiles small enough for many of them; four dies of 2 x 2 PEs.
MachineSpec small_machine() {
  static const MachineSpec kMachine =
      milestone({"system.packages.columns=1", "package.dies.rows=2", "package.dies.columns=2", "die.routers.columns=2",
                 "package.die_to_die.connections=2", "pe.mac.tile.m=4", "pe.mac.tile.k=8", "pe.mac.tile.n=4",
                 "die.hbm.burst=32B", "simulation.packet_bytes=64B", "pe.message_queue.slot_bytes=256B"});
  return kMachine;
}

MultiPeGemmPlan planned(const MachineSpec& machine, const GemmProblem& problem, const std::string& kernel,
                        std::int32_t pes, const std::string& place = "") {
  return choose_placement(machine, plan_network(machine), {.problem = problem, .kernel = kernel, .pes = first_pes(pes)},
                          place);
}

/// With rates that make one unit or link after the other the slowest, and TCM for all or for few operands.
MachineSpec random_machine() {
  MachineSpec machine = small_machine();
  const auto gbs = [] { return Bandwidth{*rc::gen::element(16, 64, 256, 1024) * std::int64_t{1'000'000'000}}; };
  machine.die.router.link = gbs();
  machine.die.hbm.bandwidth = gbs();
  machine.package.die_to_die.bandwidth = {*rc::gen::element(1, 64) * std::int64_t{1'000'000'000}};
  machine.pe.tcm.read = gbs();
  machine.pe.tcm.write = gbs();
  machine.pe.tcm.capacity = *rc::gen::element(Bytes{1} << 20U, Bytes{16} << 10U, Bytes{6} << 10U);
  machine.pe.mac.macs_per_cycle = *rc::gen::element(8, 128, 4096);
  if (*rc::gen::arbitrary<bool>()) {
    machine.pe.mac.rows = *rc::gen::element(2, 5, 8);
    machine.pe.mac.columns = *rc::gen::element(2, 8);
    machine.pe.mac.dataflow =
        *rc::gen::element(Dataflow::kDotProduct, Dataflow::kOutputStationary, Dataflow::kWeightStationary);
    if (machine.pe.mac.dataflow == Dataflow::kWeightStationary) machine.pe.mac.weight_buffers = *rc::gen::element(1, 2);
  }
  machine.pe.vector.lanes = *rc::gen::element(1, 128);
  machine.pe.message_queue.consumer = *rc::gen::element(SlotConsumer::kVectorUnit, SlotConsumer::kInline);
  machine.pe.message_queue.tier = *rc::gen::element(MemoryTier::kTcm, MemoryTier::kSram, MemoryTier::kHbm);
  return machine;
}

std::string error_of(const GemmProblem& problem, const GemmPlacement& placement, const std::string& kernel) {
  return failure_of([&] { (void)over(small_machine(), problem, placement, kernel, first_pes(4)); });
}

constexpr auto kRows = PlacementPolicy::kRows;
constexpr auto kColumns = PlacementPolicy::kColumns;
constexpr auto kReplicate = PlacementPolicy::kReplicate;

}  // namespace

TEST_SUITE("ADR-0030") {
  TEST_CASE(
      "30.6 30.7 any GEMM over any PEs of any machine has the reference's bits, and is no faster than its bound") {
    CHECK(rc::check("verified GEMMs over several PEs", [] {
      const auto up_to = [](std::int64_t most) { return *rc::gen::inRange<std::int64_t>(1, most + 1); };
      const auto pes = static_cast<std::int32_t>(up_to(6));
      GemmProblem problem{up_to(30), up_to(50), up_to(30)};
      problem.layout = *rc::gen::element(Layout::kBlocked, Layout::kRowMajor);
      const auto kernel = *rc::gen::element<std::string>("owner_computes", "ring_shift", "split_k");
      GemmPlacement placement = find_multi_pe_gemm_kernel(kernel).placements.front();
      if (kernel == "owner_computes") {
        const auto policy = [] { return *rc::gen::element(kReplicate, kRows, kColumns, PlacementPolicy::kBlocks); };
        placement = {policy(), policy(), policy()};
      }
      if (kernel != "owner_computes") placement = *rc::gen::elementOf(find_multi_pe_gemm_kernel(kernel).placements);
      MachineSpec machine = random_machine();
      set_any_dtypes(problem, machine);
      const char* const epilogues = problem.dtype == Dtype::kInt8 ? "relu" : "scale,relu";
      if (kernel != "split_k" && *rc::gen::arbitrary<bool>()) problem.epilogues = parse_epilogues(epilogues);
      MultiPeGemmRequest request{.problem = problem, .kernel = kernel, .placement = placement, .pes = {}};
      for (std::int32_t i = 0; i < pes; ++i) request.pes.push_back((i * 5 + 3) % 16);
      RC_LOG() << kernel << ' ' << to_text(placement) << ' ' << pes << " PEs " << problem.m << 'x' << problem.k << 'x'
               << problem.n;
      MultiPeGemmBound bound;
      try {
        bound = plan_multi_pe_gemm(machine, plan_network(machine), request).bound;
      } catch (const CapacityError&) {
        RC_DISCARD("does not fit");
      }
      RC_TAG(bound.resource.find(" -> ") == std::string::npos ? bound.resource : std::string("link"));
      const Over run = over(machine, problem, placement, kernel, request.pes);
      RC_ASSERT(run.time >= bound.time);
    }));
  }

  TEST_CASE("30.3 with all operands of their own, PEs take what each alone takes") {
    // The network's own times are those of wires of one's own (4.14): nobody is in anybody's way.
    const Over run = over(one_die(), {8 * 32, 256, 128}, "owner_computes", 8, false);  // A is used four times, B once
    CHECK(run.time == simulate_gemm(milestone(), {32, 256, 128}, "load_ref").result.pe.end);
    for (const Picoseconds end : run.ends) CHECK(end == run.time);
    // One tile along each: nothing is read twice, and nothing is loaded.
    CHECK(over(one_die(), {8 * 32, 256, 32}, "owner_computes", 8, false).time ==
          simulate_gemm(milestone(), {32, 256, 32}, "ref_ref").result.pe.end);
  }

  TEST_CASE("30.3 the operand whose tiles would be read again for more bytes is loaded first, where it fits") {
    const PeSpec& pe = milestone().pe;
    const auto first = [&](std::int64_t m, std::int64_t k, std::int64_t n, Bytes tcm) {
      const PlacedGemm gemm = place_multi_pe_gemm({m, k, n}, {}, {}, milestone(), {0});
      return loaded_first(gemm.problem, gemm.a.shape(), gemm.b.shape(), pe, tcm);
    };
    const Bytes all = pe.tcm.capacity;
    CHECK(first(32, 512, 32, all) == LoadedFirst::kNone);
    CHECK(first(32, 512, 64, all) == LoadedFirst::kA);  // A is used twice, B once
    CHECK(first(64, 512, 32, all) == LoadedFirst::kB);
    CHECK(first(64, 512, 64, all) == LoadedFirst::kA);   // as much either way
    CHECK(first(128, 512, 64, all) == LoadedFirst::kB);  // 3 x B is more than A
    // B, 64 KiB, beside 8 tiles of A of 4 KiB and two of C of 2 KiB.
    const Bytes needs = (64 + 8 * 4 + 2 * 2) << 10U;
    CHECK(tcm_for({128, 512, 64}, place_multi_pe_gemm({128, 512, 64}, {}, {}, milestone(), {0}).a.shape(),
                  place_multi_pe_gemm({128, 512, 64}, {}, {}, milestone(), {0}).b.shape(), LoadedFirst::kB,
                  pe) == needs);
    CHECK(first(128, 512, 64, needs) == LoadedFirst::kB);
    CHECK(first(128, 512, 64, needs - 1) == LoadedFirst::kNone);  // A is larger
    // Where it fits, it is read once.
    MachineSpec small = small_machine();
    const GemmProblem problem{16, 128, 16};
    CHECK(over(small, problem, {kRows, kReplicate, kRows}, "owner_computes", first_pes(4)).read ==
          4 * (4 * 128 + 128 * 16) * 2);
    // Beside 8 tiles of 64 bytes of each operand and two of C of 32 there is room for no part of A, 1 KiB.
    small.pe.tcm.capacity = 8 * 2 * 64 + 2 * 32;
    CHECK(over(small, problem, {kRows, kReplicate, kRows}, "owner_computes", first_pes(4)).read ==
          4 * (4 * 4 * 128 + 128 * 16) * 2);
  }

  TEST_CASE("30.3 operands of others come over the network: more bytes on links, never less time") {
    const GemmProblem problem{128, 128, 128};
    const Over own = over(small_machine(), problem, {kRows, kReplicate, kRows}, "owner_computes", first_pes(4));
    const Over remote = over(small_machine(), problem, {kRows, kRows, kRows}, "owner_computes", first_pes(4));
    CHECK(own.network == 0);
    CHECK(remote.network > 0);
    CHECK(remote.read == own.read);
    CHECK(remote.time > own.time);
    CHECK(remote.array == own.array);
  }

  TEST_CASE("30.3 30.4 30.5 what a plan says it takes of a TCM is enough") {
    CHECK(rc::check("a TCM of no byte more", [] {
      const auto edge = [](std::int64_t to) { return *rc::gen::inRange<std::int64_t>(1, to); };
      GemmProblem problem{edge(20), edge(40), edge(20), *rc::gen::element(Layout::kBlocked, Layout::kRowMajor)};
      const auto kernel = *rc::gen::element<std::string>("owner_computes", "ring_shift", "split_k");
      const auto pes = static_cast<std::int32_t>(edge(4));
      MachineSpec machine = small_machine();
      set_any_dtypes(problem, machine);
      const MultiPeGemmPlan plan = planned(machine, problem, kernel, pes);
      machine.pe.tcm.capacity = plan.tcm;
      over(machine, problem, plan.placement, kernel, first_pes(pes));
    }));
  }

  TEST_CASE("30.4 in ring_shift each part of B is read once, and sent on to all others") {
    const GemmProblem problem{128, 64, 128};
    const Over run = over(one_die(), problem, "ring_shift", 4);
    CHECK(run.read == (128 * 64 + 64 * 128) * 2);
    CHECK(run.sent == 3 * 64 * 128 * 2);
    CHECK(run.array == Picoseconds{4 * 4 * milestone().pe.tile_time().value});
    CHECK(error_of(problem, {kRows, kRows, kRows}, "ring_shift") ==
          "variant ring_shift: expected --place a=rows,b=columns,c=rows or a=rows,b=columns,c=columns");
    // The other way round A's parts go: the mirrored problem has the mirrored work.
    const Over mirrored = over(one_die(), problem, {kRows, kColumns, kColumns}, "ring_shift", first_pes(4));
    CHECK(mirrored.read == run.read);
    CHECK(mirrored.sent == 3 * 128 * 64 * 2);
    CHECK(mirrored.array == run.array);
  }

  TEST_CASE("30.4 the ring has the PEs that have a part, and no others") {
    // One row and two columns of tiles: of eight PEs two are in the ring, whichever operand goes round.
    const GemmProblem problem{32, 64, 64};
    for (const PlacementPolicy c : {kRows, kColumns}) {
      const Over run = over(one_die(), problem, {kRows, kColumns, c}, "ring_shift", first_pes(8));
      CHECK(run.sent == (c == kRows ? 2 * 64 * 32 : 32 * 64) * 2);
      CHECK(run.ends[1] > Picoseconds{});
      for (std::size_t pe = 2; pe < 8; ++pe) CHECK(run.ends[pe] == Picoseconds{});
    }
  }

  TEST_CASE("30.5 in split_k every product goes round but for a PE's own part") {
    const GemmProblem problem{128, 256, 64};
    const Over run = over(one_die(), problem, "split_k", 4);
    CHECK(run.sent == 4 * 3 * 32 * 64 * 2);
    const Over columns = over(one_die(), {64, 256, 128}, {kColumns, kRows, kColumns}, "split_k", first_pes(4));
    CHECK(columns.sent == run.sent);
    // 64 columns of A are a tile each for two of four PEs: the ring is those two.
    const Over two = over(one_die(), {64, 128, 64}, {kColumns, kRows, kRows}, "split_k", first_pes(4));
    CHECK(two.sent == 2 * 32 * 64 * 2);
    CHECK(two.ends[2] == Picoseconds{});
    CHECK(error_of(problem, {kRows, kRows, kRows}, "split_k") ==
          "variant split_k: expected --place a=columns,b=rows,c=rows or a=columns,b=rows,c=columns");
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
        MultiPeGemmKernel lazy = find_multi_pe_gemm_kernel("owner_computes");
        lazy.run = [](KernelPe pe, MultiPeGemmCall call) -> Process {
          if (pe.rank() != 1) co_await find_multi_pe_gemm_kernel("owner_computes").run(pe, call).finished();
        };
        MultiPeGemmLaunch launch(system, {.problem = {16, 16, 16}, .kernel = lazy.name, .pes = first_pes(4)}, lazy);
        run_launches(system, {&launch});
        launch.check(system);
        return std::string();
      });
    });
    CHECK(text.find("verification failed: 64 of 256 elements are wrong; first: C[4][0] is what nobody has written") ==
          0);
  }

  TEST_CASE("30.7 the bound counts what links between routers carry, and what a partition is written") {
    // Every PE of each die reads B's rows from all others: half of B crosses the two connections between the dies.
    MachineSpec machine = small_machine();
    machine.package.dies = {1, 2};
    machine.package.die_to_die.bandwidth = {1'000'000'000};
    const GemmProblem problem{32, 64, 32};
    const MultiPeGemmRequest request{
        .problem = problem, .kernel = "owner_computes", .placement = {kRows, kRows, kRows}, .pes = first_pes(8)};
    const MultiPeGemmBound bound = plan_multi_pe_gemm(machine, plan_network(machine), request).bound;
    CHECK(bound.resource.find("die0.router") != std::string::npos);
    CHECK(bound.resource.find("die1.router") != std::string::npos);
    CHECK(over(machine, problem, request.placement, request.kernel, request.pes).time >= bound.time);
    // split_k of 512 x 512 x 512 over a die: a partition is read 512 KiB + 15 x 64 KiB + 896 KiB less what loading
    // saves, and written 512 + 448 KiB, of which the queues of its channels may hold some when the run ends.
    const MultiPeGemmPlan split = planned(one_die(), {512, 512, 512}, "split_k", 8);
    CHECK(split.bound.resource == "hbm");
    const Bytes read = (64 + 16 * 64 + 2 * 448) << 10U;
    const Bytes written = (512 + 448) << 10U;
    CHECK(split.bound.time == one_die().die.hbm.bandwidth.time_for(read + written - queued_writes(one_die())));
  }

  TEST_CASE("30.15 of the placements that a way can have the one with the least bound is taken; --place narrows them") {
    const auto place = [](const GemmProblem& problem, const std::string& kernel, const std::string& asked = "") {
      return to_text(planned(one_die(), problem, kernel, 8, asked).placement);
    };
    const GemmProblem wide{32, 512, 4096};
    const GemmProblem tall{4096, 512, 32};
    CHECK(place(wide, "owner_computes") == "a=replicate,b=columns,c=columns");
    CHECK(place(tall, "owner_computes") == "a=rows,b=replicate,c=rows");
    CHECK(place({128, 512, 128}, "owner_computes") == "a=replicate,b=replicate,c=blocks");
    CHECK(place(wide, "ring_shift") == "a=rows,b=columns,c=columns");
    CHECK(place(tall, "ring_shift") == "a=rows,b=columns,c=rows");
    CHECK(place({32, 4096, 512}, "split_k") == "a=columns,b=rows,c=columns");
    CHECK(place({512, 4096, 32}, "split_k") == "a=columns,b=rows,c=rows");
    CHECK(place(wide, "owner_computes", "c=rows") == "a=replicate,b=columns,c=rows");
    CHECK(place(wide, "ring_shift", "c=rows") == "a=rows,b=columns,c=rows");
    CHECK(place(wide, "owner_computes", "a=rows,b=rows,c=blocks") == "a=rows,b=rows,c=blocks");
    CHECK(planned(one_die(), wide, "owner_computes", 8).idle == 0);
    CHECK(planned(one_die(), wide, "owner_computes", 8, "c=rows").idle == 7);
    // Of equal ones that whose PEs have less of C each: the array decides the bound of both, and with C by rows, all of
    // one PE, seven others pass it on one after the other.
    const MachineSpec slow = one_die({"pe.mac.macs_per_cycle=64"});
    CHECK(to_text(planned(slow, {32, 4096, 512}, "split_k", 8).placement) == "a=columns,b=rows,c=columns");
    CHECK(planned(slow, {32, 4096, 512}, "split_k", 8).bound.time ==
          planned(slow, {32, 4096, 512}, "split_k", 8, "c=rows").bound.time);
    // Then the first.
    CHECK(place({256, 256, 256}, "ring_shift") == "a=rows,b=columns,c=rows");
    // One that does not fit is none.
    MachineSpec machine = one_die();
    machine.die.hbm.capacity = 200 << 10;
    CHECK(to_text(planned(machine, {128, 512, 128}, "owner_computes", 8).placement) == "a=rows,b=replicate,c=rows");
  }

  TEST_CASE("30.16 a short part that is sent earlier delays a load, at most by a little, and nothing else is slower") {
    const auto slowdowns = [](std::int64_t m, const std::string& link) {
      double most = 0;  // of a time above that of any lower bandwidth
      double least = 1e9;
      for (const char* hbm : {"256", "300", "320", "350", "384", "450", "512", "700", "1024", "2048"}) {
        const MachineSpec machine =
            one_die({"die.hbm.bandwidth=" + std::string(hbm) + " GB/s", "die.router.link_bandwidth=" + link,
                     "pe.vector.latency_cycles=50", "pe.dma.setup_latency=0 ns", "pe.output_depth=1"});
        const GemmPlacement placement{.a = kRows, .b = kColumns, .c = kColumns};
        const auto time =
            static_cast<double>(over(machine, {m, 129, 129}, placement, "ring_shift", first_pes(8), false).time.value);
        most = std::max(most, time / least);
        least = std::min(least, time);
      }
      return most;
    };
    const double short_part = slowdowns(100, "256 GB/s");
    CHECK(short_part > 1);
    CHECK(short_part < 1.01);
    CHECK(slowdowns(128, "256 GB/s") < 1);
    CHECK(slowdowns(100, "512 GB/s") < 1);
  }

  TEST_CASE("30.8 what replicate gives every PE beyond a share of its own is counted") {
    const GemmProblem problem{512, 512, 256};
    CHECK(planned(one_die(), problem, "owner_computes", 8, "a=rows,b=replicate,c=rows").replicated ==
          512 * 256 * 2 / 8 * 7);
    CHECK(planned(one_die(), problem, "ring_shift", 8).replicated == 0);
  }

  TEST_CASE("30.8 imbalance and exposed time come from the ends of the PEs and their arrays") {
    // Nine rows of tiles over four PEs: 3, 3, 3 and none.
    const Over run = over(one_die(), {9 * 32, 128, 32}, "owner_computes", 4);
    REQUIRE(run.ends.size() == 4);
    CHECK(run.ends[3] == Picoseconds{});
    CHECK(run.ends[0] == run.time);
  }
}

}  // namespace kernbench::multi_pe_gemm_test
