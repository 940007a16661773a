#include "benches/measured/predictor/error_report.hpp"

#include <algorithm>
#include <functional>
#include <set>

#include "benches/results/rows/measured_metrics.hpp"
#include "benches/results/rows/run_metrics.hpp"

namespace kernbench {
namespace {

constexpr Metric<std::string> kModelNote{"note"};
constexpr Metric<double> kPredictedTime{"predicted_ns"};
constexpr Metric<std::int64_t> kRefusedCount{"refused"};

constexpr std::size_t kMostGroupsShown = 24;

class Parts {
 public:
  Parts(const GemmRows& rows, const std::vector<HeldOutRow>& held_out, const std::vector<HeldOutRow>& random)
      : rows_(rows), held_out_(held_out), random_(random) {}

  /// Of the rows of which `value_of` says `value`.
  [[nodiscard]] ErrorPart part(const std::string& what, const std::string& value,
                               const std::function<std::string(const GemmRow&)>& value_of) const {
    std::vector<double> inside;
    std::vector<double> beside;
    std::vector<double> outside;
    ErrorPart part{what, value, {}, {}, {}};
    for (std::size_t i = 0; i < rows_.rows.size(); ++i) {
      const GemmRow& row = rows_.rows[i];
      if (value_of(row) != value) continue;
      if (held_out_[i].predicted_ns <= 0) {
        ++part.unknown;
        continue;
      }
      (held_out_[i].covered ? inside : outside).push_back(held_out_[i].predicted_ns / row.time_ns);
      if (held_out_[i].covered && random_[i].covered) beside.push_back(random_[i].predicted_ns / row.time_ns);
    }
    part.held_out = summary_of(inside);
    part.random = summary_of(beside);
    part.refused = summary_of(outside);
    return part;
  }

  void add_each(std::vector<ErrorPart>& parts, const std::string& what,
                const std::function<std::string(const GemmRow&)>& value_of, std::size_t most) const {
    std::vector<std::string> values;
    for (const GemmRow& row : rows_.rows) {
      const std::string value = value_of(row);
      if (std::ranges::find(values, value) == values.end()) values.push_back(value);
    }
    if (values.size() > most) return;
    std::ranges::sort(values, {}, [](const std::string& value) { return std::pair(value.size(), value); });
    for (const std::string& value : values) parts.push_back(part(what, value, value_of));
  }

 private:
  const GemmRows& rows_;
  const std::vector<HeldOutRow>& held_out_;
  const std::vector<HeldOutRow>& random_;
};

Results empty_results(const ErrorReport& report, const GemmRows& rows, const std::string& bench) {
  Results results = results_about(rows, bench);
  results.provenance["group"] = report.grouping;
  results.provenance["seed"] = report.seed;
  return results;
}

void put_errors(Metrics& metrics, const std::string& before, const ErrorSummary& errors) {
  if (errors.rows == 0) return;
  metrics.set(prefixed(before, kMedianOfErrors), errors.median);
  metrics.set(prefixed(before, kP90OfErrors), errors.p90);
  metrics.set(prefixed(before, kBias), errors.bias);
}

}  // namespace

ErrorReport error_report(const GemmRows& rows, const Grouping& grouping, std::uint32_t seed,
                         const OtherModels& others) {
  const std::vector<std::size_t> folds = folds_by_group(rows, grouping, seed);
  std::set<std::string> groups;
  for (const GemmRow& row : rows.rows) groups.insert(grouping.group_of(row));
  ErrorReport report{.grouping = grouping.name,
                     .meaning = grouping.meaning,
                     .groups = groups.size(),
                     .folds = *std::max_element(folds.begin(), folds.end()) + 1,
                     .seed = seed,
                     .parts = {},
                     .models = {},
                     .held_out = predict_held_out(rows, folds, seed)};
  const std::vector<HeldOutRow> random = predict_held_out(rows, folds_at_random(rows, seed), seed);
  const Parts parts(rows, report.held_out, random);
  report.parts.push_back(parts.part("all", "", [](const GemmRow&) { return std::string(); }));
  const auto every = rows.rows.size();
  parts.add_each(
      report.parts, "dtype", [](const GemmRow& row) { return std::string(name_of(row.dtype)); }, every);
  parts.add_each(report.parts, "family", family_of, every);
  if (grouping.name != "family") parts.add_each(report.parts, grouping.name, grouping.group_of, kMostGroupsShown);
  report.models = compare_models(rows, folds, report.held_out, others);
  return report;
}

Results error_results(const ErrorReport& report, const GemmRows& rows) {
  Results results = empty_results(report, rows, "gemm-predictor-error");
  for (const ErrorPart& part : report.parts) {
    Row row;
    row.point = {{"table", "errors"}, {"part", part.what}};
    if (!part.value.empty()) row.point["value"] = part.value;
    row.metrics = {{kRowCount, part.held_out.rows}, {kRefusedCount, part.refused.rows + part.unknown}};
    put_errors(row.metrics, "", part.held_out);
    put_errors(row.metrics, "random_", part.random);
    put_errors(row.metrics, "refused_", part.refused);
    results.rows.push_back(std::move(row));
  }
  for (const ComparedModel& model : report.models) {
    Row row;
    row.point = {{"table", "models"}, {"model", model.name}};
    if (model.errors) {
      row.metrics.set(kRowCount, model.errors->rows);
      put_errors(row.metrics, "", *model.errors);
      row.metrics.set(kModelNote, model.note);
    } else {
      row.status = "skipped";
      row.reason = model.note;
    }
    results.rows.push_back(std::move(row));
  }
  return results;
}

Results held_out_results(const ErrorReport& report, const GemmRows& rows) {
  Results results = empty_results(report, rows, "gemm-predictor-held-out");
  for (std::size_t i = 0; i < rows.rows.size(); ++i) {
    const GemmRow& from = rows.rows[i];
    Row row = row_about(from, rows);
    row.metrics = {{kTime, from.time_ns}};
    if (report.held_out[i].covered) {
      row.metrics.set(kPredictedTime, report.held_out[i].predicted_ns);
      row.metrics.set(kError, report.held_out[i].predicted_ns / from.time_ns - 1);
    } else {
      row.status = "skipped";
      row.reason = "outside the range of the rows that it was not held out with";
    }
    results.rows.push_back(std::move(row));
  }
  return results;
}

}  // namespace kernbench
