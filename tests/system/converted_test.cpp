// GEMMs whose B is of fewer bytes than A: the vector unit converts it tile by tile.
#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <string>
#include <vector>

#include "sim/plan/gemm_bound.hpp"
#include "sim/plan/gemm_mapping.hpp"
#include "tests/plan/random_mapping.hpp"
#include "tests/system/random_case.hpp"
#include "tests/system/simulate.hpp"

using namespace kernbench;

namespace {

GemmProblem with_b(Dtype b, std::int64_t m, std::int64_t k, std::int64_t n, const std::string& epilogues = "") {
  return {.m = m, .k = k, .n = n, .epilogues = parse_epilogues(epilogues), .dtype_b = b};
}

/// All that the vector unit does, in the order of its starts.
std::vector<OpRecord> of_vector_unit(const Observed& run) {
  std::vector<OpRecord> all = run.of("convert");
  const std::vector<OpRecord> results = run.of("vector");
  all.insert(all.end(), results.begin(), results.end());
  std::ranges::sort(all, {}, &OpRecord::start);
  return all;
}

/// When each tile asks for its conversion (34.9), and when the results of outputs of one K tile each are there.
struct Asking {
  std::vector<Picoseconds> operands;
  std::vector<Picoseconds> results;
};

Asking asking_in(const Observed& run, Picoseconds fill) {
  Asking asking;
  const std::vector<OpRecord> conversions = run.of("convert");
  Picoseconds before{};
  for (std::size_t t = 0; t < conversions.size(); ++t) {
    asking.operands.push_back(std::max(run.of("fetch")[t].end, before));
    before = conversions[t].end;
  }
  for (const OpRecord& product : run.of("mac")) asking.results.push_back(product.end + fill);
  return asking;
}

}  // namespace

TEST_SUITE("ADR-0034") {
  TEST_CASE("34.8 34.9 one tile takes the sum of its parts, to the picosecond") {
    const auto composite = [](Dtype b, const std::vector<std::string>& overrides = {}) {
      return simulate_gemm(milestone(overrides), with_b(b, 32, 64, 32), "ref_ref", true).composite();
    };
    // Dispatch and setup; the way and the memory's latency; bursts of A and B; fetch, conversion and its latency,
    // array; fill, store, setup, bursts of C, the way and back.
    const auto sum = [](int conversion) {
      return Picoseconds{1000 * (1 + 4 + 24 + 12 + conversion + 4 + 16 + 8 + 4 + 4 + 8) + 44'060 + 4'060};
    };
    CHECK(composite(Dtype::kInt8) == sum(16));
    CHECK(composite(Dtype::kInt8) == Picoseconds{149'120});
    CHECK(composite(Dtype::kFp8E5m2) == sum(16));
    CHECK(composite(Dtype::kInt8, {"pe.vector.rates.convert=4"}) == sum(4));
    CHECK(composite(Dtype::kInt8, {"pe.vector.rates.convert=0.3"}) == sum(54));  // 16 ÷ 0.3 cycles
  }

  TEST_CASE("34.8 34.10 any mapping computes the product, is not faster than its bound, and its ledger closes") {
    CHECK(rc::check([] {
      Case any = any_case(3);
      if (*rc::gen::arbitrary<bool>()) set_any_array(any);
      set_any_converted(any);
      MachineSpec machine = any.machine();
      machine.pe.tcm.capacity = Bytes{1} << 30;
      GemmProblem problem = any.problem;
      problem.epilogues = parse_epilogues(*rc::gen::element<std::string>("", "relu", "bias,gelu", "scale@k_tile,bias"));
      const GemmMapping mapping = random_mapping(problem, machine.pe.mac.tile);
      RC_LOG() << any << '\n' << to_text(mapping) << '\n';
      const MappedGemm steps(problem, mapping);
      machine.pe.tcm.capacity = steps.tcm(machine);
      const Observed run = observe([&](RunSettings settings) {
        settings.verify = true;
        return run_gemm(machine, problem, mapping, settings);
      });
      const GemmBound bound = gemm_bound(steps, machine);
      RC_ASSERT(run.result.pe.length() >= bound.pe);
      RC_ASSERT(run.composite() >= bound.composite);
      const Bytes bias = problem.has_epilogue(VectorOp::kBias) ? bytes_of(problem.n, bias_of(problem.result())) : 0;
      const Bytes in_hbm = mapping.sums.place == SumPlace::kHbm
                               ? bytes_of((steps.k_blocks() - 1) * problem.m * problem.n, mapping.sums.format)
                               : 0;
      RC_ASSERT(run.result.hbm_read ==
                steps.times_a() * problem.m * bytes_of_row(problem.k, mapping.tile.k, problem.dtype) +
                    steps.times_b() * problem.k * bytes_of_row(problem.n, mapping.tile.n, *problem.dtype_b) + in_hbm +
                    bias);
      for (const LedgerTotals& totals : {run.result.ledger.time, run.result.ledger.path}) {
        RC_ASSERT(totals.sum() == run.result.pe.length());
        RC_ASSERT(totals.of(Cause::kUntold) == Picoseconds{});
      }
      // One unit does both.
      const std::vector<OpRecord> work = of_vector_unit(run);
      RC_ASSERT(static_cast<std::int64_t>(run.of("convert").size()) == run.result.tiles);
      for (std::size_t i = 1; i < work.size(); ++i) RC_ASSERT(work[i].start >= work[i - 1].end);
    }));
  }

  TEST_CASE("34.9 of a result and an operand that ask at one instant the result comes first") {
    int met = 0;
    for (int fill = 0; fill < 16; ++fill) {
      const Observed run = simulate_gemm(milestone({"pe.mac.fill_cycles=" + std::to_string(fill)}),
                                         with_b(Dtype::kInt8, 128, 64, 128, "relu"), "load_load");
      const Asking asking = asking_in(run, from_ns(fill));
      for (std::size_t t = 0; t < asking.operands.size(); ++t) {
        const auto same = std::ranges::find(asking.results, asking.operands[t]);
        if (same == asking.results.end()) continue;
        ++met;
        CAPTURE(fill);
        CAPTURE(t);
        const auto output = static_cast<std::size_t>(same - asking.results.begin());
        CHECK(run.of("vector").at(output).start < run.of("convert").at(t).start);
      }
    }
    CHECK(met > 0);
  }

  TEST_CASE("34.9 from the first conversion on tiles without one follow in order") {
    // The second composite's tiles, of bf16 alone, are fetched while the first's are converted.
    const MachineSpec machine = milestone({"pe.vector.rates.convert=0.1", "pe.mac.operand_registers=8"});
    const Observed run = simulate(machine, [](KernelPe pe) -> Process {
      MatrixLayout wide = pe.tcm(64, 64);
      MatrixLayout narrow = wide;
      narrow.dtype = Dtype::kInt8;
      narrow = pe.tcm(narrow);
      const MatrixLayout first = pe.tcm(64, 64);
      const MatrixLayout second = pe.tcm(64, 64);
      static_cast<void>(co_await pe.composite(wide, narrow, first));
      const Pending last = co_await pe.composite(wide, wide, second);
      co_await pe.wait(last);
    });
    const std::vector<OpRecord> converted = run.of("convert");
    const std::vector<OpRecord> products = run.of("mac");
    REQUIRE(converted.size() == 4);
    REQUIRE(products.size() == 8);
    const Picoseconds ready = converted.back().end + from_ns(4);
    CHECK(run.of("fetch")[4].end < ready);
    CHECK(products[3].start == ready);
    for (std::size_t t = 4; t < products.size(); ++t) CHECK(products[t].start == products[t - 1].end);
  }
}
