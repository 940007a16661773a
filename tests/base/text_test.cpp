// Small things done to text.
#include "sim/base/text.hpp"

#include <doctest/doctest.h>
#include <rapidcheck.h>

using namespace kernbench;

using Parts = std::vector<std::string>;

TEST_CASE("parts are joined with separators between them only") {
  CHECK(joined(Parts{}).empty());
  CHECK(joined(Parts{"a"}) == "a");
  CHECK(joined(Parts{"a", "", "b"}) == "a, , b");
  CHECK(joined(std::vector<std::string_view>{"a", "b"}, "+") == "a+b");
  CHECK(joined_in_words(Parts{"a", "b", "c"}) == "a, b and c");
  CHECK(joined_in_words(Parts{"a", "b"}, " or ") == "a or b");
  CHECK(joined_in_words(Parts{"a"}) == "a");
}

TEST_CASE("a text is split at every separator; empty parts count") {
  CHECK(split("", ",") == Parts{""});
  CHECK(split("a", ",") == Parts{"a"});
  CHECK(split("a, b,c", ", ") == Parts{"a", "b,c"});
  CHECK(split(",a,,b,", ",") == Parts{"", "a", "", "b", ""});
  CHECK(rc::check("what was split is joined again",
                  [](const std::string& text) { RC_ASSERT(joined(split(text, "a"), "a") == text); }));
}

TEST_CASE("spaces and tabs at the ends are trimmed") {
  CHECK(trimmed(" \ta b\t ") == "a b");
  CHECK(trimmed(" \t ").empty());
  CHECK(trimmed("").empty());
  CHECK(in_quotes("a b") == "'a b'");
}
