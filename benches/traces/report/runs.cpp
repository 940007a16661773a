#include "benches/traces/report/runs.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "benches/traces/report/table_values.hpp"
#include "sim/base/errors.hpp"

namespace kernbench::traces {
namespace {

/// The values that the run's traces have on the axis; "" of one that is not on it.
std::set<std::string> values_on(const std::vector<PlacedTrace>& run, const std::string& axis) {
  std::set<std::string> values;
  for (const PlacedTrace& placed : run) {
    const auto found = std::ranges::find(placed.axes, axis, &TraceAxes::value_type::first);
    values.insert(found == placed.axes.end() ? "" : found->second);
  }
  return values;
}

bool tells_runs_apart(const std::vector<std::vector<PlacedTrace>>& runs, const std::string& axis) {
  std::set<std::string> all;
  for (const std::vector<PlacedTrace>& run : runs) {
    const std::set<std::string> values = values_on(run, axis);
    if (values.size() != 1) return false;
    all.insert(values.begin(), values.end());
  }
  return all.size() > 1;
}

}  // namespace

std::vector<PlacedTrace> label_runs(std::vector<std::vector<PlacedTrace>> runs,
                                    const std::vector<std::string>& labels) {
  std::set<std::string> left_out;
  for (const std::vector<PlacedTrace>& run : runs) {
    for (const auto& [name, value] : run.front().axes) {
      if (name == kRunAxis) {
        throw ConfigError(std::string("--layout: {") + kRunAxis +
                          "} is what compare calls its runs: expected another name for this axis");
      }
      if (tells_runs_apart(runs, name)) left_out.insert(name);
    }
  }
  std::vector<PlacedTrace> all;
  for (std::size_t run = 0; run < runs.size(); ++run) {
    for (PlacedTrace& placed : runs[run]) {
      std::erase_if(placed.axes, [&left_out](const auto& axis) { return left_out.contains(axis.first); });
      placed.axes.insert(placed.axes.begin(), {kRunAxis, labels[run]});
      all.push_back(std::move(placed));
    }
  }
  return all;
}

}  // namespace kernbench::traces
