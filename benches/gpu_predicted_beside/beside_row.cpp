#include "benches/gpu_predicted_beside/beside_row.hpp"

#include "benches/gpu_predicted_beside/beside_points.hpp"
#include "benches/measured/reference/measured_rows.hpp"
#include "sim/base/errors.hpp"
#include "sim/plan/gpu/gpu_choice.hpp"
#include "sim/system/gpu/gpu_concurrent.hpp"

namespace kernbench {
namespace {

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
    const auto seen = [&](const char* metric) { return measured->metrics.at(metric).get<double>(); };
    const double slowdown = seen("time_ns") / seen("alone_ns");
    row.metrics = {{"time_ns", beside.product.ns()},
                   {"alone_ns", beside.product_alone.time().ns()},
                   {"slowdown", beside.product_slowdown()},
                   {"device", gpu.device},
                   {"measured_ns", seen("time_ns")},
                   {"measured_alone_ns", seen("alone_ns")},
                   {"measured_slowdown", slowdown},
                   {"error", beside.product_slowdown() / slowdown - 1},
                   {"kernel", to_text(asked.product.kernel)},
                   {"ctas", beside.clusters * asked.product.kernel.cluster()},
                   {"ctas_left", beside.clusters_left * asked.product.kernel.cluster()},
                   {"rounds", beside.rounds},
                   {"rounds_left", beside.rounds_left},
                   {"collective_ns", beside.collective.ns()},
                   {"collective_slowdown", beside.collective_slowdown()},
                   {"measured_collective_ns", seen("collective_ns")},
                   {"measured_collective_slowdown", seen("collective_ns") / seen("collective_alone_ns")}};
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
    row.metrics = {{"time_ns", gpu_gemm_time(asked.product.gemm, asked.product.kernel, gpu.spec).time().ns()}};
    return row;
  } catch (const ConfigError& error) {
    return skipped_beside(point, error.what());
  }
}

}  // namespace kernbench
