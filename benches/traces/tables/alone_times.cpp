#include "benches/traces/tables/alone_times.hpp"

#include <cmath>
#include <iterator>

#include "benches/measured/reference/device.hpp"
#include "benches/measured/reference/store.hpp"
#include "benches/results/rows/run_metrics.hpp"

namespace kernbench::traces {
namespace {

constexpr const char* kBench = "gpu-collectives";
constexpr const char* kSetting = "default";

Picoseconds from_ns(double ns) { return Picoseconds{std::llround(ns * 1000)}; }

}  // namespace

AloneTimes::AloneTimes(const Results& results) {
  for (const Row& row : results.rows) {
    if (row.status != "ok" || row.point.value("setting", kSetting) != kSetting || !row.metrics.has(kTime)) continue;
    const Kind kind{row.point.at("collective").get<std::string>(), row.point.at("gpus").get<std::int64_t>()};
    times_ns_[kind][row.point.at("bytes").get<std::int64_t>()] = row.metrics.at(kTime);
  }
}

std::optional<AloneTime> AloneTimes::at(const std::string& collective, std::int64_t ranks, std::int64_t bytes) const {
  const auto sizes = times_ns_.find({collective, ranks});
  if (sizes == times_ns_.end()) return std::nullopt;
  const auto above = sizes->second.lower_bound(bytes);
  if (above == sizes->second.end()) return std::nullopt;
  if (above->first == bytes) return AloneTime{from_ns(above->second), true};
  if (above == sizes->second.begin()) return std::nullopt;
  const auto below = std::prev(above);
  const double part = static_cast<double>(bytes - below->first) / static_cast<double>(above->first - below->first);
  return AloneTime{from_ns(below->second + part * (above->second - below->second)), false};
}

AloneTimes read_alone_times(const std::filesystem::path& root, const std::string& device) {
  const auto results = read_reference(root, device_slug(device), kBench);
  return results ? AloneTimes(*results) : AloneTimes();
}

}  // namespace kernbench::traces
