#include "benches/harness/search/space.hpp"

#include <algorithm>

#include "benches/harness/text/lists.hpp"
#include "benches/harness/whatif/key_axes.hpp"
#include "benches/harness/whatif/sweep.hpp"
#include "sim/base/errors.hpp"
#include "sim/base/text.hpp"
#include "sim/base/unknown_name.hpp"
#include "sim/machine/schema.hpp"

namespace kernbench {
namespace {

/// "variant" or "variant=ref_ref,load_ref": the axis with these values, or with all.
Axis narrowed(const Axis& axis, const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos) return axis;
  Axis some{axis.name, {}};
  std::vector<std::string> labels;
  for (const AxisValue& value : axis.values) labels.push_back(value.label);
  for (const std::string& label : list_items("--vary " + text, text.substr(equals + 1))) {
    const auto found = std::ranges::find(labels, label);
    if (found == labels.end()) refuse_name("value", label, labels, "--vary " + text);
    some.values.push_back(axis.values[static_cast<std::size_t>(found - labels.begin())]);
  }
  return some;
}

/// Whether the machine's value is not below this one; of words, whether it is this one.
bool reaches(const MachineSpec& machine, const std::string& path, const std::string& value) {
  const MachineKey& key = machine_key(path);
  const auto* const field = std::get_if<QuantityField>(&key.field);
  if (field == nullptr) return written_value(key, machine) == value;
  return parse_quantity(value, field->dimension) <= field->get(machine);
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
    axes_.push_back(narrowed(*axis, text));
    of_bench_.push_back(static_cast<std::size_t>(axis - bench.axes.begin()));
  }
  for (Axis& axis : key_axes("--vary", keys, links)) {
    axes_.push_back(std::move(axis));
    of_bench_.push_back(kNone);
  }
  if (axes_.empty()) throw ConfigError("--vary: expected at least one, such as 'die.hbm.bandwidth=128..1024 GB/s'");
}

double Space::size() const {
  double size = 1;
  for (const Axis& axis : axes_) size = std::min(1e18, size * static_cast<double>(axis.values.size()));
  return size;
}

Choice Space::as_it_is() const {
  Choice choice(axes_.size(), 0);
  for (std::size_t i = 0; i < axes_.size(); ++i) {
    if (is_of_bench(i)) continue;
    for (std::size_t value = 0; value < axes_[i].values.size(); ++value) {
      const Json& fields = axes_[i].values[value].fields;
      const std::string path = fields.contains(axes_[i].name) ? axes_[i].name : fields.begin().key();
      if (reaches(machine_, path, fields.at(path).get<std::string>())) choice[i] = value;
    }
  }
  return choice;
}

MachineSpec Space::machine(const Choice& choice) const {
  Point point = Json::object();
  for (std::size_t i = 0; i < axes_.size(); ++i) {
    if (!is_of_bench(i)) point.update(axes_[i].values[choice[i]].fields);
  }
  return machine_of(point, machine_);
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
