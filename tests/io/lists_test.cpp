// "a,b,c", with nothing left out.
#include "benches/io/text/lists.hpp"

#include <doctest/doctest.h>

#include "sim/base/errors.hpp"

using kernbench::ConfigError;
using kernbench::list_items;

TEST_SUITE("ADR-0026") {
  TEST_CASE("26.4 the items of a list, none of them empty") {
    CHECK(list_items("--x", "a") == std::vector<std::string>{"a"});
    CHECK(list_items("--x", "a,b c,d") == std::vector<std::string>{"a", "b c", "d"});
    CHECK(list_items("--x", "a:b,c", ':') == std::vector<std::string>{"a", "b,c"});
    CHECK_THROWS_WITH_AS((void)list_items("--x", ""), "--x: expected a value, got an empty text", ConfigError);
    for (const char* text : {",", "a,", ",a", "a,,b"}) {
      CHECK_THROWS_WITH_AS((void)list_items("--x", text),
                           ("--x " + std::string(text) + ": expected a value before and after each ','").c_str(),
                           ConfigError);
    }
  }
}
