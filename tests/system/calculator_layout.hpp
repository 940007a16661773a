// The calculator's matrices: where they lie and which bursts a transfer touches (ADR-0004, 4.2 to 4.4; ADR-0006).
#pragma once

#include <cstdint>
#include <vector>

#include "sim/machine/machine_spec.hpp"

namespace kernbench::calculator {

/// Consecutive bursts that travel together; burst b holds the addresses from b x burst size on (4.2).
struct Packet {
  std::int64_t first_burst = 0;
  std::int64_t bursts = 0;
};

/// Rows of equal length at a constant stride, in bytes (4.3).
struct Block {
  Bytes address = 0;
  std::int64_t rows = 0;
  Bytes row_bytes = 0;
  Bytes stride = 0;
};

/// The packets of a transfer of these blocks, in order (4.3, 4.4).
std::vector<Packet> packets_of(const std::vector<Block>& blocks, const MachineSpec& machine);

/// One matrix in HBM, cut into tiles of at most tile_rows x tile_columns elements.
struct Matrix {
  Bytes address = 0;
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::int64_t tile_rows = 0;
  std::int64_t tile_columns = 0;
  bool row_major = false;
  Bytes burst = 0;
  Bytes element = 2;

  /// Valid rows (columns) of the tiles in tile row (column) `index`: the last one holds what is left (6.1).
  [[nodiscard]] std::int64_t valid_rows(std::int64_t index) const;
  [[nodiscard]] std::int64_t valid_columns(std::int64_t index) const;
  [[nodiscard]] Bytes tile_bytes(std::int64_t row, std::int64_t column) const;
  [[nodiscard]] Bytes bytes() const { return rows * columns * element; }
  /// The first address after the matrix (6.4, 6.5).
  [[nodiscard]] Bytes end() const;

  [[nodiscard]] Block tile(std::int64_t row, std::int64_t column) const;  ///< 6.4, 6.5
  [[nodiscard]] std::vector<Block> whole() const;                         ///< 6.6

 private:
  [[nodiscard]] Bytes slot_bytes() const;
};

}  // namespace kernbench::calculator
