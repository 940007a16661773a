// A row under examination: its values, where it stands, and where its findings go.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "benches/measured/reference/device.hpp"
#include "benches/measured/reference/reference_bench.hpp"

namespace kernbench {

/// One of them at least is in every row that is ok (22.7).
inline constexpr std::array<const char*, 5> kResultMetrics{"time_ns", "latency_ns", "gbs", "tflops", "busbw_gbs"};

class CheckedRow {
 public:
  CheckedRow(const Row& row, const ReferenceBench& bench, bool measured, std::string place,
             std::vector<std::string>& findings)
      : row_(row), bench_(bench), measured_(measured), place_(std::move(place)), findings_(findings) {}

  [[nodiscard]] const Row& row() const { return row_; }
  [[nodiscard]] const ReferenceBench& bench() const { return bench_; }
  /// By a device of ours, and not published.
  [[nodiscard]] bool measured() const { return measured_; }
  [[nodiscard]] bool ok() const { return row_.status == "ok"; }

  [[nodiscard]] bool has(const std::string& metric) const { return row_.metrics.json().contains(metric); }
  [[nodiscard]] bool has_flag(const std::string& flag) const;
  /// A metric above 0; empty where there is none: what is not above 0 is another check's finding.
  [[nodiscard]] std::optional<double> positive(const std::string& metric) const;
  /// A field of the point that is a number above 0.
  [[nodiscard]] std::optional<double> point_number(const std::string& field) const;
  /// A field of the point that is a text; "" where there is none.
  [[nodiscard]] std::string point_text(const std::string& field) const;

  /// "PLACE: FIELD: TEXT"
  void finding(const std::string& field, const std::string& text) const;
  /// "PLACE: METRIC: expected WHAT, got VALUE"
  void expected(const std::string& metric, const std::string& what) const;

 private:
  const Row& row_;
  const ReferenceBench& bench_;
  bool measured_;
  std::string place_;
  std::vector<std::string>& findings_;
};

/// The checks of one row, by clause of adr/0022.
void check_point(const CheckedRow& row);                          ///< 22.4
void check_units(const CheckedRow& row);                          ///< 22.5
void check_values(const CheckedRow& row);                         ///< 22.6, 22.7
void check_derived(const CheckedRow& row, const Device* device);  ///< 22.8
void check_noise(const CheckedRow& row);                          ///< 22.10

/// 22.9. `nvls_off`: the file says that NCCL_NVLS_ENABLE was 0.
void check_limits(const CheckedRow& row, const Device& device, bool nvls_off);

/// Whether the name of a number says its unit, or is known to have none (22.5).
[[nodiscard]] bool says_unit(const std::string& metric);

/// "m=512 k=512 dtype=bf16"
[[nodiscard]] std::string point_in_words(const Json& point);

}  // namespace kernbench
