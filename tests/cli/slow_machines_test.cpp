// The larger products of docs/machines.md, and a what-if of several PEs: half a minute each.
#include <doctest/doctest.h>

#include "tests/cli/machines_page.hpp"
#include "tests/cli/outcome.hpp"

TEST_CASE("docs/machines.md: simulated times of large products are those of its commands") {
  const auto rows = machine_rows(true);
  CHECK(rows.size() == 5);
  for (const auto& row : rows) check_machine_row(row);
}

TEST_CASE("35.5 over several PEs, where a kernel is the fastest way, a what-if tells its times as of any other") {
  const Workplace place;
  const Ended ended = place.run(
      kProgram, {"whatif", "gemm", "--m", "130", "--k", "130", "--n", "130", "--over", "die", "--stairs", "0"});
  REQUIRE_MESSAGE(ended.exit_code == 0, ended.err);
  CHECK(ended.out.find("die.hbm.bandwidth") != std::string::npos);
}
