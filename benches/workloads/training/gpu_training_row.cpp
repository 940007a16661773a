#include "benches/workloads/training/gpu_training_row.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "benches/results/rows/concurrent_metrics.hpp"
#include "benches/workloads/training/training_metrics.hpp"
#include "sim/base/check.hpp"

namespace kernbench {
namespace {

constexpr Picoseconds kMostOfLaunch = from_ns(1000);  // what the host takes to launch, at most

/// The operator of PyTorch that does what a pass does, by the end of the pass's name.
struct PassOperator {
  const char* pass;
  const char* op;
};
constexpr std::array<PassOperator, 8> kPassOperators{{{"relu", "aten::relu"},
                                                      {"square", "aten::mse_loss"},
                                                      {"mean", "aten::mean"},
                                                      {"fill", "aten::fill_"},
                                                      {"gradient", "aten::mse_loss_backward"},
                                                      {"bucket", "aten::mul"},
                                                      {"relu_gradient", "aten::threshold_backward"},
                                                      {"sgd", "aten::_foreach_add_"}}};

/// "relu" of "layer2.relu", "sgd" of "sgd.3".
std::string pass_kind(const std::string& name) {
  return name.starts_with("sgd") ? "sgd" : name.substr(name.find('.') + 1);
}

Json planned_passes(const GpuTraining& training) {
  Json passes = Json::array();
  for (const GpuTrainingPass& pass : training.passes) {
    const std::string kind = pass_kind(pass.name);
    const auto* const known =
        std::ranges::find_if(kPassOperators, [&kind](const PassOperator& one) { return one.pass == kind; });
    KB_CHECK(known != kPassOperators.end(), "a pass that no operator does: " + pass.name);
    passes.push_back({{"name", pass.name},
                      {"op", known->op},
                      {"kernel", "kernbench_" + kind},
                      {"elements", static_cast<std::int64_t>(pass.bytes) / pass.arrays / 2},
                      {"launch", pass.launch}});
  }
  return passes;
}

/// Letters, digits and _ alone: names of kernels are split at others.
std::string kernel_name(const GpuKernel& kernel) {
  std::string name = "kernbench_gemm_" + to_text(kernel);
  std::ranges::replace_if(
      name, [](char c) { return c == ' ' || c == '='; }, '_');
  return name;
}

Json planned_gemms(const GpuTraining& training) {
  Json gemms = Json::array();
  for (std::size_t i = 0; i < training.gemms.size(); ++i) {
    const TrainingGemm& gemm = training.plan.gemms[i];
    gemms.push_back({{"name", gemm.name},
                     {"pass", kGemmPasses[gemm.pass]},
                     {"m", gemm.problem.m},
                     {"k", gemm.problem.k},
                     {"n", gemm.problem.n},
                     {"kernel", kernel_name(training.kernels[i])},
                     {"launch", gemm.launch}});
  }
  return gemms;
}

/// A step that begins on the GPU at `begin`; all of it was launched before.
Json step_at(const GpuTraining& training, Picoseconds begin, Picoseconds host) {
  const auto span = [begin](const GpuWork& work) { return Json{(begin + work.start).value, (begin + work.end).value}; };
  Json gemms = Json::array();
  for (const GpuWork& work : training.gemms) {
    Json times = span(work);
    times.insert(times.end(), {work.alone.value, 0, 0, (work.duration() - work.alone).value});
    gemms.push_back(std::move(times));
  }
  Json collectives = Json::array();
  for (const GpuWork& work : training.collectives) collectives.push_back(span(work));
  Json passes = Json::array();
  for (const GpuTrainingPass& pass : training.passes) passes.push_back(span(pass.times));
  return {{"begin", begin.value},
          {"host", host.value},
          {"end", (begin + training.end).value},
          {"gemms", std::move(gemms)},
          {"collectives", std::move(collectives)},
          {"passes", std::move(passes)}};
}

}  // namespace

Metrics gpu_step_metrics(const GpuTraining& training) {
  const auto steps = static_cast<double>(kTracedSteps);
  Picoseconds comm;
  for (const GpuWork& work : training.collectives) comm += work.duration();
  Picoseconds gemm;
  Picoseconds alone;
  for (const GpuWork& work : training.gemms) {
    gemm += work.duration();
    alone += work.alone;
  }
  const double total = training.end.ns() - training.gemms.front().start.ns() / steps;
  return {{kTracedTime, total},
          {kComputationTime, training.computation.ns()},
          {kExposedCommTime, training.exposed.ns()},
          {kIdleTime, total - training.computation.ns() - training.exposed.ns()},
          {kCommTime, comm.ns()},
          {kCommLatency, comm.ns()},
          {kCommOverlapped, 1 - training.exposed.ns() / comm.ns()},
          {kGemmTime, gemm.ns()},
          {kGemmSlowdown, gemm.ns() / alone.ns()}};
}

Json gpu_training_timeline(const GpuTraining& training, std::int64_t gpus, const std::string& machine) {
  const std::int64_t launches = training.plan.launches;
  const Picoseconds launch = std::min(kMostOfLaunch, {training.end.value / launches});
  Json timeline{{"launch", launch.value},
                {"channels", training.collective.channels},
                {"threads", training.collective.threads},
                {"device", "kernbench " + machine},
                {"ranks", gpus},
                {"weights_transposed", true},
                {"gemms", planned_gemms(training)},
                {"passes", planned_passes(training)},
                {"collectives", Json::array()},
                {"injections", Json::array()},
                {"steps", Json::array()}};
  for (const GradientBucket& bucket : training.plan.buckets) {
    timeline["collectives"].push_back({{"elements", bucket.elements}, {"launch", bucket.launch}});
  }
  for (std::int64_t step = 0; step < kTracedSteps; ++step) {
    const Picoseconds host = step * training.end;
    Json one = step_at(training, host + launches * launch, host);
    timeline["steps"].push_back(Json::array({std::move(one)}));
  }
  return timeline;
}

}  // namespace kernbench
