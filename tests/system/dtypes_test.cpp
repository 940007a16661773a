// GEMMs of every dtype: right products, exact times and bytes, never faster than their bounds.
#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <string>

#include "sim/plan/gemm_bound.hpp"
#include "sim/plan/gemm_mapping.hpp"
#include "tests/plan/random_mapping.hpp"
#include "tests/system/kernel_run.hpp"
#include "tests/system/random_case.hpp"
#include "tests/system/simulate.hpp"

using namespace kernbench;

namespace {

using Overrides = std::vector<std::string>;

/// The committed machine with an array that knows some dtypes.
MachineSpec machine_of(Overrides more = {}) {
  for (const char* rate : {"fp8_e4m3=2", "int8=2", "tf32=0.5", "bfp8=2", "bfp4=2", "mxfp8=2", "mxfp4=4"})
    more.push_back("pe.mac.rates." + std::string(rate));
  return milestone(more);
}

GemmProblem of(Dtype dtype, std::int64_t m, std::int64_t k, std::int64_t n) {
  return {.m = m, .k = k, .n = n, .dtype = dtype};
}

/// Of the stage in a whole run.
StageTotals stage_of(const Observed& run, const std::string& name) {
  for (const StageTotals& stage : run.result.stages) {
    if (stage.stage == name) return stage;
  }
  FAIL("no stage " << name);
  return {};
}

/// A random mapping of a random GEMM of a random dtype on a random machine.
struct AnyMapped {
  MachineSpec machine;
  GemmProblem problem;
  GemmMapping mapping;

  AnyMapped() {
    Case any = any_case(3);
    set_any_dtype(any);
    RC_LOG() << any << '\n';
    machine = any.machine();
    machine.pe.tcm.capacity = Bytes{1} << 30;
    problem = any.problem;
    const bool whole = problem.dtype == Dtype::kInt8;
    problem.epilogues = parse_epilogues(whole ? *rc::gen::element<std::string>("", "relu", "bias,relu")
                                              : *rc::gen::element<std::string>("", "bias,gelu", "scale@k_tile,bias"));
    mapping = random_mapping(problem, machine.pe.mac.tile);
    if (whole) mapping.sums.format = SumFormat::kInt32;
    if (problem.dtype == Dtype::kFp16 && *rc::gen::arbitrary<bool>()) mapping.sums.format = SumFormat::kFp16;
    RC_LOG() << to_text(mapping) << '\n';
  }
};

}  // namespace

TEST_SUITE("ADR-0034") {
  TEST_CASE("34.1 34.2 34.5 any mapping of any dtype computes the product, and is not faster than its bound") {
    CHECK(rc::check([] {
      const AnyMapped any;
      const MappedGemm steps(any.problem, any.mapping);
      const Observed run = observe([&](RunSettings settings) {
        settings.verify = true;
        return run_gemm(any.machine, any.problem, any.mapping, settings);
      });
      const GemmBound bound = gemm_bound(steps, any.machine);
      RC_ASSERT(run.result.pe.length() >= bound.pe);
      RC_ASSERT(run.composite() >= bound.composite);
      const auto [m, k, n] = std::tuple(any.problem.m, any.problem.k, any.problem.n);
      const TileShape& tile = any.mapping.tile;
      const Dtype dtype = any.problem.dtype;
      const Bytes a = m * bytes_of_row(k, tile.k, dtype);
      const Bytes b = k * bytes_of_row(n, tile.n, dtype);
      const Bytes c = m * bytes_of_row(n, tile.n, result_of(dtype));
      const Bytes bias = any.problem.has_epilogue(VectorOp::kBias) ? bytes_of(n, bias_of(result_of(dtype))) : 0;
      const Bytes sums = bytes_of((steps.k_blocks() - 1) * m * n, any.mapping.sums.format);
      const Bytes in_hbm = any.mapping.sums.place == SumPlace::kHbm ? sums : 0;
      RC_ASSERT(run.result.hbm_read == steps.times_a() * a + steps.times_b() * b + bias + in_hbm);
      RC_ASSERT(run.result.hbm_written == c + in_hbm);
      RC_ASSERT(stage_of(run, "store").bytes == c + sums);
    }));
  }

  TEST_CASE("34.2 what a mapping of any dtype says it takes of TCM is enough") {
    CHECK(rc::check([] {
      AnyMapped any;
      any.machine.pe.tcm.capacity = MappedGemm(any.problem, any.mapping).tcm(any.machine);
      (void)observe(
          [&](const RunSettings& settings) { return run_gemm(any.machine, any.problem, any.mapping, settings); });
    }));
  }

  TEST_CASE("34.2 34.4 one tile takes the sum of its parts, to the picosecond") {
    const auto composite = [](Dtype dtype) {
      return simulate_gemm(machine_of(), of(dtype, 32, 64, 32), "ref_ref", true).composite();
    };
    // Dispatch and setup; the way, a burst on its channel, the memory's latency and the way back; bursts of A and B;
    // fetch and array; fill, store, setup, bursts of C, the way and back.
    const auto sum = [](int operands, int fetch_and_array, int store, int result) {
      return Picoseconds{1000 * (1 + 4 + operands + fetch_and_array + 8 + store + 4 + result) + 44'060 + 4'060};
    };
    CHECK(composite(Dtype::kBf16) == sum(32, 16 + 16, 4, 8));
    CHECK(composite(Dtype::kFp8E4m3) == sum(16, 8 + 8, 4, 8));
    CHECK(composite(Dtype::kInt8) == sum(16, 8 + 8, 8, 16));
    CHECK(composite(Dtype::kTf32) == sum(64, 32 + 32, 8, 16));
    CHECK(composite(Dtype::kFp8E4m3) == Picoseconds{109'120});
    CHECK(composite(Dtype::kInt8) == Picoseconds{121'120});
    CHECK(composite(Dtype::kTf32) == Picoseconds{217'120});
  }

  TEST_CASE("34.2 34.4 at twice the rate 8 bits take half the array's time, half the operands' bytes, half the fetch") {
    const auto run = [](Dtype dtype, const std::string& variant) {
      return simulate_gemm(machine_of(), of(dtype, 256, 512, 256), variant);
    };
    for (const std::string variant : {"ref_ref", "load_ref", "load_load"}) {
      const Observed two = run(Dtype::kBf16, variant);
      for (const Dtype dtype : {Dtype::kFp8E4m3, Dtype::kInt8}) {
        const Observed one = run(dtype, variant);
        CHECK(2 * one.result.hbm_read == two.result.hbm_read);
        CHECK(2 * stage_of(one, "fetch").bytes == stage_of(two, "fetch").bytes);
        CHECK(2 * stage_of(one, "fetch").busy == stage_of(two, "fetch").busy);
        CHECK(2 * stage_of(one, "mac").busy == stage_of(two, "mac").busy);
        CHECK(stage_of(two, "mac").busy == from_ns(256 * 512 * 256 / 4096));
        CHECK(one.result.hbm_written == (dtype == Dtype::kInt8 ? 2 : 1) * two.result.hbm_written);
      }
    }
    // Bound by the array: what is not the array's half stays.
    const auto bound = [](Dtype dtype) { return gemm_bound(of(dtype, 256, 512, 256), {true, true}, machine_of()); };
    CHECK(bound(Dtype::kBf16).bottleneck() == "fetch+mac");
    CHECK(2 * bound(Dtype::kFp8E4m3).mac_work() == bound(Dtype::kBf16).mac_work());
    CHECK(bound(Dtype::kFp8E4m3).composite == from_ns(8192 / 2 + 8 + 4 + 8));  // tiles, first fetch, last store and out
  }

  TEST_CASE("34.11 whole tiles of groups move 17/16, 9/16, 33/32 and 17/32 bytes an element, by every variant") {
    struct Moved {
      Dtype dtype;
      Bytes operand;  ///< of 512 x 512 elements
      Bytes result;
    };
    for (const Moved& moved : {Moved{Dtype::kBfp8, 278528, 278528}, Moved{Dtype::kBfp4, 147456, 147456},
                               Moved{Dtype::kMxfp8, 270336, 524288}, Moved{Dtype::kMxfp4, 139264, 524288}}) {
      CAPTURE(name_of(moved.dtype));
      for (const Layout layout : {Layout::kBlocked, Layout::kRowMajor}) {
        GemmProblem problem = of(moved.dtype, 512, 512, 512);
        problem.layout = layout;
        const Observed loaded = simulate_gemm(machine_of(), problem, "load_load");
        CHECK(loaded.result.hbm_read == 2 * moved.operand);
        CHECK(loaded.result.hbm_written == moved.result);
        CHECK(stage_of(loaded, "fetch").bytes == 16 * 2 * moved.operand);
        CHECK(simulate_gemm(machine_of(), problem, "ref_ref").result.hbm_read == 16 * 2 * moved.operand);
      }
      // What lies without gaps is loaded as one run: no burst more than its bytes.
      CHECK(place_gemm(of(moved.dtype, 512, 512, 512), machine_of()).a.whole().size() == 1);
    }
  }

  TEST_CASE(
      "34.11 34.12 groups that rows' and tiles' edges cut are products, too, in both layouts, streamed and loaded") {
    for (const Dtype dtype : {Dtype::kBfp8, Dtype::kBfp4, Dtype::kMxfp8, Dtype::kMxfp4}) {
      CAPTURE(name_of(dtype));
      for (const std::string tile : {"pe.mac.tile.k=64", "pe.mac.tile.k=40", "pe.mac.tile.n=7"}) {
        for (const Layout layout : {Layout::kBlocked, Layout::kRowMajor}) {
          GemmProblem problem = of(dtype, 33, 100, 50);
          problem.layout = layout;
          problem.epilogues = parse_epilogues("bias,relu");
          for (const std::string variant : {"ref_ref", "load_load"}) {
            CHECK_NOTHROW(static_cast<void>(simulate_gemm(machine_of({tile}), problem, variant, true)));
          }
        }
      }
    }
  }

  TEST_CASE("34.11 one tile of bfp8 takes the sum of its parts, to the picosecond") {
    // As the tile of bf16, with 9 bursts of each operand, of which the first and the last share a pseudo-channel, so
    // that the fourth burst of that one comes 24 ns after its first, and 1 ns on the link; 4,352 bytes to fetch; 1,088
    // to store, and 5 bursts of C.
    const Picoseconds took = simulate_gemm(machine_of(), of(Dtype::kBfp8, 32, 64, 32), "ref_ref", true).composite();
    CHECK(took == Picoseconds{1000 * (1 + 4 + 24 + 1 + 8 + 8 + 4 + 5) + 8'500 + 2'125 + 44'060 + 4'060});
  }

  TEST_CASE("34.7 element-wise composites are bf16") {
    MatrixLayout eight{Layout::kBlocked, 32, 32, 32, 32, 0, machine_of().die.hbm.burst};
    eight.dtype = Dtype::kInt8;
    const std::string added = notes_of(1, [=](KernelPe pe, Notes*) -> Process {
      MathCall call{{.op = VectorOp::kRelu}, {}};
      call.matrices.a = pe.tcm(eight);
      call.matrices.c = pe.tcm(eight);
      static_cast<void>(co_await pe.composite(call));
    });
    CHECK_MESSAGE(added.find("composite: A is int8: expected bf16") != std::string::npos, added);
  }
}
