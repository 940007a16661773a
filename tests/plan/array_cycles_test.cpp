// What tiles take on the MAC array: beside arrays simulated cell by cell, beside published forms, and summed.
#include "sim/machine/array_cycles.hpp"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <vector>

#include "sim/plan/array_work.hpp"
#include "tests/plan/random_problem.hpp"
#include "tests/plan/systolic_grid.hpp"

using namespace kernbench;

namespace {

MacArraySpec array_of(Dataflow dataflow, std::int64_t rows, std::int64_t columns, std::int64_t weight_buffers = 1) {
  MacArraySpec array;
  array.dataflow = dataflow;
  array.rows = rows;
  array.columns = columns;
  array.weight_buffers = weight_buffers;
  return array;
}

/// Cycles of a tile by itself until the array is free.
Cycles alone(const MacArraySpec& array, const TileShape& valid) {
  const ArrayCycles cycles = array_cycles(array, valid, true);
  return cycles.load + cycles.multiply;
}

struct Tile {
  TileShape valid;
  std::int64_t fetched = 0;
  bool leaves = true;
};

struct Times {
  std::int64_t taken = 0;
  std::int64_t left = 0;
};

/// Clause 31.2 in cycles.
std::vector<Times> times_of(const MacArraySpec& array, const std::vector<Tile>& tiles) {
  std::vector<Times> times;
  std::int64_t taken = 0;
  std::int64_t weights_free = 0;
  for (const Tile& tile : tiles) {
    const ArrayCycles cycles = array_cycles(array, tile.valid, tile.leaves);
    const std::int64_t loaded = std::max(tile.fetched, weights_free) + cycles.load;
    taken = std::max({tile.fetched, taken, loaded}) + cycles.multiply;
    weights_free = taken - cycles.hides;
    times.push_back({taken, taken + cycles.drain});
  }
  return times;
}

grid::Matrix random_operand(std::int64_t rows, std::int64_t columns) {
  grid::Matrix matrix(static_cast<std::size_t>(rows));
  for (auto& row : matrix) {
    for (std::int64_t i = 0; i < columns; ++i) row.push_back(*rc::gen::inRange(-3, 4));
  }
  return matrix;
}

/// The folds of a tile, in the order in which the array takes them: along its rows first.
std::vector<grid::Fold> folds_of(const MacArraySpec& array, const Tile& tile) {
  const bool weights = array.dataflow == Dataflow::kWeightStationary;
  const TileShape& valid = tile.valid;
  std::vector<grid::Fold> folds;
  for (std::int64_t n = 0; n < valid.n; n += array.columns) {
    for (std::int64_t r = 0; r < (weights ? valid.k : valid.m); r += array.rows) {
      const std::int64_t rows = std::min(array.rows, (weights ? valid.k : valid.m) - r);
      const std::int64_t columns = std::min(array.columns, valid.n - n);
      folds.push_back({random_operand(weights ? valid.m : rows, weights ? rows : valid.k),
                       random_operand(weights ? rows : valid.k, columns), tile.fetched, tile.leaves});
    }
  }
  if (folds.size() > 1) {
    for (grid::Fold& fold : folds) fold.leaves = true;
  }
  return folds;
}

grid::Matrix product(const grid::Fold& fold) {
  grid::Matrix c(fold.a.size(), std::vector<std::int64_t>(fold.b.front().size()));
  for (std::size_t i = 0; i < c.size(); ++i) {
    for (std::size_t j = 0; j < c[i].size(); ++j) {
      for (std::size_t k = 0; k < fold.b.size(); ++k) c[i][j] += fold.a[i][k] * fold.b[k][j];
    }
  }
  return c;
}

/// Random tiles, fetched at random cycles, beside the array cell by cell: instants, and products.
void check_beside_cells(const MacArraySpec& array, const std::vector<Tile>& tiles) {
  std::vector<grid::Fold> folds;
  std::vector<std::size_t> last_fold;
  for (const Tile& tile : tiles) {
    for (grid::Fold& fold : folds_of(array, tile)) folds.push_back(std::move(fold));
    last_fold.push_back(folds.size() - 1);
  }
  const auto simulate = array.dataflow == Dataflow::kOutputStationary ? grid::output_stationary
                        : array.weight_buffers == 2                   ? grid::double_buffered
                                                                      : grid::weight_stationary;
  const grid::Outcome outcome = simulate(array.rows, array.columns, folds);
  const std::vector<Times> times = times_of(array, tiles);
  std::int64_t left = 0;
  for (std::size_t t = 0, fold = 0; t < tiles.size(); ++t) {
    RC_ASSERT(outcome.folds[last_fold[t]].taken == times[t].taken);
    std::int64_t tile_left = 0;
    for (; fold <= last_fold[t]; ++fold) {
      tile_left = std::max(tile_left, outcome.folds[fold].left);
      if (folds[fold].leaves && (fold == 0 || folds[fold - 1].leaves)) {
        RC_ASSERT(outcome.results[fold] == product(folds[fold]));
      }
    }
    if (tiles[t].leaves) RC_ASSERT(tile_left == times[t].left);
    left = std::max(left, tile_left);
  }
}

std::vector<Tile> random_tiles(bool some_stay) {
  std::vector<Tile> tiles;
  std::int64_t fetched = 0;
  for (std::int64_t count = random_size(5); count > 0; --count) {
    const bool stayed = !tiles.empty() && !tiles.back().leaves;
    fetched += *rc::gen::element<std::int64_t>(0, 0, 1, 5, 20);
    Tile tile{{random_size(9), random_size(9), random_size(9)}, fetched, true};
    if (stayed) tile.valid = {tiles.back().valid.m, tile.valid.k, tiles.back().valid.n};
    if (some_stay && count > 1) tile.leaves = *rc::gen::arbitrary<bool>();
    tiles.push_back(tile);
  }
  return tiles;
}

MacArraySpec random_array(Dataflow dataflow, std::int64_t weight_buffers = 1) {
  return array_of(dataflow, random_size(6), random_size(6), weight_buffers);
}

}  // namespace

TEST_SUITE("ADR-0031") {
  TEST_CASE("31.2 31.4 tiles on an output-stationary array take what its cells take") {
    CHECK(rc::check([] { check_beside_cells(random_array(Dataflow::kOutputStationary), random_tiles(true)); }));
  }

  TEST_CASE("31.2 31.5 tiles on a weight-stationary array take what its cells take") {
    CHECK(rc::check([] { check_beside_cells(random_array(Dataflow::kWeightStationary), random_tiles(false)); }));
  }

  TEST_CASE("31.2 31.6 with two sets of weights tiles take what the cells take") {
    CHECK(rc::check([] { check_beside_cells(random_array(Dataflow::kWeightStationary, 2), random_tiles(false)); }));
  }

  TEST_CASE("31.3 a dot-product array takes a cycle for what its cells hold, one without a shape for padded tiles") {
    MacArraySpec array = array_of(Dataflow::kDotProduct, 8, 4);
    array.depth = 16;
    const auto cycles = [&](const TileShape& valid) { return array_cycles(array, valid, true); };
    CHECK(cycles({8, 16, 4}) == ArrayCycles{.multiply = 1});
    CHECK(cycles({9, 16, 4}) == ArrayCycles{.multiply = 2});
    CHECK(cycles({8, 17, 4}) == ArrayCycles{.multiply = 2});
    CHECK(cycles({8, 16, 5}) == ArrayCycles{.multiply = 2});
    CHECK(cycles({32, 64, 32}) == ArrayCycles{.multiply = 4 * 4 * 8});
    CHECK(cycles({16, 64, 32}) == ArrayCycles{.multiply = 2 * 4 * 8});
    array.rows = array.columns = 0;
    array.depth = 1;
    array.macs_per_cycle = 4096;
    array.tile = {32, 64, 32};
    CHECK(cycles({32, 64, 32}) == ArrayCycles{.multiply = 16});
    CHECK(cycles({1, 1, 1}) == ArrayCycles{.multiply = 16});
  }

  TEST_CASE("31.1 a cell's depth is so many elements of K in a cycle, in every dataflow") {
    CHECK(rc::check([] {
      MacArraySpec array = random_array(
          *rc::gen::element(Dataflow::kDotProduct, Dataflow::kOutputStationary, Dataflow::kWeightStationary));
      if (array.dataflow == Dataflow::kWeightStationary) array.weight_buffers = random_size(2);
      const TileShape valid{random_size(20), random_size(60), random_size(20)};
      const bool leaves = *rc::gen::arbitrary<bool>();
      MacArraySpec deep = array;
      deep.depth = random_size(9);
      RC_ASSERT(array_cycles(deep, valid, leaves) ==
                array_cycles(array, {valid.m, ceil_div(valid.k, deep.depth), valid.n}, leaves));
      RC_ASSERT(deep.peak_macs() == array.rows * array.columns * deep.depth);
    }));
  }

  TEST_CASE("31.7 one fold and many take 2 R + C + T - 2 cycles each") {
    for (const Dataflow dataflow : {Dataflow::kOutputStationary, Dataflow::kWeightStationary}) {
      const MacArraySpec array = array_of(dataflow, 64, 64);
      const bool weights = dataflow == Dataflow::kWeightStationary;
      for (const std::int64_t streamed : {1, 2, 64, 512}) {
        const auto tile = [&](std::int64_t rows, std::int64_t columns) {
          return weights ? TileShape{streamed, rows, columns} : TileShape{rows, streamed, columns};
        };
        CHECK(alone(array, tile(64, 64)) == 2 * 64 + 64 + streamed - 2);
        CHECK(alone(array, tile(128, 320)) == 2 * 5 * (2 * 64 + 64 + streamed - 2));
        // A partial fold streams through the cells that it has.
        CHECK(alone(array, tile(10, 64)) == 2 * 10 + 64 + streamed - 2);
        CHECK(alone(array, tile(64, 10)) == 2 * 64 + 10 + streamed - 2);
      }
    }
    // 512 x 512 x 512 on 64 x 64 cells: 64 folds of 702 cycles, which SCALE-Sim counts from 0: 44,927.
    CHECK(alone(array_of(Dataflow::kWeightStationary, 64, 64), {512, 512, 512}) == 44'928);
    CHECK(alone(array_of(Dataflow::kOutputStationary, 64, 64), {512, 512, 512}) == 44'928);
    // Two sets hide all weights but the first: its rows of A are all that each fold takes.
    CHECK(alone(array_of(Dataflow::kWeightStationary, 64, 64, 2), {512, 512, 512}) == 64 + 64 * 512);
  }

  TEST_CASE("31.6 a load is hidden to the cycle: as many rows of A as weights' rows hide it, one less does not") {
    const MacArraySpec array = array_of(Dataflow::kWeightStationary, 16, 16, 2);
    const auto second = [&](std::int64_t rows, std::int64_t fetched) {
      const std::vector<Times> times = times_of(array, {{{rows, 16, 16}}, {{8, 16, 16}, fetched}});
      return times[1].taken - times[0].taken;
    };
    CHECK(second(17, 0) == 8);
    CHECK(second(16, 0) == 8);
    CHECK(second(15, 0) == 9);
    CHECK(second(20, 16 + 4) == 8);  // the rows of the first are in after 16 + 20 cycles
    CHECK(second(20, 16 + 5) == 9);
  }

  TEST_CASE("31.9 the work of a product is that of its tiles, one after the other") {
    CHECK(rc::check([] {
      const MachineSpec machine = random_machine();
      const GemmProblem problem = random_problem();
      const TilePlan plan = make_gemm_plan(problem, loaded(problem, place_gemm(problem, machine), {}), machine.pe);
      Picoseconds taken;
      Picoseconds weights_free;
      const auto time = [&](Cycles cycles) { return machine.pe.clock.time_for(cycles); };
      for (std::int64_t t = 0; t < plan.tiles; ++t) {
        const ArrayCycles cycles = array_cycles(machine.pe.mac, plan.step(t));
        taken = std::max(taken, weights_free + time(cycles.load)) + time(cycles.multiply);
        weights_free = taken - time(cycles.hides);
      }
      RC_ASSERT(array_work(machine.pe, {problem.m, problem.k, problem.n}, problem.has_partials()) == taken);
    }));
  }
}
