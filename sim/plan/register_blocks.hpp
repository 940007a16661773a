// The order in which a composite's tiles are worked on, and which operands stay in the registers from one to the next
// (adr/0006-tile-plan-and-layout.md, 6.15).
#pragma once

#include <cstdint>

#include "sim/machine/machine_spec.hpp"
#include "sim/plan/tile_step.hpp"

namespace kernbench {

/// Of a product of rows x inner x columns tiles.
class RegisterBlocks {
 public:
  struct Tiles {
    std::int64_t rows = 0;
    std::int64_t inner = 0;
    std::int64_t columns = 0;
  };
  struct Place {
    TileIndex index;
    std::int64_t in_block = 0;  ///< among the tiles of its K step in its block
    bool has_a = false;         ///< the tile before, of its block and K step, has the same of A
    bool has_b = false;
  };

  RegisterBlocks(const RegisterBlock& block, const Tiles& tiles) : block_(block), tiles_(tiles) {}

  [[nodiscard]] Place at(std::int64_t t) const;
  /// The tile with which the first output is complete.
  [[nodiscard]] std::int64_t first_complete() const;

 private:
  RegisterBlock block_;
  Tiles tiles_;
};

/// Rows of A and columns of B that are fetched for every element along K of a product that is cut into pieces, each a
/// composite of its own: as LinesOfTiles counts them.
struct FetchedLines {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
};

/// One side of such a product: `all`, elements or the bytes of a row of them, in tiles of `tile`, in pieces of `piece`
/// tiles.
struct LinesOfTiles {
  std::int64_t all = 0;
  std::int64_t tile = 1;
  std::int64_t piece = 1;
};

/// `keeps_a`, `keeps_b`: whether the operand can stay in the registers; what is streamed or converted cannot.
[[nodiscard]] FetchedLines fetched_lines(const RegisterBlock& block, const LinesOfTiles& rows,
                                         const LinesOfTiles& columns, bool keeps_a, bool keeps_b);

}  // namespace kernbench
