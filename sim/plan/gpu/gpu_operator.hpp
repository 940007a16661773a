// How long PyTorch's kernels of an operator take on a GPU, in closed form (adr/0053).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/base/units.hpp"
#include "sim/plan/gpu/gpu_gemm_time.hpp"
#include "sim/plan/operators/operator.hpp"

namespace kernbench {

struct GpuOperatorConditions {
  L2State l2 = L2State::kWarm;
  bool sustained = false;  ///< HBM has been streaming for some 8 ms
};

/// One kernel. Times in ns, of which `time` joins SMs, L2 and HBM.
struct GpuOperatorKernel {
  std::string name;  ///< "elementwise", "reduce", "layer_norm", "softmax", "nll_loss"
  std::int64_t ctas = 0;
  std::int64_t threads = 0;  ///< of a CTA
  double launch = 0;
  double sm = 0;
  double l2 = 0;
  double hbm = 0;
  double time = 0;  ///< with its launch
};

struct GpuOperatorTime {
  std::vector<GpuOperatorKernel> kernels;
  double total = 0;
  bool has_sm_work = true;  ///< false where the work of SMs is not known (53.5): it takes at least `total`

  [[nodiscard]] Picoseconds time() const;
  /// What of the longest kernel is the most: "launch", "SMs", "L2" or "HBM".
  [[nodiscard]] std::string limit() const;
};

/// LayerNorm, GELU, Swish, MSE and cross-entropy in bf16, fp16 and fp32. Throws ConfigError for other dtypes,
/// CapacityError for other operators, where the GPU's file has no `operators`, and where HBM does not hold what is read
/// and written.
[[nodiscard]] GpuOperatorTime gpu_operator_time(const OperatorProblem& problem, const GpuSpec& gpu,
                                                const GpuOperatorConditions& conditions = {});

/// Threads of the kernel that adds up the losses of so many rows.
[[nodiscard]] std::int64_t loss_threads(std::int64_t rows);

/// How many operators a sample has where one takes `ns` (24.1), and what one takes in the mean with the graph around
/// them; one of a sample by itself runs at operators.sustained.
[[nodiscard]] std::int64_t operators_of_sample(double ns);
[[nodiscard]] double measured_operator_ns(const OperatorProblem& problem, const GpuSpec& gpu, L2State l2);

}  // namespace kernbench
