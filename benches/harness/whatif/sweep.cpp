#include "benches/harness/whatif/sweep.hpp"

#include "benches/harness/whatif/changes.hpp"
#include "sim/base/errors.hpp"
#include "sim/machine/schema.hpp"

namespace kernbench {
namespace {

constexpr std::size_t kMostPoints = 15'000;         ///< run: a file of results that can be read again (26.6)
constexpr std::size_t kMostCombinations = 200'000;  ///< of all axes, from which --only selects

}  // namespace

void require_few(const std::vector<LabelledPoint>& points) {
  if (points.size() <= kMostPoints) return;
  throw ConfigError("--sweep: expected at most 15000 points, got " + std::to_string(points.size()) +
                    ": sweep fewer values, or select some of the points with --only");
}

MachineSpec machine_of(const Point& point, MachineSpec machine) {
  for (const auto& [name, value] : point.items()) {
    if (const MachineKey* key = find_machine_key(name)) read_value(*key, value.get<std::string>(), machine);
  }
  require_consistent(machine);
  return machine;
}

Bench swept(const Bench& bench, const std::vector<Axis>& axes) {
  std::size_t points = expand_points(bench).size();
  for (const Axis& axis : axes) {
    points *= axis.values.size();
    if (points <= kMostCombinations) continue;
    throw ConfigError("--sweep: expected at most 200000 combinations in all, got " + std::to_string(points) +
                      " and more with " + axis.name + ": sweep fewer values");
  }
  Bench sweep = bench;
  sweep.name += "-sweep";
  sweep.axes.insert(sweep.axes.begin(), axes.begin(), axes.end());
  sweep.simulate = [simulate = bench.simulate](const MachineSpec& machine, const Point& point,
                                               const PointSettings& settings) {
    return simulate(machine_of(point, machine), point, settings);
  };
  if (bench.memory) {
    sweep.memory = [memory = bench.memory](const MachineSpec& machine, const Point& point,
                                           const PointSettings& settings) {
      return memory(machine_of(point, machine), point, settings);
    };
  }
  if (bench.cost) {
    sweep.cost = [cost = bench.cost](const MachineSpec& machine, const Point& point) {
      return cost(machine_of(point, machine), point);
    };
  }
  if (bench.theory) {
    sweep.theory = [theory = bench.theory](const MachineSpec& machine, const Point& point) {
      return theory(machine_of(point, machine), point);
    };
  }
  sweep.identity = [bench](const MachineSpec& machine, const Point& point, const PointSettings& settings) {
    Point own = Json::object();
    for (const auto& [name, value] : point.items()) {
      if (find_machine_key(name) == nullptr) own[name] = value;
    }
    return identity_of(bench, machine_of(point, machine), own, settings);
  };
  sweep.derive = {};
  sweep.figures_on_machine = {};
  sweep.headline = {};
  sweep.measured_bench = "";
  sweep.figures_beside = {};
  sweep.figures = [bench = sweep](const Results& simulated, const Results&) {
    return std::vector<Figure>{sweep_figure(bench, simulated)};
  };
  return sweep;
}

}  // namespace kernbench
