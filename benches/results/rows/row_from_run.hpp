// A simulated run as a result row: the metrics every GEMM bench reports (formulas: docs/results.md).
#pragma once

#include <vector>

#include "benches/results/rows/results.hpp"
#include "sim/machine/machine_spec.hpp"
#include "sim/plan/gemm_mapping.hpp"
#include "sim/plan/gemm_plan.hpp"
#include "sim/system/run_result.hpp"

namespace kernbench {

inline constexpr Metric<std::int64_t> kTileCount{"tiles"};

/// Times in ns, ratios as fractions of one. The point is the caller's to fill in. Throws std::logic_error for a run
/// whose PE or composite window is empty.
Row row_from_run(const RunResult& run, const MachineSpec& machine, const GemmProblem& problem);

/// Stages in ns, with the energy of each where it is known (36.10).
[[nodiscard]] std::vector<StageRow> stage_rows(const RunResult& run, const EnergySpec& energy);

/// MACs the problem needs, divided by those of `dtype` that so many PEs could have done in the window.
[[nodiscard]] double useful_efficiency(std::int64_t useful_macs, const PeSpec& pe, Picoseconds window,
                                       std::int64_t pes = 1, Dtype dtype = Dtype::kBf16);

/// The closed-form bound as a row: time_ns, composite_ns, mac_util and useful_eff over the PE window, the bottleneck.
Row row_from_bound(const GemmProblem& problem, Residency residency, const MachineSpec& machine);
/// Of a mapping; `machine` has its tile.
Row row_from_bound(const MappedGemm& mapped, const MachineSpec& machine);

}  // namespace kernbench
