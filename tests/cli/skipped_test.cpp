// A machine that is too small for some points of a bench runs the others.
#include <doctest/doctest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "benches/results/rows/store.hpp"
#include "tests/cli/program.hpp"

namespace {

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

}  // namespace

TEST_SUITE("ADR-0027") {
  TEST_CASE("27.5 a bench on a machine without room for some operands skips these points, and draws the others") {
    const Workplace place;
    const Ended ended = place.run(kProgram, {"run", "milestone-1h-gemm", "--set", "pe.tcm.capacity=256 KiB"});
    CHECK(ended.exit_code == 0);
    const auto folder = place.path() / "out/milestone-1h-gemm";
    const auto results = kernbench::read_results(folder / "results.json");
    std::size_t skipped = 0;
    for (const auto& row : results.rows) {
      if (row.status == "ok") continue;
      ++skipped;
      CHECK(row.status == "skipped");
      CHECK(row.reason.find("do not fit the TCM") != std::string::npos);
      CHECK(row.point["variant"] != "ref_ref");
    }
    CHECK(results.rows.size() == 32);
    CHECK(skipped >= 2);
    CHECK(count(ended.out, "skipped: the operands do not fit the TCM") <= skipped);
    CHECK(ended.err.find("error") == std::string::npos);
    CHECK(ended.err.find("512x512x512 load_load  skipped") != std::string::npos);
    CHECK(widest_line(ended.out) <= 80);
    CHECK_FALSE(std::filesystem::exists(folder / "partial.jsonl"));
    CHECK(std::filesystem::file_size(folder / "index.html") > 1'000'000);
    CHECK(std::filesystem::exists(folder / "figures/mac_utilisation_simulated.svg"));
  }

  TEST_CASE("27.5 the same asked for by name, in a list too, is refused; among all variants it is a row that says so") {
    const Workplace place;
    const std::vector<std::string> gemm{"sim", "gemm", "--m", "256",   "--k",
                                        "256", "--n",  "256", "--set", "pe.tcm.capacity=128 KiB"};
    auto named = gemm;
    named.insert(named.end(), {"--variant", "load_load"});
    const Ended refused = place.run(kProgram, named);
    CHECK(refused.exit_code == 2);
    CHECK(refused.err.find("do not fit the TCM") != std::string::npos);
    auto listed = gemm;
    listed.insert(listed.end(), {"--variant", "ref_ref,load_load"});
    CHECK(place.run(kProgram, listed).exit_code == 2);
    auto all = gemm;
    all.insert(all.end(), {"--variant", "all"});
    const Ended compared = place.run(kProgram, all);
    CHECK(compared.exit_code == 0);
    CHECK(compared.out.find("skipped: the operands do") != std::string::npos);
    const Ended none =
        place.run(kProgram, {"sim", "gemm", "--m", "1000000", "--k", "1000000", "--n", "1000000", "--variant", "all"});
    CHECK(none.exit_code == 2);
    CHECK_MESSAGE(none.err.find("bytes are missing") != std::string::npos, none.err);
  }
}
