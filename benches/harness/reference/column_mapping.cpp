// Terms are cut at the commas that begin one, then taken apart from the right.
#include "benches/harness/reference/column_mapping.hpp"

#include <charconv>
#include <regex>

#include "sim/base/errors.hpp"
#include "sim/base/text.hpp"

namespace kernbench {
namespace {

/// "NAME=REST" terms; a comma inside REST stays unless a name and = follow it.
std::vector<std::pair<std::string, std::string>> terms(const std::string& text, const std::string& option,
                                                       const std::string& form) {
  static const std::regex comma(R"(,(?=[a-z][a-z0-9_/]*=))");
  static const std::regex term(R"(([a-z][a-z0-9_/]*)=([\s\S]+))");
  std::vector<std::pair<std::string, std::string>> found;
  if (text.empty()) return found;
  for (std::sregex_token_iterator at(text.begin(), text.end(), comma, -1), end; at != end; ++at) {
    const std::string part = *at;
    std::smatch pieces;
    if (!std::regex_match(part, pieces, term)) {
      throw ConfigError(option + ": expected " + form + ", got \"" + part + "\"");
    }
    found.emplace_back(pieces[1], pieces[2]);
  }
  return found;
}

/// Takes "*1000" off the end of `column`; 1 where there is none.
double take_factor(std::string& column) {
  const std::size_t star = column.rfind('*');
  if (star == std::string::npos) return 1;
  double factor = 0;
  const char* end = column.data() + column.size();
  const auto [last, error] = std::from_chars(column.data() + star + 1, end, factor);
  if (error != std::errc() || last != end) return 1;  // a star of their own
  if (!(factor > 0)) throw ConfigError("--columns: expected a factor above 0, got \"" + column.substr(star + 1) + "\"");
  column.resize(star);
  return factor;
}

/// Takes "[unit]" off the end of `column`.
std::string take_unit(std::string& column) {
  const std::size_t open = column.rfind('[');
  if (open == std::string::npos || !column.ends_with(']')) return "";
  std::string unit = column.substr(open + 1, column.size() - open - 2);
  column.resize(open);
  return unit;
}

}  // namespace

std::vector<ColumnMapping> parse_column_mappings(const std::string& text) {
  const std::string form = "our_name=Their Name[unit]*factor, like time_ns=time (us)*1000";
  std::vector<ColumnMapping> mappings;
  for (const auto& [names, column] : terms(text, "--columns", form)) {
    ColumnMapping mapping{split(names, "/"), column, "", 1};
    mapping.factor = take_factor(mapping.column);
    mapping.unit = take_unit(mapping.column);
    if (mapping.names.size() > 1 && mapping.unit.empty()) {
      throw ConfigError("--columns: " + names +
                        " are several numbers of a cell: expected what lies between them, like " + names + "=" +
                        column + "[x]");
    }
    mappings.push_back(std::move(mapping));
  }
  return mappings;
}

std::vector<std::pair<std::string, std::string>> parse_fixed_values(const std::string& text) {
  return terms(text, "--with", "name=value, like collective=all_reduce");
}

}  // namespace kernbench
