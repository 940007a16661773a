// Times of products on a GPU, calculated by hand from adr/0048 for the machine of example_gpu.hpp.
#include <doctest/doctest.h>

#include "sim/base/capacity_error.hpp"
#include "sim/plan/gpu/gpu_gemm_time.hpp"
#include "sim/plan/gpu/gpu_power.hpp"
#include "tests/machine/example_gpu.hpp"

using namespace kernbench;

namespace {

const GpuSpec& example() {
  static const GpuSpec kGpu = gpu_of(kExampleGpu).spec;
  return kGpu;
}

/// 128 columns and 64 rows, two CTAs one above the other.
constexpr GpuKernel kKernel{.a = 128, .b = 64, .across = 1, .down = 2};
constexpr GpuGemm kGemm{256, 1024, 512};

/// At 1.5 GHz where no clock is asked for.
GpuGemmTime timed(const GpuGemm& gemm, const GpuKernel& kernel, const GpuSpec& gpu, GpuConditions conditions = {}) {
  if (conditions.clock == 0) conditions.clock = 1.5;
  return gpu_gemm_time(gemm, kernel, gpu, conditions);
}

}  // namespace

TEST_SUITE("ADR-0048") {
  TEST_CASE("48.4 tiles in whole clusters, rounds, slices") {
    const GpuGemmTime time = timed(kGemm, kKernel, example());
    CHECK(time.tiles == 16);
    CHECK(time.ctas == 10);
    CHECK(time.rounds == 2);
    CHECK(time.slices == 16);
    // 5 tiles along N become 6, 4 along M stay: clusters of four, of which 8 CTAs hold an SM.
    const GpuGemmTime ragged = timed({200, 1000, 520}, {.a = 128, .b = 64, .across = 2, .down = 2}, example());
    CHECK(ragged.tiles == 24);
    CHECK(ragged.ctas == 8);
    CHECK(ragged.rounds == 3);
    CHECK(ragged.slices == 16);
  }

  TEST_CASE("48.4 fewer free SMs: fewer CTAs, more rounds") {
    CHECK(timed(kGemm, kKernel, example(), {.sms = 8}).rounds == 2);
    CHECK(timed(kGemm, kKernel, example(), {.sms = 7}).ctas == 6);
    CHECK(timed(kGemm, kKernel, example(), {.sms = 7}).rounds == 3);
  }

  TEST_CASE("48.5 lines that rows touch") {
    CHECK(touched_lines(64, 128, 2048) == 64);
    CHECK(touched_lines(64, 128, 2000) == doctest::Approx(64 * (128.0 + 128 - 16) / 128));  // gcd(2000, 128) = 16
    CHECK(touched_lines(64, 256, 1040) == doctest::Approx(64 * (256.0 + 128 - 16) / 128));
    // The mean over where rows begin, counted.
    for (const std::int64_t stride : {16, 48, 64, 96, 128, 144, 4096}) {
      for (const std::int64_t width : {64, 128, 192, 256}) {
        double sum = 0;
        for (std::int64_t row = 0; row < 128; ++row) {
          const std::int64_t first = row * stride / 128;
          const std::int64_t last = (row * stride + width - 1) / 128;
          sum += static_cast<double>(last - first + 1);
        }
        CHECK(touched_lines(128, width, stride) == doctest::Approx(sum));
      }
    }
  }

  TEST_CASE("48.6 a slice waits for tensor cores, requests and reception") {
    const GpuGemmTime time = timed(kGemm, kKernel, example());
    CHECK(time.mma == doctest::Approx(4 * 128 * 64 * 16 / (1024 * 0.5) / 1.5));
    CHECK(time.request == doctest::Approx(64 + 128 / 2.0));
    CHECK(time.receive == doctest::Approx((64 + 128) * 2 / 1.5));
    CHECK(time.slice == doctest::Approx(686.224691));
    // However narrow: 10 cycles a quarter.
    CHECK(timed({8, 64, 64}, {.a = 64, .b = 8}, example()).mma == doctest::Approx(4 * 16 / 1.5));
    CHECK(timed({8, 64, 64}, {.a = 64, .b = 8}, gpu_of(kExampleGpu, {"tensor.least=20"}).spec).mma ==
          doctest::Approx(4 * 20 / 1.5));
    // fp8: 128 of K a slice, 30 cycles more; B is column-major, so its lines are rows of K.
    const GpuGemmTime fp8 = timed({256, 1024, 512, Dtype::kFp8E4m3}, kKernel, example());
    CHECK(fp8.slices == 8);
    CHECK(fp8.mma == doctest::Approx((4 * 128 * 64 * 32 / (2048 * 0.5) + 30) / 1.5));
    CHECK(fp8.request == doctest::Approx(64 + 128 / 2.0));
  }

  TEST_CASE("48.6 rows that begin within lines ask for more of them") {
    const GpuGemmTime time = timed({200, 1000, 520}, {.a = 128, .b = 64, .across = 2, .down = 2}, example());
    CHECK(time.request == doctest::Approx(120 / 2.0 + 184 / 2.0));
    CHECK(time.receive == doctest::Approx((120 + 184) * 2 / 1.5));
    CHECK(timed({200, 1000, 520}, {.a = 128, .b = 64, .across = 2, .down = 2}, example(), {.aligned = true}).request ==
          doctest::Approx(64 / 2.0 + 128 / 2.0));
  }

  TEST_CASE("48.7 an SM stores each of its tiles, the later ones at a share of the cost") {
    const GpuGemmTime time = timed(kGemm, kKernel, example());
    CHECK(time.store == doctest::Approx(128 * 64 * 2 / 16.0 / 1.5 * 1.5));
    CHECK(time.sm == doctest::Approx(22983.190113));
  }

  TEST_CASE("48.8 HBM moves what the L2 does not hold") {
    const GpuGemmTime warm = timed(kGemm, kKernel, example());
    CHECK(warm.hbm_bytes == doctest::Approx(0.75 * 1835008));
    CHECK(warm.hbm == doctest::Approx(1376.256));
    CHECK(timed(kGemm, kKernel, example(), {.l2 = L2State::kFlushed}).hbm == doctest::Approx(1835.008));
    CHECK(timed({64, 64, 64}, {.a = 64, .b = 64}, example()).hbm == 0);
    CHECK(timed({2048, 2048, 2048}, kKernel, example()).hbm_bytes == doctest::Approx(3 * 2048 * 2048 * 2));
  }

  TEST_CASE("48.9 launch, body, and the second kernel of a product whose K is cut, to the picosecond") {
    const GpuGemmTime warm = timed(kGemm, kKernel, example());
    CHECK(warm.launch == doctest::Approx(1400));
    CHECK(warm.time().value == 24'424'359);
    CHECK(timed(kGemm, kKernel, example(), {.l2 = L2State::kFlushed}).time().value == 24'656'328);
    const GpuGemmTime cut = timed({64, 4096, 128}, {.a = 64, .b = 32, .split = 2}, example());
    CHECK(cut.slices == 32);
    CHECK(cut.split == doctest::Approx(400 + 4.0 * 2 * 64 * 128 / 500));
    CHECK(cut.time().value == 8'263'533);
    CHECK(timed({200, 1000, 520}, {.a = 128, .b = 64, .across = 2, .down = 2}, example(), {.l2 = L2State::kFlushed})
              .time()
              .value == 36'744'250);
    CHECK(timed({256, 1024, 512, Dtype::kFp8E4m3}, kKernel, example()).launch == doctest::Approx(1450));
  }

  TEST_CASE("48.10 what the machine cannot do is refused with the numbers") {
    CHECK_THROWS_WITH_AS(check_gemm({64, 64, 64, Dtype::kFp16}, example()),
                         "--dtype fp16: GPU example has no section tensor.fp16", ConfigError);
    CHECK_THROWS_WITH_AS(check_gemm({16384, 16384, 16384}, example()),
                         "A, B and C take 1.5 GiB; GPU example has 1 GiB of HBM (hbm.capacity)", CapacityError);
    CHECK_THROWS_AS(check_gemm({0, 64, 64}, example()), ConfigError);
    CHECK_THROWS_WITH_AS(check_kernel({.a = 256, .b = 256}, kGemm, example(), "--map"),
                         "--map: kernel 256x256: 65536 elements of C; an SM's CTA keeps 40960 (sm.accumulators)",
                         ConfigError);
    CHECK_THROWS_AS(check_kernel({.a = 64, .b = 8, .split = 17}, kGemm, example(), "--map"), ConfigError);
    CHECK_THROWS_AS(check_kernel({.a = 65, .b = 8}, kGemm, example(), "--map"), ConfigError);
    CHECK_THROWS_AS(check_kernel({.a = 64, .b = 12}, kGemm, example(), "--map"), ConfigError);
    CHECK_THROWS_AS(check_kernel({.a = 64, .b = 8, .across = 4, .down = 8}, kGemm, example(), "--map"), ConfigError);
    CHECK_NOTHROW(check_kernel(kKernel, kGemm, example(), "--map"));
  }

  TEST_CASE("48.11 power, and the clock that the limit allows") {
    const GpuConditions burst{.clock = 1.0};
    const GpuGemmTime time = timed(kGemm, kKernel, example(), burst);
    const double flops = 2.0 * 256 * 1024 * 512;
    const double watts = 10 + (2 * flops + 10 * time.l2_bytes + 100 * time.hbm_bytes) / time.total / 1e3 * 0.25;
    CHECK(gpu_power(kGemm, kKernel, example(), burst) == doctest::Approx(watts));
    CHECK(time.l2_bytes == doctest::Approx(128 * 128.0 * 16 * 16));
    const GpuSpec limited = gpu_of(kExampleGpu, {"power.limit=30 W"}).spec;
    const double clock = steady_clock(kGemm, kKernel, limited, L2State::kWarm);
    CHECK(clock < 2);
    CHECK(gpu_power(kGemm, kKernel, limited, {.clock = clock}) == doctest::Approx(30).epsilon(1e-6));
    const GpuSpec unlimited = gpu_of(kExampleGpu, {"power.limit=10000 W", "power.peak=10000 W"}).spec;
    CHECK(steady_clock(kGemm, kKernel, unlimited, L2State::kWarm) == 2);
  }

  TEST_CASE("48.12 a burst: the clock that the peak allows, never less than the steady one") {
    const GpuSpec limited = gpu_of(kExampleGpu, {"power.limit=30 W", "power.peak=40 W"}).spec;
    const double burst = burst_clock(kGemm, kKernel, limited);
    CHECK(burst < 2);
    CHECK(burst > steady_clock(kGemm, kKernel, limited, L2State::kWarm));
    CHECK(gpu_power(kGemm, kKernel, limited, {.clock = burst}) == doctest::Approx(40).epsilon(1e-6));
    CHECK(gpu_gemm_time(kGemm, kKernel, limited).total == timed(kGemm, kKernel, limited, {.clock = burst}).total);
    // Of half of what switches, idle power apart: the clock at which all of it would draw 10 + 2 * 30 W.
    const GpuSpec half = gpu_of(kExampleGpu, {"power.limit=30 W", "power.peak=70 W"}).spec;
    CHECK(burst_clock(kGemm, kKernel, limited, {}, 0.5) == doctest::Approx(burst_clock(kGemm, kKernel, half)));
    const GpuSpec unlimited = gpu_of(kExampleGpu, {"power.peak=10000 W"}).spec;
    CHECK(burst_clock(kGemm, kKernel, unlimited) == 2);
    CHECK(burst_clock(kGemm, kKernel, unlimited, {.clock = 1}) == 2);
    // A peak below the limit holds for both.
    const GpuSpec low = gpu_of(kExampleGpu, {"power.limit=40 W", "power.peak=30 W"}).spec;
    CHECK(steady_clock(kGemm, kKernel, low, L2State::kWarm) == burst_clock(kGemm, kKernel, low));
  }
}
