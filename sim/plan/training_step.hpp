// One step of data-parallel training as data: its GEMMs in their order, and the buckets of gradients that the ranks add
// up (adr/0041). Pure: no times.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/base/names.hpp"
#include "sim/base/units.hpp"
#include "sim/plan/gemm_plan.hpp"

namespace kernbench {

/// A fully connected layer: activations of m x k elements times weights of k x n.
struct TrainingLayer {
  std::int64_t m = 0;
  std::int64_t k = 0;
  std::int64_t n = 0;
};

enum class GemmPass : std::uint8_t { kForward, kInputGradient, kWeightGradient };
inline constexpr Names<GemmPass> kGemmPasses{
    "pass",
    {{GemmPass::kForward, "forward"}, {GemmPass::kInputGradient, "dgrad"}, {GemmPass::kWeightGradient, "wgrad"}}};

struct TrainingGemm {
  std::string name;  ///< "layer2.wgrad"
  GemmPass pass = GemmPass::kForward;
  GemmProblem problem;
  std::int64_t bucket = -1;  ///< that its result is put in; -1: none
  std::int64_t launch = 0;   ///< its number among the host's launches of the step
};

/// Gradients that are added up over the ranks together.
struct GradientBucket {
  std::int64_t elements = 0;
  std::int64_t gemms = 0;   ///< whose results it holds
  std::int64_t launch = 0;  ///< of its all_reduce
};

struct TrainingStep {
  std::vector<TrainingGemm> gemms;
  std::vector<GradientBucket> buckets;
  std::int64_t launches = 0;
};

/// The step of these layers; a bucket is closed by the gradient with which it has `bucket` bytes or more, the last by
/// the last gradient. Throws ConfigError where there is no layer, or a dimension or `bucket` is out of range.
[[nodiscard]] TrainingStep plan_training_step(const std::vector<TrainingLayer>& layers, Bytes bucket);

}  // namespace kernbench
