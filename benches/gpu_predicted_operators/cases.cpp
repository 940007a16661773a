#include "benches/gpu_predicted_operators/cases.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <set>

#include "benches/harness/reference/device.hpp"
#include "benches/harness/reference/store.hpp"
#include "benches/harness/source_tree.hpp"

namespace kernbench {
namespace {

struct Cases {
  std::vector<AxisValue> values;
  std::map<std::string, std::map<std::string, MeasuredCase>> rows;  ///< by device and point
};

Json fields_of(const Point& point, const std::vector<const char*>& names) {
  Json fields = Json::object();
  for (const char* name : names) fields[name] = point.at(name);
  return fields;
}

std::string label_of(const Json& fields) {
  std::string label;
  for (const auto& [name, value] : fields.items()) {
    label += (label.empty() ? "" : " ") + (value.is_string() ? value.get<std::string>() : value.dump());
  }
  return label;
}

std::optional<double> copy_roofline(const Row& row, const Device& device) {
  const std::string copy = row.point.at("copy");
  const auto bytes = row.point.at("bytes").get<double>();
  if (copy == "device_to_device") return 2 * bytes / device.memory_gbs;
  if (copy.starts_with("peer") && device.link_gbs) return bytes / *device.link_gbs;
  return std::nullopt;
}

void add_rows(Cases& cases, const std::string& folder, const char* bench, const std::vector<const char*>& names) {
  const auto root = in_source_tree(kReferenceFolder);
  const std::optional<Results> results = read_reference(root, folder, bench);
  if (!results) return;
  const Device device = read_device(root, folder);
  std::set<std::string> known;
  for (const AxisValue& value : cases.values) known.insert(value.label);
  for (const Row& row : results->rows) {
    if (row.status != "ok" || !row.metrics.contains("time_ns")) continue;
    if (row.point.contains("implementation") && row.point.at("implementation") != "pytorch") continue;
    MeasuredCase measured{row.metrics.at("time_ns").get<double>(), std::nullopt, false};
    if (row.point.contains("copy")) measured.roofline_ns = copy_roofline(row, device);
    if (row.metrics.contains("efficiency")) {
      measured.roofline_ns = row.metrics.at("efficiency").get<double>() * measured.time_ns;
    }
    measured.noisy = std::ranges::find(row.flags, "noisy") != row.flags.end();
    Json fields = fields_of(row.point, names);
    const std::string label = label_of(fields);
    cases.rows[folder].insert_or_assign(label, measured);
    if (known.insert(label).second) cases.values.emplace_back(label, std::move(fields));
  }
}

const Cases& measured_cases() {
  static const Cases kCases = [] {
    Cases cases;
    for (const ReferenceFolder& folder : all_references(in_source_tree(kReferenceFolder))) {
      if (folder.published) continue;
      add_rows(cases, folder.name, "gpu-operators",
               {"operation", "batch_size", "sequence_length", "tensor_dimension", "dtype", "l2"});
      add_rows(cases, folder.name, "gpu-copy", {"copy", "gpus", "bytes"});
    }
    return cases;
  }();
  return kCases;
}

}  // namespace

std::vector<Axis> operator_case_axes() { return {{.name = "case", .values = measured_cases().values}}; }

std::optional<MeasuredCase> measured_case(const std::string& device, const Point& point) {
  const auto rows = measured_cases().rows.find(device);
  if (rows == measured_cases().rows.end()) return std::nullopt;
  const auto row = rows->second.find(label_of(point));
  return row == rows->second.end() ? std::nullopt : std::optional(row->second);
}

bool is_fitted_copy(const Point& point) {
  if (!point.contains("copy") || point.at("copy") == "peer_bidirectional" || point.at("gpus") > 2) return false;
  const auto bytes = point.at("bytes").get<std::uint64_t>();
  constexpr int kEvery = 4;  // a kibibyte times powers of sixteen
  return std::has_single_bit(bytes) && (std::countr_zero(bytes) - 10) % kEvery == 0;
}

}  // namespace kernbench
