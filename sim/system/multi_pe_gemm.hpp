// A GEMM over several PEs of a machine: the kernels that do it, and what a run of one reports (adr/0030).
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/hw/values/matrix_values.hpp"
#include "sim/plan/multi_pe_gemm.hpp"
#include "sim/plan/multi_pe_gemm_bound.hpp"
#include "sim/system/kernel_launch.hpp"
#include "sim/system/multi_pe_report.hpp"
#include "sim/system/run.hpp"

namespace kernbench {

/// The matrices of a run, shared by its PEs: kernels take them by value.
using MultiPeGemmCall = std::shared_ptr<const PlacedGemm>;

struct MultiPeGemmKernel {
  std::string name;
  std::string summary;
  std::vector<GemmPlacement> placements;  ///< that it chooses among, where it is left to choose
  bool products = false;                  ///< PEs have products as large as C
  int queues = 0;                         ///< message queues that lead to a PE
  /// A PE multiplies its part of C, by where its matrices lie alone: not by its rank, and with no message.
  bool by_place = false;
  /// Throws ConfigError where the kernel cannot do this placement or problem.
  void (*check)(const PlacedGemm& gemm) = nullptr;
  /// Of a kernel that goes by steps, on a grid of PEs of any shape: the ways to cut C and K that fit, the best first;
  /// where none fits the one that takes least.
  std::vector<GridCut> (*cuts)(const PlacedGemm& gemm, const MachineSpec& machine) = nullptr;
  /// What the PEs have to do at least.
  MultiPeWork (*work)(const PlacedGemm& gemm, const MachineSpec& machine) = nullptr;
  Process (*run)(KernelPe pe, MultiPeGemmCall gemm) = nullptr;
  /// Element of C, as this kernel rounds it; null where only the result is rounded.
  MatrixElement (*reference)(const PlacedGemm& gemm) = nullptr;
};

/// Element of C where PEs add their products up round a ring (30.5): each product is rounded to C's dtype, and each
/// sum; the part of the PE with product p begins with product p + 1 and ends with its own.
[[nodiscard]] MatrixElement added_round_ring(std::vector<GemmReference> products, const PlacedMatrix& c);

[[nodiscard]] const std::vector<MultiPeGemmKernel>& multi_pe_gemm_kernels();
/// Throws ConfigError that names the nearest kernel, and all of them.
[[nodiscard]] const MultiPeGemmKernel& find_multi_pe_gemm_kernel(const std::string& name);
/// `const RegisterMultiPeGemmKernel kRegistered({...});` in the kernel's own file.
class RegisterMultiPeGemmKernel {
 public:
  explicit RegisterMultiPeGemmKernel(MultiPeGemmKernel kernel, SourcePlace place = SourcePlace::here());
};

/// A GEMM on some of a machine's PEs; rank r is PE pes[r], by number.
struct MultiPeGemmRequest {
  GemmProblem problem;
  std::string kernel;
  GemmPlacement placement{};
  std::vector<std::int32_t> pes{};
  Bytes tcm = 0;                            ///< of each PE, that it may use, slots of queues included; 0: all
  std::optional<MultiPeMapping> mapping{};  ///< instead of `kernel` (32.16)
  std::int32_t multiplying = 0;             ///< of `pes`, the first that have parts of C; 0: all
};
/// The kernel that does it.
[[nodiscard]] const MultiPeGemmKernel& kernel_of(const MultiPeGemmRequest& request);

/// How a GEMM will be shared, before it runs.
struct MultiPeGemmPlan {
  GemmPlacement placement;  ///< with grid, block and buffers, where the kernel goes by steps
  MultiPeGemmBound bound;
  std::int64_t largest_part_of_c = 0;  ///< tiles
  std::int64_t idle = 0;               ///< PEs that multiply no tile
  Bytes bytes_of_pe = 0;               ///< of the partition of the PE that has most
  Bytes tcm = 0;                       ///< of the PE that takes most, slots of queues included
  Bytes replicated = 0;  ///< of A and B, that every PE has beyond a share of its own before the run begins
  bool apart = false;    ///< PEs may run one after the other (60.1)
};
/// Throws ConfigError for an epilogue that several PEs cannot do, and for dtypes that their arrays cannot.
void check_multi_pe(const GemmProblem& problem, const MacArraySpec& array);
/// Its matrices in the partitions that others reach as `memories`. Throws as plan_multi_pe_gemm.
[[nodiscard]] PlacedGemm place_multi_pe_gemm(const MachineSpec& machine, const MultiPeGemmRequest& request,
                                             const std::vector<MemoryNode>& memories);
/// TCM that the slots of a PE's queues take.
[[nodiscard]] Bytes slots_of(const MultiPeGemmKernel& kernel, const MachineSpec& machine);
/// For the placement that is asked for. `plan` is the network of the machine. Throws ConfigError where the kernel
/// cannot do what is asked, CapacityError where it does not fit.
[[nodiscard]] MultiPeGemmPlan plan_multi_pe_gemm(const MachineSpec& machine, const NetworkPlan& plan,
                                                 const MultiPeGemmRequest& request);
/// A GEMM as a launch: its matrices take their room in the partitions, and get values where the machine carries them.
class MultiPeGemmLaunch : public KernelLaunch {
 public:
  /// Throws ConfigError for wrong input.
  MultiPeGemmLaunch(System& system, const MultiPeGemmRequest& request)
      : MultiPeGemmLaunch(system, request, kernel_of(request)) {}
  /// By a kernel that need not be registered.
  MultiPeGemmLaunch(System& system, const MultiPeGemmRequest& request, const MultiPeGemmKernel& kernel);
  /// Throws SimulationError where the result is not the product.
  void check(System& system) const;

 private:
  const MultiPeGemmKernel& kernel_;
  MultiPeGemmCall gemm_;
};

/// Throws ConfigError for wrong input, SimulationError for a deadlock, an exceeded limit, a race or a wrong result.
[[nodiscard]] MultiPeResult run_multi_pe_gemm(const MachineSpec& machine, const MultiPeGemmRequest& request,
                                              const RunSettings& settings = {});

}  // namespace kernbench
