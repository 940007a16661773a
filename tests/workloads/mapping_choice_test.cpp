// Which of the mappings that were simulated is taken: the fastest, or one nearly as fast that moves less.
#include "benches/workloads/gemm/mapping_choice.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace kernbench;

namespace {

/// A mapping that the closed form says takes `estimate`, and a simulation `time`.
struct Candidate {
  std::int64_t estimate = 0;  // ns, as the others
  std::int64_t bound = 0;
  std::int64_t time = 0;
  Bytes traffic = 0;
  std::int64_t array = 0;  // of it, for which the array is at work
  std::int64_t buffers = 1;
};

constexpr Bytes kGigabyte = 1'000'000'000;  // too much for more than the first six to be simulated

/// Mappings are told apart by their block; none is a staging variant.
MappingSearch search_of(const std::vector<Candidate>& candidates) {
  MappingSearch search;
  for (const Candidate& one : candidates) {
    const std::int64_t number = static_cast<std::int64_t>(search.best.size());
    const GemmMapping mapping{.tile = {1, 1, 1}, .block = {number + 1, 1, 1}, .buffers = one.buffers};
    search.best.push_back({.mapping = mapping,
                           .bound = from_ns(one.bound),
                           .estimate = from_ns(one.estimate),
                           .array = from_ns(one.array),
                           .traffic = one.traffic,
                           .tcm = 0,
                           .steps = 2,
                           .tiles = 1});
  }
  return search;
}

struct Chosen {
  std::int64_t number = 0;                ///< of the candidate
  std::vector<std::int64_t> simulated{};  ///< in the order of simulation
};

Chosen choose(const std::vector<Candidate>& candidates, bool bytes_cost = true) {
  Chosen chosen;
  MappingSimulation simulation;
  simulation.simulate = [&](const GemmMapping& mapping) {
    chosen.simulated.push_back(mapping.block.m - 1);
    Row row;
    row.metrics.json()["time_ns"] =
        static_cast<double>(candidates.at(static_cast<std::size_t>(mapping.block.m - 1)).time);
    return row;
  };
  simulation.bytes_cost = bytes_cost;
  const MappingChoice choice = choose_mapping(search_of(candidates), {1, 1, 1}, 2, simulation);
  chosen.number = choice.chosen().ranked.mapping.block.m - 1;
  for (const SimulatedMapping& one : choice.simulated) CHECK(time_of(choice.simulated.front()) <= time_of(one));
  return chosen;
}

using Numbers = std::vector<std::int64_t>;

}  // namespace

TEST_SUITE("ADR-0032") {
  TEST_CASE("32.21 of those at most 1 % slower than the fastest the one that moves least is simulated, and taken") {
    const Candidate fastest{.estimate = 100'000, .bound = 90'000, .time = 100'000, .traffic = 10 * kGigabyte};
    const Candidate second{.estimate = 100'100, .bound = 90'000, .time = 101'000, .traffic = 10 * kGigabyte};
    Candidate frugal{.estimate = 101'000, .bound = 90'000, .time = 101'000, .traffic = 2 * kGigabyte};
    const Candidate late{.estimate = 101'001, .bound = 90'000, .time = 100'500, .traffic = kGigabyte};
    const Chosen chosen = choose({fastest, second, frugal, late});
    CHECK(chosen.number == 2);
    CHECK(chosen.simulated == Numbers{0, 1, 2});
    const Chosen free = choose({fastest, second, frugal, late}, false);
    CHECK(free.number == 0);
    CHECK(free.simulated == Numbers{0, 1});
    frugal.time = 101'001;
    CHECK(choose({fastest, second, frugal, late}).number == 0);
    frugal.bound = 101'001;  // none can be as fast as that
    CHECK(choose({fastest, second, frugal, late}).simulated == Numbers{0, 1});
  }

  TEST_CASE("32.21 not for less than a tenth of the bytes; and of those that are simulated anyway, too") {
    const Candidate fastest{.estimate = 100'000, .bound = 90'000, .time = 100'000, .traffic = 10 * kGigabyte};
    Candidate second{.estimate = 100'100, .bound = 90'000, .time = 100'900, .traffic = 9 * kGigabyte};
    CHECK(choose({fastest, second}).number == 1);
    second.traffic += 1;
    CHECK(choose({fastest, second}).number == 0);
  }

  TEST_CASE("32.21 the next that moves little is tried where the first is slower than was estimated, three at most") {
    const auto of = [](std::int64_t time, std::int64_t bytes) {
      return Candidate{.estimate = 100'000, .bound = 90'000, .time = time, .traffic = bytes * kGigabyte};
    };
    const Chosen chosen = choose({of(100'000, 10), of(100'000, 10), of(100'500, 6), of(120'000, 1), of(100'200, 5)});
    CHECK(chosen.number == 4);
    CHECK(chosen.simulated == Numbers{0, 1, 3, 4});
    const Chosen none =
        choose({of(100'000, 10), of(100'000, 10), of(120'000, 1), of(120'000, 2), of(120'000, 3), of(100'000, 4)});
    CHECK(none.number == 0);
    CHECK(none.simulated == Numbers{0, 1, 2, 3, 4});
  }

  TEST_CASE("32.8 the first of each group is simulated where its estimate is below the fastest's time, and no other") {
    const auto of = [](std::int64_t estimate, std::int64_t time, std::int64_t buffers) {
      return Candidate{.estimate = estimate, .bound = 90'000, .time = time, .traffic = kGigabyte, .buffers = buffers};
    };
    const Candidate first = of(100'000, 150'000, 2);
    CHECK(choose({first, first, of(120'000, 110'000, 2), of(149'999, 130'000, 1)}, false).simulated ==
          Numbers{0, 1, 3});
    CHECK(choose({first, first, of(150'000, 130'000, 1)}, false).simulated == Numbers{0, 1});
    CHECK(choose({first, first, of(120'000, 130'000, 1), of(125'000, 110'000, 1)}, false).number == 2);
    Candidate bound = of(120'000, 130'000, 1);
    bound.bound = 150'000;
    CHECK(choose({first, first, bound}, false).simulated == Numbers{0, 1});
  }

  TEST_CASE("32.8 of times that differ by no more than 0.01 % that with the least work of the array is taken") {
    const auto of = [](std::int64_t time, std::int64_t array, std::int64_t bytes) {
      return Candidate{
          .estimate = 100'000, .bound = 90'000, .time = time, .traffic = bytes * kGigabyte, .array = array};
    };
    CHECK(choose({of(100'000, 50'000, 10), of(100'010, 40'000, 11)}, false).number == 1);
    CHECK(choose({of(100'000, 50'000, 10), of(100'011, 40'000, 9)}, false).number == 0);
    CHECK(choose({of(100'000, 50'000, 10), of(100'000, 50'000, 9)}, false).number == 1);
    CHECK(choose({of(100'000, 50'000, 10), of(100'000, 60'000, 9)}, false).number == 0);
    // Where bytes cost, of those that move no more.
    CHECK(choose({of(100'000, 50'000, 10), of(100'905, 40'000, 6), of(100'900, 50'000, 5)}).number == 2);
    CHECK(choose({of(100'000, 50'000, 10), of(100'905, 40'000, 5), of(100'900, 50'000, 5)}).number == 1);
  }

  TEST_CASE("32.21 where one that moves little is the fastest of all, what is worth it is reckoned from that") {
    const auto of = [](std::int64_t time, std::int64_t bytes) {
      return Candidate{.estimate = 100'000, .bound = 90'000, .time = time, .traffic = bytes * kGigabyte};
    };
    const Chosen chosen = choose({of(100'000, 10), of(100'000, 10), of(95'000, 5)});
    CHECK(chosen.number == 2);
  }
}
