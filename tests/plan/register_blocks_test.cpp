// The order of tiles in register blocks, and what is fetched, beside counts of one tile after the other.
#include "sim/plan/register_blocks.hpp"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <set>
#include <tuple>
#include <vector>

#include "tests/plan/random_problem.hpp"

using namespace kernbench;

namespace {

std::vector<RegisterBlocks::Place> places(const RegisterBlock& block, const RegisterBlocks::Tiles& tiles) {
  const RegisterBlocks order(block, tiles);
  std::vector<RegisterBlocks::Place> all;
  for (std::int64_t t = 0; t < tiles.rows * tiles.inner * tiles.columns; ++t) all.push_back(order.at(t));
  return all;
}

std::tuple<std::int64_t, std::int64_t, std::int64_t> place_of(const TileIndex& index) {
  return {index.i, index.j, index.k};
}

RegisterBlock any_block() { return {random_size(4), random_size(5)}; }

}  // namespace

TEST_SUITE("ADR-0006") {
  TEST_CASE(
      "6.15 a block of 2 x 3 tiles goes row by row, what is left of 1 x 3 too, what is left of 2 x 1 by columns") {
    // i, j, k of 3 x 4 tiles of C with 2 along K.
    const std::vector<TileIndex> expected{{0, 0, 0}, {0, 1, 0}, {0, 2, 0}, {1, 0, 0}, {1, 1, 0}, {1, 2, 0},  // K step 0
                                          {0, 0, 1}, {0, 1, 1}, {0, 2, 1}, {1, 0, 1}, {1, 1, 1}, {1, 2, 1},  // K step 1
                                          {0, 3, 0}, {1, 3, 0}, {0, 3, 1}, {1, 3, 1},  // by columns
                                          {2, 0, 0}, {2, 1, 0}, {2, 2, 0}, {2, 0, 1}, {2, 1, 1}, {2, 2, 1},
                                          {2, 3, 0}, {2, 3, 1}};
    const auto all = places({2, 3}, {3, 2, 4});
    REQUIRE(all.size() == expected.size());
    for (std::size_t t = 0; t < all.size(); ++t) CHECK(place_of(all[t].index) == place_of(expected[t]));
    CHECK(!all[0].has_a);
    CHECK(all[1].has_a);
    CHECK(!all[3].has_a);   // another row
    CHECK(!all[6].has_a);   // another K step
    CHECK(all[13].has_b);   // down the column
    CHECK(!all[14].has_b);  // another K step
    CHECK(RegisterBlocks({2, 3}, {3, 2, 4}).first_complete() == 6);
  }

  TEST_CASE("6.15 every tile comes once, K step by K step, and what stays is what the tile before had") {
    CHECK(rc::check([] {
      const RegisterBlock block = any_block();
      const RegisterBlocks::Tiles tiles{random_size(9), random_size(4), random_size(9)};
      const auto all = places(block, tiles);
      std::set<std::tuple<std::int64_t, std::int64_t, std::int64_t>> seen;
      std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t> next_k;
      for (std::size_t t = 0; t < all.size(); ++t) {
        const auto& [index, in_block, has_a, has_b] = all[t];
        RC_ASSERT(seen.insert(place_of(index)).second);
        RC_ASSERT(next_k[std::pair(index.i, index.j)]++ == index.k);
        RC_ASSERT(in_block < block.tiles());
        RC_ASSERT(!(has_a && has_b));
        if (has_a) RC_ASSERT(all[t - 1].index.i == index.i && all[t - 1].index.k == index.k);
        if (has_b) RC_ASSERT(all[t - 1].index.j == index.j && all[t - 1].index.k == index.k);
        if (index.k > 0) continue;
        RC_ASSERT(in_block == (t > 0 && all[t - 1].index.k == 0 && all[t - 1].in_block + 1 == in_block ? in_block : 0));
      }
      RC_ASSERT(seen.size() == all.size());
      const auto first = static_cast<std::size_t>(RegisterBlocks(block, tiles).first_complete());
      RC_ASSERT(place_of(all[first].index) == std::tuple(0, 0, tiles.inner - 1));
    }));
  }

  TEST_CASE("6.15 what is fetched of a product in pieces is what its tiles, one after the other, fetch") {
    CHECK(rc::check([] {
      const RegisterBlock block = any_block();
      const LinesOfTiles rows{random_size(200), random_size(40), random_size(6)};
      const LinesOfTiles columns{random_size(200), random_size(40), random_size(6)};
      const bool keeps_a = *rc::gen::arbitrary<bool>();
      const bool keeps_b = *rc::gen::arbitrary<bool>();
      const auto tiles_of = [](const LinesOfTiles& lines) { return (lines.all + lines.tile - 1) / lines.tile; };
      const auto elements_of = [](const LinesOfTiles& lines, std::int64_t tile) {
        return std::min(lines.tile, lines.all - tile * lines.tile);
      };
      FetchedLines expected;
      for (std::int64_t top = 0; top < tiles_of(rows); top += rows.piece) {
        for (std::int64_t left = 0; left < tiles_of(columns); left += columns.piece) {
          const RegisterBlocks::Tiles piece{std::min(rows.piece, tiles_of(rows) - top), 1,
                                            std::min(columns.piece, tiles_of(columns) - left)};
          for (const auto& [index, in_block, has_a, has_b] : places(block, piece)) {
            if (!has_a || !keeps_a) expected.rows += elements_of(rows, top + index.i);
            if (!has_b || !keeps_b) expected.columns += elements_of(columns, left + index.j);
          }
        }
      }
      const FetchedLines fetched = fetched_lines(block, rows, columns, keeps_a, keeps_b);
      RC_ASSERT(fetched.rows == expected.rows);
      RC_ASSERT(fetched.columns == expected.columns);
    }));
  }
}
