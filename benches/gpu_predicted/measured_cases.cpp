#include "benches/gpu_predicted/measured_cases.hpp"

#include <set>

#include "benches/io/files/source_tree.hpp"
#include "benches/measured/reference/measured_rows.hpp"
#include "benches/measured/reference/store.hpp"

namespace kernbench {
namespace {

constexpr const char* kProducts = "gpu-gemm";
constexpr const char* kBackend = "cublaslt";

const MeasuredRows& measured() {
  static const MeasuredRows kMeasured(kProducts, {"m", "k", "n", "dtype", "l2"},
                                      [](const Row& row) { return row.point.at("backend") == kBackend; });
  return kMeasured;
}

}  // namespace

std::vector<Axis> measured_axes() {
  Axis shapes{.name = "shape", .values = {}};
  std::set<std::string> labels;
  for (const Json& point : measured().points()) {
    const std::string label = point.at("m").dump() + "x" + point.at("k").dump() + "x" + point.at("n").dump();
    if (!labels.insert(label).second) continue;
    shapes.values.emplace_back(label, Json{{"m", point.at("m")}, {"k", point.at("k")}, {"n", point.at("n")}});
  }
  return {shapes,
          {.name = "dtype", .values = {"bf16", "fp16", "fp8_e4m3", "tf32", "fp32"}},
          {.name = "l2", .values = {"warm", "flushed"}}};
}

bool was_measured(const Point& point) { return measured().contains(point); }

const Row* measured_on(const std::string& device, const Point& point) { return measured().find(device, point); }

Device measured_device(const std::string& slug) { return read_device(in_source_tree(kReferenceFolder), slug); }

GemmRows measured_products(const std::string& device) {
  return read_gemm_rows({.paths = {in_source_tree(kReferenceFolder) / device / reference_file_name(kProducts)},
                         .only = std::string("backend=") + kBackend});
}

}  // namespace kernbench
