// Two sequences side by side, against all alignments of small ones.
#include <doctest/doctest.h>

#include <algorithm>
#include <random>

#include "benches/traces/tables/sequence_alignment.hpp"

using kernbench::traces::aligned;

namespace {

using Sequence = std::vector<std::size_t>;
using Pairs = std::vector<std::pair<std::size_t, std::size_t>>;

/// The length of the longest common subsequence, by the textbook's table.
std::size_t most_pairs(const Sequence& a, const Sequence& b) {
  std::vector<Sequence> best(a.size() + 1, Sequence(b.size() + 1, 0));
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      best[i][j] = a[i - 1] == b[j - 1] ? best[i - 1][j - 1] + 1 : std::max(best[i - 1][j], best[i][j - 1]);
    }
  }
  return best[a.size()][b.size()];
}

}  // namespace

TEST_SUITE("ADR-0040") {
  TEST_CASE("40.20 alignments pair as many equal elements as can be, in order") {
    std::mt19937 random(7);
    for (int round = 0; round < 500; ++round) {
      Sequence a(random() % 9);
      Sequence b(random() % 9);
      for (std::size_t& element : a) element = random() % 3;
      for (std::size_t& element : b) element = random() % 3;
      const Pairs pairs = aligned(a, b);
      CHECK(pairs.size() == most_pairs(a, b));
      for (std::size_t i = 0; i < pairs.size(); ++i) {
        CHECK(a.at(pairs[i].first) == b.at(pairs[i].second));
        if (i > 0) CHECK((pairs[i - 1].first < pairs[i].first && pairs[i - 1].second < pairs[i].second));
      }
    }
  }

  TEST_CASE("40.20 alignments are from the front, and given up where too much differs") {
    CHECK(aligned({1, 1, 1}, {1, 1}) == Pairs{{0, 0}, {1, 1}});
    CHECK(aligned({1, 1}, {1, 1, 1}) == Pairs{{0, 0}, {1, 1}});
    CHECK(aligned({}, {1}).empty());
    // One pair, beside it so many elements of one and so many of the other.
    const auto pairs_beside = [](std::size_t of_first, std::size_t of_second) {
      Sequence first(of_first, 2);
      Sequence second(of_second, 3);
      first.push_back(1);
      second.push_back(1);
      return aligned(first, second).size();
    };
    constexpr std::size_t kHalf = kernbench::traces::kMostDifferences / 2;
    CHECK(pairs_beside(kHalf, kHalf) == 1);
    CHECK(pairs_beside(kHalf, kHalf + 1) == 0);
  }
}
