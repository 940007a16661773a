// `kernbench sim gemm --map` and `kernbench map gemm` from outside.
#include <doctest/doctest.h>

#include <fstream>
#include <regex>
#include <string>
#include <vector>

#include "benches/io/text/numbers.hpp"
#include "benches/results/rows/results_json.hpp"
#include "sim/base/read_file.hpp"
#include "sim/base/source_dir.hpp"
#include "sim/base/text.hpp"
#include "tests/cli/outcome.hpp"
#include "tests/cli/program.hpp"

namespace {

using kernbench::refusal;
using kernbench::rows_of;
using Arguments = std::vector<std::string>;

Arguments mapped(const std::string& map, const Arguments& more = {}) {
  Arguments arguments{"sim", "gemm", "--m", "256", "--k", "256", "--n", "256", "--map", map, "--json", "result.json"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

void check_refused(const Arguments& arguments, const std::string& expected) {
  const std::string told = refusal(arguments);
  CHECK_MESSAGE(has(told, expected), told);
}

const Arguments kSmallTcm{"--set", "pe.tcm.capacity=160KiB", "--set", "die.hbm.bandwidth=64 GB/s"};

}  // namespace

TEST_SUITE("ADR-0032") {
  TEST_CASE("32.1 sim gemm --map runs what is asked for, and says it in full") {
    const auto row = rows_of(mapped("block=128x64x64 order=nkm buffers=2 stream=a sums=bf16", {"--verify"})).at(0);
    CHECK(row.at("metrics").at("mapping") == "tile=32x64x32 block=128x64x64 order=nkm buffers=2 stream=a sums=bf16");
    CHECK(row.at("flags").at(0) == "verified");
    CHECK(row.at("metrics").at("bound_ns").get<double>() <= row.at("metrics").at("time_ns").get<double>());
    const auto tile = rows_of(mapped("tile=16x64x32 block=256x256x256 buffers=1 stream=none")).at(0);
    CHECK(tile.at("metrics").at("tile_m") == 16);
    CHECK(tile.at("metrics").at("tiles") == 16 * 4 * 8);
    // A block that is no multiple of pe.mac.tile's 32 has a tile that it is a multiple of.
    const auto block = rows_of(mapped("block=48x64x64")).at(0);
    CHECK(48 % block.at("metrics").at("tile_m").get<int>() == 0);
  }

  TEST_CASE("32.18 the way over several PEs that auto tells is the same run, given back") {
    const auto row = [](const char* topology, const char* m, const char* n, const Arguments& way) {
      Arguments arguments{
          "sim", "gemm",   "--topology", kernbench::source_dir() + topology, "--m", m, "--k", "512", "--n", n, "--over",
          "die", "--json", "result.json"};
      arguments.insert(arguments.end(), way.begin(), way.end());
      return rows_of(arguments).at(0).at("metrics");
    };
    const auto given_back = [&](const char* topology, const char* m, const char* n, const char* way) {
      const auto told = row(topology, m, n, {"--map", "auto"});
      REQUIRE(told.contains(way));
      const auto again = row(
          topology, m, n,
          {"--variant", told.at(way).get<std::string>(), "--place", told.at("chosen_placement").get<std::string>()});
      CHECK(again.at("time_ns") == told.at("time_ns"));
      CHECK(again.at("chosen_placement") == told.at("chosen_placement"));
    };
    given_back("/topology/milestone_1h.yaml", "401", "300", "mapping");
    given_back("/topology/mesh_64.yaml", "2048", "2048", "kernel");
  }

  TEST_CASE("32.8 values and the trace are of the mapping that is chosen") {
    const Workplace place;
    const auto traced = [&place](const std::string& map, const std::string& trace) {
      const Arguments shape{"sim", "gemm", "--m",      "100",    "--k",        "200",
                            "--n", "70",   "--verify", "--json", "result.json"};
      Arguments arguments = shape;
      arguments.insert(arguments.end(), {"--map", map, "--trace", trace});
      const Ended ended = place.run(kProgram, arguments);
      REQUIRE_MESSAGE(ended.exit_code == 0, ended.err);
      return kernbench::Json::parse(kernbench::read_file(place.path() / "result.json")).at("rows").at(0);
    };
    const kernbench::Json chosen = traced("auto", "chosen.json");
    CHECK(chosen.at("flags").dump().find("verified") != std::string::npos);
    const kernbench::Json same = traced(chosen.at("metrics").at("mapping"), "same.json");
    CHECK(same.at("metrics").at("time_ns") == chosen.at("metrics").at("time_ns"));
    const auto trace_in = [&place](const char* file) {  // but for how it was asked for
      return std::regex_replace(kernbench::read_file(place.path() / file), std::regex(R"("variant":"[^"]*")"), "");
    };
    CHECK(trace_in("chosen.json") == trace_in("same.json"));
  }

  TEST_CASE("32.19 sums go to HBM where --map says so, and on several PEs, too") {
    const auto row = rows_of(mapped("tile=32x64x32 block=64x64x64 order=kmn sums=bf16@hbm", {"--verify"})).at(0);
    CHECK(has(row.at("metrics").at("mapping").get<std::string>(), "sums=bf16@hbm"));
    CHECK(row.at("flags").at(0) == "verified");
    CHECK(row.at("metrics").at("hbm_written_bytes") == 256 * 256 * 2 * (1 + 3));
    const auto over = rows_of(mapped("block=64x64x64 order=kmn sums=fp32@hbm", {"--over", "die", "--verify"})).at(0);
    CHECK(has(over.at("metrics").at("mapping").get<std::string>(), "sums=fp32@hbm"));
    CHECK(over.at("flags").at(0) == "verified");
    // Sums of all of C are 256 KiB: what does not fit with what is asked for is run with sums in HBM, or refused.
    const auto chosen = rows_of(mapped("block=64x64x64 order=kmn", kSmallTcm)).at(0);
    CHECK(has(chosen.at("metrics").at("mapping").get<std::string>(), "sums=fp32@hbm"));
    Arguments asked = mapped("block=64x64x64 order=kmn sums=fp32", kSmallTcm);
    check_refused(asked, "or keep sums in HBM: sums=fp32@hbm");
    check_refused(mapped("sums=fp32@sram"),
                  "--variant: variant sums: expected fp32, which is kept in TCM, or fp32@hbm");
    check_refused(mapped("sums=int32@hbm"), "mapping: sums int32@hbm of bf16: expected fp32 or bf16, with @hbm");
    const std::string wide = Workplace()
                                 .run(kProgram, {"map", "gemm", "--m", "256", "--k", "256", "--n", "256", "--map",
                                                 "block=64x64x64 sums=fp32@hbm", "--wide"})
                                 .out;
    CHECK_MESSAGE(has(wide, "fp32@hbm"), wide);
  }

  TEST_CASE("32.8 --map auto is no slower than any staging variant that fits, and than what it was chosen from") {
    const double chosen = rows_of(mapped("auto", kSmallTcm)).at(0).at("metrics").at("time_ns");
    Arguments variants{"sim", "gemm", "--m",       "256", "--k",    "256",
                       "--n", "256",  "--variant", "all", "--json", "result.json"};
    variants.insert(variants.end(), kSmallTcm.begin(), kSmallTcm.end());
    int ran = 0;
    for (const auto& row : rows_of(variants)) {
      if (row.at("status") != "ok") continue;
      CHECK(chosen <= row.at("metrics").at("time_ns").get<double>());
      ++ran;
    }
    CHECK(ran > 0);
    Arguments map{"map", "gemm", "--m", "256", "--k", "256", "--n", "256", "--top", "12", "--json", "result.json"};
    map.insert(map.end(), kSmallTcm.begin(), kSmallTcm.end());
    const auto rows = rows_of(map);
    REQUIRE(rows.size() > 1);
    for (std::size_t i = 0; i + 1 < rows.size(); ++i) {
      CHECK(rows[i].at("metrics").at("time_ns").get<double>() <= rows[i + 1].at("metrics").at("time_ns").get<double>());
    }
    CHECK(rows[0].at("metrics").at("time_ns").get<double>() <= chosen);
  }

  TEST_CASE("32.11 sim gemm says the bound of the mapping that it chose, and the least of all, as --plan does") {
    for (const std::string over : {"pe", "die"}) {
      CAPTURE(over);
      const Workplace place;
      const std::vector<std::string> gemm{"sim", "gemm", "--m", "64", "--k", "64", "--n", "64", "--over", over};
      std::vector<std::string> plan = gemm;
      plan.insert(plan.end(), {"--plan", "--json", "result.json"});
      const double least = rows_of(plan).at(0).at("metrics").at("time_ns").get<double>();
      std::vector<std::string> run = gemm;
      run.insert(run.end(), {"--json", "result.json"});
      CHECK(rows_of(run).at(0).at("metrics").at("bound_ns").get<double>() >= least);
      std::string words;  // without the line breaks
      for (const std::string& line : kernbench::split(place.run(kProgram, gemm).out, "\n")) {
        words += " " + std::string(kernbench::trimmed(line));
      }
      CHECK_MESSAGE(has(words, over == "pe" ? kernbench::one_decimal(least) + " ns by "
                                            : "the least bound of them is " + kernbench::one_decimal(least) + " ns"),
                    words);
      CHECK_MESSAGE(has(words, over == "pe" ? "the least of all mappings" : ", of this mapping"), words);
    }
  }

  TEST_CASE("32.8 32.18 auto is no slower than a mapping of a group whose waits the estimate does not know") {
    Arguments chip{"--m", "512", "--k", "2048", "--n", "2048", "--json", "result.json"};
    for (const char* key : {"die.routers.rows=4",
                            "die.router.link_bandwidth=128 GB/s",
                            "die.hbm.bandwidth=100 GB/s",
                            "die.hbm.pseudo_channels=4",
                            "die.hbm.burst=64 B",
                            "die.hbm.read_latency=60 ns",
                            "pe.control_latency=2 ns",
                            "pe.scheduler_latency=1 ns",
                            "pe.dma.setup_latency=10 ns",
                            "pe.dma.outstanding_bursts=256",
                            "pe.stream_depth=8",
                            "pe.tcm.capacity=1 MiB",
                            "pe.tcm.read_bandwidth=256 GB/s",
                            "pe.tcm.write_bandwidth=256 GB/s",
                            "pe.fetch_bandwidth=256 GB/s",
                            "pe.store_bandwidth=256 GB/s",
                            "pe.mac.macs_per_cycle=0",
                            "pe.mac.dataflow=weight_stationary",
                            "pe.mac.rows=64",
                            "pe.mac.columns=64",
                            "pe.mac.weight_buffers=2",
                            "pe.mac.fill_cycles=4",
                            "pe.mac.operand_registers=2",
                            "pe.mac.accumulators=2",
                            "pe.mac.tile.m=256",
                            "pe.mac.tile.k=64",
                            "pe.mac.tile.n=64",
                            "pe.vector.lanes=64"}) {
      chip.insert(chip.end(), {"--set", key});
    }
    const auto time = [&chip](const std::string& over, const std::string& map) {
      Arguments arguments{"sim", "gemm", "--over", over, "--map", map};
      arguments.insert(arguments.end(), chip.begin(), chip.end());
      return rows_of(arguments).at(0).at("metrics").at("time_ns").template get<double>();
    };
    for (const char* over : {"pe", "die"}) {
      const double by_hand = time(over, "tile=128x64x128 buffers=1");
      CHECK(time(over, "auto") <= 1.0001 * by_hand);
      CHECK(time(over, "buffers=2 stream=b") > 1.1 * by_hand);  // as the estimate's favourites are
    }
  }

  TEST_CASE("32.21 where bytes of HBM take energy, a mapping that moves fewer is chosen for up to 1 % of time") {
    const Arguments shape{"--m", "512", "--k", "512", "--n", "512", "--json", "result.json"};
    const auto with = [&shape](Arguments first, const Arguments& more) {
      first.insert(first.end(), shape.begin(), shape.end());
      first.insert(first.end(), more.begin(), more.end());
      return first;
    };
    const auto metrics = [](const auto& row) { return row.at("metrics"); };
    const Arguments energy{"--set", "energy.hbm=31.8 pJ/B"};
    const auto fast = metrics(rows_of(with({"sim", "gemm", "--map", "auto"}, {})).at(0));
    const auto frugal = metrics(rows_of(with({"sim", "gemm", "--map", "auto"}, energy)).at(0));
    CHECK(frugal.at("time_ns").template get<double>() > fast.at("time_ns").template get<double>());
    CHECK(frugal.at("time_ns").template get<double>() <= 1.01 * fast.at("time_ns").template get<double>());
    CHECK(frugal.at("hbm_read_bytes").template get<double>() < 0.6 * fast.at("hbm_read_bytes").template get<double>());
    const Ended told = Workplace().run(kProgram, with({"map", "gemm"}, energy));
    CHECK_MESSAGE(has(told.out, "0.77 % longer than the fastest"), told.out);
    // The rows are the fastest first all the same.
    const auto rows = rows_of(with({"map", "gemm"}, energy));
    CHECK(metrics(rows.at(0)).at("time_ns") == fast.at("time_ns"));
  }

  TEST_CASE("32.8 what passes --time-limit is left out and counted, and where all do the run fails") {
    const auto time_ns = [](const Arguments& arguments) {
      return rows_of(arguments).at(0).at("metrics").at("time_ns").get<double>();
    };
    // Every mapping of a block that is asked for is slower than the best there is; with one buffer, more so.
    const Arguments some{"map", "gemm", "--m",   "256", "--k",    "256",
                         "--n", "256",  "--top", "12",  "--json", "result.json"};
    std::vector<double> times;
    for (const auto& row : rows_of(some)) times.push_back(row.at("metrics").at("time_ns").get<double>());
    REQUIRE(times.size() > 1);
    REQUIRE(times.back() > times.front());
    Arguments limited = some;
    const std::string limit = std::to_string(static_cast<long>(times.front()) + 1) + " ns";
    limited.insert(limited.end(), {"--time-limit", limit});
    for (const auto& row : rows_of(limited)) CHECK(row.at("metrics").at("time_ns").get<double>() <= times.front() + 1);
    CHECK(time_ns(limited) == times.front());
    const Workplace place;
    const Ended told = place.run(kProgram, limited);
    CHECK_MESSAGE(has(told.out, "that passed --time-limit are left out"), told.out);
    const Ended none = place.run(kProgram, mapped("auto", {"--time-limit", "10 ns"}));
    CHECK(none.exit_code == 1);
    CHECK_MESSAGE(has(none.err, "time limit"), none.err);
  }

  TEST_CASE("32.16 32.18 --over with --map: K is split as asked for, and auto is the fastest of those compared") {
    const auto split = rows_of(mapped("split_k=4 block=32x64x256 buffers=2", {"--over", "die", "--verify"})).at(0);
    CHECK(split.at("metrics").at("mapping").get<std::string>().ends_with(" split_k=4"));
    CHECK(split.at("flags").at(0) == "verified");
    CHECK(split.at("metrics").at("bound_ns").get<double>() <= split.at("metrics").at("time_ns").get<double>());
    const double chosen = rows_of(mapped("auto", {"--over", "die"})).at(0).at("metrics").at("time_ns");
    CHECK(chosen <= split.at("metrics").at("time_ns").get<double>());
    const auto rows = rows_of({"map", "gemm", "--m", "256", "--k", "256", "--n", "256", "--over", "die", "--top", "10",
                               "--json", "result.json"});
    REQUIRE(rows.size() > 1);
    CHECK(rows.at(0).at("metrics").at("time_ns").get<double>() <= chosen);
  }

  TEST_CASE("32.1 what cannot be mapped is refused with what was expected") {
    check_refused(mapped("blok=32x32x32"), "unknown part of a mapping 'blok': did you mean 'block'?");
    check_refused(mapped("tile=32x64x32 block=48x64x64"), "expected a multiple of the tile's 32");
    check_refused(mapped("tile=64x64x64"), "expected at most 1024 elements of C");
    check_refused(mapped("stream=ab buffers=3"), "buffers 3 of nothing that is loaded");
    const Arguments whole = mapped("tile=32x64x32 block=256x256x256 stream=none buffers=1", kSmallTcm);
    check_refused(whole, "variant tile=32x64x32 block=256x256x256 stream=none buffers=1: ");
    check_refused(whole, "pe.tcm.capacity is 163840: ");
    check_refused(whole, "the largest block of equal parts that fits is block=");
    check_refused(mapped("split_k=2"), "variant split_k: expected 1 on one PE");
    check_refused({"sim", "concurrent", "--m", "64", "--k", "64", "--n", "64", "--map", "split_k=2"},
                  "variant split_k=2: expected a kernel: beside a collective a GEMM has no mapping");
    check_refused(mapped("auto", {"--variant", "ref_ref"}), "--variant: expected one value, got several");
  }
}
