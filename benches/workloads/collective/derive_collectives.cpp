#include "benches/workloads/collective/derive_collectives.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "benches/results/rows/run_metrics.hpp"
#include "benches/results/statistics/alpha_beta_fit.hpp"
#include "benches/workloads/collective/collective_metrics.hpp"

namespace kernbench {
namespace {

constexpr Metric<double> kResidualRms{"residual_rms"};

/// Rows that agree in what is left of their points, in the order of their first ones.
struct Group {
  Json point;
  std::vector<const Row*> rows;
};

double time_ns(const Row& row) { return row.metrics.at(kTime); }

std::vector<Group> groups_without(const Results& simulated, const std::vector<std::string>& fields) {
  std::vector<Group> groups;
  for (const Row& row : simulated.rows) {
    if (row.status != "ok" || time_ns(row) <= 0) continue;
    Json point = row.point;
    for (const std::string& field : fields) point.erase(field);
    const auto same = [&point](const Group& group) { return group.point == point; };
    auto group = std::find_if(groups.begin(), groups.end(), same);
    if (group == groups.end()) group = groups.insert(groups.end(), {std::move(point), {}});
    group->rows.push_back(&row);
  }
  return groups;
}

void add_fits(const Group& group, std::vector<Row>& derived) {
  constexpr std::size_t kLeastSizes = 3;
  if (group.rows.size() < kLeastSizes) return;
  std::vector<SizeAndTime> points;
  for (const Row* row : group.rows) points.push_back({row->point.at("bytes").get<Bytes>(), time_ns(*row)});
  const AlphaBetaFit fit = fit_alpha_beta(std::move(points));
  for (std::size_t i = 0; i < fit.segments.size(); ++i) {
    const AlphaBetaSegment& segment = fit.segments[i];
    Row& row = derived.emplace_back();
    row.point = group.point;
    row.point["derived"] = "fit";
    row.point["segment"] = i;
    row.metrics = {{kAlphaNs, segment.alpha_ns},           {kBetaNsPerByte, segment.beta_ns_per_byte},
                   {kFitFrom, segment.first_bytes},        {kFitTo, segment.last_bytes},
                   {kResidualRms, fit.rms_relative_error}, {kResidualMax, fit.max_relative_error}};
  }
}

void add_best(const Group& group, std::vector<Row>& derived) {
  std::vector<const Row*> rows = group.rows;
  std::stable_sort(rows.begin(), rows.end(), [](const Row* a, const Row* b) { return time_ns(*a) < time_ns(*b); });
  if (!rows.front()->point.contains("algorithm")) return;  // of GPUs, whose library has one
  const Json& fastest = rows.front()->point.at("algorithm");
  const auto other = [&fastest](const Row* row) { return row->point.at("algorithm") != fastest; };
  const auto next = std::find_if(rows.begin(), rows.end(), other);
  if (next == rows.end()) return;
  Row& row = derived.emplace_back();
  row.point = group.point;
  row.point["derived"] = "best";
  row.metrics = {{kFastestAlgorithm, fastest.get<std::string>()},
                 {kTime, time_ns(*rows.front())},
                 {kNextAlgorithm, (*next)->point.at("algorithm").get<std::string>()},
                 {kNextTime, time_ns(**next)},
                 {kIsTie, 100 * time_ns(**next) <= 101 * time_ns(*rows.front())}};
}

}  // namespace

std::vector<Row> derive_collectives(const Results& simulated) {
  std::vector<Row> derived;
  for (const Group& group : groups_without(simulated, {"bytes"})) add_fits(group, derived);
  for (const Group& group : groups_without(simulated, {"algorithm", "root_die"})) add_best(group, derived);
  return derived;
}

}  // namespace kernbench
