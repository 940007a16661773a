// How fast a PE takes the tiles of a mapping that have been brought (adr/0032-mappings.md, 32.22).
#pragma once

#include <map>

#include "sim/machine/machine_spec.hpp"
#include "sim/plan/gemm_mapping.hpp"

namespace kernbench {

struct PipelinePace {
  Picoseconds tiles;    ///< all of them, one after the other
  Picoseconds held;     ///< longer than the bound has it, for which all results hold accumulator sets, divided by these
  Picoseconds through;  ///< a whole tile, from its fetch until its output has been stored
  Picoseconds period;   ///< from one whole tile to the next
};

/// Of mappings of one problem in one tile: it depends on the block along K, and on how sums are kept, alone.
class PipelinePaces {
 public:
  /// `machine`, which has the mappings' tile, is kept by reference, as is the problem.
  PipelinePaces(const GemmProblem& problem, const MachineSpec& machine) : problem_(problem), machine_(machine) {}
  [[nodiscard]] const PipelinePace& of(const GemmMapping& mapping);

 private:
  [[nodiscard]] PipelinePace worked_out(const GemmMapping& mapping) const;

  const GemmProblem& problem_;
  const MachineSpec& machine_;
  std::map<std::pair<std::int64_t, SumFormat>, PipelinePace> known_;
};

}  // namespace kernbench
