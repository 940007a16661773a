#include "benches/harness/whatif/key_axes.hpp"

#include <algorithm>
#include <optional>
#include <set>

#include "benches/harness/text/lists.hpp"
#include "benches/harness/whatif/value_list.hpp"
#include "sim/base/errors.hpp"
#include "sim/base/text.hpp"
#include "sim/machine/key_paths.hpp"
#include "sim/machine/schema.hpp"

namespace kernbench {
namespace {

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
  const auto* const field = std::get_if<QuantityField>(&key.field);
  const auto dimension = field == nullptr ? std::nullopt : std::optional(field->dimension);
  Axis axis{sweep.key, {}};
  for (const std::string& value : values_in(option, sweep.key, sweep.values, dimension)) {
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
