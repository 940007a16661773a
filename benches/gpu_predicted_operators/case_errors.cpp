#include "benches/gpu_predicted_operators/case_errors.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "benches/harness/measured/statistics.hpp"
#include "sim/base/text.hpp"

namespace kernbench {
namespace {

struct CaseGroup {
  std::string of;
  std::function<bool(const Json& point)> has;
};

double case_number(const Row& row, const char* name) { return row.metrics.at(name).get<double>(); }

std::vector<CaseGroup> case_groups() {
  const auto is = [](const char* field, std::string value) {
    return [field, value = std::move(value)](const Json& point) { return point.value(field, "") == value; };
  };
  std::vector<CaseGroup> groups;
  for (const std::string operation : {"layernorm", "gelu", "swish", "mse", "cross_entropy"}) {
    groups.push_back({operation, is("operation", operation)});
    for (const char* field : {"dtype", "l2"}) {
      for (const std::string& value : field == std::string("l2") ? std::vector<std::string>{"warm", "flushed"}
                                                                : std::vector<std::string>{"bf16", "fp32"}) {
        groups.push_back({operation + ", " + value, [a = is("operation", operation), b = is(field, value)](
                                                        const Json& point) { return a(point) && b(point); }});
      }
    }
  }
  groups.push_back({"operators but cross_entropy", [](const Json& point) {
                      return point.contains("operation") && point.at("operation") != "cross_entropy";
                    }});
  for (const std::string copy :
       {"device_to_device", "device_to_host", "host_to_device", "peer", "peer_bidirectional"}) {
    groups.push_back({copy, is("copy", copy)});
  }
  return groups;
}

double mean_of(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

std::string case_words(const Row& row) {
  std::string words;
  for (const auto& [name, value] : row.point.items()) {
    words += (words.empty() ? "" : " ") + (value.is_string() ? value.get<std::string>() : value.dump());
  }
  return words + formatted(" %+.1f %%", 100 * case_number(row, "error"));
}

Row errors_of(const std::string& of, std::vector<const Row*> rows) {
  std::vector<double> signed_errors;
  std::vector<double> errors;
  std::vector<double> roofline;
  for (const Row* row : rows) {
    signed_errors.push_back(case_number(*row, "error"));
    errors.push_back(std::abs(signed_errors.back()));
    if (row->metrics.contains("roofline_ns")) {
      roofline.push_back(std::abs(case_number(*row, "roofline_ns") / case_number(*row, "measured_ns") - 1));
    }
  }
  Row error;
  error.point = {{"derived", "error"}, {"of", of}};
  error.metrics = {{"rows", rows.size()},
                   {"mean", mean_of(errors)},
                   {"median", median(errors)},
                   {"p90", quantile(errors, 0.9)},
                   {"bias", mean_of(signed_errors)}};
  if (!roofline.empty()) error.metrics["roofline_mean"] = mean_of(roofline);
  std::ranges::stable_sort(rows, std::greater<>{}, [](const Row* row) { return std::abs(case_number(*row, "error")); });
  constexpr std::size_t kWorst = 10;
  std::string worst;
  for (std::size_t i = 0; i < std::min(rows.size(), kWorst); ++i) {
    worst += (worst.empty() ? "" : "; ") + case_words(*rows[i]);
  }
  error.metrics["worst"] = worst;
  return error;
}

}  // namespace

bool is_counted_case(const Row& row) {
  return row.status == "ok" && row.metrics.contains("error") &&
         std::ranges::find(row.flags, "fitted") == row.flags.end();
}

std::vector<Row> case_error_rows(const Results& predicted) {
  std::vector<Row> rows;
  for (const CaseGroup& group : case_groups()) {
    std::vector<const Row*> members;
    for (const Row& row : predicted.rows) {
      if (is_counted_case(row) && group.has(row.point)) members.push_back(&row);
    }
    if (!members.empty()) rows.push_back(errors_of(group.of, std::move(members)));
  }
  const auto fitted =
      std::ranges::count_if(predicted.rows, [](const Row& row) { return row.status == "ok" && !is_counted_case(row); });
  Row left_out;
  left_out.point = {{"derived", "left out"}, {"of", "copies that the machine was fitted to"}};
  left_out.metrics = {{"rows", fitted}};
  rows.push_back(std::move(left_out));
  return rows;
}

}  // namespace kernbench
