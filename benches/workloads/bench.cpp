// The registry of benches and the expansion of axes to points.
#include "benches/workloads/bench.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "sim/base/errors.hpp"
#include "sim/base/registry.hpp"
#include "sim/base/text.hpp"
#include "sim/machine/schema.hpp"

namespace kernbench {
namespace {

Registry<Bench>& registry() {
  static Registry<Bench> benches("bench");
  return benches;
}

std::vector<std::function<void()>>& later() {
  static std::vector<std::function<void()>> all;
  return all;
}

void register_the_rest() {
  const std::vector<std::function<void()>> rest = std::exchange(later(), {});
  for (const std::function<void()>& more : rest) more();
}

/// Gives it the axes that are read from files: megabytes of measured rows, which no other bench waits for.
void complete(Bench& bench) {
  if (bench.axes_from && bench.axes.empty()) bench.axes = bench.axes_from();
}

void merge(Point& point, const Axis& axis, const AxisValue& value) {
  const Json fields = value.fields.is_object() ? value.fields : Json{{axis.name, value.fields}};
  for (const auto& [name, field] : fields.items()) {
    if (point.contains(name)) throw std::logic_error("axis " + axis.name + " sets field " + name + " a second time");
    point[name] = field;
  }
}

std::vector<std::string> axes_of_first_alone(const Bench& first, const Bench& second) {
  std::vector<std::string> names;
  for (const Axis& axis : first.axes) {
    if (std::ranges::count(second.axes, axis.name, &Axis::name) == 0) names.push_back(axis.name);
  }
  return names;
}

}  // namespace

AxisValue read_value(const Axis& axis, const std::string& place, const std::string& text) {
  try {
    return axis.open->read(text);
  } catch (const ConfigError& error) {
    throw ConfigError(place + ": " + axis.name + ": " + error.what());
  }
}

std::vector<AxisValue> read_values(const Axis& axis, const std::string& place, const std::string& text) {
  const auto set = axis.open->sets.find(text);
  return set == axis.open->sets.end() ? std::vector{read_value(axis, place, text)} : set->second();
}

bool tells_apart(const Axis& axis) { return !axis.open || axis.values.size() > 1; }

std::string alike_text(const Bench& bench) {
  std::vector<std::string> alike;
  for (const Axis& axis : bench.axes) {
    const Json& fields = axis.values.front().fields;
    if (fields.is_object() && fields.empty()) continue;  // as usual
    if (!tells_apart(axis)) alike.push_back(axis.name + " " + axis.values.front().label);
  }
  return joined(alike, ", ");
}

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
        if (tells_apart(axis)) next.name += (next.name.empty() ? "" : " ") + value.label;
        expanded.push_back(std::move(next));
      }
    }
    points = std::move(expanded);
  }
  for (LabelledPoint& point : points) {
    if (point.name.empty()) point.name = joined(point.labels, " ");
  }
  if (bench.includes) {
    std::erase_if(points, [&bench](const LabelledPoint& point) { return !bench.includes(point.point); });
  }
  return points;
}

WorkloadOnMachine identity_of(const Bench& bench, const MachineSpec& machine, const Point& point,
                              const PointSettings& settings) {
  if (bench.identity) return bench.identity(machine, point, settings);
  return {bench.name,
          {{"bench", bench.name}, {"version", bench.version}, {"point", point}, {"verify", settings.verify}},
          machine_sha256(machine)};
}

void derive_rows(const Bench& bench, Results& simulated) {
  std::erase_if(simulated.rows, [](const Row& row) { return row.point.contains("derived"); });
  if (!bench.derive) return;
  for (Row& row : bench.derive(simulated)) {
    if (!row.point.contains("derived")) throw std::logic_error(bench.name + ": a derived row does not say so");
    simulated.rows.push_back(std::move(row));
  }
}

const Bench* side_of(const Bench& bench, MachineKind kind) {
  return bench.machine == kind ? &bench : bench.on_other_kind.get();
}

void refuse_axis_of_other_kind(const Bench& bench, const std::string& place, const std::string& axis) {
  if (std::ranges::count(bench.axes_of_other_kind, axis) == 0) return;
  const bool gpu = bench.machine == MachineKind::kGpu;
  std::vector<std::string> names;
  for (const Axis& one : bench.axes) names.push_back(one.name);
  throw ConfigError(place + ": " + axis + " is of " + (gpu ? "PEs" : "GPUs") + " alone, and the machine " +
                    (gpu ? "is a GPU" : "is one of PEs") + ": expected one of " + joined(names));
}

bool register_bench(Bench bench, SourcePlace place) {
  if (bench.on_other_kind) {
    Bench other = *bench.on_other_kind;
    if (other.machine == bench.machine) throw std::logic_error(bench.name + ": both sides run on the same machines");
    other.name = bench.name;
    other.summary = bench.summary;
    other.version = bench.version;
    other.folder = bench.folder + (other.machine == MachineKind::kGpu ? "/on_gpu" : "/on_pes");
    other.axes_of_other_kind = axes_of_first_alone(bench, other);
    bench.axes_of_other_kind = axes_of_first_alone(other, bench);
    bench.on_other_kind = std::make_shared<const Bench>(std::move(other));
  }
  registry().add(std::move(bench), place);
  return true;
}

bool register_later(std::function<void()> more) {
  later().push_back(std::move(more));
  return true;
}

const std::vector<Bench>& all_benches() {
  register_the_rest();
  std::ranges::for_each(registry().objects(), complete);
  return registry().all();
}

const Bench& find_bench(const std::string& name) {
  register_the_rest();
  const Bench& found = registry().find(name, "--bench");
  complete(registry().objects()[static_cast<std::size_t>(&found - registry().all().data())]);
  return found;
}

}  // namespace kernbench
