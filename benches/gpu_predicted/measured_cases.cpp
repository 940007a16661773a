#include "benches/gpu_predicted/measured_cases.hpp"

#include <algorithm>
#include <map>

#include "benches/harness/reference/store.hpp"
#include "benches/harness/source_tree.hpp"
#include "benches/harness/text/csv.hpp"
#include "sim/base/errors.hpp"
#include "sim/base/read_file.hpp"

namespace kernbench {
namespace {

constexpr const char* kProducts = "gpu-gemm";
constexpr const char* kBackend = "cublaslt";

/// Rows by point, a map a device.
struct Measured {
  std::map<std::string, std::map<std::string, MeasuredRow>> rows;
  std::set<std::string> points;
  std::vector<AxisValue> shapes;  ///< in the order in which the rows first have them
};

std::string key_of(const Point& point) {
  std::string key;
  for (const char* field : {"m", "k", "n", "dtype", "l2"}) key += point.at(field).dump() + " ";
  return key;
}

std::string shape_label(const Point& point) {
  return point.at("m").dump() + "x" + point.at("k").dump() + "x" + point.at("n").dump();
}

Measured read_measured() {
  Measured measured;
  std::set<std::string> labels;
  const auto root = in_source_tree(kReferenceFolder);
  for (const ReferenceFolder& folder : all_references(root)) {
    if (folder.published) continue;
    const std::optional<Results> results = read_reference(root, folder.name, kProducts);
    if (!results) continue;
    for (const Row& row : results->rows) {
      if (row.status != "ok" || row.point.at("backend") != kBackend) continue;
      const std::string key = key_of(row.point);
      measured.points.insert(key);
      const bool noisy = std::ranges::find(row.flags, "noisy") != row.flags.end();
      measured.rows[folder.name][key] = {row.metrics.at("time_ns").get<double>(), noisy};
      const std::string label = shape_label(row.point);
      if (!labels.insert(label).second) continue;
      measured.shapes.emplace_back(label,
                                   Json{{"m", row.point.at("m")}, {"k", row.point.at("k")}, {"n", row.point.at("n")}});
    }
  }
  return measured;
}

const Measured& measured() {
  static const Measured kMeasured = read_measured();
  return kMeasured;
}

}  // namespace

std::vector<Axis> measured_axes() {
  return {{.name = "shape", .values = measured().shapes},
          {.name = "dtype", .values = {"bf16", "fp16", "fp8_e4m3", "tf32", "fp32"}},
          {.name = "l2", .values = {"warm", "flushed"}}};
}

bool was_measured(const Point& point) { return measured().points.contains(key_of(point)); }

std::optional<MeasuredRow> measured_on(const std::string& device, const Point& point) {
  const auto rows = measured().rows.find(device);
  if (rows == measured().rows.end()) return std::nullopt;
  const auto row = rows->second.find(key_of(point));
  return row == rows->second.end() ? std::nullopt : std::optional(row->second);
}

Device measured_device(const std::string& slug) { return read_device(in_source_tree(kReferenceFolder), slug); }

GemmRows measured_products(const std::string& device) {
  return read_gemm_rows({.paths = {in_source_tree(kReferenceFolder) / device / reference_file_name(kProducts)},
                         .only = std::string("backend=") + kBackend});
}

std::string product_key(const Point& point) {
  const auto size = [&point](const char* name) { return std::to_string(point.at(name).get<std::int64_t>()); };
  return size("m") + " " + size("k") + " " + size("n") + " " + point.at("dtype").get<std::string>();
}

const std::set<std::string>& fitted_products(const LoadedGpu& gpu) {
  static std::map<std::string, std::set<std::string>> known;
  const auto [entry, is_new] = known.try_emplace(gpu.fitted_to);
  if (!is_new || gpu.fitted_to.empty()) return entry->second;
  std::vector<CsvLine> lines = parse_csv(read_file(gpu.fitted_to), gpu.fitted_to);
  for (const CsvLine& line : lines) {
    if (line.cells.size() != 4) {
      throw ConfigError(gpu.fitted_to + ":" + std::to_string(line.number) + ": expected m, k, n, dtype");
    }
    entry->second.insert(line.cells[0] + " " + line.cells[1] + " " + line.cells[2] + " " + line.cells[3]);
  }
  return entry->second;
}

}  // namespace kernbench
