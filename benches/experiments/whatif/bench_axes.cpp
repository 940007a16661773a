#include "benches/experiments/whatif/bench_axes.hpp"

#include <algorithm>
#include <set>

#include "benches/experiments/whatif/value_list.hpp"
#include "benches/io/text/lists.hpp"
#include "sim/base/errors.hpp"
#include "sim/base/text.hpp"
#include "sim/base/unknown_name.hpp"
#include "sim/machine/topology_key.hpp"

namespace kernbench {
namespace {

std::string name_in(const std::string& text) { return std::string(trimmed(text.substr(0, text.find('=')))); }

/// What a text says of an open axis, but for values that are there.
void add_values(std::vector<AxisValue>& values, const Axis& axis, const std::string& place, const std::string& text) {
  for (AxisValue& value : read_values(axis, place, text)) {
    if (std::ranges::count(values, value.label, &AxisValue::label) == 0) values.push_back(std::move(value));
  }
}

/// Of --sweep and --vary: those of an open axis.
std::vector<AxisValue> listed_values(const Axis& axis, const std::string& place, const std::string& text) {
  std::vector<AxisValue> values;
  for (const std::string& value : values_in(place, axis.name, text, *axis.open)) {
    add_values(values, axis, place, value);
  }
  return values;
}

/// Some of those that the axis has.
std::vector<AxisValue> named_values(const Axis& axis, const std::string& place, const std::string& text) {
  std::vector<AxisValue> values;
  std::vector<std::string> labels;
  for (const AxisValue& value : axis.values) labels.push_back(value.label);
  for (const std::string& label : each_once(list_items(place, text))) {
    const auto found = std::ranges::find(labels, label);
    if (found == labels.end()) refuse_name("value", label, labels, place);
    values.push_back(axis.values[static_cast<std::size_t>(found - labels.begin())]);
  }
  return values;
}

/// What is neither an axis nor in a section of a machine is a mistyped axis.
void require_key(const Bench& bench, const std::string& option, const std::string& text) {
  const std::string name = name_in(text);
  if (name.empty() || name.find('.') != std::string::npos || is_any_section(name)) return;
  std::vector<std::string> names;
  for (const Axis& axis : bench.axes) names.push_back(axis.name);
  refuse_name("axis", name, names, option + " " + text + ": " + bench.name);
}

}  // namespace

BenchAsked with_own_axes(const Bench& registered, const std::string& option, const std::vector<std::string>& texts,
                         const std::string& only) {
  const Bench bench = with_only(registered, only);
  BenchAsked asked{bench, {}};
  std::set<std::string> names;
  std::set<std::string> in_only;
  if (!only.empty()) {
    for (const std::string& term : list_items("--only", only)) in_only.insert(name_in(term));
  }
  for (const std::string& text : texts) {
    const auto axis = std::ranges::find(asked.bench.axes, name_in(text), &Axis::name);
    if (axis == asked.bench.axes.end()) {
      refuse_axis_of_other_kind(bench, option + " " + text, name_in(text));
      require_key(bench, option, text);
      asked.keys.push_back(text);
      continue;
    }
    const std::string place = option + " " + text;
    if (!names.insert(axis->name).second) throw ConfigError(place + ": " + axis->name + " is there twice");
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos) continue;
    if (axis->open && in_only.contains(axis->name)) {
      throw ConfigError(place + ": --only has values of " + axis->name + ", too: expected them in one of both");
    }
    const std::string values(trimmed(text.substr(equals + 1)));
    axis->values = axis->open ? listed_values(*axis, place, values) : named_values(*axis, place, values);
  }
  return asked;
}

Bench with_only(const Bench& bench, const std::string& only) {
  Bench opened = bench;
  if (only.empty()) return opened;
  std::set<std::string> begun;
  for (const std::string& term : list_items("--only", only)) {
    const auto axis = std::ranges::find(opened.axes, name_in(term), &Axis::name);
    if (axis == opened.axes.end()) refuse_axis_of_other_kind(bench, "--only " + term, name_in(term));
    if (axis == opened.axes.end() || !axis->open || term.find('=') == std::string::npos) continue;
    if (begun.insert(axis->name).second) axis->values.clear();
    add_values(axis->values, *axis, "--only " + term, term.substr(term.find('=') + 1));
  }
  return opened;
}

}  // namespace kernbench
