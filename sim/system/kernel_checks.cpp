// What a kernel's calls are told of before anything starts: matrices that are not set, or do not fit each other
// (28.11).
#include <array>
#include <string>

#include "sim/system/kernel_launch.hpp"

namespace kernbench {

namespace {

std::string dimensions(std::int64_t rows, std::int64_t columns) {
  return std::to_string(rows) + " x " + std::to_string(columns);
}

/// Says all that decides which byte an element is.
std::string described(const MatrixLayout& matrix) {
  const std::string of = matrix.dtype == Dtype::kBf16 ? "" : " of " + std::string(name_of(matrix.dtype));
  if (matrix.layout == Layout::kRowMajor) return dimensions(matrix) + " row-major" + of;
  return dimensions(matrix) + " blocked by " + dimensions(matrix.tile_rows, matrix.tile_columns) + of;
}

}  // namespace

std::string dimensions(const MatrixLayout& matrix) { return dimensions(matrix.rows, matrix.columns); }

void KernelRank::expect_set(const MatrixLayout& matrix, const std::string& what) const {
  if (matrix.rows > 0 && matrix.columns > 0 && matrix.tile_rows > 0 && matrix.tile_columns > 0 && matrix.burst > 0) {
    return;
  }
  misuse(what + " is not set (" + dimensions(matrix) + " elements): expected a matrix of tcm, hbm, or the arguments");
}

void KernelRank::expect_held(const MatrixLayout& matrix, const std::string& what) const {
  expect_set(matrix, what);
  if (!matrix.in_tcm() || pe.tcm_space().holds(matrix.base, matrix.footprint())) return;
  misuse(what + " lies in TCM where nobody has room, from byte " + std::to_string(matrix.base) +
         " on: it has been released, or was never given room by tcm or load");
}

void KernelRank::expect_alike(const MatrixLayout& from, const MatrixLayout& to, const std::string& call) const {
  if (described(from) == described(to)) return;
  misuse(call + " of a matrix of " + described(from) + " into one of " + described(to) +
         ": expected the same shape and layout");
}

void KernelRank::expect_alike_sides(const MatrixLayout& sent, const MatrixLayout& received,
                                    const std::string& channel) const {
  if (described(sent) == described(received)) return;
  misuse(channel + ": the sender's next message is a matrix of " + described(sent) + " (" +
         std::to_string(sent.footprint()) + " bytes), the receiver takes one of " + described(received) + " (" +
         std::to_string(received.footprint()) + " bytes); both sides name the same matrices in the same order");
}

void KernelRank::expect_operand(const Operand& operand, const std::string& what) const {
  expect_held(operand.matrix, what);
  if (!operand.resident() && operand.home.rows == 0) {
    misuse(what + " lies in a memory: expected what load or ref returned for it");
  }
  if (operand.done == nullptr || operand.done->is_complete()) return;
  misuse(what + " is used before its " + (operand.home.rows > 0 ? "load" : "irecv") +
         " is complete: wait for it first");
}

void KernelRank::expect_dtype(const MatrixLayout& matrix, Dtype dtype, const std::string& what) const {
  if (matrix.dtype == dtype) return;
  misuse(what + " is " + std::string(name_of(matrix.dtype)) + ": expected " + std::string(name_of(dtype)));
}

void KernelRank::expect_tiles(const MatrixLayout& matrix, std::int64_t rows, std::int64_t columns,
                              const std::string& what) const {
  const bool anyhow = matrix.layout == Layout::kRowMajor && !is_grouped(matrix.dtype);
  if (anyhow || (matrix.tile_rows == rows && matrix.tile_columns == columns)) return;
  misuse(what + " is " + described(matrix) + ": expected tiles of " + dimensions(rows, columns) +
         ", those of the array, or a row-major matrix");
}

void KernelRank::expect_auxiliary(const Operand& auxiliary, const MatrixLayout& c) const {
  const MatrixLayout& matrix = auxiliary.matrix;
  if (!auxiliary.resident()) {
    misuse(
        "the auxiliary matrix of a composite (epilogue multiply or add) is not in TCM: load it, or compute it there, "
        "first");
  }
  if (matrix.rows != c.rows || matrix.columns != c.columns) {
    misuse("the auxiliary matrix of a composite has " + dimensions(matrix) +
           " elements: expected those of its result, " + dimensions(c));
  }
  const TileShape& tile = system.machine().pe.mac.tile;
  if (matrix.layout == Layout::kBlocked && (matrix.tile_rows != tile.m || matrix.tile_columns != tile.n)) {
    misuse("the auxiliary matrix of a composite is blocked by " + dimensions(matrix.tile_rows, matrix.tile_columns) +
           " elements: expected tiles of its result, " + dimensions(tile.m, tile.n) + ", or row_major");
  }
  expect_operand(auxiliary, "composite: the auxiliary matrix");
  expect_dtype(matrix, c.dtype, "composite: the auxiliary matrix");
}

void KernelRank::complete(GemmProblem& problem, const GemmMatrices& matrices) const {
  const MatrixLayout& a = matrices.a;
  const MatrixLayout& b = matrices.b;
  if (a.columns != b.rows) {
    misuse("composite: A is " + dimensions(a) + " and B " + dimensions(b) +
           ": expected as many columns of A as rows of B");
  }
  if (matrices.c.rows != a.rows || matrices.c.columns != b.columns) {
    misuse("composite: C is " + dimensions(matrices.c) + " and A x B " + std::to_string(a.rows) + " x " +
           std::to_string(b.columns) + ": expected the same");
  }
  struct Dimension {
    const char* name;
    std::int64_t& asked;
    std::int64_t of_operands;
  };
  for (const Dimension& dimension : {Dimension{"m", problem.m, a.rows}, Dimension{"k", problem.k, a.columns},
                                     Dimension{"n", problem.n, b.columns}}) {
    if (dimension.asked == 0) dimension.asked = dimension.of_operands;
    if (dimension.asked == dimension.of_operands) continue;
    misuse("composite: problem." + std::string(dimension.name) + " is " + std::to_string(dimension.asked) +
           " and the operands, " + dimensions(a) + " and " + dimensions(b) + ", say " +
           std::to_string(dimension.of_operands) + ": expected the same, or 0");
  }
}

void KernelRank::complete(MathProblem& problem, const MathMatrices& matrices) const {
  const std::array<const MatrixLayout*, 3> all{&matrices.a, &matrices.b, &matrices.c};
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (i == 1 && !problem.binary()) continue;
    const std::string what = std::string("composite: ") + "ABC"[i];
    expect_held(*all[i], what);
    expect_tiles(*all[i], system.machine().pe.mac.tile.m, system.machine().pe.mac.tile.n, what);
    const bool sums = problem.op == VectorOp::kAdd && all[0]->dtype == Dtype::kFp32;  // of products (44.5)
    expect_dtype(*all[i], sums ? Dtype::kFp32 : Dtype::kBf16, what);
    const std::int64_t columns = i == 2 && reduces(problem.op) ? 1 : matrices.a.columns;
    if (all[i]->rows != matrices.a.rows || all[i]->columns != columns) {
      misuse(what + " is " + dimensions(*all[i]) + " and A " + dimensions(matrices.a) + ": expected " +
             (columns == matrices.a.columns ? "the same" : dimensions(matrices.a.rows, columns)));
    }
  }
  if (problem.rows == 0) problem.rows = matrices.a.rows;
  if (problem.columns == 0) problem.columns = matrices.a.columns;
  if (problem.rows == matrices.a.rows && problem.columns == matrices.a.columns) return;
  misuse("composite: the problem is " + std::to_string(problem.rows) + " x " + std::to_string(problem.columns) +
         " and A " + dimensions(matrices.a) + ": expected the same, or 0");
}

}  // namespace kernbench
