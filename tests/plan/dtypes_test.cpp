// Dtypes in plans: rates of the array, and what does not go together.
#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <string>

#include "sim/machine/array_cycles.hpp"
#include "sim/plan/gemm_bound.hpp"
#include "sim/plan/mapping_search.hpp"
#include "tests/plan/random_problem.hpp"
#include "tests/support/error_of.hpp"

using namespace kernbench;

namespace {

GemmProblem of(Dtype dtype, const std::string& epilogues = "") {
  return {.m = 64, .k = 64, .n = 64, .epilogues = parse_epilogues(epilogues), .dtype = dtype};
}

const std::vector<std::string> kEightBits{"pe.mac.rates.int8=2", "pe.mac.rates.fp8_e4m3=2"};

}  // namespace

TEST_SUITE("ADR-0034") {
  TEST_CASE("34.4 a whole rate is as many times the depth of cells, or the MACs in a cycle") {
    CHECK(rc::check([] {
      MacArraySpec array = random_machine().pe.mac;
      const std::int64_t rate = random_size(9);
      MacArraySpec more = array;
      more.depth *= rate;
      more.macs_per_cycle *= rate;
      array.rates.int8 = rate * MacRates::kOne;
      const TileShape valid{random_size(40), random_size(40), random_size(40)};
      const bool leaves = *rc::gen::arbitrary<bool>();
      RC_ASSERT(array_cycles(array, valid, leaves, Dtype::kInt8) == array_cycles(more, valid, leaves));
    }));
  }

  TEST_CASE("34.4 quotients are exact and rounded once") {
    MacArraySpec array;
    array.macs_per_cycle = 4096;
    array.tile = {32, 64, 32};
    const auto cycles = [&](std::int64_t rate) {
      array.rates.fp32 = rate;
      return array_cycles(array, array.tile, true, Dtype::kFp32).multiply;
    };
    CHECK(cycles(500'000) == 32);
    CHECK(cycles(333'333) == 49);  // 48.000048
    CHECK(cycles(333'334) == 48);  // 47.9999
    CHECK(cycles(62'500) == 256);
    CHECK(cycles(64'000'000) == 1);
    array.rows = array.columns = 8;
    array.depth = 3;
    array.rates.fp32 = 1'500'000;  // 4.5 of K in a cycle
    CHECK(array_cycles(array, {8, 9, 8}, true, Dtype::kFp32).multiply == 2);
    CHECK(array_cycles(array, {8, 10, 8}, true, Dtype::kFp32).multiply == 3);
  }

  TEST_CASE("34.4 a dtype without a rate is refused by name, with the key, by plan, bound and search alike") {
    const MachineSpec machine = milestone({"pe.mac.rates.int8=0"});
    const std::string expected =
        "dtype int8: the machine's MAC array has no rate for it: expected pe.mac.rates.int8, its multiply-accumulates "
        "in a cycle as a multiple of those of bf16, in the machine file, or --set pe.mac.rates.int8=1";
    CHECK(::error_of([&] { (void)place_gemm(of(Dtype::kInt8), machine); }) == expected);
    CHECK(::error_of([&] { (void)gemm_bound(of(Dtype::kInt8), Residency{}, machine); }) == expected);
    CHECK(::error_of([&] { (void)search_mappings(of(Dtype::kInt8), machine, {}); }) == expected);
    CHECK(::error_of([&] { (void)array_cycles(machine.pe.mac, {1, 1, 1}, true, Dtype::kInt8); }) == expected);
    CHECK(::error_of([&] { (void)place_gemm(of(Dtype::kBf16), machine); }).empty());
  }

  TEST_CASE("34.3 whole numbers stay whole") {
    const MachineSpec machine = milestone(kEightBits);
    const auto refused = [&](const std::string& epilogues) {
      return ::error_of([&] { (void)gemm_bound(of(Dtype::kInt8, epilogues), Residency{}, machine); });
    };
    CHECK(refused("bias,relu").empty());
    for (const std::string name : {"scale", "gelu", "silu", "scale@k_tile"}) {
      CHECK(refused(name) ==
            "epilogue '" + name.substr(0, name.find('@')) +
                "' with dtype int8: expected bias or relu, which keep whole numbers whole, or a floating-point dtype");
    }
    CHECK(::error_of([&] { (void)gemm_bound(of(Dtype::kFp8E4m3, "gelu"), Residency{}, machine); }).empty());
  }

  TEST_CASE("34.3 A and B have one dtype, and C that of sums of their products") {
    const MachineSpec machine = milestone(kEightBits);
    const GemmProblem problem = of(Dtype::kInt8);
    const GemmMatrices matrices = place_gemm(problem, machine);
    CHECK(matrices.a.dtype == Dtype::kInt8);
    CHECK(matrices.b.dtype == Dtype::kInt8);
    CHECK(matrices.c.dtype == Dtype::kInt32);
    CHECK(place_gemm(of(Dtype::kFp8E4m3, "bias"), machine).bias.dtype == Dtype::kBf16);
    const auto refused = [&](const GemmMatrices& of) {
      return ::error_of([&] { (void)make_gemm_plan(problem, of, machine.pe); });
    };
    CHECK(refused(matrices).empty());
    GemmMatrices mixed = matrices;
    mixed.b.dtype = Dtype::kBf16;
    CHECK(refused(mixed) == "A is int8 and B bf16: expected int8 for both, as nothing is converted to whole numbers");
    mixed.b.dtype = Dtype::kBfp4;
    CHECK(refused(mixed).find("expected int8 for both") != std::string::npos);
    GemmMatrices narrow = matrices;
    narrow.c.dtype = Dtype::kInt8;
    CHECK(refused(narrow) == "A and B are multiplied as int8 and C is int8: expected C as int32");
  }

  TEST_CASE("34.3 kept sums are as they are added up, or of floating-point numbers bf16") {
    const auto refused = [](Dtype dtype, SumFormat sums) {
      return ::error_of([&] {
        (void)MappedGemm(of(dtype), GemmMapping{.tile = {32, 64, 32}, .block = {64, 64, 64}, .sums = sums});
      });
    };
    CHECK(refused(Dtype::kInt8, SumFormat::kInt32).empty());
    CHECK(refused(Dtype::kInt8, SumFormat::kFp32) == "mapping: sums fp32 of int8: expected int32");
    CHECK(refused(Dtype::kInt8, SumFormat::kBf16) == "mapping: sums bf16 of int8: expected int32");
    CHECK(refused(Dtype::kTf32, SumFormat::kInt32) == "mapping: sums int32 of tf32: expected fp32 or bf16");
    CHECK(refused(Dtype::kFp8E5m2, SumFormat::kBf16).empty());
  }

  TEST_CASE("34.3 34.8 B may be of fewer bytes than A, and is itself in HBM, TCM and fetch; all else is A's") {
    const MachineSpec machine = milestone({"pe.mac.rates.fp16=1", "pe.mac.rates.tf32=1", "pe.mac.rates.fp8_e4m3=1"});
    const auto with_b = [](Dtype a, Dtype b) {
      GemmProblem problem = of(a);
      problem.dtype_b = b;
      return problem;
    };
    const GemmProblem problem = with_b(Dtype::kBf16, Dtype::kInt8);
    GemmMatrices matrices = place_gemm(problem, machine);
    CHECK(matrices.a.dtype == Dtype::kBf16);
    CHECK(matrices.b.dtype == Dtype::kInt8);
    CHECK(matrices.c.dtype == Dtype::kBf16);
    CHECK(matrices.c.base == 64 * 64 * 3);
    const TilePlan plan = make_gemm_plan(problem, matrices, machine.pe);
    REQUIRE(plan.tiles == 4);
    CHECK(plan.step(0).fetch_bytes == 32 * 64 * 2 + 64 * 32);
    CHECK(plan.step(0).streamed_bytes() == 32 * 64 * 2 + 64 * 32);
    CHECK(plan.step(0).convert_cycles == 64 * 32 / 128);
    CHECK(make_gemm_plan(of(Dtype::kBf16), place_gemm(of(Dtype::kBf16), machine), machine.pe).step(0).convert_cycles ==
          0);
    CHECK(MappedGemm(problem, whole_mapping(problem, machine.pe.mac.tile, {true, true})).tcm(machine) ==
          64 * 64 * 3 + machine.pe.output_depth * 32 * 32 * 2);
    const auto refused = [&](Dtype a, Dtype b) {
      return !::error_of([&] { (void)place_gemm(with_b(a, b), machine); }).empty();
    };
    CHECK(!refused(Dtype::kFp16, Dtype::kFp8E5m2));
    CHECK(!refused(Dtype::kTf32, Dtype::kBf16));
    CHECK(refused(Dtype::kFp16, Dtype::kBf16));
    CHECK(refused(Dtype::kFp8E4m3, Dtype::kInt8));
    CHECK(refused(Dtype::kBf16, Dtype::kTf32));
  }

  TEST_CASE("34.11 34.14 rows and tiles of groups follow each other, and are whole groups in memory, TCM and fetch") {
    const MachineSpec machine = milestone({"pe.mac.rates.bfp8=2", "pe.mac.tile.k=40"});
    GemmProblem problem{.m = 33, .k = 100, .n = 50, .epilogues = parse_epilogues("bias"), .dtype = Dtype::kBfp8};
    constexpr Bytes kGroup = 17;
    for (const Layout layout : {Layout::kBlocked, Layout::kRowMajor}) {
      problem.layout = layout;
      const GemmMatrices matrices = place_gemm(problem, machine);
      // Of A 40, 40 and 20 columns are 3, 3 and 2 groups; of B and C 32 and 18 are 2 and 2.
      CHECK(matrices.a.element_bytes() == 33 * 8 * kGroup);
      CHECK(matrices.b.element_bytes() == 100 * 4 * kGroup);
      CHECK(matrices.c.dtype == Dtype::kBfp8);
      CHECK(matrices.bias.dtype == Dtype::kBf16);
      const Block last = matrices.a.tile(1, 2);
      CHECK(last.bytes() == 2 * kGroup);
      CHECK(last.address == (layout == Layout::kBlocked ? 5 * 32 * 3 * kGroup : (32 * 8 + 6) * kGroup));
      CHECK(last.stride == (layout == Layout::kBlocked ? 2 : 8) * kGroup);
      CHECK(matrices.a.footprint() == (layout == Layout::kBlocked ? 6 * 32 * 3 : 33 * 8) * kGroup);
      const TilePlan plan = make_gemm_plan(problem, matrices, machine.pe);
      CHECK(plan.step(0).fetch_bytes == (32 * 3 + 40 * 2) * kGroup);
      CHECK(plan.step(11).fetch_bytes == (1 * 2 + 20 * 2) * kGroup);
      const MappedGemm whole(problem, whole_mapping(problem, machine.pe.mac.tile, {true, true}));
      CHECK(whole.read() == (33 * 8 + 100 * 4) * kGroup);
      CHECK(whole.written() == 33 * 4 * kGroup);
    }
    CHECK(least_traffic({.m = 64, .k = 64, .n = 64, .dtype = Dtype::kMxfp4}, Bytes{1} << 30U) ==
          64 * 64 * (2 * 17.0 / 32 + 2));
  }

  TEST_CASE("34.14 fewer bytes an element are so with their share of the exponent") {
    CHECK(is_smaller(Dtype::kBfp8, Dtype::kBf16));
    CHECK(is_smaller(Dtype::kMxfp8, Dtype::kBfp8));
    CHECK(is_smaller(Dtype::kInt8, Dtype::kMxfp8));
    CHECK(is_smaller(Dtype::kMxfp4, Dtype::kBfp4));
    CHECK(!is_smaller(Dtype::kBfp8, Dtype::kFp8E5m2));
    CHECK(!is_smaller(Dtype::kBfp8, Dtype::kBfp8));
  }
}
