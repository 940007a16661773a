#include "benches/measured/reference/allowed_rows.hpp"

#include <algorithm>

#include "benches/io/text/lists.hpp"
#include "benches/io/text/plain_text.hpp"
#include "sim/base/errors.hpp"
#include "sim/base/unknown_name.hpp"

namespace kernbench {
namespace {

std::string field_text(const Row& row, const std::string& field) {
  if (field == "status") return row.status;
  const auto value = row.point.find(field);
  return value == row.point.end() ? "" : plain_text(*value);
}

}  // namespace

AllowedRows::AllowedRows(std::string option, const std::string& only) : option_(std::move(option)) {
  if (only.empty()) return;
  for (const std::string& term : list_items(option_, only)) {
    const std::size_t equals = term.find('=');
    if (equals == std::string::npos) {
      throw ConfigError(option_ + ": expected field=value, got \"" + term + "\"; for example " + option_ +
                        " dtype=bf16");
    }
    values_[term.substr(0, equals)].insert(term.substr(equals + 1));
  }
}

void AllowedRows::require_known(const std::vector<Results>& all) const {
  std::map<std::string, std::set<std::string>> values;
  for (const Results& results : all) {
    for (const Row& row : results.rows) {
      values["status"].insert(row.status);
      for (const auto& [name, value] : row.point.items()) values[name].insert(plain_text(value));
    }
  }
  std::vector<std::string> fields;
  fields.reserve(values.size());
  for (const auto& [name, known] : values) fields.push_back(name);
  for (const auto& [field, wanted] : values_) {
    const auto known = values.find(field);
    if (known == values.end()) refuse_name("field", field, fields, option_);
    for (const std::string& value : wanted) {
      if (known->second.contains(value)) continue;
      const std::vector<std::string> there(known->second.begin(), known->second.end());
      refuse_name("value", value, there, option_ + ": " + field);
    }
  }
}

void AllowedRows::keep(Results& results) const {
  std::erase_if(results.rows, [this](const Row& row) {
    return std::any_of(values_.begin(), values_.end(),
                       [&row](const auto& field) { return !field.second.contains(field_text(row, field.first)); });
  });
}

}  // namespace kernbench
