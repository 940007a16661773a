// What people read on a terminal: aligned tables, a progress line that fits, colours only where wanted.
#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <sstream>
#include <string>

#include "benches/harness/run/progress.hpp"
#include "benches/harness/text/table.hpp"

using kernbench::Align;
using kernbench::display_width;
using kernbench::format_progress;
using kernbench::Style;
using kernbench::Table;

TEST_CASE("columns are aligned by what is shown, not by bytes, and lines have no space at their end") {
  Table table({{"shape"}, {"time (µs)", Align::kRight}, {"status"}});
  table.add_row({"32×64×32", "1.5", "ok"});
  table.add_row({"8", "123456789.5"});
  CHECK(table.format(false) ==
        "shape       time (µs)  status\n"
        "────────  ───────────  ──────\n"
        "32×64×32          1.5  ok\n"
        "8         123456789.5\n");
  CHECK_THROWS_AS(table.add_row({"a", "b", "c", "d"}), std::logic_error);
}

TEST_CASE("colours change nothing but the colours") {
  Table table({{"a"}, {"b"}});
  table.add_row({{"x", Style::kRed}, "y"});
  std::string coloured = table.format(true);
  CHECK(coloured.find("\033[31mx\033[0m  y\n") != std::string::npos);
  for (std::size_t at = coloured.find('\033'); at != std::string::npos; at = coloured.find('\033')) {
    coloured.erase(at, coloured.find('m', at) + 1 - at);
  }
  CHECK(coloured == table.format(false));
}

TEST_CASE("the progress line says done, failed, rate and time left") {
  CHECK(format_progress("toy", {24, 12, 1, 4, 2.0}, 100, false) ==
        "toy ━━━━━━━━━━━━──────────── 12/24  1 failed  4.0/s  3 s left");
  CHECK(format_progress("toy", {24, 4, 0, 4, 2.0}, 100, false) == "toy ━━━━──────────────────── 4/24");
  CHECK(format_progress("toy", {7301, 1, 0, 0, 1.0}, 100, false).find("1.0/s  2 h 1 min left") != std::string::npos);
}

TEST_CASE("the progress line never reaches the terminal's last column, where it would wrap") {
  const bool held = rc::check([] {
    const auto width = *rc::gen::inRange(0, 120);
    const auto total = *rc::gen::inRange<std::size_t>(1, 100'000);
    const auto done = *rc::gen::inRange<std::size_t>(0, total + 1);
    const auto line = format_progress("milestone-1h-gemm", {total, done, done / 2, 0, 1.5}, width, false);
    RC_ASSERT(display_width(line) <= static_cast<std::size_t>(std::max(width - 1, 0)));
    RC_ASSERT(!line.empty() || width <= 1);
  });
  CHECK(held);
}
