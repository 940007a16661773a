// The layers hold: dependencies point down only, libraries stay where they belong, headers compile alone.
#include "tests/project/layers.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

using kernbench::project::folder_circles;
using kernbench::project::includes_of;
using kernbench::project::joined;
using kernbench::project::layer_violations;

namespace {

constexpr const char* kRoom = "benches/results/";

/// What is said about one include line of one file.
std::string verdict(const std::string& path, const std::string& include) {
  return joined(layer_violations({path, "// what it is for\n#include " + include + "\n"}));
}

}  // namespace

TEST_SUITE("ADR-0012") {
  TEST_CASE("12.1 dependencies point down only") {
    std::vector<std::string> violations;
    for (const auto& file : kernbench::project::sources({".hpp", ".cpp"})) {
      const auto found = layer_violations(file);
      violations.insert(violations.end(), found.begin(), found.end());
    }
    CHECK_MESSAGE(violations.empty(), joined(violations));
  }

  TEST_CASE("12.1 an include that points up or sideways is named with its place") {
    CHECK(verdict("sim/hw/pe/dma.cpp", "\"sim/system/build.hpp\"") ==
          "sim/hw/pe/dma.cpp:2: includes sim/system/build.hpp: dependencies point down only\n");
    CHECK(verdict("sim/base/units.hpp", "\"benches/results/rows/results.hpp\"") != "");
    CHECK(verdict("benches/one/run.cpp", "\"benches/two/points.hpp\"") != "");
    CHECK(verdict("benches/experiments/run.cpp", "\"benches/one/points.hpp\"") != "");
    CHECK(verdict("sim/engine/queue.hpp", "\"sim/plan/tile_plan.hpp\"") != "");
    CHECK(verdict("sim/hw/pe/dma.cpp", "\"sim/collectives/steps.hpp\"") != "");
    CHECK(verdict("sim/collectives/ring.cpp", "\"sim/engine/queue.hpp\"") != "");
    CHECK(verdict("sim/collectives/ring.cpp", "\"sim/collectives/steps.hpp\"").empty());
    CHECK(verdict("sim/collectives/ring.cpp", "\"sim/plan/collective/algorithm.hpp\"").empty());
    CHECK(verdict("sim/hw/pe/dma.cpp", "\"sim/engine/queue.hpp\"").empty());
    CHECK(verdict("benches/one/run.cpp", "\"benches/one/points.hpp\"").empty());
    CHECK(verdict("benches/cli/main.cpp", "\"benches/one/points.hpp\"").empty());
  }

  TEST_CASE("12.14 the folders of a room, and of the hardware, do not include each other in circles") {
    const auto files = kernbench::project::sources({".hpp", ".cpp"});
    for (const char* parent : {"benches/io/", "benches/results/", "benches/measured/", "benches/traces/",
                               "benches/workloads/", "benches/experiments/", "sim/hw/"}) {
      const auto circles = folder_circles(files, parent);
      CHECK_MESSAGE(circles.empty(), joined(circles));
    }
  }

  TEST_CASE("12.14 a circle is named with the includes that close it") {
    const auto file = [](const std::string& path, const std::string& header) {
      return kernbench::project::SourceFile{"benches/results/" + path, "#include \"benches/results/" + header + "\"\n"};
    };
    CHECK(folder_circles({file("a/x.cpp", "b/y.hpp"), file("b/z.cpp", "c.hpp"), file("a/x.cpp", "a/x.hpp")}, kRoom)
              .empty());
    CHECK(
        joined(
            folder_circles({file("a/x.cpp", "b/y.hpp"), file("b/z.cpp", "c.hpp"), file("c.cpp", "a/w.hpp")}, kRoom)) ==
        "a -> b -> c -> a: benches/results/a/x.cpp includes benches/results/b/y.hpp, benches/results/b/z.cpp includes "
        "benches/results/c.hpp, benches/results/c.cpp includes benches/results/a/w.hpp\n");
    // A circle behind a room that others lead to as well.
    CHECK(folder_circles({file("a/x.cpp", "c/y.hpp"), file("b/x.cpp", "c/y.hpp"), file("c/x.cpp", "d/y.hpp"),
                          file("d/x.cpp", "c/y.hpp")},
                         kRoom)
              .size() == 1);
  }

  TEST_CASE("12.2 each library stays in its layers") {
    CHECK(verdict("sim/hw/pe/dma.cpp", "<yaml-cpp/yaml.h>") != "");
    CHECK(verdict("sim/machine/reader.cpp", "<yaml-cpp/yaml.h>").empty());
    CHECK(verdict("sim/plan/tile_plan.cpp", "<systemc>") != "");
    CHECK(verdict("sim/kernels/load_ref.cpp", "<systemc>") != "");
    CHECK(verdict("sim/hw/pe/dma.cpp", "<systemc>").empty());
    CHECK(verdict("benches/experiments/run.cpp", "<CLI/CLI.hpp>") != "");
    CHECK(verdict("benches/io/program/parse.cpp", "<CLI/CLI.hpp>").empty());
    CHECK(verdict("benches/cli/main.cpp", "<CLI/CLI.hpp>") != "");
    CHECK(verdict("benches/experiments/run.cpp", "<xgboost/c_api.h>") != "");
    CHECK(verdict("benches/measured/predictor/boosted_trees.cpp", "<xgboost/c_api.h>").empty());
  }

  TEST_CASE("12.3 figures do not reach the simulator") {
    CHECK(verdict("benches/results/figures/page.cpp", "\"sim/system/run_result.hpp\"") != "");
    CHECK(verdict("benches/one/figures.cpp", "\"sim/hw/pe/dma.hpp\"") != "");
    CHECK(verdict("benches/one/figures/heat_map.cpp", "\"sim/machine/machine_spec.hpp\"") != "");
    CHECK(verdict("benches/results/figures/page.cpp", "\"sim/base/errors.hpp\"").empty());
    CHECK(verdict("benches/one/figures/bars.cpp", "\"sim/machine/machine_spec.hpp\"") != "");
    CHECK(verdict("benches/one/figures.cpp", "\"sim/base/units.hpp\"").empty());
    CHECK(verdict("benches/results/figures/page.cpp", "\"benches/results/rows/results.hpp\"").empty());
  }

  TEST_CASE("12.4 a source includes its own header first, so that the header compiles alone") {
    for (const auto& file : kernbench::project::sources({".cpp"})) {
      const std::string own = std::filesystem::path(file.path).replace_extension(".hpp").generic_string();
      if (!std::filesystem::exists(kernbench::project::root() / own)) continue;
      const auto includes = includes_of(file);
      const std::string first = includes.empty() ? "nothing" : includes.front().header;
      CHECK_MESSAGE(first == own, file.path << " includes " << first << " before its own header");
    }
  }

  TEST_CASE("12.4 precompiled headers hold nothing of ours") {
    std::ifstream file(kernbench::project::root() / "scripts/cmake/precompiled.cmake");
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    CHECK(text.find("<nlohmann/json.hpp>") != std::string::npos);
    CHECK(text.find("<sim/") == std::string::npos);
    CHECK(text.find("<benches/") == std::string::npos);
    CHECK(text.find(".hpp\"") == std::string::npos);
    CHECK(text.find("PROJECT_SOURCE_DIR") == std::string::npos);
  }
}
