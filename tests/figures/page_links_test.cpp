// What the page's script does with rows that are pointed at and with brushes: its modules, run by node.
#include <doctest/doctest.h>

#include <cstdlib>
#include <string>

#include "tests/figures/sample_results.hpp"

namespace {

/// Whether every test of the script passes; what node says is on stdout.
bool passes(const std::string& script) {
  return std::system(("node --test '" + kernbench::sample::kSource + "/tests/figures/" + script + "'").c_str()) == 0;
}

}  // namespace

TEST_SUITE("ADR-0011") {
  TEST_CASE("11.19 figures and tables hear which row is pointed at, and a chosen one stays") {
    CHECK(passes("row_links.test.mjs"));
  }

  TEST_CASE("11.20 a drag along an axis keeps the lines between, a click and a double click take it away") {
    CHECK(passes("brushes.test.mjs"));
  }

  TEST_CASE("11.22 toggles count what they show, and a link is read as it was written") {
    CHECK(passes("toggles.test.mjs"));
  }
}
