#include "sim/plan/gemm_mapping.hpp"

#include <algorithm>
#include <array>

#include "sim/base/capacity_error.hpp"
#include "sim/base/checked.hpp"
#include "sim/base/errors.hpp"
#include "sim/machine/tcm_given.hpp"
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

void check_sums(Dtype operands, const SumStorage& sums) {
  const bool whole = exact_sums(operands) == SumFormat::kInt32;
  const bool half = operands == Dtype::kFp16;
  if (whole == (sums.format == SumFormat::kInt32) && (half || sums.format != SumFormat::kFp16)) return;
  throw ConfigError("mapping: sums " + to_text(sums) + " of " + std::string(name_of(operands)) + ": expected " +
                    (whole  ? "int32"
                     : half ? "fp32, fp16 or bf16"
                            : "fp32 or bf16") +
                    (sums.place == SumPlace::kHbm ? ", with @hbm" : ""));
}

void check_buffers(const GemmMapping& mapping) {
  const bool in_hbm = mapping.sums.place == SumPlace::kHbm;
  if (mapping.buffers == 1 || mapping.blocks.a || mapping.blocks.b || in_hbm) return;
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
  if (problem.adds && mapping.sums.place == SumPlace::kHbm) {
    throw ConfigError("mapping: sums " + to_text(mapping.sums) +
                      " of a product that is added to C: expected them in TCM, without @hbm");
  }
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
    index = step % count(loop);
    step /= count(loop);
  }
  return at;
}

std::array<std::int64_t, 3> MappedGemm::loop_counts() const {
  std::array<std::int64_t, 3> counts{};
  const std::string_view order = kLoopOrders[mapping_.order];
  for (std::size_t i = 0; i < counts.size(); ++i) {
    counts.at(i) = order[i] == 'm' ? count_[0] : order[i] == 'k' ? count_[1] : count_[2];
  }
  return counts;
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

bool MappedGemm::is_inside_k(char loop) const {
  const std::string_view order = kLoopOrders[mapping_.order];
  return count(loop) > 1 && order.find(loop) > order.find('k');
}

MappedGemm::Sums MappedGemm::sums() const {
  if (count_[1] == 1) return {};
  if (sums_in_hbm()) return {problem_.m, problem_.n};
  return {is_inside_k('m') ? problem_.m : std::min(mapping_.block.m, problem_.m),
          is_inside_k('n') ? problem_.n : std::min(mapping_.block.n, problem_.n)};
}

MatrixLayout MappedGemm::sums_layout(Bytes burst) const {
  const Sums of = sums();
  MatrixLayout layout{Layout::kBlocked, of.rows, of.columns, mapping_.tile.m, mapping_.tile.n, 0, burst};
  layout.dtype = dtype_of(mapping_.sums.format);
  if (!sums_in_hbm()) layout.memory = kOwnTcm;
  return layout;
}

KeptSums MappedGemm::sums_of(const MatrixLayout& sums, const BlockStep& step, const MatrixLayout& loaded) const {
  if (k_blocks() == 1) return {{}, problem_.adds, false, loaded};
  const std::int64_t row = sums.rows == problem_.m ? rows_of(step.i).begin : 0;
  const std::int64_t column = sums.columns == problem_.n ? columns_of(step.j).begin : 0;
  const std::int64_t rows = rows_of(step.i).size;
  const std::int64_t columns = columns_of(step.j).size;
  const auto tiles = [=](std::int64_t i, std::int64_t j) {
    Block block = sums.tile(row + i, column + j);
    block.rows = std::min(block.rows, rows - i * sums.tile_rows);
    block.row_bytes = std::min(block.row_bytes, bytes_of(columns - j * sums.tile_columns, sums.dtype));
    return block;
  };
  return {tiles, problem_.adds || !first_along_k(step), !last_along_k(step), loaded};
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
  const Dtype result = problem_.result();
  const Dtype kept = dtype_of(mapping_.sums.format);
  const bool larger = bytes_of(tile.n, kept) > bytes_of(tile.n, result);
  step.c.dtype = sums_in_hbm() && larger ? kept : result;  // what leaves by output slots
  step.bias = {problem_.layout, 1, problem_.n, 1, problem_.n, 0, burst, kOwnPartition, bias_of(result)};
  Bytes bytes = tcm_bytes_needed(problem_, step, machine.pe);
  const auto more = [&](std::int64_t loads, const MatrixLayout& of) {
    bytes += std::max<std::int64_t>(0, std::min(mapping_.buffers, loads) - 1) * of.room();
  };
  more(loads_of_a(), a);
  more(loads_of_b(), b);
  const MatrixLayout sums = sums_layout(burst);
  if (k_blocks() > 1 && !sums_in_hbm()) bytes += sums.room();
  if (loads_of_sums() == 0) return bytes;
  const MatrixLayout whole{Layout::kBlocked, problem_.m, problem_.n, tile.m, tile.n, 0, burst, kOwnPartition, result};
  return bytes + std::min(mapping_.buffers, loads_of_sums()) * c(problem_.adds ? whole : sums, {}).matrix.room();
}

GemmMatrices place_gemm(const MappedGemm& mapped, const MachineSpec& machine) {
  const MatrixLayout kept = mapped.sums_in_hbm() ? mapped.sums_layout(machine.die.hbm.burst) : MatrixLayout{};
  return place_gemm(mapped.problem(), machine, kept);
}

void check_tcm(const MappedGemm& mapped, const MachineSpec& machine) {
  const Bytes needed = mapped.tcm(machine);
  const Bytes missing = needed - machine.pe.tcm.capacity;
  if (missing <= 0) return;
  const MappedGemm::Sums sums = mapped.sums();
  const TileShape& block = mapped.mapping().block;
  const bool many_sums = !mapped.sums_in_hbm() && sums.rows * sums.columns > block.m * block.n;
  const std::string remedy =
      many_sums ? ", or keep sums in HBM: sums=" + to_text(SumStorage{mapped.mapping().sums.format, SumPlace::kHbm})
                : "";
  throw CapacityError("the mapping does not fit the TCM: " + to_text(mapped.mapping()) + " needs " +
                      std::to_string(needed) + " bytes and " +
                      tcm_given(machine.pe.tcm.capacity, machine.pe.tcm.taken) + ": " + missing_bytes(missing) +
                      "; take smaller blocks, fewer buffers, or stream an operand" + remedy);
}

}  // namespace kernbench
