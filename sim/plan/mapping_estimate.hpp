// About how long a mapping takes, to rank mappings whose bounds are alike (adr/0032-mappings.md, 32.13).
#pragma once

#include "sim/plan/gemm_bound.hpp"
#include "sim/plan/gemm_mapping.hpp"
#include "sim/plan/pipeline_pace.hpp"

namespace kernbench {

/// The PE window's bound with what it leaves out and mappings differ in: how the PE's units wait for one another, calls
/// of the kernel, the memory's latency, whole bursts, and what a transfer waits for those before it. An estimate: a run
/// may be faster. `machine` has the tile of the mapping.
[[nodiscard]] Picoseconds estimated_time(const MappedGemm& mapped, const GemmBound& bound, const PipelinePace& pace,
                                         const MachineSpec& machine);
/// What it adds to the bound at least: the first and last calls, and the latency before the first bytes.
[[nodiscard]] Picoseconds before_and_after(Residency blocks, const MachineSpec& machine);

}  // namespace kernbench
