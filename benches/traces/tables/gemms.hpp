// The GEMMs of a trace: calls by shape, their times and rates (ADR-0040, 40.15 to 40.18).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "benches/traces/events/trace_files.hpp"
#include "benches/traces/tables/selection.hpp"
#include "benches/traces/tables/trace_table.hpp"

namespace kernbench::traces {

/// One call of an operator, or one kernel without an operator.
struct GemmCall {
  TraceId op = kNoId;      ///< into RankTrace::gemm_ops; none: a kernel alone
  TraceId kernel = kNoId;  ///< into RankTrace::gpu_events: the longest kernel
  TracePs start = 0;       ///< of its first GPU event
  TracePs end = 0;         ///< of its last
  TracePs time = 0;        ///< union of its GPU events
};

/// What makes calls the same GEMM.
enum class GemmBasis : std::uint8_t {
  kShape,   ///< operator and shape
  kKernel,  ///< operator and kernel's name: shapes were not recorded
  kName,    ///< the kernel's name alone, which is like a GEMM's: no operator launched it
};

struct GemmGroup {
  GemmBasis basis = GemmBasis::kShape;
  GemmShape shape;     ///< its op is "" by name alone
  std::string kernel;  ///< the name most calls have, of equals the first
  std::int64_t kernels_distinct = 0;
  std::vector<GemmCall> calls;  ///< by start
};

/// Floating-point operations of a call: batch · (2MNK + MN where something is added), of real numbers; a complex
/// multiply-add is 8, one with a real number 4, a complex sum 2. 0: not known, as where A's or B's type is not.
[[nodiscard]] std::int64_t flops_of(const GemmShape& shape);
/// Bytes that a call has to move at least: A, B, the result and what is added, each once in its own type. 0: not known.
[[nodiscard]] std::int64_t bytes_of(const GemmShape& shape);
/// 0: nothing is added; 1: a number or vector, 2: a matrix, 3: a matrix for each product of the batch.
[[nodiscard]] std::int64_t bias_dimensions(const GemmShape& shape);

/// Of the calls' times in µs, with n - 1; 0 of one call.
[[nodiscard]] double std_us(const std::vector<GemmCall>& calls);

/// In the order of their first calls; those by name alone last.
[[nodiscard]] std::vector<GemmGroup> gemm_groups(const RankTrace& trace, const TraceSelection& selection);

/// Adds cells op, M, N, K, layout; all but op are empty where the shape is not known.
void add_short_shape_cells(std::vector<TraceCell>& row, const GemmShape& shape);

/// A row a group and trace.
[[nodiscard]] TraceTable gemms_table(const std::vector<PlacedTrace>& traces, const TraceSelection& selection);

/// A row a call (40.40), in the order of the rows of gemms_table.
[[nodiscard]] TraceTable gemm_calls_table(const std::vector<PlacedTrace>& traces, const TraceSelection& selection);

/// What tells GEMMs apart: op, M, N, K, batch, bias, dtype_a, dtype_b, dtype_c, layout; and a group's cells of these
/// columns.
void add_shape_columns(TraceTable& table);
void add_shape_cells(std::vector<TraceCell>& row, const GemmShape& shape);

}  // namespace kernbench::traces
