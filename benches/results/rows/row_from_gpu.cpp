#include "benches/results/rows/row_from_gpu.hpp"

#include <algorithm>

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
  row.metrics = {{"time_ns", time.time().ns()},
                 {"tflops", tflops(gemm, time.total)},
                 {"peak_fraction", tflops(gemm, time.total) / nominal_tflops(gemm, gpu)},
                 {"sm_clock_mhz", time.clock * 1000},
                 {"power_w", gpu_power(gemm, kernel, gpu, conditions)},
                 {"limited_by", time.limit()},
                 {"kernel", to_text(kernel)},
                 {"ctas", time.ctas},
                 {"rounds", time.rounds},
                 {"slices", time.slices},
                 {"slice_mma_ns", time.mma},
                 {"slice_request_ns", time.request},
                 {"slice_receive_ns", time.receive},
                 {"slice_latency_ns", time.latency},
                 {"slice_ns", time.slice},
                 {"store_ns", time.store},
                 {"sm_ns", time.sm},
                 {"hbm_ns", time.hbm},
                 {"hbm_bytes", static_cast<std::int64_t>(time.hbm_bytes)},
                 {"l2_bytes", static_cast<std::int64_t>(time.l2_bytes)},
                 {"launch_ns", time.launch},
                 {"split_ns", time.split}};
  if (launching == GpuLaunching::kEager) row.metrics["host_wait_ns"] = time.wait;
  return row;
}

Row roofline_from_gpu(const GpuGemm& gemm, const GpuSpec& gpu, L2State l2) {
  const double flop = 2.0 * static_cast<double>(gemm.m) * static_cast<double>(gemm.k) * static_cast<double>(gemm.n);
  const double compute = flop / nominal_tflops(gemm, gpu) / 1e3;
  const double memory = footprint(gemm) * missed_share(gemm, gpu, l2) / gpu.hbm.bandwidth;
  Row row;
  row.metrics = {{"time_ns", std::max(compute, memory)},
                 {"tflops", tflops(gemm, std::max(compute, memory))},
                 {"bottleneck", memory > compute ? "hbm" : "mac"}};
  return row;
}

}  // namespace kernbench
