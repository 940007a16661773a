// What the numbers of a row must be by themselves: signs, quantiles, what a status allows, how well they repeat.
#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <string_view>

#include "benches/io/text/numbers.hpp"
#include "benches/measured/reference/checked_row.hpp"
#include "benches/results/rows/measured_metrics.hpp"

namespace kernbench {
namespace {

constexpr double kNoisySpread = 0.05;
/// Caches, higher clocks and reduction in the network (twice a link's bandwidth, 22.9) pass a peak; nothing passes
/// this.
constexpr double kMostOfPeak = 3;

constexpr std::array<std::string_view, 8> kTimesAndRates{"_ns",     "_ms",    "_gbs", "_gbps",
                                                         "_tflops", "tflops", "gbs",  "inference_speed"};
constexpr std::array<std::string_view, 5> kAboveZero{"_s", "_mb", "_w", "_mhz", "_count"};

bool is_time_or_rate(const std::string& metric) {
  const auto is_end = [&metric](std::string_view unit) { return metric.ends_with(unit); };
  return metric.starts_with("tflops") || std::any_of(kTimesAndRates.begin(), kTimesAndRates.end(), is_end);
}

bool is_above_zero(const std::string& metric) {
  const auto is_end = [&metric](std::string_view unit) { return metric.ends_with(unit); };
  return is_time_or_rate(metric) || std::any_of(kAboveZero.begin(), kAboveZero.end(), is_end);
}

bool is_fraction(const std::string& metric) { return metric.ends_with("_fraction") || metric == "efficiency"; }

void check_signs(const CheckedRow& row) {
  for (const auto& [name, value] : row.row().metrics.json().items()) {
    if (!value.is_number() || !says_unit(name)) continue;
    const auto number = value.get<double>();
    if (name.ends_with("_count") && number < 1) {
      row.expected(name, "at least 1 sample");
    } else if (is_above_zero(name) && !(number > 0)) {
      row.expected(name, "a number above 0");
    } else if (!(number >= 0)) {
      row.expected(name, "a number of at least 0");
    } else if (is_fraction(name) && number > kMostOfPeak) {
      row.expected(name, "a fraction of a peak, at most " + formatted("%g", kMostOfPeak) + " (55 % is 0.55)");
    }
  }
}

/// X of the metrics X_ns, X_p10_ns, X_p90_ns, X_count.
std::set<std::string> timed_quantities(const Json& metrics) {
  std::set<std::string> quantities;
  for (const auto& [name, value] : metrics.items()) {
    for (const std::string_view part : {"_p10_ns", "_p90_ns"}) {
      if (name.ends_with(part)) quantities.insert(name.substr(0, name.size() - part.size()));
    }
  }
  for (const char* always : {"time", "latency"}) {
    if (metrics.contains(std::string(always) + "_ns")) quantities.insert(always);
  }
  return quantities;
}

void check_order(const CheckedRow& row, const std::string& low, const std::string& high) {
  const auto a = row.positive(low);
  const auto b = row.positive(high);
  if (a && b && *a > *b)
    row.expected(low, "at most " + high + ", which is " + row.row().metrics.json().at(high).dump());
}

void check_quantiles(const CheckedRow& row) {
  for (const std::string& quantity : timed_quantities(row.row().metrics.json())) {
    const std::string median = quantity + "_ns";
    for (const char* part : {"_ns", "_p10_ns", "_p90_ns", "_count"}) {
      const std::string name = quantity + part;
      if (row.measured() && !row.has(name)) {
        row.finding(name, "is missing: a measured " + quantity + " has its median, p10, p90 and count");
      }
    }
    check_order(row, quantity + "_p10_ns", median);
    check_order(row, median, quantity + "_p90_ns");
    check_order(row, quantity + "_min_ns", median);
    check_order(row, median, quantity + "_max_ns");
  }
}

void check_result(const CheckedRow& row) {
  if (row.ok()) {
    const auto has = [&row](const char* metric) { return row.has(metric); };
    const bool any = row.bench().published_only ? !row.row().metrics.json().empty()
                                                : std::any_of(kResultMetrics.begin(), kResultMetrics.end(), has);
    if (!any) row.finding("status", "is ok, and there is no time_ns, latency_ns, gbs, tflops or busbw_gbs");
    return;
  }
  if (row.row().status != "failed" && row.row().status != "skipped") {
    row.finding("status", "expected ok, failed or skipped, got \"" + row.row().status + "\"");
  }
  if (row.row().reason.empty()) row.finding("reason", "is empty: a row that is " + row.row().status + " says why");
  for (const auto& [name, value] : row.row().metrics.json().items()) {
    if (is_time_or_rate(name)) {
      row.finding(name, "a row that is " + row.row().status + " has no times and rates: leave it out");
    }
  }
}

/// The flags of a row that was not measured again.
void check_single_run(const CheckedRow& row) {
  if (row.has("time_ns") && !row.has_flag("unrepeated")) {
    row.finding("flags", "there is no rerun_time_ns: the flag unrepeated is missing");
  }
  if (row.has("rerun_spread")) row.finding("rerun_spread", "there are no time_ns and rerun_time_ns to give it");
  if (row.has_flag("noisy")) row.finding("flags", "there is no second run: the flag noisy is wrong");
}

}  // namespace

void check_values(const CheckedRow& row) {
  check_signs(row);
  check_result(row);
  if (row.ok()) check_quantiles(row);
}

void check_noise(const CheckedRow& row) {
  if (row.has_flag("power_invalid") && row.has("avg_power_w")) {
    row.finding("avg_power_w", "the flag power_invalid says that it is no measurement: leave it out");
  }
  if (!row.measured() || !row.ok()) return;
  if (!row.has("time_ns") || !row.has("rerun_time_ns")) {
    check_single_run(row);
    return;
  }
  if (row.has_flag("unrepeated")) {
    row.finding("flags", "there is a rerun_time_ns: the flag unrepeated is wrong");
  }
  const auto first = row.positive("time_ns");
  const auto second = row.positive("rerun_time_ns");
  if (!first || !second) return;  // a finding already
  const double spread = std::abs(*second - *first) / std::min(*first, *second);
  const Json spread_said = row.row().metrics.json().value(kRerunSpread.name, Json(-1));
  const double said = spread_said.is_number() ? spread_said.get<double>() : -1;
  if (std::abs(said - spread) > 1e-3 * spread + 1e-4) {
    row.expected("rerun_spread", formatted("%.6g", spread) + ", which time_ns and rerun_time_ns give");
    return;
  }
  if ((said > kNoisySpread) != row.has_flag("noisy")) {
    row.finding("flags", "the spread of two runs is " + percent(said) + ": the flag noisy is " +
                             (said > kNoisySpread ? "missing" : "wrong") + " (it means above 5 %)");
  }
}

}  // namespace kernbench
