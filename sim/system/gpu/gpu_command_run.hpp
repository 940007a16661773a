// Commands of several GPUs as events: streams in order, waits, copy engines and links, kernels one at a time
// (adr/0057).
#pragma once

#include <cstdint>
#include <vector>

#include "sim/plan/gpu/gpu_commands.hpp"

namespace kernbench {

/// Times from the common start, in ns.
struct GpuCommandTimes {
  double ready = 0;  ///< those that it waits for have ended, and those before it on its stream
  double begin = 0;
  double end = 0;
};

struct GpuCommandRun {
  std::vector<GpuCommandTimes> commands;
  double total = 0;  ///< the slowest GPU has seen all its streams end
  std::int64_t events = 0;
};

/// Which of the mechanisms of adr/0057 count; each can be left out to see what it is worth.
struct GpuCommandRules {
  bool fetches_in_order = true;    ///< fetches from one GPU pass one after the other, in the order of the list
  bool one_copy_at_a_time = true;  ///< of those that leave a GPU
  bool one_kernel_at_a_time = true;
  bool hand_over = true;  ///< a command begins some time after what it waited for
};

/// Commands name GPUs from 0 to gpus - 1, and wait for commands before them. The GPU needs section `copy`.
[[nodiscard]] GpuCommandRun run_gpu_commands(const std::vector<GpuCommand>& commands, int gpus, const GpuSpec& gpu,
                                             const GpuCommandRules& rules = {});

}  // namespace kernbench
