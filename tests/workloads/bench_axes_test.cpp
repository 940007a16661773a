// A bench's own axes, asked for: open ones take any value.
#include "benches/experiments/whatif/bench_axes.hpp"

#include <doctest/doctest.h>

#include "benches/workloads/axes.hpp"
#include "benches/workloads/selection.hpp"
#include "sim/base/errors.hpp"
#include "tests/support/error_of.hpp"

using namespace kernbench;

namespace {

struct Several {
  std::string over = "die";
};

AxisValue even_size(const std::string& text) {
  const std::int64_t bytes = parse_quantity(text, Dimension::kBytes);
  if (bytes % 2 != 0) throw ConfigError("expected an even size, got " + text);
  return {format_quantity(bytes, Dimension::kBytes), Json{{"bytes", bytes}}};
}

Bench open_bench() {
  Bench bench;
  bench.name = "toy";
  bench.axes = {{"size", {even_size("2 B")}, OpenAxis{Dimension::kBytes, even_size}}, {"way", {"up", "down", "left"}}};
  return bench;
}

std::string names_of(const Bench& bench, const std::string& only = "") {
  std::string names;
  for (const LabelledPoint& point : select_points(bench, only)) names += (names.empty() ? "" : "; ") + point.name;
  return names;
}

std::string swept_names(const std::vector<std::string>& texts) {
  return names_of(with_own_axes(open_bench(), "--sweep", texts).bench);
}

std::string wrong_own(const std::vector<std::string>& texts) {
  return ::error_of([&] { static_cast<void>(with_own_axes(open_bench(), "--sweep", texts)); });
}

}  // namespace

TEST_SUITE("ADR-0035") {
  TEST_CASE("35.11 an open axis has one value of its own, and takes any that are asked for") {
    CHECK(names_of(open_bench()) == "up; down; left");  // all of 2 B
    CHECK(expand_points(open_bench()).front().point == Json{{"bytes", 2}, {"way", "up"}});
    CHECK(swept_names({"size=4,8 KiB", "way=left"}) == "4 KiB left; 8 KiB left");
    CHECK(swept_names({"size=1..16*4 KiB", "way=up"}) == "1 KiB up; 4 KiB up; 16 KiB up");
    CHECK(swept_names({"way=left,up,left"}) == "left; up");
    CHECK(swept_names({"size=1024 B,1 KiB", "way=up"}) == "up");  // one size
    const BenchAsked asked = with_own_axes(open_bench(), "--sweep", {"way", "pe.stream_depth=1,2"});
    CHECK(names_of(asked.bench) == "up; down; left");
    CHECK(asked.keys == std::vector<std::string>{"pe.stream_depth=1,2"});
  }

  TEST_CASE("35.17 values with commas of their own: semicolons between, or commas where the whole is no value") {
    Axes<Several> axes;
    axes.pes({"over", "--over", ""}, "", &Several::over);
    Bench bench;
    bench.axes = {as_axis(axes.all().front())};
    const auto swept = [&bench](const std::string& values) {
      return names_of(with_own_axes(bench, "--sweep", {"over=" + values}).bench);
    };
    CHECK(swept("0.0.0,0.0.4-0.0.7") == "0.0.0,0.0.4-0.0.7");
    CHECK(swept("0.0.0,0.0.1;die") == "0.0.0,0.0.1; die");
    CHECK(swept("pe,die,package") == "pe; die; package");
    CHECK(swept("die") == "die");
  }

  TEST_CASE("35.17 values of an open axis are in --only or in --sweep, not in both") {
    const auto asked = [](const std::string& sweep) {
      return with_own_axes(open_bench(), "--sweep", {sweep}, "size=4 B,way=up");
    };
    CHECK(::error_of([&] { static_cast<void>(asked("size=2,8 B")); }) ==
          "--sweep size=2,8 B: --only has values of size, too: expected them in one of both");
    CHECK(names_of(asked("size").bench, "way=up") == "up");
    CHECK(names_of(asked("way=up,down").bench, "way=up") == "up");
  }

  TEST_CASE("35.11 --only names values of an open axis") {
    const std::string only = "size=1KiB,size=1024 B,size=4 KiB,way=down";
    CHECK(names_of(with_only(open_bench(), only), only) == "1 KiB down; 4 KiB down");
    CHECK(names_of(with_only(open_bench(), "way=up"), "way=up") == "up");
    CHECK(::error_of([] { static_cast<void>(with_only(open_bench(), "size=3 B")); }) ==
          "--only size=3 B: size: expected an even size, got 3 B");
    CHECK(::error_of([] { static_cast<void>(select_points(with_only(open_bench(), "sise=3 B"), "sise=3 B")); }) ==
          "--only: toy: unknown axis 'sise': did you mean 'size'? There are: size, way");
  }

  TEST_CASE("35.11 a name stands for several values of an open axis, in --only and --sweep") {
    Bench bench = open_bench();
    bench.axes[0].open->sets["few"] = [] { return std::vector{even_size("4 B"), even_size("6 B")}; };
    const std::string only = "size=6 B,size=few,size=8 B,way=up";
    CHECK(names_of(with_only(bench, only), only) == "6 B up; 4 B up; 8 B up");
    CHECK(names_of(with_own_axes(bench, "--sweep", {"size=few,2 B,4 B", "way=up"}).bench) == "4 B up; 6 B up; 2 B up");
    CHECK(::error_of([&] { static_cast<void>(with_only(bench, "size=fwe")); }).find("--only size=fwe: size: ") == 0);
  }

  TEST_CASE("35.11 what is no axis and no value is named") {
    CHECK(wrong_own({"size=3 B"}) == "--sweep size=3 B: size: expected an even size, got 3 B");
    CHECK(wrong_own({"way=lefft"}) ==
          "--sweep way=lefft: unknown value 'lefft': did you mean 'left'? There are: up, down, left");
    CHECK(wrong_own({"wey=left"}) ==
          "--sweep wey=left: toy: unknown axis 'wey': did you mean 'way'? There are: size, way");
    CHECK(wrong_own({"way=up", "way=left"}) == "--sweep way=left: way is there twice");
    CHECK(wrong_own({"size=8..4 KiB"}) ==
          "--sweep size=8..4 KiB: expected a range from the smaller value to the larger");
    CHECK(wrong_own({"pe.no_such=1"}).empty());  // left to key_axes()
  }

  TEST_CASE("35.16 an axis that only the other side of a bench has is refused by name") {
    Bench bench = open_bench();
    bench.axes_of_other_kind = {"state"};
    const std::string wrong = "state is of GPUs alone, and the machine is one of PEs: expected one of size, way";
    CHECK(::error_of([&] { static_cast<void>(with_only(bench, "state=steady")); }) == "--only state=steady: " + wrong);
    CHECK(::error_of([&] { static_cast<void>(with_own_axes(bench, "--sweep", {"state=a,b"})); }) ==
          "--sweep state=a,b: " + wrong);
    CHECK(side_of(bench, MachineKind::kPes) == &bench);
    CHECK(side_of(bench, MachineKind::kGpu) == nullptr);
  }
}
