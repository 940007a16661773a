// Rows as figures look for them: what is missing is named, and why.
#include "benches/results/figures/rows.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using kernbench::failed_note;
using kernbench::Row;

namespace {

Row row(const std::string& name, const std::string& status) {
  Row row;
  row.point["name"] = name;
  row.point["m"] = 8;
  row.status = status;
  row.metrics.json()["time_ns"] = 1;
  return row;
}

}  // namespace

TEST_SUITE("ADR-0009") {
  TEST_CASE("9.9 figures name rows that failed and, apart, rows that were skipped; neither has values") {
    const std::vector<Row> rows{row("a", "ok"),     row("b", "failed"), row("c", "skipped"),
                                row("d", "failed"), row("e", "failed"), row("f", "failed")};
    std::vector<const Row*> all;
    all.reserve(rows.size());
    for (const Row& each : rows) all.push_back(&each);
    CHECK(failed_note(all) == std::vector<std::string>{"Missing, because it failed: b 8; d 8; e 8 and 1 more",
                                                       "Missing, because it was skipped: c 8"});
    CHECK(failed_note({all[0]}).empty());
    CHECK(kernbench::metric(all[0], "time_ns") == 1);
    CHECK(kernbench::metric(all[1], "time_ns").is_null());
    CHECK(kernbench::metric(all[2], "time_ns").is_null());
  }
}
