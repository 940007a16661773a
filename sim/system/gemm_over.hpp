// A GEMM over several PEs of a machine: the kernels that do it, and what a run of one reports (adr/0030).
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/plan/gemm_over.hpp"
#include "sim/plan/gemm_over_bound.hpp"
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
  std::vector<GemmPlacement> placements;  ///< that it chooses among, where it is left to choose
  bool products = false;                  ///< PEs have products as large as C
  int queues = 0;                         ///< message queues that lead to a PE
  /// A PE multiplies its part of C, by where its matrices lie alone: not by its rank, and with no message.
  bool by_place = false;
  /// Throws ConfigError where the kernel cannot do this placement or problem.
  void (*check)(const PlacedGemm& gemm) = nullptr;
  /// What the PEs have to do at least.
  OverWork (*work)(const PlacedGemm& gemm, const MachineSpec& machine) = nullptr;
  Process (*run)(KernelPe pe, GemmOverCall gemm) = nullptr;
  /// Element of C, as this kernel rounds it; null where only the result is rounded.
  MatrixElement (*reference)(const PlacedGemm& gemm) = nullptr;
};

[[nodiscard]] const std::vector<GemmOverKernel>& gemm_over_kernels();
/// Throws ConfigError that names the nearest kernel, and all of them.
[[nodiscard]] const GemmOverKernel& find_gemm_over_kernel(const std::string& name);
/// `const RegisterGemmOverKernel kRegistered({...});` in the kernel's own file.
class RegisterGemmOverKernel {
 public:
  explicit RegisterGemmOverKernel(GemmOverKernel kernel, SourcePlace place = SourcePlace::here());
};

/// A GEMM on some of a machine's PEs; rank r is PE pes[r], by number.
struct GemmOverRequest {
  GemmProblem problem;
  std::string kernel;
  GemmPlacement placement{};
  std::vector<std::int32_t> pes{};
  Bytes tcm = 0;                         ///< of each PE, that it may use, slots of queues included; 0: all
  std::optional<OverMapping> mapping{};  ///< instead of `kernel` (32.16)
  std::int32_t multiplying = 0;          ///< of `pes`, the first that have parts of C; 0: all
};
/// The kernel that does it.
[[nodiscard]] const GemmOverKernel& kernel_of(const GemmOverRequest& request);

/// How a GEMM will be shared, before it runs.
struct GemmOverPlan {
  GemmPlacement placement;
  GemmOverBound bound;
  std::int64_t idle = 0;  ///< PEs that multiply no tile
  Bytes bytes_of_pe = 0;  ///< of the partition of the PE that has most
  Bytes tcm = 0;          ///< of the PE that takes most, slots of queues included
  Bytes replicated = 0;   ///< of A and B, that every PE has beyond a share of its own before the run begins
  bool apart = false;     ///< PEs may run one after the other (60.1)
};
/// Throws ConfigError for an epilogue that several PEs cannot do.
void check_over_pes(const GemmProblem& problem);
/// Its matrices in the partitions that others reach as `memories`. Throws as plan_gemm_over.
[[nodiscard]] PlacedGemm place_gemm_over(const MachineSpec& machine, const GemmOverRequest& request,
                                         const std::vector<MemoryNode>& memories);
/// TCM that the slots of a PE's queues take.
[[nodiscard]] Bytes slots_of(const GemmOverKernel& kernel, const MachineSpec& machine);
/// For the placement that is asked for. `plan` is the network of the machine. Throws ConfigError where the kernel
/// cannot do what is asked, CapacityError where it does not fit.
[[nodiscard]] GemmOverPlan plan_gemm_over(const MachineSpec& machine, const NetworkPlan& plan,
                                          const GemmOverRequest& request);
/// For the placement with the least bound, of equal ones that with less of C in one PE (30.15), of those that the
/// kernel chooses among with what `place` says (as parse_placement) put in its place. Throws as above where it can do
/// none of them, for the first.
[[nodiscard]] GemmOverPlan choose_placement(const MachineSpec& machine, const NetworkPlan& plan,
                                            GemmOverRequest request, std::string_view place);

/// A GEMM as a launch: its matrices take their room in the partitions, and get values where the machine carries them.
class GemmOverLaunch : public KernelLaunch {
 public:
  /// Throws ConfigError for wrong input.
  GemmOverLaunch(System& system, const GemmOverRequest& request)
      : GemmOverLaunch(system, request, kernel_of(request)) {}
  /// By a kernel that need not be registered.
  GemmOverLaunch(System& system, const GemmOverRequest& request, const GemmOverKernel& kernel);
  /// Throws SimulationError where the result is not the product.
  void check(System& system) const;

 private:
  const GemmOverKernel& kernel_;
  GemmOverCall gemm_;
};

/// Throws ConfigError for wrong input, SimulationError for a deadlock, an exceeded limit, a race or a wrong result.
[[nodiscard]] OverResult run_gemm_over(const MachineSpec& machine, const GemmOverRequest& request,
                                       const RunSettings& settings = {});

}  // namespace kernbench
