#include "benches/harness/whatif/key_axes.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

#include "benches/harness/text/lists.hpp"
#include "sim/base/errors.hpp"
#include "sim/base/text.hpp"
#include "sim/machine/key_paths.hpp"
#include "sim/machine/schema.hpp"

namespace kernbench {
namespace {

constexpr std::size_t kMostValues = 1000;  ///< of an axis

/// "die.hbm.bandwidth" and "128..1024*2 GB/s".
struct Assignment {
  std::string key;
  std::string values;
};

Assignment assignment_of(const std::string& option, const std::string& text, const char* expected) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == text.size()) {
    throw ConfigError(option + " " + text + ": expected " + expected);
  }
  return {std::string(trimmed(text.substr(0, equals))), std::string(trimmed(text.substr(equals + 1)))};
}

const MachineKey& key_of(const std::string& option, const std::string& path) {
  if (const MachineKey* key = find_machine_key(path)) return *key;
  if (is_section(path)) throw ConfigError(option + ": " + path + " is a section: expected one of " + names_in(path));
  std::string near = nearest_sibling(section_of(path), path.substr(path.rfind('.') + 1));
  if (near.empty()) near = nearest_elsewhere(path);
  throw ConfigError(option + ": there is no key " + path + " of a machine" +
                    (near.empty() ? "" : "; did you mean " + near + "?"));
}

/// As a machine file has it, if the key can have that value.
std::string checked(const std::string& option, const MachineKey& key, const std::string& text) {
  MachineSpec any;
  try {
    read_value(key, text, any);
  } catch (const ConfigError& error) {
    throw ConfigError(option + ": " + std::string(key.path) + ": " + error.what());
  }
  return written_value(key, any);
}

/// "128..1024*2 GB/s" in its parts; nothing for a text that is no range.
struct Range {
  std::string from;
  std::string to;
  char by = ' ';  ///< '*', '+', or neither
  std::string step{};
};

/// "1024 GB/s": where its unit begins.
std::size_t end_of_number(const std::string& text) {
  return std::min(text.size(), text.find_first_not_of("0123456789. "));
}

std::optional<Range> range_of(const std::string& text) {
  const std::size_t dots = text.find("..");
  if (dots == std::string::npos) return std::nullopt;
  const std::string from = text.substr(0, dots);
  const std::string rest = text.substr(dots + 2);
  const std::size_t by = rest.find_first_of("*+");
  const std::string last = by == std::string::npos ? rest : rest.substr(by + 1);
  const std::size_t end = end_of_number(last);
  const std::string unit = end == last.size() ? "" : " " + last.substr(end);
  const auto with_unit = [&](const std::string& value) { return std::string(trimmed(value)) + unit; };
  if (by == std::string::npos) return Range{with_unit(from), with_unit(last.substr(0, end))};
  const std::string step(trimmed(last.substr(0, end)));
  return Range{with_unit(from), with_unit(rest.substr(0, by)), rest[by], rest[by] == '+' ? with_unit(step) : step};
}

constexpr double kEighthOfAnOctave = 1.0905077326652577;  ///< 2^(1/8)
constexpr std::int64_t kFewCounts = 64;

std::int64_t to_three_digits(double value) {
  const double last = std::pow(10, std::max(0.0, std::floor(std::log10(value)) - 2));
  return std::llround(std::round(value / last) * last);
}

/// From `from` to `to`, both among them: every whole number of a short range of counts, else eight an octave, each
/// rounded to three digits.
std::vector<std::int64_t> between(std::int64_t from, std::int64_t to, Dimension dimension) {
  std::vector<std::int64_t> values;
  if (dimension == Dimension::kCount && to - from < kFewCounts) {
    for (std::int64_t value = from; value <= to; ++value) values.push_back(value);
    return values;
  }
  values.push_back(from);
  for (double value = static_cast<double>(from) * kEighthOfAnOctave; to_three_digits(value) < to;
       value *= kEighthOfAnOctave) {
    if (to_three_digits(value) > values.back()) values.push_back(to_three_digits(value));
  }
  if (to > from) values.push_back(to);
  return values;
}

/// With steps that multiply by `factor`, or add `step` where that is not 0.
std::vector<std::int64_t> stepped(std::int64_t from, std::int64_t to, double factor, std::int64_t step) {
  std::vector<std::int64_t> values;
  for (std::int64_t value = from; value <= to && values.size() <= kMostValues;) {
    values.push_back(value);
    const std::int64_t next = step != 0 ? value + step : std::llround(static_cast<double>(value) * factor);
    if (next <= value) break;
    value = next;
  }
  return values;
}

std::vector<std::string> values_in(const std::string& option, const MachineKey& key, const Range& range) {
  const auto* const field = std::get_if<QuantityField>(&key.field);
  if (field == nullptr) throw ConfigError(option + ": " + std::string(key.path) + ": expected names, not a range");
  std::int64_t from = 0;
  std::int64_t to = 0;
  double factor = 0;
  std::int64_t step = 0;
  try {
    from = parse_quantity(range.from, field->dimension);
    to = parse_quantity(range.to, field->dimension);
    if (range.by == '*') factor = static_cast<double>(parse_quantity(range.step, Dimension::kRatio)) / 1e6;
    if (range.by == '+') step = parse_quantity(range.step, field->dimension);
  } catch (const ConfigError& error) {
    throw ConfigError(option + ": " + std::string(key.path) + ": " + error.what());
  }
  const bool multiplies = range.by != '+';
  if ((multiplies && from == 0) || (range.by == '*' && factor <= 1) || (range.by == '+' && step <= 0)) {
    throw ConfigError(option + ": " + std::string(key.path) +
                      ": expected FROM..TO*FACTOR or FROM..TO with FROM above 0 and FACTOR above 1, or FROM..TO+STEP");
  }
  if (from > to) throw ConfigError(option + ": expected a range from the smaller value to the larger");
  const std::vector<std::int64_t> values =
      range.by == ' ' ? between(from, to, field->dimension) : stepped(from, to, factor, step);
  if (values.size() > kMostValues) throw ConfigError(option + ": expected at most 1000 values");
  std::vector<std::string> texts;
  for (const std::int64_t value : values) texts.push_back(format_quantity(value, field->dimension));
  return texts;
}

/// "16,32 GB/s": the unit may stand behind the last one alone.
std::vector<std::string> listed_values(const std::string& option, const MachineKey& key, const std::string& text) {
  std::vector<std::string> values = list_items(option, text);
  const bool is_quantity = std::holds_alternative<QuantityField>(key.field);
  const std::size_t number = values.back().find_first_not_of("0123456789. ");
  if (!is_quantity || number == std::string::npos) return values;
  const std::string unit = values.back().substr(number);
  for (std::string& value : values) {
    if (value.find_first_not_of("0123456789. ") == std::string::npos) value += " " + unit;
  }
  return values;
}

/// "die.routers=2x4,4x4".
Axis grid_axis(const std::string& option, const Assignment& sweep) {
  Axis axis{sweep.key, {}};
  for (const std::string& value : list_items(option, sweep.values)) {
    const std::vector<std::string> sides = split(value, "x");
    if (sides.size() != 2) throw ConfigError(option + ": expected ROWSxCOLUMNS such as 2x4, got " + in_quotes(value));
    const MachineKey& rows = machine_key(sweep.key + ".rows");
    const MachineKey& columns = machine_key(sweep.key + ".columns");
    axis.values.push_back({value,
                           {{std::string(rows.path), checked(option, rows, sides[0])},
                            {std::string(columns.path), checked(option, columns, sides[1])}}});
  }
  return axis;
}

Axis axis_of(const std::string& name, const std::string& text) {
  const std::string option = name + " " + text;
  const Assignment sweep = assignment_of(name, text, "KEY=VALUES, such as pe.dma.outstanding_bursts=16,32,64");
  if (is_section(sweep.key) && find_machine_key(sweep.key + ".rows") != nullptr &&
      find_machine_key(sweep.key + ".columns") != nullptr) {
    return grid_axis(option, sweep);
  }
  const MachineKey& key = key_of(option, sweep.key);
  const std::optional<Range> range = range_of(sweep.values);
  Axis axis{sweep.key, {}};
  for (const std::string& value : range ? values_in(option, key, *range) : listed_values(option, key, sweep.values)) {
    const std::string written = checked(option, key, value);
    if (std::ranges::count(axis.values, written, &AxisValue::label) > 0) continue;
    axis.values.push_back({written, {{sweep.key, written}}});
  }
  return axis;
}

/// Gives the key the value of the swept one, in each value of its axis.
void link(std::vector<Axis>& axes, const std::string& name, const std::string& text) {
  const std::string option = "--link " + text;
  const Assignment link = assignment_of("--link", text, "KEY=OTHER, two keys of a machine");
  const MachineKey& key = key_of(option, link.key);
  if (link.key == link.values) throw ConfigError(option + ": expected two keys, got one twice");
  for (Axis& axis : axes) {
    if (!axis.values.front().fields.contains(link.values)) continue;
    for (AxisValue& value : axis.values) {
      value.fields[link.key] = checked(option, key, value.fields.at(link.values).get<std::string>());
    }
    return;
  }
  throw ConfigError(option + ": expected a key of " + name + " behind the =, got " + link.values);
}

}  // namespace

std::vector<Axis> key_axes(const std::string& option, const std::vector<std::string>& texts,
                           const std::vector<std::string>& links) {
  std::vector<Axis> axes;
  for (const std::string& text : texts) axes.push_back(axis_of(option, text));
  for (const std::string& text : links) link(axes, option, text);
  std::set<std::string> fields;
  for (const Axis& axis : axes) {
    for (const auto& [key, value] : axis.values.front().fields.items()) {
      if (!fields.insert(key).second) throw ConfigError(option + " " + axis.name + ": " + key + " is there twice");
    }
  }
  return axes;
}

}  // namespace kernbench
