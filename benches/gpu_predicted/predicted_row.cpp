#include "benches/gpu_predicted/predicted_row.hpp"

#include <map>

#include "benches/gpu_predicted/measured_cases.hpp"
#include "benches/gpu_predicted/milestone_claim.hpp"
#include "benches/measured/cases/device_peaks.hpp"
#include "benches/measured/cases/fitted_products.hpp"
#include "benches/measured/predictor/other_models.hpp"
#include "benches/measured/reference/measured_rows.hpp"
#include "benches/results/rows/gpu_metrics.hpp"
#include "benches/results/rows/measured_metrics.hpp"
#include "benches/results/rows/operator_metrics.hpp"
#include "benches/results/rows/run_metrics.hpp"
#include "sim/base/errors.hpp"
#include "sim/plan/gpu/gpu_choice.hpp"
#include "sim/plan/gpu/gpu_power.hpp"

namespace kernbench {
namespace {

constexpr Metric<double> kMilestoneTime{"milestone_ns"};

constexpr std::int64_t kAlignment = 16;

Row skipped(const Json& point, const std::string& why) {
  Row row;
  row.point = point;
  row.status = "skipped";
  row.reason = why;
  return row;
}

GpuGemm product_of(const Json& point) {
  return {point.at("m"), point.at("k"), point.at("n"), parse_dtype(point.at("dtype").get<std::string>(), "dtype")};
}

bool is_ragged(const GpuGemm& gemm) {
  const Bytes element = bytes_of(1, gemm.dtype);
  return gemm.k * element % kAlignment != 0 || gemm.n * element % kAlignment != 0;
}

const Device& device_of(const std::string& slug) {
  static std::map<std::string, Device> known;
  const auto found = known.find(slug);
  return found != known.end() ? found->second : known.emplace(slug, measured_device(slug)).first->second;
}

/// max(FLOP / peak, bytes / bandwidth) of the data sheet; nothing for a dtype without a peak.
std::optional<double> roofline_ns(const GpuGemm& gemm, const std::string& slug) {
  const Device& device = device_of(slug);
  Peaks peaks;
  for (const auto& [name, tflops] : device.peak_tflops) peaks.tflops[parse_dtype(name, "peak")] = tflops;
  peaks.memory_gbs = device.memory_gbs;
  return peaks.roofline_ns({.m = gemm.m, .n = gemm.n, .k = gemm.k, .dtype = gemm.dtype});
}

/// FLOP / (the data sheet's peak x what the milestone's machine claims to use of its own); nothing for a dtype without
/// a peak.
std::optional<double> milestone_ns(const GpuGemm& gemm, const std::string& slug) {
  const double peak = peak_tflops(device_of(slug), std::string(name_of(gemm.dtype)));
  const std::optional<double> efficiency = milestone_efficiency(gemm);
  if (peak <= 0 || !efficiency) return std::nullopt;
  return tflops(gemm, 1) / peak / *efficiency;
}

}  // namespace

Row predicted_row(const LoadedGpu& gpu, const Json& point) {
  const GpuGemm gemm = product_of(point);
  const Row* measured = measured_on(gpu.device, point);
  if (measured == nullptr) return skipped(point, not_measured_on(gpu.device));
  const auto measured_ns = measured->metrics.at(kTime);
  try {
    check_gemm(gemm, gpu.spec);
  } catch (const ConfigError& error) {
    return skipped(point, error.what());
  }
  const L2State l2 = kL2States.parse(point.at("l2").get<std::string>());
  const GpuKernel kernel = choose_gpu_kernel(gemm, gpu.spec);
  GpuGemmTime time = gpu_gemm_time(gemm, kernel, gpu.spec, {.l2 = l2});
  const bool steady = time.total >= kSteadyFromNs;
  if (steady) {
    time = gpu_gemm_time(gemm, kernel, gpu.spec, {.l2 = l2, .clock = steady_clock(gemm, kernel, gpu.spec, l2)});
  }
  Row row;
  row.point = point;
  row.metrics = {{kTime, time.time().ns()},
                 {kDeviceName, gpu.device},
                 {kMeasuredTime, measured_ns},
                 {kError, time.time().ns() / measured_ns - 1},
                 {kClockState, steady ? "steady" : "burst"},
                 {kKernelText, to_text(kernel)},
                 {kSmClockMhz, time.clock * 1000},
                 {kTflops, tflops(gemm, time.total)},
                 {kLimitedBy, time.limit()}};
  if (const std::optional<double> roofline = roofline_ns(gemm, gpu.device)) row.metrics.set(kRooflineTime, *roofline);
  if (const std::optional<double> claim = milestone_ns(gemm, gpu.device)) row.metrics.set(kMilestoneTime, *claim);
  if (fitted_products(gpu).contains(product_key(point))) row.flags.emplace_back("fitted");
  if (is_ragged(gemm)) row.flags.emplace_back("ragged");
  take_over_noisy(row, *measured);
  return row;
}

Row roofline_row(const LoadedGpu& gpu, const Json& point) {
  if (measured_on(gpu.device, point) == nullptr) return skipped(point, "not measured: no data sheet to take");
  const std::optional<double> roofline = roofline_ns(product_of(point), gpu.device);
  if (!roofline) return skipped(point, "the data sheet has no peak of the dtype");
  Row row;
  row.point = point;
  row.metrics = {{kTime, *roofline}};
  return row;
}

}  // namespace kernbench
