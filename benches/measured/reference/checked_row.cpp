// Access to a row's values, and the words for its findings.
#include "benches/measured/reference/checked_row.hpp"

#include <algorithm>

#include "benches/io/text/plain_text.hpp"

namespace kernbench {

bool CheckedRow::has_flag(const std::string& flag) const {
  return std::find(row_.flags.begin(), row_.flags.end(), flag) != row_.flags.end();
}

std::optional<double> CheckedRow::positive(const std::string& metric) const {
  const auto found = row_.metrics.json().find(metric);
  if (found == row_.metrics.json().end() || !found->is_number() || found->get<double>() <= 0) return std::nullopt;
  return found->get<double>();
}

std::optional<double> CheckedRow::point_number(const std::string& field) const {
  const auto found = row_.point.find(field);
  if (found == row_.point.end() || !found->is_number() || found->get<double>() <= 0) return std::nullopt;
  return found->get<double>();
}

std::string CheckedRow::point_text(const std::string& field) const {
  const auto found = row_.point.find(field);
  return found == row_.point.end() || !found->is_string() ? "" : found->get<std::string>();
}

void CheckedRow::finding(const std::string& field, const std::string& text) const {
  findings_.push_back(place_ + ": " + field + ": " + text);
}

void CheckedRow::expected(const std::string& metric, const std::string& what) const {
  const auto value = row_.metrics.json().find(metric);
  finding(metric, "expected " + what + ", got " + (value == row_.metrics.json().end() ? "nothing" : value->dump()));
}

std::string point_in_words(const Json& point) {
  std::string words;
  for (const auto& [name, value] : point.items()) words += (words.empty() ? "" : " ") + name + "=" + plain_text(value);
  return words;
}

}  // namespace kernbench
