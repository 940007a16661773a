#include "sim/system/gpu/gpu_training_plan.hpp"

#include <algorithm>
#include <utility>

#include "sim/base/errors.hpp"
#include "sim/plan/gpu/gpu_choice.hpp"

namespace kernbench {
namespace {

constexpr std::int64_t kBytesOfElement = 2;
constexpr std::int64_t kMostChannels = 64;  // that NCCL 2.28 is built for
constexpr std::int64_t kLaunchElements =
    std::int64_t{320} * 65536;  // chunks of a launch of PyTorch's multi_tensor_apply
// Arrays that a pass reads or writes.
constexpr std::int64_t kOneInOneOut = 2;
constexpr std::int64_t kTwoInOneOut = 3;
constexpr std::int64_t kOneWay = 1;

/// PyTorch's order: the gradient of a layer's weights before that of its input.
void put_weights_first(TrainingStep& step) {
  for (std::size_t i = 0; i + 1 < step.gemms.size(); ++i) {
    if (step.gemms[i].pass == GemmPass::kInputGradient) {
      std::swap(step.gemms[i], step.gemms[i + 1]);
      ++i;
    }
  }
}

class GpuStepPlanner {
 public:
  GpuStepPlanner(const GpuTrainingCase& asked, const GpuSpec& gpu, const GpuTrainingRules& rules)
      : asked_(asked), gpu_(gpu), rules_(rules) {
    const TrainingLayer layer{asked.batch, asked.hidden, asked.hidden};
    made_.step = plan_training_step(std::vector<TrainingLayer>(static_cast<std::size_t>(asked.layers), layer), 0);
    if (rules.weights_first) put_weights_first(made_.step);
  }

  GpuTrainingPlan take() {
    for (std::int64_t layer = 0; layer < asked_.layers; ++layer) {
      multiply(made_.step.gemms[static_cast<std::size_t>(layer)]);
      if (layer + 1 < asked_.layers) pass(layer_name(layer) + "relu", kOneInOneOut, activations());
    }
    pass("loss.square", kTwoInOneOut, activations());
    pass("loss.mean", kOneWay, activations());
    pass("loss.fill", kOneWay, activations());
    pass("loss.gradient", kTwoInOneOut, activations());
    auto gemm = static_cast<std::size_t>(asked_.layers);
    for (std::int64_t layer = asked_.layers - 1; layer >= 0; --layer) {
      std::int64_t bucket = -1;
      for (const std::size_t end = gemm + (layer > 0 ? 2 : 1); gemm < end; ++gemm) {
        multiply(made_.step.gemms[gemm]);
        bucket = std::max(bucket, made_.step.gemms[gemm].bucket);
      }
      pass(layer_name(layer) + "bucket", kOneInOneOut, weights());
      reduce(made_.step.buckets.at(static_cast<std::size_t>(bucket)));
      if (layer > 0) pass(layer_name(layer - 1) + "relu_gradient", kTwoInOneOut, activations());
    }
    update();
    made_.step.launches = launch_;
    return std::move(made_);
  }

 private:
  static std::string layer_name(std::int64_t layer) { return "layer" + std::to_string(layer) + "."; }
  [[nodiscard]] std::int64_t activations() const { return asked_.batch * asked_.hidden; }
  [[nodiscard]] std::int64_t weights() const { return asked_.hidden * asked_.hidden; }

  [[nodiscard]] GpuLaunching launching() const {
    return rules_.on_streams ? GpuLaunching::kStream : GpuLaunching::kGraph;
  }

  void multiply(TrainingGemm& gemm) {
    gemm.launch = launch_++;
    const GpuGemm product{gemm.problem.m, gemm.problem.k, gemm.problem.n, Dtype::kBf16};
    check_gemm(product, gpu_);
    made_.gemm_places.push_back(made_.computing.launches.size());
    made_.computing.launches.push_back(
        {.product = GpuProduct{product, choose_gpu_kernel(product, gpu_), L2State::kFlushed, launching()}});
  }

  void pass(std::string name, std::int64_t arrays, std::int64_t elements) {
    const double bytes = static_cast<double>(kBytesOfElement * arrays) * static_cast<double>(elements);
    made_.passes.push_back(
        {.name = std::move(name), .arrays = arrays, .bytes = bytes, .launch = launch_++, .times = {}});
    made_.pass_places.push_back(made_.computing.launches.size());
    made_.computing.launches.push_back({.pass = GpuPass{bytes, launching()}});
  }

  void reduce(GradientBucket& bucket) {
    bucket.launch = launch_++;
    const NcclCollective collective{Collective::kAllReduce, asked_.gpus, kBytesOfElement * bucket.elements,
                                    std::min(asked_.channels, kMostChannels), asked_.threads};
    made_.reducing.launches.push_back(
        {.collective = collective, .after = {{kComputingStream, made_.computing.launches.size() - 1}}});
  }

  /// SGD, once all gradients are there.
  void update() {
    const std::size_t last = made_.reducing.launches.size() - 1;
    const std::int64_t all = asked_.layers * weights();
    const std::int64_t most = rules_.chunks ? kLaunchElements : weights();
    std::int64_t number = 0;
    for (std::int64_t done = 0; done < all; done += most) {
      pass("sgd." + std::to_string(number++), kTwoInOneOut, std::min(most, all - done));
      made_.computing.launches.back().after = {{kReducingStream, last}};
    }
  }

  const GpuTrainingCase& asked_;
  const GpuSpec& gpu_;
  GpuTrainingRules rules_;
  GpuTrainingPlan made_;
  std::int64_t launch_ = 0;
};

/// Weights and gradients of all layers, a bucket of each, and the activations.
void check_memory(const GpuTrainingCase& asked, const GpuSpec& gpu) {
  const double weights = static_cast<double>(asked.hidden) * static_cast<double>(asked.hidden);
  const double activations = static_cast<double>(asked.batch) * static_cast<double>(asked.hidden);
  const double bytes = static_cast<double>(kBytesOfElement * asked.layers) * (2 * weights + 2 * activations);
  if (bytes <= gpu.hbm.capacity) return;
  throw ConfigError(std::to_string(asked.layers) + " layers of " + std::to_string(asked.hidden) + " with a batch of " +
                    std::to_string(asked.batch) + ": weights, gradients and activations take " +
                    std::to_string(static_cast<std::int64_t>(bytes)) + " B; expected at most hbm.capacity, " +
                    std::to_string(static_cast<std::int64_t>(gpu.hbm.capacity)) + " B on " + gpu.name);
}

}  // namespace

GpuTrainingPlan plan_gpu_training(const GpuTrainingCase& asked, const GpuSpec& gpu, const GpuTrainingRules& rules) {
  if (asked.layers < 1 || asked.layers > kMostTrainingLayers) {
    throw ConfigError("layers: expected 1 to " + std::to_string(kMostTrainingLayers) + ", got " +
                      std::to_string(asked.layers));
  }
  for (const auto& [name, size] : {std::pair{"hidden", asked.hidden}, {"batch", asked.batch}}) {
    if (size < 1) throw ConfigError(std::string(name) + ": expected 1 or more, got " + std::to_string(size));
  }
  check_memory(asked, gpu);
  const Bytes gradients = kBytesOfElement * asked.hidden * asked.hidden;
  check_nccl({Collective::kAllReduce, asked.gpus, gradients, asked.channels, asked.threads}, gpu);
  return GpuStepPlanner(asked, gpu, rules).take();
}

}  // namespace kernbench
