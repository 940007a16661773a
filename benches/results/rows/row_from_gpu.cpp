#include "benches/results/rows/row_from_gpu.hpp"

#include <algorithm>

#include "benches/results/rows/gpu_metrics.hpp"
#include "benches/results/rows/run_metrics.hpp"
#include "sim/plan/gpu/gpu_choice.hpp"
#include "sim/plan/gpu/gpu_power.hpp"

namespace kernbench {
namespace {

/// Of all SMs at their highest clock, nominal.
double nominal_tflops(const GpuGemm& gemm, const GpuSpec& gpu) {
  return 2e-3 * nominal_macs(gemm, gpu) * gpu.sm.count * gpu.sm.clock;
}

}  // namespace

bool is_librarys_choice(const std::string& map) { return map.empty() || map == kLibrarysChoice; }

GpuKernel gpu_kernel_of(const std::string& map, const GpuGemm& gemm, const GpuSpec& gpu, const std::string& place) {
  if (is_librarys_choice(map)) return choose_gpu_kernel(gemm, gpu);
  const GpuKernel kernel = parse_gpu_kernel(map, place);
  check_kernel(kernel, gemm, gpu, place);
  return kernel;
}

Row row_from_gpu(const GpuGemm& gemm, const GpuKernel& kernel, const GpuSpec& gpu, L2State l2, GpuState state,
                 GpuLaunching launching) {
  GpuConditions conditions{.l2 = l2, .launching = launching};
  conditions.clock = governed_clock(state, gemm, kernel, gpu, conditions);
  const GpuGemmTime time = gpu_gemm_time(gemm, kernel, gpu, conditions);
  Row row;
  row.metrics = {{kTime, time.time().ns()},
                 {kTflops, tflops(gemm, time.total)},
                 {kPeakFraction, tflops(gemm, time.total) / nominal_tflops(gemm, gpu)},
                 {kSmClockMhz, time.clock * 1000},
                 {kPowerW, gpu_power(gemm, kernel, gpu, conditions)},
                 {kLimitedBy, time.limit()},
                 {kKernelText, to_text(kernel)},
                 {kCtas, time.ctas},
                 {kRoundCount, time.rounds},
                 {kSliceCount, time.slices},
                 {kSliceMma, time.mma},
                 {kSliceRequest, time.request},
                 {kSliceReceive, time.receive},
                 {kSliceLatency, time.latency},
                 {kSliceTime, time.slice},
                 {kStoreTime, time.store},
                 {kSmTime, time.sm},
                 {kHbmTime, time.hbm},
                 {kHbmBytes, static_cast<std::int64_t>(time.hbm_bytes)},
                 {kL2Bytes, static_cast<std::int64_t>(time.l2_bytes)},
                 {kLaunchTime, time.launch},
                 {kSplitTime, time.split}};
  if (launching == GpuLaunching::kEager) row.metrics.set(kHostWait, time.wait);
  return row;
}

Row roofline_from_gpu(const GpuGemm& gemm, const GpuSpec& gpu, L2State l2) {
  const double flop = 2.0 * static_cast<double>(gemm.m) * static_cast<double>(gemm.k) * static_cast<double>(gemm.n);
  const double compute = flop / nominal_tflops(gemm, gpu) / 1e3;
  const double memory = footprint(gemm) * missed_share(gemm, gpu, l2) / gpu.hbm.bandwidth;
  Row row;
  row.metrics = {{kTime, std::max(compute, memory)},
                 {kTflops, tflops(gemm, std::max(compute, memory))},
                 {kBottleneck, memory > compute ? "hbm" : "mac"}};
  return row;
}

}  // namespace kernbench
