#include "benches/experiments/whatif/what_if_bench.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <utility>

#include "benches/results/rows/cause_words.hpp"

namespace kernbench {
namespace {

double time_of(const Row& row) { return row.metrics.at("time_ns").get<double>(); }

bool ran(const Row& row) { return row.status == "ok" && row.metrics.contains("time_ns"); }

/// What most rows that have no ledger are limited by, those of GPUs; of equal ones the first.
void add_most_frequent_limit(Row& mean, const std::vector<const Row*>& rows) {
  std::vector<std::string> limits;
  for (const Row* row : rows) {
    if (row->metrics.contains("limited_by_share") || !row->metrics.contains("limited_by")) return;
    limits.push_back(row->metrics.at("limited_by"));
  }
  mean.metrics["limited_by"] = *std::ranges::max_element(
      limits, {}, [&limits](const std::string& limit) { return std::ranges::count(limits, limit); });
}

/// Shares of each cause over the points, and what most are limited by.
void add_mean_ledger(Row& mean, const std::vector<const Row*>& rows) {
  const auto count = static_cast<double>(rows.size());
  std::map<std::string, std::vector<double>> limits;
  for (const Row* row : rows) {
    if (!row->metrics.contains("limited_by_share")) return;
    limits[row->metrics.at("limited_by").get<std::string>()].push_back(
        row->metrics.at("limited_by_share").get<double>());
  }
  std::size_t most = 0;
  for (const CauseWords& cause : kCauseWords) {
    double shares = 0;
    for (const Row* row : rows) shares += row->metrics.value(ledger_metric(cause.cause), 0.0) / time_of(*row);
    if (shares > 0) mean.metrics[ledger_metric(cause.cause)] = shares / count * time_of(mean);
    const auto found = limits.find(std::string(cause.cause));
    if (found == limits.end() || found->second.size() <= most) continue;
    most = found->second.size();
    double share = 0;
    for (const double one : found->second) share += one / static_cast<double>(most);
    mean.metrics["limited_by"] = cause.cause;
    mean.metrics["limited_by_share"] = share;
  }
}

}  // namespace

Row mean_row(const std::vector<Row>& rows, const std::vector<Row>& base) {
  Row mean;
  std::vector<const Row*> counted;
  double logarithms = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (!ran(base[i])) continue;
    if (!ran(rows[i])) {
      mean.status = rows[i].status == "ok" ? "failed" : rows[i].status;
      mean.reason = rows[i].reason;
      return mean;
    }
    counted.push_back(&rows[i]);
    logarithms += std::log(time_of(rows[i]));
  }
  if (counted.empty()) {
    const auto is_skipped = [](const Row& row) { return row.status == "skipped"; };
    mean.status = !base.empty() && std::ranges::all_of(base, is_skipped) ? "skipped" : "failed";
    mean.reason = "no point runs on this machine: " + (base.empty() ? "there is none" : base.front().reason);
    return mean;
  }
  mean.metrics["time_ns"] =
      counted.size() == 1 ? time_of(*counted.front()) : std::exp(logarithms / static_cast<double>(counted.size()));
  mean.windows["pe_ns"] = mean.metrics["time_ns"];
  mean.metrics["points"] = counted.size();
  add_mean_ledger(mean, counted);
  add_most_frequent_limit(mean, counted);
  if (rows.size() > 1) return mean;
  for (const auto& metric : rows.front().metrics.items()) {  // of one point all that is known of it
    if (!mean.metrics.contains(metric.key())) mean.metrics[metric.key()] = metric.value();
  }
  return mean;
}

Row summary_row(const std::vector<Row>& rows) {
  const auto stopped = std::ranges::find_if_not(rows, ran);
  if (stopped != rows.end()) {
    Row row;
    row.status = stopped->status == "ok" ? "failed" : stopped->status;
    row.reason = stopped->status == "ok" ? "it has no time_ns" : stopped->reason;
    return row;
  }
  Row summary = mean_row(rows, rows);
  if (summary.status != "ok") return summary;
  Json kept = Json::object();  // a share is one of its limit: they go together
  for (const char* const name : {"time_ns", "points", "limited_by", "limited_by_share"}) {
    if (summary.metrics.contains(name)) kept[name] = summary.metrics.at(name);
  }
  summary.metrics = std::move(kept);
  for (const auto& field : rows.front().metrics.items()) {
    const std::string& name = field.key();
    const Json& value = field.value();
    if (std::ranges::all_of(rows, [&](const Row& row) { return row.metrics.value(name, Json()) == value; }) &&
        value.is_string()) {
      summary.metrics[name] = value;
    }
    std::vector<double> values;
    for (const Row& row : rows) {
      if (row.metrics.contains(name) && row.metrics.at(name).is_number()) values.push_back(row.metrics.at(name));
    }
    if (values.size() < rows.size()) continue;
    const auto [least, most] = std::ranges::minmax(values);
    const double sum = std::accumulate(values.begin(), values.end(), 0.0);
    if (!summary.metrics.contains(name)) summary.metrics[name] = sum / static_cast<double>(values.size());
    summary.metrics[name + ".min"] = least;
    summary.metrics[name + ".max"] = most;
  }
  return summary;
}

}  // namespace kernbench
