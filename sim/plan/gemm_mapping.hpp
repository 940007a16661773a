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

/// What a sum of products is kept as between blocks along K.
enum class SumFormat : std::uint8_t { kFp32, kBf16, kFp16, kInt32 };
inline constexpr Names<SumFormat> kSumFormats{
    "sum format",
    {{SumFormat::kFp32, "fp32"}, {SumFormat::kBf16, "bf16"}, {SumFormat::kFp16, "fp16"}, {SumFormat::kInt32, "int32"}}};
[[nodiscard]] constexpr Dtype dtype_of(SumFormat format) {
  if (format == SumFormat::kInt32) return Dtype::kInt32;
  if (format == SumFormat::kFp16) return Dtype::kFp16;
  return format == SumFormat::kFp32 ? Dtype::kFp32 : Dtype::kBf16;
}
[[nodiscard]] constexpr Bytes bytes_of(std::int64_t elements, SumFormat format) {
  return bytes_of(elements, dtype_of(format));
}
/// As they are added up: nothing is rounded.
[[nodiscard]] constexpr SumFormat exact_sums(Dtype operands) {
  return accumulator_of(operands) == Dtype::kInt32 ? SumFormat::kInt32 : SumFormat::kFp32;
}

/// Where sums are between blocks along K: in TCM, or in a matrix of HBM that they are stored to and loaded from.
enum class SumPlace : std::uint8_t { kTcm, kHbm };

/// How sums are kept between blocks along K, as --map says it: "fp32", "bf16@hbm".
struct SumStorage {
  SumFormat format = SumFormat::kFp32;
  SumPlace place = SumPlace::kTcm;

  SumStorage(SumFormat as = SumFormat::kFp32, SumPlace in = SumPlace::kTcm)  // NOLINT(google-explicit-constructor)
      : format(as), place(in) {}
  bool operator==(const SumStorage&) const = default;
};
/// "fp32", "fp32@hbm"
[[nodiscard]] std::string to_text(const SumStorage& sums);

struct GemmMapping {
  TileShape tile{};   ///< what the array multiplies at once
  TileShape block{};  ///< what is worked on in one step: multiples of the tile, or the whole of a dimension
  LoopOrder order = LoopOrder::kMnk;
  Residency blocks{true, true};  ///< operands that are loaded into TCM block by block; the others are streamed by tiles
  std::int64_t buffers = 2;      ///< in TCM, of each operand that is loaded, and of sums or C that are
  SumStorage sums{};
  bool operator==(const GemmMapping&) const = default;
};

/// Parts of a mapping that somebody asks for; the others are left to be chosen.
struct MappingRequest {
  std::optional<TileShape> tile{};
  std::optional<TileShape> block{};
  std::optional<LoopOrder> order{};
  std::optional<Residency> blocks{};
  std::optional<std::int64_t> buffers{};
  std::optional<SumStorage> sums{};
  std::optional<std::int64_t> split_k{};  ///< parts of K, each of another PE (32.16)
  bool operator==(const MappingRequest&) const = default;
};

inline constexpr std::int64_t kMostBuffers = 4;

/// Reads "tile=32x64x32 block=256x512x256 order=mnk buffers=2 stream=none sums=fp32 split_k=1", any part of it, in any
/// order, with blanks or commas between; "sums=fp32@hbm" keeps sums in HBM, "auto" asks for nothing. Throws
/// ConfigError, which begins with `place`.
[[nodiscard]] MappingRequest parse_mapping(std::string_view text, std::string_view place);
/// The mapping of a request that leaves nothing to be chosen. Throws std::bad_optional_access for another.
[[nodiscard]] GemmMapping complete_mapping(const MappingRequest& request);
/// Throws ConfigError "PLACE split_k: ..." for one that splits K, which one PE cannot.
void expect_one_pe(const MappingRequest& request, const std::string& place);
[[nodiscard]] std::string to_text(const GemmMapping& mapping);
/// "32x64x32"
[[nodiscard]] std::string to_text(const TileShape& shape);
/// MxKxN, and how many buffers. Throw ConfigError that begins with `place`.
[[nodiscard]] TileShape parse_shape(const std::string& text, const std::string& place);
[[nodiscard]] std::int64_t parse_buffers(const std::string& text, const std::string& place);

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

/// What a step finds in TCM: a block of A, of B, and of the sums that an earlier step has stored to HBM, or
/// of C as it was.
enum class BlockOf : std::uint8_t { kA, kB, kSums };

/// A block that is loaded.
struct BlockLoad {
  BlockOf what = BlockOf::kA;
  std::int64_t step = 0;  ///< that needs it first
  /// The last step that has to be complete: it uses what is in the buffer before it, or stores these sums; -1: none.
  std::int64_t after = -1;
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
  /// Blocks that each loop goes through, the outermost first.
  [[nodiscard]] std::array<std::int64_t, 3> loop_counts() const;
  /// Blocks along K: more than one leave sums between them.
  [[nodiscard]] std::int64_t k_blocks() const { return count_[1]; }
  [[nodiscard]] static bool first_along_k(const BlockStep& step) { return step.k == 0; }
  [[nodiscard]] bool last_along_k(const BlockStep& step) const { return step.k == count_[1] - 1; }

  /// From a step to the one that adds the next block along K to the same block of C.
  [[nodiscard]] std::int64_t steps_per_k_block() const;

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

  /// In the order in which steps need them, A's before B's, sums last.
  [[nodiscard]] std::vector<BlockLoad> loads() const;
  /// How often all of A, or B, is brought: loaded, or streamed for every column, or row, of tiles of C.
  [[nodiscard]] std::int64_t times_a() const;
  [[nodiscard]] std::int64_t times_b() const;
  /// Bytes of the largest block of A, or B, or of what is added to: C, or sums as they are kept.
  [[nodiscard]] Bytes block_of_a() const {
    return mapping_.block.m * bytes_of_row(mapping_.block.k, mapping_.tile.k, problem_.dtype);
  }
  [[nodiscard]] Bytes block_of_b() const {
    return mapping_.block.k * bytes_of_row(mapping_.block.n, mapping_.tile.n, problem_.stored_b());
  }
  [[nodiscard]] Bytes block_of_sums() const {
    const Dtype dtype = problem_.adds ? problem_.result() : dtype_of(mapping_.sums.format);
    return mapping_.block.m * bytes_of_row(mapping_.block.n, mapping_.tile.n, dtype);
  }
  /// Blocks of A, or B, that are loaded.
  [[nodiscard]] std::int64_t loads_of_a() const;
  [[nodiscard]] std::int64_t loads_of_b() const;
  /// Blocks of sums that are loaded from HBM, after as many have been stored there; or of C, where it is added to.
  [[nodiscard]] std::int64_t loads_of_sums() const;
  /// Bytes of C.
  [[nodiscard]] Bytes bytes_of_c() const;
  /// Bytes of all sums that are loaded.
  [[nodiscard]] Bytes bytes_of_sum_loads() const;
  /// Bytes of sums that are written, which C is not.
  [[nodiscard]] Bytes bytes_of_sum_stores() const;
  /// Bytes that HBM gives and takes, bursts and bias left out: operands, C, and sums (32.15).
  [[nodiscard]] Bytes read() const;
  [[nodiscard]] Bytes written() const;
  [[nodiscard]] Bytes traffic() const { return read() + written(); }
  /// That it gives, with this block and residency, in the order in which it gives least.
  [[nodiscard]] Bytes least_read() const;

  /// Whether a step finds what it adds in `loaded`: sums that were in HBM, or what C held before.
  [[nodiscard]] bool adds_loaded(const BlockStep& step) const {
    return first_along_k(step) ? problem_.adds : sums_in_hbm();
  }
  /// Whether sums go to HBM between blocks along K.
  [[nodiscard]] bool sums_in_hbm() const { return k_blocks() > 1 && mapping_.sums.place == SumPlace::kHbm; }
  /// Sums that have a place at one time: a matrix of C's elements, rows or columns of blocks of it, or all, as in HBM.
  struct Sums {
    std::int64_t rows = 0;
    std::int64_t columns = 0;
  };
  [[nodiscard]] Sums sums() const;
  /// They as a matrix of TCM or HBM that has no address yet, of tiles of C's; not set where there are none.
  [[nodiscard]] MatrixLayout sums_layout(Bytes burst) const;
  /// What a step does with these sums; where adds_loaded() what it adds is in `loaded`, in TCM.
  [[nodiscard]] KeptSums sums_of(const MatrixLayout& sums, const BlockStep& step,
                                 const MatrixLayout& loaded = {}) const;

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
  /// Blocks along loop 'm', 'k' or 'n'.
  [[nodiscard]] std::int64_t count(char loop) const { return count_[loop == 'm' ? 0 : loop == 'k' ? 1 : 2]; }
  [[nodiscard]] Bytes read(std::int64_t times_a, std::int64_t times_b) const;
  [[nodiscard]] bool is_inside_k(char loop) const;
  [[nodiscard]] std::int64_t times(char other, std::int64_t blocks) const;
  [[nodiscard]] bool loads_at(BlockOf what, std::int64_t step) const;

  GemmProblem problem_;
  GemmMapping mapping_;
  std::array<std::int64_t, 3> count_{};  // blocks along M, K, N
};

/// The matrices in the PE's partition, with that of sums, where they go to HBM, after all others (32.19). `machine` has
/// the mapping's tile. Throws as that of the problem does.
[[nodiscard]] GemmMatrices place_gemm(const MappedGemm& mapped, const MachineSpec& machine);

/// Throws CapacityError, which says how many bytes are missing, where it does not fit a PE's TCM.
void check_tcm(const MappedGemm& mapped, const MachineSpec& machine);

}  // namespace kernbench
