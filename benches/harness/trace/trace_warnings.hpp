// What makes a trace's tables doubtful, in words.
#pragma once

#include "benches/harness/trace/rank_trace.hpp"

namespace kernbench::traces {

/// Appends to trace.warnings (ADR-0040, 40.12): bad events left out, no runtime events, no communication among several
/// ranks, kernels of one stream that overlap, shapes that were not recorded, GEMMs without an operator, kernels of
/// graphs, GPU events outside of all steps.
void add_warnings(RankTrace& trace);

}  // namespace kernbench::traces
