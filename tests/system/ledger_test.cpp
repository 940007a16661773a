// The ledger: it closes to the picosecond, tells everything, and names the cause that a machine was built to have.
#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <string>
#include <vector>

#include "sim/plan/gemm_mapping.hpp"
#include "tests/plan/random_mapping.hpp"
#include "tests/support/milestone.hpp"
#include "tests/system/random_case.hpp"
#include "tests/system/simulate.hpp"

namespace kernbench::ledger_test {
namespace {

std::string text_of(const RunResult& run) {
  std::string text;
  for (const Cause cause : kCauses.values()) {
    text += std::string(kCauses[cause]) + ' ' + std::to_string(run.ledger.time.of(cause).value) + ", critical path " +
            std::to_string(run.ledger.path.of(cause).value) + '\n';
  }
  return text + "window " + std::to_string(run.pe.length().value) + '\n';
}

Picoseconds mac_of(const RunResult& run) {
  Picoseconds mac;
  for (const StageTotals& stage : run.stages) {
    if (stage.stage == "mac") mac += stage.wall;
  }
  return mac;
}

void expect_closed(const RunResult& run) {
  RC_LOG() << text_of(run);
  for (const LedgerTotals& totals : {run.ledger.time, run.ledger.path}) {
    RC_ASSERT(totals.sum() == run.pe.length());
    RC_ASSERT(totals.of(Cause::kUntold) == Picoseconds{});
  }
  const auto array = [](const LedgerTotals& totals) { return totals.of(Cause::kMac) + totals.of(Cause::kArrayFill); };
  RC_ASSERT(array(run.ledger.time) == mac_of(run));
  RC_ASSERT(array(run.ledger.path) <= mac_of(run));
}

/// A machine that was built to have one cause, and what cures it.
struct Built {
  Cause cause;
  GemmProblem problem;
  std::string variant;
  std::vector<std::string> ill;
  std::vector<std::string> cured;
};

const std::vector<Built>& built() {
  static const std::vector<Built> cases{
      {Cause::kMac, {256, 1024, 256}, "load_load", {}, {"pe.mac.macs_per_cycle=8192"}},
      {Cause::kArrayFill,
       {256, 1024, 256},
       "load_load",
       {"pe.mac.macs_per_cycle=0", "pe.mac.dataflow=weight_stationary", "pe.mac.rows=64", "pe.mac.columns=32",
        "pe.mac.depth=1", "pe.mac.weight_buffers=1", "pe.fetch_bandwidth=4 TB/s"},
       {"pe.mac.macs_per_cycle=0", "pe.mac.dataflow=weight_stationary", "pe.mac.rows=64", "pe.mac.columns=32",
        "pe.mac.depth=1", "pe.mac.weight_buffers=2", "pe.fetch_bandwidth=4 TB/s"}},
      {Cause::kHbm, {128, 1024, 128}, "ref_ref", {"die.hbm.bandwidth=64 GB/s"}, {"die.hbm.bandwidth=128 GB/s"}},
      {Cause::kLinks,
       {128, 1024, 128},
       "ref_ref",
       {"die.router.link_bandwidth=64 GB/s"},
       {"die.router.link_bandwidth=128 GB/s"}},
      {Cause::kLinks, {128, 1024, 128}, "ref_ref", {"die.router.buffer=512 B"}, {"die.router.buffer=1 KiB"}},
      // The array works for five sixths of the window, and the link for longer.
      {Cause::kLinks,
       {96, 256, 224},
       "load_ref",
       {"die.hbm.bandwidth=512 GB/s", "die.router.link_bandwidth=128 GB/s", "pe.mac.macs_per_cycle=2048"},
       {"die.hbm.bandwidth=512 GB/s", "die.router.link_bandwidth=256 GB/s", "pe.mac.macs_per_cycle=2048"}},
      {Cause::kTcmPort,
       {128, 1024, 128},
       "ref_ref",
       {"pe.tcm.write_bandwidth=64 GB/s"},
       {"pe.tcm.write_bandwidth=128 GB/s"}},
      {Cause::kCredits, {128, 1024, 128}, "ref_ref", {"pe.dma.outstanding_bursts=2"}, {"pe.dma.outstanding_bursts=16"}},
      {Cause::kSetup, {128, 1024, 128}, "ref_ref", {"pe.dma.setup_latency=40 ns"}, {"pe.dma.setup_latency=4 ns"}},
      // Set-up of 20 ns for 16 ns of bytes: now and then a batch of writes holds reads up until the credits are gone.
      {Cause::kSetup, {256, 256, 256}, "ref_ref", {"pe.dma.setup_latency=20 ns"}, {"pe.dma.setup_latency=16 ns"}},
      {Cause::kLatency, {32, 1024, 32}, "ref_ref", {"pe.stream_depth=1"}, {"pe.stream_depth=4"}},
      {Cause::kFetch, {256, 512, 256}, "load_load", {"pe.fetch_bandwidth=64 GB/s"}, {"pe.fetch_bandwidth=256 GB/s"}},
      {Cause::kDrain, {256, 64, 256}, "load_load", {"pe.store_bandwidth=4 GB/s"}, {"pe.store_bandwidth=16 GB/s"}},
      {Cause::kControl, {32, 64, 32}, "load_load", {"pe.control_latency=500 ns"}, {"pe.control_latency=10 ns"}},
      {Cause::kEpilogue,
       {.m = 128, .k = 512, .n = 128, .epilogues = parse_epilogues("scale@k_tile")},
       "load_load",
       {"pe.vector.lanes=4"},
       {"pe.vector.lanes=16"}},
      {Cause::kConvert,
       {.m = 128, .k = 512, .n = 128, .dtype_b = Dtype::kInt8},
       "load_load",
       {"pe.vector.rates.convert=0.25", "pe.mac.operand_registers=4"},
       {"pe.vector.rates.convert=0.5", "pe.mac.operand_registers=4"}},
  };
  return cases;
}

}  // namespace

TEST_SUITE("ADR-0033") {
  TEST_CASE("33.1 33.3 33.5 33.8 the ledger of any variant on any machine closes and tells everything") {
    CHECK(rc::check("variants", [] {
      const Case any = any_case(4);
      RC_LOG() << any << '\n';
      expect_closed(simulate_gemm(any.machine(), any.problem, any.variant).result);
    }));
  }

  TEST_CASE("33.1 33.3 33.5 and that of any mapping, with epilogues") {
    CHECK(rc::check("mappings", [] {
      Case any = any_case(3);
      if (*rc::gen::arbitrary<bool>()) set_any_array(any);
      MachineSpec machine = any.machine();
      machine.pe.tcm.capacity = Bytes{1} << 30;
      GemmProblem problem = any.problem;
      problem.epilogues =
          parse_epilogues(*rc::gen::element<std::string>("", "relu", "bias,gelu", "scale@k_tile", "scale@k_tile,bias"));
      const GemmMapping mapping = random_mapping(problem, machine.pe.mac.tile);
      RC_LOG() << any << '\n' << to_text(mapping) << '\n';
      expect_closed(
          observe([&](const RunSettings& settings) { return run_gemm(machine, problem, mapping, settings); }).result);
    }));
  }

  TEST_CASE("33.2 33.4 33.6 33.7 a machine built to have a cause is limited by it, and its cure makes it faster") {
    for (const Built& of : built()) {
      CAPTURE(kCauses[of.cause]);
      const RunResult ill = simulate_gemm(milestone(of.ill), of.problem, of.variant).result;
      const RunResult cured = simulate_gemm(milestone(of.cured), of.problem, of.variant).result;
      INFO(text_of(ill));
      CHECK(kCauses[ill.ledger.limit()] == kCauses[of.cause]);
      CHECK(cured.pe.length() < ill.pe.length());
      CHECK(ill.ledger.time.of(Cause::kUntold) == Picoseconds{});
      // A deeper stream hides more than latency.
      if (of.cause != Cause::kLatency) CHECK(ill.pe.length() - cured.pe.length() <= ill.ledger.worth(of.cause));
      CHECK(cured.ledger.path.of(of.cause) < ill.ledger.path.of(of.cause));
    }
  }

  TEST_CASE("33.5 what a conversion adds to the loop of fetch, conversion and product is `convert`") {
    // Two register sets: a tile is begun when the last but one has been multiplied, and takes 12 ns of fetch, 20 of
    // conversion and its latency, 16 of the array: each second tile is waited for for 16 ns.
    const GemmProblem problem{.m = 128, .k = 512, .n = 128, .dtype_b = Dtype::kInt8};
    const RunResult run = simulate_gemm(milestone(), problem, "load_load").result;
    INFO(text_of(run));
    CHECK(run.tiles == 128);
    CHECK(kCauses[run.ledger.limit()] == "convert");
    CHECK(run.ledger.time.of(Cause::kConvert) > from_ns(126 / 2 * 16 - 20));
    CHECK(run.ledger.time.of(Cause::kConvert) < from_ns(128 / 2 * 16 + 20));
    CHECK(run.ledger.time.of(Cause::kFetch) < from_ns(20));
  }
}

}  // namespace kernbench::ledger_test
