// Where a machine file says that the controllers of a die's HBM are.
#include "sim/machine/memory_places.hpp"

#include <doctest/doctest.h>

#include "tests/support/error_of.hpp"

using namespace kernbench;

namespace {

std::vector<std::int32_t> routers_of(const std::string& controllers, std::int64_t rows, std::int64_t columns) {
  DieSpec die;
  die.routers = {rows, columns};
  die.hbm.controllers = checked_controllers(controllers);
  return controller_routers(die);
}

std::string refused(const std::string& controllers) {
  return error_of([&] { static_cast<void>(checked_controllers(controllers)); });
}

}  // namespace

TEST_SUITE("ADR-0064") {
  TEST_CASE("64.1 controllers are beside every PE, or at edges and places of the mesh, in the order of the file") {
    using Routers = std::vector<std::int32_t>;
    CHECK(routers_of("private", 2, 3) == Routers{0, 1, 2, 3, 4, 5});
    CHECK(routers_of("north", 2, 3) == Routers{0, 1, 2});
    CHECK(routers_of("south", 2, 3) == Routers{3, 4, 5});
    CHECK(routers_of("west", 2, 3) == Routers{0, 3});
    CHECK(routers_of("east", 2, 3) == Routers{2, 5});
    CHECK(routers_of("  1,2   0,0 ", 2, 3) == Routers{5, 0});
    CHECK(routers_of("west north 1,1", 2, 3) == Routers{0, 3, 0, 1, 2, 4});  // router 0 has two
    CHECK(checked_controllers(" 01,2  east") == "1,2 east");

    const std::string expected =
        "expected 'private', or edges (north, south, east, west) and places as ROW,COLUMN with blanks between, got ";
    for (const std::string wrong :
         {"", "  ", "up", "1", "1,", ",1", "1,2,3", "-1,0", "1, 2", "private north", "north,east"}) {
      CHECK(refused(wrong) == expected + "'" + wrong + "'");
    }
    CHECK(refused("north 1,1 north") == expected + "'north 1,1 north': north is named twice");
    CHECK(refused("01,1 1,1") == expected + "'01,1 1,1': 1,1 is named twice");
  }
}
