// The larger committed collectives: see committed_test.cpp.
#include <doctest/doctest.h>

#include "tests/collectives_calculator/committed.hpp"

TEST_CASE("committed collectives of up to 4 MiB on a die, 1 MiB in a package, 1 KiB on six are as the decisions say") {
  const auto compared = calc::compare_committed([](const std::string& scale, std::int64_t bytes) {
    if (scale == "die") return bytes > 262'144 && bytes <= 4'194'304;
    return scale == "package" ? bytes > 16'384 : bytes <= 1'024;
  });
  CHECK(compared.different == "");
  CHECK(compared.rows > 50);
}

// Minutes of CPU: run by hand, with --no-skip, when the rows have moved.
TEST_CASE("what is left of the committed collectives is as the decisions say" * doctest::skip()) {
  const auto compared = calc::compare_committed([](const std::string& scale, std::int64_t bytes) {
    if (scale == "die") return bytes > 4'194'304;
    return scale == "system" && bytes > 1'024;
  });
  CHECK(compared.different == "");
  CHECK(compared.rows > 10);
}
