// What people read on a terminal: aligned tables, a progress line that fits, colours only where wanted.
#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <sstream>
#include <string>
#include <vector>

#include "benches/io/text/progress.hpp"
#include "benches/io/text/table.hpp"
#include "benches/io/text/wrap.hpp"

using kernbench::Align;
using kernbench::display_width;
using kernbench::format_progress;
using kernbench::Style;
using kernbench::Table;

TEST_CASE("columns are aligned by what is shown, not by bytes, and lines have no space at their end") {
  Table table({{"shape"}, {"time (µs)", Align::kRight}, {"status"}});
  table.add_row({"32×64×32", "1.5", "ok"});
  table.add_row({"8", "123456789.5"});
  CHECK(table.format({}) ==
        "shape       time (µs)  status\n"
        "────────  ───────────  ──────\n"
        "32×64×32          1.5  ok\n"
        "8         123456789.5\n");
  CHECK_THROWS_AS(table.add_row({"a", "b", "c", "d"}), std::logic_error);
}

TEST_CASE("a cell does not command the terminal") {
  Table table({{"device"}});
  table.add_row({"\x1b[31mX"});
  CHECK(table.format({}) == "device\n─────────\n\\x1b[31mX\n");
}

TEST_SUITE("ADR-0027") {
  TEST_CASE("27.3 a table that is too wide loses columns by rank, says which, and breaks texts") {
    Table table({{"point"},
                 {"time", Align::kRight},
                 {"util", Align::kRight, 1},
                 {"link", Align::kLeft, 2},
                 {"status", Align::kLeft, 0, true}});
    table.add_row({"128", "1.5", "50 %", "a link", "ok"});
    table.add_row({"256", "2.5", "60 %", "a longer link", "failed: no room in TCM for the operands of this size"});
    CHECK(table.format({.width = 0}) ==
          "point  time  util  link           status\n"
          "─────  ────  ────  ─────────────  ────────────────────────────────────────────────────\n"
          "128     1.5  50 %  a link         ok\n"
          "256     2.5  60 %  a longer link  failed: no room in TCM for the operands of this size\n");
    CHECK(table.format({.width = 54}) ==
          "point  time  util  status\n"
          "─────  ────  ────  ───────────────────────────────────\n"
          "128     1.5  50 %  ok\n"
          "256     2.5  60 %  failed: no room in TCM for the\n"
          "                   operands of this size\n"
          "(--wide shows also: link)\n");
    CHECK(table.format({.width = 24}) ==
          "point  time  status\n"
          "─────  ────  ───────────\n"
          "128     1.5  ok\n"
          "256     2.5  failed: no\n"
          "             room in TCM\n"
          "             for the\n"
          "             operands of\n"
          "             this size\n"
          "(--wide shows also:\n"
          "util, link)\n");
  }

  TEST_CASE("27.3 titles that are wider than what is below them are broken before columns go") {
    Table table({{"rerun_spread", Align::kRight}, {"busbw (GB/s)", Align::kRight, 1}, {"n", Align::kRight}});
    table.add_row({"0.1", "12.5", "3"});
    CHECK(table.format({.width = 17}) ==
          "rerun_   busbw\n"
          "spread  (GB/s)  n\n"
          "──────  ──────  ─\n"
          "   0.1    12.5  3\n");
  }

  TEST_CASE("27.3 no table is wider than asked for while its numbers leave room, and none loses a word") {
    CHECK(rc::check([] {
      const auto word = rc::gen::container<std::string>(rc::gen::inRange('a', 'z'));
      const auto width = *rc::gen::inRange<std::size_t>(34, 120);
      Table table({{"a"}, {"n", Align::kRight}, {"b", Align::kLeft, 3}, {"c", Align::kLeft, 0, true}});
      const auto text = *rc::gen::container<std::vector<std::string>>(word);
      std::string all;
      for (const std::string& one : text) all += one + " ";
      table.add_row({*word, "12.5", *word, all});
      std::istringstream lines(table.format({.width = width}));
      for (std::string line; std::getline(lines, line);) RC_ASSERT(display_width(line) <= width);
      std::string letters;
      for (const std::string& line : kernbench::wrapped(all, width)) letters += line;
      std::erase(letters, ' ');
      std::erase(all, ' ');
      RC_ASSERT(letters == all);
    }));
  }
}

TEST_CASE("text is broken between words; a word that is too long where the line ends, never inside a character") {
  using Lines = std::vector<std::string>;
  CHECK(kernbench::wrapped("one two three", 7) == Lines{"one two", "three"});
  CHECK(kernbench::wrapped("one\ntwo  three", 20) == Lines{"one", "two three"});
  CHECK(kernbench::wrapped("µµµµµ x", 3) == Lines{"µµµ", "µµ", "x"});
  CHECK(kernbench::wrapped("", 3) == Lines{""});
  CHECK(kernbench::hanging("  -x  ", "one two three", 13) == "  -x  one two\n      three\n");
}

TEST_CASE("colours change nothing but the colours") {
  Table table({{"a"}, {"b"}});
  table.add_row({{"x", Style::kRed}, "y"});
  std::string coloured = table.format({.colours = true});
  CHECK(coloured.find("\033[31mx\033[0m  y\n") != std::string::npos);
  for (std::size_t at = coloured.find('\033'); at != std::string::npos; at = coloured.find('\033')) {
    coloured.erase(at, coloured.find('m', at) + 1 - at);
  }
  CHECK(coloured == table.format({}));
}

TEST_SUITE("ADR-0027") {
  TEST_CASE("27.4 the progress line says done, failed, and by the cost of what is left the time left") {
    CHECK(format_progress("toy", {24, 12, 1, 2.0, 10, 15}, 100, false) ==
          "toy ━━━━━━━━━━━━──────────── 12/24  1 failed  3 s left");
    CHECK(format_progress("toy", {24, 4, 0, 2.0, 0, 24}, 100, false) == "toy ━━━━──────────────────── 4/24");
    CHECK(kernbench::time_left({7301, 1, 0, 1.0, 1, 7300}) == "2 h 1 min left");
    // Nine cheap points of ten are done: the dear one is most of the run.
    CHECK(kernbench::time_left({10, 9, 0, 1.0, 9, 900}) == "1 min 40 s left");
  }
}

TEST_CASE("the progress line never reaches the terminal's last column, where it would wrap") {
  const bool held = rc::check([] {
    const auto width = *rc::gen::inRange(0, 120);
    const auto total = *rc::gen::inRange<std::size_t>(1, 100'000);
    const auto done = *rc::gen::inRange<std::size_t>(0, total + 1);
    const auto line = format_progress("milestone-1h-gemm", {total, done, done / 2, 1.5, 1.0, 2.0}, width, false);
    RC_ASSERT(display_width(line) <= static_cast<std::size_t>(std::max(width - 1, 0)));
    RC_ASSERT(!line.empty() || width <= 1);
  });
  CHECK(held);
}
