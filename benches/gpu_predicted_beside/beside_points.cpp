#include "benches/gpu_predicted_beside/beside_points.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "benches/harness/reference/store.hpp"
#include "benches/harness/source_tree.hpp"
#include "sim/base/quantity.hpp"

namespace kernbench {
namespace {

struct MeasuredBeside {
  std::map<std::string, std::map<std::string, Row>> rows;  ///< by device and point
  std::set<std::string> points;
  Axis products{.name = "product", .values = {}};
  Axis collectives{.name = "collective", .values = {}};
  Axis channels{.name = "channels", .values = {}};
};

Json fields_of(const Json& point, const std::vector<const char*>& names) {
  Json fields = Json::object();
  for (const char* name : names) fields[name] = point.at(name);
  return fields;
}

std::string key_of(const Json& point) {
  return fields_of(point, {"m", "k", "n", "dtype", "collective", "bytes", "gpus", "channels"}).dump();
}

void add_value(Axis& axis, AxisValue value) {
  if (std::ranges::find(axis.values, value.label, &AxisValue::label) == axis.values.end()) {
    axis.values.push_back(std::move(value));
  }
}

void add_row(MeasuredBeside& measured, const std::string& device, const Row& row) {
  const Json& point = row.point;
  const std::string key = key_of(point);
  measured.points.insert(key);
  measured.rows[device][key] = row;
  add_value(measured.products, {point.at("m").dump() + "x" + point.at("k").dump() + "x" + point.at("n").dump() + " " +
                                    point.at("dtype").get<std::string>(),
                                fields_of(point, {"m", "k", "n", "dtype"})});
  add_value(measured.collectives, {point.at("collective").get<std::string>() + " of " +
                                       format_quantity(point.at("bytes").get<std::int64_t>(), Dimension::kBytes) +
                                       " over " + point.at("gpus").dump(),
                                   fields_of(point, {"collective", "bytes", "gpus"})});
  add_value(measured.channels, point.at("channels").get<int>());
}

const MeasuredBeside& all_measured() {
  static const MeasuredBeside kMeasured = [] {
    MeasuredBeside measured;
    const auto root = in_source_tree(kReferenceFolder);
    for (const ReferenceFolder& folder : all_references(root)) {
      if (folder.published) continue;
      const std::optional<Results> results = read_reference(root, folder.name, "gpu-beside");
      if (!results) continue;
      for (const Row& row : results->rows) {
        if (row.status == "ok") add_row(measured, folder.name, row);
      }
    }
    return measured;
  }();
  return kMeasured;
}

}  // namespace

std::vector<Axis> beside_axes() {
  const MeasuredBeside& measured = all_measured();
  return {measured.products, measured.collectives, measured.channels};
}

bool was_measured_beside(const Point& point) { return all_measured().points.contains(key_of(point)); }

const Row* measured_beside(const std::string& device, const Point& point) {
  const auto rows = all_measured().rows.find(device);
  if (rows == all_measured().rows.end()) return nullptr;
  const auto row = rows->second.find(key_of(point));
  return row == rows->second.end() ? nullptr : &row->second;
}

}  // namespace kernbench
