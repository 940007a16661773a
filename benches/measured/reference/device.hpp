// A measured device as reference data knows it, `kernbench.device/1`: what it is, and the peaks that measured rates are
// fractions of (adr/0022).
#pragma once

#include <map>
#include <optional>
#include <string>

#include "benches/results/rows/results.hpp"

namespace kernbench {

inline constexpr const char* kDeviceSchema = "kernbench.device/1";

struct Device {
  std::string name;                           ///< as its driver gives it: "NVIDIA H200"
  std::string slug;                           ///< device_slug(name): folder and `machine` of its results
  Json facts = Json::object();                ///< sms, max_sm_clock_mhz, l2_bytes, memory_bytes, compute_capability
  std::map<std::string, double> peak_tflops;  ///< dtype -> 10^12 FLOP/s, dense (no sparsity)
  double memory_gbs = 0;                      ///< 10^9 B/s, read and written together
  std::optional<double> link_gbs;             ///< 10^9 B/s of one device in one direction; empty: no links
  std::optional<double> power_w;              ///< power limit
  std::string basis;                          ///< "datasheet" or "computed" (from clocks and units)
  std::string source;                         ///< where the peaks come from
};

/// The name in lower case, each run of other characters than letters and digits as one "-": "nvidia-h200".
[[nodiscard]] std::string device_slug(const std::string& name);

/// Reads a device file; `file` is for messages only. Throws ConfigError "FILE: PATH: expected WHAT, got ...".
[[nodiscard]] Device parse_device(const std::string& text, const std::string& file);

/// The file's text, in one order of keys: what parse_device reads back equal.
[[nodiscard]] std::string format_device(const Device& device);

}  // namespace kernbench
