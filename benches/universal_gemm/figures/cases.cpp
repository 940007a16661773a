#include "benches/universal_gemm/figures/cases.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "benches/results/figures/rows.hpp"
#include "benches/results/figures/theme.hpp"
#include "benches/results/rows/measured_metrics.hpp"
#include "benches/results/rows/run_metrics.hpp"

namespace kernbench {

const std::vector<std::string>& toggled_fields() {
  static const std::vector<std::string> fields{"group", "method", "partitions", "replication", "source"};
  return fields;
}

std::string shape_text(const Row& row) {
  const auto size = [&row](const char* name) { return std::to_string(row.point.at(name).get<std::int64_t>()); };
  return size("m") + "×" + size("k") + "×" + size("n");
}

std::string layout_of(const Row& row) {
  const int replication = row.point.at("replication");
  return row.point.at("partitions").get<std::string>() + (replication > 1 ? " ×" + std::to_string(replication) : "");
}

Json method_colours(const std::vector<std::string>& methods) {
  using Colour = std::pair<const char*, const char*>;
  constexpr std::array kColours{Colour{"stationary_a", palette::kBlue}, Colour{"stationary_b", palette::kOrange},
                                Colour{"stationary_c", palette::kGreen}, Colour{"dtensor", palette::kPurple}};
  Json range = Json::array();
  for (const std::string& method : methods) {
    const auto* const known = std::ranges::find(kColours, method, &Colour::first);
    range.push_back(known == kColours.end() ? palette::kGrey : known->second);
  }
  return {{"domain", methods}, {"range", std::move(range)}};
}

Json case_record(const Row& row) {
  Json record = row.point;
  record["shape"] = shape_text(row);
  record["layout"] = layout_of(row);
  for (const char* name :
       {"time_ns", "tflops", "peak_fraction", "bound_ns", "bound_bottleneck", "received_bytes", "exposed_ns"}) {
    record[name] = metric(&row, name);
  }
  if (row.status == "ok" && row.metrics.has(kBoundTime)) {
    record["bound_fraction"] = row.metrics.at(kPeakFraction) * row.metrics.at(kTime) / row.metrics.at(kBoundTime);
  }
  return record;
}

Json simulated_record(const Row& row) {
  Json record = case_record(row);
  record["source"] = kSimulated;
  return record;
}

const Row* measured_row(const Results& measured, const Row& row) {
  Json fields{{"gpus", row.metrics.at(kWorldSize)}};
  for (const char* name : {"m", "k", "n", "method", "partitions", "replication"}) fields[name] = row.point.at(name);
  const std::vector<const Row*> rows = rows_where(measured, fields);
  return rows.empty() || rows.front()->status != "ok" ? nullptr : rows.front();
}

}  // namespace kernbench
