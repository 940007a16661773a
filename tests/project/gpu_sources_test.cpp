// kernbench-gpu names the sources that it takes of other layers, and is linked only where CUDA is: none is missing.
#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <vector>

#include "tests/project/layers.hpp"
#include "tests/project/sources.hpp"

using kernbench::project::includes_of;
using kernbench::project::joined;

namespace {

namespace fs = std::filesystem;

/// Relative to the repository.
std::set<std::string> taken() {
  std::ifstream in(KERNBENCH_GPU_SOURCES);
  std::set<std::string> paths;
  for (std::string line; std::getline(in, line);) {
    paths.insert(fs::path(line).lexically_relative(kernbench::project::root()).generic_string());
  }
  return paths;
}

/// Headers that have a source, of which the program calls nothing but what is inline.
const std::set<std::string> kInlineAlone{"sim/plan/collective/algorithm.hpp"};

}  // namespace

TEST_CASE("kernbench-gpu takes the source of every header that one of its sources includes") {
  const std::set<std::string> sources = taken();
  REQUIRE(sources.contains("sim/machine/gpu/load_gpu.cpp"));
  std::vector<std::string> missing;
  for (const auto& file : kernbench::project::sources({".cpp", ".cu"})) {
    const bool own = file.path.starts_with("benches/gpu/");
    if (!own && !sources.contains(file.path)) continue;
    for (const auto& include : includes_of(file)) {
      const fs::path source = fs::path(include.header).replace_extension(".cpp");
      if (include.header.starts_with("benches/gpu/") || kInlineAlone.contains(include.header)) continue;
      if (fs::exists(kernbench::project::root() / source) && !sources.contains(source.generic_string())) {
        missing.push_back(file.path + " includes " + include.header +
                          ": add its source to benches/gpu/lower_layers.cmake, or leave " + file.path + " out there");
      }
    }
  }
  CHECK_MESSAGE(missing.empty(), joined(missing));
}
