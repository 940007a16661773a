// Parsing and applying `--only`, and options like it.
#include "benches/workloads/selection.hpp"

#include <algorithm>
#include <set>

#include "benches/io/text/lists.hpp"
#include "sim/base/errors.hpp"
#include "sim/base/unknown_name.hpp"

namespace kernbench {
namespace {

/// Allowed labels of each axis, in the order of the axes; an empty set allows all.
using Allowed = std::vector<std::set<std::string>>;

/// Whose axes an option names.
struct Named {
  const std::string& option;
  const std::string& owner;
  const std::vector<Axis>& axes;
};

std::vector<std::string> labels_of(const std::vector<AxisValue>& values) {
  std::vector<std::string> labels;
  for (const AxisValue& value : values) labels.push_back(value.label);
  return labels;
}

void allow(Allowed& allowed, const Named& of, const std::string& term) {
  const std::size_t equals = term.find('=');
  if (equals == std::string::npos) {
    throw ConfigError(of.option + ": expected axis=value, got \"" + term + "\"; for example " + of.option + " " +
                      (of.axes.empty() ? "axis=value" : of.axes[0].name + "=" + of.axes[0].values[0].label));
  }
  const std::string axis_name = term.substr(0, equals);
  std::vector<std::string> names;
  for (const Axis& axis : of.axes) names.push_back(axis.name);
  const auto axis = std::find(names.begin(), names.end(), axis_name);
  if (axis == names.end()) refuse_name("axis", axis_name, names, of.option + ": " + of.owner);
  const auto index = static_cast<std::size_t>(axis - names.begin());
  const Axis& chosen = of.axes[index];
  const std::string text = term.substr(equals + 1);
  std::vector<std::string> asked{text};
  if (chosen.open) asked = labels_of(read_values(chosen, of.option + " " + term, text));
  const std::vector<std::string> labels = labels_of(chosen.values);
  for (const std::string& label : asked) {
    if (std::find(labels.begin(), labels.end(), label) == labels.end()) {
      refuse_name("value", label, labels, of.option + ": axis " + axis_name + " of " + of.owner);
    }
    allowed[index].insert(label);
  }
}

bool agrees(const LabelledPoint& point, const Allowed& allowed) {
  for (std::size_t i = 0; i < allowed.size(); ++i) {
    if (!allowed[i].empty() && !allowed[i].contains(point.labels[i])) return false;
  }
  return true;
}

}  // namespace

std::vector<std::set<std::string>> named_labels(const std::string& option, const std::string& owner,
                                                const std::vector<Axis>& axes, const std::string& text) {
  Allowed allowed(axes.size());
  if (text.empty()) return allowed;
  for (const std::string& term : list_items(option, text)) allow(allowed, {option, owner, axes}, term);
  return allowed;
}

std::vector<LabelledPoint> select_points(const Bench& bench, const std::string& only) {
  const Allowed allowed = named_labels("--only", bench.name, bench.axes, only);
  std::vector<LabelledPoint> points = expand_points(bench);
  if (points.empty() && bench.axes_from) {
    throw ConfigError("bench " + bench.name + " has no point: expected measured rows below benches/reference");
  }
  std::erase_if(points, [&allowed](const LabelledPoint& point) { return !agrees(point, allowed); });
  return points;
}

}  // namespace kernbench
