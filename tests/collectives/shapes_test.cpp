// What makes each algorithm itself: who talks to whom, how much, in which phases.
#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/collectives/random_request.hpp"

using namespace kernbench;

namespace {

struct SentStep {
  std::int32_t rank;
  CollectiveStep step;
};

std::vector<SentStep> sends_of(const CollectiveSchedule& schedule) {
  std::vector<SentStep> sends;
  for (std::int32_t rank = 0; rank < schedule.size(); ++rank) {
    for (const CollectiveThread& thread : schedule.ranks[static_cast<std::size_t>(rank)]) {
      for (const CollectiveStep& step : thread) {
        if (step.kind == StepKind::kSend) sends.push_back({rank, step});
      }
    }
  }
  return sends;
}

CollectiveRequest all_reduce_of(std::int64_t count, RankGrid grid, std::int64_t chunk = 0) {
  return {Collective::kAllReduce, count, 0, chunk, grid, RootDie::kCentre};
}

CollectiveSchedule generated(const std::string& algorithm, const CollectiveRequest& request) {
  return find_collective_algorithm(algorithm).generate(request);
}

using PhaseElements = std::vector<std::pair<std::string, std::int64_t>>;

/// Elements sent in each phase, by all ranks.
PhaseElements elements_by_phase(const CollectiveSchedule& schedule) {
  PhaseElements elements;
  for (const std::string& phase : schedule.phases) elements.emplace_back(phase, 0);
  for (const SentStep& sent : sends_of(schedule)) elements[sent.step.phase].second += sent.step.count;
  return elements;
}

/// The ranks that have children in the tree of a broadcast, by channel.
std::map<std::int16_t, std::set<std::int32_t>> inner_ranks(const CollectiveSchedule& schedule) {
  std::map<std::int16_t, std::set<std::int32_t>> inner;
  for (const SentStep& sent : sends_of(schedule)) inner[sent.step.channel].insert(sent.rank);
  return inner;
}

/// Each message is a step along a row or a column of the dies, or of the PEs, of one level.
bool on_mesh(const RankGrid& grid, std::int32_t from, std::int32_t to) {
  const RankPlace a = grid.place(from);
  const RankPlace b = grid.place(to);
  const auto apart = [](GridShape shape, std::int32_t i, std::int32_t j) {
    return std::abs(shape.cell(i).row - shape.cell(j).row) + std::abs(shape.cell(i).column - shape.cell(j).column);
  };
  return apart(grid.packages, a.package, b.package) + apart(grid.dies, a.die, b.die) + apart(grid.pes, a.pe, b.pe) == 1;
}

}  // namespace

TEST_SUITE("ADR-0018") {
  TEST_CASE("18.4 no message is longer than the chunk; a chunk of 0 makes no step longer") {
    for (const CollectiveAlgorithm& algorithm : collective_algorithms()) {
      CAPTURE(algorithm.name);
      CHECK(rc::check([&] {
        CollectiveRequest request = random_request(algorithm);
        const std::int64_t chunk = request.chunk;
        const CollectiveSchedule schedule = algorithm.generate(request);
        request.chunk = 0;
        const CollectiveSchedule whole = algorithm.generate(request);
        std::int64_t elements = 0;
        for (const SentStep& sent : sends_of(schedule)) {
          RC_ASSERT(chunk == 0 || sent.step.count <= chunk);
          elements += sent.step.count;
        }
        for (const SentStep& sent : sends_of(whole)) elements -= sent.step.count;
        RC_ASSERT(elements == 0);
        RC_ASSERT(sends_of(whole).size() <= sends_of(schedule).size());
      }));
    }
  }

  TEST_CASE("18.5 ring: each rank sends to the next one of the ring order only, 2 (n - 1) blocks") {
    const RankGrid grid{{1, 2}, {2, 2}, {1, 3}};
    const std::vector<std::int32_t> order = ring_order(grid);
    std::map<std::int32_t, std::int64_t> sent_by;
    for (const SentStep& sent : sends_of(generated("ring", all_reduce_of(240, grid)))) {
      const auto place = std::ranges::find(order, sent.rank) - order.begin();
      CHECK(sent.step.peer == order[static_cast<std::size_t>(place + 1) % order.size()]);
      sent_by[sent.rank] += sent.step.count;
    }
    for (const std::int32_t rank : order) CHECK(sent_by[rank] == 46 * 10);
  }

  TEST_CASE("18.5 direct: an all_reduce sends from a copy, which nothing is added to") {
    const CollectiveSchedule schedule = generated("direct", all_reduce_of(80, {{}, {}, {1, 5}}, 30));
    CHECK(schedule.elements == 160);
    for (const std::vector<CollectiveThread>& threads : schedule.ranks) {
      REQUIRE(threads.size() == 1);
      REQUIRE(threads[0].size() == 1 + 2 * 4 * 3);  // the copy is one step, whatever the chunk
      const CollectiveStep& copy = threads[0][0];
      CHECK(copy.kind == StepKind::kCopy);
      CHECK(std::vector<std::int64_t>{copy.from, copy.first, copy.count} == std::vector<std::int64_t>{0, 80, 80});
      for (std::size_t i = 1; i < threads[0].size(); ++i) {
        const CollectiveStep& step = threads[0][i];
        const bool sends = i <= 12;
        CHECK(step.kind == (sends ? StepKind::kSend : StepKind::kReduce));
        CHECK(step.first == (sends ? 80 : 0) + 30 * ((static_cast<std::int64_t>(i) - 1) % 3));
      }
    }
  }

  TEST_CASE("18.5 no algorithm but direct, in an all_reduce, takes more room than the collective") {
    for (const CollectiveAlgorithm& algorithm : collective_algorithms()) {
      for (const Collective collective : algorithm.collectives) {
        CAPTURE(algorithm.name);
        CAPTURE(kCollectives[collective]);
        const bool copies = algorithm.name == "direct" && collective == Collective::kAllReduce;
        const std::int64_t buffers = copies || collective == Collective::kAllToAll ? 2 : 1;
        CHECK(algorithm.buffers(collective) == buffers);
        CHECK(algorithm.generate({collective, 40, 0, 0, {{}, {}, {1, 5}}}).elements == 40 * buffers);
      }
    }
  }

  TEST_CASE("18.5 bidirectional_ring: half of the elements each way") {
    const auto sends = sends_of(generated("bidirectional_ring", all_reduce_of(80, {{}, {}, {1, 5}})));
    std::map<std::pair<std::int32_t, std::int16_t>, std::int64_t> sent_by;
    for (const SentStep& sent : sends) {
      CHECK(sent.step.peer == (sent.rank + (sent.step.channel == 0 ? 1 : 4)) % 5);
      sent_by[{sent.rank, sent.step.channel}] += sent.step.count;
    }
    for (const auto& entry : sent_by) CHECK(entry.second == 8 * 8);
    CHECK(sent_by.size() == 10);
  }

  TEST_CASE("18.5 double_binary_tree: who has children in one tree has none in the other, but for the root") {
    for (std::int32_t ranks = 2; ranks <= 40; ++ranks) {
      for (const std::int32_t root : {0, ranks - 1, ranks / 2}) {
        const CollectiveSchedule schedule =
            generated("double_binary_tree", {Collective::kBroadcast, 100, root, 0, {{}, {}, {1, ranks}}});
        auto inner = inner_ranks(schedule);
        std::vector<std::int32_t> both;
        std::ranges::set_intersection(inner[0], inner[1], std::back_inserter(both));
        CHECK(both == std::vector<std::int32_t>{root});
        std::map<std::pair<std::int32_t, std::int16_t>, int> children;
        for (const SentStep& sent : sends_of(schedule)) ++children[{sent.rank, sent.step.channel}];
        for (const auto& entry : children) CHECK(entry.second <= (entry.first.first == root ? 1 : 2));
      }
    }
  }

  TEST_CASE("18.5 halving_doubling: 2 log2 n messages a rank, of 2 (n - 1) / n of the data") {
    const auto sends = sends_of(generated("halving_doubling", all_reduce_of(160, {{}, {}, {1, 16}})));
    std::map<std::int32_t, std::pair<int, std::int64_t>> sent_by;
    for (const SentStep& sent : sends) {
      ++sent_by[sent.rank].first;
      sent_by[sent.rank].second += sent.step.count;
    }
    for (const auto& entry : sent_by) CHECK(entry.second == std::pair<int, std::int64_t>{8, 300});
  }

  TEST_CASE("18.5 halving_doubling: ranks beyond a power of two sit out, next to the rank that stands for them") {
    const auto sends = sends_of(generated("halving_doubling", all_reduce_of(40, {{}, {}, {1, 6}})));
    for (const SentStep& sent : sends) {
      if (sent.rank == 1 || sent.rank == 3) CHECK(sent.step.peer == sent.rank - 1);
    }
  }

  TEST_CASE("18.5 hierarchical all_reduce: phases in order with what they move; absent levels vanish") {
    const RankGrid grid{{2, 3}, {3, 4}, {2, 2}};
    const std::int64_t n = 240;  // 60 a rail, 10 of it for each package
    const PhaseElements expected{{"die reduce-scatter", 72 * 4 * 3 * 60}, {"row reduce", 6 * 4 * 3 * 3 * 60},
                                 {"column reduce", 6 * 4 * 2 * 60},       {"package exchange", 4 * 6 * 10 * 10},
                                 {"column broadcast", 6 * 4 * 2 * 60},    {"row broadcast", 6 * 4 * 3 * 3 * 60},
                                 {"die all-gather", 72 * 4 * 3 * 60}};
    CHECK(elements_by_phase(generated("hierarchical", all_reduce_of(n, grid))) == expected);
    CHECK(generated("hierarchical", all_reduce_of(n, {{}, {3, 1}, {}})).phases ==
          std::vector<std::string>{"column reduce", "column broadcast"});
    CHECK(generated("hierarchical", all_reduce_of(n, {{1, 2}, {}, {1, 3}})).phases ==
          std::vector<std::string>{"die reduce-scatter", "package exchange", "die all-gather"});
    const auto scattered = generated("hierarchical", {Collective::kReduceScatter, n, 0, 0, {{1, 2}, {1, 2}, {1, 3}}});
    CHECK(elements_by_phase(scattered) == PhaseElements{{"die reduce-scatter", 4 * 3 * 2 * 80},
                                                        {"across dies reduce-scatter", 12 * 40},
                                                        {"package reduce-scatter", 12 * 20}});
    const auto sent = generated("hierarchical", {Collective::kBroadcast, n, 7, 0, {{1, 2}, {2, 2}, {1, 3}}});
    CHECK(elements_by_phase(sent) == PhaseElements{{"package broadcast", n},
                                                   {"column broadcast", 2 * n},
                                                   {"row broadcast", 4 * n},
                                                   {"die broadcast", 16 * n}});
  }

  TEST_CASE("18.5 hierarchical all_reduce: the root die is the centre, or the corner") {
    const RankGrid grid{{1, 2}, {4, 5}, {}};
    const auto exchanging = [&](RootDie root_die) {
      CollectiveRequest request = all_reduce_of(24, grid);
      request.root_die = root_die;
      const CollectiveSchedule schedule = generated("hierarchical", request);
      std::set<std::int32_t> ranks;
      for (const SentStep& sent : sends_of(schedule)) {
        if (schedule.phases[sent.step.phase] == "package exchange") ranks.insert(sent.rank);
      }
      return ranks;
    };
    CHECK(exchanging(RootDie::kCentre) == std::set<std::int32_t>{12, 32});  // row 2, column 2
    CHECK(exchanging(RootDie::kCorner) == std::set<std::int32_t>{0, 20});
  }

  TEST_CASE("18.5 hierarchical: trees follow the meshes; the die reduces through a cycle of neighbours") {
    const RankGrid grid{{2, 2}, {3, 3}, {2, 2}};
    for (const Collective collective : {Collective::kAllReduce, Collective::kBroadcast, Collective::kReduce}) {
      for (const SentStep& sent : sends_of(generated("hierarchical", {collective, 100, 77, 0, grid}))) {
        CHECK(on_mesh(grid, sent.rank, sent.step.peer));
      }
    }
  }
}
