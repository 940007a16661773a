// A GEMM over several PEs and a collective between the same PEs, at once or each alone (adr/0030).
#pragma once

#include <string>
#include <vector>

#include "sim/plan/collective/lanes.hpp"
#include "sim/system/gemm_over.hpp"

namespace kernbench {

enum class BesideRun : std::uint8_t { kGemm, kCollective, kBoth };

/// How long a unit that both may want is at work: of the PE where that is longest.
struct UnitWork {
  std::string unit;  ///< reader, writer, vector, mac, hbm
  Picoseconds work;  ///< at its full rate, waiting left out
};

struct BesideResult {
  Picoseconds gemm;        ///< until its last PE has ended; 0 where it did not run
  Picoseconds collective;  ///< until its last rank has ended; 0 where it did not run
  std::vector<UnitWork> units;
  BusiestLink busiest_link;
  EngineCounts engine;
};

/// Rank r of the GEMM is PE r of the machine, a rank of the collective as many PEs as it has lanes; the collective's
/// buffers lie in HBM. Both start at 0. Values of both are checked where `settings.verify` says so. Throws as
/// run_gemm_over and run_collective.
[[nodiscard]] BesideResult run_beside(const MachineSpec& machine, const GemmProblem& problem,
                                      const GemmPlacement& placement, const std::string& kernel,
                                      const CollectiveLanes& lanes, BesideRun which, const RunSettings& settings);

}  // namespace kernbench
