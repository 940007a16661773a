// A GEMM and a collective on the same PEs: the same engines, memories and network, so each waits for the other.
#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "sim/hw/pe/vector_unit.hpp"
#include "sim/plan/collective/algorithm.hpp"
#include "sim/plan/gemm_plan.hpp"
#include "sim/system/collective/collective_launch.hpp"
#include "sim/system/kernel.hpp"
#include "sim/system/run.hpp"
#include "tests/support/forked.hpp"
#include "tests/support/milestone.hpp"
#include "tests/system/collective_run.hpp"
#include "tests/system/random_case.hpp"
#include "tests/system/simulate.hpp"

namespace kernbench::contention_test {
namespace {

struct Times {
  Picoseconds gemm;
  Picoseconds collective;
};

std::vector<std::int32_t> all_pes(const System& system) {
  std::vector<std::int32_t> pes(static_cast<std::size_t>(system.pes()));
  std::iota(pes.begin(), pes.end(), 0);
  return pes;
}

/// A GEMM whose matrices lie in the PE's own partition, where nobody else has anything.
Process gemm_kernel(System& system, const std::string& variant, const GemmProblem& problem, KernelPe pe) {
  GemmCall call{problem, place_gemm(problem, system.machine())};
  const Bytes alignment = system.machine().die.hbm.burst * system.machine().die.hbm.pseudo_channels;
  const Address base = system.space(pe.rank(), MemoryTier::kHbm)
                           .allocate(call.matrices.c.base + call.matrices.c.footprint(), "a GEMM", alignment);
  for (MatrixLayout* matrix : {&call.matrices.a, &call.matrices.b, &call.matrices.c}) matrix->base += base;
  return find_gemm_kernel(variant).run(pe, call);
}

/// Runs what is asked for at the same time on all PEs of a machine; values are checked.
Times run_together(const MachineSpec& machine, const std::string& variant, const GemmProblem* problem,
                   const CollectiveSchedule* schedule) {
  Times times;
  std::istringstream in(forked([&] {
    System system(machine, {.values = true});
    std::vector<Launch*> launches;
    const CollectiveSchedule none;
    RankValues values(schedule != nullptr ? *schedule : none, CollectiveValues::kIntegers, 1);
    CollectiveLaunch collective(schedule != nullptr ? *schedule : none, values);
    launches.push_back(&collective);
    KernelLaunch gemm_launch(
        "the GEMM", [&](KernelPe pe) { return gemm_kernel(system, variant, *problem, pe); },
        problem != nullptr ? all_pes(system) : std::vector<std::int32_t>{});
    launches.push_back(&gemm_launch);
    run_launches(system, launches);
    static_cast<void>(values.check());
    Span gemm;
    for (const OpChannel& channel : system.log().channels()) {
      if (!channel.composite_span().empty()) gemm.cover(channel.composite_span());
    }
    return std::to_string(gemm.end.value) + ' ' + std::to_string(collective.end().value);
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
    System system(machine, {.sink = &records});
    const CollectiveSchedule none;
    RankValues values(none, CollectiveValues::kNone, 1);
    CollectiveLaunch collective(schedule != nullptr ? *schedule : none, values);
    const GemmProblem one_tile{.m = 32, .k = 64, .n = 32, .epilogues = {{VectorOp::kScale}}};
    const GemmCall call{one_tile, place_gemm(one_tile, machine)};
    KernelLaunch gemm_launch(
        "the GEMM", [&](KernelPe pe) { return find_gemm_kernel("load_load").run(pe, call); },
        with_gemm ? std::vector<std::int32_t>{1} : std::vector<std::int32_t>{});
    run_launches(system, {&collective, &gemm_launch});
    Span gemm;
    for (const OpChannel& channel : system.log().channels()) {
      if (!channel.composite_span().empty()) gemm.cover(channel.composite_span());
    }
    std::ostringstream out;
    for (const Picoseconds time : {records.use.tile.start, records.use.tile.end, records.use.message.start,
                                   records.use.message.end, gemm.end, collective.end()}) {
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

/// A GEMM's records and windows on one extent of a machine, as text: the same text is the same run.
std::string run_on(SystemExtent extent, const MachineSpec& machine, const GemmProblem& problem,
                   const std::string& variant) {
  const Observed run = observe([&](RunSettings settings) {
    settings.extent = extent;
    return run_gemm(machine, problem, variant, settings);
  });
  std::vector<std::string> lines;
  for (const auto& [engine, stage, op] : run.records) {
    std::ostringstream line;
    line << engine.substr(engine.rfind('.')) << ' ' << stage << ' ' << op.start.value << ' ' << op.end.value << ' '
         << op.bytes << ' ' << op.tile;
    lines.push_back(line.str());
  }
  std::ranges::sort(lines);
  std::ostringstream text;
  text << run.result.pe.end.value << ' ' << run.result.composite.start.value << ' ' << run.result.composite.end.value;
  for (const std::string& line : lines) text << '\n' << line;
  return text.str();
}

/// With the smallest buffers for which a PE's own wires are exact.
MachineSpec tightest(MachineSpec machine) {
  machine.die.hbm.port_buffer = machine.pe.dma.outstanding_bursts * machine.die.hbm.burst;
  Bytes low = 0;
  Bytes high = machine.die.hbm.port_buffer;  // all that the credits allow
  while (low + 1 < high) {
    machine.die.router.buffer = (low + high) / 2;
    (own_wires_are_exact(machine) ? high : low) = machine.die.router.buffer;
  }
  machine.die.router.buffer = high;
  return machine;
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

  TEST_CASE("4.14 wherever own wires are said to be exact, every record is that of the network") {
    CHECK(rc::check("own wires and network", [] {
      Case drawn = any_case(3);
      for (const char* key : {"system.packages.columns", "package.dies.rows", "package.dies.columns",
                              "die.routers.rows", "die.routers.columns", "package.die_to_die.connections"}) {
        drawn.set(key, 1);
      }
      RC_LOG() << drawn;
      const MachineSpec machine = tightest(drawn.machine());
      RC_ASSERT(own_wires_are_exact(machine));
      RC_ASSERT(run_on(SystemExtent::kOnePe, machine, drawn.problem, drawn.variant) ==
                run_on(SystemExtent::kWholeMachine, machine, drawn.problem, drawn.variant));
    }));
  }
}

TEST_SUITE("ADR-0028") {
  TEST_CASE("28.3 with less room own wires are not exact: the network takes longer, and is what a run is given") {
    // Two packets behind each link, or in the memory's port, and wires that take 3 ns, three packets' time, each way.
    for (const std::string key : {"die.router.buffer=512 B", "die.hbm.port_buffer=512 B"}) {
      CAPTURE(key);
      CHECK(own_wires_are_exact(one_die({"die.wire.hbm_to_router=300 mm"})));
      const MachineSpec machine = one_die({key, "die.wire.hbm_to_router=300 mm"});
      CHECK_FALSE(own_wires_are_exact(machine));
      const GemmProblem problem{256, 64, 256};
      const auto run = [&](SystemExtent extent) { return run_on(extent, machine, problem, "ref_ref"); };
      const std::string alone = run(SystemExtent::kOnePe);
      const std::string network = run(SystemExtent::kWholeMachine);
      CHECK(std::stoll(network) > std::stoll(alone));
      CHECK(gemm_on_one_pe(machine, "ref_ref", problem).value == std::stoll(network));
    }
    // Where they are exact they are used: fewer events for the same times.
    const auto wakeups = [](std::optional<SystemExtent> extent) {
      return observe([&](RunSettings settings) {
               settings.extent = extent;
               return run_gemm(one_die(), kProblem, "ref_ref", settings);
             })
          .result.engine.wakeups;
    };
    CHECK(own_wires_are_exact(one_die()));
    CHECK(wakeups({}) == wakeups(SystemExtent::kOnePe));
    CHECK(wakeups({}) < wakeups(SystemExtent::kWholeMachine));
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

}  // namespace kernbench::contention_test
