// What has to be compiled before a new user sees a figure (scripts/cmake/first_command.cmake) stays little: an include
// that brings half of the program into `kernbench run milestone-1h-gemm` is red here.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "sim/base/read_file.hpp"
#include "tests/project/sources.hpp"

namespace {

namespace fs = std::filesystem;

/// What each compilation of kernbench-first reads, as ninja would run them.
std::vector<std::string> units() {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> commands(
      ::popen("ninja -C '" KERNBENCH_BUILD_DIR "' -t commands kernbench-first", "r"), ::pclose);
  REQUIRE(commands != nullptr);
  std::string text;
  std::array<char, 4096> part{};
  while (const std::size_t bytes = std::fread(part.data(), 1, part.size(), commands.get()))
    text.append(part.data(), bytes);
  std::vector<std::string> found;
  const std::string option = " -c ";
  for (std::size_t at = text.find(option); at != std::string::npos; at = text.find(option, at)) {
    at += option.size();
    found.push_back(text.substr(at, text.find_first_of(" \n", at) - at));
  }
  return found;
}

std::size_t lines_of(const fs::path& file) {
  const std::string text = kernbench::read_file(file);
  return static_cast<std::size_t>(std::ranges::count(text, '\n'));
}

/// Those of the sources that it includes, where it is a unit of several.
std::size_t lines_of_unit(const fs::path& unit) {
  if (unit.string().find("/unity/") == std::string::npos) return lines_of(unit);
  std::ifstream in(unit);
  std::size_t lines = 0;
  for (std::string line; std::getline(in, line);) {
    const std::size_t from = line.find('"') + 1;
    lines += lines_of(kernbench::project::root() / line.substr(from, line.rfind('"') - from));
  }
  return lines;
}

}  // namespace

TEST_CASE("the first command needs 50 compilations at most, none of more than 3,000 lines") {
  const std::vector<std::string> all = units();
  CHECK(all.size() > 20);
  CHECK(all.size() <= 50);
  for (const std::string& unit : all) {
    CAPTURE(unit);
    CHECK(lines_of_unit(unit) <= 3000);
  }
}
