// Columns to fields and metrics first, then line after line.
#include "benches/measured/reference/published_csv.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <map>
#include <optional>
#include <set>

#include "benches/io/text/csv.hpp"
#include "benches/io/text/read_number.hpp"
#include "benches/measured/reference/checked_row.hpp"
#include "sim/base/errors.hpp"
#include "sim/base/text.hpp"
#include "sim/base/unknown_name.hpp"

namespace kernbench {
namespace {

constexpr std::array<const char*, 7> kTexts{"note", "software", "algorithm", "dtype", "layout", "trace", "measured_at"};

/// What a name of ours stands for in a row.
enum class Target { kPointNumber, kPointText, kMetric, kMetricText, kStatus, kReason, kFlags };

std::optional<Target> target_of(const std::string& name, const ReferenceBench& bench) {
  for (const PointField& field : bench.point) {
    if (field.name == name) return field.number ? Target::kPointNumber : Target::kPointText;
  }
  if (name == kDeviceField) return Target::kPointText;
  if (name == "status") return Target::kStatus;
  if (name == "reason") return Target::kReason;
  if (name == "flags") return Target::kFlags;
  if (says_unit(name)) return Target::kMetric;
  if (std::find(kTexts.begin(), kTexts.end(), name) != kTexts.end()) return Target::kMetricText;
  return std::nullopt;
}

std::vector<std::string> known_names(const ReferenceBench& bench) {
  std::vector<std::string> names{kDeviceField};
  for (const PointField& field : bench.point) names.push_back(field.name);
  names.insert(names.end(), bench.shown.begin(), bench.shown.end());
  for (const char* text : kTexts) {
    if (std::find(names.begin(), names.end(), text) == names.end()) names.emplace_back(text);
  }
  return names;
}

/// A column with what becomes of it.
struct Column {
  std::size_t index = 0;
  ColumnMapping mapping;
};

class TableReader {
 public:
  TableReader(const PublishedTable& table, const ReferenceBench& bench, std::string file)
      : table_(table), bench_(bench), file_(std::move(file)), fixed_(parse_fixed_values(table.with)) {
    for (const auto& [name, value] : fixed_) require_name("--with", name);
    for (const std::string& value : table.values) add_translation(value);
  }

  void read_head(const std::vector<std::string>& head, std::vector<std::string>& unused) {
    std::set<std::string> used;
    std::vector<ColumnMapping> mappings = parse_column_mappings(table_.columns);
    add_own_names(head, mappings);
    for (ColumnMapping& mapping : mappings) {
      const auto found = std::find(head.begin(), head.end(), mapping.column);
      if (found == head.end()) refuse_name("column", mapping.column, head, file_);
      if (std::ranges::count(head, mapping.column) > 1) {
        throw ConfigError(file_ + ": column \"" + mapping.column + "\" is there twice");
      }
      for (const std::string& name : mapping.names) {
        require_name("--columns", name);
        if (std::ranges::any_of(fixed_, [&name](const auto& fixed) { return fixed.first == name; })) {
          throw ConfigError("--with: " + name + ": the table has it, in column \"" + mapping.column + "\"");
        }
      }
      used.insert(mapping.column);
      columns_.push_back({static_cast<std::size_t>(found - head.begin()), std::move(mapping)});
    }
    for (const std::string& name : head) {
      if (!used.contains(name)) unused.push_back(name);
    }
  }

  /// The row of a line; findings where a cell is not what its name wants.
  Row row(const CsvLine& line, std::vector<std::string>& findings) const {
    Row row;
    for (const auto& [name, value] : fixed_) {
      if (!put(row, name, value, 1))
        findings.push_back("--with: " + name + ": expected a number, got \"" + value + "\"");
    }
    for (const Column& column : columns_) {
      if (column.index < line.cells.size()) take_cell(row, column.mapping, line.cells[column.index], line, findings);
    }
    return row;
  }

 private:
  /// Columns that are named as ours and that no mapping takes, or takes the name of.
  void add_own_names(const std::vector<std::string>& head, std::vector<ColumnMapping>& mappings) const {
    const std::size_t mapped = mappings.size();
    for (const std::string& name : head) {
      if (mapped == 0) require_name(file_ + ": column \"" + name + "\"", name);
      const bool is_mapped = std::any_of(mappings.begin(), mappings.begin() + static_cast<std::ptrdiff_t>(mapped),
                                         [&name](const ColumnMapping& mapping) {
                                           return mapping.column == name || std::ranges::count(mapping.names, name) > 0;
                                         });
      if (!is_mapped && target_of(name, bench_)) mappings.push_back({{name}, name, "", 1});
    }
  }

  void require_name(const std::string& where, const std::string& name) const {
    if (target_of(name, bench_)) return;
    throw ConfigError(where + ": " + unknown_name("field or metric of " + bench_.name, name, known_names(bench_)) +
                      ", and every name that ends in its unit (docs/reference.md). Where a table names them "
                      "differently: --columns 'time_ns=Their Name*1000,...'");
  }

  void add_translation(const std::string& value) {
    const std::size_t colon = value.find(':');
    const std::size_t equals = value.rfind('=');
    if (colon == std::string::npos || equals == std::string::npos || equals < colon) {
      throw ConfigError("--value: expected field:their text=our text, got \"" + value + "\"");
    }
    const std::string name = value.substr(0, colon);
    require_name("--value", name);
    translations_[{name, value.substr(colon + 1, equals - colon - 1)}] = value.substr(equals + 1);
  }

  void take_cell(Row& row, const ColumnMapping& mapping, const std::string& cell, const CsvLine& line,
                 std::vector<std::string>& findings) const {
    const bool none = std::find(table_.no_value.begin(), table_.no_value.end(), cell) != table_.no_value.end();
    if (cell.empty() || none) return;
    const auto finding = [&](const std::string& what) {
      findings.push_back(file_ + ":" + std::to_string(line.number) + ": " + mapping.column + ": expected " + what +
                         ", got \"" + cell + "\"");
    };
    std::vector<std::string> parts{cell};
    if (mapping.names.size() > 1) {
      parts = split(cell, mapping.unit);
      if (parts.size() != mapping.names.size()) {
        return finding(std::to_string(mapping.names.size()) + " numbers with " + mapping.unit + " between them");
      }
    } else if (!mapping.unit.empty()) {
      if (!cell.ends_with(mapping.unit)) return finding("a number with " + mapping.unit + " at its end");
      parts[0].resize(cell.size() - mapping.unit.size());
    }
    for (std::size_t i = 0; i < parts.size(); ++i) {
      if (!put(row, mapping.names[i], parts[i], mapping.factor)) return finding("a number");
    }
  }

  /// A number as it stands; whole where it is written so and no factor is applied.
  static std::optional<Json> number(const std::string& text, double factor) {
    const std::optional<double> value = read_number(text);
    if (!value || !std::isfinite(*value * factor)) return std::nullopt;
    const bool whole = text.find_first_not_of("-0123456789") == std::string::npos && text.size() < 18;
    if (whole && factor == 1) return Json(std::stoll(text));
    return Json(*value * factor);
  }

  /// Puts a value where its name says; false where a number is wanted and `text` is none.
  bool put(Row& row, const std::string& name, const std::string& text, double factor) const {
    const auto translation = translations_.find({name, text});
    const std::string& ours = translation == translations_.end() ? text : translation->second;
    switch (*target_of(name, bench_)) {
      case Target::kPointNumber:
      case Target::kMetric: {
        const auto value = number(ours, factor);
        if (!value) return false;
        (*target_of(name, bench_) == Target::kMetric ? row.metrics.json() : row.point)[name] = *value;
        return true;
      }
      case Target::kPointText:
        row.point[name] = ours;
        return true;
      case Target::kMetricText:
        row.metrics.json()[name] = ours;
        return true;
      case Target::kStatus:
        row.status = ours;
        return true;
      case Target::kReason:
        row.reason = ours;
        return true;
      case Target::kFlags:
        for (const std::string& flag : split(ours, ";")) row.flags.push_back(flag);
        return true;
    }
    return false;
  }

  const PublishedTable& table_;
  const ReferenceBench& bench_;
  std::string file_;
  std::vector<std::pair<std::string, std::string>> fixed_;
  std::map<std::pair<std::string, std::string>, std::string> translations_;
  std::vector<Column> columns_;
};

bool has_result(const Row& row, const ReferenceBench& bench) {
  if (row.status != "ok") return true;
  if (bench.published_only) return !row.metrics.json().empty();
  const auto has = [&row](const char* metric) { return row.metrics.json().contains(metric); };
  return std::any_of(kResultMetrics.begin(), kResultMetrics.end(), has);
}

Json imported(const PublishedTable& table, const std::string& file) {
  Json entry{{"file", std::filesystem::path(file).filename().string()}};
  const auto add = [&entry](const char* name, const std::string& text) {
    if (!text.empty()) entry[name] = text;
  };
  add("columns", table.columns);
  add("with", table.with);
  if (!table.values.empty()) entry["values"] = table.values;
  add("citation", table.citation);
  return Json::array({entry});
}

}  // namespace

PublishedRows read_published_csv(const std::string& text, const std::string& file, const PublishedTable& table,
                                 const std::string& created_at) {
  const ReferenceBench* bench = find_reference_bench(table.bench);
  if (bench == nullptr) refuse_name("bench", table.bench, reference_bench_names(), "--bench");
  const std::vector<CsvLine> lines = parse_csv(text, file);
  if (lines.empty()) throw ConfigError(file + ": is empty: expected a line of column names, then a line a row");
  PublishedRows read;
  TableReader reader(table, *bench, file);
  reader.read_head(lines[0].cells, read.unused);
  for (std::size_t i = 1; i < lines.size(); ++i) {
    if (lines[i].cells.size() != lines[0].cells.size()) {
      read.findings.push_back(file + ":" + std::to_string(lines[i].number) + ": expected " +
                              std::to_string(lines[0].cells.size()) + " cells as the first line has, got " +
                              std::to_string(lines[i].cells.size()));
      continue;
    }
    Row row = reader.row(lines[i], read.findings);
    if (has_result(row, *bench)) {
      read.results.rows.push_back(std::move(row));
    } else {
      read.left_out.push_back(file + ":" + std::to_string(lines[i].number) + ": no result");
    }
  }
  read.results.bench = table.bench;
  read.results.source = {"published:" + table.where, "", "", "", "1"};
  read.results.provenance = {{"created_at", created_at}, {"imported", imported(table, file)}};
  return read;
}

}  // namespace kernbench
