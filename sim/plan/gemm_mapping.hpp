// A mapping: how a GEMM is laid over a PE's array and TCM (adr/0032-mappings.md). It is data of the workload, not of
// the machine.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/base/names.hpp"
#include "sim/plan/gemm_plan.hpp"

namespace kernbench {

/// The loops over blocks, the outermost first.
enum class LoopOrder : std::uint8_t { kMnk, kMkn, kNmk, kNkm, kKmn, kKnm };
inline constexpr Names<LoopOrder> kLoopOrders{"order",
                                              {{LoopOrder::kMnk, "mnk"},
                                               {LoopOrder::kMkn, "mkn"},
                                               {LoopOrder::kNmk, "nmk"},
                                               {LoopOrder::kNkm, "nkm"},
                                               {LoopOrder::kKmn, "kmn"},
                                               {LoopOrder::kKnm, "knm"}}};

/// What a sum of products is kept as, in TCM, between blocks along K.
enum class SumFormat : std::uint8_t { kFp32, kBf16, kInt32 };
inline constexpr Names<SumFormat> kSumFormats{
    "sum format", {{SumFormat::kFp32, "fp32"}, {SumFormat::kBf16, "bf16"}, {SumFormat::kInt32, "int32"}}};
[[nodiscard]] constexpr Dtype dtype_of(SumFormat format) {
  if (format == SumFormat::kInt32) return Dtype::kInt32;
  return format == SumFormat::kFp32 ? Dtype::kFp32 : Dtype::kBf16;
}
[[nodiscard]] constexpr Bytes bytes_of(SumFormat format) { return bytes_of(dtype_of(format)); }
/// As they are added up: nothing is rounded.
[[nodiscard]] constexpr SumFormat exact_sums(Dtype operands) {
  return accumulator_of(operands) == Dtype::kInt32 ? SumFormat::kInt32 : SumFormat::kFp32;
}

struct GemmMapping {
  TileShape tile{};   ///< what the array multiplies at once
  TileShape block{};  ///< what is worked on in one step: multiples of the tile, or the whole of a dimension
  LoopOrder order = LoopOrder::kMnk;
  Residency blocks{true, true};  ///< operands that are loaded into TCM block by block; the others are streamed by tiles
  std::int64_t buffers = 2;      ///< in TCM, of each operand that is loaded
  SumFormat sums = SumFormat::kFp32;
  bool operator==(const GemmMapping&) const = default;
};

/// Parts of a mapping that somebody asks for; the others are left to be chosen.
struct MappingRequest {
  std::optional<TileShape> tile{};
  std::optional<TileShape> block{};
  std::optional<LoopOrder> order{};
  std::optional<Residency> blocks{};
  std::optional<std::int64_t> buffers{};
  std::optional<SumFormat> sums{};
  std::optional<std::int64_t> split_k{};  ///< parts of K, each of another PE (32.16)
};

inline constexpr std::int64_t kMostBuffers = 4;

/// Reads "tile=32x64x32 block=256x512x256 order=mnk buffers=2 stream=none sums=fp32 split_k=1", any part of it, in any
/// order, with blanks or commas between; "auto" asks for nothing. Throws ConfigError, which begins with `place`.
[[nodiscard]] MappingRequest parse_mapping(std::string_view text, std::string_view place);
[[nodiscard]] std::string to_text(const GemmMapping& mapping);
/// "32x64x32"
[[nodiscard]] std::string to_text(const TileShape& shape);

/// Whether a block is, along each dimension, a multiple of the tile up to the problem's size, or that.
[[nodiscard]] bool is_block(const TileShape& block, const TileShape& tile, const GemmProblem& problem);

/// What this mapping's tiles make of a machine: pe.mac.tile is what the accumulators and operand registers hold at
/// most. Throws ConfigError where the tile does not fit them.
[[nodiscard]] MachineSpec with_tile(const MachineSpec& machine, const TileShape& tile);

/// The whole problem in one step: what has been loaded stays.
[[nodiscard]] GemmMapping whole_mapping(const GemmProblem& problem, const TileShape& tile, Residency loaded);

/// A step: the block of A and B that it multiplies, and of C that it adds to.
struct BlockStep {
  std::int64_t i = 0;
  std::int64_t j = 0;
  std::int64_t k = 0;
};

/// A block that is loaded.
struct BlockLoad {
  bool of_b = false;
  std::int64_t step = 0;    ///< that needs it first
  std::int64_t after = -1;  ///< the last step that uses what is in its buffer before it; -1: none does
  std::int64_t buffer = 0;
};

/// The steps of a mapping of a problem.
class MappedGemm {
 public:
  /// Throws ConfigError where the mapping is none of this problem's.
  MappedGemm(const GemmProblem& problem, const GemmMapping& mapping);

  [[nodiscard]] const GemmProblem& problem() const { return problem_; }
  [[nodiscard]] const GemmMapping& mapping() const { return mapping_; }
  [[nodiscard]] std::int64_t steps() const { return count_[0] * count_[1] * count_[2]; }
  [[nodiscard]] BlockStep at(std::int64_t step) const;
  /// Blocks along K: more than one leave sums between them.
  [[nodiscard]] std::int64_t k_blocks() const { return count_[1]; }
  [[nodiscard]] static bool first_along_k(const BlockStep& step) { return step.k == 0; }
  [[nodiscard]] bool last_along_k(const BlockStep& step) const { return step.k == count_[1] - 1; }

  /// Loops of more than one block, the outermost first: of "m", "k", "n".
  [[nodiscard]] std::string loops() const;

  /// Of a whole matrix, what a step works on, as a matrix of its own, nowhere; and where its tiles are.
  struct Piece {
    MatrixLayout matrix;
    TileMap tiles;
    bool whole = false;  ///< all of it, where its layout says
  };
  /// `at`: where the tiles of the whole are, if not as its layout says.
  [[nodiscard]] Piece a(const MatrixLayout& whole, const BlockStep& step, const TileMap& at = {}) const;
  [[nodiscard]] Piece b(const MatrixLayout& whole, const BlockStep& step, const TileMap& at = {}) const;
  [[nodiscard]] Piece c(const MatrixLayout& whole, const BlockStep& step, const TileMap& at = {}) const;

  /// In the order in which steps need them, A's before B's.
  [[nodiscard]] std::vector<BlockLoad> loads() const;
  /// How often all of A, or B, is brought: loaded, or streamed for every column, or row, of tiles of C.
  [[nodiscard]] std::int64_t times_a() const;
  [[nodiscard]] std::int64_t times_b() const;
  /// Blocks of A, or B, that are loaded.
  [[nodiscard]] std::int64_t loads_of_a() const;
  [[nodiscard]] std::int64_t loads_of_b() const;

  /// Sums that are kept at one time: a matrix of C's elements, rows or columns of blocks of it, or all.
  struct Sums {
    std::int64_t rows = 0;
    std::int64_t columns = 0;
  };
  [[nodiscard]] Sums sums() const;
  /// They as a matrix that has no place yet, of tiles of C's; not set where there are none.
  [[nodiscard]] MatrixLayout sums_layout(Bytes burst) const;
  /// Where, in these sums, the tiles of a step are.
  [[nodiscard]] TileMap sums_of(const MatrixLayout& sums, const BlockStep& step) const;

  /// TCM that it takes: bias, buffers, sums, stages (32.5).
  [[nodiscard]] Bytes tcm(const MachineSpec& machine) const;

 private:
  struct Extent {
    std::int64_t begin = 0;  ///< tile
    std::int64_t size = 0;   ///< elements
  };
  [[nodiscard]] Extent rows_of(std::int64_t i) const;
  [[nodiscard]] Extent inner_of(std::int64_t k) const;
  [[nodiscard]] Extent columns_of(std::int64_t j) const;
  [[nodiscard]] std::int64_t times(char other, std::int64_t blocks) const;

  GemmProblem problem_;
  GemmMapping mapping_;
  std::array<std::int64_t, 3> count_{};  // blocks along M, K, N
};

/// Throws CapacityError, which says how many bytes are missing, where it does not fit a PE's TCM.
void check_tcm(const MappedGemm& mapped, const MachineSpec& machine);

}  // namespace kernbench
