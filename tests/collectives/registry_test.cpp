// Names, requests and their refusals, and the order of ranks.
#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "sim/base/errors.hpp"
#include "sim/plan/collective/check.hpp"
#include "tests/collectives/random_request.hpp"

using namespace kernbench;

namespace {

CollectiveRequest request_of(Collective collective, std::int32_t ranks, std::int64_t count) {
  CollectiveRequest request;
  request.collective = collective;
  request.count = count;
  request.grid.pes.columns = ranks;
  return request;
}

/// What is said to the user; "" where nothing is refused.
std::string refusal(const std::function<void()>& action) {
  try {
    action();
  } catch (const ConfigError& error) {
    return error.what();
  }
  return {};
}

std::string refused(const std::string& algorithm, const CollectiveRequest& request) {
  return refusal([&] { (void)find_collective_algorithm(algorithm).generate(request); });
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

std::int64_t steps_of(const CollectiveSchedule& schedule) {
  std::int64_t steps = 0;
  for (const auto& threads : schedule.ranks) {
    for (const CollectiveThread& thread : threads) steps += static_cast<std::int64_t>(thread.size());
  }
  return steps;
}

bool beside(GridCell a, GridCell b) { return std::abs(a.row - b.row) + std::abs(a.column - b.column) == 1; }

}  // namespace

TEST_SUITE("ADR-0012") {
  TEST_CASE("12.13 a second algorithm of a name is refused, with both places") {
    std::string said;
    try {
      const RegisterCollectiveAlgorithm registered({"ring", "shadows the first", {}, nullptr, nullptr, nullptr});
    } catch (const std::logic_error& error) {
      said = error.what();
    }
    CHECK(said.starts_with("the algorithm 'ring' is registered twice: at "));
    CHECK(contains(said, "sim/collectives/ring.cpp:"));
    CHECK(contains(said, "registry_test.cpp:"));
    CHECK((find_collective_algorithm("ring").build != nullptr));
  }
}

TEST_SUITE("ADR-0018") {
  TEST_CASE("18.1 algorithms and collectives are found by name; a wrong name is told the nearest") {
    std::vector<std::string> names;
    for (const CollectiveAlgorithm& algorithm : collective_algorithms()) {
      names.push_back(algorithm.name);
      CHECK(find_collective_algorithm(algorithm.name).name == algorithm.name);
    }
    CHECK(names == std::vector<std::string>{"bidirectional_ring", "binary_tree", "direct", "double_binary_tree",
                                            "halving_doubling", "hierarchical", "pairwise", "recursive_doubling",
                                            "ring", "two_shot"});
    for (const Collective collective : kCollectives.values()) {
      CHECK(kCollectives.parse(kCollectives[collective]) == collective);
    }
    CHECK(contains(refusal([] { (void)find_collective_algorithm("bin_tree"); }), "did you mean 'binary_tree'?"));
    CHECK(contains(refusal([] { (void)kCollectives.parse("allreduce"); }), "did you mean 'all_reduce'?"));
    CHECK(contains(refusal([] { (void)kCollectives.parse("xyz"); }), "There are: all_reduce, reduce_scatter"));
  }

  TEST_CASE("18.1 what cannot be asked for is refused with what can") {
    CHECK(refused("ring", request_of(Collective::kAllToAll, 4, 8)) ==
          "ring does no all_to_all; these do: direct, pairwise");
    CHECK(contains(refused("direct", request_of(Collective::kAllToAll, 4, 11)), "take 8"));
    CHECK(contains(refused("ring", request_of(Collective::kAllReduce, 4, -1)), "not negative, got -1"));
    CollectiveRequest request = request_of(Collective::kBroadcast, 4, 8);
    request.root = 4;
    CHECK(contains(refused("ring", request), "root 4 is no rank: there are 4"));
    request.root = 3;
    CHECK(refused("ring", request).empty());
    request.root = -1;
    CHECK(!refused("ring", request).empty());
    request.root = 0;
    request.chunk = -5;
    CHECK(contains(refused("ring", request), "got -5"));
    CHECK(contains(refused("ring", request_of(Collective::kAllReduce, 0, 8)), "1 x 0"));
    request = request_of(Collective::kAllReduce, 1 << 16, 8);
    request.grid.dies = {1 << 8, 1 << 8};
    CHECK(contains(refused("ring", request), "ranks"));
    const auto closed = [&] { (void)find_collective_algorithm("ring").closed_time(request, {}); };
    CHECK(contains(refusal(closed), "ranks"));
  }

  TEST_CASE("18.1 one rank and no element need no message") {
    for (const CollectiveAlgorithm& algorithm : collective_algorithms()) {
      for (const Collective collective : algorithm.collectives) {
        CAPTURE(algorithm.name);
        CHECK(steps_of(algorithm.generate(request_of(collective, 5, 0))) == 0);
        const CollectiveSchedule alone = algorithm.generate(request_of(collective, 1, 7));
        CHECK(steps_of(alone) == (collective == Collective::kAllToAll ? 1 : 0));
        CHECK(schedule_fault(alone, 1).empty());
        CHECK(algorithm.closed_time(request_of(collective, 1, 7), {}) == Picoseconds{});
      }
    }
  }

  TEST_CASE("18.3 ranks are numbered package by package, die by die, PE by PE") {
    const RankGrid grid{{1, 2}, {2, 2}, {2, 4}};
    CHECK(grid.size() == 64);
    CHECK(grid.rank({1, 2, 5}) == 32 + 16 + 5);
    CHECK(grid.place(53) == RankPlace{1, 2, 5});
  }

  TEST_CASE("18.3 the order of a grid has all cells, each beside the one before; it closes where it can") {
    const auto order = [](GridShape shape) { return neighbour_order(shape); };
    CHECK(order({2, 3}) == std::vector<std::int32_t>{0, 1, 2, 5, 4, 3});
    CHECK(order({4, 3}) == std::vector<std::int32_t>{0, 1, 2, 5, 4, 7, 8, 11, 10, 9, 6, 3});
    CHECK(order({3, 2}) == std::vector<std::int32_t>{0, 2, 4, 5, 3, 1});
    CHECK(order({3, 3}) == std::vector<std::int32_t>{0, 1, 2, 5, 4, 3, 6, 7, 8});
    CHECK(order({1, 4}) == std::vector<std::int32_t>{0, 1, 2, 3});
    for (std::int32_t rows = 1; rows <= 6; ++rows) {
      for (std::int32_t columns = 1; columns <= 6; ++columns) {
        const GridShape shape{rows, columns};
        std::vector<std::int32_t> cells = order(shape);
        for (std::size_t i = 1; i < cells.size(); ++i) CHECK(beside(shape.cell(cells[i - 1]), shape.cell(cells[i])));
        const bool closes = rows > 1 && columns > 1 && shape.size() % 2 == 0;
        if (closes) CHECK(beside(shape.cell(cells.back()), shape.cell(cells.front())));
        std::ranges::sort(cells);
        for (std::int32_t i = 0; i < shape.size(); ++i) CHECK(cells[static_cast<std::size_t>(i)] == i);
      }
    }
  }

  TEST_CASE("18.3 a ring goes through packages, their dies and the dies' PEs in that order") {
    const RankGrid grid{{1, 2}, {2, 2}, {2, 2}};
    const std::vector<std::int32_t> ring = ring_order(grid);
    CHECK(std::vector<std::int32_t>(ring.begin(), ring.begin() + 8) ==
          std::vector<std::int32_t>{0, 1, 3, 2, 4, 5, 7, 6});
    CHECK(std::vector<std::int32_t>(ring.begin() + 8, ring.begin() + 18) ==
          std::vector<std::int32_t>{12, 13, 15, 14, 8, 9, 11, 10, 16, 17});
  }
}
