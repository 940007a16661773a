#include "benches/gpu_predicted/errors.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <numeric>

#include "benches/gpu_predicted/learned.hpp"
#include "sim/base/text.hpp"

namespace kernbench {
namespace {

bool has_flag(const Row& row, const char* flag) { return std::ranges::find(row.flags, flag) != row.flags.end(); }

double number(const Row& row, const char* metric) { return row.metrics.at(metric).get<double>(); }

struct Group {
  std::string of;
  std::function<bool(const Row&)> has;
};

std::string dtype_of(const Row& row) { return row.point.at("dtype").get<std::string>(); }

/// Groups of a dtype, regular products first; then by size.
std::vector<Group> groups() {
  std::vector<Group> all;
  for (const std::string dtype : {"bf16", "fp16", "fp8_e4m3", "tf32", "fp32"}) {
    const auto add = [&all, dtype](const std::string& of, std::function<bool(const Row&)> has) {
      all.push_back({dtype + (of.empty() ? "" : ", " + of),
                     [dtype, has = std::move(has)](const Row& row) { return dtype_of(row) == dtype && has(row); }});
    };
    const auto regular = [](const Row& row) { return !has_flag(row, "ragged"); };
    add("", regular);
    for (const std::string l2 : {"warm", "flushed"}) {
      add(l2, [regular, l2](const Row& row) { return regular(row) && row.point.at("l2") == l2; });
    }
    for (const std::string state : {"burst", "steady"}) {
      add(state, [regular, state](const Row& row) { return regular(row) && row.metrics.at("state") == state; });
    }
    add("ragged", [](const Row& row) { return has_flag(row, "ragged"); });
  }
  const std::vector<std::pair<std::string, std::pair<double, double>>> sizes{{"up to 5 us", {0, 5e3}},
                                                                             {"5 to 20 us", {5e3, 20e3}},
                                                                             {"20 to 200 us", {20e3, 200e3}},
                                                                             {"from 200 us", {200e3, 1e18}}};
  for (const auto& [name, range] : sizes) {
    all.push_back({name, [range](const Row& row) {
                     const double time = number(row, "measured_ns");
                     return !has_flag(row, "ragged") && time >= range.first && time < range.second;
                   }});
  }
  return all;
}

void add_error(Json& metrics, const std::string& prefix, const std::vector<double>& errors) {
  const ErrorOf error = error_of(errors);
  if (error.rows == 0) return;
  metrics[prefix + "mean"] = error.mean;
  metrics[prefix + "median"] = error.median;
  metrics[prefix + "p90"] = error.p90;
  metrics[prefix + "bias"] = error.bias;
}

std::string words_of(const Row& row) {
  return row.point.at("m").dump() + "x" + row.point.at("k").dump() + "x" + row.point.at("n").dump() + " " +
         dtype_of(row) + " " + row.point.at("l2").get<std::string>();
}

}  // namespace

ErrorOf error_of(std::vector<double> errors) {
  ErrorOf of;
  of.rows = errors.size();
  if (errors.empty()) return of;
  const auto count = static_cast<double>(errors.size());
  of.bias = std::accumulate(errors.begin(), errors.end(), 0.0) / count;
  for (double& error : errors) error = std::abs(error);
  std::ranges::sort(errors);
  of.mean = std::accumulate(errors.begin(), errors.end(), 0.0) / count;
  const auto at = [&errors](double quantile) {  // linear between order statistics
    const double place = quantile * static_cast<double>(errors.size() - 1);
    const auto below = static_cast<std::size_t>(place);
    const std::size_t above = std::min(below + 1, errors.size() - 1);
    return errors[below] + (place - static_cast<double>(below)) * (errors[above] - errors[below]);
  };
  of.median = at(0.5);
  of.p90 = at(0.9);
  return of;
}

std::vector<Row> error_rows(const Results& predicted) {
  std::vector<const Row*> counted;
  std::size_t fitted = 0;
  for (const Row& row : predicted.rows) {
    if (row.status != "ok" || !row.metrics.contains("error")) continue;
    if (has_flag(row, "fitted")) {
      ++fitted;
    } else {
      counted.push_back(&row);
    }
  }
  const std::map<const Row*, double> learned = learned_times(predicted, counted);
  std::vector<Row> rows;
  for (const Group& group : groups()) {
    std::vector<double> errors;
    std::vector<double> roofline;
    std::vector<double> trees;
    std::vector<const Row*> members;
    for (const Row* row : counted) {
      if (!group.has(*row)) continue;
      members.push_back(row);
      const double measured = number(*row, "measured_ns");
      errors.push_back(number(*row, "error"));
      if (row->metrics.contains("roofline_ns")) roofline.push_back(number(*row, "roofline_ns") / measured - 1);
      if (const auto found = learned.find(row); found != learned.end()) trees.push_back(found->second / measured - 1);
    }
    if (members.empty()) continue;
    std::ranges::stable_sort(members, std::greater<>{}, [](const Row* row) { return std::abs(number(*row, "error")); });
    Row row;
    row.point = {{"derived", "error"}, {"of", group.of}};
    row.metrics = {{"rows", errors.size()}};
    add_error(row.metrics, "", errors);
    add_error(row.metrics, "roofline_", roofline);
    add_error(row.metrics, "trees_", trees);
    std::string worst;
    for (std::size_t i = 0; i < std::min<std::size_t>(members.size(), 10); ++i) {
      worst += (worst.empty() ? "" : "; ") + words_of(*members[i]) + " " +
               formatted("%+.1f %%", 100 * number(*members[i], "error"));
    }
    row.metrics["worst"] = worst;
    rows.push_back(std::move(row));
  }
  Row left_out;
  left_out.point = {{"derived", "left out"}, {"of", "products that the machine was fitted to"}};
  left_out.metrics = {{"rows", fitted}};
  rows.push_back(std::move(left_out));
  return rows;
}

}  // namespace kernbench
