// What somebody makes of the committed collectives who has the decisions (adr/) and the machine file (topology/) alone:
// the calculator of this folder was written from their words, by nobody who had seen the simulator.
#include "tests/collectives_calculator/committed.hpp"

#include <doctest/doctest.h>

TEST_CASE("committed collectives of a die and of a package are as the decisions say, to the picosecond") {
  const auto compared = calc::compare_committed([](const std::string& scale, std::int64_t bytes) {
    return (scale == "die" && bytes <= 262'144) || (scale == "package" && bytes <= 16'384);
  });
  CHECK(compared.different == "");
  CHECK(compared.rows > 200);
}
