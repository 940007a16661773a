// What the commands of a distributed GEMM take on GPUs (adr/0057): kernels by the time of a product and by the bytes of
// HBM, copies by their bytes.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
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
  /// Operands are bf16, C and products that travel fp32. Each product runs at the clock of its burst, `most` (GHz) at
  /// most. Throws ConfigError, CapacityError for a product that the GPU cannot do.
  [[nodiscard]] std::vector<GpuCommand> commands(const CommandList& list, double most);
  /// A product of bf16, its time and its energy.
  [[nodiscard]] GpuCommand product(const GpuGemm& gemm, double most);
  /// The clock of the slowest of all products so far, GHz, `most` at most.
  [[nodiscard]] double slowest(double most) const { return std::min(most, slowest_burst_); }
  /// A kernel that moves so many bytes of HBM.
  [[nodiscard]] GpuCommand moving(double bytes) const;

 private:
  struct Chosen {
    GpuKernel kernel;
    double burst = 0;  ///< clock, GHz
  };
  [[nodiscard]] Chosen chosen(const GpuGemm& gemm) const;

  const GpuSpec& gpu_;
  std::map<std::array<std::int64_t, 5>, Chosen> chosen_;  ///< by m, k, n, bytes of C and whether it adds
  double slowest_burst_ = std::numeric_limits<double>::infinity();
};

}  // namespace kernbench
