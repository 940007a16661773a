// Runs the points of a bench: each in a forked child, resumable, in any order of completion, reported in theirs.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "benches/experiments/run/evaluate.hpp"
#include "benches/experiments/run/memory_limit.hpp"
#include "benches/experiments/run/run_folder.hpp"
#include "benches/results/rows/results.hpp"
#include "benches/workloads/bench.hpp"
#include "sim/machine/load_machine.hpp"

namespace kernbench {

struct RunOptions {
  int jobs = 0;                          ///< points at a time; 0: one for each core
  std::chrono::milliseconds timeout{0};  ///< for one point; 0: none
  std::int64_t memory = 0;               ///< bytes that one point may take; 0: any
  bool fresh = false;                    ///< run again what an interrupted run has done
  bool progress = true;                  ///< rows as they come and, where stderr is a terminal, a bar
  bool provenance = true;                ///< say when, where, how long, and by which command
  std::string command = {};              ///< the command line, output options left out
  PointSettings settings = {};
  Executor* executor = nullptr;      ///< of what is simulated: children of this process
  EvaluationCache* cache = nullptr;  ///< of rows that other runs made; none
};

struct BenchRun {
  Results simulated;          ///< rows in the order of the points, less those not reached; then the derived ones
  Results theory;             ///< no rows where the bench has no theory
  std::size_t attempted = 0;  ///< rows of both that are of this run's points
  std::size_t failed = 0;     ///< of those; skipped ones did not
  std::size_t reused = 0;     ///< simulated rows taken over from an interrupted run
  std::size_t known = 0;      ///< simulated rows that the cache had
  std::size_t kept = 0;       ///< simulated rows of other points, which the results in the folder had
  int stopped_by = 0;         ///< the signal that ended the run early; 0: it is complete
};

/// What a point takes; nothing where the bench does not say, or the machine cannot run it.
[[nodiscard]] std::optional<MemoryNeed> memory_need(const Bench& bench, const LabelledPoint& point,
                                                    const MachineSpec& machine, const PointSettings& settings);

/// What the points take, one by one, as far as the bench says.
std::vector<MemoryNeed> memory_needs(const Bench& bench, const std::vector<LabelledPoint>& points,
                                     const MachineSpec& machine, const PointSettings& settings);

/// Who produces rows now: what committed results are compared with.
Source current_source(const Bench& bench, const LoadedMachine& machine, const std::string& kind);

/// Simulates the points and works out their theory. A point that throws, crashes, hangs or returns nonsense becomes a
/// failed row with its reason; one that the machine is too small for (CapacityError) a skipped one. Rows are kept in
/// `folder` as they come; a later call with the same bench, machine, model, settings and program takes the good ones
/// over. Rows of other points that are in the folder stay. Once the results are on the disk the rows may go:
/// RunFolder::discard_partial_rows. Throws as disk::refuse does.
BenchRun run_bench(const Bench& bench, const std::vector<LabelledPoint>& points, const LoadedMachine& machine,
                   RunFolder& folder, const RunOptions& options);

/// A point on a machine, without its need of memory; bench and machine must outlive it. A machine that is too small
/// skips it (CapacityError), other faults make its row fail.
[[nodiscard]] Evaluation evaluation_of(const Bench& bench, const LabelledPoint& point, const MachineSpec& machine,
                                       const PointSettings& settings);

/// What a run would do.
struct PlannedPoint {
  bool known = false;  ///< from an interrupted run, whose row would be taken over, or from the cache
  double cost = 0;     ///< by the bench's estimate, as a fraction of all points
};

/// Of each point, for a run into that folder. Nothing is simulated, written or locked.
std::vector<PlannedPoint> plan_run(const Bench& bench, const std::vector<LabelledPoint>& points,
                                   const LoadedMachine& machine, const std::filesystem::path& folder,
                                   const RunOptions& options);

}  // namespace kernbench
