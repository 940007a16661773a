#include "benches/experiments/whatif/key_axes.hpp"

#include <algorithm>
#include <optional>
#include <set>

#include "benches/experiments/whatif/value_list.hpp"
#include "benches/io/text/lists.hpp"
#include "sim/base/errors.hpp"
#include "sim/base/text.hpp"
#include "sim/machine/key_paths.hpp"
#include "sim/machine/topology_key.hpp"

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

/// Of the other kind of machine, or of an optional section that this one leaves out.
[[noreturn]] void refuse_missing(const std::string& option, const std::string& path, const TopologyKey& key,
                                 const MachineSpec& machine) {
  const bool gpu = key.kind() == MachineKind::kGpu;
  if (const std::string section = left_out_with(machine, key); !section.empty()) {
    throw ConfigError(option + ": expected a key that " + machine.name + " has; its file leaves out " + section +
                      (gpu ? "" : ", whose keys --set gives"));
  }
  throw ConfigError(
      option + ": " + path + " is a key of " + (gpu ? "GPUs" : "machines of PEs") + ", and " + machine.name + " is " +
      (gpu ? "a machine of PEs" : "a GPU") + ": expected --topology with " +
      (gpu ? "a GPU, such as topology/h200.yaml" : "a machine of PEs, such as topology/milestone_1h.yaml"));
}

TopologyKey key_of(const std::string& option, const std::string& path, const MachineSpec& machine) {
  if (const std::optional<TopologyKey> key = find_topology_key(path)) {
    if (!has_key(machine, *key)) refuse_missing(option, path, *key, machine);
    return *key;
  }
  if (is_any_section(path)) {
    throw ConfigError(option + ": " + path + " is a section: expected one of " + names_in_any(path));
  }
  const std::string near = nearest_key(kind_of(machine), path);
  throw ConfigError(option + ": there is no key " + path + " of a " +
                    (kind_of(machine) == MachineKind::kGpu ? "GPU" : "machine") +
                    (near.empty() ? "" : "; did you mean " + near + "?"));
}

/// As a machine file has it, if the key can have that value.
std::string checked(const std::string& option, const TopologyKey& key, const std::string& text, MachineSpec machine) {
  try {
    read_value(key, text, machine);
  } catch (const ConfigError& error) {
    throw ConfigError(option + ": " + std::string(key.path()) + ": " + error.what());
  }
  return written_value(key, machine);
}

/// "die.routers=2x4,4x4".
Axis grid_axis(const std::string& option, const Assignment& sweep, const MachineSpec& machine) {
  Axis axis{sweep.key, {}};
  for (const std::string& value : list_items(option, sweep.values)) {
    const std::vector<std::string> sides = split(value, "x");
    if (sides.size() != 2) throw ConfigError(option + ": expected ROWSxCOLUMNS such as 2x4, got " + in_quotes(value));
    const TopologyKey rows = key_of(option, sweep.key + ".rows", machine);
    const TopologyKey columns = key_of(option, sweep.key + ".columns", machine);
    axis.values.push_back({value,
                           {{std::string(rows.path()), checked(option, rows, sides[0], machine)},
                            {std::string(columns.path()), checked(option, columns, sides[1], machine)}}});
  }
  return axis;
}

Axis axis_of(const std::string& name, const std::string& text, const MachineSpec& machine) {
  const std::string option = name + " " + text;
  const Assignment sweep = assignment_of(name, text, "KEY=VALUES, such as pe.dma.outstanding_bursts=16,32,64");
  if (is_section(sweep.key) && find_machine_key(sweep.key + ".rows") != nullptr &&
      find_machine_key(sweep.key + ".columns") != nullptr) {
    return grid_axis(option, sweep, machine);
  }
  const TopologyKey key = key_of(option, sweep.key, machine);
  Axis axis{sweep.key, {}};
  for (const std::string& value : values_in(option, sweep.key, sweep.values, key.dimension())) {
    const std::string written = checked(option, key, value, machine);
    if (std::ranges::count(axis.values, written, &AxisValue::label) > 0) continue;
    axis.values.push_back({written, {{sweep.key, written}}});
  }
  return axis;
}

/// Gives the key the value of the swept one, in each value of its axis.
void link(std::vector<Axis>& axes, const std::string& name, const std::string& text, const MachineSpec& machine) {
  const std::string option = "--link " + text;
  const Assignment link = assignment_of("--link", text, "KEY=OTHER, two keys of a machine");
  const TopologyKey key = key_of(option, link.key, machine);
  if (link.key == link.values) throw ConfigError(option + ": expected two keys, got one twice");
  for (Axis& axis : axes) {
    if (!axis.values.front().fields.contains(link.values)) continue;
    for (AxisValue& value : axis.values) {
      value.fields[link.key] = checked(option, key, value.fields.at(link.values).get<std::string>(), machine);
    }
    return;
  }
  throw ConfigError(option + ": expected a key of " + name + " behind the =, got " + link.values);
}

}  // namespace

std::vector<Axis> key_axes(const std::string& option, const std::vector<std::string>& texts,
                           const std::vector<std::string>& links, const MachineSpec& machine) {
  std::vector<Axis> axes;
  for (const std::string& text : texts) axes.push_back(axis_of(option, text, machine));
  for (const std::string& text : links) link(axes, option, text, machine);
  std::set<std::string> fields;
  for (const Axis& axis : axes) {
    for (const auto& [key, value] : axis.values.front().fields.items()) {
      if (!fields.insert(key).second) throw ConfigError(option + " " + axis.name + ": " + key + " is there twice");
    }
  }
  return axes;
}

}  // namespace kernbench
