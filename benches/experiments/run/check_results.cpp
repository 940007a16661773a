// The envelope, the set of points, then number by number.
#include "benches/experiments/run/check_results.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <string_view>

#include "benches/io/text/numbers.hpp"

namespace kernbench {
namespace {

/// What 64 bits of picoseconds, or of anything else that is counted, can hold.
constexpr auto kLargestCount = static_cast<double>(std::numeric_limits<std::int64_t>::max());
constexpr double kLongestNs = kLargestCount / 1e3;
/// A fraction of one that was worked out in floating point.
constexpr double kLargestFraction = 1 + 1e-9;

constexpr std::array<std::string_view, 3> kFractions{"util", "_eff", "_fraction"};

bool is_fraction(std::string_view metric) {
  return std::ranges::any_of(kFractions,
                             [metric](std::string_view part) { return metric.find(part) != std::string_view::npos; });
}

/// A row under examination.
class RowCheck {
 public:
  RowCheck(const Row& row, std::string place, std::vector<std::string>& findings)
      : row_(row), place_(std::move(place)), findings_(findings) {}

  void check(const Bench& bench) const {
    if (row_.status != "ok") {
      if (row_.reason.empty()) finding("reason", "expected why the row is " + row_.status + ", got nothing");
      return;
    }
    for (const Json* values : {&row_.metrics.json(), &row_.windows}) {
      for (const auto& [name, value] : values->items()) check_value(name, value);
    }
    if (!bench.report.empty()) check_first(bench.report.front().metric);
    for (const StageRow& stage : row_.stages) check_stage(stage);
    for (const LinkRow& link : row_.links) check_number(link.name + " utilisation", link.utilisation, kLargestFraction);
  }

  void finding(const std::string& field, const std::string& text) const {
    findings_.push_back(place_ + ": " + field + ": " + text);
  }

 private:
  void check_number(const std::string& name, double value, double most) const {
    if (std::isfinite(value) && value >= 0 && value <= most) return;
    finding(name, "expected a number from 0 to " + formatted("%.3g", most) + ", got " + Json(value).dump());
  }

  void check_value(const std::string& name, const Json& value) const {
    if (value.is_string() || value.is_boolean()) return;
    if (!value.is_number()) {
      finding(name, "expected a number or a text, got " + value.dump());
      return;
    }
    if (name == "error") {  // of a prediction: less than it was measured to take, too
      if (const auto error = value.get<double>(); !std::isfinite(error) || error <= -1) {
        finding(name, "expected a number above -1, got " + value.dump());
      }
      return;
    }
    const double most = name.ends_with("_ns") ? kLongestNs : is_fraction(name) ? kLargestFraction : kLargestCount;
    check_number(name, value.get<double>(), most);
  }

  /// What the table at the end of a run begins with, and theory is compared with.
  void check_first(const std::string& metric) const {
    const auto value = row_.metrics.json().find(metric);
    if (value == row_.metrics.json().end() || !value->is_number() || value->get<double>() == 0) {
      finding(metric,
              "expected a number above 0, got " + (value == row_.metrics.json().end() ? "nothing" : value->dump()));
    }
  }

  void check_stage(const StageRow& stage) const {
    check_number(stage.stage + " wall_ns", stage.wall_ns, kLongestNs);
    check_number(stage.stage + " busy_ns", stage.busy_ns, kLongestNs);
    if (stage.energy_pj) check_number(stage.stage + " energy_pj", *stage.energy_pj, kLargestCount);
    for (const std::int64_t count : {stage.records, stage.bytes, stage.macs}) {
      check_number(stage.stage, static_cast<double>(count), kLargestCount);
    }
  }

  const Row& row_;
  std::string place_;
  std::vector<std::string>& findings_;
};

/// "size=3: has 2 rows"; "size=4: is missing".
void check_points(const std::map<std::string, std::size_t>& rows, const Bench& bench, const std::string& file,
                  std::vector<std::string>& findings) {
  std::map<std::string, std::size_t> strange = rows;
  std::size_t missing = 0;
  std::string first;
  for (const LabelledPoint& point : expand_points(bench)) {
    const std::string text = point.point.dump();
    const auto found = rows.find(text);
    strange.erase(text);
    if (found == rows.end()) {
      if (missing++ == 0) first = text;
    } else if (found->second > 1) {
      findings.push_back(file + ": rows: expected one row of " + text + ", got " + std::to_string(found->second));
    }
  }
  if (missing > 0) {
    findings.push_back(file + ": rows: " + counted(static_cast<std::int64_t>(missing), "point") + " of " + bench.name +
                       (missing == 1 ? " is missing: " : " are missing, the first: ") + first);
  }
  for (const auto& [text, count] : strange)
    findings.push_back(file + ": rows: " + bench.name + " has no point " + text);
}

}  // namespace

std::vector<std::string> check_results(const Results& results, const Bench& bench, const std::string& kind,
                                       const std::string& file) {
  std::vector<std::string> findings;
  const auto expect = [&](const char* field, const std::string& expected, const std::string& got) {
    if (got == expected) return true;
    findings.push_back(file + ": " + field + ": expected \"" + expected + "\", got \"" + got + "\"");
    return false;
  };
  // Of something else altogether: what its rows lack would say nothing.
  if (!expect("bench", bench.name, results.bench) || !expect("source.kind", kind, results.source.kind)) return findings;
  std::map<std::string, std::size_t> rows;
  for (std::size_t i = 0; i < results.rows.size(); ++i) {
    const Row& row = results.rows[i];
    if (row.point.contains("derived")) continue;
    const std::string point = row.point.dump();
    ++rows[point];
    RowCheck(row, file + ": rows[" + std::to_string(i) + "] " + point, findings).check(bench);
  }
  check_points(rows, bench, file, findings);
  return findings;
}

}  // namespace kernbench
