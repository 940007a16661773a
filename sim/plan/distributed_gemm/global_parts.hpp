// Which part of a matrix each part of a buffer holds when a command touches it (ADR-0023, adr/0044).
#pragma once

#include <cstdint>
#include <vector>

#include "sim/plan/distributed_gemm/command_list.hpp"
#include "sim/plan/distributed_gemm/distributed_gemm.hpp"

namespace kernbench {

enum class OperandOf : std::uint8_t { kA, kB, kC };

/// Rows and columns of a whole matrix.
struct GlobalPart {
  OperandOf matrix = OperandOf::kA;
  Rect rect;
};

/// What a command touches, in the matrices' own rows and columns; `in` and `second` as far as it has them.
struct GlobalCommand {
  GlobalPart out;
  GlobalPart in;
  GlobalPart second;
  GlobalPart holds;  ///< all of the buffer that is written, afterwards
};

/// Of each command, in the order of the list.
[[nodiscard]] std::vector<GlobalCommand> global_parts(const DistributedGemmPlan& plan, const CommandList& list);

/// Where some command's part begins or ends along M, K and N, in order, 0 and the size included: no command's part
/// has a place of these within it, once it has been cut there.
struct DimensionCuts {
  std::vector<std::int64_t> m;
  std::vector<std::int64_t> k;
  std::vector<std::int64_t> n;

  [[nodiscard]] const std::vector<std::int64_t>& rows_of(OperandOf matrix) const {
    return matrix == OperandOf::kB ? k : m;
  }
  [[nodiscard]] const std::vector<std::int64_t>& columns_of(OperandOf matrix) const {
    return matrix == OperandOf::kA ? k : n;
  }
};
[[nodiscard]] DimensionCuts dimension_cuts(const DistributedGemmPlan& plan, const std::vector<GlobalCommand>& commands);

/// The pieces between cuts, in order. Its ends are cuts.
[[nodiscard]] std::vector<Interval> pieces_between(const std::vector<std::int64_t>& cuts, const Interval& interval);

}  // namespace kernbench
