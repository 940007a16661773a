// A step of data-parallel training on GPUs: products and passes on one stream, all_reduces of gradients on another
// (adr/0059).
#pragma once

#include <string>
#include <vector>

#include "sim/plan/training_step.hpp"
#include "sim/system/gpu/gpu_pace.hpp"
#include "sim/system/gpu/gpu_streams.hpp"

namespace kernbench {

inline constexpr std::int64_t kMostTrainingLayers = 1000;

/// A stack of square linear layers with a ReLU between them, mean squared error, SGD; an all_reduce a layer.
struct GpuTrainingCase {
  std::int64_t layers = 0;
  std::int64_t hidden = 0;
  std::int64_t batch = 0;  ///< of a GPU
  std::int64_t gpus = 0;
  std::int64_t channels = 0;  ///< that are asked of the library; 0: its own
  std::int64_t threads = 0;   ///< of a channel; 0: the library's
};

/// Mechanisms of adr/0059, each of which can be left out to see what it is worth.
struct GpuTrainingRules {
  bool weights_first = true;  ///< a layer's gradient of its weights comes before that of its input (59.2)
  bool chunks = true;         ///< SGD comes in launches of so many chunks (59.3); false: one a layer
  bool on_streams = true;     ///< kernels are launched on streams (61.3); false: inside a CUDA graph
  bool clock = true;          ///< again and again, the power limit decides the clock (59.6); false: that of a burst
};

struct GpuWork {
  Picoseconds start;  ///< its kernel is on the GPU
  Picoseconds end;
  Picoseconds alone;  ///< what it takes from start to end where it has the GPU alone

  [[nodiscard]] Picoseconds duration() const { return end - start; }
};

/// A kernel that takes data in and out.
struct GpuTrainingPass {
  std::string name;         ///< "layer2.relu"
  std::int64_t arrays = 0;  ///< that it reads or writes
  double bytes = 0;         ///< of all of them
  std::int64_t launch = 0;  ///< its number among the host's launches of the step
  GpuWork times;
};

struct GpuTraining {
  TrainingStep plan;                 ///< in the order in which the host launches; its launches count passes too
  std::vector<GpuKernel> kernels;    ///< of the plan's GEMMs
  std::vector<GpuWork> gemms;        ///< as in the plan
  std::vector<GpuWork> collectives;  ///< as the plan's buckets
  std::vector<GpuTrainingPass> passes;
  NcclTime collective;      ///< of one, alone
  Picoseconds computation;  ///< a product or a pass runs
  Picoseconds exposed;      ///< a collective runs and nothing else does
  Picoseconds untouched;    ///< products and passes one after the other, each alone, and the last all_reduce alone
  Picoseconds end;
  double clock = 0;  ///< of the slowest product where it has the GPU alone, GHz
  double power = 0;  ///< mean over the step, W
  std::int64_t events = 0;
};

/// Throws ConfigError for what the machine cannot do: fewer GPUs, more channels than SMs, products larger than HBM.
void check_gpu_training(const GpuTrainingCase& asked, const GpuSpec& gpu);

/// GPUs do the same, so one is simulated. Throws as check_gpu_training.
[[nodiscard]] GpuTraining run_gpu_training(const GpuTrainingCase& asked, const GpuSpec& gpu,
                                           GpuPace pace = GpuPace::kOnce, const GpuTrainingRules& rules = {});

/// GpuTraining::untouched of a step done once, in closed form. Throws as check_gpu_training.
[[nodiscard]] Picoseconds untouched_gpu_training(const GpuTrainingCase& asked, const GpuSpec& gpu);

}  // namespace kernbench
