#include "benches/experiments/whatif/what_if_bench.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <utility>

#include "benches/experiments/whatif/whatif_metrics.hpp"
#include "benches/results/rows/cause_words.hpp"
#include "benches/results/rows/run_metrics.hpp"

namespace kernbench {
namespace {

double time_of(const Row& row) { return row.metrics.at(kTime); }

bool ran(const Row& row) { return row.status == "ok" && row.metrics.has(kTime); }

/// What most rows that have no ledger are limited by, those of GPUs; of equal ones the first.
void add_most_frequent_limit(Row& mean, const std::vector<const Row*>& rows) {
  std::vector<std::string> limits;
  for (const Row* row : rows) {
    if (row->metrics.has(kLimitedByShare) || !row->metrics.has(kLimitedBy)) return;
    limits.push_back(row->metrics.at(kLimitedBy));
  }
  mean.metrics.set(kLimitedBy, *std::ranges::max_element(limits, {}, [&limits](const std::string& limit) {
                     return std::ranges::count(limits, limit);
                   }));
}

/// Shares of each cause over the points, and what most are limited by.
void add_mean_ledger(Row& mean, const std::vector<const Row*>& rows) {
  const auto count = static_cast<double>(rows.size());
  std::map<std::string, std::vector<double>> limits;
  for (const Row* row : rows) {
    if (!row->metrics.has(kLimitedByShare)) return;
    limits[row->metrics.at(kLimitedBy)].push_back(row->metrics.at(kLimitedByShare));
  }
  std::size_t most = 0;
  for (const Cause cause : kCauses.values()) {
    double shares = 0;
    for (const Row* row : rows) shares += row->metrics.value_or(ledger_metric(cause), 0) / time_of(*row);
    if (shares > 0) mean.metrics.set(ledger_metric(cause), shares / count * time_of(mean));
    const auto found = limits.find(std::string(kCauses[cause]));
    if (found == limits.end() || found->second.size() <= most) continue;
    most = found->second.size();
    double share = 0;
    for (const double one : found->second) share += one / static_cast<double>(most);
    mean.metrics.set(kLimitedBy, kCauses[cause]);
    mean.metrics.set(kLimitedByShare, share);
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
  mean.metrics.set(kTime, counted.size() == 1 ? time_of(*counted.front())
                                              : std::exp(logarithms / static_cast<double>(counted.size())));
  mean.windows["pe_ns"] = mean.metrics.at(kTime);
  mean.metrics.set(kPointCount, counted.size());
  add_mean_ledger(mean, counted);
  add_most_frequent_limit(mean, counted);
  if (rows.size() > 1) return mean;
  for (const auto& metric : rows.front().metrics.json().items()) {  // of one point all that is known of it
    if (!mean.metrics.json().contains(metric.key())) mean.metrics.json()[metric.key()] = metric.value();
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
  Json& all = summary.metrics.json();
  for (const std::string_view name : {kTime.name, kPointCount.name, kLimitedBy.name, kLimitedByShare.name}) {
    if (all.contains(name)) kept[name] = all.at(name);
  }
  all = std::move(kept);
  for (const auto& field : rows.front().metrics.json().items()) {
    const std::string& name = field.key();
    const Json& value = field.value();
    if (std::ranges::all_of(rows, [&](const Row& row) { return row.metrics.json().value(name, Json()) == value; }) &&
        value.is_string()) {
      all[name] = value;
    }
    std::vector<double> values;
    for (const Row& row : rows) {
      if (row.metrics.json().contains(name) && row.metrics.json().at(name).is_number())
        values.push_back(row.metrics.json().at(name));
    }
    if (values.size() < rows.size()) continue;
    const auto [least, most] = std::ranges::minmax(values);
    const double sum = std::accumulate(values.begin(), values.end(), 0.0);
    if (!all.contains(name)) all[name] = sum / static_cast<double>(values.size());
    all[name + ".min"] = least;
    all[name + ".max"] = most;
  }
  return summary;
}

}  // namespace kernbench
