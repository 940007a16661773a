// A GEMM over several PEs of a machine: the kernels that do it, and what a run of one reports (adr/0030).
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "sim/plan/gemm_over.hpp"
#include "sim/system/kernel_launch.hpp"
#include "sim/system/matrix_values.hpp"
#include "sim/system/over_report.hpp"
#include "sim/system/run.hpp"

namespace kernbench {

/// The matrices of a run, shared by its PEs: kernels take them by value.
using GemmOverCall = std::shared_ptr<const PlacedGemm>;

struct GemmOverKernel {
  std::string name;
  std::string summary;
  GemmPlacement placement;  ///< where nothing else is asked for
  bool partial = false;     ///< every PE has room for a product as large as C
  /// Throws ConfigError where the kernel cannot do this placement or problem.
  void (*check)(const PlacedGemm& gemm, int pes) = nullptr;
  /// What each PE has to do at least.
  std::vector<PeWork> (*work)(const PlacedGemm& gemm, int pes) = nullptr;
  Process (*run)(KernelPe pe, GemmOverCall gemm) = nullptr;
  /// Element of C, as this kernel rounds it; null where only the result is rounded.
  std::function<MatrixElement(const PlacedGemm& gemm, int pes)> reference{};
};

[[nodiscard]] const std::vector<GemmOverKernel>& gemm_over_kernels();
/// Throws ConfigError that names the nearest kernel, and all of them.
[[nodiscard]] const GemmOverKernel& find_gemm_over_kernel(const std::string& name);
/// `const RegisterGemmOverKernel kRegistered({...});` in the kernel's own file.
class RegisterGemmOverKernel {
 public:
  explicit RegisterGemmOverKernel(GemmOverKernel kernel, SourcePlace place = SourcePlace::here());
};

/// Where the matrices of the run lie. Throws ConfigError where the kernel cannot do what is asked, CapacityError where
/// it does not fit.
[[nodiscard]] PlacedGemm place_on(const MachineSpec& machine, const GemmProblem& problem,
                                  const GemmPlacement& placement, const GemmOverKernel& kernel, int pes);

/// A GEMM as a launch: its matrices take their room in the partitions, and get values where the machine carries them.
class GemmOverLaunch : public KernelLaunch {
 public:
  /// On PEs `pes` of the machine (by number); rank r is PE pes[r]. Throws ConfigError for wrong input.
  GemmOverLaunch(System& system, const GemmProblem& problem, const GemmPlacement& placement,
                 const GemmOverKernel& kernel, const std::vector<std::int32_t>& pes);
  /// Throws SimulationError where the result is not the product.
  void check(System& system) const;

 private:
  const GemmOverKernel& kernel_;
  GemmOverCall gemm_;
};

/// On PEs `pes` of the machine (by number); rank r is PE pes[r]. Throws ConfigError for wrong input, SimulationError
/// for a deadlock, an exceeded limit, a race or a wrong result.
[[nodiscard]] OverResult run_gemm_over(const MachineSpec& machine, const GemmProblem& problem,
                                       const GemmPlacement& placement, const std::string& kernel,
                                       const std::vector<std::int32_t>& pes, const RunSettings& settings = {});

}  // namespace kernbench
