// Predictions beside measured rows of distributed GEMMs (57.8).
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>

#include "benches/cli/sim_universal_gemm.hpp"
#include "benches/io/text/numbers.hpp"
#include "benches/io/text/table.hpp"
#include "benches/io/text/wrap.hpp"
#include "benches/measured/cases/distributed_gemm_cases.hpp"
#include "benches/measured/cases/statistics.hpp"
#include "benches/results/report/run_report.hpp"
#include "benches/results/rows/measured_metrics.hpp"
#include "benches/results/rows/run_metrics.hpp"
#include "benches/results/rows/store.hpp"
#include "benches/results/statistics/rank_correlation.hpp"
#include "sim/base/errors.hpp"
#include "sim/base/text.hpp"

namespace kernbench {
namespace {

constexpr Metric<double> kAgainTime{"again_ns"};

constexpr double kTie = 0.05;       // of the measured time
constexpr double kSamePlan = 1e-9;  // of the predicted time: the commands are the same

/// How often a case was run, one after the other, until half of its samples were there and to the end (docs/gpu.md).
double runs_of(double ns) {
  constexpr double kBefore = 4;
  constexpr double kAim = 15e6;
  constexpr double kLeast = 10;
  constexpr double kMost = 50;
  if (ns * kLeast > 10 * kAim) return kBefore + kLeast / 2;
  return kBefore + std::clamp(std::ceil(kAim / ns), kLeast, kMost);
}

using MeasuredCase = std::array<std::int64_t, 4>;
using Cases = std::map<MeasuredCase, std::vector<const Row*>>;

Cases cases_of(const std::vector<Row>& rows) {
  Cases cases;
  for (const Row& row : rows) {
    const auto of = [&row](const char* name) { return row.point.at(name).get<std::int64_t>(); };
    cases[{of("m"), of("k"), of("n"), of("gpus")}].push_back(&row);
  }
  return cases;
}

/// A method by its best partitions and replication.
struct Best {
  double measured = 0;
  double predicted = 0;
};

struct Ranked {
  std::map<std::string, Best> methods;
  std::string measured;                ///< the best method
  std::vector<std::string> predicted;  ///< the best methods: several where they come to the same commands
  double least_loss = 0;               ///< of the best of them, as measured
  double most_loss = 0;                ///< of the worst of them
  double followed = 0;                 ///< loss of the row that is predicted to be the fastest
  double rank_correlation = 0;
  double error = 0;
  double again = 0;  ///< loss of following the second measurement, judged by the first
};

double error_of(const Row& row) { return std::abs(row.metrics.at(kError)); }

Ranked rank(const std::vector<const Row*>& rows) {
  Ranked ranked;
  std::vector<double> measured;
  std::vector<double> predicted;
  const Row* fastest = rows.front();
  for (const Row* row : rows) {
    measured.push_back(row->metrics.at(kMeasuredTime));
    predicted.push_back(row->metrics.at(kTime));
    ranked.error += error_of(*row) / static_cast<double>(rows.size());
    if (predicted.back() < fastest->metrics.at(kTime)) fastest = row;
    const std::string method = row->point.at("method").get<std::string>();
    const auto [at, added] = ranked.methods.emplace(method, Best{measured.back(), predicted.back()});
    if (added) continue;
    at->second.measured = std::min(at->second.measured, measured.back());
    at->second.predicted = std::min(at->second.predicted, predicted.back());
  }
  const auto by = [&](double Best::*time) {
    return std::ranges::min_element(ranked.methods, {}, [time](const auto& one) { return one.second.*time; });
  };
  ranked.measured = by(&Best::measured)->first;
  const double least = by(&Best::measured)->second.measured;
  const double least_predicted = by(&Best::predicted)->second.predicted;
  std::vector<double> losses;
  for (const auto& [method, best] : ranked.methods) {
    if (best.predicted > least_predicted * (1 + kSamePlan)) continue;
    ranked.predicted.push_back(method);
    losses.push_back(best.measured / least - 1);
  }
  ranked.least_loss = std::ranges::min(losses);
  ranked.most_loss = std::ranges::max(losses);
  ranked.followed = fastest->metrics.at(kMeasuredTime) / std::ranges::min(measured) - 1;
  ranked.rank_correlation = rank_correlation(measured, predicted);
  std::map<std::string, double> again;
  for (const Row* row : rows) {
    const auto at = again.emplace(row->point.at("method").get<std::string>(), row->metrics.at(kAgainTime)).first;
    at->second = std::min(at->second, row->metrics.at(kAgainTime));
  }
  const auto by_again = std::ranges::min_element(again, {}, [](const auto& one) { return one.second; });
  ranked.again = ranked.methods.at(by_again->first).measured / least - 1;
  return ranked;
}

std::string short_name(const std::string& method) {
  constexpr std::string_view kStationary = "stationary_";
  return method.starts_with(kStationary) ? method.substr(kStationary.size()) : method;
}

std::string short_names(const std::vector<std::string>& methods) {
  std::string text;
  for (const std::string& method : methods) text += (text.empty() ? "" : " = ") + short_name(method);
  return text;
}

}  // namespace

std::vector<Row> predict_measured(const std::filesystem::path& file, const GpuSpec& gpu, const GpuCommandRules& rules) {
  const Results measured = read_results(file);
  if (measured.bench != "gpu-distributed-gemm") {
    throw ConfigError("--measured " + file.string() + ": expected rows of gpu-distributed-gemm, got those of " +
                      measured.bench);
  }
  std::vector<Row> rows;
  for (const Row& row : measured.rows) {
    if (row.status != "ok" || row.point.at("gpus").get<double>() > gpu.nvlink.gpus) continue;
    const DistributedGemm problem = distributed_gemm_of(row.point);
    GpuDistributed made = gpu_distributed(problem, gpu, GpuPace::kOnce, rules);
    if (made.total * runs_of(made.total) >= gpu.power.period) {
      made = gpu_distributed(problem, gpu, GpuPace::kAgain, rules);
    }
    rows.push_back(row_of_distributed(problem, made, gpu));
    rows.back().metrics.set(kMeasuredTime, row.metrics.at(kTime));
    rows.back().metrics.set(kAgainTime,
                            row.metrics.has(kRerunTime) ? row.metrics.at(kRerunTime) : row.metrics.at(kTime));
    rows.back().metrics.set(kError, made.total / row.metrics.at(kTime) - 1);
  }
  if (rows.empty())
    throw ConfigError("--measured " + file.string() + ": no row of so few GPUs as " + gpu.name + " has");
  return rows;
}

std::string format_measured(const std::vector<Row>& rows, const Terminal& terminal) {
  Table table({{"M x K x N"},
               {"GPUs", Align::kRight},
               {"best"},
               {"predicted"},
               {"loss", Align::kRight},
               {"followed", Align::kRight, 1},
               {"rank corr.", Align::kRight},
               {"error", Align::kRight}});
  int right = 0;
  int surely = 0;
  int again = 0;
  const Cases cases = cases_of(rows);
  std::map<std::array<std::int64_t, 3>, bool> shapes;
  for (const auto& [at, of_case] : cases) {
    const Ranked ranked = rank(of_case);
    const bool is_right = ranked.least_loss <= kTie;
    right += is_right ? 1 : 0;
    surely += ranked.most_loss <= kTie ? 1 : 0;
    again += ranked.again <= kTie ? 1 : 0;
    auto& shape = shapes.emplace(std::array{at[0], at[1], at[2]}, true).first->second;
    shape = shape && is_right;
    table.add_row(
        {std::to_string(at[0]) + "x" + std::to_string(at[1]) + "x" + std::to_string(at[2]),
         std::to_string(at[3]),
         short_name(ranked.measured),
         {short_names(ranked.predicted), is_right ? Style::kPlain : Style::kRed},
         percent(ranked.least_loss) + (ranked.most_loss > ranked.least_loss ? " to " + percent(ranked.most_loss) : ""),
         percent(ranked.followed),
         formatted("%.2f", ranked.rank_correlation),
         percent(ranked.error)});
  }
  std::vector<double> errors;
  double bias = 0;
  for (const Row& row : rows) {
    errors.push_back(error_of(row));
    bias += row.metrics.at(kError) / static_cast<double>(rows.size());
  }
  const double mean = std::accumulate(errors.begin(), errors.end(), 0.0) / static_cast<double>(errors.size());
  const auto count = [](auto of) { return std::to_string(of); };
  const auto right_shapes = std::ranges::count_if(shapes, [](const auto& shape) { return shape.second; });
  return table.format(terminal) + "\n" +
         fact("right",
              count(right) + " of " + count(cases.size()) + " cases, " + count(right_shapes) + " of " +
                  count(shapes.size()) + " shapes in all their cases; " + count(surely) +
                  " cases whichever of equal methods is taken",
              terminal) +
         fact("again", "the same rows measured a second time: right in " + count(again) + " cases", terminal) +
         fact("errors",
              counted(static_cast<std::int64_t>(rows.size()), "row") + ": mean " + percent(mean) + ", median " +
                  percent(median(errors)) + ", bias " + percent(bias),
              terminal) +
         prose(
             "right: the method that is predicted to be the fastest, by its best partitions and replication, is, or "
             "is measured within 5 % of the one that is. a = c: the same commands, so one prediction.",
             terminal);
}

}  // namespace kernbench
