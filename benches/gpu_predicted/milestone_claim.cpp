#include "benches/gpu_predicted/milestone_claim.hpp"

#include <algorithm>

#include "benches/io/files/source_tree.hpp"
#include "benches/results/rows/row_from_run.hpp"
#include "sim/base/errors.hpp"
#include "sim/machine/load_machine.hpp"
#include "sim/plan/gemm_bound.hpp"

namespace kernbench {
namespace {

const MachineSpec& milestone() {
  static const MachineSpec kMachine = load_machine(in_source_tree(kMilestoneMachine).string()).spec;
  return kMachine;
}

}  // namespace

std::optional<double> milestone_efficiency(const GpuGemm& gemm) {
  const GemmProblem problem{.m = gemm.m, .k = gemm.k, .n = gemm.n};
  std::optional<double> best;
  for (const Residency residency : {Residency{}, {true, false}, {true, true}}) {  // ref_ref, load_ref, load_load
    try {
      const GemmBound bound = gemm_bound(problem, residency, milestone());
      const double efficiency = useful_efficiency(problem.macs(), milestone().pe, bound.pe, 1, problem.dtype);
      best = std::max(best.value_or(0), efficiency);
    } catch (const ConfigError&) {  // it does not fit in what the variant loads it to
    }
  }
  return best;
}

}  // namespace kernbench
