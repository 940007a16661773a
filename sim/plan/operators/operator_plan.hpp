// How an operator is shared out between PEs and cut into pieces that pass through TCM (adr/0043-operators.md).
#pragma once

#include <cstdint>
#include <vector>

#include "sim/machine/machine_spec.hpp"
#include "sim/plan/matrix_layout.hpp"
#include "sim/plan/operators/operator.hpp"

namespace kernbench {

/// What is loaded at once: whole rows of a share, a part of one row, or a run of elements whatever their rows.
struct OperatorPiece {
  std::int64_t begin = 0;  ///< its first element, in the share
  std::int64_t elements = 0;
  std::int64_t rows = 1;    ///< that it is of, where rows have statistics
  bool statistics = false;  ///< those of its rows, or what it adds to the mean, are taken
  bool apply = false;       ///< y is made of it
  bool begins_row = true;   ///< nothing of its rows has been seen before
  bool ends_row = true;     ///< its rows' statistics are complete with it
  bool operator==(const OperatorPiece&) const = default;
};

/// One PE's part: rows that follow each other, and where they lie in its partition.
struct OperatorShare {
  std::int64_t first_row = 0;
  std::int64_t rows = 0;
  MatrixLayout x{};  ///< 1 x elements, as are `second` and y
  MatrixLayout second{};
  std::vector<MatrixLayout> parameters{};  ///< gain and bias, 1 x dimension
  MatrixLayout classes{};                  ///< 1 x rows
  MatrixLayout y{};
  MatrixLayout partials{};  ///< of rank 0: a sum of each PE that has rows, each in a burst of its own
  MatrixLayout result{};    ///< of rank 0: the mean
  Bytes bytes = 0;          ///< up to the end of the last of them
  std::vector<OperatorPiece> pieces{};
  bool operator==(const OperatorShare&) const = default;
};

struct OperatorPlan {
  OperatorProblem problem{};
  std::vector<OperatorShare> shares{};  ///< by rank
  std::int64_t piece_elements = 0;      ///< of the largest piece
  std::int64_t piece_rows = 0;          ///< of which a piece has statistics, at most
  bool parts_of_rows = false;           ///< a row does not fit in TCM
  Bytes tcm = 0;                        ///< that a PE takes, at most

  [[nodiscard]] const OperatorTraits& traits() const { return traits_of(problem.op); }
  /// PEs that have rows: the first ones.
  [[nodiscard]] std::int64_t active() const;
};

/// On `pes` PEs with `tcm` bytes of TCM each for it. Throws ConfigError as check_operator, CapacityError where a
/// partition does not hold its share, or TCM not the smallest pieces.
[[nodiscard]] OperatorPlan plan_operator(const OperatorProblem& problem, const MachineSpec& machine, std::int64_t pes,
                                         Bytes tcm);

/// Elements [begin, begin + count) of a matrix of one row.
[[nodiscard]] MatrixLayout part_of(const MatrixLayout& row, std::int64_t begin, std::int64_t count);

}  // namespace kernbench
