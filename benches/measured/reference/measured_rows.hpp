// Measured rows to hold predictions against: the good ones of benches/reference, by device and point (52.1).
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "benches/results/rows/results.hpp"

namespace kernbench {

class MeasuredRows {
 public:
  /// Rows of a bench, "gpu-gemm", of every device: those that are `wanted`, told apart by these fields of their points.
  /// Throws ConfigError for a file that cannot be read.
  MeasuredRows(const std::string& bench, std::vector<std::string> fields,
               const std::function<bool(const Row&)>& wanted = {});

  /// The device's; nullptr where it has no good row of that point.
  [[nodiscard]] const Row* find(const std::string& device, const Json& point) const;
  /// Whether any device has one.
  [[nodiscard]] bool contains(const Json& point) const;
  /// The fields of each distinct point, in the order in which rows first have them.
  [[nodiscard]] const std::vector<Json>& points() const { return points_; }

 private:
  /// "" where the point lacks a field.
  [[nodiscard]] std::string key_of(const Json& point) const;

  std::vector<std::string> fields_;
  std::map<std::string, std::map<std::string, Row>> rows_;  ///< by device and key
  std::vector<Json> points_;
};

/// "not measured on nvidia-h200", as a row is skipped for.
[[nodiscard]] std::string not_measured_on(const std::string& device);

/// Adds the flag `noisy` where the measured row has it.
void take_over_noisy(Row& row, const Row& measured);

}  // namespace kernbench
