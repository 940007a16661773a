// `kernbench search`: questions whose answers are known.
#include <doctest/doctest.h>

#include <algorithm>
#include <fstream>

#include "tests/cli/outcome.hpp"

using kernbench::Json;

namespace {

using Arguments = std::vector<std::string>;

Arguments joined(Arguments first, const Arguments& more) {
  first.insert(first.end(), more.begin(), more.end());
  return first;
}

const Arguments kPoint{"milestone-1h-gemm", "--only", "shape=256x256x256,variant=ref_ref", "-j", "2"};

/// Four keys of 5 x 5 x 6 x 3 values, for --vary or --sweep.
Arguments grid(const std::string& option) {
  return {option, "die.hbm.bandwidth=64..1024*2 GB/s",  option, "die.router.link_bandwidth=64..1024*2 GB/s",
          option, "pe.dma.outstanding_bursts=8..256*2", option, "pe.mac.macs_per_cycle=2048..8192*2"};
}

/// What all of it costs, as --minimise has it, and for a row of a sweep.
constexpr const char* kPrice =
    "price = die.hbm.bandwidth/1 GB/s + die.router.link_bandwidth/2 GB/s + pe.dma.outstanding_bursts + "
    "pe.mac.macs_per_cycle/8";

double number_of(const Json& point, const std::string& key) {
  const std::string text = point.at(key).get<std::string>();
  return std::stod(text) * (text.find("TB/s") != std::string::npos ? 1000 : 1);
}

double price_of(const Json& row) {
  const Json& point = row.at("point");
  return number_of(point, "die.hbm.bandwidth") + number_of(point, "die.router.link_bandwidth") / 2 +
         number_of(point, "pe.dma.outstanding_bursts") + number_of(point, "pe.mac.macs_per_cycle") / 8;
}

Json row_with_flag(const Json& rows, const std::string& flag) {
  const auto found = std::find_if(rows.begin(), rows.end(), [&](const Json& row) {
    return row.contains("flags") && row.at("flags") == Json::array({flag});
  });
  REQUIRE(found != rows.end());
  return *found;
}

}  // namespace

TEST_SUITE("ADR-0011") {
  TEST_CASE("11.19 marks of a search say the row of their machine, and a file marks none") {
    const Workplace place;
    const Ended ended =
        place.run(kProgram, {"search", "milestone-1h-gemm", "--only", "shape=128x128x128,variant=ref_ref", "--vary",
                             "pe.stream_depth=1,2", "--vary", "pe.dma.outstanding_bursts=8..64*2", "--minimise",
                             "time_ns", "--minimise", "pe.dma.outstanding_bursts", "--sensitivity", "time_ns",
                             "--budget", "64", "--out", "found"});
    REQUIRE_MESSAGE(ended.exit_code == 0, ended.err);
    const auto read = [&](const std::string& name) {
      return Json::parse(std::ifstream(place.path() / "found" / name));
    };
    const Json rows = read("results.json").at("rows");
    CHECK(rows.size() == 10);  // two shares of a sensitivity, then the machines
    const auto agrees = [&](const Json& mark, const std::string& value) {
      const Json& row = rows.at(mark.at("row").get<std::size_t>());
      CHECK(row.at("metrics").at("least time_ns") == mark.at(value));
      return row.at("point");
    };
    const Json front = read("figures/search_front.vl.json");
    CHECK(front.at("params") ==
          Json::parse(R"([{"name": "linked_row", "value": -1}, {"name": "kept", "value": null}])"));
    CHECK(front.at("data").at("values").size() == 8);
    for (const Json& mark : front.at("data").at("values")) agrees(mark, "x");
    const Json map = read("figures/heat_map.vl.json");
    CHECK(map.at("data").at("values").size() == 8);
    for (const Json& mark : map.at("data").at("values")) {
      const Json point = agrees(mark, "value");
      CHECK(point.at("pe.stream_depth") == mark.at("x"));
      CHECK(point.at("pe.dma.outstanding_bursts") == mark.at("y"));
    }
    const Json lines = read("figures/search_coordinates.vl.json").at("layer").at(1);
    CHECK(lines.at("data").at("values").size() == 8 * 4);
    for (const Json& mark : lines.at("data").at("values")) agrees(mark, "value");
    CHECK(lines.at("encoding").at("opacity").at("condition").size() == 3);
  }
}

TEST_SUITE("ADR-0038") {
  TEST_CASE("38.5 the cheapest machine at 80 % utilisation is the grid's, found with a tenth of its runs") {
    const Workplace place;
    const Ended swept = place.run(
        kProgram, joined(joined({"run"}, kPoint), joined(grid("--sweep"), {"--no-figures", "-q", "--no-provenance"})));
    REQUIRE_MESSAGE(swept.exit_code == 0, swept.err);
    const Json all = Json::parse(std::ifstream(place.path() / "out/milestone-1h-gemm-sweep/results.json")).at("rows");
    REQUIRE(all.size() == 450);
    double cheapest = 1e9;
    for (const Json& row : all) {
      if (row.at("metrics").at("mac_util") >= 0.8) cheapest = std::min(cheapest, price_of(row));
    }
    for (const char* const seed : {"1", "2"}) {
      const Ended searched = place.run(
          kProgram, joined(joined({"search"}, kPoint),
                           joined(grid("--vary"), {"--target", "mac_util >= 0.8", "--minimise", kPrice, "--budget",
                                                   "45", "--seed", seed, "--json", "found.json"})));
      REQUIRE_MESSAGE(searched.exit_code == 0, searched.err);
      CHECK(has(searched.out, "confirmed   simulated once more, in full detail: the same"));
      const Json rows = Json::parse(std::ifstream(place.path() / "found.json")).at("rows");
      CHECK(rows.size() <= 45);
      const Json best = row_with_flag(rows, "best");
      CHECK(best == rows.front());
      CHECK(price_of(best) == cheapest);
      CHECK(best.at("metrics").at("least price").get<double>() == doctest::Approx(cheapest));
      CHECK(best.at("metrics").at("mac_util").get<double>() >= 0.8);
    }
  }

  TEST_CASE("38.6 a coarse answer is confirmed in full detail, and what that changes is said") {
    const Workplace place;
    const Ended ended = place.run(
        kProgram, {"search", "milestone-1h-gemm", "--only", "shape=128x128x128,variant=ref_ref", "--vary",
                   "pe.stream_depth=1,2", "--minimise", "time_ns", "--set", "simulation.packet_bytes=4096 B"});
    REQUIRE_MESSAGE(ended.exit_code == 0, ended.err);
    CHECK(has(ended.out, "confirmed   simulated once more, in full detail: "));
    CHECK(has(ended.out, " % "));
    CHECK(has(ended.out, "2 machines simulated: every one that there is"));
  }

  TEST_CASE("38.5 --out has rows, figures and a page; two goals a front") {
    const Workplace place;
    const Ended ended = place.run(
        kProgram, {"search", "milestone-1h-gemm", "--only", "shape=128x128x128", "--vary", "variant=ref_ref,load_load",
                   "--vary", "pe.dma.outstanding_bursts=8..64*2", "--minimise", "time_ns", "--minimise",
                   "pe.dma.outstanding_bursts", "--sensitivity", "time_ns", "--budget", "64", "--out", "found"});
    REQUIRE_MESSAGE(ended.exit_code == 0, ended.err);
    CHECK(has(ended.out, "No other machine that was tried is better in one of these"));
    for (const char* const file : {"results.json", "results.csv", "index.html", "figures/search_front.svg",
                                   "figures/search_coordinates.png", "figures/sensitivity.svg"}) {
      CHECK(std::filesystem::exists(place.path() / "found" / file));
    }
  }

  TEST_CASE("38.6 --out does not take the place of other results") {
    const Workplace place;
    const auto searched = [&](const std::string& goal) {
      return place.run(kProgram, {"search", "milestone-1h-gemm", "--only", "shape=32x64x32,variant=ref_ref", "--vary",
                                  "pe.stream_depth=1,2", "--minimise", goal, "--out", "found"});
    };
    CHECK(searched("time_ns").exit_code == 0);
    CHECK(searched("time_ns").exit_code == 0);
    const Ended other = searched("pe.stream_depth");
    CHECK(other.exit_code == 2);
    CHECK(has(other.err, "--out found: it has results of another question: expected a folder of their own"));
    const Ended sim = place.run(kProgram, {"sim", "gemm", "--m", "32", "--k", "64", "--n", "32", "--out", "found"});
    CHECK(sim.exit_code == 2);
    CHECK(has(sim.err, "it has results of search-milestone-1h-gemm"));
  }

  TEST_CASE("38.4 where no machine meets the targets the nearest is shown, and the exit code is 1") {
    const Workplace place;
    const Ended ended =
        place.run(kProgram, {"search", "milestone-1h-gemm", "--only", "shape=128x128x128,variant=ref_ref", "--vary",
                             "pe.stream_depth=1,2", "--minimise", "pe.stream_depth", "--target", "mac_util > 2"});
    CHECK(ended.exit_code == 1);
    CHECK(has(ended.out, "No machine that was tried meets the targets."));
    CHECK(has(ended.out, "misses mac_util > 2"));
  }

  TEST_CASE("38.2 two points that are limited by different causes have one limit in the answer") {
    const Ended ended =
        Workplace().run(kProgram, {"search", "gemm", "--only", "m=512,m=32,k=512,n=512,variant=load_ref", "--vary",
                                   "pe.vector.lanes=64,128", "--minimise", "time_ns"});
    CHECK_MESSAGE(ended.exit_code == 0, ended.err);
    CHECK(has(ended.out, "; limited by "));
  }

  TEST_CASE("38.3 what cannot be asked is refused before anything runs") {
    const auto refused = [](const Arguments& more) {
      return kernbench::refusal(
          joined({"search", "milestone-1h-gemm", "--only", "shape=128x128x128,variant=ref_ref"}, more));
    };
    const Arguments vary{"--vary", "pe.stream_depth=1,2"};
    CHECK(has(refused(vary), "expected what to look for: --minimise, --maximise or --sensitivity"));
    CHECK(has(refused({"--minimise", "time_ns"}), "--vary: expected at least one"));
    CHECK(has(refused(joined(vary, {"--minimise", "time_n"})), "unknown metric 'time_n': did you mean 'time_ns'?"));
    CHECK(has(refused(joined(vary, {"--minimise", "time_ns", "--where", "time_ns < 5"})),
              "--where time_ns < 5: expected keys of the machine alone"));
    CHECK(has(refused(joined(vary, {"--minimise", "time_ns", "--where", "pe.stream_depth > 5"})),
              "no choice of --vary is a machine that meets every --where"));
    CHECK(has(refused(joined(vary, {"--sensitivity", "time_ns", "--budget", "1"})),
              "expected a --budget of at least 48"));
  }
}
