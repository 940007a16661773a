// Functional verification: right plans give the right product, broken ones are found, and times stay the same.
#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "sim/base/errors.hpp"
#include "sim/hw/values/matrix_values.hpp"
#include "tests/support/milestone.hpp"
#include "tests/system/simulate.hpp"

namespace kernbench::verify_test {
namespace {

/// A machine with tiles small enough for many of them.
MachineSpec small_machine() {
  static const MachineSpec kMachine = milestone(
      {"pe.mac.tile.m=4", "pe.mac.tile.k=8", "pe.mac.tile.n=4", "die.hbm.burst=32B", "simulation.packet_bytes=64B"});
  return kMachine;
}

using Break = std::function<TilePlan(TilePlan)>;

constexpr RunSettings kVerified{.verify = true};

/// Where a matrix lies in TCM when it has been loaded.
Task<MatrixLayout> loaded_now(KernelPe pe, MatrixLayout matrix) {
  const Operand operand = co_await pe.load(matrix);
  co_await pe.wait(operand);
  co_return operand.matrix;
}

/// What verification says of a kernel that runs the plan of `problem`, changed by `change`, with operands streamed or
/// loaded as `residency` says; "" where it finds nothing.
std::string verdict(const GemmProblem& problem, const Break& change, Residency residency = {},
                    const MachineSpec& machine = small_machine()) {
  return failure_of([&] {
    (void)forked([&] {
      const GemmCall call{problem, place_gemm(problem, machine)};
      const auto kernel = [&](KernelPe pe) -> Process {
        GemmMatrices matrices = call.matrices;
        if (residency.a) matrices.a = co_await loaded_now(pe, matrices.a);
        if (residency.b) matrices.b = co_await loaded_now(pe, matrices.b);
        TilePlan plan = change(make_gemm_plan(problem, matrices, machine.pe));
        co_await pe.wait(co_await pe.composite(std::move(plan)));
      };
      (void)run_kernel(machine, kernel, kVerified, check_of(call));
      return std::string();
    });
  });
}

/// A plan whose step t is step `number(t)` of the right one.
Break renumbered(const std::function<std::int64_t(std::int64_t)>& number) {
  return [number](TilePlan plan) {
    plan.step = [step = plan.step, number](std::int64_t t) { return step(number(t)); };
    return plan;
  };
}

/// A plan whose steps are changed one by one.
Break changed(const std::function<void(TileStep&)>& change) {
  return [change](TilePlan plan) {
    plan.step = [step = plan.step, change](std::int64_t t) {
      TileStep changed_step = step(t);
      change(changed_step);
      return changed_step;
    };
    return plan;
  };
}

bool wrong_result(const std::string& text) { return text.find("verification failed: ") == 0; }
bool found(const std::string& text) { return text.find("verification") == 0; }

constexpr auto kUnchanged = [](TilePlan plan) { return plan; };

}  // namespace

TEST_SUITE("ADR-0015") {
  TEST_CASE("15.1 15.2 any shape, layout, variant, epilogue and machine gives the reference's bits") {
    CHECK(rc::check("verified GEMMs", [] {
      MachineSpec machine = small_machine();
      const auto up_to = [](std::int64_t most) { return *rc::gen::inRange<std::int64_t>(1, most + 1); };
      machine.pe.mac.tile = {up_to(6), up_to(9), up_to(6)};
      machine.pe.stream_depth = up_to(4);
      machine.pe.output_depth = up_to(3);
      machine.pe.mac.operand_registers = up_to(3);
      machine.pe.mac.accumulators = up_to(3);
      machine.pe.vector.lanes = up_to(40);
      machine.pe.dma.outstanding_bursts = 1 + up_to(16);
      machine.pe.store = {up_to(64) * 1'000'000'000};
      machine.pe.fetch = {up_to(64) * 1'000'000'000};
      for (Picoseconds* latency : {&machine.pe.control, &machine.pe.scheduler, &machine.pe.dma.setup}) {
        latency->value = *rc::gen::element<std::int64_t>(0, 0, 500, 1'000, 4'001);  // much at one instant
      }
      GemmProblem problem{up_to(20), up_to(30), up_to(20)};
      problem.layout = *rc::gen::element(Layout::kBlocked, Layout::kRowMajor);
      problem.epilogues = parse_epilogues(*rc::gen::element<std::string>(
          "", "bias", "relu", "gelu", "silu", "scale", "scale@k_tile", "bias,gelu,scale", "scale@k_tile,bias,relu"));
      const auto variant = *rc::gen::element<std::string>("ref_ref", "load_ref", "load_load");
      RC_ASSERT(failure_of([&] { (void)simulate_gemm(machine, problem, variant, true); }) == "");
    }));
  }

  TEST_CASE("15.1 15.2 element-wise operations give the reference's bits") {
    CHECK(rc::check("verified element-wise operations", [] {
      MachineSpec machine = small_machine();
      machine.pe.mac.accumulators = *rc::gen::inRange<std::int64_t>(1, 4);
      machine.pe.stream_depth = *rc::gen::inRange<std::int64_t>(1, 4);
      const MathProblem problem{*rc::gen::element(VectorOp::kScale, VectorOp::kAdd, VectorOp::kMultiply,
                                                  VectorOp::kRelu, VectorOp::kGelu, VectorOp::kSilu),
                                *rc::gen::inRange<std::int64_t>(1, 20), *rc::gen::inRange<std::int64_t>(1, 20),
                                *rc::gen::element(Layout::kBlocked, Layout::kRowMajor)};
      RC_ASSERT(failure_of([&] { (void)simulate_math(machine, problem, true); }) == "");
    }));
  }

  TEST_CASE("15.1 composites with and without vector work in a row keep their accumulators apart") {
    for (const std::int64_t accumulators : {1, 2, 3, 8}) {
      CAPTURE(accumulators);
      MachineSpec machine = small_machine();
      machine.pe.mac.accumulators = accumulators;
      const GemmProblem problem{12, 20, 12};
      CHECK(failure_of([&] {
              (void)forked([&] {
                GemmProblem scaled = problem;
                scaled.epilogues = parse_epilogues("gelu");
                const GemmCall plain{problem, place_gemm(problem, machine)};
                const GemmCall gelu{scaled, plain.matrices};
                const auto kernel = [&](KernelPe pe) -> Process {
                  const Operand a = co_await pe.ref(plain.matrices.a);
                  const Operand b = co_await pe.ref(plain.matrices.b);
                  static_cast<void>(co_await pe.composite(gelu, a, b));
                  co_await pe.wait(co_await pe.composite(plain, a, b));
                };
                (void)run_kernel(machine, kernel, kVerified, check_of(plain));
                return std::string();
              });
            }) == "");
    }
  }

  TEST_CASE(
      "15.1 a store carries what the TCM holds: the matrix that was loaded; without one it is the author's slip") {
    const auto stored = [](bool load_first) {
      return failure_of([&] {
        (void)forked([&] {
          const MachineSpec machine = small_machine();
          const GemmProblem problem{10, 20, 10};
          const GemmCall call{problem, place_gemm(problem, machine)};
          const auto kernel = [&](KernelPe pe) -> Process {
            const Operand a = co_await pe.ref(call.matrices.a);
            const Operand b = co_await pe.ref(call.matrices.b);
            co_await pe.wait(co_await pe.composite(call, a, b));
            Operand c{call.matrices.c, call.matrices.c, nullptr};
            if (load_first) c = co_await pe.load(call.matrices.c);
            co_await pe.wait(c);
            co_await pe.wait(co_await pe.store(c));
          };
          (void)run_kernel(machine, kernel, kVerified, check_of(call));
          return std::string();
        });
      });
    };
    CHECK(stored(true) == "");
    CHECK(stored(false).find("the kernel, rank 0, at ") == 0);
    CHECK(stored(false).find("store of a matrix that is not in TCM: load it") != std::string::npos);
  }

  TEST_CASE("15.3 a difference names the first wrong element, what it is and should be, and how many are wrong") {
    // Nothing is computed.
    const GemmProblem problem{3, 2, 3};
    const std::string text = failure_of([&] {
      (void)forked([&] {
        const MachineSpec machine = small_machine();
        const auto nothing = [](KernelPe) -> Process { co_return; };
        (void)run_kernel(machine, nothing, kVerified, check_of(GemmCall{problem, place_gemm(problem, machine)}));
        return std::string();
      });
    });
    CHECK(text.find(
              "verification failed: 9 of 9 elements are wrong; first: C[0][0] is what nobody has written, expected ") ==
          0);
    // One output tile of four is computed twice and another not at all: exactly its elements can be wrong.
    const std::string tile = verdict({8, 8, 8}, changed([](TileStep& step) {
                                       if (step.index == TileIndex{1, 1, 0})
                                         step.output.block.address = 0;  // over A, not over C
                                     }));
    CHECK(tile.find(" of 64 elements are wrong; first: C[4][4] is what nobody has written, expected ") !=
          std::string::npos);
  }

  TEST_CASE("15.4 swapped tiles are found, and the right plan passes") {
    const GemmProblem problem{8, 24, 8};
    for (const Residency residency : {Residency{}, Residency{true, false}, Residency{true, true}}) {
      CAPTURE(residency.a);
      CAPTURE(residency.b);
      CHECK(verdict(problem, kUnchanged, residency).empty());
      // Operands of tiles 1 and 4, the middle ones of two outputs, change places.
      const auto swap = [](TilePlan plan) {
        plan.step = [step = plan.step](std::int64_t t) {
          TileStep here = step(t);
          if (t != 1 && t != 4) return here;
          const TileStep there = step(5 - t);
          here.operands = there.operands;
          here.index = there.index;
          return here;
        };
        return plan;
      };
      CHECK(wrong_result(verdict(problem, swap, residency)));
    }
  }

  TEST_CASE("15.4 swapped operands, a missing tile and a tile computed twice are found") {
    const GemmProblem problem{8, 24, 8};  // tiles 0, 1, 2 are the first output's
    CHECK(
        wrong_result(verdict(problem, changed([](TileStep& step) { std::swap(step.operands[0], step.operands[1]); }))));
    CHECK(found(verdict({8, 24, 6}, changed([](TileStep& step) { std::swap(step.operands[0], step.operands[1]); }))));
    CHECK(wrong_result(verdict(problem, renumbered([](std::int64_t t) { return t == 1 ? 0 : t; }))));
    CHECK(wrong_result(verdict(problem, [](TilePlan plan) {  // tile 1 is left out
      plan = renumbered([](std::int64_t t) { return t < 1 ? t : t + 1; })(plan);
      --plan.tiles;
      return plan;
    })));
    CHECK(wrong_result(verdict(problem, [](TilePlan plan) {  // tile 1 comes twice
      plan = renumbered([](std::int64_t t) { return t < 2 ? t : t - 1; })(plan);
      ++plan.tiles;
      return plan;
    })));
    CHECK(wrong_result(verdict(problem, [](TilePlan plan) {  // the last output is left out
      plan.tiles -= 3;
      --plan.outputs;
      return plan;
    })));
  }

  TEST_CASE("15.4 a slot that is filled again before it was fetched is found") {
    // All tiles share one slot, while the scheduler lets eight tiles be under way.
    const auto one_slot = changed([](TileStep& step) { step.slot = 0; });
    MachineSpec machine = small_machine();
    machine.pe.mac.macs_per_cycle = 1;  // tiles wait for the array
    CHECK(verdict({8, 64, 8}, kUnchanged, {}, machine).empty());
    CHECK(wrong_result(verdict({8, 64, 8}, one_slot, {}, machine)));
    machine.pe.stream_depth = 1;
    CHECK(verdict({8, 64, 8}, one_slot, {}, machine).empty());  // one tile under way: one slot is right
  }

  TEST_CASE("15.4 a plan that computes before its operand is loaded, or reaches outside of its matrices, is found") {
    const GemmProblem problem{8, 24, 8};
    // A alone is used without a wait for it, and nothing is streamed behind which it would come first.
    const auto early = [&](bool own_plan) {
      return failure_of([&] {
        (void)forked([&] {
          const MachineSpec machine = small_machine();
          const GemmCall call{problem, place_gemm(problem, machine)};
          const auto kernel = [&](KernelPe pe) -> Process {
            const Operand b = co_await pe.load(call.matrices.b);
            co_await pe.wait(b);
            const Operand a = co_await pe.load(call.matrices.a);
            if (own_plan) {
              GemmMatrices matrices = call.matrices;
              matrices.a = a.matrix;
              matrices.b = b.matrix;
              co_await pe.wait(co_await pe.composite(make_gemm_plan(problem, matrices, machine.pe)));
            } else {
              co_await pe.wait(co_await pe.composite(call, a, b));
            }
            co_await pe.wait(a);
          };
          (void)run_kernel(machine, kernel, kVerified, check_of(call));
          return std::string();
        });
      });
    };
    CHECK(early(false).find("operand A is used before its load is complete: wait for it first") != std::string::npos);
    CHECK(early(true).find("race in the TCM of pe0: at ") != std::string::npos);
    CHECK(found(verdict(problem, changed([](TileStep& step) { step.operands[0].address += 1 << 20; }))));
    CHECK(found(verdict(problem, changed([](TileStep& step) { step.slot = 99; }))));
    CHECK(found(verdict(problem, changed([](TileStep& step) { step.output.block.address = 1 << 20; }))));
  }

  TEST_CASE("15.5 verification changes no time") {
    for (const std::string variant : {"ref_ref", "load_ref", "load_load"}) {
      for (const std::string epilogues : {"", "bias,scale@k_tile,gelu"}) {
        CAPTURE(variant);
        CAPTURE(epilogues);
        GemmProblem problem{70, 200, 50};
        problem.epilogues = parse_epilogues(epilogues);
        const auto lines = [&](bool verify) {
          const Observed run = simulate_gemm(milestone(), problem, variant, verify);
          std::vector<std::string> all;
          for (const auto& [engine, stage, op] : run.records) {
            all.push_back(engine + " " + stage + " " + std::to_string(op.start.value) + " " +
                          std::to_string(op.end.value) + " " + std::to_string(op.tile));
          }
          std::ranges::sort(all);
          return all;
        };
        CHECK(lines(true) == lines(false));
      }
    }
  }

  TEST_CASE("15.6 values that would take more than 4 GiB are refused before anything is allocated") {
    const auto refusal = [](const GemmProblem& problem, const std::vector<std::string>& overrides) {
      std::vector<std::string> keys = {"die.hbm.capacity=64 GiB", "pe.tcm.capacity=16 GiB"};
      keys.insert(keys.end(), overrides.begin(), overrides.end());
      const MachineSpec machine = milestone(keys);
      return failure_of([&] { check_value_memory(problem, place_gemm(problem, machine), machine.pe); });
    };
    CHECK(refusal({32, 64, 32}, {}).empty());
    // A million columns in bursts of 64 KiB: 31,250 tiles of B and of C, twice, are 8 GB.
    const std::vector<std::string> coarse = {"die.hbm.burst=64 KiB", "simulation.packet_bytes=64 KiB"};
    CHECK(refusal({32, 64, 1'000'000}, coarse)
              .find("--verify keeps the values of every buffer of the PE and of its HBM: expected at most 4 GiB, and "
                    "this needs 16") == 0);
    // 1024 accumulator sets of 4096 x 4096 sums: as many of them count as there are tiles.
    const std::vector<std::string> large = {"pe.mac.tile.m=4096", "pe.mac.tile.n=4096", "pe.mac.accumulators=1024"};
    CHECK(refusal({256, 64, 4096}, large).empty());
    CHECK(refusal({20'480, 32, 20'480}, large).find("--verify keeps the values") == 0);
  }

  TEST_CASE("15.6 stream slots and output slots keep two floats of an element of 4 bytes") {
    const auto needed = [](const GemmProblem& problem) {
      const std::vector<std::string> keys{
          "die.hbm.capacity=64 GiB", "pe.tcm.capacity=16 GiB", "pe.mac.rates.tf32=1",
          "pe.mac.tile.m=4096",      "pe.mac.tile.k=4096",     "pe.mac.tile.n=4096",
          "pe.stream_depth=32",      "pe.output_depth=4",      "pe.mac.operand_registers=8"};
      const MachineSpec machine = milestone(keys);
      const std::string refusal =
          failure_of([&] { check_value_memory(problem, place_gemm(problem, machine), machine.pe); });
      const std::string before = "and this needs ";
      const auto at = refusal.find(before);
      return at == std::string::npos ? 0 : std::stoll(refusal.substr(at + before.size()));
    };
    constexpr std::int64_t kTile = 4096 * 4096;  // elements of each operand's, and of a result's
    constexpr std::int64_t kTiles = 8;           // 8 stream slots of 32, 8 register sets, 4 output slots
    const std::int64_t floats = 2 * kTiles * kTile + 4 * milestone().pe.mac.accumulators * kTile;
    const auto expected = [&](std::int64_t element, std::int64_t in_slot) {
      const std::int64_t hbm = 3 * 4 * kTile * element;  // three matrices of 8192 x 8192
      return 4 * (2 * hbm / 2 + floats + 2 * kTiles * kTile * in_slot + 4 * kTile * in_slot);
    };
    CHECK(needed({.m = 8192, .k = 8192, .n = 8192}) == expected(2, 1));
    CHECK(needed({.m = 8192, .k = 8192, .n = 8192, .dtype = Dtype::kTf32}) == expected(4, 2));
  }
}

}  // namespace kernbench::verify_test
