// A GEMM and a collective on the same PEs: the same engines, memories and network, so each waits for the other.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "sim/hw/pe/vector_unit.hpp"
#include "sim/plan/collective/algorithm.hpp"
#include "sim/plan/gemm_plan.hpp"
#include "sim/system/collective/executor.hpp"
#include "sim/system/kernel.hpp"
#include "sim/system/run.hpp"
#include "tests/support/forked.hpp"
#include "tests/support/milestone.hpp"
#include "tests/system/collective_run.hpp"

using namespace kernbench;

namespace {

struct Times {
  Picoseconds gemm;
  Picoseconds collective;
};

/// Runs what is asked for at the same time on all PEs of a machine; values are checked.
Times run_together(const MachineSpec& machine, const std::string& variant, const GemmProblem* problem,
                   const CollectiveSchedule* schedule) {
  Times times;
  std::istringstream in(forked([&] {
    System system(machine);
    const CollectiveSchedule none;
    RankValues values(schedule != nullptr ? *schedule : none, CollectiveValues::kIntegers, 1);
    CollectiveExecutor executor(system, schedule != nullptr ? *schedule : none, values);
    executor.start();
    std::vector<Process> kernels;
    if (problem != nullptr) {
      for (std::int32_t i = 0; i < system.pes(); ++i) {
        const GemmCall call{*problem, place_gemm(*problem, machine)};
        kernels.push_back(find_gemm_kernel(variant).run(KernelPe(system.pe(i), machine.pe), call));
      }
    }
    for (Process& kernel : kernels) kernel.start(system.calendar());
    system.calendar().run();
    if (!executor.done() || std::ranges::any_of(kernels, [](const Process& p) { return !p.done(); })) {
      throw std::runtime_error("not done: " + system.calendar().describe_waiting());
    }
    static_cast<void>(values.check());
    Span gemm;
    for (const OpChannel& channel : system.log().channels()) {
      if (!channel.composite_span().empty()) gemm.cover(channel.composite_span());
    }
    return std::to_string(gemm.end.value) + ' ' + std::to_string(executor.end().value);
  }));
  in >> times.gemm.value >> times.collective.value;
  return times;
}

Picoseconds gemm_on_one_pe(const MachineSpec& machine, const std::string& variant, const GemmProblem& problem) {
  Picoseconds end;
  std::istringstream(forked([&] { return std::to_string(run_gemm(machine, problem, variant).composite.end.value); })) >>
      end.value;
  return end;
}

CollectiveSchedule all_reduce(std::int64_t count) {
  CollectiveRequest request;
  request.count = count;
  request.grid = {{}, {}, {2, 4}};
  return find_collective_algorithm("ring").generate(request);
}

/// When the vector unit of PE 1 works on the one tile of a GEMM there, and on the one piece of a message that PE 0
/// sends; and when GEMM and collective end.
struct VectorUse {
  Window tile;
  Window message;
  Picoseconds gemm;
  Picoseconds collective;
};

struct VectorRecords : OpSink {
  VectorUse use;
  void record(std::string_view engine, const Stage& stage, const OpRecord& op) override {
    if (stage != kVectorStage || engine.find("pe1.") == std::string_view::npos) return;
    (op.composite >= 0 ? use.tile : use.message) = {op.start, op.end};
  }
};

VectorUse vector_use(const MachineSpec& machine, bool with_gemm, const CollectiveSchedule* schedule) {
  VectorUse use;
  std::istringstream in(forked([&] {
    VectorRecords records;
    System system(machine, &records);
    const CollectiveSchedule none;
    RankValues values(none, CollectiveValues::kNone, 1);
    CollectiveExecutor executor(system, schedule != nullptr ? *schedule : none, values);
    executor.start();
    const GemmProblem one_tile{.m = 32, .k = 64, .n = 32, .epilogues = {{VectorOp::kScale}}};
    const GemmCall call{one_tile, place_gemm(one_tile, machine)};
    Process kernel;
    if (with_gemm) {
      kernel = find_gemm_kernel("load_load").run(KernelPe(system.pe(1), machine.pe), call);
      kernel.start(system.calendar());
    }
    system.calendar().run();
    Span gemm;
    for (const OpChannel& channel : system.log().channels()) {
      if (!channel.composite_span().empty()) gemm.cover(channel.composite_span());
    }
    std::ostringstream out;
    for (const Picoseconds time : {records.use.tile.start, records.use.tile.end, records.use.message.start,
                                   records.use.message.end, gemm.end, executor.end()}) {
      out << time.value << ' ';
    }
    return out.str();
  }));
  in >> use.tile.start.value >> use.tile.end.value >> use.message.start.value >> use.message.end.value >>
      use.gemm.value >> use.collective.value;
  return use;
}

/// PE 0 is busy for `delay` cycles of a vector unit with 8 lanes, then sends 512 elements to PE 1, which adds them.
CollectiveSchedule late_message(std::int64_t delay) {
  const CollectiveStep waits{.kind = StepKind::kCopy, .first = 0, .count = 8 * delay, .from = 8 * delay};
  return by_hand(16 * delay + 512, {{waits, send_to(1, 512)}, {reduce_from(0, 512)}});
}

constexpr GemmProblem kProblem{.m = 128, .k = 256, .n = 128, .layout = Layout::kBlocked, .epilogues = {}};

}  // namespace

TEST_SUITE("ADR-0004") {
  TEST_CASE(
      "4.14 over the network a PE's own memory is as far as over wires of its own, whatever other PEs do with theirs") {
    for (const char* variant : {"ref_ref", "load_ref", "load_load"}) {
      for (const char* layout : {"blocked", "row_major"}) {
        CAPTURE(variant);
        GemmProblem problem = kProblem;
        if (std::string(layout) == "row_major") problem.layout = Layout::kRowMajor;
        CHECK(run_together(one_die(), variant, &problem, nullptr).gemm.value ==
              gemm_on_one_pe(one_die(), variant, problem).value);
      }
    }
  }
}

TEST_SUITE("ADR-0019") {
  TEST_CASE("19.12 a GEMM and a collective on the same PEs slow each other down, and stay right") {
    // Slots in HBM: the collective takes the memory's bandwidth, the links to it, and the DMA engines.
    for (const char* tier : {"tcm", "hbm"}) {
      CAPTURE(tier);
      const MachineSpec machine = one_die({std::string("pe.message_queue.tier=") + tier});
      const CollectiveSchedule schedule = all_reduce(1 << 17);
      const Times gemm = run_together(machine, "ref_ref", &kProblem, nullptr);
      const Times collective = run_together(machine, "ref_ref", nullptr, &schedule);
      const Times both = run_together(machine, "ref_ref", &kProblem, &schedule);
      CHECK(both.gemm > gemm.gemm);
      CHECK(both.collective > collective.collective);
    }
  }

  TEST_CASE("19.12 the vector unit serves who asks first; the other waits for exactly the rest of that") {
    // With 64 MACs a cycle the tile takes 1024 ns in the array, while the message is under way. A credit without bytes
    // leaves the link to the stores.
    const MachineSpec machine =
        one_die({"pe.vector.lanes=8", "pe.mac.macs_per_cycle=64", "pe.message_queue.credit_bytes=0B"});
    VectorUse tile = vector_use(machine, true, nullptr);
    // Beside a collective the kernel's calls come one call later: the receive is first at PE 1's control processor.
    for (Picoseconds* time : {&tile.tile.start, &tile.tile.end, &tile.gemm}) *time += machine.pe.control;
    int tile_waited = 0;
    int message_waited = 0;
    for (const std::int64_t delay : {1, 700, 900, 1020, 1040, 1060, 1080, 1100, 1150, 1200, 1250, 1300, 1600}) {
      CAPTURE(delay);
      const CollectiveSchedule late = late_message(delay);
      const VectorUse message = vector_use(machine, false, &late);
      const VectorUse both = vector_use(machine, true, &late);
      // Alone each starts when it asks.
      Picoseconds tile_starts = tile.tile.start;
      Picoseconds message_starts = message.message.start;
      REQUIRE(std::abs((message_starts - tile_starts).value) > 3000);  // and it is clear who is first
      if (message_starts < tile_starts) {
        tile_starts = std::max(tile_starts, message.message.end);
        tile_waited += tile_starts > tile.tile.start ? 1 : 0;
      } else {
        message_starts = std::max(message_starts, tile.tile.end);
        message_waited += message_starts > message.message.start ? 1 : 0;
      }
      CHECK(both.tile.start.value == tile_starts.value);
      CHECK(both.message.start.value == message_starts.value);
      CHECK((both.tile.end - both.tile.start).value == from_ns(128).value);
      CHECK((both.message.end - both.message.start).value == from_ns(64).value);
      // All that follows is later by as much, and by no more.
      CHECK((both.gemm - tile.gemm).value == (tile_starts - tile.tile.start).value);
      CHECK((both.collective - message.collective).value == (message_starts - message.message.start).value);
    }
    CHECK(tile_waited >= 2);
    CHECK(message_waited >= 2);
  }
}
