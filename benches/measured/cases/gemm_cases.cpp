#include "benches/measured/cases/gemm_cases.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <stdexcept>

namespace kernbench {
namespace {

using Shape = std::vector<std::int64_t>;

std::vector<std::string> by_importance(const CheckedJson& suites) {
  std::vector<std::string> names;
  for (const char* name : {"milestone", "squares", "grid27", "skinny", "ragged", "universal", "grid64"}) {
    if (suites.has(name)) names.emplace_back(name);
  }
  for (const auto& [name, shapes] : suites.object().items()) {
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  return names;
}

/// Seconds, as an H200 takes about: set-up and samples, then the calls of one that is too long for the usual samples.
double estimate(const Shape& shape, const std::string& dtype, bool power_window) {
  const double flops =
      2.0 * static_cast<double>(shape[0]) * static_cast<double>(shape[1]) * static_cast<double>(shape[2]);
  const double rate = dtype == "fp32" ? 45e12 : dtype == "tf32" ? 300e12 : 550e12;
  constexpr double kCalls = 25;
  return 0.06 + kCalls * flops / rate + (power_window ? 1.0 : 0.0);
}

}  // namespace

std::vector<PlannedCase> gemm_cases(const Suites& suites, const std::string& backend, bool smoke) {
  const CheckedJson gemm = suites.part("gemm");
  const CheckedJson lists = gemm.at("suites");
  const std::vector<std::string> dtypes = texts_of(gemm.at("dtypes"));
  std::set<Shape> powered;
  for (const std::string& name : texts_of(gemm.at("power_suites"))) {
    for (const Shape& shape : shapes_of(lists.at(name), 3)) powered.insert(shape);
  }
  std::vector<PlannedCase> cases;
  std::set<Shape> seen;
  const auto add = [&](const std::string& suite, const Shape& shape) {
    if (!seen.insert(shape).second) return;
    for (const std::string& dtype : dtypes) {
      for (const char* l2 : {"warm", "flushed"}) {
        PlannedCase planned;
        planned.suite = suite;
        planned.point = {{"m", shape[0]},  {"k", shape[1]},      {"n", shape[2]},
                         {"dtype", dtype}, {"backend", backend}, {"l2", l2}};
        planned.power_window = l2 == std::string("warm") && powered.contains(shape);
        planned.estimate_s = estimate(shape, dtype, planned.power_window);
        cases.push_back(std::move(planned));
      }
    }
  };
  if (smoke) {
    for (const Shape& shape : {Shape{32, 64, 32}, Shape{1000, 1000, 1000}, Shape{1024, 1024, 1024}})
      add("smoke", shape);
    return cases;
  }
  for (const std::string& suite : by_importance(lists)) {
    for (const Shape& shape : shapes_of(lists.at(suite), 3)) add(suite, shape);
  }
  return cases;
}

double gemm_tolerance(const std::string& dtype, std::int64_t k) {
  if (dtype == "fp32") return 1e-5 + 2e-7 * std::sqrt(static_cast<double>(k));
  if (dtype == "tf32") return 2e-3;
  if (dtype == "fp16") return 2e-3;
  if (dtype == "bf16") return 1e-2;
  if (dtype == "fp8_e4m3") return 1e-2;
  throw std::invalid_argument("there is no dtype \"" + dtype + "\"");
}

}  // namespace kernbench
