// A GEMM over several PEs: where its matrices lie, and what is loaded into TCM before it is used (adr/0030).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/machine/machine_spec.hpp"
#include "sim/plan/gemm_mapping.hpp"
#include "sim/plan/gemm_plan.hpp"
#include "sim/plan/placed_matrix.hpp"

namespace kernbench {

/// Rows and columns of PEs.
struct PeGridShape {
  int rows = 0;
  int columns = 0;
  bool operator==(const PeGridShape&) const = default;
};

/// Policies of A, B and C.
struct GemmPlacement {
  PlacementPolicy a = PlacementPolicy::kRows;
  PlacementPolicy b = PlacementPolicy::kReplicate;
  PlacementPolicy c = PlacementPolicy::kRows;
  PeGridShape grid{};  ///< of `blocks`; nothing: the closest factors of how many PEs there are, rows >= columns
  /// What kernels that go by steps multiply in each, elements of PE 0's first one, and for how many they have room;
  /// nothing: as the kernel chooses.
  TileShape block{};
  std::int64_t buffers = 0;
  bool operator==(const GemmPlacement&) const = default;
};
/// From a text like "a=blocks,b=replicate,c=blocks,grid=4x16,block=512x256x128,buffers=3"; what it leaves out is as in
/// `otherwise`. Throws ConfigError.
[[nodiscard]] GemmPlacement parse_placement(std::string_view text, const GemmPlacement& otherwise);
[[nodiscard]] std::string to_text(const GemmPlacement& placement);

/// How every PE of a GEMM over several runs its part, and how K is split between them (32.16).
struct MultiPeMapping {
  GemmMapping local{};       ///< of the largest part; blocks of smaller ones are cut to these
  std::int64_t split_k = 1;  ///< PEs that follow one another, each with a part of K
};
/// "tile=... split_k=4"
[[nodiscard]] std::string to_text(const MultiPeMapping& mapping);

/// How a PE's block of C and K are cut: C into parts that are done one after the other, K into parts, and each of these
/// into pieces, of which a step multiplies one; and for how many steps a PE has room for operands (30.17, 30.18).
struct GridCut {
  std::int64_t passes = 1;
  std::int64_t parts = 1;
  std::int64_t pieces = 1;
  std::int64_t rooms = 1;
  TileShape block{};       ///< elements that PE 0 multiplies in the first step
  Picoseconds estimate{};  ///< by which a kernel ranks them; 0: it has none

  [[nodiscard]] std::int64_t steps_of_pass() const { return parts * pieces; }
};

/// The matrices in the partitions of PEs 0, 1, 2, ... of the run.
struct PlacedGemm {
  GemmProblem problem;
  int pes = 0;
  PlacedMatrix a;
  PlacedMatrix b;
  PlacedMatrix c;
  Bytes tcm = 0;          ///< of each PE, for operands and stages
  Bytes bytes_of_pe = 0;  ///< of the partition of the PE that has most, or of the memory that they share
  /// Where each PE's product of all of C's shape begins, and where in it is each PE's part of C; empty where PEs have
  /// no product of their own.
  std::vector<Address> products;
  std::vector<Address> in_product;
  std::optional<MultiPeMapping> mapping{};  ///< where PEs run their parts by one
  GridCut cut{};                            ///< where a kernel goes by steps
  /// Where the sums begin that PEs keep in HBM (32.16): of each PE, or the same for all.
  std::vector<Address> kept{};

  /// PE `owner`'s part of C in the product of PE `pe`.
  [[nodiscard]] MatrixLayout product(int owner, int pe) const;
  /// Tiles of C of the PE that has most.
  [[nodiscard]] std::int64_t largest_part_of_c() const;
};

/// What a way of sharing a GEMM asks of the placement.
struct PlacementNeeds {
  /// Every PE that has a part of K has room for a product as large as C, and C is cut among these PEs.
  bool products = false;
  Bytes tcm = 0;  ///< of each PE, for operands and stages
  /// So many PEs that follow one another have a product of the parts of C that are theirs together, where that is not
  /// 0.
  int group = 0;
  /// Where that is not 0, C is cut among so many PEs, the first; of the others A and B use the partitions (41.5).
  int multiplying = 0;
};
/// `memories`: as whom others reach the partition of each PE. Throws ConfigError for wrong dimensions, CapacityError
/// where a part does not fit its partition.
[[nodiscard]] PlacedGemm place_multi_pe_gemm(const GemmProblem& problem, const GemmPlacement& placement,
                                             const PlacementNeeds& needs, const MachineSpec& machine,
                                             const std::vector<MemoryNode>& memories);

/// The operand of a product that is in TCM before the composite begins, so that its tiles are read once and not as
/// often as they are used.
enum class LoadedFirst : std::uint8_t { kNone, kA, kB };
/// Of the operands that fit in `tcm` bytes beside the composite's stages the one that saves more bytes; none where none
/// saves any. `a` and `b` are what one PE multiplies.
[[nodiscard]] LoadedFirst loaded_first(const GemmProblem& problem, const MatrixLayout& a, const MatrixLayout& b,
                                       const PeSpec& pe, Bytes tcm);
/// TCM that a composite of these operands takes.
[[nodiscard]] Bytes tcm_for(const GemmProblem& problem, const MatrixLayout& a, const MatrixLayout& b,
                            LoadedFirst loaded, const PeSpec& pe);

/// By PE: the first PE whose part of C is the product of tiles of A and B that lie in its own partition as these do, or
/// further on by what leaves each of them in the same pseudo-channels. None where any PE multiplies what another one
/// has, or PEs share their HBM.
[[nodiscard]] std::vector<std::int32_t> alike_pes(const PlacedGemm& gemm, const HbmSpec& hbm);

/// Bytes of A and B that each of so many memories (partitions of PEs, or those that the PEs of a die share) has of the
/// matrices that `replicate` puts into it, beyond a share of 1 / memories.
[[nodiscard]] Bytes replicated_bytes(const PlacedGemm& gemm, std::int64_t memories);

}  // namespace kernbench
