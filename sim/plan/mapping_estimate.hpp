// About how long a mapping takes, to rank mappings whose bounds are alike (adr/0032-mappings.md, 32.8).
#pragma once

#include "sim/plan/gemm_bound.hpp"
#include "sim/plan/gemm_mapping.hpp"

namespace kernbench {

/// The PE window's bound with what it leaves out and mappings differ in: calls of the kernel, the memory's latency
/// before the first bytes, and that of streamed tiles, of which pe.stream_depth are under way. An estimate: a run may
/// be faster. `machine` has the tile of the mapping.
[[nodiscard]] Picoseconds estimated_time(const MappedGemm& mapped, const GemmBound& bound, const MachineSpec& machine);
/// What it adds to the bound at least: the first and last calls, and the latency before the first bytes.
[[nodiscard]] Picoseconds before_and_after(Residency blocks, const MachineSpec& machine);

}  // namespace kernbench
