#include "sim/plan/gpu/gpu_gemm_time.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "sim/plan/gpu/gpu_older_kernels.hpp"
#include "sim/plan/gpu/gpu_power.hpp"

namespace kernbench {
namespace {

constexpr double kQuarters = 4;  // of a slice, each an instruction of 64 rows
constexpr double kFp32 = 4;

double as_double(std::int64_t value) { return static_cast<double>(value); }

/// Of a slice.
struct Lines {
  double a = 0;
  double b = 0;
};

Lines lines_of(const GpuGemm& gemm, const GpuKernel& kernel, bool aligned) {
  const Bytes element = bytes_of(1, gemm.dtype);
  const std::int64_t row_of_k = aligned ? kGpuLine : gemm.k * element;
  const std::int64_t row_of_n = aligned ? kGpuLine : gemm.n * element;
  const bool column_major = element == 1;
  return {touched_lines(kernel.b, kGpuSlice, row_of_k),
          column_major ? touched_lines(kernel.a, kGpuSlice, row_of_k)
                       : touched_lines(kGpuSlice / element, kernel.a * element, row_of_n)};
}

/// Of a quarter of a slice, as fast as the tensor cores are.
double quarter_cycles(const GpuGemm& gemm, const GpuKernel& kernel, const GpuTensorRate& rate) {
  const std::int64_t side = kernel.swapped ? kernel.b : kernel.a;
  const std::int64_t other = kernel.swapped ? kernel.a : kernel.b;
  const double k = as_double(kGpuSlice / bytes_of(1, gemm.dtype)) / kQuarters;
  const double macs = as_double(ceil_div(side, kGpuInstructionRows) * kGpuInstructionRows * other) * k;
  return macs / rate.macs / rate.share;
}

/// A product inside a CUDA graph, launched so.
GpuGemmTime launched(GpuGemmTime time, const GpuKernel& kernel, const GpuSpec& gpu, GpuLaunching launching) {
  if (launching == GpuLaunching::kGraph) return time;
  const double more = gpu.launch.stream * as_double(kernels_of(kernel));
  time.launch += more;
  time.total += more;
  if (launching == GpuLaunching::kEager) {
    time.wait = std::max(0.0, gpu.launch.host - time.total);
    time.total += time.wait;
  }
  return time;
}

}  // namespace

double footprint(const GpuGemm& gemm) {
  return as_double(gemm.m * gemm.k + gemm.k * gemm.n) * as_double(bytes_of(1, gemm.dtype)) +
         as_double(gemm.m * gemm.n * result_bytes(gemm)) * (gemm.adds ? 2 : 1);
}

double missed_share(const GpuGemm& gemm, const GpuSpec& gpu, L2State l2) {
  if (l2 == L2State::kFlushed) return 1;
  return std::clamp((footprint(gemm) - gpu.l2.resident) / gpu.l2.spill, 0.0, 1.0);
}

double joined_limits(std::initializer_list<double> limits, double p) {
  const double largest = std::max(limits);
  if (largest <= 0) return 0;
  double sum = 0;
  for (const double limit : limits) sum += std::pow(limit / largest, p);
  return largest * std::pow(sum, 1 / p);
}

double touched_lines(std::int64_t rows, std::int64_t width, std::int64_t stride) {
  const std::int64_t step = std::gcd(stride, kGpuLine);  // rows begin at multiples of it within a line
  const std::int64_t even = std::gcd(width, step);
  return as_double(rows) * as_double(width + kGpuLine - even) / as_double(kGpuLine);
}

double tflops(const GpuGemm& gemm, double ns) {
  return 2e-3 * as_double(gemm.m) * as_double(gemm.k) * as_double(gemm.n) / ns;
}

Picoseconds GpuGemmTime::time() const { return {std::llround(total * 1000)}; }

std::string GpuGemmTime::limit() const {
  const double body = std::max(sm, hbm);
  if (wait > launch + split + body) return "the host's launches";
  if (launch + split > body) return split > launch ? "adding up the parts of K" : "launch";
  if (hbm > sm) return "HBM";
  if (store > sm - store) return "stores";
  const double most = std::max({mma, request, receive, latency});
  if (most == mma) return std::string(units);
  if (most == latency) return "latency of a CTA's steps";
  return most == request ? std::string(lines) : "operand intake";
}

GpuGemmTime gpu_gemm_time(const GpuGemm& gemm, const GpuKernel& kernel, const GpuSpec& gpu,
                          const GpuConditions& conditions) {
  if (conditions.clock <= 0) {
    GpuConditions burst = conditions;
    burst.clock = burst_clock(gemm, kernel, gpu, conditions);
    return gpu_gemm_time(gemm, kernel, gpu, burst);
  }
  if (kernel.family != GpuFamily::kNewest) {
    return launched(older_gemm_time(gemm, kernel, gpu, conditions), kernel, gpu, conditions.launching);
  }
  const GpuTensorRate& rate = *tensor_rate(gpu, gemm.dtype);
  GpuGemmTime time;
  time.clock = conditions.clock;
  time.tiles = tiles(kernel, gemm) * kernel.split;
  time.ctas = std::min(time.tiles, most_ctas(kernel, gpu, conditions.sms));
  time.rounds = ceil_div(time.tiles, time.ctas);
  time.slices = ceil_div(slices(gemm), kernel.split);

  const Lines lines = lines_of(gemm, kernel, conditions.aligned);
  const double asked = lines.a / as_double(kernel.across) + lines.b / as_double(kernel.down);
  const double quarter = quarter_cycles(gemm, kernel, rate);
  if (quarter < gpu.tensor.least) time.units = "latency of instructions";
  time.mma = (kQuarters * std::max(quarter, gpu.tensor.least) + rate.slice) / time.clock;
  time.request = asked * gpu.l2.request;
  time.receive = (lines.a + lines.b) * gpu.sm.receive / time.clock;
  time.slice = joined_limits({time.mma, time.request, time.receive}, gpu.overlap.slice);

  const double result = kernel.split > 1 ? kFp32 : as_double(result_bytes(gemm));
  const double first_store = as_double(kernel.a * kernel.b) * result / gpu.sm.store / time.clock;
  time.store = first_store * (1 + gpu.sm.later_store * as_double(time.rounds - 1));
  time.sm = as_double(time.rounds) * as_double(time.slices) * time.slice + time.store;

  const bool flushed = conditions.l2 == L2State::kFlushed;
  time.hbm_bytes = footprint(gemm) * missed_share(gemm, gpu, conditions.l2);
  time.hbm = time.hbm_bytes / gpu.hbm.bandwidth;
  time.l2_bytes = asked * as_double(kGpuLine) * as_double(time.slices) * as_double(time.tiles);

  time.launch = gpu.launch.kernel + gpu.launch.cta * as_double(time.ctas) + gpu.launch.drain + rate.launch +
                (flushed ? gpu.launch.from_hbm : 0);
  if (kernel.split > 1) {
    time.split = gpu.split.launch + kFp32 * as_double(kernel.split) * as_double(gemm.m * gemm.n) / gpu.split.bandwidth;
  }
  time.total = time.launch + joined_limits({time.sm, time.hbm}, gpu.overlap.body) + time.split;
  return launched(time, kernel, gpu, conditions.launching);
}

std::int64_t kernels_of(const GpuKernel& kernel) {
  return kernel.split > 1 && kernel.family != GpuFamily::kNewest && !kernel.in_place ? 2 : 1;
}

}  // namespace kernbench
