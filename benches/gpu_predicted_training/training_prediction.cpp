#include "benches/gpu_predicted_training/training_prediction.hpp"

#include <algorithm>

#include "benches/gpu_predicted_training/measured_steps.hpp"
#include "benches/io/text/plain_text.hpp"
#include "benches/measured/cases/fitted_products.hpp"
#include "benches/measured/reference/measured_rows.hpp"
#include "benches/workloads/training/gpu_training_row.hpp"
#include "sim/base/capacity_error.hpp"

namespace kernbench {
namespace {

constexpr double kMhzOfGhz = 1000;

GpuTrainingCase training_case(const Json& point) {
  return {.layers = point.at("layers"),
          .hidden = point.at("hidden"),
          .batch = point.at("batch"),
          .gpus = point.at("gpus"),
          .channels = point.at("channels"),
          .threads = point.at("threads")};
}

Json measured_metrics(const traces::StepTimes& times) {
  return {{"measured_traced_ns", times.total},
          {"measured_computation_ns", times.computation},
          {"measured_exposed_comm_ns", times.exposed_comm},
          {"measured_idle_ns", times.idle},
          {"measured_comm_ns", times.comm},
          {"measured_comm_latency_ns", times.comm_latency},
          {"measured_comm_overlapped", times.comm_overlapped},
          {"measured_gemm_ns", times.gemm},
          {"measured_gemm_slowdown", times.gemm_slowdown}};
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
  row.metrics = {{"time_ns", again.end.ns()}};
  const MeasuredStep* measured = measured_step(gpu.device, point);
  if (measured != nullptr) {
    const double time = measured->row.metrics.at("time_ns").get<double>();
    row.metrics["device"] = gpu.device;
    row.metrics["measured_ns"] = time;
    row.metrics["error"] = again.end.ns() / time - 1;
  }
  row.metrics["untouched_ns"] = again.untouched.ns();
  row.metrics["clock_mhz"] = again.clock * kMhzOfGhz;
  row.metrics["power_w"] = again.power;
  row.metrics["comm_channels"] = once.collective.channels;
  row.metrics["comm_sms"] = nccl_sms(once.collective, gpu.spec);
  row.metrics.update(gpu_step_metrics(once));
  if (measured != nullptr) {
    row.metrics.update(measured_metrics(analysed(*measured)));
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
  row.metrics = {{"time_ns", untouched_gpu_training(training_case(point), gpu.spec).ns()}};
  return row;
}

}  // namespace kernbench
