#include "benches/measured/cases/power.hpp"

#include <numeric>

#include "benches/measured/cases/statistics.hpp"

namespace kernbench {
namespace {

/// The counter steps every few 10 ms: only the moments of its steps are exact.
void from_energy(const std::vector<SensorSample>& samples, PowerReading& reading) {
  const SensorSample* before = nullptr;
  const SensorSample* first = nullptr;
  const SensorSample* last = nullptr;
  for (const SensorSample& sample : samples) {
    if (!sample.energy_mj) continue;
    if (before != nullptr && *sample.energy_mj > *before->energy_mj) (first == nullptr ? first : last) = &sample;
    before = &sample;
  }
  if (last == nullptr || last->at_s - first->at_s < kLeastPowerWindow_s) return;
  reading.window_s = last->at_s - first->at_s;
  reading.avg_power_w = (*last->energy_mj - *first->energy_mj) * 1e-3 / reading.window_s;
}

std::optional<double> median_of(const std::vector<SensorSample>& samples, std::optional<double> SensorSample::*what) {
  std::vector<double> values;
  for (const SensorSample& sample : samples) {
    if (sample.*what) values.push_back(*(sample.*what));
  }
  if (values.empty()) return std::nullopt;
  return median(std::move(values));
}

}  // namespace

PowerReading read_power(const std::vector<SensorSample>& samples) {
  std::vector<SensorSample> settled;
  std::vector<double> powers;
  for (const SensorSample& sample : samples) {
    if (sample.at_s < kSettling_s) continue;
    settled.push_back(sample);
    if (sample.power_w) powers.push_back(*sample.power_w);
  }
  PowerReading reading;
  reading.samples = static_cast<int>(powers.size());
  from_energy(settled, reading);
  if (!reading.avg_power_w && powers.size() >= 5) {
    const double covered_s = settled.back().at_s - settled.front().at_s;
    if (covered_s >= kLeastPowerWindow_s) {
      reading.window_s = covered_s;
      reading.avg_power_w = std::accumulate(powers.begin(), powers.end(), 0.0) / static_cast<double>(powers.size());
    }
  }
  reading.sm_clock_mhz = median_of(settled, &SensorSample::sm_clock_mhz);
  reading.temperature_c = median_of(settled, &SensorSample::temperature_c);
  return reading;
}

}  // namespace kernbench
