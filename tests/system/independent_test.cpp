// Runs on several PEs that have nothing to do with each other, against the same runs on the whole machine.
#include "sim/system/independent.hpp"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <numeric>
#include <sstream>
#include <string>
#include <vector>

#include "sim/system/multi_pe_gemm.hpp"
#include "sim/system/operators/operator_run.hpp"
#include "tests/plan/random_mapping.hpp"
#include "tests/support/milestone.hpp"
#include "tests/support/random_operator.hpp"
#include "tests/system/random_case.hpp"
#include "tests/system/simulate.hpp"

namespace kernbench::independent_test {
namespace {

constexpr auto kRows = PlacementPolicy::kRows;
constexpr auto kColumns = PlacementPolicy::kColumns;
constexpr auto kReplicate = PlacementPolicy::kReplicate;
constexpr auto kBlocks = PlacementPolicy::kBlocks;

/// Every tile that a PE multiplies is in its partition.
const std::vector<GemmPlacement> kOfTheirOwn{{kRows, kReplicate, kRows},
                                             {kReplicate, kColumns, kColumns},
                                             {kReplicate, kReplicate, kBlocks},
                                             {kReplicate, kReplicate, kRows}};

struct Told {
  std::int64_t simulated = 0;
  std::int64_t passed_over = 0;
  std::int64_t wakeups = 0;
  std::string all;
};

/// All that a run says, from a forked child.
Told told(const std::function<MultiPeResult()>& run) {
  std::istringstream text(forked([&] {
    const MultiPeResult result = run();
    std::ostringstream out;
    out << result.simulated << ' ' << result.tiles_passed_over << ' ' << result.engine.wakeups << '\n';
    out << result.time.value << ' ' << result.network_bytes << ' ' << result.port_bytes << ' '
        << result.busiest_link.name << ' ' << result.engine.bursts << ' ' << result.compared << '\n';
    const Activity& did = result.activity;
    out << did.pes << ' ' << did.vector_operations << ' ' << did.registers << ' ' << did.tcm << ' ' << did.hbm << ' '
        << did.sram << ' ' << did.router << ' ' << did.die_to_die << ' ' << did.package_link << ' ' << did.macs[0]
        << '\n';
    for (const PeReport& pe : result.pes) {
      out << pe.name << ' ' << pe.end.value << ' ' << pe.array.value << ' ' << pe.macs << ' ' << pe.vector.value << ' '
          << pe.read << ' ' << pe.sent << ' ' << pe.written;
      for (const Cause cause : kCauses.values()) {
        out << ' ' << pe.ledger.time.of(cause).value << ' ' << pe.ledger.path.of(cause).value;
      }
      out << '\n';
    }
    return out.str();
  }));
  Told told;
  text >> told.simulated >> told.passed_over >> told.wakeups;
  std::getline(text, told.all, '\0');
  return told;
}

Told gemm_told(const MachineSpec& machine, const MultiPeGemmRequest& request, bool apart) {
  return told([&] { return run_multi_pe_gemm(machine, request, {.fast_forward = apart}); });
}

Told operator_told(const MachineSpec& machine, const OperatorPlan& plan, bool apart) {
  std::vector<std::int32_t> pes(plan.shares.size());
  std::iota(pes.begin(), pes.end(), 0);
  return told([&] { return run_operator(machine, plan, pes, {.fast_forward = apart}); });
}

MultiPeGemmRequest owner_computes(const GemmProblem& problem, const GemmPlacement& placement, std::int32_t pes) {
  MultiPeGemmRequest request{.problem = problem, .kernel = "owner_computes", .placement = placement, .pes = {}};
  for (std::int32_t pe = 0; pe < pes; ++pe) request.pes.push_back(pe);
  return request;
}

/// A random machine of two packages, each with two dies of two PEs.
MachineSpec random_machine(Case& any) {
  any.set("die.hbm.capacity", "4 GiB");
  any.set("pe.tcm.capacity", "64 MiB");
  any.set("system.packages.columns", 2);
  any.set("package.dies.rows", 1);
  any.set("package.dies.columns", 2);
  any.set("die.routers.rows", 1);
  any.set("die.routers.columns", 2);
  any.set("package.die_to_die.connections", 2);
  MachineSpec machine = any.machine();
  // Half of them with buffers so small that packets wait.
  if (*rc::gen::arbitrary<bool>()) machine.die.router.buffer = *rc::gen::inRange(1, 4) * machine.simulation.packet;
  return machine;
}

}  // namespace

TEST_SUITE("ADR-0060") {
  TEST_CASE("60.1 60.3 60.4 any GEMM on any machine says what the whole machine says") {
    CHECK(rc::check("apart as together", [] {
      Case any = any_case(1);
      const MachineSpec machine = random_machine(any);
      const auto up_to = [](std::int64_t most) { return *rc::gen::inRange<std::int64_t>(1, most + 1); };
      const TileShape tile = machine.pe.mac.tile;
      const auto pes = static_cast<std::int32_t>(up_to(8));
      GemmProblem problem{up_to(6 * tile.m * pes), up_to(6 * tile.k), up_to(6 * tile.n * pes)};
      problem.layout = *rc::gen::element(Layout::kBlocked, Layout::kRowMajor);
      if (*rc::gen::arbitrary<bool>()) problem.epilogues = parse_epilogues("scale,relu");
      MultiPeGemmRequest request = owner_computes(problem, *rc::gen::elementOf(kOfTheirOwn), 0);
      for (std::int32_t i = 0; i < pes; ++i) request.pes.push_back((i * 5 + 3) % 8);
      if (*rc::gen::arbitrary<bool>()) request.mapping = MultiPeMapping{random_mapping(problem, tile), 1};
      RC_LOG() << any << '\n'
               << to_text(request.placement) << ' ' << pes << " PEs " << problem.m << 'x' << problem.k << 'x'
               << problem.n;
      const Told together = gemm_told(machine, request, false);
      const Told apart = gemm_told(machine, request, true);
      RC_CLASSIFY(apart.simulated < pes, "fewer");
      RC_CLASSIFY(request.mapping.has_value(), "by a mapping");
      RC_CLASSIFY(!own_wires_are_exact(machine), "with its network");
      RC_ASSERT(together.simulated == pes);
      RC_ASSERT(apart.all == together.all);
    }));
  }

  TEST_CASE("60.1 60.3 60.4 any operator says what the whole machine says") {
    CHECK(rc::check("operators apart as together", [] {
      const OperatorProblem problem = random_operator(20'000);
      const MachineSpec machine = random_operator_machine();
      const auto pes = *rc::gen::inRange<std::int64_t>(1, 9);
      const OperatorPlan plan = plan_operator_on(machine, problem, pes);
      const Told together = operator_told(machine, plan, false);
      const Told apart = operator_told(machine, plan, true);
      RC_CLASSIFY(apart.simulated < pes, "fewer");
      RC_ASSERT(together.simulated == pes);
      RC_ASSERT(apart.all == together.all);
      if (!plan.traits().writes_rows) RC_ASSERT(apart.simulated == pes);
    }));
  }

  TEST_CASE("60.3 of PEs with the same work one is simulated, and its tiles are counted on") {
    const MachineSpec machine = one_die({"die.hbm.bandwidth=300 GB/s"});
    const auto simulated = [&](const GemmProblem& problem, const GemmPlacement& placement) {
      const MultiPeGemmRequest request = owner_computes(problem, placement, 8);
      const Told apart = gemm_told(machine, request, true);
      const Told together = gemm_told(machine, request, false);
      CHECK(apart.all == together.all);
      CHECK(together.passed_over == 0);
      CHECK((apart.simulated == 8 || apart.wakeups < together.wakeups / 2));
      return apart;
    };
    const Told equal = simulated({8 * 128, 2048, 128}, {kRows, kReplicate, kRows});
    CHECK(equal.simulated == 1);
    CHECK(equal.passed_over > 0);
    CHECK(equal.passed_over % 8 == 0);
    CHECK(simulated({8 * 128 - 1, 256, 128}, {kRows, kReplicate, kRows}).simulated == 2);  // the last is ragged
    CHECK(simulated({5 * 32, 256, 128}, {kRows, kReplicate, kRows}).simulated == 2);       // three have nothing
    CHECK(simulated({128, 256, 8 * 64}, {kReplicate, kColumns, kColumns}).simulated == 1);
    CHECK(simulated({256, 256, 256}, {kReplicate, kReplicate, kBlocks}).simulated == 1);  // further on in their copies
    CHECK(simulated({256, 256, 256}, {kRows, kColumns, kRows}).simulated == 8);           // of others' partitions
    MultiPeGemmRequest ring = owner_computes({256, 256, 256}, {kRows, kColumns, kRows}, 8);
    ring.kernel = "ring_shift";
    CHECK(gemm_told(machine, ring, true).simulated == 8);
  }

  TEST_CASE("60.3 by a mapping steps of each PE are counted on, or tiles where it has one") {
    const MachineSpec machine = one_die();
    const auto passed_over = [&](const GemmPlacement& placement, const TileShape& block) {
      MultiPeGemmRequest request = owner_computes({8 * 512, 256, 512}, placement, 8);
      request.mapping = MultiPeMapping{{.tile = {32, 64, 32}, .block = block}, 1};
      const Told apart = gemm_told(machine, request, true);
      const Told together = gemm_told(machine, request, false);
      CHECK(apart.all == together.all);
      CHECK(together.passed_over == 0);
      return apart.passed_over;
    };
    CHECK(passed_over({kRows, kReplicate, kRows}, {64, 256, 32}) > 0);
    CHECK(passed_over({kReplicate, kReplicate, kBlocks}, {64, 256, 32}) > 0);  // of tiles that lie in a copy of all
    CHECK(passed_over({kRows, kReplicate, kRows}, {512, 256, 512}) > 0);
  }

  TEST_CASE("60.2 whoever looks at every record or value sees all PEs") {
    const MachineSpec machine = one_die();
    const MultiPeGemmRequest request = owner_computes({8 * 32, 64, 32}, {kRows, kReplicate, kRows}, 8);
    CHECK(told([&] { return run_multi_pe_gemm(machine, request); }).simulated == 1);
    CHECK(told([&] { return run_multi_pe_gemm(machine, request, {.verify = true}); }).simulated == 8);
    CHECK(told([&] {
            Recorder recorder;
            MultiPeResult result = run_multi_pe_gemm(machine, request, {.sink = &recorder});
            result.compared = static_cast<std::int64_t>(recorder.records().size());
            return result;
          }).simulated == 8);
  }

  TEST_CASE("60.3 a time limit holds for each PE by itself") {
    const MultiPeGemmRequest request = owner_computes({8 * 128, 2048, 128}, {kRows, kReplicate, kRows}, 8);
    const auto limited = [&](Picoseconds limit) {
      return forked([&] {
        try {
          return std::to_string(run_multi_pe_gemm(one_die(), request, {.limit = limit}).time.value);
        } catch (const TimeLimitError& error) {
          return std::string(error.what()).substr(0, 10);
        }
      });
    };
    const std::string time = limited(kForever);
    CHECK(limited(Picoseconds{std::stoll(time) / 2}) != time);
    CHECK(limited(Picoseconds{std::stoll(time) - 1}) != time);
    CHECK(limited(Picoseconds{std::stoll(time)}) == time);
  }
}

}  // namespace kernbench::independent_test
