// What the commands say of a machine whose memory a foreign model simulates.
#include <doctest/doctest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "benches/results/rows/store.hpp"
#include "tests/cli/program.hpp"

namespace {

constexpr const char* kNoBound = "no exact bound: die.hbm.model is tlm_simple";

std::vector<std::string> with_model(std::vector<std::string> arguments, const std::string& model = "tlm_simple") {
  arguments.insert(arguments.end(), {"--set", "die.hbm.model=" + model});
  return arguments;
}

}  // namespace

TEST_SUITE("ADR-0029") {
  TEST_CASE("29.4 sim gemm says that there is no exact bound, and gives none") {
    const Workplace place;
    const std::vector<std::string> gemm{"sim", "gemm", "--m", "64", "--k", "64", "--n", "64", "--json", "gemm.json"};
    std::vector<std::string> one = gemm;
    one.insert(one.end(), {"--variant", "ref_ref", "--verify"});
    const Ended alone = place.run(kProgram, with_model(one));
    CHECK(alone.exit_code == 0);
    CHECK(has(alone.out, std::string("bound by    ") + kNoBound + "\n"));
    CHECK_FALSE(has(alone.out, "closed-form bound"));
    CHECK_FALSE(has(alone.out, "above the bound"));
    CHECK_FALSE(has(alone.out, "HBM channels"));
    CHECK(has(alone.out, "verified"));
    const auto rows = kernbench::read_results(place.path() / "gemm.json").rows;
    CHECK(rows.at(0).metrics.json().contains("time_ns"));
    CHECK_FALSE(rows.at(0).metrics.json().contains("bound_ns"));
    CHECK_FALSE(rows.at(0).metrics.json().contains("hbm_busy_ns"));
    std::vector<std::string> each = gemm;
    each.insert(each.end(), {"--variant", "all"});
    const Ended all = place.run(kProgram, with_model(each));
    CHECK(all.exit_code == 0);
    CHECK(has(all.err, std::string("note: ") + kNoBound + "\n"));
    const Ended own = place.run(kProgram, with_model(one, "pseudo_channels"));
    CHECK(has(own.out, "closed-form bound"));
    CHECK_FALSE(has(own.out, "no exact bound"));
  }

  TEST_CASE("29.4 the GEMM milestone has no theory, and says why") {
    const Workplace place;
    const Ended run = place.run(
        kProgram, with_model({"run", "--bench", "milestone-1h-gemm", "--only", "shape=32x64x32", "--out", "out"}));
    CHECK(run.exit_code == 0);
    CHECK(has(run.out, std::string("\n") + kNoBound + "\n  32x64x32 ref_ref, "));
    const std::filesystem::path folder = place.path() / "out" / "milestone-1h-gemm";
    CHECK(kernbench::read_results(folder / "results.json").rows.at(0).status == "ok");
    CHECK(kernbench::read_results(folder / "theory.json").rows.at(0).status == "skipped");
    CHECK_FALSE(std::filesystem::exists(folder / "figures" / "bound_vs_simulated.svg"));
    CHECK_FALSE(std::filesystem::exists(folder / "figures" / "roofline.svg"));
    CHECK(std::filesystem::exists(folder / "figures" / "mac_utilisation_simulated.svg"));
  }

  TEST_CASE("29.4 probes of an HBM have no closed form, those of an SRAM keep theirs") {
    const Workplace place;
    const Ended probe = place.run(kProgram, with_model({"probe", "--only", "own-hbm-read,sram-read,contend-2", "--hops",
                                                        "--json", "probe.json"}));
    CHECK(probe.exit_code == 0);
    CHECK(has(probe.out, kNoBound));
    const auto rows = kernbench::read_results(place.path() / "probe.json").rows;
    for (const kernbench::Row& row : rows) {
      if (!row.point.contains("probe") || row.point.contains("hop")) continue;
      const bool in_sram = row.point.at("probe") == "sram-read";
      CAPTURE(row.point.dump());
      CHECK(row.metrics.json().at("closed_form") == (in_sram ? "exact" : "none"));
      CHECK(row.metrics.json().contains("closed_form_ns") == in_sram);
      CHECK(row.metrics.json().contains("utilisation") == in_sram);
      CHECK(row.metrics.json().contains("time_ns"));
    }
  }

  TEST_CASE("29.1 a model that there is not is wrong input, told with its place") {
    const Workplace place;
    for (const std::vector<std::string>& command :
         {std::vector<std::string>{"topology", "check"}, {"topology", "show"}}) {
      const Ended ended = place.run(kProgram, with_model(command, "tlm_simpl"));
      CHECK(ended.exit_code == 2);
      CHECK(has(ended.err,
                "--set die.hbm.model=tlm_simpl: die.hbm.model: unknown memory model 'tlm_simpl': did you mean "
                "'tlm_simple'? There are: pseudo_channels, tlm_simple\n"));
    }
    CHECK(has(place.run(kProgram, with_model({"topology", "show"})).out,
              "hbm.model                        tlm_simple\n"));
  }
}
