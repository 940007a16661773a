// Numbers of a row against each other, and against what the device can do.
#include <cmath>

#include "benches/io/text/numbers.hpp"
#include "benches/measured/reference/checked_row.hpp"
#include "sim/plan/collective/algorithm.hpp"
#include "sim/plan/collective/bandwidth_metrics.hpp"

namespace kernbench {
namespace {

constexpr double kAgreement = 1e-3;
constexpr double kClockMargin = 1.1;   ///< matrix peaks are quoted below the highest SM clock
constexpr double kEventMargin = 1.02;  ///< what events resolve
constexpr double kPowerMargin = 1.2;
constexpr double kManyL2s = 16;

/// Finding where a metric is not what others of the row give.
void agree(const CheckedRow& row, const std::string& metric, std::optional<double> wanted, const std::string& from) {
  const auto value = row.positive(metric);
  if (!value || !wanted || std::abs(*value - *wanted) <= kAgreement * *wanted) return;
  row.expected(metric, formatted("%.6g", *wanted) + " (within 0.1 %), which " + from + " give" +
                           (from.find(' ') == std::string::npos ? "s" : ""));
}

void at_most(const CheckedRow& row, const std::string& metric, double limit, const std::string& why) {
  const auto value = row.positive(metric);
  if (value && *value > limit) row.expected(metric, "at most " + formatted("%.6g", limit) + " (" + why + ")");
}

std::optional<double> quotient(std::optional<double> a, std::optional<double> b) {
  if (!a || !b) return std::nullopt;
  return *a / *b;
}

/// 2 m n k in FLOP
std::optional<double> gemm_flops(const CheckedRow& row) {
  const auto m = row.point_number("m");
  const auto n = row.point_number("n");
  const auto k = row.point_number("k");
  if (!m || !n || !k) return std::nullopt;
  return 2 * *m * *n * *k;
}

/// busbw / algbw of a collective's row.
std::optional<double> bus_factor_of(const CheckedRow& row) {
  const auto gpus = row.point_number("gpus");
  const auto collective = kCollectives.find(row.point_text("collective"));
  if (!gpus || !collective) return std::nullopt;
  return busbw_factor(*collective, std::llround(*gpus));
}

/// Of the dtype of the point, 10^12 FLOP/s; empty where the card has none.
std::optional<double> peak_tflops(const CheckedRow& row, const Device& device) {
  const auto peak = device.peak_tflops.find(row.point_text("dtype"));
  if (peak == device.peak_tflops.end()) return std::nullopt;
  return peak->second;
}

std::string product(double margin, const std::string& of) { return formatted("%g", margin) + " x " + of; }

void limit_tflops(const CheckedRow& row, const Device& device) {
  if (!row.has("tflops") && !row.has("tflops_max")) return;
  const auto peak = peak_tflops(row, device);
  if (!peak) {
    row.finding("dtype", "the card of " + device.name + " has no peak of " + row.point_text("dtype"));
    return;
  }
  const double gpus = row.point_number("gpus").value_or(1);
  const std::string why = product(kClockMargin, "the peak of " + row.point_text("dtype") +
                                                    (gpus > 1 ? " x " + formatted("%.0f", gpus) + " GPUs" : ""));
  at_most(row, "tflops", kClockMargin * *peak * gpus, why);
  at_most(row, "tflops_max", kClockMargin * *peak * gpus, why);
}

void limit_copy(const CheckedRow& row, const Device& device) {
  const std::string copy = row.point_text("copy");
  if (copy == "device_to_device") {
    const double l2_bytes = device.facts.contains("l2_bytes") && device.facts["l2_bytes"].is_number()
                                ? device.facts["l2_bytes"].get<double>()
                                : 0;
    if (row.point_number("bytes").value_or(0) < kManyL2s * l2_bytes) return;
    at_most(row, "gbs", kEventMargin * device.memory_gbs, product(kEventMargin, "memory_gbs"));
  } else if (copy.starts_with("peer") && device.link_gbs) {
    const double ways = copy == "peer_bidirectional" ? 2 : 1;
    at_most(row, "gbs", ways * kEventMargin * *device.link_gbs, product(ways * kEventMargin, "link_gbs"));
  }
}

}  // namespace

void check_derived(const CheckedRow& row, const Device* device) {
  if (!row.measured() || !row.ok()) return;
  const auto time_ns = row.positive("time_ns");
  if (const auto rate = quotient(gemm_flops(row), time_ns)) {
    agree(row, "tflops", *rate / 1e3, "2 m n k / time_ns");
  }
  agree(row, "time_ms", quotient(time_ns, 1e6), "time_ns");
  agree(row, "inference_speed", quotient(1e3, row.positive("time_ms")), "1000 / time_ms");
  const auto algbw = row.positive("algbw_gbs");
  if (row.has("algbw_gbs")) agree(row, "algbw_gbs", quotient(row.point_number("bytes"), time_ns), "bytes / time_ns");
  if (const auto factor = bus_factor_of(row); algbw && factor) {
    agree(row, "busbw_gbs", *algbw * *factor, "algbw_gbs and nccl-tests' factor");
  }
  if (device == nullptr) return;
  if (row.bench().name == "gpu-gemm") {
    agree(row, "peak_fraction", quotient(row.positive("tflops"), peak_tflops(row, *device)),
          "tflops and the card's peak");
  }
  if (device->link_gbs) {
    agree(row, "bound_fraction", quotient(row.positive("busbw_gbs"), device->link_gbs), "busbw_gbs and link_gbs");
  }
}

void check_limits(const CheckedRow& row, const Device& device, bool nvls_off) {
  if (!row.ok()) return;
  limit_tflops(row, device);
  limit_copy(row, device);
  if (row.point_text("l2") == "flushed") {
    at_most(row, "throughput_gbps", 2 * kEventMargin * device.memory_gbs, product(2 * kEventMargin, "memory_gbs"));
  }
  if (device.link_gbs) {
    const double margin = kEventMargin * (nvls_off ? 1 : 2);
    at_most(row, "busbw_gbs", margin * *device.link_gbs, product(margin, "link_gbs"));
  }
  if (device.power_w) at_most(row, "avg_power_w", kPowerMargin * *device.power_w, product(kPowerMargin, "power_w"));
}

}  // namespace kernbench
