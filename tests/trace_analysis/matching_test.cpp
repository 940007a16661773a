// Which events of several ranks are one collective.
#include <doctest/doctest.h>

#include "benches/traces/tables/collectives.hpp"
#include "tests/trace_analysis/several_ranks.hpp"

using kernbench::traces::left_over_table;
using kernbench::traces::PlacedTrace;
using kernbench::traces::timed_groups;

namespace {

using Texts = std::vector<std::string>;

RankEvents rank_of(const std::vector<RankEvents::Signature>& signatures) {
  RankEvents events;
  double start = 0;
  for (const auto& signature : signatures) events.collective(start += 100, 50, signature);
  return events;
}

/// Two ranks: elements of what is matched, in order, and a text for each that is left over.
struct Matched {
  std::vector<std::int64_t> elements;
  Texts left_over;

  Matched(const RankEvents& first, const RankEvents& second) {
    const std::vector<PlacedTrace> traces{first.placed(0), second.placed(1)};
    const auto groups = timed_groups(traces, {});
    for (const auto& timed : groups) {
      for (const auto& matched : timed.group.matched) elements.push_back(matched.signature.in_elements);
    }
    const auto table = left_over_table(traces, groups);
    const Texts ranks = column_of(table, "rank");
    const Texts sizes = column_of(table, "in_elements");
    const Texts reasons = column_of(table, "reason");
    for (std::size_t i = 0; i < ranks.size(); ++i) left_over.push_back(ranks[i] + ": " + sizes[i] + ": " + reasons[i]);
  }
};

RankEvents::Signature sized(std::int64_t elements, std::int64_t sequence = -1) {
  return {"allreduce", elements, sequence};
}

}  // namespace

TEST_SUITE("ADR-0040") {
  TEST_CASE("40.20 by position, and counts that differ by signature; what is left over is listed with a reason") {
    const Matched equal(rank_of({sized(1), sized(2)}), rank_of({sized(1), sized(2)}));
    CHECK(equal.elements == std::vector<std::int64_t>{1, 2});
    CHECK(equal.left_over.empty());
    const Matched longer(rank_of({sized(1), sized(2), sized(3)}), rank_of({sized(2), sized(3), sized(2)}));
    CHECK(longer.elements == std::vector<std::int64_t>{2, 3});
    CHECK(longer.left_over ==
          Texts{"0: 1: rank 1 has none of this kind, dtype and size", "1: 2: other ranks have none in its place"});
  }

  TEST_CASE("40.20 by Seq, where all have it; unequal signatures are never matched") {
    const Matched by_number(rank_of({sized(1, 7), sized(1, 8), sized(1, 9)}), rank_of({sized(1, 8), sized(2, 9)}));
    CHECK(by_number.elements == std::vector<std::int64_t>{1});
    CHECK(by_number.left_over.size() == 3);
    const Matched twice(rank_of({sized(1, 7), sized(2, 7)}), rank_of({sized(1, 7), sized(2, 7)}));
    CHECK(twice.elements == std::vector<std::int64_t>{1, 2});
    // One without a number: by position again, whatever the numbers.
    const Matched mixed(rank_of({sized(1, 7), sized(2, 8)}), rank_of({sized(1, 3), sized(2)}));
    CHECK(mixed.elements == std::vector<std::int64_t>{1, 2});
  }

  TEST_CASE("40.20 dtype-less sizes of all_to_allv, sends and receives, groups, kernels without arguments") {
    const auto pair_of = [](const RankEvents::Signature& first, const RankEvents::Signature& second) {
      return Matched(rank_of({first}), rank_of({second}));
    };
    CHECK(pair_of({"all_to_allv", 5}, {"all_to_allv", 6}).elements.size() == 1);
    CHECK(pair_of({"all_to_all", 5}, {"all_to_all", 6}).elements.empty());
    CHECK(pair_of({"send", 5}, {"recv", 5}).elements.size() == 1);
    const Matched unknown_peer = pair_of({"send", 5, -1, 4}, {"recv", 5, -1, 4});
    CHECK(unknown_peer.elements.empty());
    CHECK(unknown_peer.left_over == Texts{"0: 5: its peer is not recorded", "1: 5: its peer is not recorded"});
    CHECK(pair_of({"broadcast", 5}, {"allreduce", 5}).elements.empty());
    // Alone in their groups: nobody to wait for.
    CHECK(pair_of({"allreduce", 5, -1, 2, "1"}, {"allreduce", 5, -1, 2, "2"}).elements.size() == 2);
    const Matched by_name(RankEvents().kernel("ncclKernel_A", 1, 1).kernel("ncclKernel_B", 3, 1),
                          RankEvents().kernel("ncclKernel_B", 1, 1));
    CHECK(by_name.elements.size() == 1);
    CHECK(by_name.left_over.size() == 1);
  }
}
