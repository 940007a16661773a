// The loop of every measuring command: case by case inside the time budget, a row for each, the file rewritten as it
// grows. A case that fails is a failed row; the others go on unless the device is lost.
#pragma once

#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "benches/gpu/options.hpp"
#include "benches/measured/cases/planned_case.hpp"
#include "benches/results/rows/results.hpp"

namespace kernbench::gpu {

/// The result is numerically wrong: the row fails with "wrong: relative error ..." and keeps the metric `error`.
class WrongResult : public std::runtime_error {
 public:
  /// `error`: ||out - ref|| / ||ref||, above `tolerance` or no number at all.
  WrongResult(double error, double tolerance);
  [[nodiscard]] double error() const { return error_; }

 private:
  double error_;
};

/// This device or library cannot do the case: the row is skipped, with this reason.
class NotSupported : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Throws WrongResult where `error` is not a number within `tolerance`.
void require_right(double error, double tolerance);

/// Measures one case: adds metrics and flags to the row, whose point is set. Throws what describes the failure.
using Measure = std::function<void(const PlannedCase& planned, Row& row)>;

/// Runs the cases in order and writes `options.out`. `bench` is the name of the rows' bench ("gpu-gemm"). Returns the
/// exit code: 0, or 1 where a row failed or the device was lost.
int run_cases(const Options& options, const std::string& bench, const std::vector<PlannedCase>& cases,
              const Measure& measure);

/// --list: each case's point, one JSON object a line, on stdout.
int list_cases(const std::vector<PlannedCase>& cases);

}  // namespace kernbench::gpu
