#include "sim/plan/gemm_mapping.hpp"

#include <algorithm>
#include <array>

#include "sim/base/capacity_error.hpp"
#include "sim/base/checked.hpp"
#include "sim/base/errors.hpp"
#include "sim/plan/dimension.hpp"

namespace kernbench {

namespace {

constexpr std::int64_t kMostSteps = 1'000'000;

bool is_part(std::int64_t block, std::int64_t tile, std::int64_t size) {
  return block >= 1 && block <= size && (block % tile == 0 || block == size);
}

void check_block(const char* name, std::int64_t block, std::int64_t tile, std::int64_t size) {
  if (is_part(block, tile, size)) return;
  throw ConfigError(std::string("mapping: block ") + name + ": expected a multiple of the tile's " +
                    std::to_string(tile) + " up to the problem's " + std::to_string(size) + ", or that, got " +
                    std::to_string(block));
}

void check_sums(Dtype operands, SumFormat sums) {
  const bool whole = exact_sums(operands) == SumFormat::kInt32;
  if (whole == (sums == SumFormat::kInt32)) return;
  throw ConfigError("mapping: sums " + std::string(kSumFormats[sums]) + " of " + std::string(name_of(operands)) +
                    ": expected " + (whole ? "int32" : "fp32 or bf16"));
}

void check_buffers(const GemmMapping& mapping) {
  if (mapping.buffers == 1 || mapping.blocks.a || mapping.blocks.b) return;
  throw ConfigError("mapping: buffers " + std::to_string(mapping.buffers) +
                    " of nothing that is loaded: expected 1, or another stream than ab, got stream ab");
}

}  // namespace

bool is_block(const TileShape& block, const TileShape& tile, const GemmProblem& problem) {
  return is_part(block.m, tile.m, problem.m) && is_part(block.k, tile.k, problem.k) &&
         is_part(block.n, tile.n, problem.n);
}

MachineSpec with_tile(const MachineSpec& machine, const TileShape& tile) {
  const TileShape& most = machine.pe.mac.tile;
  const auto operands = [](const TileShape& of) { return of.m * of.k + of.k * of.n; };
  if (tile.m * tile.n > most.m * most.n || operands(tile) > operands(most)) {
    throw ConfigError("mapping: tile " + to_text(tile) + ": expected at most " + std::to_string(most.m * most.n) +
                      " elements of C, and " + std::to_string(operands(most)) +
                      " of A and B, which is what an accumulator set and an operand register set hold (pe.mac.tile " +
                      to_text(most) + ")");
  }
  MachineSpec mapped = machine;
  mapped.pe.mac.tile = tile;
  return mapped;
}

GemmMapping whole_mapping(const GemmProblem& problem, const TileShape& tile, Residency loaded) {
  return {.tile = tile,
          .block = {problem.m, problem.k, problem.n},
          .blocks = loaded,
          .buffers = 1,
          .sums = exact_sums(problem.dtype)};
}

MappedGemm::MappedGemm(const GemmProblem& problem, const GemmMapping& mapping) : problem_(problem), mapping_(mapping) {
  check_dimension("m", problem.m);
  check_dimension("k", problem.k);
  check_dimension("n", problem.n);
  check_sums(problem.dtype, mapping.sums);
  check_buffers(mapping);
  const auto [tile, block] = std::pair(mapping.tile, mapping.block);
  check_block("m", block.m, tile.m, problem.m);
  check_block("k", block.k, tile.k, problem.k);
  check_block("n", block.n, tile.n, problem.n);
  count_[0] = ceil_div(problem.m, block.m);
  count_[1] = ceil_div(problem.k, block.k);
  count_[2] = ceil_div(problem.n, block.n);
  if (saturating_multiply(saturating_multiply(count_[0], count_[1]), count_[2]) > kMostSteps) {
    throw ConfigError("mapping: block " + to_text(block) + " makes more than " + std::to_string(kMostSteps) +
                      " steps of this problem: take larger ones");
  }
}

BlockStep MappedGemm::at(std::int64_t step) const {
  const std::string_view order = kLoopOrders[mapping_.order];
  BlockStep at;
  for (const char loop : {order[2], order[1], order[0]}) {
    std::int64_t& index = loop == 'm' ? at.i : loop == 'k' ? at.k : at.j;
    const std::int64_t count = loop == 'm' ? count_[0] : loop == 'k' ? count_[1] : count_[2];
    index = step % count;
    step /= count;
  }
  return at;
}

MappedGemm::Extent MappedGemm::rows_of(std::int64_t i) const {
  return {i * mapping_.block.m / mapping_.tile.m, std::min(mapping_.block.m, problem_.m - i * mapping_.block.m)};
}
MappedGemm::Extent MappedGemm::inner_of(std::int64_t k) const {
  return {k * mapping_.block.k / mapping_.tile.k, std::min(mapping_.block.k, problem_.k - k * mapping_.block.k)};
}
MappedGemm::Extent MappedGemm::columns_of(std::int64_t j) const {
  return {j * mapping_.block.n / mapping_.tile.n, std::min(mapping_.block.n, problem_.n - j * mapping_.block.n)};
}

namespace {

MappedGemm::Piece piece_of(const MatrixLayout& whole, std::int64_t row_tile, std::int64_t rows,
                           std::int64_t column_tile, std::int64_t columns, const TileMap& at) {
  if (rows == whole.rows && columns == whole.columns) return {whole, at, !at};
  MatrixLayout piece = whole;
  piece.rows = rows;
  piece.columns = columns;
  if (at) return {piece, [=](std::int64_t i, std::int64_t j) { return at(row_tile + i, column_tile + j); }, false};
  return {piece, [=](std::int64_t i, std::int64_t j) { return whole.tile(row_tile + i, column_tile + j); }, false};
}

}  // namespace

MappedGemm::Piece MappedGemm::a(const MatrixLayout& whole, const BlockStep& step, const TileMap& at) const {
  const Extent rows = rows_of(step.i);
  const Extent inner = inner_of(step.k);
  return piece_of(whole, rows.begin, rows.size, inner.begin, inner.size, at);
}

MappedGemm::Piece MappedGemm::b(const MatrixLayout& whole, const BlockStep& step, const TileMap& at) const {
  const Extent inner = inner_of(step.k);
  const Extent columns = columns_of(step.j);
  return piece_of(whole, inner.begin, inner.size, columns.begin, columns.size, at);
}

MappedGemm::Piece MappedGemm::c(const MatrixLayout& whole, const BlockStep& step, const TileMap& at) const {
  const Extent rows = rows_of(step.i);
  const Extent columns = columns_of(step.j);
  return piece_of(whole, rows.begin, rows.size, columns.begin, columns.size, at);
}

std::vector<BlockLoad> MappedGemm::loads() const {
  std::vector<BlockLoad> loads;
  std::array<std::vector<std::int64_t>, 2> begins;  // of A's and B's loads: the steps that need them first
  for (std::int64_t step = 0; step < steps(); ++step) {
    const BlockStep now = at(step);
    const BlockStep before = at(std::max<std::int64_t>(step - 1, 0));
    for (const bool of_b : {false, true}) {
      if (!(of_b ? mapping_.blocks.b : mapping_.blocks.a)) continue;
      const bool same = now.k == before.k && (of_b ? now.j == before.j : now.i == before.i);
      if (step > 0 && same) continue;
      std::vector<std::int64_t>& of = begins.at(of_b ? 1 : 0);
      const auto number = static_cast<std::int64_t>(of.size());
      of.push_back(step);
      BlockLoad load{.of_b = of_b, .step = step, .buffer = number % mapping_.buffers};
      if (number >= mapping_.buffers) load.after = of.at(static_cast<std::size_t>(number - mapping_.buffers + 1)) - 1;
      loads.push_back(load);
    }
  }
  return loads;
}

std::string MappedGemm::loops() const {
  std::string loops;
  for (const char loop : kLoopOrders[mapping_.order]) {
    if ((loop == 'm' ? count_[0] : loop == 'k' ? count_[1] : count_[2]) > 1) loops += loop;
  }
  return loops;
}

/// An operand that does not know the innermost loop stays for it.
std::int64_t MappedGemm::times(char other, std::int64_t blocks) const {
  const std::string loops = this->loops();
  return loops.empty() || loops.back() == other ? 1 : blocks;
}

std::int64_t MappedGemm::times_a() const {
  return mapping_.blocks.a ? times('n', count_[2]) : ceil_div(problem_.n, mapping_.tile.n);
}
std::int64_t MappedGemm::times_b() const {
  return mapping_.blocks.b ? times('m', count_[0]) : ceil_div(problem_.m, mapping_.tile.m);
}
std::int64_t MappedGemm::loads_of_a() const {
  return mapping_.blocks.a ? count_[0] * count_[1] * times('n', count_[2]) : 0;
}
std::int64_t MappedGemm::loads_of_b() const {
  return mapping_.blocks.b ? count_[1] * count_[2] * times('m', count_[0]) : 0;
}

MappedGemm::Sums MappedGemm::sums() const {
  if (count_[1] == 1) return {};
  const std::string loops = this->loops();
  const std::string inside = loops.substr(loops.find('k'));
  return {inside.find('m') == std::string::npos ? std::min(mapping_.block.m, problem_.m) : problem_.m,
          inside.find('n') == std::string::npos ? std::min(mapping_.block.n, problem_.n) : problem_.n};
}

MatrixLayout MappedGemm::sums_layout(Bytes burst) const {
  const Sums of = sums();
  MatrixLayout layout{Layout::kBlocked, of.rows, of.columns, mapping_.tile.m, mapping_.tile.n, 0, burst};
  layout.dtype = dtype_of(mapping_.sums);
  return layout;
}

TileMap MappedGemm::sums_of(const MatrixLayout& sums, const BlockStep& step) const {
  const std::int64_t row = sums.rows == problem_.m ? rows_of(step.i).begin : 0;
  const std::int64_t column = sums.columns == problem_.n ? columns_of(step.j).begin : 0;
  const std::int64_t rows = rows_of(step.i).size;
  const std::int64_t columns = columns_of(step.j).size;
  return [=](std::int64_t i, std::int64_t j) {
    Block block = sums.tile(row + i, column + j);
    block.rows = std::min(block.rows, rows - i * sums.tile_rows);
    block.row_bytes = std::min(block.row_bytes, (columns - j * sums.tile_columns) * bytes_of(sums.dtype));
    return block;
  };
}

Bytes MappedGemm::tcm(const MachineSpec& machine) const {
  const Bytes burst = machine.die.hbm.burst;
  const TileShape& tile = mapping_.tile;
  const MatrixLayout a{problem_.layout, mapping_.block.m, mapping_.block.k, tile.m, tile.k, 0,
                       burst,           kOwnPartition,    problem_.dtype};
  const MatrixLayout b{problem_.layout, mapping_.block.k, mapping_.block.n,   tile.k, tile.n, 0,
                       burst,           kOwnPartition,    problem_.stored_b()};
  GemmMatrices step;
  step.a = a.at(mapping_.blocks.a ? kOwnTcm : kOwnPartition, 0);
  step.b = b.at(mapping_.blocks.b ? kOwnTcm : kOwnPartition, 0);
  step.c.dtype = result_of(problem_.dtype);
  step.bias = {problem_.layout, 1, problem_.n, 1, problem_.n, 0, burst, kOwnPartition, step.c.dtype};
  Bytes bytes = tcm_bytes_needed(problem_, step, machine.pe);
  const auto more = [&](std::int64_t loads, const MatrixLayout& of) {
    bytes += std::max<std::int64_t>(0, std::min(mapping_.buffers, loads) - 1) * of.room();
  };
  more(loads_of_a(), a);
  more(loads_of_b(), b);
  if (k_blocks() > 1) bytes += sums_layout(burst).room();
  return bytes;
}

void check_tcm(const MappedGemm& mapped, const MachineSpec& machine) {
  const Bytes needed = mapped.tcm(machine);
  const Bytes missing = needed - machine.pe.tcm.capacity;
  if (missing <= 0) return;
  throw CapacityError("the mapping does not fit the TCM: " + to_text(mapped.mapping()) + " needs " +
                      std::to_string(needed) + " bytes and pe.tcm.capacity is " +
                      std::to_string(machine.pe.tcm.capacity) + ": " + missing_bytes(missing) +
                      "; take smaller blocks, fewer buffers, or stream an operand");
}

}  // namespace kernbench
