#include "sim/hw/values/matrix_values.hpp"

#include <algorithm>

#include "sim/base/errors.hpp"
#include "sim/base/quantity.hpp"

namespace kernbench {

namespace {

constexpr Bytes kMostMemory = Bytes{4} << 30U;

std::size_t index(std::int64_t value) { return static_cast<std::size_t>(value); }

/// Calls `visit(row, column, address, values)` for what lies together: a row of a tile, from `column` on, with the
/// values that it is given, rounded.
template <class Visit>
void for_each_row(const MatrixLayout& matrix, const MatrixElement& value, Visit visit) {
  std::vector<float> values;
  for (std::int64_t row = 0; row < matrix.rows; ++row) {
    for (std::int64_t j = 0; j < matrix.column_tiles(); ++j) {
      const Block block = matrix.tile(row / matrix.tile_rows, j);
      const std::int64_t column = j * matrix.tile_columns;
      values.clear();
      for (std::int64_t c = 0; c < matrix.columns_of(j); ++c) values.push_back(value(row, column + c));
      round_row(values, matrix.dtype);
      visit(row, column, block.address + row % matrix.tile_rows * block.stride, values);
    }
  }
}

struct ValueNeed {
  Bytes hbm = 0;
  std::int64_t least_bits = 0;  ///< of the smallest element there
  std::int64_t outputs = 0;
  std::int64_t tiles = 0;
  std::int64_t operand = 0;       ///< elements of a tile's operands
  std::int64_t operand_slot = 0;  ///< floats that a stream slot keeps of them
  std::int64_t result = 0;        ///< elements of its result
  std::int64_t result_slot = 0;   ///< floats that an output slot keeps of them
};

std::int64_t tile_elements(const MatrixLayout& matrix) {
  return std::min(matrix.tile_rows, matrix.rows) * std::min(matrix.tile_columns, matrix.columns);
}

constexpr std::int64_t kMostBits = 8 * kElementBytes;

/// Floats that a store keeps of bytes: one for every second, for each, or for each half of one.
std::int64_t floats_of(Bytes bytes, std::int64_t least_bits) { return 8 * bytes / std::min(least_bits, kMostBits); }

std::int64_t tile_floats(const MatrixLayout& matrix) {
  const Bytes row = bytes_of(std::min(matrix.tile_columns, matrix.columns), matrix.dtype);
  return floats_of(std::min(matrix.tile_rows, matrix.rows) * row, group_of(matrix.dtype).bits);
}

void check(const ValueNeed& need, const PeSpec& pe) {
  const auto value = static_cast<Bytes>(sizeof(float));
  const Bytes needed = floats_of(2 * need.hbm, need.least_bits) * value +
                       std::min(pe.stream_depth, need.tiles) * value * need.operand_slot +
                       std::min(pe.mac.operand_registers, need.tiles) * value * need.operand +
                       std::min(pe.mac.accumulators, need.tiles) * 4 * value * need.result +
                       std::min(pe.output_depth, need.outputs) * value * need.result_slot;
  if (needed <= kMostMemory) return;
  throw ConfigError("--verify keeps the values of every buffer of the PE and of its HBM: expected at most " +
                    format_quantity(kMostMemory, Dimension::kBytes) + ", and this needs " + std::to_string(needed) +
                    " bytes; verify a smaller problem, or leave --verify out");
}

}  // namespace

float operand_element(std::uint64_t matrix, std::int64_t row, std::int64_t column) {
  std::uint64_t x = matrix * 0x9E3779B97F4A7C15U + static_cast<std::uint64_t>(row) * 0xBF58476D1CE4E5B9U +
                    static_cast<std::uint64_t>(column) * 0x94D049BB133111EBU;
  x ^= x >> 31U;
  x *= 0xD6E8FEB86659FD93U;
  x ^= x >> 32U;
  return static_cast<float>(static_cast<std::int64_t>(x % 9) - 4);
}

MatrixElement operand_values(std::uint64_t matrix, std::int64_t row, std::int64_t column) {
  return [=](std::int64_t r, std::int64_t c) { return operand_element(matrix, row + r, column + c); };
}

void fill_matrix(const MatrixLayout& matrix, const MatrixElement& value, ValueStore& memory) {
  for_each_row(matrix, value, [&](std::int64_t, std::int64_t, Address row, const std::vector<float>& values) {
    for (std::int64_t c = 0; c < std::ssize(values); ++c) memory.set(row, c, matrix.dtype, values[index(c)]);
  });
}

void Differences::compare(const MatrixLayout& matrix, const MatrixElement& expected, const ValueStore& memory,
                          const std::string& name, std::int64_t row, std::int64_t column) {
  const MatrixElement of_part = [&](std::int64_t r, std::int64_t c) { return expected(row + r, column + c); };
  for_each_row(matrix, of_part, [&](std::int64_t r, std::int64_t first, Address at, const std::vector<float>& wanted) {
    for (std::int64_t c = 0; c < std::ssize(wanted); ++c) {
      const float want = wanted[index(c)];
      const float got = memory.get(at, c, matrix.dtype);
      ++compared_;
      if (got == want) continue;
      if (wrong_++ > 0) continue;
      first_ = name + "[" + std::to_string(row + r) + "][" + std::to_string(column + first + c) + "] is " +
               (got == got ? std::to_string(got) : std::string("what nobody has written")) + ", expected " +
               std::to_string(want);
    }
  });
}

std::string Differences::describe() const {
  if (wrong_ == 0) return "";
  return std::to_string(wrong_) + " of " + std::to_string(compared_) + " elements are wrong; first: " + first_;
}

void Differences::refuse() const {
  if (wrong_ > 0) throw SimulationError("verification failed: " + describe());
}

GemmReference::GemmReference(const GemmProblem& problem, Interval k, const SumRounding& rounding)
    : problem_(problem), k_(k), rounding_(rounding), b_(index(k.size() * problem.n)), values_(index(problem.n)) {
  const float scale = problem.stored_b() == problem.dtype ? 1.0F : kScaleFactor;  // 34.8
  for (std::int64_t i = 0; i < k.size(); ++i) {
    for (std::int64_t j = 0; j < problem.n; ++j)
      b_[index(i * problem.n + j)] = scale * operand_element(kOperandB, k.begin + i, j);
  }
  for (std::int64_t j = 0; j < problem.n; ++j) bias_.push_back(operand_element(kOperandBias, 0, j));
}

void GemmReference::multiply(std::int64_t row) {
  row_ = row;
  std::ranges::fill(values_, 0.0F);
  for (std::int64_t k = 0; k < k_.size(); ++k) {
    const float a = operand_element(kOperandA, row, k_.begin + k);
    const float* b = &b_[index(k * problem_.n)];
    float* sum = values_.data();
    for (std::int64_t j = 0; j < problem_.n; ++j) sum[j] += a * b[j];
    if (rounding_.every == 0 || (k + 1) % rounding_.every != 0 || k + 1 == k_.size()) continue;
    for (float& value : values_) value = rounded(value, rounding_.dtype);
  }
  for (const EpilogueScope scope : {EpilogueScope::kKTile, EpilogueScope::kOutputTile}) {
    for (const Epilogue& epilogue : problem_.epilogues) {
      if (epilogue.scope != scope) continue;
      for (std::size_t j = 0; j < values_.size(); ++j) {
        const float operand = epilogue.op == VectorOp::kBias ? bias_[j] : kScaleFactor;
        values_[j] = apply_vector_op(epilogue.op, values_[j], operand);
      }
    }
  }
}

float GemmReference::operator()(std::int64_t row, std::int64_t column) {
  if (row != row_) multiply(row);
  return values_[index(column)];
}

float math_reference(const MathProblem& problem, std::int64_t row, std::int64_t column) {
  if (reduces(problem.op)) {
    float sum = reduction_of_none(problem.op);
    for (std::int64_t c = 0; c < problem.columns; ++c)
      sum = apply_vector_op(problem.op, operand_element(kOperandA, row, c), sum);
    return sum;
  }
  const float second = problem.binary() ? operand_element(kOperandB, row, column) : kScaleFactor;
  return apply_vector_op(problem.op, operand_element(kOperandA, row, column), second);
}

void check_value_memory(const GemmProblem& problem, const GemmMatrices& matrices, const PeSpec& pe) {
  const bool keeps = matrices.kept.rows > 0;
  const MatrixLayout& placed = problem.has_epilogue(VectorOp::kBias) ? matrices.bias : matrices.c;
  const MatrixLayout& last = keeps ? matrices.kept : placed;
  const std::int64_t outputs = matrices.c.row_tiles() * matrices.c.column_tiles();
  check({last.base + last.footprint(), problem.least_bits(), outputs, outputs * matrices.a.column_tiles(),
         tile_elements(matrices.a) + tile_elements(matrices.b), tile_floats(matrices.a) + tile_floats(matrices.b),
         tile_elements(matrices.c),
         std::max(tile_floats(matrices.c), keeps ? tile_floats(matrices.kept) : std::int64_t{0})},
        pe);
}

void check_value_memory(const MathProblem& problem, const MathMatrices& matrices, const PeSpec& pe) {
  const std::int64_t tiles = matrices.a.row_tiles() * matrices.a.column_tiles();
  const std::int64_t operand = tile_elements(matrices.a) * (problem.binary() ? 2 : 1);
  const std::int64_t result = tile_elements(matrices.c);
  check({matrices.c.base + matrices.c.footprint(), kMostBits, tiles, tiles, operand, operand, result, result}, pe);
}

}  // namespace kernbench
