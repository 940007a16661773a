#include "sim/hw/pe/pe_values.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include "sim/base/errors.hpp"

namespace kernbench {

namespace {

std::size_t index(std::int64_t value) { return static_cast<std::size_t>(value); }

/// A block's elements without gaps, from address 0 on.
Block packed(const Block& block) {
  Block packed{0, block.rows, block.row_bytes, block.row_bytes};
  packed.dtype = block.dtype;
  return packed;
}

/// What a block holds, where its rows have so many columns, or as many as they have room for.
std::vector<float> gather(const ValueStore& memory, const Block& block, std::int64_t columns) {
  if (block.row_bytes != bytes_of(columns, block.dtype)) columns = elements_in(block.row_bytes, block.dtype);
  std::vector<float> values;
  values.reserve(index(block.rows * columns));
  for (std::int64_t row = 0; row < block.rows; ++row) {
    const Address begin = block.address + row * block.stride;
    for (std::int64_t at = 0; at < columns; ++at) values.push_back(memory.get(begin, at, block.dtype));
  }
  return values;
}

/// What the last group of a row lacks is 0.
void scatter(const std::vector<float>& values, const Block& block, std::int64_t columns, ValueStore& memory) {
  auto value = values.begin();
  const std::int64_t places = elements_in(block.row_bytes, block.dtype);
  for (std::int64_t row = 0; row < block.rows; ++row) {
    const Address begin = block.address + row * block.stride;
    for (std::int64_t at = 0; at < places; ++at) memory.set(begin, at, block.dtype, at < columns ? *value++ : 0.0F);
  }
}

void expect_elements(const TileStep& step, const std::vector<float>& operand, std::int64_t count) {
  if (operand.size() == index(count)) return;
  throw SimulationError("verification: tile " + std::to_string(step.tile) + " works on an operand of " +
                        std::to_string(operand.size()) + " elements where " + std::to_string(count) + " belong");
}

}  // namespace

PeValues::PeValues(Context context) : context_(std::move(context)) {
  const PeSpec& pe = context_.spec.pe;
  const auto numbered = [this](const char* what, std::int64_t number) {
    return ValueStore(context_.name + "'s " + what + " " + std::to_string(number));
  };
  for (std::int64_t i = 0; i < pe.stream_depth; ++i) {
    for (int operand = 0; operand < 2; ++operand) slots_.push_back({numbered("stream slot", i), {}});
  }
  for (std::int64_t i = 0; i < pe.output_depth; ++i) output_slots_.push_back(numbered("output slot", i));
  registers_.resize(index(pe.mac.operand_registers));
  for (auto* sets : {&accumulators_, &partials_, &sums_, &second_operands_, &partial_second_operands_, &kept_sums_}) {
    sets->resize(index(pe.mac.accumulators));
  }
}

std::shared_ptr<Cargo> PeValues::cargo(CargoEnd from, CargoEnd to, std::vector<Block> addressed,
                                       const std::string& what) const {
  return std::make_shared<Cargo>(context_.machine.clock(), std::move(from), std::move(to), std::move(addressed),
                                 context_.spec.die.hbm.burst, context_.name + "'s " + what);
}

std::shared_ptr<Cargo> PeValues::load(const std::vector<Block>& from, const std::vector<Block>& to) {
  return cargo({&memory(from.front().memory), from}, {&memory(kOwnTcm), to}, from, "load");
}

std::shared_ptr<Cargo> PeValues::store(const std::vector<Block>& from, const std::vector<Block>& to) {
  return cargo({&memory(kOwnTcm), from}, {&memory(to.front().memory), to}, to, "store");
}

PeValues::Slot& PeValues::slot(std::int64_t number, std::int32_t operand) {
  if (number >= 0 && index(2 * number) < slots_.size()) return slots_[index(2 * number + operand)];
  throw SimulationError("verification: stream slot " + std::to_string(number) + " of " +
                        std::to_string(slots_.size() / 2) + " is used");
}

std::shared_ptr<Cargo> PeValues::stream(const TileStep& step, std::int32_t operand) {
  const Block& from = step.operands.at(index(operand));
  Slot& to = slot(step.slot, operand);
  clock().settle();  // a fetch that ends at this instant has read what is replaced here
  to.held = packed(from);
  to.store = ValueStore(to.store.name());  // what it held is gone
  return cargo({&memory(from.memory), {from}}, {&to.store, {to.held}}, {from},
               "stream of tile " + std::to_string(step.tile));
}

std::shared_ptr<Cargo> PeValues::output(const ArrayResult& result, std::int64_t slot) {
  const Block& to = result.output.block;
  return cargo({&output_slots_.at(index(slot)), {packed(to)}}, {&memory(to.memory), {to}}, {to},
               "output of tile " + std::to_string(result.output.tile));
}

std::vector<ValueStore::Open> PeValues::begin(std::int32_t composite, const TilePlan& plan) {
  works_.resize(index(composite) + 1);
  works_.back() = plan.work;
  std::vector<ValueStore::Open> reading;
  const std::string who = context_.name + "'s composite " + std::to_string(composite) + " (" + plan.name + ")";
  for (const MatrixLayout& matrix : plan.resident) {
    for (const Block& block : matrix.whole()) {
      reading.push_back(memory(kOwnTcm).open(block, false, who, clock().now()));
    }
  }
  return reading;
}

void PeValues::end(const std::vector<ValueStore::Open>& reading, Picoseconds at) const {
  for (const ValueStore::Open access : reading) memory(kOwnTcm).close(access, at);
}

PeValues::Values PeValues::read(const TileStep& step, std::int32_t operand) {
  if (operand >= step.operand_count) return {};
  const std::int64_t columns = operand == 0 ? step.inner : step.output.columns;
  if (!step.streams(operand)) return gather(memory(kOwnTcm), step.operands.at(index(operand)), columns);
  const Slot& from = slot(step.slot, operand);
  return gather(from.store, from.held, columns);
}

void PeValues::fetched(const TileStep& step, std::int64_t registers) {
  const std::int64_t columns = step.output.columns;
  registers_.at(index(registers)) = {read(step, 0), read(step, 1), gather(memory(kOwnTcm), step.auxiliary, columns),
                                     gather(memory(kOwnTcm), step.sum, columns)};
}

void PeValues::converted(const TileStep& step, std::int64_t registers) {
  for (float& value : registers_.at(index(registers)).b) value = rounded(value * kScaleFactor, step.operands[0].dtype);
}

void PeValues::multiplied(const TileStep& step, std::int32_t composite, std::int64_t registers, std::int64_t set) {
  const Operands& operands = registers_.at(index(registers));
  Values& result = (step.partial ? partials_ : accumulators_).at(index(set));
  const std::int64_t rows = step.output.rows;
  const std::int64_t columns = step.output.columns;
  if (work(composite).element_wise) {
    expect_elements(step, operands.a, rows * step.inner);
    expect_elements(step, operands.b, step.operand_count == 2 ? rows * step.inner : 0);
    result = operands.a;
    second_operand(step.partial, set) = operands.b;
    return;
  }
  expect_elements(step, operands.a, rows * step.inner);
  expect_elements(step, operands.b, step.inner * columns);
  if (step.last) {
    expect_elements(step, operands.auxiliary, take_matrix(work(composite).epilogues) ? rows * columns : 0);
    second_operand(step.partial, set) = operands.auxiliary;
    expect_elements(step, operands.sum, step.output.adds_sum ? rows * columns : 0);
    kept_sums_.at(index(set)) = operands.sum;
  }
  if (step.first || step.partial) result.assign(index(rows * columns), 0.0F);
  if (result.size() != index(rows * columns)) {
    throw SimulationError("verification: tile " + std::to_string(step.tile) + " adds " +
                          std::to_string(rows * columns) + " products to an accumulator set of " +
                          std::to_string(result.size()) + " elements");
  }
  for (std::int64_t r = 0; r < rows; ++r) {
    for (std::int64_t k = 0; k < step.inner; ++k) {
      const float a = operands.a[index(r * step.inner + k)];
      const float* b = &operands.b[index(k * columns)];
      float* sum = &result[index(r * columns)];
      for (std::int64_t c = 0; c < columns; ++c) sum[c] += a * b[c];
    }
  }
}

void PeValues::apply(Values& values, const ArrayResult& result, EpilogueScope scope) {
  const TileWork& of = work(result.composite);
  const OutputTile& output = result.output;
  for (const Epilogue& epilogue : of.epilogues) {
    if (epilogue.scope != scope) continue;
    Values bias;
    if (epilogue.op == VectorOp::kBias) {
      const Dtype dtype = of.bias.dtype;
      const Address first = of.bias.base + bytes_of(output.first_column, dtype);
      bias = gather(memory(kOwnTcm), {first, 1, bytes_of(output.columns, dtype), 0, kOwnTcm, dtype}, output.columns);
    }
    const Values& second = second_operand(result.partial, result.set);
    for (std::int64_t e = 0; e < output.rows * output.columns; ++e) {
      float operand = bias.empty() ? kScaleFactor : bias[index(e % output.columns)];
      if (takes_matrix(epilogue.op)) operand = second.at(index(e));
      values[index(e)] = apply_vector_op(epilogue.op, values[index(e)], operand);
    }
  }
}

void PeValues::transformed(const ArrayResult& result) {
  const TileWork& of = work(result.composite);
  if (of.element_wise && reduces(*of.element_wise)) return reduced(result, *of.element_wise);
  if (of.element_wise) {
    Values& values = accumulators_.at(index(result.set));
    const Values& second = second_operand(false, result.set);
    for (std::size_t e = 0; e < values.size(); ++e) {
      values[e] = apply_vector_op(*of.element_wise, values[e], second.empty() ? kScaleFactor : second.at(e));
    }
    return;
  }
  Values* values = &accumulators_.at(index(result.set));
  if (result.partial) {
    Values product = partials_.at(index(result.set));
    apply(product, result, EpilogueScope::kKTile);
    values = &sums_.at(index(result.sum));
    if (result.first) values->assign(product.size(), 0.0F);
    std::ranges::transform(*values, product, values->begin(), std::plus<>());
  }
  if (!result.last) return;
  if (result.output.adds_sum) {
    std::ranges::transform(*values, kept_sums_.at(index(result.set)), values->begin(), std::plus<>());
  }
  apply(*values, result, EpilogueScope::kOutputTile);
}

void PeValues::reduced(const ArrayResult& result, VectorOp op) {
  const Values& elements = partials_.at(index(result.set));
  Values& rows = sums_.at(index(result.sum));
  if (result.first) rows.assign(index(result.output.rows), reduction_of_none(op));
  const std::size_t columns = elements.size() / rows.size();
  for (std::size_t e = 0; e < elements.size(); ++e) {
    float& row = rows.at(e / columns);
    row = apply_vector_op(op, elements[e], row);
  }
}

void PeValues::stored(const ArrayResult& result, std::int64_t slot) {
  Values values = (result.partial ? sums_.at(index(result.sum)) : accumulators_.at(index(result.set)));
  const Block& to = result.output.block;
  const std::int64_t columns = result.output.columns;
  if (result.output.accumulates) {
    std::ranges::transform(values, gather(memory(kOwnTcm), to, columns), values.begin(), std::plus<>());
  }
  if (index(to.rows * columns) != values.size() || to.row_bytes != bytes_of(columns, to.dtype)) {
    throw SimulationError("verification: the result of tile " + std::to_string(result.output.tile) + " has " +
                          std::to_string(values.size()) + " elements and goes to " + std::to_string(to.bytes()) +
                          " bytes");
  }
  for (std::int64_t row = 0; row < to.rows; ++row) {
    round_row(std::span(values).subspan(index(row * columns), index(columns)), to.dtype);
  }
  if (to.memory == kOwnTcm) {
    memory(kOwnTcm).touch(to, true, context_.name + "'s result of tile " + std::to_string(result.output.tile),
                          clock().now(), 0);
    scatter(values, to, columns, memory(kOwnTcm));
  } else {
    scatter(values, packed(to), columns, output_slots_.at(index(slot)));
  }
}

}  // namespace kernbench
