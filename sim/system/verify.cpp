#include "sim/system/verify.hpp"

#include <algorithm>
#include <functional>
#include <string>

#include "sim/base/errors.hpp"
#include "sim/base/quantity.hpp"
#include "sim/hw/pe/transfer.hpp"

namespace kernbench {

namespace {

constexpr float kScaleFactor = 0.5F;  // exact in bf16 and fp32
constexpr Bytes kMostMemory = Bytes{4} << 30U;

std::size_t index(std::int64_t value) { return static_cast<std::size_t>(value); }

/// A small integer in [-4, 4] that depends on the matrix and the place.
float element(std::uint64_t seed, std::int64_t row, std::int64_t column) {
  std::uint64_t x = seed * 0x9E3779B97F4A7C15U + static_cast<std::uint64_t>(row) * 0xBF58476D1CE4E5B9U +
                    static_cast<std::uint64_t>(column) * 0x94D049BB133111EBU;
  x ^= x >> 31U;
  x *= 0xD6E8FEB86659FD93U;
  x ^= x >> 32U;
  return static_cast<float>(static_cast<std::int64_t>(x % 9) - 4);
}

/// The iterator to the first element of a row of a block. Throws SimulationError when the row leaves the memory.
template <class Memory>
auto row_of(Memory& memory, const Block& block, std::int64_t row) {
  const Address address = block.address + row * block.stride;
  const auto end = static_cast<Address>(memory.size()) * kElementBytes;
  if (address < 0 || address + block.row_bytes > end) {
    throw SimulationError("verification: a transfer of " + std::to_string(block.row_bytes) + " bytes at address " +
                          std::to_string(address) + " leaves the matrices, which end at " + std::to_string(end));
  }
  return memory.begin() + address / kElementBytes;
}

/// One buffer of several. Throws SimulationError when there is none of that number.
template <class Buffers>
auto& buffer(Buffers& buffers, std::int64_t number) {
  if (number >= 0 && index(number) < buffers.size()) return buffers[index(number)];
  throw SimulationError("verification: stream slot " + std::to_string(number) + " of " +
                        std::to_string(buffers.size()) + " is used");
}

void expect_elements(const TileStep& step, const std::vector<Bf16>& operand, std::int64_t count) {
  if (operand.size() == index(count)) return;
  throw SimulationError("verification: tile " + std::to_string(step.tile) + " works on an operand of " +
                        std::to_string(operand.size()) + " elements where " + std::to_string(count) + " belong");
}

}  // namespace

FunctionalPe::FunctionalPe(const GemmCall& gemm, Residency residency, const PeSpec& pe)
    : a_(gemm.matrices.a),
      b_(gemm.matrices.b),
      c_(gemm.matrices.c),
      bias_(gemm.matrices.bias),
      residency_(residency),
      epilogues_(gemm.problem.epilogues) {
  allocate(pe, std::max(c_.base + c_.footprint(), gemm.has_bias() ? bias_.base + bias_.footprint() : 0));
  fill(a_, 1);
  fill(b_, 2);
  if (gemm.has_bias()) fill(bias_, 3);
}

FunctionalPe::FunctionalPe(const MathCall& math, const PeSpec& pe)
    : gemm_(false),
      a_(math.matrices.a),
      b_(math.matrices.b),
      c_(math.matrices.c),
      math_op_(math.problem.op),
      binary_(math.problem.binary()) {
  allocate(pe, c_.base + c_.footprint());
  fill(a_, 1);
  if (binary_) fill(b_, 2);
}

void FunctionalPe::allocate(const PeSpec& pe, Bytes hbm_bytes) {
  check_memory(pe, hbm_bytes);
  hbm_.resize(index(hbm_bytes / kElementBytes));
  resident_.resize(hbm_.size());
  stream_slots_.resize(index(pe.stream_depth));
  registers_.resize(index(pe.mac.operand_registers));
  accumulators_.resize(index(pe.mac.accumulators));
  partials_.resize(index(pe.mac.accumulators));
  sums_.resize(index(pe.mac.accumulators));
  second_operands_.resize(index(pe.mac.accumulators));
  output_slots_.resize(index(pe.output_depth));
}

void FunctionalPe::check_memory(const PeSpec& pe, Bytes hbm_bytes) const {
  const auto tile = [](const MatrixLayout& matrix) {
    return std::min(matrix.tile_rows, matrix.rows) * std::min(matrix.tile_columns, matrix.columns);
  };
  const std::int64_t outputs = c_.row_tiles() * c_.column_tiles();
  const std::int64_t tiles = gemm_ ? outputs * a_.column_tiles() : outputs;
  const auto operands = static_cast<Bytes>(sizeof(Bf16)) * (tile(a_) + (gemm_ || binary_ ? tile(b_) : 0));
  const auto sums = static_cast<Bytes>(3 * sizeof(float) + sizeof(Bf16)) * tile(c_);
  const Bytes needed = 2 * hbm_bytes +
                       (std::min(pe.stream_depth, tiles) + std::min(pe.mac.operand_registers, tiles)) * operands +
                       std::min(pe.mac.accumulators, tiles) * sums +
                       std::min(pe.output_depth, outputs) * static_cast<Bytes>(sizeof(Bf16)) * tile(c_);
  if (needed <= kMostMemory) return;
  throw ConfigError("--verify keeps the values of every buffer of the PE and of its HBM: expected at most " +
                    format_quantity(kMostMemory, Dimension::kBytes) + ", and this needs " + std::to_string(needed) +
                    " bytes; verify a smaller problem, or leave --verify out");
}

void FunctionalPe::fill(const MatrixLayout& matrix, std::uint64_t seed) {
  for (std::int64_t i = 0; i < matrix.row_tiles(); ++i) {
    for (std::int64_t j = 0; j < matrix.column_tiles(); ++j) {
      const Block block = matrix.tile(i, j);
      for (std::int64_t r = 0; r < block.rows; ++r) {
        for (std::int64_t c = 0; c < block.row_bytes / kElementBytes; ++c) {
          hbm_.at(index((block.address + r * block.stride) / kElementBytes + c)) =
              Bf16(element(seed, i * matrix.tile_rows + r, j * matrix.tile_columns + c));
        }
      }
    }
  }
}

FunctionalPe::Values FunctionalPe::gather(const Values& memory, const Block& block) {
  Values values;
  for (std::int64_t r = 0; r < block.rows; ++r) {
    const auto row = row_of(memory, block, r);
    values.insert(values.end(), row, row + block.row_bytes / kElementBytes);
  }
  return values;
}

void FunctionalPe::scatter(const Values& values, const Block& block, Values& memory) {
  auto from = values.begin();
  for (std::int64_t r = 0; r < block.rows; ++r) {
    const std::int64_t count = block.row_bytes / kElementBytes;
    std::copy_n(from, count, row_of(memory, block, r));
    from += count;
  }
}

void FunctionalPe::arrived(const Transfer& transfer) {
  if (transfer.slot >= 0) {
    Operands& slot = buffer(stream_slots_, transfer.slot);
    (transfer.second ? slot.b : slot.a) = gather(hbm_, transfer.block);
    return;
  }
  scatter(gather(hbm_, transfer.block), transfer.block, resident_);
  for (const Block& block : transfer.more) scatter(gather(hbm_, block), block, resident_);
}

void FunctionalPe::fetched(const TileStep& step, std::int64_t registers) {
  const auto [i, j, k] = step.index;
  const Operands& slot = buffer(stream_slots_, step.slot);
  Operands& set = registers_.at(index(registers));
  set.a = residency_.a ? gather(resident_, a_.tile(i, k)) : slot.a;
  set.b = residency_.b ? gather(resident_, b_.tile(k, j)) : slot.b;
}

void FunctionalPe::multiplied(const TileStep& step, std::int64_t registers, std::int64_t set) {
  const Operands& operands = registers_.at(index(registers));
  std::vector<float>& result = (step.partial ? partials_ : accumulators_).at(index(set));
  const std::int64_t rows = step.output.rows;
  const std::int64_t columns = step.output.columns;
  if (step.first || step.partial) result.assign(index(rows * columns), 0.0F);
  if (!gemm_) {
    expect_elements(step, operands.a, rows * columns);
    expect_elements(step, operands.b, binary_ ? rows * columns : 0);
    std::ranges::transform(operands.a, result.begin(), [](Bf16 value) { return static_cast<float>(value); });
    second_operands_.at(index(set)) = operands.b;
    return;
  }
  expect_elements(step, operands.a, rows * step.inner);
  expect_elements(step, operands.b, step.inner * columns);
  if (result.size() != index(rows * columns)) {
    throw SimulationError("verification: tile " + std::to_string(step.tile) + " adds " +
                          std::to_string(rows * columns) + " products to an accumulator set of " +
                          std::to_string(result.size()) + " elements");
  }
  for (std::int64_t r = 0; r < rows; ++r) {
    for (std::int64_t k = 0; k < step.inner; ++k) {
      const auto a = static_cast<float>(operands.a[index(r * step.inner + k)]);
      for (std::int64_t c = 0; c < columns; ++c) {
        result[index(r * columns + c)] += a * static_cast<float>(operands.b[index(k * columns + c)]);
      }
    }
  }
}

void FunctionalPe::apply(std::vector<float>& values, const OutputTile& output, EpilogueScope scope) const {
  for (const Epilogue& epilogue : epilogues_) {
    if (epilogue.scope != scope) continue;
    for (std::int64_t e = 0; e < output.rows * output.columns; ++e) {
      float operand = kScaleFactor;
      if (epilogue.op == VectorOp::kBias) {
        operand = value(resident_, bias_, 0, output.index.j * c_.tile_columns + e % output.columns);
      }
      values[index(e)] = apply_vector_op(epilogue.op, values[index(e)], operand);
    }
  }
}

void FunctionalPe::transformed(const ArrayResult& result) {
  if (!gemm_) {
    std::vector<float>& values = accumulators_.at(index(result.set));
    const Values& second = second_operands_.at(index(result.set));
    for (std::size_t e = 0; e < values.size(); ++e) {
      values[e] = apply_vector_op(math_op_, values[e], binary_ ? static_cast<float>(second.at(e)) : kScaleFactor);
    }
    return;
  }
  std::vector<float>* values = &accumulators_.at(index(result.set));
  if (result.partial) {
    std::vector<float> product = partials_.at(index(result.set));
    apply(product, result.output, EpilogueScope::kKTile);
    values = &sums_.at(index(result.sum));
    if (result.first) values->assign(product.size(), 0.0F);
    std::ranges::transform(*values, product, values->begin(), std::plus<>());
  }
  if (result.last) apply(*values, result.output, EpilogueScope::kOutputTile);
}

void FunctionalPe::stored(const ArrayResult& result, std::int64_t slot) {
  const std::vector<float>& values = result.partial ? sums_.at(index(result.sum)) : accumulators_.at(index(result.set));
  Values& out = output_slots_.at(index(slot));
  out.clear();
  for (const float v : values) out.emplace_back(v);
}

void FunctionalPe::sent(const Transfer& transfer) {
  if (transfer.stage == kStoreOutStage) {
    scatter(gather(resident_, transfer.block), transfer.block, hbm_);
    for (const Block& block : transfer.more) scatter(gather(resident_, block), block, hbm_);
    return;
  }
  const Values& values = output_slots_.at(index(outputs_sent_++ % static_cast<std::int64_t>(output_slots_.size())));
  scatter(values, transfer.block, hbm_);
}

float FunctionalPe::value(const Values& memory, const MatrixLayout& matrix, std::int64_t row, std::int64_t column) {
  const Block block = matrix.tile(row / matrix.tile_rows, column / matrix.tile_columns);
  const Address address = block.address + row % matrix.tile_rows * block.stride;
  return static_cast<float>(memory.at(index(address / kElementBytes + column % matrix.tile_columns)));
}

float FunctionalPe::reference(std::int64_t row, std::int64_t column) const {
  if (!gemm_) {
    return apply_vector_op(math_op_, element(1, row, column), binary_ ? element(2, row, column) : kScaleFactor);
  }
  double sum = 0.0;
  for (std::int64_t k = 0; k < a_.columns; ++k) sum += element(1, row, k) * element(2, k, column);
  auto result = static_cast<float>(sum);
  for (const EpilogueScope scope : {EpilogueScope::kKTile, EpilogueScope::kOutputTile}) {
    for (const Epilogue& epilogue : epilogues_) {
      if (epilogue.scope != scope) continue;
      result =
          apply_vector_op(epilogue.op, result, epilogue.op == VectorOp::kBias ? element(3, 0, column) : kScaleFactor);
    }
  }
  return result;
}

void FunctionalPe::check() const {
  std::int64_t wrong = 0;
  std::string first;
  for (std::int64_t row = 0; row < c_.rows; ++row) {
    for (std::int64_t column = 0; column < c_.columns; ++column) {
      const Bf16 expected(reference(row, column));
      const float got = value(hbm_, c_, row, column);
      if (Bf16(got) == expected) continue;
      if (wrong++ == 0) {
        first = "C[" + std::to_string(row) + "][" + std::to_string(column) + "] is " + std::to_string(got) +
                ", expected " + std::to_string(static_cast<float>(expected));
      }
    }
  }
  if (wrong > 0) {
    throw SimulationError("verification failed: " + std::to_string(wrong) + " of " +
                          std::to_string(c_.rows * c_.columns) + " elements are wrong; first: " + first);
  }
}

}  // namespace kernbench
