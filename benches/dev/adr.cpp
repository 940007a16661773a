#include "benches/dev/adr.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <iterator>
#include <regex>
#include <sstream>

#include "benches/io/files/write_file.hpp"
#include "sim/base/errors.hpp"

namespace kernbench::adr {
namespace {

constexpr std::array<std::string_view, 4> kSections{"Context", "Decision", "Consequences", "Confirmation"};

constexpr int kMostWords = 150;  // 12.17

/// What stands between blanks.
int words_in(const std::string& line) {
  std::istringstream words(line);
  return static_cast<int>(std::distance(std::istream_iterator<std::string>(words), {}));
}

/// The number at the start of a name such as "0012-decisions.md"; 0 where there is none.
int leading_number(std::string_view name) {
  int number = 0;
  std::from_chars(name.data(), name.data() + name.size(), number);
  return number;
}

/// Reads a record line by line; remembers the section it is in.
class Parser {
 public:
  Parser(std::string file, std::vector<Finding>& findings) : findings_(findings) { record_.file = std::move(file); }

  Record parse(std::string_view text) {
    record_.number = leading_number(std::filesystem::path(record_.file).filename().string());
    while (!text.empty()) {
      const auto end = text.find('\n');
      ++line_;
      take(std::string(text.substr(0, end)));
      text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    }
    check_whole();
    return std::move(record_);
  }

 private:
  void take(const std::string& line) {
    const bool fence = line.starts_with("```");
    if (fence) in_code_ = !in_code_;
    if (fence || in_code_) return;
    if (line_ == 1) return take_title(line);
    if (line.starts_with("Status: ")) return take_status(line.substr(std::string_view("Status: ").size()));
    if (line.starts_with('#')) in_clause_ = false;
    if (line.starts_with("## ")) return sections_.push_back(line.substr(3));
    if (sections_.empty()) return;
    if (sections_.back() == "Decision") take_clause(line);
    if (sections_.back() == "Confirmation") take_confirmation(line);
  }

  void take_title(const std::string& line) {
    static const std::regex pattern(R"(# (\d{4})\. (.+))");
    std::smatch match;
    if (!std::regex_match(line, match, pattern)) return complain("the first line has to be `# NNNN. Title`");
    record_.title = match[2];
    if (match[1] != padded(record_.number)) complain("the title's number differs from the file name's");
  }

  void take_status(const std::string& status) {
    static const std::regex pattern(R"(proposed|accepted|superseded by \d{4})");
    if (!std::regex_match(status, pattern)) {
      complain("status `" + status + "`: expected proposed, accepted or superseded by NNNN");
    }
    record_.status = status;
  }

  void take_clause(const std::string& line) {
    static const std::regex pattern(R"(\*\*(\d+)\.(\d+)\*\* \S.*)");
    static const std::regex looks_numbered(R"(^(- )?\*\*\d)");
    std::smatch match;
    if (!std::regex_match(line, match, pattern)) {
      if (std::regex_search(line, looks_numbered)) complain("a clause has to begin `**N.M** text`");
      if (in_clause_ && !line.starts_with('|')) record_.clauses.back().words += words_in(line);
      return;
    }
    const std::string id = match[1].str() + "." + match[2].str();
    if (match[1] != std::to_string(record_.number)) complain("clause " + id + " does not carry this record's number");
    const auto same = [&](const Clause& clause) { return clause.id == id; };
    if (std::ranges::any_of(record_.clauses, same)) complain("clause " + id + " is there twice");
    record_.clauses.push_back({id, line_, words_in(line) - 1});
    in_clause_ = true;
  }

  void take_confirmation(const std::string& line) {
    static const std::regex pattern(R"(- (\d+\.\d+): (.+))");
    static const std::regex separator(R"(,\s*)");
    std::smatch match;
    if (!std::regex_match(line, match, pattern)) {
      if (line.starts_with("-")) complain("a confirmation has to be `- N.M: tests/folder/file_test.cpp`");
      return;
    }
    const std::string files = match[2];
    std::sregex_token_iterator first(files.begin(), files.end(), separator, -1);
    record_.confirmations.push_back({match[1], {first, std::sregex_token_iterator()}, line_});
  }

  void check_whole() {
    if (record_.status.empty()) complain_at(1, "no line `Status: accepted` (or proposed, superseded by NNNN)");
    if (!std::ranges::equal(sections_, kSections)) {
      complain_at(1, "the sections have to be Context, Decision, Consequences, Confirmation, in this order");
    }
    for (const Clause& clause : record_.clauses) {
      if (clause.words <= kMostWords) continue;
      complain_at(clause.line,
                  "clause " + clause.id + " has " + std::to_string(clause.words) +
                      " words outside of tables and code blocks, at most " + std::to_string(kMostWords) +
                      ": make cases a table and formulas a code block, cut what is no decision, or split it");
    }
  }

  void complain(std::string message) { complain_at(line_, std::move(message)); }
  void complain_at(int line, std::string message) { findings_.push_back({record_.file, line, std::move(message)}); }

  std::vector<Finding>& findings_;
  Record record_;
  std::vector<std::string> sections_;
  int line_ = 0;
  bool in_clause_ = false;
  bool in_code_ = false;
};

}  // namespace

std::string Finding::text() const { return file + ":" + std::to_string(line) + ": " + message; }

std::string padded(int number) {
  const std::string digits = std::to_string(number);
  return std::string(digits.size() < 4 ? 4 - digits.size() : 0, '0') + digits;
}

Record parse_record(const std::string& file, std::string_view text, std::vector<Finding>& findings) {
  return Parser(file, findings).parse(text);
}

Records read_records(const std::filesystem::path& root) {
  if (!std::filesystem::is_directory(root / "adr")) {
    throw ConfigError((root / "adr").string() + ": no such folder; expected the repository that holds the decisions");
  }
  Records all;
  for (const auto& entry : std::filesystem::directory_iterator(root / "adr")) {
    const std::string name = entry.path().filename().string();
    if (entry.path().extension() != ".md" || name == "README.md") continue;
    if (leading_number(name) == 0) {
      all.findings.push_back({"adr/" + name, 1, "the file name has to be NNNN-title.md"});
      continue;
    }
    all.records.push_back(parse_record("adr/" + name, read_file(entry.path()), all.findings));
  }
  std::ranges::sort(all.records, {}, [](const Record& record) { return std::pair(record.number, record.file); });
  return all;
}

}  // namespace kernbench::adr
