// What a row is about, and how its numbers are named.
#include <algorithm>
#include <array>
#include <string_view>

#include "benches/measured/reference/checked_row.hpp"
#include "sim/base/unknown_name.hpp"

namespace kernbench {
namespace {

constexpr std::array<std::string_view, 13> kUnits{"_ns", "_ms", "_s",   "_gbs", "_gbps",  "_bytes", "_bytes_total",
                                                  "_mb", "_w",  "_mhz", "_c",   "_count", "_tflops"};
constexpr std::array<std::string_view, 7> kWithoutUnit{"peak_fraction", "bound_fraction",  "efficiency",   "error",
                                                       "rerun_spread",  "inference_speed", "power_samples"};

const PointField* find_field(const ReferenceBench& bench, const std::string& name) {
  for (const PointField& field : bench.point) {
    if (field.name == name) return &field;
  }
  return nullptr;
}

void check_field(const CheckedRow& row, const PointField& field, const Json& value) {
  if (field.number) {
    if (!value.is_number_integer() || value.get<std::int64_t>() < 1) {
      row.finding(field.name, "expected a whole number of at least 1, got " + value.dump());
    }
    return;
  }
  if (!value.is_string() || value.get<std::string>().empty()) {
    row.finding(field.name, "expected a text that is not empty, got " + value.dump());
    return;
  }
  const auto text = value.get<std::string>();
  const bool known = std::find(field.values.begin(), field.values.end(), text) != field.values.end();
  if (!field.values.empty() && !known) {
    row.finding(field.name, unknown_name("value", text, field.values));
  }
}

}  // namespace

void check_point(const CheckedRow& row) {
  const ReferenceBench& bench = row.bench();
  std::vector<std::string> names;
  if (!row.measured()) names.emplace_back(kDeviceField);
  for (const PointField& field : bench.point) names.push_back(field.name);
  for (const auto& [name, value] : row.row().point.items()) {
    if (std::find(names.begin(), names.end(), name) == names.end()) {
      row.finding("point", unknown_name("field", name, names));
    } else if (const PointField* field = find_field(bench, name); field != nullptr) {
      check_field(row, *field, value);
    }
  }
  for (const std::string& name : names) {
    const bool needed = row.measured() || name == kDeviceField;
    if (needed && !row.row().point.contains(name)) row.finding(name, "is missing in the point");
  }
  if (!row.measured() && row.row().point.contains(kDeviceField)) {
    check_field(row, {kDeviceField, false, {}}, row.row().point.at(kDeviceField));
  }
}

bool says_unit(const std::string& metric) {
  if (metric == "gbs" || metric.starts_with("tflops")) return true;
  const auto is_end = [&metric](std::string_view unit) {
    return metric.ends_with(unit) && metric.size() > unit.size();
  };
  return std::any_of(kUnits.begin(), kUnits.end(), is_end) ||
         std::find(kWithoutUnit.begin(), kWithoutUnit.end(), metric) != kWithoutUnit.end();
}

void check_units(const CheckedRow& row) {
  for (const auto& [name, value] : row.row().metrics.json().items()) {
    if (says_unit(name)) {
      if (!value.is_number()) row.expected(name, "a number");
    } else if (value.is_number()) {
      row.finding(name, "missing unit: the name of a number ends in its unit, like time_ns or size_bytes");
    } else if (!value.is_string()) {
      row.expected(name, "a number or a text");
    }
  }
}

}  // namespace kernbench
