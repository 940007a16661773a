// A step of data-parallel training on GPUs: products and passes on one stream, all_reduces of gradients on another
// (adr/0050).
#pragma once

#include "sim/plan/training_step.hpp"
#include "sim/system/gpu/gpu_streams.hpp"

namespace kernbench {

/// A stack of square linear layers with a ReLU between them, mean squared error, SGD; an all_reduce a layer.
struct GpuTrainingCase {
  std::int64_t layers = 0;
  std::int64_t hidden = 0;
  std::int64_t batch = 0;  ///< of a GPU
  std::int64_t gpus = 0;
  std::int64_t channels = 0;  ///< 0: the library's
  std::int64_t threads = 0;   ///< 0: the library's
};

struct GpuWork {
  Picoseconds start;
  Picoseconds end;
  Picoseconds alone;  ///< how long it takes alone
};

struct GpuTraining {
  TrainingStep plan;
  std::vector<GpuWork> gemms;        ///< as in the plan
  std::vector<GpuWork> collectives;  ///< as the plan's buckets
  Picoseconds passes;                ///< all of them
  Picoseconds exposed;               ///< a collective runs and nothing else does
  Picoseconds end;
  std::int64_t events = 0;
};

/// GPUs do the same, so one is simulated. Throws ConfigError for what the machine cannot do.
[[nodiscard]] GpuTraining run_gpu_training(const GpuTrainingCase& asked, const GpuSpec& gpu,
                                           const GpuRunSettings& settings = {});

}  // namespace kernbench
