#include "benches/experiments/search/space.hpp"

#include <algorithm>
#include <optional>

#include "benches/experiments/whatif/key_axes.hpp"
#include "benches/experiments/whatif/sweep.hpp"
#include "sim/base/errors.hpp"
#include "sim/base/text.hpp"
#include "sim/machine/topology_key.hpp"

namespace kernbench {
namespace {

bool has_all(const MachineSpec& machine, const Json& fields) {
  return std::ranges::all_of(fields.items(), [&machine](const auto& field) {
    return written_value(topology_key(field.key()), machine) == field.value().template get<std::string>();
  });
}

/// The value that the machine has, else the largest number below its own, else the first.
std::size_t nearest_value(const MachineSpec& machine, const Axis& axis) {
  const std::optional<TopologyKey> key = find_topology_key(axis.name);
  std::optional<std::size_t> nearest;
  std::int64_t largest = -1;
  for (std::size_t value = 0; value < axis.values.size(); ++value) {
    const Json& fields = axis.values[value].fields;
    if (has_all(machine, fields)) return value;
    if (!key || !key->dimension() || fields.at(axis.name) == kNone) continue;
    const std::int64_t number = parse_quantity(fields.at(axis.name).get<std::string>(), *key->dimension());
    if (number > number_of(*key, machine) || number <= largest) continue;
    largest = number;
    nearest = value;
  }
  return nearest.value_or(0);
}

}  // namespace

Space::Space(const MachineSpec& machine, const Bench& bench, const std::vector<LabelledPoint>& points,
             const std::vector<std::string>& varied, const std::vector<std::string>& links,
             std::vector<Condition> conditions)
    : machine_(machine), all_(points), conditions_(std::move(conditions)) {
  std::vector<std::string> keys;
  for (const std::string& text : varied) {
    const std::string name(trimmed(text.substr(0, text.find('='))));
    const auto axis = std::ranges::find(bench.axes, name, &Axis::name);
    if (axis == bench.axes.end()) {
      keys.push_back(text);
      continue;
    }
    axes_.push_back(*axis);
    of_bench_.push_back(static_cast<std::size_t>(axis - bench.axes.begin()));
  }
  for (Axis& axis : key_axes("--vary", keys, links, machine)) {
    axes_.push_back(std::move(axis));
    of_bench_.push_back(kNone);
  }
  if (axes_.empty()) throw ConfigError("--vary: expected at least one, such as 'die.hbm.bandwidth=128..1024 GB/s'");
}

double Space::size() const {
  double size = 1;
  for (const Axis& axis : axes_) size *= static_cast<double>(axis.values.size());
  return size;
}

Choice Space::as_it_is() const {
  Choice choice(axes_.size(), 0);
  for (std::size_t i = 0; i < axes_.size(); ++i) {
    if (!is_of_bench(i)) choice[i] = nearest_value(machine_, axes_[i]);
  }
  return choice;
}

std::string Space::own_value(std::size_t axis) const {
  if (is_of_bench(axis)) return "";
  std::vector<std::string> values;
  for (const auto& [key, value] : axes_[axis].values.front().fields.items()) {
    if (axes_[axis].name == key || !axes_[axis].values.front().fields.contains(axes_[axis].name)) {
      values.push_back(written_value(topology_key(key), machine_));
    }
  }
  return joined(values, "x");
}

MachineSpec Space::machine(const Choice& choice) const {
  Point point = Json::object();
  for (std::size_t i = 0; i < axes_.size(); ++i) {
    if (!is_of_bench(i)) point.update(axes_[i].values[choice[i]].fields);
  }
  return machine_of(point, machine_);
}

std::string Space::why_not(const Choice& choice) const {
  try {
    const MachineSpec spec = machine(choice);
    for (const Condition& one : conditions_) {
      if (!one.holds(spec, nullptr)) return joined(settings(choice), ", ") + ": not " + one.text();
    }
    return points(choice).empty() ? joined(settings(choice), ", ") + ": the bench has no such point" : "";
  } catch (const ConfigError& error) {
    return joined(settings(choice), ", ") + ": " + error.what();
  }
}

bool Space::allows(const Choice& choice) const {
  try {
    const MachineSpec spec = machine(choice);
    return std::ranges::all_of(conditions_, [&spec](const Condition& one) { return one.holds(spec, nullptr); }) &&
           !points(choice).empty();
  } catch (const ConfigError&) {
    return false;
  }
}

std::vector<std::size_t> Space::points(const Choice& choice) const {
  std::vector<std::size_t> chosen;
  for (std::size_t p = 0; p < all_.size(); ++p) {
    bool is_chosen = true;
    for (std::size_t i = 0; i < axes_.size(); ++i) {
      is_chosen = is_chosen && (!is_of_bench(i) || all_[p].labels[of_bench_[i]] == axes_[i].values[choice[i]].label);
    }
    if (is_chosen) chosen.push_back(p);
  }
  return chosen;
}

std::vector<std::string> Space::settings(const Choice& choice) const {
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < axes_.size(); ++i) {
    const AxisValue& value = axes_[i].values[choice[i]];
    if (is_of_bench(i)) {
      texts.push_back(axes_[i].name + "=" + value.label);
      continue;
    }
    for (const auto& [key, field] : value.fields.items()) texts.push_back(key + "=" + field.get<std::string>());
  }
  return texts;
}

}  // namespace kernbench
