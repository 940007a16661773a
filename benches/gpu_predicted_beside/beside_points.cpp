#include "benches/gpu_predicted_beside/beside_points.hpp"

#include <algorithm>

#include "benches/measured/reference/measured_rows.hpp"
#include "sim/base/quantity.hpp"

namespace kernbench {
namespace {

const MeasuredRows& measured() {
  static const MeasuredRows kMeasured("gpu-beside",
                                      {"m", "k", "n", "dtype", "collective", "bytes", "gpus", "channels"});
  return kMeasured;
}

Json fields_of(const Json& point, const std::vector<const char*>& names) {
  Json fields = Json::object();
  for (const char* name : names) fields[name] = point.at(name);
  return fields;
}

void add_value(Axis& axis, AxisValue value) {
  if (std::ranges::find(axis.values, value.label, &AxisValue::label) == axis.values.end()) {
    axis.values.push_back(std::move(value));
  }
}

}  // namespace

std::vector<Axis> beside_axes() {
  Axis products{.name = "product", .values = {}};
  Axis collectives{.name = "collective", .values = {}};
  Axis channels{.name = "channels", .values = {}};
  for (const Json& point : measured().points()) {
    add_value(products, {point.at("m").dump() + "x" + point.at("k").dump() + "x" + point.at("n").dump() + " " +
                             point.at("dtype").get<std::string>(),
                         fields_of(point, {"m", "k", "n", "dtype"})});
    add_value(collectives, {point.at("collective").get<std::string>() + " of " +
                                format_quantity(point.at("bytes").get<std::int64_t>(), Dimension::kBytes) + " over " +
                                point.at("gpus").dump(),
                            fields_of(point, {"collective", "bytes", "gpus"})});
    add_value(channels, point.at("channels").get<int>());
  }
  std::ranges::sort(channels.values, {}, [](const AxisValue& value) { return value.fields.get<int>(); });
  return {products, collectives, channels};
}

bool was_measured_beside(const Point& point) { return measured().contains(point); }

const Row* measured_beside(const std::string& device, const Point& point) { return measured().find(device, point); }

}  // namespace kernbench
