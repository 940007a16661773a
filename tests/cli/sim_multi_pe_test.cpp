// `kernbench sim gemm --over`, `kernbench sim concurrent` and kernels of one's own from outside.
#include <doctest/doctest.h>

#include <fstream>
#include <regex>
#include <string>
#include <vector>

#include "benches/results/rows/results_json.hpp"
#include "tests/cli/outcome.hpp"
#include "tests/cli/program.hpp"

namespace {

using kernbench::refusal;
using Arguments = std::vector<std::string>;

Arguments gemm_128(const Arguments& more) {
  Arguments arguments{"sim", "gemm", "--m", "128", "--k", "128", "--n", "128"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

Arguments concurrent_128(const Arguments& more) {
  Arguments arguments{"sim", "concurrent", "--m", "128", "--k", "128", "--n", "128"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

}  // namespace

TEST_SUITE("ADR-0030") {
  TEST_CASE("30.1 PEs are those of a die, a package or the system, or named one by one") {
    const Workplace place;
    const auto pes = [&](const std::string& over, const Arguments& more = {}) {
      Arguments arguments = gemm_128({"--over", over, "--variant", "owner_computes", "--json", "result.json"});
      arguments.insert(arguments.end(), more.begin(), more.end());
      const Ended ended = place.run(kProgram, arguments);
      CHECK_MESSAGE(ended.exit_code == 0, ended.err);
      return kernbench::Json::parse(std::ifstream(place.path() / "result.json")).at("rows").at(0);
    };
    const Arguments small{"--set", "package.dies.rows=1", "--set", "package.dies.columns=2"};
    CHECK(pes("die").at("metrics").at("pes") == 8);
    CHECK(pes("package", small).at("metrics").at("pes") == 16);
    CHECK(pes("system", small).at("metrics").at("pes") == 32);
    const auto row = pes("0.0.6-0.1.1,1.0.3", small);
    CHECK(row.at("metrics").at("pes") == 5);
    Arguments names;
    for (const auto& stage : row.at("stages")) {
      if (stage.at("stage") == "program") names.push_back(stage.at("engine"));
    }
    CHECK(names == Arguments{"package0.die0.pe6", "package0.die0.pe7", "package0.die1.pe0", "package0.die1.pe1",
                             "package1.die0.pe3"});
  }

  TEST_CASE("30.1 PEs that there are not, or twice, are refused before anything runs") {
    for (const char* wrong : {"chip", "0.0.8", "0.0", "0.0.3-0.0.1", "0.0.0-0.0.1-0.0.2", "", "0.0.-1"}) {
      CAPTURE(wrong);
      const std::string error = refusal(gemm_128({"--over", wrong, "--variant", "owner_computes"}));
      CHECK((has(error, "expected die, package, system, or package.die.pe from 0.0.0 to 1.15.7") ||
             has(error, "--over")));
    }
    CHECK(has(refusal(gemm_128({"--over", "0.0.0-0.0.3,0.0.2"})), "names a PE twice: '0.0.2' overlaps"));
  }

  TEST_CASE("30.1 what does not go together is refused, and says what does") {
    CHECK(has(refusal(gemm_128({"--place", "a=rows"})), "placement a=rows: expected several PEs"));
    CHECK(has(refusal(gemm_128({"--over", "die", "--ranks-per", "die"})), "sim gemm has no option --ranks-per"));
    CHECK(has(refusal(concurrent_128({"--sizes", "1KiB", "--scale", "die", "--ranks-per", "package"})),
              "expected scale package or system, got die"));
    CHECK(has(refusal(concurrent_128({"--collective", "al_reduce"})), "did you mean 'all_reduce'?"));
    CHECK(has(refusal(concurrent_128({"--algorithm", "rign"})), "unknown algorithm 'rign'"));
    CHECK(has(refusal(concurrent_128({"--sizes", "3B"})), "expected a multiple of an element's 2 B, got 3 B"));
    CHECK(has(refusal(concurrent_128({"--over", "die"})), "sim concurrent has no option --over"));
    // Beside a name for several, values of one's own.
    CHECK(kernbench::rows_of(gemm_128({"--over", "die", "--variant", "all,auto", "--json", "result.json"})).size() ==
          6);
    const Arguments bias{"--m", "128", "--k", "128", "--n", "128", "--over", "die", "--epilogue", "bias"};
    Arguments changed{"whatif", "gemm"};
    changed.insert(changed.end(), bias.begin(), bias.end());
    CHECK(has(refusal(changed), "--epilogue bias: over several PEs"));
    CHECK(has(refusal(gemm_128({"--over", "die,"})), "--over die,: expected a value before and after each ','"));
    CHECK(has(refusal(gemm_128({"--over", "die", "--place", "a=rows,a=rows"})), "a is placed twice"));
    CHECK(has(refusal(gemm_128({"--over", "die", "--variant", "load_ref"})), "unknown variant 'load_ref'"));
    CHECK(has(refusal(gemm_128({"--over", "die", "--epilogue", "bias", "--variant", "owner_computes"})),
              "--epilogue bias: over several PEs expected scale, relu, gelu, silu"));
    CHECK(has(refusal(gemm_128({"--over", "die", "--variant", "ring_shift", "--place", "b=rows"})),
              "variant ring_shift: expected --place a=rows,b=columns,c=rows or a=rows,b=columns,c=columns"));
  }

  TEST_CASE("30.8 all ways are compared, one is shown PE by PE, and values are verified") {
    const Workplace place;
    const Ended all = place.run(kProgram, gemm_128({"--over", "die", "--variant", "all", "--verify", "--wide"}));
    CHECK(all.exit_code == 0);
    for (const char* kernel : {"owner_computes", "ring_shift", "split_k"}) CHECK(has(all.out, kernel));
    // The ways' placements, what replicate leaves out of the time, and who has nothing to do: 128 columns of A are two
    // tiles, so that split_k has work for two PEs.
    CHECK(has(all.out, "a=replicate,b=replicate,c=blocks"));
    CHECK(has(all.out, "replicated before (B)"));
    CHECK(has(all.out, " 57344 "));
    CHECK(has(all.out, "idle PEs"));
    const Ended split = place.run(kProgram, gemm_128({"--over", "die", "--variant", "split_k"}));
    CHECK(has(split.out, "6 of 8 PEs have no tile"));
    CHECK(has(split.out, "gemm 128x128x128 split_k over 8 PEs of milestone-1h"));
    // A replicated owner_computes has no traffic between routers.
    const Ended own = place.run(kProgram, gemm_128({"--over", "die", "--variant", "owner_computes"}));
    CHECK(has(own.out, "network     0 B over links between routers"));
    const Ended one = place.run(kProgram, gemm_128({"--over", "die", "--variant", "ring_shift", "--verify"}));
    CHECK(has(one.out, "package0.die0.pe7"));
    CHECK(has(one.out, "placement   a=rows,b=columns,c=rows"));
    for (const char* line : {"array idle", "imbalance", "network", "ports"}) CHECK(has(one.out, line));
    CHECK(has(one.out, "verified"));
  }

  TEST_CASE("30.9 a GEMM beside a collective: each alone, together, and what both keep busy") {
    const Workplace place;
    const Ended ended = place.run(kProgram, concurrent_128({"--sizes", "64KiB", "--algorithm", "ring", "--verify"}));
    CHECK_MESSAGE(ended.exit_code == 0, ended.err);
    for (const char* part : {"alone (ns)", "together (ns)", "DMA reader", "both use most", "wait for", "verified",
                             "gemm        owner_computes, a=", "collective  ring; its buffers lie in TCM"}) {
      CHECK(has(ended.out, part));
    }
    // The one reads from its own partition, the other receives: both come in by a PE's own link.
    CHECK(has(ended.out, "both use most: package0.die0.router0 -> package0.die0.pe0, "));
  }

  TEST_CASE("30.10 a kernel of one's own runs by name, and --help lists those there are") {
    const Workplace place;
    const Ended ended = place.run(kProgram, {"sim", "shift_around", "--over", "0.0.0-0.0.2", "--verify"});
    CHECK_MESSAGE(ended.exit_code == 0, ended.err);
    CHECK(has(ended.out, "shift_around rows=64 over 3 PEs of milestone-1h"));
    CHECK(has(ended.out, "verified: 36,864 values compared, all as the kernel expects"));
    CHECK(has(place.run(kProgram, {"sim", "--help"}).out, "kernel: every PE sends a matrix"));
    CHECK(has(refusal({"sim", "shift_arround"}), "shift_around"));
    CHECK(has(refusal({"sim", "shift_around", "--rows", "0"}),
              "--rows: expected a whole number from 1 to 1000000, got '0'"));
    // It is a workload as others are: parameters are axes.
    const Ended swept = place.run(
        kProgram, {"run", "shift_around", "--sweep", "rows=16,32", "--only", "over=0.0.0-0.0.2", "-q", "--no-figures"});
    CHECK_MESSAGE(swept.exit_code == 0, swept.err);
    CHECK(kernbench::Json::parse(std::ifstream(place.path() / "out/shift_around/results.json")).at("rows").size() == 2);
    const Ended changed = place.run(kProgram, {"whatif", "shift_around", "--over", "0.0.0-0.0.1", "--stairs", "0"});
    CHECK_MESSAGE(changed.exit_code == 0, changed.err);
    CHECK(has(changed.out, "die.router.link_bandwidth"));
  }

  TEST_CASE("30.11 the fused layer and the one through HBM run from the command line, verified") {
    const Workplace place;
    for (const std::string fused : {"1", "0"}) {
      CAPTURE(fused);
      const Ended ended = place.run(kProgram, {"sim", "mlp", "--over", "0.0.0-0.0.1", "--verify", "--rows", "64",
                                               "--model", "64", "--hidden", "128", "--fused", fused});
      CHECK_MESSAGE(ended.exit_code == 0, ended.err);
      CHECK(has(ended.out, "mlp block="));
      CHECK(has(ended.out, "verified"));
    }
  }

  TEST_CASE("30.14 a kernel that compares nothing is not verified, and one that takes no time is a row of 0") {
    const Workplace place;
    const Ended ended = place.run(kProgram, {"sim", "shift_around", "--over", "0.0.0", "--verify", "--json"});
    CHECK_MESSAGE(ended.exit_code == 0, ended.err);
    const auto row = kernbench::Json::parse(ended.out).at("rows").at(0);
    CHECK(row.at("metrics").at("values_compared") == 0);
    CHECK((!row.contains("flags") || row.at("flags").empty()));
    for (const char* metric : {"time_ns", "mac_util", "imbalance", "array_idle_ns", "busiest_link_util"}) {
      CAPTURE(metric);
      CHECK(row.at("metrics").at(metric) == 0);
    }
    const Ended table = place.run(kProgram, {"sim", "shift_around", "--over", "0.0.0", "--verify"});
    CHECK(has(table.out, "no values compared: the kernel calls no expect"));
    CHECK_FALSE(has(table.out, "verified"));
  }
}

TEST_SUITE("ADR-0064") {
  TEST_CASE("64.3 topology check says how addresses go round, and which strides meet one controller") {
    const Workplace place;
    const auto said = [&place](const std::vector<std::string>& keys) {
      Arguments arguments{"topology", "check"};
      for (const std::string& key : keys) arguments.insert(arguments.end(), {"--set", key});
      const Ended ended = place.run(kProgram, arguments);
      CHECK_MESSAGE(ended.exit_code == 0, ended.err);
      return std::regex_replace(ended.out, std::regex("\\s+"), " ");
    };
    const std::string north = "die.hbm.controllers=north";
    CHECK(has(said({north}),
              " hbm 4 KiB at each of 4 controllers in turn; strides of multiples of 16 KiB meet one of them "));
    CHECK(has(said({north, "die.hbm.hash=true", "die.hbm.interleave=1 KiB"}),
              " hbm 1 KiB at each of 4 controllers, their order by a hash; a stride of 3 KiB meets one of them for 4 "
              "steps "));
    CHECK(has(said({"die.hbm.controllers=0,0"}), " hbm all addresses at one controller "));
    CHECK_FALSE(has(said({}), " hbm "));
  }

  TEST_CASE("64.12 a controller that carries much more than the mean is named, one of private partitions never") {
    const Workplace place;
    const auto ran = [&place](const Arguments& machine) {
      Arguments arguments = gemm_128({"--over", "die", "--variant", "owner_computes", "--json", "result.json"});
      arguments.insert(arguments.end(), machine.begin(), machine.end());
      const Ended ended = place.run(kProgram, arguments);
      CHECK_MESSAGE(ended.exit_code == 0, ended.err);
      return ended.out;
    };
    const auto metrics = [&place] {
      return kernbench::Json::parse(std::ifstream(place.path() / "result.json")).at("rows").at(0).at("metrics");
    };
    const Arguments shared{"--set", "die.hbm.controllers=north"};
    Arguments coarse = shared;  // all of it is at the first of four
    coarse.insert(coarse.end(), {"--set", "die.hbm.interleave=1 MiB"});
    CHECK(has(ran(coarse), "package0.die0.hbm0 (router 0,0) carried 4 times the mean"));
    CHECK(metrics().at("busiest_controller") == "package0.die0.hbm0 (router 0,0)");
    CHECK(metrics().at("busiest_controller_load") == 4);
    CHECK_FALSE(has(ran(shared), " times the mean of"));
    CHECK(metrics().at("busiest_controller_load") < 1.25);
    CHECK_FALSE(has(ran({}), " times the mean of"));
    CHECK_FALSE(metrics().contains("busiest_controller"));
  }
}
