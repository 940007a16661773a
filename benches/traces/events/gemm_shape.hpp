// What a GEMM operator was called with, from its recorded arguments (ADR-0040, 40.20).
#pragma once

#include "benches/traces/events/rank_trace.hpp"
#include "benches/traces/events/trace_event.hpp"

namespace kernbench::traces {

/// Of an event for which is_gemm_op() holds. Without recorded sizes, or with sizes that are no product, only the
/// operator's name is known.
[[nodiscard]] GemmShape gemm_shape_of(const TraceEvent& event);

/// Whether A's and B's element types are: of numbers that may be complex, or two in one, nobody knows the operations.
[[nodiscard]] bool are_types_known(const GemmShape& shape);

}  // namespace kernbench::traces
