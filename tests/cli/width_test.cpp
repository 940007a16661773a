// What fits a terminal of 80 columns, which is also how wide a pipe is.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "benches/io/files/write_file.hpp"
#include "sim/base/source_dir.hpp"
#include "tests/cli/program.hpp"

namespace {

using Words = std::vector<std::string>;

void check_fits(const std::string& program, const Words& words, const Workplace& place = Workplace()) {
  const Ended ended = place.run(program, words);
  CHECK_MESSAGE(widest_line(ended.out) <= 80, ended.out);
  CHECK(!ended.out.empty());
}

}  // namespace

TEST_SUITE("ADR-0027") {
  TEST_CASE("27.3 tables of every command fit 80 columns") {
    check_fits(kProgram, {"list"});
    check_fits(kProgram, {"dev", "adr", "list"});
    check_fits(kProgram, {"reference", "list"});
    for (const char* bench : {"gpu-gemm", "gpu-collectives", "gpu-copy", "gpu-operators"}) {
      check_fits(kProgram, {"reference", "show", "nvidia-h200", bench});
    }
    check_fits(kProgram, {"sim", "gemm", "--m", "64", "--k", "64", "--n", "64"});
    check_fits(kProgram, {"sim", "gemm", "--m", "64", "--k", "64", "--n", "64", "--variant", "load_ref", "--verify"});
    check_fits(kProgram, {"sim", "noc", "--mesh", "4x4", "--rate", "0.1,0.9", "--warm-up", "100", "--measure", "500"});
    check_fits(kProgram, {"sim", "collective", "--algorithm", "all", "--sizes", "1KiB,4KiB,16KiB"});
    check_fits(kProgram, {"sim", "collective", "--sizes", "1KiB", "--scale", "package"});
    check_fits(kProgram, {"probe"});
    check_fits(kProgram, {"probe", "--only", "own-*,other-package-*", "--hops"});
    const Workplace near;  // where the tree lies may be longer than a line
    std::filesystem::copy_file(kernbench::source_dir() + "/topology/milestone_1h.yaml", near.path() / "machine.yaml");
    check_fits(kProgram, {"topology", "check", "machine.yaml"}, near);
    check_fits(kProgram, {"run", "milestone-1h-gemm", "--fast", "--no-figures"});
    check_fits(kProgram, {"run", "milestone-1h-ccl", "--fast", "--no-figures"});
    check_fits(kToy, {"run", "toy-faults", "--timeout", "0.3"});
  }

  TEST_CASE("27.3 --wide has all columns; what is left out is named") {
    const Workplace place;
    const Words collective{"sim", "collective", "--algorithm", "ring,direct,hierarchical", "--sizes", "1KiB,2KiB"};
    const std::string fits = place.run(kProgram, collective).out;
    CHECK(fits.find("(--wide shows also: ") != std::string::npos);
    CHECK(fits.find("busiest link\n") == std::string::npos);
    Words wide = collective;
    wide.emplace_back("--wide");
    const std::string all = place.run(kProgram, wide).out;
    CHECK(all.find("--wide") == std::string::npos);
    CHECK(all.find("busiest link\n") != std::string::npos);
    CHECK(widest_line(all) > 100);
    Workplace broad;
    broad.set("COLUMNS=200");
    CHECK(broad.run(kProgram, collective).out == all);
  }
}
