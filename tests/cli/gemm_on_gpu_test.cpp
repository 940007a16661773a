// The bench `gemm` on a GPU: runs, sweeps of its keys, searches and what-ifs.
#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>

#include "benches/io/text/json.hpp"
#include "sim/base/source_dir.hpp"
#include "tests/cli/outcome.hpp"

using kernbench::Json;
using kernbench::refusal;

namespace {

using Words = std::vector<std::string>;

const std::string kMachine = kernbench::source_dir() + "/topology/h200.yaml";

Words on_h200(Words command, const Words& more) {
  command.insert(command.end(), {"--topology", kMachine});
  command.insert(command.end(), more.begin(), more.end());
  return command;
}

Json rows_in(const Workplace& place, const std::string& file) {
  return Json::parse(std::ifstream(place.path() / file)).at("rows");
}

Json rows_of_run(const Workplace& place, const Words& more, const std::string& file) {
  const Ended ended = place.run(kProgram, on_h200({"run", "gemm", "-q"}, more));
  REQUIRE_MESSAGE(ended.exit_code == 0, ended.err);
  return rows_in(place, file);
}

Json sim(const Words& more) {
  Words command = on_h200({"sim", "gemm", "--json", "result.json"}, more);
  return kernbench::rows_of(command);
}

double time_in(const Json& row) { return row.at("metrics").at("time_ns"); }

}  // namespace

TEST_SUITE("ADR-0035") {
  TEST_CASE("35.16 a point is what sim gemm says with the same words") {
    const Workplace place;
    const Json rows = rows_of_run(place,
                                  {"--only", "m=1000,k=4096,n=512,dtype=fp16,l2=flushed", "--sweep",
                                   "state=burst,steady", "--sweep", "variant=auto,128x128 cluster=2x1"},
                                  "out/gemm/results.json");
    REQUIRE(rows.size() == 4);
    std::size_t i = 0;
    for (const std::string state : {"burst", "steady"}) {
      for (const Words& map : {Words{}, Words{"--map", "128x128 cluster=2x1"}}) {
        Words words{"--m", "1000", "--k", "4096", "--n", "512", "--dtype", "fp16", "--l2", "flushed"};
        words.insert(words.end(), map.begin(), map.end());
        words.insert(words.end(), {"--state", state});
        const Json alone = sim(words).at(0);
        CAPTURE(i);
        for (const char* metric : {"time_ns", "tflops", "sm_clock_mhz", "power_w", "limited_by", "kernel"}) {
          CHECK(rows.at(i).at("metrics").at(metric) == alone.at("metrics").at(metric));
        }
        ++i;
      }
    }
    CHECK_FALSE(rows.at(0).at("point").contains("layout"));
  }

  TEST_CASE("35.16 the theory is the roofline of the file, which no product is faster than") {
    const Workplace place;
    const Json rows = rows_of_run(
        place,
        {"--sweep", "m=1,16,100,512,4096", "--sweep", "k=64,4000,8192", "--sweep", "dtype=bf16,fp8_e4m3,tf32,fp32",
         "--sweep", "state=burst,steady", "--sweep", "l2=warm,flushed", "--only", "n=2048"},
        "out/gemm/results.json");
    const Json theory = rows_in(place, "out/gemm/theory.json");
    REQUIRE(rows.size() == 240);
    REQUIRE(theory.size() == rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
      CAPTURE(rows.at(i).at("point").dump());
      CHECK(time_in(theory.at(i)) <= time_in(rows.at(i)));
    }
    // 2 x 4096 x 8192 x 2048 operations at 1,024 x 2 x 132 x 1.98 GHz a ns; flushed, 16-bit matrices at 4,178 GB/s.
    const auto of = [&](int m, int k, const std::string& dtype, const std::string& l2) {
      for (const Json& row : theory) {
        const Json& point = row.at("point");
        if (point.at("m") == m && point.at("k") == k && point.at("dtype") == dtype && point.at("l2") == l2) return row;
      }
      return Json();
    };
    CHECK(time_in(of(4096, 8192, "bf16", "warm")) ==
          doctest::Approx(4096.0 * 8192 * 2048 / (2048 * 132 * 1.98)).epsilon(1e-9));
    CHECK(time_in(of(1, 8192, "bf16", "flushed")) ==
          doctest::Approx(2.0 * (8192 + 8192.0 * 2048 + 2048) / 4178).epsilon(1e-9));
  }

  TEST_CASE("35.16 keys of a GPU are swept, linked and set as --set does") {
    const Workplace place;
    const Json rows =
        rows_of_run(place,
                    {"--only", "m=2048,k=2048,n=2048", "--sweep", "hbm.bandwidth=2000..8000*2 GB/s", "--sweep",
                     "sm.count=66,132", "--link", "sm.clustered=sm.count", "--sweep", "state=steady"},
                    "out/gemm-sweep/results.json");
    REQUIRE(rows.size() == 6);
    for (const Json& row : rows) {
      const Json& point = row.at("point");
      Words words{"--m", "2048", "--k", "2048", "--n", "2048", "--state", "steady"};
      for (const char* key : {"hbm.bandwidth", "sm.count", "sm.clustered"}) {
        words.insert(words.end(), {"--set", std::string(key) + "=" + point.at(key).get<std::string>()});
      }
      CAPTURE(point.dump());
      CHECK(time_in(row) == time_in(sim(words).at(0)));
    }
    const Workplace other;
    const Json skipped = rows_of_run(other, {"--sweep", "sm.count=66,132", "--only", "m=64", "--no-figures"},
                                     "out/gemm-sweep/results.json");
    CHECK(skipped.at(0).at("status") == "skipped");
    CHECK(has(skipped.at(0).at("reason"), "sm.clustered: expected at most sm.count, 66"));
    CHECK(skipped.at(1).at("status") == "ok");
  }

  TEST_CASE("35.16 a search and a what-if take the bench on a GPU") {
    const Workplace place;
    const Ended found = place.run(
        kProgram,
        on_h200({"search", "gemm"}, {"--only", "m=4096,k=4096,n=4096", "--vary", "hbm.bandwidth=2,4,8 TB/s", "--vary",
                                     "l2.request=0.6,1.2 ns", "--minimise", "time_ns", "--json", "found.json"}));
    REQUIRE_MESSAGE(found.exit_code == 0, found.err);
    const Json best = Json::parse(std::ifstream(place.path() / "found.json")).at("rows");
    double least = 1e300;
    for (const Json& row : best) {
      if (row.at("metrics").contains("time_ns")) least = std::min(least, time_in(row));
    }
    CHECK(least == time_in(sim({"--m", "4096", "--k", "4096", "--n", "4096", "--set", "hbm.bandwidth=8 TB/s", "--set",
                                "l2.request=0.6 ns"})
                               .at(0)));
    const Json rows =
        kernbench::rows_of(on_h200({"whatif", "bench", "gemm"},
                                   {"--only", "m=256,m=4096,k=4096,n=4096", "--stairs", "1", "--json", "result.json"}));
    const double one = time_in(sim({"--m", "256", "--k", "4096", "--n", "4096"}).at(0));
    const double two = time_in(sim({"--m", "4096", "--k", "4096", "--n", "4096"}).at(0));
    CHECK(time_in(rows.at(0)) == doctest::Approx(std::sqrt(one * two)));
    CHECK(rows.at(1).at("point").at("what") == "stair");
  }

  TEST_CASE("35.16 axes and keys that the machine does not have are refused by name, with what there is") {
    const auto run = [](const Words& more) { return refusal(on_h200({"run", "gemm"}, more)); };
    CHECK(has(
        run({"--only", "layout=row_major"}),
        "--only layout=row_major: layout is of PEs alone, and the machine is a GPU: expected one of m, k, n, dtype, "
        "l2, state, variant"));
    CHECK(has(run({"--sweep", "epilogue=bias,relu"}), "epilogue is of PEs alone"));
    CHECK(has(run({"--only", "dtype_b=int8"}), "dtype_b is of PEs alone"));
    CHECK(has(run({"--only", "variant=ref_ref"}), "--only variant=ref_ref: variant: expected auto, or a kernel"));
    CHECK(has(run({"--only", "dtype=int8"}), "has no section tensor.int8"));
    CHECK(has(run({"--only", "variant=256x256"}), "sm.accumulators"));
    CHECK(has(run({"--only", "state=idle"}), "--only state=idle: state: "));
    CHECK(has(run({"--sweep", "pe.clock=1,2 GHz"}),
              "pe.clock is a key of machines of PEs, and h200 is a GPU: expected --topology with a machine of PEs"));
    CHECK(has(run({"--sweep", "hbm.bandwith=1,2 TB/s"}),
              "there is no key hbm.bandwith of a GPU; did you mean "
              "hbm.bandwidth?"));
    CHECK(has(run({"--sweep", "hbm=1,2 TB/s"}), "hbm is a section: expected one of bandwidth, capacity, energy"));
    CHECK(has(run({"--sweep", "sm.count=1..2000000*2"}), "sm.count: expected 1 to 4096, got"));
    CHECK(has(run({"--sweep", "sm.count=66,132", "--where", "pe.clock > 1 GHz"}),
              "got pe.clock, one of a machine of PEs"));
    CHECK(has(run({"--fast"}), "--fast: gemm has no committed results in "));
    CHECK(has(run({"--verify"}), "--verify: expected a machine of PEs"));
    CHECK(has(run({"--executor", "slurm"}), "--executor slurm: expected a machine of PEs"));
    const auto on_pes = [](const Words& more) {
      Words command{"run", "gemm"};
      command.insert(command.end(), more.begin(), more.end());
      return refusal(command);
    };
    CHECK(has(on_pes({"--only", "state=steady"}), "state is of GPUs alone, and the machine is one of PEs"));
    CHECK(has(on_pes({"--sweep", "sm.count=66,132"}),
              "sm.count is a key of GPUs, and milestone-1h is a machine of PEs: expected --topology with a GPU"));
  }
}
