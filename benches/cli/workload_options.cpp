#include "benches/cli/workload_options.hpp"

#include <algorithm>

#include "benches/experiments/whatif/value_list.hpp"
#include "sim/base/errors.hpp"

namespace kernbench {
namespace {

std::string meaning_of(const WorkloadAxis& axis, bool of_both) {
  std::string text = axis.words.meaning;
  if (axis.open->has_commas) text += "; several with ; between";
  if (axis.only_on && !of_both) text += *axis.only_on == MachineKind::kGpu ? " (GPUs)" : " (machines of PEs)";
  return axis.more_help ? text + axis.more_help() : text;
}

/// For --help.
std::string range_of(const WorkloadAxis& axis) {
  return axis.least ? std::to_string(*axis.least) + ".." + std::to_string(*axis.most) : "";
}

}  // namespace

WorkloadOptions::WorkloadOptions(const Workload& workload) {
  ones_.reserve(workload.axes.size());
  for (const WorkloadAxis& axis : workload.axes) {
    ones_.push_back({axis, std::make_shared<std::string>(axis.required ? "" : axis.usual.label)});
  }
}

void WorkloadOptions::add_to(CommandSpec& command) {
  const auto accept = [](std::string& /*text*/) { return std::string(); };  // several values, which values() reads
  for (One& one : ones_) {
    if (!one.axis.open) continue;
    if (const One& first = first_with(one.axis.words.option); &first != &one) {
      one.text = first.text;
      one.option = first.option;
      continue;
    }
    const auto same = [&one](const One& other) { return other.axis.words.option == one.axis.words.option; };
    const bool of_both = std::ranges::count_if(ones_, same) > 1;
    Option& option = command.add_option(one.axis.words.option, *one.text, meaning_of(one.axis, of_both));
    option.type_name(one.axis.type_name);
    option.rule({accept, range_of(one.axis), one.axis.choices});
    if (one.axis.required) {
      option.required();
    } else {
      option.show_default();
    }
    one.option = &option;
  }
}

const WorkloadOptions::One& WorkloadOptions::first_with(const std::string& option) const {
  return *std::ranges::find(ones_, option, [](const One& one) { return one.axis.words.option; });
}

bool WorkloadOptions::has_option(MachineKind kind, const std::string& option) const {
  return std::ranges::any_of(
      ones_, [&](const One& one) { return one.axis.words.option == option && one.axis.applies_to(kind); });
}

std::vector<AxisValue> WorkloadOptions::One::values() const {
  if (option == nullptr) return {axis.usual};
  const std::string place = axis.words.option_name();
  std::vector<AxisValue> values;
  for (const std::string& value : values_in(place, axis.words.name, *text, *axis.open)) {
    const auto set = axis.open->sets.find(value);
    try {
      for (const AxisValue& one : set != axis.open->sets.end() ? set->second() : std::vector{axis.open->read(value)}) {
        if (std::ranges::count(values, one.label, &AxisValue::label) == 0) values.push_back(one);
      }
    } catch (const ConfigError& error) {
      throw ConfigError(place + ": " + error.what());
    }
  }
  return values;
}

PointValues WorkloadOptions::values(MachineKind kind) const {
  PointValues all;
  for (const One& one : ones_) {
    if (one.axis.applies_to(kind)) {
      all.emplace_back(one.axis.words.name, one.values());
    } else if (one.option != nullptr && one.option->given() && !has_option(kind, one.axis.words.option)) {
      throw ConfigError(one.axis.words.option_name() + ": expected " +
                        (kind == MachineKind::kGpu ? "a machine of PEs; the machine file is a GPU"
                                                   : "a machine file of `kind: gpu`"));
    }
  }
  return all;
}

PointValues WorkloadOptions::one_value(MachineKind kind) const {
  PointValues all = values(kind);
  for (const One& one : ones_) {
    const auto of_axis = std::ranges::find(all, one.axis.words.name, &PointValues::value_type::first);
    if (of_axis == all.end() || of_axis->second.size() == 1) continue;
    throw ConfigError(one.axis.words.option_name() + ": expected one, got " + std::to_string(of_axis->second.size()));
  }
  return all;
}

std::vector<std::string> WorkloadOptions::chosen_for_us() const {
  std::vector<std::string> fields;
  for (const One& one : ones_) {
    if (!one.axis.open || one.option == nullptr) continue;
    const std::vector<std::string> values =
        values_in(one.axis.words.option_name(), one.axis.words.name, *one.text, *one.axis.open);
    const auto is_set = [&one](const std::string& value) { return one.axis.open->sets.contains(value); };
    if (std::ranges::any_of(values, is_set)) fields.push_back(one.axis.words.field_name());
  }
  return fields;
}

void WorkloadOptions::need_verify(const Option& verify) {
  for (const One& one : ones_) {
    if (one.axis.of_verify && one.option != nullptr) one.option->needs(verify);
  }
}

std::vector<std::string> WorkloadOptions::given() const {
  std::vector<std::string> words;
  for (const One& one : ones_) {
    if (one.option != nullptr && one.option->given() && &first_with(one.axis.words.option) == &one) {
      words.insert(words.end(), {one.axis.words.option_name(), *one.text});
    }
  }
  return words;
}

}  // namespace kernbench
