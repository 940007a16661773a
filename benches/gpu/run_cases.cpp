#include "benches/gpu/run_cases.hpp"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <iostream>
#include <map>

#include "benches/gpu/device/cuda.hpp"
#include "benches/gpu/device/facts.hpp"
#include "benches/gpu/invocation.hpp"
#include "benches/io/files/own_file.hpp"
#include "benches/io/text/numbers.hpp"
#include "benches/io/text/progress.hpp"
#include "benches/io/text/terminal.hpp"
#include "benches/io/text/utc_time.hpp"
#include "benches/results/rows/measured_metrics.hpp"
#include "benches/results/rows/results_json.hpp"
#include "sim/base/errors.hpp"

namespace kernbench::gpu {
namespace {

constexpr Metric<std::string> kMeasuredAt{"measured_at"};

constexpr double kRewriteEvery_s = 3;
constexpr double kTellEvery_s = 10;
constexpr double kReserve_s = 1;  // for the last write

using Clock = std::chrono::steady_clock;

/// The file as it grows.
class RowsFile {
 public:
  RowsFile(const Options& options, const std::string& bench) : path_(options.out), gpus_(options.gpus) {
    const GpuFacts facts = read_facts(0);
    results_.bench = bench;
    results_.source = {"gpu:" + facts.name, device_slug(facts.name), "", "", "1"};
    environment_ = software_versions();
    settings_ = library_settings();
    write();
  }

  void add(Row row) {
    try {
      static_cast<void>(row_to_json(row));
    } catch (const std::domain_error& error) {
      row.status = "failed";
      row.reason = error.what();
      row.metrics = {};
    }
    results_.rows.push_back(std::move(row));
    if (std::chrono::duration<double>(Clock::now() - written_).count() > kRewriteEvery_s) write();
  }

  void skip(const PlannedCase& planned, const std::string& why) { ++skipped_[{planned.suite, why}]; }

  void write() {
    Json skipped = Json::array();
    for (const auto& [what, cases] : skipped_) {
      skipped.push_back({{"what", what.first}, {"cases", cases}, {"why", what.second}});
    }
    results_.provenance = {{"created_at", utc_now()},     {"wall_s", elapsed_s()}, {"command", command_line()},
                           {"environment", environment_}, {"gpus", gpus_},         {"settings", settings_},
                           {"skipped", skipped}};
    write_own_file(path_, format_results(results_));
    written_ = Clock::now();
  }

 private:
  std::string path_;
  Results results_;
  Json environment_;
  Json settings_;
  int gpus_;
  std::map<std::pair<std::string, std::string>, int> skipped_;
  Clock::time_point written_;
};

/// A bar on a terminal, a line every few seconds elsewhere.
class Report {
 public:
  Report(const std::string& title, std::size_t total, double estimate_s)
      : title_(title), bar_(title, total, 0, estimate_s, Progress::Shows::kBar) {
    state_.total = total;
    state_.cost_left = estimate_s;
  }

  void case_done(const PlannedCase& planned, bool failed, double elapsed_s) {
    bar_.point_done("", planned.estimate_s, failed);
    ++state_.done;
    state_.cost_done += planned.estimate_s;
    state_.cost_left -= planned.estimate_s;
    if (failed) ++state_.failed;
    state_.elapsed_s = elapsed_s;
    if (is_terminal(STDERR_FILENO) || elapsed_s - told_s_ < kTellEvery_s) return;
    told_s_ = elapsed_s;
    tell(format_progress(title_, state_, 200, false));
  }

  void tell(const std::string& line) {
    bar_.clear();
    std::fprintf(stderr, "%s\n", line.c_str());
  }

 private:
  std::string title_;
  Progress bar_;
  ProgressState state_;
  double told_s_ = 0;
};

Row run_case(const PlannedCase& planned, const Measure& measure) {
  Row row;
  row.point = planned.point;
  const auto fail = [&row](const std::string& status, const std::string& reason) {
    row.status = status;
    row.reason = reason;
    row.metrics = {};
    row.flags.clear();
  };
  try {
    measure(planned, row);
    row.metrics.set(kMeasuredAt, utc_now());
  } catch (const WrongResult& error) {
    fail("failed", error.what());
    if (std::isfinite(error.error())) row.metrics.set(kError, error.error());
  } catch (const NotSupported& error) {
    fail("skipped", error.what());
  } catch (const std::exception& error) {
    fail("failed", error.what());
  }
  return row;
}

}  // namespace

WrongResult::WrongResult(double error, double tolerance)
    : std::runtime_error("wrong: relative error " + formatted("%.3g", error) + ", at most " +
                         formatted("%.3g", tolerance) + " is right"),
      error_(error) {}

void require_right(double error, double tolerance) {
  if (!(error <= tolerance)) throw WrongResult(error, tolerance);
}

int run_cases(const Options& options, const std::string& bench, const std::vector<PlannedCase>& cases,
              const Measure& measure) {
  RowsFile file(options, bench);
  double estimate_s = 0;
  for (const PlannedCase& planned : cases) estimate_s += planned.estimate_s;
  Report report(bench, cases.size(), estimate_s);
  std::string lost;
  int failed = 0;
  for (const PlannedCase& planned : cases) {
    if (!lost.empty()) {
      file.skip(planned, lost);
      continue;
    }
    if (elapsed_s() + planned.estimate_s + kReserve_s > options.budget_s) {
      file.skip(planned, "time budget");
      continue;
    }
    Row row = run_case(planned, measure);
    const bool wrong = row.status == "failed";
    if (wrong) {
      ++failed;
      report.tell("failed: " + planned.point.dump() + ": " + row.reason);
      lost = lost_device(options.gpus);
      if (!lost.empty()) report.tell(lost + "; the rest is skipped");
    }
    file.add(std::move(row));
    report.case_done(planned, wrong, elapsed_s());
  }
  file.write();
  return failed > 0 ? 1 : 0;
}

int list_cases(const std::vector<PlannedCase>& cases) {
  for (const PlannedCase& planned : cases) std::cout << planned.point.dump() << "\n";
  return 0;
}

}  // namespace kernbench::gpu
