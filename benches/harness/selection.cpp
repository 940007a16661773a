// Parsing and applying `--only`.
#include "benches/harness/selection.hpp"

#include <algorithm>
#include <set>

#include "benches/harness/text/lists.hpp"
#include "sim/base/errors.hpp"
#include "sim/base/unknown_name.hpp"

namespace kernbench {
namespace {

/// Allowed labels of each axis, in the order of the axes; an empty set allows all.
using Allowed = std::vector<std::set<std::string>>;

void allow(Allowed& allowed, const Bench& bench, const std::string& term) {
  const std::size_t equals = term.find('=');
  if (equals == std::string::npos) {
    throw ConfigError("--only: expected axis=value, got \"" + term + "\"; for example --only " +
                      (bench.axes.empty() ? "axis=value" : bench.axes[0].name + "=" + bench.axes[0].values[0].label));
  }
  const std::string axis_name = term.substr(0, equals);
  std::vector<std::string> names;
  for (const Axis& axis : bench.axes) names.push_back(axis.name);
  const auto axis = std::find(names.begin(), names.end(), axis_name);
  if (axis == names.end()) refuse_name("axis", axis_name, names, "--only: " + bench.name);
  const auto index = static_cast<std::size_t>(axis - names.begin());
  const Axis& chosen = bench.axes[index];
  const std::string label =
      chosen.open ? read_value(chosen, "--only " + term, term.substr(equals + 1)).label : term.substr(equals + 1);
  std::vector<std::string> labels;
  for (const AxisValue& value : chosen.values) labels.push_back(value.label);
  if (std::find(labels.begin(), labels.end(), label) == labels.end()) {
    refuse_name("value", label, labels, "--only: axis " + axis_name + " of " + bench.name);
  }
  allowed[index].insert(label);
}

bool agrees(const LabelledPoint& point, const Allowed& allowed) {
  for (std::size_t i = 0; i < allowed.size(); ++i) {
    if (!allowed[i].empty() && !allowed[i].contains(point.labels[i])) return false;
  }
  return true;
}

}  // namespace

std::vector<LabelledPoint> select_points(const Bench& bench, const std::string& only) {
  Allowed allowed(bench.axes.size());
  if (!only.empty()) {
    for (const std::string& term : list_items("--only", only)) allow(allowed, bench, term);
  }
  std::vector<LabelledPoint> points = expand_points(bench);
  std::erase_if(points, [&allowed](const LabelledPoint& point) { return !agrees(point, allowed); });
  return points;
}

}  // namespace kernbench
