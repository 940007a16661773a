#include "benches/gpu_predicted_beside/beside_row.hpp"

#include "benches/gpu_predicted_beside/beside_points.hpp"
#include "benches/measured/reference/measured_rows.hpp"
#include "benches/results/rows/concurrent_metrics.hpp"
#include "benches/results/rows/gpu_metrics.hpp"
#include "benches/results/rows/measured_metrics.hpp"
#include "benches/results/rows/run_metrics.hpp"
#include "sim/base/errors.hpp"
#include "sim/plan/gpu/gpu_choice.hpp"
#include "sim/system/gpu/gpu_concurrent.hpp"

namespace kernbench {
namespace {

constexpr Metric<double> kMeasuredCollective{"measured_collective_ns"};

GpuGemm gemm_of(const Json& point) {
  return {point.at("m"), point.at("k"), point.at("n"), parse_dtype(point.at("dtype").get<std::string>(), "dtype")};
}

GpuConcurrentCase case_of(const Json& point, const GpuSpec& gpu) {
  const GpuGemm gemm = gemm_of(point);
  check_gemm(gemm, gpu);
  GpuConcurrentCase asked;
  asked.product = {gemm, choose_gpu_kernel(gemm, gpu), L2State::kWarm};
  asked.collective.collective = kCollectives.parse(point.at("collective").get<std::string>(), "collective");
  asked.collective.gpus = point.at("gpus");
  asked.collective.bytes = point.at("bytes");
  asked.collective.channels = point.at("channels");
  return asked;
}

Row skipped_beside(const Json& point, const std::string& why) {
  Row row;
  row.point = point;
  row.status = "skipped";
  row.reason = why;
  return row;
}

}  // namespace

Row beside_row(const LoadedGpu& gpu, const Json& point) {
  const Row* measured = measured_beside(gpu.device, point);
  if (measured == nullptr) return skipped_beside(point, not_measured_on(gpu.device));
  Row row;
  row.point = point;
  try {
    const GpuConcurrentCase asked = case_of(point, gpu.spec);
    const GpuConcurrent beside = run_concurrent(asked, gpu.spec);
    const auto seen = [&](const Metric<double>& metric) { return measured->metrics.at(metric); };
    const double slowdown = seen(kTime) / seen(kAloneTime);
    row.metrics = {{kTime, beside.product.ns()},
                   {kAloneTime, beside.product_alone.time().ns()},
                   {kSlowdown, beside.product_slowdown()},
                   {kDeviceName, gpu.device},
                   {kMeasuredTime, seen(kTime)},
                   {kMeasuredAlone, seen(kAloneTime)},
                   {kMeasuredSlowdown, slowdown},
                   {kError, beside.product_slowdown() / slowdown - 1},
                   {kKernelText, to_text(asked.product.kernel)},
                   {kCtas, beside.clusters * asked.product.kernel.cluster()},
                   {kCtasLeft, beside.clusters_left * asked.product.kernel.cluster()},
                   {kRoundCount, beside.rounds},
                   {kRoundsLeft, beside.rounds_left},
                   {kCollectiveTime, beside.collective.ns()},
                   {kCollectiveSlowdown, beside.collective_slowdown()},
                   {kMeasuredCollective, seen(kCollectiveTime)},
                   {kMeasuredCollectiveSlowdown, seen(kCollectiveTime) / seen(kCollectiveAlone)}};
  } catch (const ConfigError& error) {
    return skipped_beside(point, error.what());
  }
  take_over_noisy(row, *measured);
  return row;
}

Row product_alone_row(const LoadedGpu& gpu, const Json& point) {
  try {
    const GpuConcurrentCase asked = case_of(point, gpu.spec);
    Row row;
    row.point = point;
    row.metrics = {{kTime, gpu_gemm_time(asked.product.gemm, asked.product.kernel, gpu.spec).time().ns()}};
    return row;
  } catch (const ConfigError& error) {
    return skipped_beside(point, error.what());
  }
}

}  // namespace kernbench
