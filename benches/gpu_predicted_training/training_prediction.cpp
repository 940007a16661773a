#include "benches/gpu_predicted_training/training_prediction.hpp"

#include <algorithm>

#include "benches/gpu_predicted_training/measured_steps.hpp"
#include "benches/io/text/plain_text.hpp"
#include "benches/measured/cases/fitted_products.hpp"
#include "benches/measured/reference/measured_rows.hpp"
#include "benches/results/rows/concurrent_metrics.hpp"
#include "benches/results/rows/gpu_metrics.hpp"
#include "benches/results/rows/measured_metrics.hpp"
#include "benches/results/rows/run_metrics.hpp"
#include "benches/workloads/training/gpu_training_row.hpp"
#include "benches/workloads/training/training_metrics.hpp"
#include "sim/base/capacity_error.hpp"

namespace kernbench {
namespace {

constexpr Metric<std::int64_t> kCommChannels{"comm_channels"};
constexpr Metric<std::int64_t> kCommSms{"comm_sms"};

constexpr double kMhzOfGhz = 1000;

GpuTrainingCase training_case(const Json& point) {
  return {.layers = point.at("layers"),
          .hidden = point.at("hidden"),
          .batch = point.at("batch"),
          .gpus = point.at("gpus"),
          .channels = point.at("channels"),
          .threads = point.at("threads")};
}

Metrics measured_metrics(const traces::StepTimes& times) {
  return {{prefixed(kOfMeasured, kTracedTime), times.total},
          {prefixed(kOfMeasured, kComputationTime), times.computation},
          {prefixed(kOfMeasured, kExposedCommTime), times.exposed_comm},
          {prefixed(kOfMeasured, kIdleTime), times.idle},
          {prefixed(kOfMeasured, kCommTime), times.comm},
          {prefixed(kOfMeasured, kCommLatency), times.comm_latency},
          {prefixed(kOfMeasured, kCommOverlapped), times.comm_overlapped},
          {prefixed(kOfMeasured, kGemmTime), times.gemm},
          {prefixed(kOfMeasured, kGemmSlowdown), times.gemm_slowdown}};
}

bool is_fitted(const GpuTraining& training, const LoadedGpu& gpu) {
  return std::ranges::any_of(training.plan.gemms, [&gpu](const TrainingGemm& gemm) {
    const GemmProblem& problem = gemm.problem;
    return fitted_products(gpu).contains(
        product_key({{"m", problem.m}, {"k", problem.k}, {"n", problem.n}, {"dtype", "bf16"}}));
  });
}

}  // namespace

void check_training_point(const LoadedGpu& gpu, const Json& point) {
  try {
    check_gpu_training(training_case(point), gpu.spec);
  } catch (const ConfigError& error) {  // asked for by name that is wrong; of a sweep the point is skipped
    std::string asked;
    for (const auto& [field, value] : point.items()) {
      asked += (asked.empty() ? "" : ", ") + field + "=" + plain_text(value);
    }
    throw CapacityError(asked + ": " + error.what());
  }
}

Row training_prediction(const LoadedGpu& gpu, const Json& point) {
  check_training_point(gpu, point);
  const GpuTrainingCase asked = training_case(point);
  const GpuTraining again = run_gpu_training(asked, gpu.spec, GpuPace::kAgain);
  const GpuTraining once = run_gpu_training(asked, gpu.spec, GpuPace::kOnce);
  Row row;
  row.point = point;
  row.metrics = {{kTime, again.end.ns()}};
  const MeasuredStep* measured = measured_step(gpu.device, point);
  if (measured != nullptr) {
    const double time = measured->row.metrics.at(kTime);
    row.metrics.set(kDeviceName, gpu.device);
    row.metrics.set(kMeasuredTime, time);
    row.metrics.set(kError, again.end.ns() / time - 1);
  }
  row.metrics.set(kUntouchedTime, again.untouched.ns());
  row.metrics.set(kClockMhz, again.clock * kMhzOfGhz);
  row.metrics.set(kPowerW, again.power);
  row.metrics.set(kCommChannels, once.collective.channels);
  row.metrics.set(kCommSms, nccl_sms(once.collective, gpu.spec));
  row.metrics.add(gpu_step_metrics(once));
  if (measured != nullptr) {
    row.metrics.add(measured_metrics(analysed(*measured)));
    take_over_noisy(row, measured->row);
    if (is_fitted(once, gpu)) row.flags.emplace_back("fitted");
  }
  row.timeline = gpu_training_timeline(once, asked.gpus, gpu.spec.name);
  return row;
}

Row untouched_training_row(const LoadedGpu& gpu, const Json& point) {
  check_training_point(gpu, point);
  Row row;
  row.point = point;
  row.metrics = {{kTime, untouched_gpu_training(training_case(point), gpu.spec).ns()}};
  return row;
}

}  // namespace kernbench
