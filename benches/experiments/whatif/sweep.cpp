#include "benches/experiments/whatif/sweep.hpp"

#include <algorithm>
#include <exception>
#include <memory>
#include <set>
#include <string>

#include "benches/experiments/whatif/heat_map.hpp"
#include "benches/results/figures/waterfall.hpp"
#include "sim/base/capacity_error.hpp"
#include "sim/base/errors.hpp"
#include "sim/machine/topology_key.hpp"

namespace kernbench {
namespace {

constexpr std::size_t kMostPoints = 15'000;         ///< run: a file of results that can be read again (26.6)
constexpr std::size_t kMostCombinations = 200'000;  ///< of all axes, from which --only selects

/// The point without its keys of a machine.
Point own_point(const Point& point) {
  Point own = Json::object();
  for (const auto& [name, value] : point.items()) {
    if (!find_topology_key(name)) own[name] = value;
  }
  return own;
}

/// What is wrong on one machine of a sweep alone leaves that one out.
template <typename Make>
auto skipping(const Make& make) {
  try {
    return make();
  } catch (const CapacityError&) {
    throw;
  } catch (const ConfigError& error) {
    throw CapacityError(error.what());
  }
}

/// What neither the machine as it is nor any with these keys can do is wrong, whatever is swept.
std::function<void(const MachineSpec&, const Point&)> check_of(const Bench& bench, const std::vector<Axis>& keys) {
  Bench machines;
  machines.axes = keys;
  return [check = bench.check, machines, known = std::make_shared<std::set<std::string>>()](const MachineSpec& machine,
                                                                                            const Point& point) {
    const Point own = own_point(point);
    if (!known->insert(own.dump()).second) return;
    std::exception_ptr refused;
    const auto can = [&](const Point& with) {
      try {
        check(machine_of(with, machine), own);
      } catch (const ConfigError&) {
        if (refused == nullptr) refused = std::current_exception();
        return false;
      }
      return true;
    };
    if (can(Json::object())) return;
    const std::vector<LabelledPoint> swept = expand_points(machines);
    if (std::ranges::none_of(swept, can, &LabelledPoint::point)) std::rethrow_exception(refused);
  };
}

}  // namespace

void require_few(const std::vector<LabelledPoint>& points) {
  if (points.size() <= kMostPoints) return;
  throw ConfigError("--sweep: expected at most 15000 points, got " + std::to_string(points.size()) +
                    ": sweep fewer values, or select some of the points with --only");
}

MachineSpec with_keys_of(const Point& point, MachineSpec machine) {
  for (const auto& [name, value] : point.items()) {
    if (const std::optional<TopologyKey> key = find_topology_key(name))
      read_value(*key, value.get<std::string>(), machine);
  }
  return machine;
}

MachineSpec machine_of(const Point& point, MachineSpec machine) {
  machine = with_keys_of(point, std::move(machine));
  require_consistent(machine);
  return machine;
}

void require_listable(const Bench& bench) {
  std::size_t points = 1;
  for (const Axis& axis : bench.axes) {
    points *= axis.values.size();
    if (points <= kMostCombinations) continue;
    throw ConfigError("--sweep: expected at most 200000 combinations in all, got " + std::to_string(points) +
                      " and more with " + axis.name + ": sweep fewer values");
  }
}

Bench with_sweep_figure(Bench bench) {
  const Bench axes = bench;
  bench.figures = [axes](const Results& simulated, const Results&) {
    if (simulated.rows.size() == 1 && has_waterfall(simulated))
      return std::vector{waterfall_figure(simulated, axes.name)};
    if (simulated.rows.size() == 1 && axes.machine == MachineKind::kGpu) return std::vector<Figure>{};  // no ledger
    std::vector<Figure> figures{sweep_figure(axes, simulated)};
    if (std::optional<Figure> map = sweep_heat_map(axes, simulated)) figures.push_back(std::move(*map));
    return figures;
  };
  return bench;
}

bool is_open(const Bench& bench) {
  return std::ranges::any_of(bench.axes, [](const Axis& axis) { return axis.open.has_value(); });
}

Bench with_figures(const Bench& bench) { return is_open(bench) && !bench.figures ? with_sweep_figure(bench) : bench; }

bool has_other_points(const std::vector<Row>& rows, const Bench& bench) {
  std::set<std::string> points;
  for (const LabelledPoint& point : expand_points(bench)) points.insert(point.point.dump());
  return std::ranges::any_of(
      rows, [&](const Row& row) { return !row.point.contains("derived") && !points.contains(row.point.dump()); });
}

Bench swept(const Bench& bench, const std::vector<Axis>& axes) {
  Bench sweep = bench;
  sweep.name += "-sweep";
  if (bench.check) sweep.check = check_of(bench, axes);
  sweep.traces = {};  // which would be of all machines in one place
  sweep.axes.insert(sweep.axes.begin(), axes.begin(), axes.end());
  require_listable(sweep);
  sweep.simulate = [simulate = bench.simulate](const MachineSpec& machine, const Point& point,
                                               const PointSettings& settings) {
    return skipping([&] { return simulate(machine_of(point, machine), point, settings); });
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
      return skipping([&] { return theory(machine_of(point, machine), point); });
    };
  }
  sweep.identity = [bench](const MachineSpec& machine, const Point& point, const PointSettings& settings) {
    return identity_of(bench, machine_of(point, machine), own_point(point), settings);
  };
  sweep.derive = {};
  sweep.figures_on_machine = {};
  sweep.headline = {};
  sweep.measured_bench = "";
  sweep.figures_beside = {};
  sweep.toggles = {};
  return with_sweep_figure(std::move(sweep));
}

}  // namespace kernbench
