// The order of a rank's steps, by which the time of a schedule is decided that moves what it should in any order.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "sim/plan/collective/algorithm.hpp"

using namespace kernbench;

namespace {

/// "+4 >0 | <0": reduces from rank 4, sends to rank 0; a second thread receives from rank 0. "=" is a copy, "'"
/// channel 1.
std::string steps_of(const CollectiveSchedule& schedule, std::size_t rank) {
  std::string text;
  for (const CollectiveThread& thread : schedule.ranks.at(rank)) {
    if (!text.empty()) text += " |";
    for (const CollectiveStep& step : thread) {
      if (!text.empty()) text += ' ';
      if (step.kind == StepKind::kCopy) {
        text += '=';
        continue;
      }
      text += step.kind == StepKind::kSend ? '>' : step.kind == StepKind::kReceive ? '<' : '+';
      text += std::to_string(step.peer) + std::string(static_cast<std::size_t>(step.channel), '\'');
    }
  }
  return text;
}

struct Row {
  std::string algorithm;
  Collective collective;
  std::size_t rank;
  std::string steps;
  std::int64_t chunk = 0;
};

void check(const std::vector<Row>& rows, const RankGrid& grid) {
  for (const Row& row : rows) {
    const CollectiveSchedule schedule =
        find_collective_algorithm(row.algorithm).generate({row.collective, 2 * grid.size(), 0, row.chunk, grid, {}});
    CAPTURE(row.algorithm);
    CAPTURE(std::string(kCollectives[row.collective]));
    CHECK(steps_of(schedule, row.rank) == row.steps);
  }
}

}  // namespace

TEST_SUITE("ADR-0018") {
  TEST_CASE("18.5 of seven ranks: each step in its turn") {
    using enum Collective;
    check({{"ring", kReduceScatter, 4, ">5 +3 >5 +3 >5 +3 >5 +3 >5 +3 >5 +3"},
           {"ring", kAllGather, 4, ">5 <3 >5 <3 >5 <3 >5 <3 >5 <3 >5 <3"},
           {"bidirectional_ring", kBroadcast, 1, "<0 >2 | <2'"},
           {"bidirectional_ring", kReduce, 4, "+3 >5 | +5' >3'"},
           {"direct", kAllReduce, 4, "= >5 >6 >0 >1 >2 >3 +3 +2 +1 +0 +6 +5"},
           {"direct", kAllToAll, 1, "= >2 >3 >4 >5 >6 >0 <0 <6 <5 <4 <3 <2"},
           {"two_shot", kAllReduce, 4, ">5 >6 >0 >1 >2 >3 +3 +2 +1 +0 +6 +5 >5 >6 >0 >1 >2 >3 <3 <2 <1 <0 <6 <5"},
           {"pairwise", kReduceScatter, 4, ">5 +3 >6 +2 >0 +1 >1 +0 >2 +6 >3 +5"},
           {"recursive_doubling", kAllReduce, 1, ">0 >0 <0 <0", 7},
           {"recursive_doubling", kAllReduce, 4, "+5 >6 +5 >6 +6 >0 +6 >0 +0 >5 +0 >5", 7},
           {"recursive_doubling", kAllGather, 4, "<5 >6 <6 >0 <0 >5 >5"},
           {"recursive_doubling", kBroadcast, 4, "<0 >6 >5 <0 >6 >5", 7},
           {"recursive_doubling", kReduce, 4, "+5 +6 >0 +5 +6 >0", 7},
           {"halving_doubling", kAllReduce, 4, "+5 >0 +0 >6 +6 >6 <6 >0 <0 >5"},
           {"halving_doubling", kReduceScatter, 4, "+5 >0 +0 >6 +6 >5"},
           {"halving_doubling", kBroadcast, 4, "<0 >6 >6 <6 >0 <0 >5"},
           {"halving_doubling", kReduce, 4, "+5 >0 +0 >6 +6 <6 >0"},
           {"binary_tree", kAllReduce, 1, "+4 +3 >0 +4 +3 >0 | <0 >3 >4 <0 >3 >4", 7},
           {"double_binary_tree", kAllReduce, 1, ">2 >2 | <2 <2 | +2' >3' +2' >3' | <3' >2' <3' >2'", 4},
           {"double_binary_tree", kAllReduce, 4, "+6 +2 >0 +6 +2 >0 | <0 >2 >6 <0 >2 >6 | >5' >5' | <5' <5'", 4}},
          {{1, 1}, {1, 1}, {1, 7}});
  }

  TEST_CASE("18.5 hierarchical, of three packages of two by two dies: each step in its turn") {
    using enum Collective;
    check({{"hierarchical", kAllReduce, 6, ">7 +7 +4 +2 >14 +22 >14 +22 >14 <22 >14 <22 >2 >4 >7' <7'"},
           {"hierarchical", kAllReduce, 17, ">16 +16 >19 | <19 >16' <16'"},
           {"hierarchical", kBroadcast, 0, ">8 >4 >2 >1"},
           {"hierarchical", kReduce, 0, "+1 +2 +4 +8"}},
          {{1, 3}, {2, 2}, {1, 2}});
  }
}
