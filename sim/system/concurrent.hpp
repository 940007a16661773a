// A GEMM over several PEs and a collective between the same PEs, at once or each alone (adr/0030).
#pragma once

#include <string>
#include <vector>

#include "sim/plan/collective/rails.hpp"
#include "sim/system/multi_pe_gemm.hpp"

namespace kernbench {

enum class ConcurrentRun : std::uint8_t { kGemm, kCollective, kBoth };

struct ConcurrentRequest {
  MultiPeGemmRequest gemm;  ///< its `tcm` as tcm_beside says
  Bytes gemm_tcm = 0;       ///< of each PE, that it takes: MultiPeGemmPlan::tcm
};
/// What a collective's slots leave of each TCM. Throws CapacityError where that is nothing.
[[nodiscard]] Bytes tcm_beside(const MachineSpec& machine, const CollectiveRails& rails);

/// How long a unit that both may want is at work: of the PE where that is longest.
struct UnitWork {
  std::string unit;  ///< DMA reader, DMA writer, vector unit, MAC array, HBM channels
  Picoseconds work;  ///< at its full rate, waiting left out
};

struct ConcurrentResult {
  Picoseconds gemm;        ///< until its last PE has ended; 0 where it did not run
  Picoseconds collective;  ///< until its last rank has ended; 0 where it did not run
  bool in_hbm = false;     ///< the collective's buffers lie there
  /// Of the GEMM, where it ran: its programs' ends and ledgers; what a PE moved and how long its units worked is of
  /// both.
  std::vector<PeReport> gemm_pes;
  std::vector<UnitWork> units;
  std::vector<NetworkLinkWork> links;  ///< all, in the order of their numbers
  EngineCounts engine;
};

/// Rank r of the GEMM is PE r of the machine, a rank of the collective as many PEs as it has rails; the collective's
/// buffers lie in TCM where they fit beside what the GEMM takes of it, whether that runs or not. Both start at 0.
/// Values of both are checked where `settings.verify` says so. Throws as run_multi_pe_gemm and run_collective.
[[nodiscard]] ConcurrentResult run_concurrent(const MachineSpec& machine, const ConcurrentRequest& request,
                                              const CollectiveRails& rails, ConcurrentRun which,
                                              const RunSettings& settings);

}  // namespace kernbench
