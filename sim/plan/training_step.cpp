#include "sim/plan/training_step.hpp"

#include "sim/base/errors.hpp"
#include "sim/plan/dimension.hpp"

namespace kernbench {

namespace {

class StepBuilder {
 public:
  explicit StepBuilder(Bytes bucket) : bucket_(bucket) {}

  void forward(const TrainingLayer& layer, std::size_t index) {
    add(index, GemmPass::kForward, {.m = layer.m, .k = layer.k, .n = layer.n});
  }
  void backward(const TrainingLayer& layer, std::size_t index) {
    if (index > 0) add(index, GemmPass::kInputGradient, {.m = layer.m, .k = layer.n, .n = layer.k});
    TrainingGemm& gemm = add(index, GemmPass::kWeightGradient, {.m = layer.k, .k = layer.m, .n = layer.n});
    if (!open_) step_.buckets.emplace_back();
    open_ = true;
    GradientBucket& into = step_.buckets.back();
    gemm.bucket = static_cast<std::int64_t>(step_.buckets.size()) - 1;
    into.elements = checked_add(into.elements, checked_multiply(layer.k, layer.n, "a bucket of gradients", kInBytes),
                                "a bucket of gradients", kInBytes);
    ++into.gemms;
    if (index == 0 || checked_multiply(into.elements, kElementBytes, "a bucket of gradients", kInBytes) >= bucket_) {
      into.launch = step_.launches++;
      open_ = false;
    }
  }
  TrainingStep take() { return std::move(step_); }

 private:
  TrainingGemm& add(std::size_t layer, GemmPass pass, const GemmProblem& problem) {
    TrainingGemm gemm{.name = "layer" + std::to_string(layer) + "." + std::string(kGemmPasses[pass]),
                      .pass = pass,
                      .problem = problem,
                      .bucket = -1,
                      .launch = step_.launches++};
    return step_.gemms.emplace_back(std::move(gemm));
  }

  Bytes bucket_;
  bool open_ = false;
  TrainingStep step_;
};

}  // namespace

TrainingStep plan_training_step(const std::vector<TrainingLayer>& layers, Bytes bucket) {
  if (layers.empty()) throw ConfigError("a training step: expected at least one layer, got none");
  if (bucket < 0) throw ConfigError("a bucket of gradients: expected 0 bytes or more, got " + std::to_string(bucket));
  for (const TrainingLayer& layer : layers) {
    check_dimension("m", layer.m);
    check_dimension("k", layer.k);
    check_dimension("n", layer.n);
  }
  StepBuilder step(bucket);
  for (std::size_t i = 0; i < layers.size(); ++i) step.forward(layers[i], i);
  for (std::size_t i = layers.size(); i-- > 0;) step.backward(layers[i], i);
  return step.take();
}

}  // namespace kernbench
