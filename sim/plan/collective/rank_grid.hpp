// Where the ranks of a collective are, and the order in which rings go through them (adr/0018).
#pragma once

#include <cstdint>
#include <vector>

namespace kernbench {

/// A position in a grid: row by row.
struct GridCell {
  std::int32_t row = 0;
  std::int32_t column = 0;
  bool operator==(const GridCell&) const = default;
};

struct GridShape {
  std::int32_t rows = 1;
  std::int32_t columns = 1;
  bool operator==(const GridShape&) const = default;
  [[nodiscard]] constexpr std::int32_t size() const { return rows * columns; }
  [[nodiscard]] constexpr GridCell cell(std::int32_t index) const { return {index / columns, index % columns}; }
  [[nodiscard]] constexpr std::int32_t index(GridCell cell) const { return cell.row * columns + cell.column; }
};

/// Indices, row by row, of a package, a die in it and a PE in that.
struct RankPlace {
  std::int32_t package = 0;
  std::int32_t die = 0;
  std::int32_t pe = 0;
  bool operator==(const RankPlace&) const = default;
};

/// The PEs that take part: the same ones of every die, the same dies of every package. Ranks are numbered package by
/// package, in it die by die, in that PE by PE, each row by row. A flat collective of n ranks is {{}, {}, {1, n}}.
struct RankGrid {
  GridShape packages;
  GridShape dies;  ///< in each package
  GridShape pes;   ///< in each die
  [[nodiscard]] constexpr std::int32_t size() const { return packages.size() * dies.size() * pes.size(); }
  [[nodiscard]] constexpr std::int32_t rank(RankPlace at) const {
    return (at.package * dies.size() + at.die) * pes.size() + at.pe;
  }
  [[nodiscard]] constexpr RankPlace place(std::int32_t rank) const {
    const std::int32_t die = rank / pes.size();
    return {die / dies.size(), die % dies.size(), rank % pes.size()};
  }
};

/// All cells of a grid, by index, each beside the one before. With two rows and columns or more, one of the numbers
/// even, it is a cycle: the last cell is beside the first. Clause 18.3 has the exact order.
[[nodiscard]] std::vector<std::int32_t> neighbour_order(GridShape shape);

/// All ranks: the packages in neighbour order, in each its dies in neighbour order, in each its PEs in neighbour order.
[[nodiscard]] std::vector<std::int32_t> ring_order(const RankGrid& grid);

}  // namespace kernbench
