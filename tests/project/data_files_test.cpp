// What is committed as data is for everybody: it names no folder of the machine that made it.
#include <doctest/doctest.h>

#include <array>
#include <cctype>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "benches/traces/events/byte_source.hpp"
#include "tests/project/sources.hpp"

namespace fs = std::filesystem;

namespace {

/// The absolute paths in `text`: what begins with a slash, or with ~ and one, where a word does. Links of pages have
/// their slashes elsewhere, units and fractions after a letter or a digit.
std::vector<std::string> absolute_paths(std::string_view text) {
  constexpr std::string_view kBefore = " \t\n\"'`=:,;([{>";
  constexpr std::string_view kAfter = " \t\n\"'`,;)]}<\\";
  std::vector<std::string> paths;
  for (std::size_t at = text.find('/'); at != std::string_view::npos; at = text.find('/', at + 1)) {
    const std::size_t begin = at > 0 && text[at - 1] == '~' ? at - 1 : at;
    if (begin > 0 && kBefore.find(text[begin - 1]) == std::string_view::npos) continue;
    if (at + 1 == text.size() || (std::isalpha(static_cast<unsigned char>(text[at + 1])) == 0 && begin == at)) continue;
    paths.emplace_back(text.substr(begin, text.find_first_of(kAfter, at) - begin));
  }
  return paths;
}

std::string decompressed(const fs::path& file) {
  const auto source = kernbench::traces::open_bytes(file);
  std::string text;
  std::array<char, 1 << 16> buffer{};
  while (const std::size_t read = source->read(buffer.data(), buffer.size())) text.append(buffer.data(), read);
  return text;
}

/// Measurements, results with their figures, and machines.
std::vector<fs::path> data_files() {
  std::vector<fs::path> folders{kernbench::project::root() / "topology", kernbench::project::root() / "docs/figures",
                                kernbench::project::root() / "benches/reference"};
  for (const auto& bench : fs::directory_iterator(kernbench::project::root() / "benches")) {
    if (fs::exists(bench.path() / "results/results.json")) folders.push_back(bench.path() / "results");
  }
  std::vector<fs::path> files;
  for (const fs::path& folder : folders) {
    for (const auto& entry : fs::recursive_directory_iterator(folder)) {
      if (entry.is_regular_file()) files.push_back(entry.path());
    }
  }
  return files;
}

}  // namespace

TEST_SUITE("ADR-0012") {
  TEST_CASE("12.15 no committed data name a folder of the machine that made them") {
    CHECK(absolute_paths("run --out /tmp/full --only a/b; \"/home/me\",~/out --set=/x 3 GB/s 1 / 2 m/k/n") ==
          std::vector<std::string>{"/tmp/full", "/home/me", "~/out", "/x"});
    CHECK(absolute_paths("<a href=\"https://example.org/a\">a</a> <path d=\"M0,0/>").empty());
    std::vector<std::string> found;
    std::size_t compressed = 0;
    for (const fs::path& file : data_files()) {
      compressed += file.extension() == ".gz" ? 1 : 0;
      for (const std::string& path : absolute_paths(decompressed(file))) {
        found.push_back(file.lexically_relative(kernbench::project::root()).string() + ": " + path);
      }
    }
    CHECK(compressed >= 32);
    CHECK_MESSAGE(found.empty(), kernbench::project::joined(found));
  }
}
