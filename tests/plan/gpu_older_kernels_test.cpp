// Times and choices of older kernels, calculated by hand from adr/0055 for the machine of example_gpu.hpp with round
// numbers for three families.
#include "sim/plan/gpu/gpu_older_kernels.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>

#include "sim/base/source_dir.hpp"
#include "sim/plan/gpu/gpu_choice.hpp"
#include "sim/plan/gpu/gpu_power.hpp"
#include "tests/machine/example_gpu.hpp"

using namespace kernbench;

namespace {

std::string section(const std::string& family) {
  std::string text = "  " + family + ":\n    macs: {is: 512, from: data_sheet}\n";
  for (const char* number :
       {"share: {is: 0.5", "latency: {is: 0.5", "floor: {is: 2", "line: {is: 1 ns", "cta: {is: 100 ns",
        "store: {is: 16", "launch: {is: 1 us", "from_hbm: {is: 200 ns", "split_launch: {is: 400 ns",
        "split_bandwidth: {is: 500 GB/s", "part: {is: 50 ns", "energy: {is: 3 pJ"}) {
    text += "    " + std::string(number) + ", from: assumed, note: a round number}\n";
  }
  return text;
}

const std::string& older_gpu_text() {
  static const std::string kText = std::string(kExampleGpu) + "older:\n" + section("even") + section("tf32_wide") +
                                   section("tf32_segment") + section("fp32");
  return kText;
}

const GpuSpec& older_gpu() {
  static const GpuSpec kGpu = gpu_of(older_gpu_text()).spec;
  return kGpu;
}

const GpuSpec& whole_h200() {
  static const GpuSpec kGpu = load_gpu(kernbench::source_dir() + "/topology/h200.yaml").spec;
  return kGpu;
}

GpuGemmTime at_fixed_clock(const GpuGemm& gemm, const GpuKernel& kernel, GpuConditions conditions = {}) {
  conditions.clock = 1.5;
  return gpu_gemm_time(gemm, kernel, older_gpu(), conditions);
}

constexpr GpuGemm kEvenGemm{250, 1000, 500};
constexpr GpuKernel kEvenKernel{.a = 128, .b = 64, .family = GpuFamily::kEven, .depth = 64};
constexpr GpuKernel kWideKernel{.a = 128, .b = 128, .family = GpuFamily::kTf32Wide, .depth = 32};

std::string refusal(const GpuKernel& kernel, const GpuGemm& gemm) {
  try {
    check_kernel(kernel, gemm, whole_h200(), "--map");
    return "";
  } catch (const ConfigError& error) {
    return error.what();
  }
}

}  // namespace

TEST_SUITE("ADR-0055") {
  TEST_CASE("55.1 families by dtype and by what rows are multiples of") {
    using enum GpuFamily;
    const auto of = [](GpuGemm gemm) { return families_of(gemm, whole_h200()); };
    CHECK(of({64, 64, 64}) == std::vector{kNewest});
    CHECK(of({63, 64, 64}) == std::vector{kNewest});
    CHECK(of({64, 68, 64}) == std::vector{kEven});
    CHECK(of({64, 64, 66, Dtype::kFp16}) == std::vector{kEven});
    CHECK(of({64, 65, 64}) == std::vector{kOdd});
    CHECK(of({64, 64, 63}) == std::vector{kOdd});
    CHECK(of({64, 64, 68, Dtype::kTf32}) == std::vector{kTf32, kTf32Wide, kTf32Segment});
    CHECK(of({64, 66, 64, Dtype::kTf32}) == std::vector{kTf32Ragged});
    CHECK(of({64, 65, 64, Dtype::kFp32}) == std::vector{kFp32});
    CHECK(of({64, 64, 64, Dtype::kFp8E4m3}) == std::vector{kNewest});
    // A machine without numbers for them launches the newest kernels on ragged rows too.
    CHECK(families_of({64, 65, 64}, gpu_of(kExampleGpu).spec) == std::vector{kNewest});
    CHECK_THROWS_WITH_AS(check_gemm({64, 64, 64, Dtype::kTf32}, gpu_of(kExampleGpu).spec),
                         "--dtype tf32: GPU example has no section older.tf32", ConfigError);
  }

  TEST_CASE("55.2 tiles: each once in its family, warps that an SM holds") {
    for (const GpuFamily family : kGpuFamilies.values()) {
      std::set<std::string> seen;
      for (const GpuOlderTile& tile : older_tiles(family)) {
        const GpuKernel kernel{.a = tile.a, .b = tile.b, .family = family, .depth = tile.depth};
        CHECK(seen.insert(to_text(kernel)).second);
        CHECK(older_tile(kernel) == &tile);
        CHECK(32 * tile.warps * tile.held <= 2048);
      }
      CHECK(seen.empty() == (family == GpuFamily::kNewest));
    }
    CHECK(older_tile({.a = 128, .b = 64, .family = GpuFamily::kOdd, .depth = 64}) == nullptr);
  }

  TEST_CASE("55.3 a step waits for the units, the latency of one CTA, and its lines") {
    const GpuGemmTime time = at_fixed_clock(kEvenGemm, kEvenKernel);
    CHECK(time.tiles == 16);
    CHECK(time.ctas == 16);
    CHECK(time.rounds == 1);
    CHECK(time.slices == 16);
    CHECK(time.mma == doctest::Approx(2 * 128 * 64 * 64 / (512 * 0.5) / 1.5));
    CHECK(time.latency == doctest::Approx((128.0 * 64 * 64 / 128 * 0.5 + 2 * 64) / 1.5));
    CHECK(time.request == doctest::Approx(2 * (128 + 64) * 64 * 2 / 128.0));
    CHECK(time.slice == doctest::Approx(2783.741733));
  }

  TEST_CASE("55.4 the SM with the most CTAs decides, to the picosecond") {
    CHECK(at_fixed_clock(kEvenGemm, kEvenKernel).time().value == 47'020'092);
    CHECK(at_fixed_clock(kEvenGemm, kEvenKernel, {.l2 = L2State::kFlushed}).time().value == 47'238'473);
    // 48 tiles on 10 SMs: five on one, three together and then two.
    const GpuGemmTime wide = at_fixed_clock({250, 1000, 1500}, kEvenKernel);
    CHECK(wide.rounds == 2);
    CHECK(wide.ctas == 30);
    CHECK(wide.time().value == 115'031'034);
    CHECK(at_fixed_clock(kEvenGemm, kEvenKernel, {.sms = 4}).time().value == 96'564'884);
  }

  TEST_CASE("55.5 parts of K, added up by a second kernel or in place") {
    const GpuKernel cut{.a = 64, .b = 64, .split = 3, .family = GpuFamily::kEven, .depth = 32};
    const GpuGemmTime time = at_fixed_clock({60, 1000, 250}, cut);
    CHECK(time.slices == 11);
    CHECK(time.split == doctest::Approx(400 + 4.0 * 3 * 60 * 250 / 500));
    CHECK(time.time().value == 10'918'101);
    GpuKernel in_place = kEvenKernel;
    in_place.split = 2;
    in_place.in_place = true;
    CHECK(at_fixed_clock(kEvenGemm, in_place).split == doctest::Approx(50));
    CHECK(at_fixed_clock(kEvenGemm, in_place).time().value == 50'308'102);
  }

  TEST_CASE("55.6 clusters share lines; segments of K leave no SM idle") {
    GpuKernel kernel = kWideKernel;
    kernel.down = 2;
    const GpuGemmTime pair = at_fixed_clock({256, 1000, 500, Dtype::kTf32}, kernel);
    CHECK(pair.request == doctest::Approx(128 * (128 + 128 - 32) / 128.0 + 128 * (128 + 128 - 16) / 128.0 / 2));
    CHECK(pair.time().value == 47'889'942);
    kernel = kWideKernel;
    kernel.family = GpuFamily::kTf32Segment;
    // 8 tiles of 32 steps on 10 SMs: 25.6 steps each.
    const GpuGemmTime segment = at_fixed_clock({250, 1000, 500, Dtype::kTf32}, kernel);
    CHECK(segment.slices == 26);
    CHECK(segment.time().value == 39'759'714);
    CHECK(at_fixed_clock({100, 1000, 100, Dtype::kTf32}, kernel).time().value == 9'333'851);
  }

  TEST_CASE("55.7 candidates: whole, in place, and in parts that fill the SMs once, twice, ...") {
    std::vector<std::string> texts;
    for (const GpuKernel& kernel : gpu_candidates({1023, 1025, 1027}, whole_h200())) {
      CHECK_NOTHROW(check_kernel(kernel, {1023, 1025, 1027}, whole_h200(), ""));
      texts.push_back(to_text(kernel));
    }
    // 33 steps: in place two parts of at least 16 each where tiles are more than half of the 132 SMs.
    CHECK(texts == std::vector<std::string>{"64x64x32 odd", "64x64x32 odd split_k=2 in_place", "64x64x32 odd split_k=2",
                                            "128x64x32 odd", "128x64x32 odd split_k=2 in_place",
                                            "128x64x32 odd split_k=2", "128x128x32 odd",
                                            "128x128x32 odd split_k=2 in_place", "128x128x32 odd split_k=3",
                                            "256x128x32 odd", "256x128x32 odd split_k=3"});
    CHECK(to_text(gpu_candidates({512, 512, 512, Dtype::kTf32}, whole_h200()).back()) ==
          "256x128x32 tf32_segment cluster=2x4");
  }

  TEST_CASE("55.7 the choice has the least time of all candidates") {
    for (const GpuGemm gemm :
         {GpuGemm{1023, 1025, 1027}, GpuGemm{300, 4100, 1000}, GpuGemm{64, 8192, 512, Dtype::kFp32},
          GpuGemm{4096, 4096, 4096, Dtype::kTf32}, GpuGemm{77, 129, 515, Dtype::kTf32}}) {
      const double chosen = gpu_gemm_time(gemm, choose_gpu_kernel(gemm, whole_h200()), whole_h200()).total;
      for (const GpuKernel& kernel : gpu_candidates(gemm, whole_h200())) {
        CHECK(chosen <= gpu_gemm_time(gemm, kernel, whole_h200()).total);
      }
    }
  }

  TEST_CASE("55.8 an older kernel is written and read back; others are refused with what there is") {
    for (const GpuGemm gemm : {GpuGemm{1023, 1025, 1027}, GpuGemm{512, 512, 512, Dtype::kTf32}}) {
      for (const GpuKernel& kernel : gpu_candidates(gemm, whole_h200())) {
        CHECK(parse_gpu_kernel(to_text(kernel), "--map") == kernel);
      }
    }
    CHECK_THROWS_WITH_AS(static_cast<void>(parse_gpu_kernel("128x128 odd", "--map")),
                         doctest::Contains("expected columns x rows x depth beside an older family"), ConfigError);
    CHECK_THROWS_AS(static_cast<void>(parse_gpu_kernel("128x128x32", "--map")), ConfigError);
    const GpuGemm odd{1023, 1025, 1027};
    CHECK(refusal({.a = 128, .b = 128}, odd) ==
          "--map: kernel 128x128: the library multiplies these matrices with kernels of odd");
    CHECK(refusal({.a = 128, .b = 128, .family = GpuFamily::kOdd, .depth = 64}, odd) ==
          "--map: kernel 128x128x64 odd: family odd has 64x64x32, 128x64x32, 128x128x32, 256x128x32");
    CHECK(refusal({.a = 64, .b = 64, .split = 34, .family = GpuFamily::kOdd, .depth = 32}, odd) ==
          "--map: kernel 64x64x32 odd split_k=34: K has 33 steps of 32; expected at most as many parts");
    CHECK(refusal({.a = 64, .b = 64, .across = 2, .family = GpuFamily::kOdd, .depth = 32}, odd)
              .ends_with("kernels of this family have no clusters"));
    CHECK(refusal({.a = 128, .b = 128, .in_place = true}, {64, 64, 64}).ends_with("in_place is of older families"));
    GpuKernel wide = kWideKernel;
    wide.split = 2;
    CHECK(refusal(wide, {512, 512, 512, Dtype::kTf32}).ends_with("do not cut K; tf32_segment does"));
  }

  TEST_CASE("55.8 a section is whole or not there; energy and peak are those of the family") {
    std::string broken = older_gpu_text();
    const std::string line = "    latency: {is: 0.5, from: assumed, note: a round number}\n";
    broken.erase(broken.find(line), line.size());
    CHECK(gpu_errors(broken).find("older.even.latency: missing") != std::string::npos);
    CHECK(energy_of_flop(kEvenGemm, kEvenKernel, older_gpu()) == 3);
    CHECK(nominal_macs(kEvenGemm, older_gpu()) == 1024);
    CHECK(nominal_macs({64, 64, 64, Dtype::kFp32}, older_gpu()) == 512);
    const double watts = gpu_power(kEvenGemm, kEvenKernel, older_gpu(), {.clock = 2});
    CHECK(watts > older_gpu().power.idle);
    CHECK(gpu_gemm_time({64, 64, 64, Dtype::kFp32}, {.a = 64, .b = 64, .family = GpuFamily::kFp32, .depth = 8},
                        older_gpu())
              .units == "CUDA cores");
  }

  TEST_CASE("55.9 few rows of fp32 have a kernel of their own, whose K is not cut") {
    const auto chosen = [](std::int64_t m, std::int64_t k, std::int64_t n) {
      const std::vector<GpuKernel> all = older_candidates({m, k, n, Dtype::kFp32}, whole_h200());
      return all.size() == 1 ? to_text(all.front()) : std::to_string(all.size()) + " candidates";
    };
    CHECK(chosen(1, 4096, 64) == "64x1x8 fp32_vector");
    CHECK(chosen(2, 1000, 1400) == "64x5x8 fp32_vector");
    CHECK(chosen(10, 1000, 1400) == "64x5x8 fp32_vector");
    CHECK(chosen(11, 1000, 1400) == "64x6x8 fp32_vector");
    for (const auto& others : {chosen(12, 1000, 1400), chosen(2, 1000, 1399)}) CHECK(others.ends_with("candidates"));
    // Beyond the K that were seen it is one among all.
    CHECK(chosen(1, 20'000, 64) == "64x1x8 fp32_vector");
    for (const auto& among : {chosen(2, 999, 1400), chosen(1, 20'001, 64)}) CHECK(among.ends_with("candidates"));
    const GpuGemm long_k{1, 1'000'000, 1, Dtype::kFp32};
    CHECK(choose_gpu_kernel(long_k, whole_h200()).family == GpuFamily::kFp32);
    const GpuGemm eight{8, 8192, 28672, Dtype::kFp32};
    const GpuKernel kernel{.a = 64, .b = 5, .family = GpuFamily::kFp32Vector, .depth = 8};
    const GpuGemmTime time = gpu_gemm_time(eight, kernel, whole_h200(), {.clock = 1.98});
    CHECK(time.tiles == 896);  // 448 groups of columns, two halves of the rows
    CHECK(time.rounds == 2);   // seven on an SM, four at a time
    CHECK(time.units == "CUDA cores");
    GpuKernel cut = kernel;
    cut.split = 2;
    CHECK_THROWS_WITH_AS(
        check_kernel(cut, eight, whole_h200(), "--map"),
        "--map: kernel 64x5x8 fp32_vector split_k=2: of 8 rows this family has 64x5x8 fp32_vector alone", ConfigError);
    GpuSpec without = whole_h200();
    without.older.of(GpuFamily::kFp32Vector).given = false;
    CHECK(older_candidates(eight, without).size() > 1);
    CHECK_NOTHROW(check_kernel({.a = 128, .b = 32, .family = GpuFamily::kFp32, .depth = 8}, eight, whole_h200(), ""));
  }
}
