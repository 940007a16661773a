// The repository is in order: known entries at the top, short files, nothing unfinished, links that lead somewhere.
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "benches/io/files/write_file.hpp"
#include "sim/base/read_file.hpp"
#include "tests/project/links.hpp"
#include "tests/project/sources.hpp"

namespace fs = std::filesystem;
using kernbench::project::joined;
using kernbench::project::root;
using kernbench::project::sources;

namespace {

/// Where `text` says that it is unfinished, as "path:line: mark". The marks are spelt apart so as not to find this
/// file.
std::vector<std::string> unfinished(const kernbench::project::SourceFile& file) {
  static const std::regex mark(
      "\\b(TO"
      "DO|FIX"
      "ME|X"
      "XX|HA"
      "CK)\\b");
  std::vector<std::string> places;
  for (std::sregex_iterator match(file.text.begin(), file.text.end(), mark), end; match != end; ++match) {
    const int line = kernbench::project::line_at(file.text, static_cast<std::size_t>(match->position()));
    places.push_back(file.path + ":" + std::to_string(line) + ": " + match->str());
  }
  return places;
}

/// Types and aliases that `header` defines at the left margin, with the namespace of its first `namespace` line.
std::vector<std::string> types_of(const kernbench::project::SourceFile& header) {
  static const std::regex space("(^|\n)namespace ([a-z_:]+) \\{");
  static const std::regex type(
      "(^|\n)(?:(?:struct|class|enum class) ([A-Za-z0-9_:]+)[^;\n]*\\{|using ([A-Za-z0-9_]+) =)");
  std::smatch found;
  const std::string where = std::regex_search(header.text, found, space) ? found[2].str() + "::" : "";
  std::vector<std::string> types;
  for (std::sregex_iterator match(header.text.begin(), header.text.end(), type), end; match != end; ++match) {
    types.push_back(where + (*match)[2].str() + (*match)[3].str());
  }
  return types;
}

}  // namespace

TEST_SUITE("ADR-0012") {
  TEST_CASE("12.5 the top level holds exactly what is agreed") {
    const std::set<std::string> agreed{
        "CMakeLists.txt", "CMakePresets.json", "LICENSE", "README.md", "adr",     "benches",
        "docs",           "scripts",           "sim",     "tests",     "topology"};
    std::vector<std::string> strangers;
    std::ranges::set_symmetric_difference(kernbench::project::top_level(), agreed, std::back_inserter(strangers));
    CHECK_MESSAGE(strangers.empty(), "missing or not agreed:\n" << joined(strangers));
    for (const auto& entry : fs::directory_iterator(root() / "topology")) {
      const std::string name = entry.path().filename().string();
      CHECK_MESSAGE((name.ends_with(".yaml") || name.ends_with("_fitted_to.csv")), name);
    }
  }

  TEST_CASE("12.6 no source is longer than 400 lines") {
    for (const auto& file : sources({".cpp", ".hpp"})) {
      CHECK_MESSAGE(std::ranges::count(file.text, '\n') <= 400, file.path);
    }
  }

  TEST_CASE("12.11 no two headers define a type of one name") {
    std::map<std::string, std::string> defined_in;
    std::vector<std::string> twice;
    for (const auto& header : sources({".hpp"})) {
      if (header.path.starts_with("tests/")) continue;
      for (const std::string& type : types_of(header)) {
        const auto [known, is_new] = defined_in.emplace(type, header.path);
        if (!is_new) twice.push_back(type + " is defined in " + known->second + " and in " + header.path);
      }
    }
    CHECK(defined_in.size() > 100);
    CHECK_MESSAGE(twice.empty(), joined(twice));
  }

  TEST_CASE("12.12 nearest names are looked for in one place") {
    std::vector<std::string> places;
    for (const auto& file : sources({".cpp", ".hpp"})) {
      const bool allowed = file.path.starts_with("sim/base/") || file.path.starts_with("sim/machine/") ||
                           file.path == "tests/base/nearest_test.cpp" ||
                           file.path == "benches/io/program/mistyped.cpp" || file.path.starts_with("tests/project/");
      if (!allowed && file.text.find("sim/base/nearest.hpp") != std::string::npos) places.push_back(file.path);
    }
    CHECK_MESSAGE(places.empty(), joined(places) << "unknown_name() says it");
  }

  TEST_CASE("12.16 folders of sim, rooms and workloads say what they are for, by files that are there") {
    std::vector<std::string> folders{
        "benches/gemm",     "benches/collective", "benches/concurrent", "benches/operators",  "benches/user_kernels",
        "benches/transfer", "benches/traffic",    "benches/io",         "benches/dev",        "benches/results",
        "benches/measured", "benches/traces",     "benches/workloads",  "benches/experiments"};
    for (const auto& entry : fs::directory_iterator(root() / "sim")) {
      if (entry.is_directory()) folders.push_back("sim/" + entry.path().filename().string());
    }
    const std::regex named("`([a-z_/]+\\.[hc]pp)`");
    for (const std::string& folder : folders) {
      CAPTURE(folder);
      REQUIRE(fs::exists(root() / folder / "README.md"));
      const std::string text = kernbench::read_file(root() / folder / "README.md");
      std::size_t files = 0;
      for (std::sregex_iterator match(text.begin(), text.end(), named), end; match != end; ++match, ++files) {
        const std::string file = (*match)[1].str();
        const bool is_there = fs::exists(root() / folder / file) || fs::exists(root() / folder / "gpu" / file);
        CHECK_MESSAGE(is_there, file);
      }
      CHECK(files > 0);
      CHECK(std::ranges::count(text, '\n') <= 20);
    }
  }

  TEST_CASE("12.7 nothing is marked as unfinished") {
    CHECK(unfinished({"a.cpp",
                      "int a;\n// TO"
                      "DO: more\n"}) == std::vector<std::string>{"a.cpp:2: TO"
                                                                 "DO"});
    std::vector<std::string> places;
    for (const auto& file : sources({".cpp", ".hpp", ".cmake", ".txt", ".yaml", ".md", ".mjs", ".js", ""})) {
      const auto found = unfinished(file);
      places.insert(places.end(), found.begin(), found.end());
    }
    CHECK_MESSAGE(places.empty(), joined(places));
  }

  TEST_CASE("12.8 relative links of all pages lead to a file, and to a heading where they name one") {
    const auto pages = sources({".md"});
    std::vector<std::string> broken;
    for (const auto& page : pages) {
      const auto found = kernbench::project::broken_links(page, root());
      broken.insert(broken.end(), found.begin(), found.end());
    }
    CHECK_MESSAGE(broken.empty(), joined(broken));
  }

  TEST_CASE("12.8 docs/README.md links every page of docs") {
    const std::string index = kernbench::read_file(root() / "docs/README.md");
    for (const auto& page : sources({".md"})) {
      if (!page.path.starts_with("docs/") || page.path == "docs/README.md") continue;
      const std::string target = page.path.substr(std::string("docs/").size());
      CHECK_MESSAGE(index.find("](" + target + ")") != std::string::npos, target);
    }
  }

  TEST_CASE("12.8 a link to nowhere is named with its place") {
    const std::string text = "# A page\n[one](none.md) [two](#a-page) [three](#no-page)\n[web](https://example.org)\n";
    CHECK(kernbench::project::broken_links({"docs/page.md", text}, root()) ==
          std::vector<std::string>{"docs/page.md:2: none.md leads nowhere", "docs/page.md:2: #no-page leads nowhere"});
  }
}
