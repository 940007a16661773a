#include "sim/plan/operators/operator_plan.hpp"

#include <algorithm>
#include <string>

#include "sim/base/capacity_error.hpp"
#include "sim/machine/memory_places.hpp"
#include "sim/plan/partition_allocator.hpp"

namespace kernbench {

namespace {

constexpr std::int64_t kPieces = 8;  // that a share is cut into, where they are not too small for that
constexpr std::int64_t kBuffers = 2;

/// How shares are cut.
struct Cut {
  std::int64_t unit = 1;   ///< elements that a piece has a whole number of, but for the last one
  std::int64_t units = 0;  ///< that are cut: of a share, or of a row
  bool parts_of_rows = false;
};

Bytes whole_bursts(Bytes bytes, const MachineSpec& machine) {
  return ceil_div(bytes, machine.die.hbm.burst) * machine.die.hbm.burst;
}

/// TCM that a PE takes with pieces of so many units (43.7).
Bytes room_of(const OperatorPlan& plan, const Cut& cut, std::int64_t units, std::int64_t rows_of_share,
              const MachineSpec& machine) {
  const OperatorTraits& traits = plan.traits();
  const OperatorProblem& problem = plan.problem;
  const Bytes piece = whole_bursts(bytes_of(units * cut.unit, problem.dtype), machine);
  const std::int64_t matrices = (traits.second ? 2 : 1) + (traits.writes_rows ? 1 : 0);
  const std::int64_t rows = cut.parts_of_rows ? 1 : units;
  const auto room = [&machine](std::int64_t elements, Dtype dtype) {
    return whole_bursts(bytes_of(elements, dtype), machine);
  };
  Bytes bytes = kBuffers * matrices * piece;
  bytes += cut.parts_of_rows ? kBuffers * traits.parameters * piece
                             : traits.parameters * room(problem.dimension, problem.dtype);
  if (traits.by_rows()) bytes += room(rows * traits.row_statistics, Dtype::kFp32);
  if (traits.classes) bytes += room(rows_of_share, Dtype::kInt32);
  if (!traits.writes_rows) bytes += room(1, Dtype::kFp32);
  return bytes;
}

/// The most units that a piece can have; 0: not even one.
std::int64_t units_that_fit(const OperatorPlan& plan, const Cut& cut, std::int64_t rows_of_share, Bytes tcm,
                            const MachineSpec& machine) {
  std::int64_t fit = 0;
  std::int64_t least_too_many = cut.units + 1;
  while (least_too_many - fit > 1) {
    const std::int64_t middle = fit + (least_too_many - fit) / 2;
    (room_of(plan, cut, middle, rows_of_share, machine) <= tcm ? fit : least_too_many) = middle;
  }
  return fit;
}

/// Units of a piece (43.7).
std::int64_t units_of_piece(const OperatorPlan& plan, const Cut& cut, std::int64_t fit, const MachineSpec& machine) {
  const Bytes least = machine.pe.dma.outstanding_bursts * machine.die.hbm.burst / 2;
  const Bytes unit = bytes_of(cut.unit, plan.problem.dtype);
  return std::min(fit, std::max(ceil_div(cut.units, kPieces), ceil_div(least, unit)));
}

std::vector<OperatorPiece> pieces_of_rows(std::int64_t rows, const OperatorPlan& plan) {
  const std::int64_t dimension = plan.problem.dimension;
  std::vector<OperatorPiece> pieces;
  for (std::int64_t row = 0; row < rows; row += plan.piece_rows) {
    const std::int64_t count = std::min(plan.piece_rows, rows - row);
    pieces.push_back({row * dimension, count * dimension, count, true, plan.traits().writes_rows});
  }
  return pieces;
}

/// Each row twice where y is made: for its statistics, and for y.
std::vector<OperatorPiece> parts_of_rows(std::int64_t rows, const OperatorPlan& plan) {
  const std::int64_t dimension = plan.problem.dimension;
  std::vector<OperatorPiece> pieces;
  for (std::int64_t row = 0; row < rows; ++row) {
    for (const bool apply : {false, true}) {
      if (apply && !plan.traits().writes_rows) continue;
      for (std::int64_t at = 0; at < dimension; at += plan.piece_elements) {
        const std::int64_t count = std::min(plan.piece_elements, dimension - at);
        pieces.push_back({row * dimension + at, count, 1, !apply, apply, at == 0, at + count == dimension});
      }
    }
  }
  return pieces;
}

std::vector<OperatorPiece> pieces_of_elements(std::int64_t elements, const OperatorPlan& plan) {
  const bool mean = !plan.traits().writes_rows;
  std::vector<OperatorPiece> pieces;
  for (std::int64_t at = 0; at < elements; at += plan.piece_elements) {
    pieces.push_back({at, std::min(plan.piece_elements, elements - at), 1, mean, !mean});
  }
  return pieces;
}

OperatorShare place_share(const OperatorProblem& problem, std::int64_t first_row, std::int64_t rows, std::int64_t sums,
                          const MachineSpec& machine) {
  const OperatorTraits& traits = traits_of(problem.op);
  PartitionAllocator partition(machine.die, Layout::kRowMajor);
  OperatorShare share{.first_row = first_row, .rows = rows};
  const auto row_of = [&partition](std::int64_t elements, Dtype dtype) {
    return partition.place(1, elements, 1, elements, dtype);
  };
  if (rows > 0) {
    const std::int64_t elements = rows * problem.dimension;
    share.x = row_of(elements, problem.dtype);
    if (traits.second) share.second = row_of(elements, problem.dtype);
    for (std::int64_t i = 0; i < traits.parameters; ++i) {
      share.parameters.push_back(row_of(problem.dimension, problem.dtype));
    }
    if (traits.classes) share.classes = row_of(rows, Dtype::kInt32);
    if (traits.writes_rows) share.y = row_of(elements, problem.dtype);
  }
  if (sums > 0) {
    // A sum a tile: blocked tiles begin at bursts.
    share.partials = {Layout::kBlocked, sums, 1, 1, 1, 0, machine.die.hbm.burst, kOwnPartition, Dtype::kFp32};
    share.partials.base = partition.place(share.partials.footprint());
    share.result = row_of(1, problem.dtype);
  }
  partition.check_capacity();
  share.bytes = partition.used();
  return share;
}

/// Whole rows where one fits, else parts of one; elements where rows do not matter.
Cut cut_of(const OperatorPlan& plan, std::int64_t rows_of_share, Bytes tcm, const MachineSpec& machine) {
  const OperatorProblem& problem = plan.problem;
  const std::int64_t in_burst = ceil_div(machine.die.hbm.burst, bytes_of(2, problem.dtype)) * 2;
  if (!plan.traits().by_rows()) return {in_burst, ceil_div(rows_of_share * problem.dimension, in_burst)};
  const Cut rows{problem.dimension, rows_of_share};
  if (units_that_fit(plan, rows, rows_of_share, tcm, machine) > 0) return rows;
  return {in_burst, ceil_div(problem.dimension, in_burst), true};
}

}  // namespace

std::int64_t OperatorPlan::active() const {
  return std::ranges::count_if(shares, [](const OperatorShare& share) { return share.rows > 0; });
}

OperatorPlan plan_operator(const OperatorProblem& problem, const MachineSpec& machine, std::int64_t pes, Bytes tcm) {
  check_operator(problem);
  require_partitions(machine, "an operator");
  OperatorPlan plan{.problem = problem};
  const std::int64_t most_rows = ceil_div(problem.rows(), pes);
  const Cut cut = cut_of(plan, most_rows, tcm, machine);
  const std::int64_t fit = units_that_fit(plan, cut, most_rows, tcm, machine);
  if (fit == 0) {
    throw CapacityError("operator " + std::string(kOperators[problem.op]) + ": the smallest pieces take " +
                        std::to_string(room_of(plan, cut, 1, most_rows, machine)) + " bytes of TCM and a PE has " +
                        std::to_string(tcm) + " of pe.tcm.capacity (" + std::to_string(machine.pe.tcm.capacity) +
                        ") for them");
  }
  const std::int64_t units = units_of_piece(plan, cut, fit, machine);
  plan.parts_of_rows = cut.parts_of_rows;
  plan.piece_elements = units * cut.unit;
  plan.piece_rows = cut.parts_of_rows || !plan.traits().by_rows() ? 1 : units;
  plan.tcm = room_of(plan, cut, units, most_rows, machine);
  const std::int64_t longer = problem.rows() % pes;  // shares with a row more
  const std::int64_t sums = plan.traits().writes_rows ? 0 : std::min(problem.rows(), pes);
  std::int64_t first_row = 0;
  for (std::int64_t rank = 0; rank < pes; ++rank) {
    const std::int64_t rows = problem.rows() / pes + (rank < longer ? 1 : 0);
    OperatorShare share = place_share(problem, first_row, rows, rank == 0 ? sums : 0, machine);
    share.pieces = plan.parts_of_rows        ? parts_of_rows(rows, plan)
                   : plan.traits().by_rows() ? pieces_of_rows(rows, plan)
                                             : pieces_of_elements(rows * problem.dimension, plan);
    plan.shares.push_back(std::move(share));
    first_row += rows;
  }
  return plan;
}

MatrixLayout part_of(const MatrixLayout& row, std::int64_t begin, std::int64_t count) {
  MatrixLayout part = row;
  part.base += bytes_of(begin, row.dtype);
  part.columns = part.tile_columns = count;
  return part;
}

}  // namespace kernbench
