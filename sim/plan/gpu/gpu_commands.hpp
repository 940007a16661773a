// What the commands of a distributed GEMM take on GPUs (adr/0057): kernels by the time of a product and by the bytes of
// HBM, copies by their bytes.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <vector>

#include "sim/plan/distributed_gemm/command_list.hpp"
#include "sim/plan/gpu/gpu_gemm_time.hpp"

namespace kernbench {

/// A command as a GPU's stream has it: a copy, or a kernel.
struct GpuCommand {
  int gpu = 0;  ///< whose stream it is on
  QueueKind stream = QueueKind::kCompute;
  std::vector<int> waits = {};  ///< commands before it, of other streams
  bool copy = false;
  int from = 0;       ///< of a copy
  int to = 0;         ///< of a copy
  double bytes = 0;   ///< of a copy
  double time = 0;    ///< of a kernel, ns
  double energy = 0;  ///< of a kernel, nJ
};

/// Commands in numbers, again and again at other clocks: what the library chooses is kept.
class GpuCommandCosts {
 public:
  explicit GpuCommandCosts(const GpuSpec& gpu) : gpu_(gpu) {}
  /// Operands are bf16, C and products that travel fp32. `clock` of the SMs in GHz. Throws ConfigError, CapacityError
  /// for a product that the GPU cannot do.
  [[nodiscard]] std::vector<GpuCommand> commands(const CommandList& list, double clock);
  /// A product of bf16, its time and its energy.
  [[nodiscard]] GpuCommand product(const GpuGemm& gemm, double clock);
  /// A kernel that moves so many bytes of HBM.
  [[nodiscard]] GpuCommand moving(double bytes) const;

 private:
  const GpuSpec& gpu_;
  std::map<std::array<std::int64_t, 4>, GpuKernel> kernels_;  ///< by m, k, n and bytes of C
};

}  // namespace kernbench
