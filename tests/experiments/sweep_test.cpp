// Machine keys as axes of a bench.
#include "benches/experiments/whatif/sweep.hpp"

#include <doctest/doctest.h>

#include "benches/experiments/whatif/key_axes.hpp"
#include "benches/workloads/selection.hpp"
#include "sim/base/capacity_error.hpp"
#include "tests/support/error_of.hpp"
#include "tests/support/milestone.hpp"

using namespace kernbench;

namespace {

std::vector<std::string> values_of(const std::string& sweep) {
  std::vector<std::string> labels;
  const Axis axis = key_axes("--sweep", {sweep}, {}, milestone()).front();
  for (const AxisValue& value : axis.values) labels.push_back(value.label);
  return labels;
}

std::string wrong(const std::vector<std::string>& sweeps, const std::vector<std::string>& links = {}) {
  return error_of([&] { static_cast<void>(key_axes("--sweep", sweeps, links, milestone())); });
}

/// Two shapes; a row says what it was run with.
Bench toy() {
  Bench bench;
  bench.name = "toy";
  bench.axes = {{"size", {1, 2}}};
  bench.report = {{"time_ns", "time (ns)"}};
  bench.simulate = [](const MachineSpec& machine, const Point& point, const PointSettings&) {
    Row row;
    row.metrics.json()["time_ns"] = machine.die.hbm.bandwidth.gbs() * point.at("size").get<double>();
    row.metrics.json()["link"] = machine.die.router.link.gbs();
    return row;
  };
  return bench;
}

}  // namespace

TEST_SUITE("ADR-0035") {
  TEST_CASE("35.8 values are a list, a range that multiplies or adds, or rows by columns") {
    using Labels = std::vector<std::string>;
    CHECK(values_of("pe.dma.outstanding_bursts=16,32,64") == Labels{"16", "32", "64"});
    CHECK(values_of("die.hbm.bandwidth=128,256 GB/s") == Labels{"128 GB/s", "256 GB/s"});
    CHECK(values_of("die.hbm.bandwidth=900 MB/s,256 GB/s") == Labels{"900 MB/s", "256 GB/s"});
    CHECK(values_of("die.hbm.bandwidth=128..1024*2 GB/s") == Labels{"128 GB/s", "256 GB/s", "512 GB/s", "1.024 TB/s"});
    CHECK(values_of("die.hbm.bandwidth = 100..200*1.5 GB/s") == Labels{"100 GB/s", "150 GB/s"});
    CHECK(values_of("die.hbm.bandwidth=64..256 GB/s*2") == Labels{"64 GB/s", "128 GB/s", "256 GB/s"});
    CHECK(values_of("die.hbm.bandwidth=64..128 GB/s+32") == Labels{"64 GB/s", "96 GB/s", "128 GB/s"});
    CHECK(values_of("pe.stream_depth=4..16+4") == Labels{"4", "8", "12", "16"});
    CHECK(values_of("pe.stream_depth=1..3*1.5") == Labels{"1", "2", "3"});
    CHECK(values_of("pe.stream_depth=1..15*1.4") == Labels{"1", "2", "3", "4", "5", "8", "11", "15"});
    CHECK(values_of("pe.stream_depth=1..14*1.4") == Labels{"1", "2", "3", "4", "5", "8", "11"});
    CHECK(values_of("die.hbm.read_latency=10..30+10 ns") == Labels{"10 ns", "20 ns", "30 ns"});
    CHECK(values_of("pe.clock=1000 MHz,1 GHz,2 GHz") == Labels{"1 GHz", "2 GHz"});
    CHECK(values_of("system.arrangement=ring,mesh") == Labels{"ring", "mesh"});
    CHECK(values_of("pe.stream_depth=3..6") == Labels{"3", "4", "5", "6"});
    CHECK(values_of("pe.dma.outstanding_bursts=64..128") ==
          Labels{"64", "70", "76", "83", "91", "99", "108", "117", "128"});
    CHECK(values_of("die.hbm.bandwidth=128..200 GB/s") ==
          Labels{"128 GB/s", "140 GB/s", "152 GB/s", "166 GB/s", "181 GB/s", "197 GB/s", "200 GB/s"});
    CHECK(values_of("die.hbm.bandwidth=128..128 GB/s") == Labels{"128 GB/s"});
    const Axis grid = key_axes("--sweep", {"die.routers=2x4,4x4"}, {}, milestone()).front();
    CHECK(grid.values.at(0).label == "2x4");
    CHECK(grid.values.at(0).fields == Json{{"die.routers.rows", "2"}, {"die.routers.columns", "4"}});
  }

  TEST_CASE("35.8 what is no sweep is refused, with what was expected") {
    CHECK(wrong({"pe.stream_depth"}).find("--sweep pe.stream_depth: expected KEY=VALUES") == 0);
    CHECK(wrong({"pe.stream_dept=1,2"}).find("did you mean pe.stream_depth?") != std::string::npos);
    CHECK(wrong({"pe.stream_depth=0,1"}).find("--sweep pe.stream_depth=0,1: pe.stream_depth: out of range") == 0);
    CHECK(wrong({"pe.stream_depth=8..4*2"}).find("expected a range from the smaller value") != std::string::npos);
    CHECK(wrong({"pe.stream_depth=1..x"}).find("pe.stream_depth: expected a whole number") != std::string::npos);
    CHECK(wrong({"pe.stream_depth=0..8"}).find("expected FROM..TO*FACTOR") != std::string::npos);
    CHECK(wrong({"pe.stream_depth=1..8*1"}).find("expected FROM..TO*FACTOR") != std::string::npos);
    CHECK(wrong({"pe.stream_depth=1..8+0"}).find("expected FROM..TO*FACTOR") != std::string::npos);
    CHECK(wrong({"die.hbm.bandwidth=1..9*2 ns"}).find("expected a bandwidth") != std::string::npos);
    CHECK(wrong({"die.hbm.bandwidth=1..900000000000+1 B/s"}).find("at most 1000 values") != std::string::npos);
    CHECK(wrong({"die.routers=2x4,8"}).find("expected ROWSxCOLUMNS such as 2x4, got '8'") != std::string::npos);
    CHECK(wrong({"pe.stream_depth=1,,2"}) != "");
    CHECK(wrong({"pe.mac.tile=32x32"}).find("pe.mac.tile is a section: expected one of m, k, n") != std::string::npos);
    CHECK(wrong({"pe.stream_depth=1,2"}, {"pe.stream_depth=pe.stream_depth"}).find("expected two keys") !=
          std::string::npos);
    CHECK(wrong({"pe.stream_depth=1,2", "pe.stream_depth=4"}).find("pe.stream_depth is there twice") !=
          std::string::npos);
    CHECK(wrong({"pe.stream_depth=1,2"}, {"pe.output_depth=pe.clock"}).find("expected a key of --sweep") !=
          std::string::npos);
    CHECK(wrong({"pe.stream_depth=1,2"}, {"pe.clock=pe.stream_depth"}).find("pe.clock: expected a frequency") !=
          std::string::npos);
  }

  TEST_CASE("35.8 what one machine cannot do is skipped there; what none can is refused before anything is run") {
    Bench bench = toy();
    bench.check = [](const MachineSpec& machine, const Point& point) {
      if (point.at("size") == 2 && machine.pe.stream_depth < 16)
        throw ConfigError("size 2: expected a stream depth of 16");
    };
    bench.simulate = [check = bench.check](const MachineSpec& machine, const Point& point, const PointSettings&) {
      check(machine, point);
      return Row();
    };
    const auto on = [&](const std::string& values) {
      return swept(bench, key_axes("--sweep", {"pe.stream_depth=" + values}, {}, milestone()));
    };
    const auto refused = [](const Bench& sweep) {
      return error_of([&] {
        for (const LabelledPoint& point : expand_points(sweep)) sweep.check(milestone(), point.point);
      });
    };
    const Bench some = on("8,16");
    CHECK(refused(some).empty());
    CHECK_THROWS_AS(static_cast<void>(some.simulate(milestone(), {{"pe.stream_depth", "8"}, {"size", 2}}, {})),
                    CapacityError);
    CHECK_NOTHROW(static_cast<void>(some.simulate(milestone(), {{"pe.stream_depth", "16"}, {"size", 2}}, {})));
    REQUIRE(milestone().pe.stream_depth < 16);
    CHECK(refused(on("4,8")) == "size 2: expected a stream depth of 16");
  }

  TEST_CASE("35.8 more points than a file of results holds are refused before anything is made of them") {
    const std::vector<Axis> most =
        key_axes("--sweep", {"pe.stream_depth=1..100+1", "pe.output_depth=1..75+1"}, {}, milestone());
    const Bench full = swept(toy(), most);
    CHECK_NOTHROW(require_few(select_points(full, "")));
    const Bench too_many =
        swept(toy(), key_axes("--sweep", {"pe.stream_depth=1..100+1", "pe.output_depth=1..76+1"}, {}, milestone()));
    CHECK(error_of([&] { require_few(select_points(too_many, "")); }) ==
          "--sweep: expected at most 15000 points, got 15200: sweep fewer values, or select some of the points with "
          "--only");
    CHECK_NOTHROW(require_few(select_points(too_many, "size=1")));
    const std::vector<Axis> more =
        key_axes("--sweep", {"pe.stream_depth=1..1000+1", "pe.output_depth=1..1000+1"}, {}, milestone());
    CHECK(error_of([&] { static_cast<void>(swept(toy(), more)); }) ==
          "--sweep: expected at most 200000 combinations in all, got 1000000 and more with pe.output_depth: sweep "
          "fewer values");
  }

  TEST_CASE("35.8 each point runs on its machine; linked keys go along; contradictions are skipped") {
    const std::vector<Axis> axes = key_axes("--sweep", {"die.hbm.bandwidth=100,200 GB/s"},
                                            {"die.router.link_bandwidth=die.hbm.bandwidth"}, milestone());
    const Bench bench = swept(toy(), axes);
    CHECK(bench.name == "toy-sweep");
    const std::vector<LabelledPoint> points = expand_points(bench);
    REQUIRE(points.size() == 4);
    CHECK(points[3].labels == std::vector<std::string>{"200 GB/s", "2"});
    const Row row = bench.simulate(milestone(), points[3].point, {});
    CHECK(row.metrics.json().at("time_ns") == 400.0);
    CHECK(row.metrics.json().at("link") == 200.0);
    CHECK_THROWS_WITH_AS(static_cast<void>(machine_of({{"die.hbm.pseudo_channels", "3"}}, milestone())),
                         "die.hbm.pseudo_channels: expected a power of two, got 3", CapacityError);
  }

  TEST_CASE("35.8 a machine that needs what its file leaves out is none, and a key of that is refused") {
    const MachineSpec machine = load_machine(kernbench::source_dir() + "/topology/tpu_v4_core.yaml").spec;
    static_cast<void>(machine_of({{"package.dies.rows", "1"}}, machine));
    CHECK_THROWS_WITH_AS(static_cast<void>(machine_of({{"package.dies.rows", "2"}}, machine)),
                         "package.die_to_die: missing section; expected the keys connections, bandwidth, port_latency, "
                         "buffer, as there are several dies",
                         CapacityError);
    CHECK(error_of([&] { static_cast<void>(key_axes("--sweep", {"die.sram.capacity=1,2 MiB"}, {}, machine)); }) ==
          "--sweep die.sram.capacity=1,2 MiB: expected a key that tpu-v4-core has; its file leaves out die.sram, whose "
          "keys --set gives");
  }

  TEST_CASE("35.8 the figure has a panel for each point of the bench, in its order, and a place for each value") {
    const Bench bench =
        swept(toy(), key_axes("--sweep", {"die.hbm.bandwidth=100,200 GB/s", "pe.stream_depth=1,2"}, {}, milestone()));
    Results results;
    for (const LabelledPoint& point : expand_points(bench)) {
      Row row = bench.simulate(milestone(), point.point, {});
      row.point = point.point;
      results.rows.push_back(row);
    }
    const Json spec = sweep_figure(bench, results).spec;
    CHECK(spec.at("facet").at("sort") == Json{"1", "2"});
    const Json& records = spec.at("data").at("values");
    REQUIRE(records.size() == 8);
    CHECK(records[0] == Json{{"x", "100 GB/s"},
                             {"panel", "1"},
                             {"way", ""},
                             {"machine", "pe.stream_depth 1"},
                             {"value", 100.0},
                             {"row", 0}});
    CHECK(records[7].at("value") == 400.0);
  }
}
