#include "benches/harness/whatif/sweep.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

#include "benches/harness/text/lists.hpp"
#include "benches/harness/whatif/changes.hpp"
#include "sim/base/errors.hpp"
#include "sim/base/text.hpp"
#include "sim/machine/key_paths.hpp"
#include "sim/machine/schema.hpp"

namespace kernbench {
namespace {

constexpr std::size_t kMostValues = 1000;    ///< of an axis
constexpr std::size_t kMostPoints = 15'000;  ///< of a sweep: a file of results that can be read again (26.6)

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
  char by = '*';
  std::string step;
};

std::optional<Range> range_of(const std::string& option, const std::string& text) {
  const std::size_t dots = text.find("..");
  if (dots == std::string::npos) return std::nullopt;
  const std::size_t by = text.find_first_of("*+", dots + 2);
  if (by == std::string::npos) {
    throw ConfigError(option + ": expected FROM..TO*FACTOR or FROM..TO+STEP, such as 1..8*2, got " + in_quotes(text));
  }
  const std::size_t number = text.find_first_not_of("0123456789.", by + 1);
  const std::string unit = number == std::string::npos ? "" : " " + std::string(trimmed(text.substr(number)));
  const std::string step(trimmed(text.substr(by + 1, number == std::string::npos ? number : number - by - 1)));
  const auto with_unit = [&](std::string_view value) { return std::string(trimmed(value)) + unit; };
  return Range{with_unit(text.substr(0, dots)), with_unit(text.substr(dots + 2, by - dots - 2)), text[by],
               text[by] == '+' ? with_unit(step) : step};
}

std::vector<std::string> values_in(const std::string& option, const MachineKey& key, const Range& range) {
  const auto* const field = std::get_if<QuantityField>(&key.field);
  if (field == nullptr) throw ConfigError(option + ": " + std::string(key.path) + ": expected names, not a range");
  std::int64_t value = 0;
  std::int64_t last = 0;
  double factor = 0;
  std::int64_t step = 0;
  try {
    value = parse_quantity(range.from, field->dimension);
    last = parse_quantity(range.to, field->dimension);
    if (range.by == '*') factor = static_cast<double>(parse_quantity(range.step, Dimension::kRatio)) / 1e6;
    if (range.by == '+') step = parse_quantity(range.step, field->dimension);
  } catch (const ConfigError& error) {
    throw ConfigError(option + ": " + std::string(key.path) + ": " + error.what());
  }
  if (range.by == '*' ? factor <= 1 || value == 0 : step <= 0) {
    throw ConfigError(option + ": " + std::string(key.path) +
                      ": expected FROM..TO*FACTOR with FROM above 0 and FACTOR above 1, or FROM..TO+STEP");
  }
  std::vector<std::string> values;
  while (value <= last) {
    if (values.size() == kMostValues) throw ConfigError(option + ": expected at most 1000 values");
    values.push_back(format_quantity(value, field->dimension));
    const std::int64_t next = range.by == '*' ? std::llround(static_cast<double>(value) * factor) : value + step;
    if (next <= value) break;
    value = next;
  }
  if (values.empty()) throw ConfigError(option + ": expected a range from the smaller value to the larger");
  return values;
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

Axis axis_of(const std::string& text) {
  const std::string option = "--sweep " + text;
  const Assignment sweep = assignment_of("--sweep", text, "KEY=VALUES, such as pe.dma.outstanding_bursts=16,32,64");
  if (is_section(sweep.key) && find_machine_key(sweep.key + ".rows") != nullptr &&
      find_machine_key(sweep.key + ".columns") != nullptr) {
    return grid_axis(option, sweep);
  }
  const MachineKey& key = key_of(option, sweep.key);
  const std::optional<Range> range = range_of(option, sweep.values);
  Axis axis{sweep.key, {}};
  for (const std::string& value : range ? values_in(option, key, *range) : listed_values(option, key, sweep.values)) {
    const std::string written = checked(option, key, value);
    if (std::ranges::count(axis.values, written, &AxisValue::label) > 0) continue;
    axis.values.push_back({written, {{sweep.key, written}}});
  }
  return axis;
}

/// Gives the key the value of the swept one, in each value of its axis.
void link(std::vector<Axis>& axes, const std::string& text) {
  const std::string option = "--link " + text;
  const Assignment link = assignment_of("--link", text, "KEY=SWEPT, two keys of a machine");
  const MachineKey& key = key_of(option, link.key);
  if (link.key == link.values) throw ConfigError(option + ": expected two keys, got one twice");
  for (Axis& axis : axes) {
    if (!axis.values.front().fields.contains(link.values)) continue;
    for (AxisValue& value : axis.values) {
      value.fields[link.key] = checked(option, key, value.fields.at(link.values).get<std::string>());
    }
    return;
  }
  throw ConfigError(option + ": expected a key of --sweep behind the =, got " + link.values);
}

}  // namespace

std::vector<Axis> sweep_axes(const std::vector<std::string>& sweeps, const std::vector<std::string>& links) {
  std::vector<Axis> axes;
  for (const std::string& sweep : sweeps) axes.push_back(axis_of(sweep));
  for (const std::string& text : links) link(axes, text);
  std::set<std::string> fields;
  for (const Axis& axis : axes) {
    for (const auto& [key, value] : axis.values.front().fields.items()) {
      if (!fields.insert(key).second) throw ConfigError("--sweep " + axis.name + ": " + key + " is swept twice");
    }
  }
  return axes;
}

MachineSpec machine_of(const Point& point, MachineSpec machine) {
  for (const auto& [name, value] : point.items()) {
    if (const MachineKey* key = find_machine_key(name)) read_value(*key, value.get<std::string>(), machine);
  }
  require_consistent(machine);
  return machine;
}

Bench swept(const Bench& bench, const std::vector<Axis>& axes) {
  std::size_t points = expand_points(bench).size();
  for (const Axis& axis : axes) {
    points *= axis.values.size();
    if (points <= kMostPoints) continue;
    throw ConfigError("--sweep: expected at most " + std::to_string(kMostPoints) + " points in all, got " +
                      std::to_string(points) + " and more with " + axis.name + ": sweep fewer values");
  }
  Bench sweep = bench;
  sweep.name += "-sweep";
  sweep.axes.insert(sweep.axes.begin(), axes.begin(), axes.end());
  sweep.simulate = [simulate = bench.simulate](const MachineSpec& machine, const Point& point,
                                               const PointSettings& settings) {
    return simulate(machine_of(point, machine), point, settings);
  };
  if (bench.memory) {
    sweep.memory = [memory = bench.memory](const MachineSpec& machine, const Point& point,
                                           const PointSettings& settings) {
      return memory(machine_of(point, machine), point, settings);
    };
  }
  if (bench.cost) {
    sweep.cost = [cost = bench.cost](const MachineSpec& machine, const Point& point) {
      return cost(machine_of(point, machine), point);
    };
  }
  if (bench.theory) {
    sweep.theory = [theory = bench.theory](const MachineSpec& machine, const Point& point) {
      return theory(machine_of(point, machine), point);
    };
  }
  sweep.identity = [bench](const MachineSpec& machine, const Point& point, const PointSettings& settings) {
    Point own = Json::object();
    for (const auto& [name, value] : point.items()) {
      if (find_machine_key(name) == nullptr) own[name] = value;
    }
    return identity_of(bench, machine_of(point, machine), own, settings);
  };
  sweep.derive = {};
  sweep.figures_on_machine = {};
  sweep.headline = {};
  sweep.measured_bench = "";
  sweep.figures_beside = {};
  sweep.figures = [bench = sweep](const Results& simulated, const Results&) {
    return std::vector<Figure>{sweep_figure(bench, simulated)};
  };
  return sweep;
}

}  // namespace kernbench
