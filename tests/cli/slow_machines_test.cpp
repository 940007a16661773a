// The larger products of docs/machines.md: half a minute.
#include <doctest/doctest.h>

#include "tests/cli/machines_page.hpp"

TEST_CASE("docs/machines.md: simulated times of large products are those of its commands") {
  const auto rows = machine_rows(true);
  CHECK(rows.size() == 3);
  for (const auto& row : rows) check_machine_row(row);
}
