// Terms are cut at the commas that begin one, then taken apart from the right.
#include "benches/measured/reference/column_mapping.hpp"

#include <algorithm>
#include <optional>
#include <string_view>

#include "benches/io/text/read_number.hpp"
#include "sim/base/errors.hpp"
#include "sim/base/shown_text.hpp"
#include "sim/base/text.hpp"

namespace kernbench {
namespace {

constexpr std::size_t kLongestShown = 80;

/// Length of the "name=" at the beginning of `text`, of a name as ours are; 0 where there is none.
std::size_t length_of_name(std::string_view text) {
  const std::size_t name = std::min(text.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_/"), text.size());
  const bool begins = name > 0 && text[0] >= 'a' && text[0] <= 'z';
  return begins && name < text.size() && text[name] == '=' ? name + 1 : 0;
}

/// "NAME=REST" terms; a comma inside REST stays unless a name and = follow it.
std::vector<std::pair<std::string, std::string>> terms(std::string_view text, const std::string& option,
                                                       const std::string& form) {
  std::vector<std::pair<std::string, std::string>> found;
  while (!text.empty()) {
    std::size_t end = text.find(',');
    while (end != std::string_view::npos && length_of_name(text.substr(end + 1)) == 0) end = text.find(',', end + 1);
    const std::string_view term = text.substr(0, end);
    const std::size_t name = length_of_name(term);
    if (name == 0 || name == term.size()) {
      throw ConfigError(option + ": expected " + form + ", got \"" + shortened(term, kLongestShown) + "\"");
    }
    found.emplace_back(term.substr(0, name - 1), term.substr(name));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return found;
}

/// Takes "*1000" off the end of `column`; 1 where there is none.
double take_factor(std::string& column) {
  const std::size_t star = column.rfind('*');
  if (star == std::string::npos) return 1;
  const std::optional<double> factor = read_number(std::string_view(column).substr(star + 1));
  if (!factor) return 1;  // a star of their own
  if (*factor <= 0) throw ConfigError("--columns: expected a factor above 0, got \"" + column.substr(star + 1) + "\"");
  column.resize(star);
  return *factor;
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
