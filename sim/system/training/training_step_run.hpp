// One step of data-parallel training on a machine whose packages are the ranks (adr/0041).
#pragma once

#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "sim/engine/calendar.hpp"
#include "sim/machine/machine_spec.hpp"
#include "sim/plan/multi_pe_gemm.hpp"
#include "sim/plan/training_step.hpp"

namespace kernbench {

/// What all steps of a run have in common.
struct TrainingSetup {
  TrainingStep step;
  std::int32_t channels = 0;                         ///< PEs of each package that carry collectives
  bool shared = false;                               ///< these multiply too; else the others alone
  std::int64_t threads = 0;                          ///< / 32: slots of every message queue
  std::string kernel = "owner_computes";             ///< of `sim gemm --over`
  std::string place = "a=blocks,b=blocks,c=blocks";  ///< as --place
  Picoseconds launch;                                ///< in which the host issues one kernel or collective
  Picoseconds latency;                               ///< from the end of that until it may begin
  Picoseconds gap;                                   ///< from the end of a GEMM to the start of the next, at least
  Picoseconds limit = kForever;                      ///< of a step's simulated time
};

/// A setup that has been checked, on the machine as it is used, with the placement of each of its GEMMs.
struct PlannedTraining {
  MachineSpec machine;
  TrainingSetup setup;
  struct Gemm {
    GemmPlacement placement;
    std::int32_t multiplying = 0;  ///< PEs of a rank that have parts of C
    Picoseconds bound;             ///< it is no faster (30.7)
  };
  std::vector<Gemm> gemms;  ///< by GEMM of the step

  [[nodiscard]] std::int32_t ranks() const { return static_cast<std::int32_t>(machine.system.packages.count()); }
  [[nodiscard]] std::int32_t pes_of_rank() const {
    return static_cast<std::int32_t>(machine.package.dies.count() * machine.die.routers.count());
  }
};
/// No step is faster on a rank than the launch of its first GEMM and the bounds of all, with the gaps between (41.15).
[[nodiscard]] Picoseconds training_bound(const PlannedTraining& training);

/// Throws ConfigError for channels, threads or packages that make no training step.
void check_training(const MachineSpec& machine, const TrainingSetup& setup);
/// Throws as check_training and choose_placement.
[[nodiscard]] PlannedTraining plan_training(const MachineSpec& machine, const TrainingSetup& setup);

/// What one step finds.
struct StepConditions {
  std::vector<Picoseconds> hosts;               ///< by rank: when its host begins to launch; the least of them is 0
  std::vector<std::int64_t> clocks;             ///< by rank, in millionths of the machine's
  std::vector<std::vector<Picoseconds>> extra;  ///< by rank and GEMM: by which it takes longer
  bool collectives = true;
  std::int32_t first_ranks = -1;  ///< so many ranks run, the others do nothing; -1: all
  bool operator<(const StepConditions& other) const {
    return std::tie(hosts, clocks, extra, collectives, first_ranks) <
           std::tie(other.hosts, other.clocks, other.extra, other.collectives, other.first_ranks);
  }
};

struct WorkTimes {
  Picoseconds start;
  Picoseconds end;
  [[nodiscard]] Picoseconds duration() const { return end - start; }
};

struct RankTimes {
  Picoseconds host;                    ///< begins to launch
  std::vector<WorkTimes> gemms;        ///< by GEMM of the step
  std::vector<WorkTimes> collectives;  ///< by bucket; empty where none ran
  /// Of the last of them.
  [[nodiscard]] Picoseconds end() const;
};

/// By rank. A simulation by itself, which no other one of the process may be beside (1.19). Throws SimulationError for
/// a deadlock or an exceeded limit.
[[nodiscard]] std::vector<RankTimes> run_training_step(const PlannedTraining& training,
                                                       const StepConditions& conditions);

}  // namespace kernbench
