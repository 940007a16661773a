#include "benches/experiments/search/sample.hpp"

#include <algorithm>
#include <set>

#include "benches/experiments/search/sequences.hpp"
#include "benches/experiments/whatif/sweep.hpp"
#include "sim/base/errors.hpp"
#include "sim/base/quantity.hpp"
#include "sim/base/text.hpp"

namespace kernbench {
namespace {

constexpr std::int64_t kMostSamples = 15'000;  ///< a file of results that can be read again (26.6)
constexpr const char* kExpected = ": expected sobol:COUNT or lhs:COUNT, such as sobol:64";

bool all_hold(const std::vector<Condition>& conditions, const MachineSpec& machine) {
  return std::ranges::all_of(conditions, [&](const Condition& one) { return one.holds(machine, nullptr); });
}

Sequence sequence_of(const std::string& text, std::size_t axes, std::uint32_t seed) {
  const std::string option = "--sample " + text;
  const std::size_t colon = text.find(':');
  const std::string kind = text.substr(0, colon);
  if (colon == std::string::npos || (kind != "sobol" && kind != "lhs")) throw ConfigError(option + kExpected);
  std::int64_t count = 0;
  try {
    count = parse_quantity(text.substr(colon + 1), Dimension::kCount);
  } catch (const ConfigError& error) {
    throw ConfigError(option + ": " + error.what());
  }
  if (count < 1 || count > kMostSamples) throw ConfigError(option + ": expected a count from 1 to 15000");
  const auto rows = static_cast<std::size_t>(count);
  return kind == "sobol" ? sobol_sequence(axes, rows, seed) : latin_hypercube(axes, rows, seed);
}

/// The machine's keys in a point of a sweep over these axes.
std::string keys_in(const Point& point, const std::vector<Axis>& axes) {
  std::string text;
  for (const Axis& axis : axes) {
    for (const auto& [key, value] : axis.values.front().fields.items()) text += point.at(key).dump() + ",";
  }
  return text;
}

}  // namespace

Bench with_conditions(Bench sweep, const std::vector<Axis>& axes, const std::vector<Condition>& conditions,
                      const MachineSpec& machine) {
  if (conditions.empty()) return sweep;
  Bench keys;  // its points are the machines of the grid
  keys.axes = axes;
  std::set<std::string> left_out;
  const std::vector<LabelledPoint> machines = expand_points(keys);
  for (const LabelledPoint& point : machines) {
    if (!all_hold(conditions, with_keys_of(point.point, machine))) left_out.insert(keys_in(point.point, axes));
  }
  if (left_out.size() == machines.size()) throw ConfigError("--where: no machine of --sweep meets it");
  sweep.includes = [includes = sweep.includes, axes, left_out](const Point& point) {
    return (!includes || includes(point)) && !left_out.contains(keys_in(point, axes));
  };
  return sweep;
}

Axis sampled_axis(const std::vector<Axis>& axes, const std::string& text, std::uint32_t seed,
                  const std::vector<Condition>& conditions, const MachineSpec& machine) {
  Axis sample{"machine", {}};
  std::set<std::string> seen;
  for (const std::vector<double>& row : sequence_of(text, axes.size(), seed)) {
    Json fields = Json::object();
    std::vector<std::string> labels;
    for (std::size_t axis = 0; axis < axes.size(); ++axis) {
      const auto count = static_cast<double>(axes[axis].values.size());
      const AxisValue& value = axes[axis].values[static_cast<std::size_t>(row[axis] * count)];
      fields.update(value.fields);
      labels.push_back(axes[axis].name + " " + value.label);
    }
    if (!seen.insert(fields.dump()).second) continue;
    if (!all_hold(conditions, with_keys_of(fields, machine))) continue;
    sample.values.emplace_back(joined(labels, "; "), std::move(fields));
  }
  if (sample.values.empty()) throw ConfigError("--sample " + text + ": no machine of it meets every --where");
  return sample;
}

}  // namespace kernbench
