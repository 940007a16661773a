// The registry of benches and the expansion of axes to points.
#include "benches/harness/bench.hpp"

#include <algorithm>
#include <stdexcept>

#include "benches/harness/text/did_you_mean.hpp"
#include "sim/base/errors.hpp"

namespace kernbench {
namespace {

/// Constructed on first use: benches register while other translation units are still being initialised.
std::vector<Bench>& registry() {
  static std::vector<Bench> benches;
  return benches;
}

void merge(Point& point, const Axis& axis, const AxisValue& value) {
  const Json fields = value.fields.is_object() ? value.fields : Json{{axis.name, value.fields}};
  for (const auto& [name, field] : fields.items()) {
    if (point.contains(name)) throw std::logic_error("axis " + axis.name + " sets field " + name + " a second time");
    point[name] = field;
  }
}

}  // namespace

std::vector<LabelledPoint> expand_points(const Bench& bench) {
  std::vector<LabelledPoint> points{{Json::object(), {}}};
  for (const Axis& axis : bench.axes) {
    std::vector<LabelledPoint> expanded;
    expanded.reserve(points.size() * axis.values.size());
    for (const LabelledPoint& base : points) {
      for (const AxisValue& value : axis.values) {
        LabelledPoint next = base;
        merge(next.point, axis, value);
        next.labels.push_back(value.label);
        expanded.push_back(std::move(next));
      }
    }
    points = std::move(expanded);
  }
  if (bench.includes) {
    std::erase_if(points, [&bench](const LabelledPoint& point) { return !bench.includes(point.point); });
  }
  return points;
}

void derive_rows(const Bench& bench, Results& simulated) {
  std::erase_if(simulated.rows, [](const Row& row) { return row.point.contains("derived"); });
  if (!bench.derive) return;
  for (Row& row : bench.derive(simulated)) {
    if (!row.point.contains("derived")) throw std::logic_error(bench.name + ": a derived row does not say so");
    simulated.rows.push_back(std::move(row));
  }
}

bool register_bench(Bench bench) {
  auto& benches = registry();
  const auto place = std::lower_bound(benches.begin(), benches.end(), bench.name,
                                      [](const Bench& a, const std::string& name) { return a.name < name; });
  if (place != benches.end() && place->name == bench.name)
    throw std::logic_error("two benches are called " + bench.name);
  benches.insert(place, std::move(bench));
  return true;
}

const std::vector<Bench>& all_benches() { return registry(); }

const Bench& find_bench(const std::string& name) {
  std::vector<std::string> names;
  for (const Bench& bench : registry()) {
    if (bench.name == name) return bench;
    names.push_back(bench.name);
  }
  throw ConfigError("--bench: there is no bench \"" + name + "\"" + did_you_mean(name, names));
}

}  // namespace kernbench
