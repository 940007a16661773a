// Where the elements of a matrix lie: no two at one place, none outside, all of them covered by a load.
#include "sim/plan/matrix_layout.hpp"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

using namespace kernbench;

namespace {

using Element = std::pair<std::int64_t, std::int64_t>;

MatrixLayout random_matrix(Layout layout) {
  const auto size = [](std::int64_t up_to) { return *rc::gen::inRange<std::int64_t>(1, up_to + 1); };
  const Bytes burst = Bytes{2} << *rc::gen::inRange(0, 8);
  return {layout, size(50), size(50), size(20), size(20), size(9) * burst, burst};
}

/// Address of every element, by the blocks of the tiles.
std::map<Element, Address> addresses_of(const MatrixLayout& matrix) {
  std::map<Element, Address> addresses;
  for (std::int64_t i = 0; i * matrix.tile_rows < matrix.rows; ++i) {
    for (std::int64_t j = 0; j * matrix.tile_columns < matrix.columns; ++j) {
      const Block block = matrix.tile(i, j);
      for (std::int64_t r = 0; r < block.rows; ++r) {
        for (std::int64_t c = 0; c < block.row_bytes / 2; ++c) {
          const Element element{i * matrix.tile_rows + r, j * matrix.tile_columns + c};
          RC_ASSERT(addresses.emplace(element, block.address + r * block.stride + 2 * c).second);
        }
      }
    }
  }
  return addresses;
}

void check_places(const MatrixLayout& matrix, const std::map<Element, Address>& addresses) {
  RC_ASSERT(static_cast<std::int64_t>(addresses.size()) == matrix.rows * matrix.columns);
  std::set<Address> places;
  for (const auto& [element, address] : addresses) {
    RC_ASSERT(element.first < matrix.rows);
    RC_ASSERT(element.second < matrix.columns);
    RC_ASSERT(address >= matrix.base);
    RC_ASSERT(address + 2 <= matrix.base + matrix.footprint());
    RC_ASSERT(places.insert(address).second);
  }
}

}  // namespace

TEST_SUITE("ADR-0006") {
  TEST_CASE("6.4 a blocked matrix: tile after tile in slots of whole bursts, packed inside") {
    CHECK(rc::check("blocked", [] {
      const MatrixLayout matrix = random_matrix(Layout::kBlocked);
      const auto addresses = addresses_of(matrix);
      check_places(matrix, addresses);
      const std::int64_t across = (matrix.columns + matrix.tile_columns - 1) / matrix.tile_columns;
      const std::int64_t down = (matrix.rows + matrix.tile_rows - 1) / matrix.tile_rows;
      const Bytes slot = (matrix.tile_rows * matrix.tile_columns * 2 + matrix.burst - 1) / matrix.burst * matrix.burst;
      RC_ASSERT(matrix.footprint() == down * across * slot);
      for (const auto& [element, address] : addresses) {
        const auto [row, column] = element;
        const std::int64_t j = column / matrix.tile_columns;
        const std::int64_t width = std::min(matrix.tile_columns, matrix.columns - j * matrix.tile_columns);
        const std::int64_t tile = row / matrix.tile_rows * across + j;
        const std::int64_t inside = row % matrix.tile_rows * width + column % matrix.tile_columns;
        RC_ASSERT(address == matrix.base + tile * slot + inside * 2);
      }
    }));
  }

  TEST_CASE("6.5 a row-major matrix: element (r, c) lies at base + (r x columns + c) x 2") {
    CHECK(rc::check("row-major", [] {
      const MatrixLayout matrix = random_matrix(Layout::kRowMajor);
      const auto addresses = addresses_of(matrix);
      check_places(matrix, addresses);
      for (const auto& [element, address] : addresses) {
        RC_ASSERT(address == matrix.base + (element.first * matrix.columns + element.second) * 2);
      }
    }));
  }

  TEST_CASE("6.6 a load of a whole matrix moves the bytes of its elements once each, tiles in order") {
    CHECK(rc::check("whole matrix", [] {
      const MatrixLayout matrix = random_matrix(*rc::gen::element(Layout::kBlocked, Layout::kRowMajor));
      std::set<Address> moved;
      Address before = -1;
      Bytes bytes = 0;
      for (const Block& block : matrix.whole()) {
        RC_ASSERT(block.address > before);
        before = block.address;
        bytes += block.bytes();
        for (std::int64_t r = 0; r < block.rows; ++r) {
          for (Bytes byte = 0; byte < block.row_bytes; ++byte) moved.insert(block.address + r * block.stride + byte);
        }
      }
      RC_ASSERT(bytes == matrix.element_bytes());
      std::set<Address> elements;
      for (const auto& [element, address] : addresses_of(matrix)) elements.insert({address, address + 1});
      RC_ASSERT(moved == elements);
      const bool dense = matrix.layout == Layout::kRowMajor || matrix.footprint() == matrix.rows * matrix.columns * 2;
      RC_ASSERT(static_cast<std::int64_t>(matrix.whole().size()) ==
                (dense ? 1 : matrix.row_tiles() * matrix.column_tiles()));
    }));
  }
}

TEST_CASE("layouts are known by name") {
  CHECK(kLayouts.find("blocked") == Layout::kBlocked);
  CHECK(kLayouts.find("row_major") == Layout::kRowMajor);
  CHECK_FALSE(kLayouts.find("blokced").has_value());
}
