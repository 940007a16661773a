#include "benches/dev/citations.hpp"

#include <algorithm>
#include <iterator>
#include <regex>
#include <sstream>

#include "benches/io/files/write_file.hpp"

namespace kernbench::adr {
namespace {

/// `source` with whole-line comments and raw strings blanked (a fixture in a raw string is no code); line numbers stay.
std::string code_of(std::string_view source) {
  static const std::regex comment(R"((^|\n)[ \t]*//[^\n]*)");
  std::string text = std::regex_replace(std::string(source), comment, "$1");
  const std::string opening = "R\"";
  for (auto at = text.find(opening); at != std::string::npos; at = text.find(opening, at + 1)) {
    const auto parenthesis = text.find_first_of("( )\\\"\n", at + opening.size());
    if (parenthesis == std::string::npos || text[parenthesis] != '(') continue;
    const auto delimiter = text.substr(at + opening.size(), parenthesis - at - opening.size());
    const auto end = std::min(text.find(")" + delimiter + "\"", parenthesis), text.size());
    std::replace_if(
        text.begin() + static_cast<std::ptrdiff_t>(parenthesis), text.begin() + static_cast<std::ptrdiff_t>(end),
        [](char c) { return c != '\n'; }, ' ');
    at = parenthesis;
  }
  return text;
}

/// The clause ids with which a test's name begins.
std::vector<std::string> leading_clauses(const std::string& name) {
  static const std::regex pattern(R"(^(\d+\.\d+)(,\s*|\s|$))");
  std::vector<std::string> clauses;
  std::smatch match;
  auto begin = name.cbegin();
  while (std::regex_search(begin, name.cend(), match, pattern, std::regex_constants::match_continuous)) {
    clauses.push_back(match[1]);
    begin = match.suffix().first;
  }
  return clauses;
}

/// "31_2_31_4_folds" as "31.2 31.4 folds".
std::string with_dots(std::string name) {
  static const std::regex pattern(R"(^((\d+\.\d+ )*)(\d+)_(\d+)_)");
  for (std::smatch match; std::regex_search(name, match, pattern);) {
    name = match.format("$1$3.$4 ") + match.suffix().str();
  }
  return name;
}

/// The number in a suite's name "ADR-0003"; 0 for other suites.
int adr_of_suite(const std::string& suite) {
  static const std::regex pattern(R"(ADR-(\d{4}))");
  std::smatch match;
  return std::regex_match(suite, match, pattern) ? std::stoi(match[1]) : 0;
}

void cite(const std::string& file, int line, int suite, const std::string& name, Citations& into) {
  const auto clauses = leading_clauses(name);
  const std::string own = std::to_string(suite) + ".";
  if (clauses.empty()) {
    into.findings.push_back({file, line,
                             "test case `" + name + "`: expected a name that begins with a clause, " + own +
                                 "M, as its suite is ADR-" + padded(suite)});
  } else if (!clauses.front().starts_with(own)) {
    into.findings.push_back({file, line, "test case `" + name + "` is in the suite ADR-" + padded(suite)});
  }
  for (const auto& clause : clauses) into.citations.push_back({clause, file, line});
}

}  // namespace

void find_citations(const std::string& file, std::string_view source, Citations& into) {
  // A suite ends where its block does: at a brace in the first column, as clang-format sets it.
  static const std::regex pattern(
      R"re(\n\}|\b(TEST_SUITE|TEST_SUITE_BEGIN|TEST_CASE|TEST_CASE_TEMPLATE)\s*\(\s*"([^"]*)"(\s*\*[^{;]*skip)?)re"
      R"re(|\bTEST_CASE_FIXTURE\s*\([^,"]*,\s*"([^"]*)"(\s*\*[^{;]*skip)?|\bTEST_SUITE_END\b)re");
  const std::string text = code_of(source);
  int suite = 0;
  int line = 1;
  auto counted = text.cbegin();
  for (std::sregex_iterator match(text.cbegin(), text.cend(), pattern), end; match != end; ++match) {
    line += static_cast<int>(std::count(counted, (*match)[0].first, '\n'));
    counted = (*match)[0].first;
    const std::string macro = (*match)[1];
    if (macro.starts_with("TEST_SUITE")) {
      suite = adr_of_suite((*match)[2]);
    } else if (macro.empty() && !(*match)[4].matched) {
      suite = 0;
    } else if (suite != 0) {
      const bool fixture = (*match)[4].matched;
      cite(file, line, suite, (*match)[fixture ? 4 : 2], into);
      if ((*match)[fixture ? 5 : 3].matched) {
        into.findings.push_back({file, line, "a skipped test case confirms nothing"});
      }
    }
  }
}

void find_python_citations(const std::string& file, std::string_view source, Citations& into) {
  // A class that is no record's ends a suite; what stands between a decorator and its method may be other decorators.
  static const std::regex pattern(R"re(^class\s+(\w+)|^\s+def\s+test_(\w+)|^\s*@(\w+\.)*(skip\w*))re");
  static const std::regex record(R"(Adr(\d{4}))");
  std::istringstream lines{std::string(source)};
  int suite = 0;
  bool skipped = false;
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    std::smatch match;
    if (!std::regex_search(line, match, pattern)) continue;
    if (match[1].matched) {
      const std::string name = match[1];
      std::smatch found;
      suite = std::regex_match(name, found, record) ? std::stoi(found[1]) : 0;
      if (skipped && suite != 0) into.findings.push_back({file, number, "a skipped test case confirms nothing"});
    } else if (match[2].matched && suite != 0) {
      cite(file, number, suite, with_dots(match[2]), into);
      if (skipped) into.findings.push_back({file, number, "a skipped test case confirms nothing"});
    }
    skipped = match[4].matched;
  }
}

Citations read_citations(const std::filesystem::path& root) {
  std::vector<std::string> files;
  if (std::filesystem::is_directory(root / "tests")) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root / "tests")) {
      const std::string name = entry.path().filename().string();
      if (!name.ends_with("_test.cpp") && !name.ends_with("_test.py")) continue;
      files.push_back(entry.path().lexically_relative(root).generic_string());
    }
  }
  std::ranges::sort(files);
  Citations all;
  for (const auto& file : files) {
    const auto find = file.ends_with(".py") ? find_python_citations : find_citations;
    find(file, read_file(root / file), all);
  }
  return all;
}

}  // namespace kernbench::adr
