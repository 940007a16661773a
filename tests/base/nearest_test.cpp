// Suggestions: near names are found, far ones are not.
#include "sim/base/nearest.hpp"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <string>
#include <vector>

using namespace kernbench;

TEST_CASE("edit distance counts insertions, deletions, substitutions and swaps") {
  CHECK(edit_distance("", "abc") == 3);
  CHECK(edit_distance("kitten", "sitting") == 3);
  CHECK(edit_distance("clock", "clokc") == 1);
  CHECK(edit_distance("burst", "burst") == 0);
  CHECK(rc::check("one edit is a distance of one, both ways", [] {
    const auto word = *rc::gen::nonEmpty(rc::gen::string<std::string>());
    const auto at = *rc::gen::inRange<std::size_t>(0, word.size());
    auto shorter = word;
    shorter.erase(at, 1);
    RC_ASSERT(edit_distance(word, shorter) == 1);
    RC_ASSERT(edit_distance(shorter, word) == 1);
  }));
}

TEST_CASE("the nearest name is suggested only where at most a third would change") {
  const std::vector<std::string> names{"ring", "mesh", "torus", "pseudo_channels"};
  CHECK(nearest_name("tours", names) == "torus");
  CHECK(nearest_name("pseudochanels", names) == "pseudo_channels");
  CHECK(nearest_name("star", names).empty());
  CHECK(nearest_name("", names).empty());
}
