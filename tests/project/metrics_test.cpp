// Metrics are constants: declared once, and nowhere looked up by a word.
#include <doctest/doctest.h>

#include <map>
#include <regex>
#include <string>
#include <vector>

#include "tests/project/sources.hpp"

using kernbench::project::joined;
using kernbench::project::line_at;
using kernbench::project::SourceFile;

namespace {

std::string place(const SourceFile& file, const std::smatch& match) {
  return file.path + ":" + std::to_string(line_at(file.text, static_cast<std::size_t>(match.position()))) + ": ";
}

/// Every use of a metric by a word: of a row's metrics, of their untyped view, of what figures look up, or as a
/// constant without a name.
std::vector<std::string> words(const SourceFile& file) {
  static const std::regex kWord(R"re(\bmetrics(?:\.json\(\))?\s*(?:\[|\.(?:at|contains|find|value|erase)\()\s*"\w+")re"
                                R"re(|\bmetric\([^()"]*,\s*"\w+"\))re"
                                R"re(|\bMetric<[^<>;]*>\s*\{\s*"\w+"\s*\})re"
                                R"re(|\bmetrics\s*=\s*\{\{\s*")re");
  std::vector<std::string> found;
  for (std::sregex_iterator match(file.text.begin(), file.text.end(), kWord), end; match != end; ++match) {
    found.push_back(place(file, *match) + "a metric is a constant: " + match->str());
  }
  return found;
}

/// Constants of a name and type that a room has already, or a folder has twice.
std::vector<std::string> repeated(const std::vector<SourceFile>& files) {
  static const std::regex kConstant(R"(\bMetric<([\w:]+)> k\w+(\{"\w+"\});)");
  std::map<std::string, std::map<std::string, std::string>> folders;  // metric -> folder -> where first
  std::vector<std::string> found;
  for (const bool shared : {true, false}) {
    for (const SourceFile& file : files) {
      const bool of_rows = file.path.starts_with("benches/results/rows/") && file.path.ends_with("_metrics.hpp");
      if (of_rows != shared) continue;
      const std::string folder = shared ? "" : file.path.substr(0, file.path.find('/', sizeof "benches/"));
      for (std::sregex_iterator match(file.text.begin(), file.text.end(), kConstant), end; match != end; ++match) {
        auto& known = folders[(*match)[1].str() + (*match)[2].str()];
        const auto other = known.contains("") ? known.find("") : known.find(folder);
        if (other != known.end()) {
          found.push_back(place(file, *match) + match->str() + " is declared in " + other->second);
        } else {
          known[folder] = file.path;
        }
      }
    }
  }
  return found;
}

std::vector<SourceFile> of_benches() {
  std::vector<SourceFile> files;
  for (SourceFile& file : kernbench::project::sources({".hpp", ".cpp", ".cu"})) {
    if (file.path.starts_with("benches/") && !file.path.starts_with("benches/traces/"))
      files.push_back(std::move(file));
  }
  return files;
}

bool looked_up(const std::string& text) { return !words({"benches/a.cpp", text}).empty(); }

}  // namespace

TEST_SUITE("ADR-0009") {
  TEST_CASE("9.14 no metric is looked up by a word") {
    const std::vector<SourceFile> files = of_benches();
    REQUIRE(files.size() > 300);
    std::vector<std::string> found;
    for (const SourceFile& file : files) {
      const auto here = words(file);
      found.insert(found.end(), here.begin(), here.end());
    }
    CHECK_MESSAGE(found.empty(), joined(found));
  }

  TEST_CASE("9.14 a metric is declared once") {
    const auto found = repeated(of_benches());
    CHECK_MESSAGE(found.empty(), joined(found));
  }

  TEST_CASE("9.14 words are found however they are looked up") {
    CHECK(looked_up("row.metrics[\"time_ns\"] = 1;"));
    CHECK(looked_up("return row->metrics.at(\n    \"time_ns\").get<double>();"));
    CHECK(looked_up("row.metrics.json().contains(\"time_ns\")"));
    CHECK(looked_up("record[\"ns\"] = metric(&row, \"time_ns\");"));
    CHECK(looked_up("row.metrics.set(Metric<double>{\"time_ns\"}, 1);"));
    CHECK(looked_up("row.metrics = {{\"time_ns\", 1}};"));
    CHECK_FALSE(looked_up("inline constexpr Metric<double> kTime{\"time_ns\"};"));
    CHECK_FALSE(looked_up("row.metrics = {{kTime, 1}};"));
    CHECK_FALSE(looked_up("row.metrics.json().at(column.metric)"));
    CHECK_FALSE(looked_up("row.metrics.set(kState, \"burst\");"));
    CHECK_FALSE(looked_up("json.at(\"metrics\").at(0)"));
  }

  TEST_CASE("9.14 a second constant is named with the first") {
    const SourceFile shared{"benches/results/rows/run_metrics.hpp", "Metric<double> kTime{\"time_ns\"};\n"};
    const SourceFile other{"benches/one/point.cpp", "\nconstexpr Metric<double> kTimeOfIt{\"time_ns\"};\n"};
    const SourceFile own{"benches/one/point.cpp", "Metric<double> kGap{\"gap_ns\"};\n"};
    CHECK(joined(repeated({other, shared})) ==
          "benches/one/point.cpp:2: Metric<double> kTimeOfIt{\"time_ns\"}; is declared in "
          "benches/results/rows/run_metrics.hpp\n");
    CHECK(repeated({own, {"benches/one/report.cpp", own.text}}).size() == 1);
    CHECK(repeated({own, {"benches/two/point.cpp", own.text}}).empty());
  }
}
