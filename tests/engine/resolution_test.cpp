// The calendar counts picoseconds and says so where SystemC was told otherwise.
#include <doctest/doctest.h>

#include <stdexcept>
#include <systemc>

#include "tests/engine/trace.hpp"

using namespace kernbench;

TEST_SUITE("ADR-0002") {
  TEST_CASE("2.4 a calendar is refused where SystemC's time resolution is not 1 ps") {
    const auto build_with_resolution = [](int femtoseconds) {
      return forked([femtoseconds] {
        sc_core::sc_set_time_resolution(femtoseconds, sc_core::SC_FS);
        Calendar calendar("calendar");
        return std::string("built");
      });
    };
    CHECK(build_with_resolution(1000) == "built");
    const char* const message = "the calendar counts picoseconds: SystemC's time resolution must be 1 ps";
    CHECK_THROWS_WITH_AS(build_with_resolution(100), message, std::runtime_error);
    CHECK_THROWS_WITH_AS(build_with_resolution(10'000), message, std::runtime_error);
  }
}
