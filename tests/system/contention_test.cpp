// A GEMM and a collective on the same PEs: the same engines, memories and network, so each slows the other down.
#include <doctest/doctest.h>

#include <algorithm>
#include <deque>
#include <sstream>
#include <string>
#include <vector>

#include "sim/plan/collective/algorithm.hpp"
#include "sim/plan/placement.hpp"
#include "sim/system/collective/executor.hpp"
#include "sim/system/kernel.hpp"
#include "sim/system/run.hpp"
#include "tests/support/forked.hpp"
#include "tests/support/milestone.hpp"

using namespace kernbench;

namespace {

MachineSpec die(std::vector<std::string> overrides = {}) {
  for (const char* key : {"system.packages.columns=1", "package.dies.rows=1", "package.dies.columns=1"}) {
    overrides.emplace_back(key);
  }
  return milestone(overrides);
}

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
    std::deque<KernelPe> pes;
    std::deque<GemmCall> calls;
    std::vector<Process> kernels;
    if (problem != nullptr) {
      for (std::int32_t i = 0; i < system.pes(); ++i) {
        calls.push_back({*problem, place_gemm(*problem, machine)});
        kernels.push_back(find_gemm_kernel(variant).run(pes.emplace_back(system.pe(i), machine.pe), calls.back()));
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
        CHECK(run_together(die(), variant, &problem, nullptr).gemm.value ==
              gemm_on_one_pe(die(), variant, problem).value);
      }
    }
  }
}

TEST_SUITE("ADR-0019") {
  TEST_CASE("19.12 a GEMM and a collective on the same PEs slow each other down, and stay right") {
    // Slots in HBM: the collective takes the memory's bandwidth, the links to it, and the DMA engines.
    for (const char* tier : {"tcm", "hbm"}) {
      CAPTURE(tier);
      const MachineSpec machine = die({std::string("pe.message_queue.tier=") + tier});
      const CollectiveSchedule schedule = all_reduce(1 << 17);
      const Times gemm = run_together(machine, "ref_ref", &kProblem, nullptr);
      const Times collective = run_together(machine, "ref_ref", nullptr, &schedule);
      const Times both = run_together(machine, "ref_ref", &kProblem, &schedule);
      CHECK(both.gemm > gemm.gemm);
      CHECK(both.collective > collective.collective);
    }
  }

  TEST_CASE("19.12 the vector unit is shared") {
    // All results pass the vector unit: a bias on every output tile. The collective's reductions get in between.
    GemmProblem problem = kProblem;
    problem.epilogues = {{VectorOp::kScale}};
    const auto lanes = [](const char* count) {
      return die({std::string("pe.vector.lanes=") + count, "die.hbm.bandwidth=1 TB/s", "pe.tcm.write_bandwidth=4 TB/s",
                  "die.router.link_bandwidth=2 TB/s"});
    };
    const CollectiveSchedule schedule = all_reduce(1 << 15);
    const auto slowed = [&](const char* count) {
      const MachineSpec machine = lanes(count);
      const Picoseconds alone = run_together(machine, "load_load", &problem, nullptr).gemm;
      return run_together(machine, "load_load", &problem, &schedule).gemm - alone;
    };
    CHECK(slowed("8") > from_ns(100));
    CHECK(slowed("8") > slowed("4096"));
  }
}
