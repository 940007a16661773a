#include "benches/gpu_predicted/errors.hpp"

#include <algorithm>
#include <string>

#include "benches/gpu_predicted/learned.hpp"
#include "benches/measured/cases/prediction_errors.hpp"
#include "benches/results/rows/measured_metrics.hpp"

namespace kernbench {
namespace {

bool is_regular(const Row& row) { return std::ranges::find(row.flags, "ragged") == row.flags.end(); }

std::string dtype_of(const Row& row) { return row.point.at("dtype").get<std::string>(); }

void add_groups_of(const std::string& dtype, std::vector<PredictionGroup>& groups) {
  const auto add = [&](const std::string& part, const std::function<bool(const Row&)>& has) {
    groups.push_back({dtype + part, [dtype, has](const Row& row) { return dtype_of(row) == dtype && has(row); }});
  };
  add("", is_regular);
  for (const char* l2 : {"warm", "flushed"}) {
    add(std::string(", ") + l2, [l2](const Row& row) { return is_regular(row) && row.point.at("l2") == l2; });
  }
  for (const char* state : {"burst", "steady"}) {
    add(std::string(", ") + state,
        [state](const Row& row) { return is_regular(row) && row.metrics.at(kClockState) == state; });
  }
  add(", ragged", [](const Row& row) { return !is_regular(row); });
}

void add_groups_by_time(std::vector<PredictionGroup>& groups) {
  struct Range {
    const char* name;
    double from_ns;
    double to_ns;
  };
  for (const Range& range : {Range{"up to 5 us", 0, 5e3}, Range{"5 to 20 us", 5e3, 20e3},
                             Range{"20 to 200 us", 20e3, 200e3}, Range{"from 200 us", 200e3, 1e18}}) {
    groups.push_back({range.name, [range](const Row& row) {
                        const auto measured = row.metrics.at(kMeasuredTime);
                        return is_regular(row) && measured >= range.from_ns && measured < range.to_ns;
                      }});
  }
}

std::string product_words(const Row& row) {
  return row.point.at("m").dump() + "x" + row.point.at("k").dump() + "x" + row.point.at("n").dump() + " " +
         dtype_of(row) + " " + row.point.at("l2").get<std::string>();
}

}  // namespace

std::vector<Row> product_error_rows(const Results& predicted) {
  PredictionsHeld held{.groups = {},
                       .others = {predicted_by("roofline"), predicted_by("milestone")},
                       .words = product_words,
                       .fitted = "products that the machine was fitted to"};
  for (const char* dtype : {"bf16", "fp16", "fp8_e4m3", "tf32", "fp32"}) add_groups_of(dtype, held.groups);
  add_groups_by_time(held.groups);
  const auto row = std::ranges::find_if(predicted.rows, is_counted);
  if (row != predicted.rows.end()) held.others.push_back(predicted_by_trees(row->metrics.at(kDeviceName)));
  return error_rows(predicted, held);
}

}  // namespace kernbench
