// Kernels on GPUs as events (adr/0050): closed forms, who waits for whom, and what is refused.
#include <doctest/doctest.h>

#include "sim/base/errors.hpp"
#include "sim/base/source_dir.hpp"
#include "sim/machine/gpu/load_gpu.hpp"
#include "sim/plan/gpu/gpu_choice.hpp"
#include "sim/plan/gpu/gpu_governor.hpp"
#include "sim/plan/gpu/gpu_power.hpp"
#include "sim/system/gpu/gpu_streams.hpp"
#include "tests/support/error_of.hpp"

using namespace kernbench;

namespace {

const GpuSpec& two_of_them() {
  static const GpuSpec kGpu = load_gpu(kernbench::source_dir() + "/topology/h200_x2.yaml").spec;
  return kGpu;
}

GpuLaunched product_of(const GpuGemm& gemm, L2State l2 = L2State::kWarm) {
  return {.product = GpuProduct{gemm, choose_gpu_kernel(gemm, two_of_them()), l2}};
}

Picoseconds alone(const GpuLaunched& launched) {
  const GpuProduct& product = *launched.product;
  return gpu_gemm_time(product.gemm, product.kernel, two_of_them(), {.l2 = product.l2}).time();
}

GpuLaunched all_reduce_of(Bytes bytes, std::int64_t channels) {
  return {.collective = NcclCollective{Collective::kAllReduce, 2, bytes, channels, /*threads=*/0}};
}

Picoseconds alone_of(const GpuLaunched& launched) { return nccl_time(*launched.collective, two_of_them()).time(); }

const GpuRecord& find_record(const GpuRun& run, std::int64_t gpu, std::int64_t stream, std::int64_t launch) {
  for (const GpuRecord& record : run.records) {
    if (record.gpu == gpu && record.stream == stream && record.launch == launch) return record;
  }
  throw std::logic_error("no such record");
}

}  // namespace

TEST_SUITE("ADR-0050") {
  TEST_CASE("50.1 a product alone takes what its closed form says, to the picosecond, again and again") {
    for (const GpuGemm gemm :
         {GpuGemm{1024, 4096, 4096}, GpuGemm{3072, 4096, 8192}, GpuGemm{64, 8192, 512}, GpuGemm{8192, 8192, 8192},
          GpuGemm{100, 1000, 3000}, GpuGemm{1, 64, 8}, GpuGemm{512, 512, 512, Dtype::kFp8E4m3}}) {
      for (const L2State l2 : {L2State::kWarm, L2State::kFlushed}) {
        const GpuLaunched launched = product_of(gemm, l2);
        const GpuRun run = run_gpus(two_of_them(), {{{{launched, launched, launched}, {0}}}});
        REQUIRE(run.records.size() == 3);
        CHECK(run.records.back().end == 3 * alone(launched));
      }
    }
  }

  TEST_CASE("50.1 a collective alone likewise, on all its GPUs") {
    const GpuLaunched launched = all_reduce_of(16 << 20U, 8);
    const GpuRun run = run_gpus(two_of_them(), {{{{launched, launched}, {0}}}, {{{launched, launched}, {0}}}});
    REQUIRE(run.records.size() == 4);
    CHECK(run.records.back().end == 2 * alone_of(launched));
    CHECK(run.records.front().sms == 8);
  }

  TEST_CASE("50.2 streams on one GPU: a product begins when SMs are free") {
    // Each takes 128 of 132 SMs, so the second waits for the first.
    const GpuLaunched launched = product_of({1024, 4096, 4096});
    const GpuRun run = run_gpus(two_of_them(), {{{{launched}, {0}}, {{launched}, {0}}}});
    const GpuRecord& first = find_record(run, 0, 0, 0);
    const GpuRecord& second = find_record(run, 0, 1, 0);
    CHECK(first.sms == 128);
    CHECK(second.begin < first.end);  // two clusters find the four SMs left
    CHECK(second.end > first.end);
    CHECK(second.end < 2 * alone(launched));
  }

  TEST_CASE("50.5 a collective begins when every GPU has all its SMs, and holds those that it has") {
    const GpuLaunched busy = product_of({3072, 4096, 8192});  // all 132 SMs
    const GpuLaunched together = all_reduce_of(16 << 20U, 8);
    const Picoseconds late = from_ns(5000);
    const GpuRun run = run_gpus(two_of_them(), {{{{}, {0}}, {{together}, late}}, {{{busy}, {0}}, {{together}, late}}});
    const GpuRecord& idle = find_record(run, 0, 1, 0);
    const GpuRecord& waits = find_record(run, 1, 1, 0);
    const GpuRecord& product = find_record(run, 1, 0, 0);
    CHECK(idle.begin == late);
    CHECK(waits.begin > late);
    CHECK(waits.begin < product.end);
    CHECK(idle.end == waits.end);
    CHECK(idle.end >= waits.begin + alone_of(together));
    // It had the SMs first; the collective found some that had no tile left, and ran beside the last round.
    CHECK(product.end < alone(busy) + from_ns(1000));
  }

  TEST_CASE("50.5 CTAs of a product that wait take the SMs of a collective that ends") {
    const GpuLaunched launched = product_of({8192, 8192, 8192});
    const GpuLaunched together = all_reduce_of(64 << 20U, 16);
    const GpuRun run = run_gpus(
        two_of_them(), {{{{launched}, from_ns(1000)}, {{together, together}, {0}}}, {{}, {{together, together}, {0}}}});
    const GpuRecord& product = find_record(run, 0, 0, 0);
    CHECK(product.sms == 132);                                                 // 116 until the first collective ended
    CHECK(find_record(run, 0, 1, 1).begin > find_record(run, 0, 1, 1).ready);  // the next one waits
    CHECK(product.end > from_ns(1000) + alone(launched));
  }

  TEST_CASE("50.8 the same run twice gives the same records and events") {
    const std::vector<GpuStreams> work{{{{product_of({3072, 4096, 8192})}, {0}, true},
                                        {{all_reduce_of(64 << 20U, 16), all_reduce_of(16 << 20U, 4)}, {0}}},
                                       {{}, {{all_reduce_of(64 << 20U, 16), all_reduce_of(16 << 20U, 4)}, {0}}}};
    const GpuRun first = run_gpus(two_of_them(), work);
    const GpuRun second = run_gpus(two_of_them(), work);
    REQUIRE(first.records.size() == second.records.size());
    CHECK(first.events == second.events);
    for (std::size_t i = 0; i < first.records.size(); ++i) CHECK(first.records[i].end == second.records[i].end);
  }

  TEST_CASE("50.8 a collective that one GPU never joins is said, and so is a product that the machine cannot do") {
    const GpuLaunched together = all_reduce_of(1 << 20U, 2);
    CHECK_THROWS_AS(static_cast<void>(run_gpus(two_of_them(), {{{{together}, {0}}}, {{{}, {0}}}})), SimulationError);
    GpuLaunched wrong = product_of({64, 64, 64});
    wrong.product->gemm.dtype = Dtype::kFp32;
    CHECK_THROWS_AS(static_cast<void>(run_gpus(two_of_them(), {{{{wrong}, {0}}}})), ConfigError);
  }

  TEST_CASE("50.7 from idle the clock goes power.step of the way to the steady one at each tick") {
    const GpuGemm gemm{4096, 4096, 4096};
    const GpuKernel kernel = choose_gpu_kernel(gemm, two_of_them());
    const auto ticks = clock_from_idle(gemm, kernel, two_of_them(), L2State::kWarm, from_ns(400'000'000));
    REQUIRE(ticks.size() == 5);
    const double steady = steady_clock(gemm, kernel, two_of_them(), L2State::kWarm);
    const double burst = burst_clock(gemm, kernel, two_of_them());
    CHECK(ticks[0].clock == burst);
    CHECK(ticks[1].from == from_ns(80'000'000));
    CHECK(ticks[1].clock == doctest::Approx(steady + 0.27 * (burst - steady)));
    CHECK(ticks[4].clock == doctest::Approx(steady).epsilon(0.01));
    // Measured: 175.1, 193.3 and 201.5 us in the first three ticks.
    CHECK(ticks[0].time.ns() / 1000 == doctest::Approx(175.1).epsilon(0.03));
    CHECK(ticks[1].time.ns() / 1000 == doctest::Approx(193.3).epsilon(0.034));
    CHECK(ticks[2].time.ns() / 1000 == doctest::Approx(201.5).epsilon(0.03));
  }
}
