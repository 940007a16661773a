// From what a sensor said during a window of steady work to average power.
#pragma once

#include <optional>
#include <vector>

namespace kernbench {

/// One look at the sensors; what a sensor does not have is empty.
struct SensorSample {
  double at_s = 0;  ///< from the window's begin
  std::optional<double> energy_mj;
  std::optional<double> power_w;
  std::optional<double> sm_clock_mhz;
  std::optional<double> temperature_c;
};

struct PowerReading {
  std::optional<double> avg_power_w;  ///< empty where the window was too short for the sensor
  double window_s = 0;                ///< the time that avg_power_w covers
  int samples = 0;                    ///< looks at the power after the settling time
  std::optional<double> sm_clock_mhz;
  std::optional<double> temperature_c;
};

/// At the begin of a window the clock settles, and sensors average over the time before.
inline constexpr double kSettling_s = 0.25;
/// Below this the sensor's own steps are too large a part of the window.
inline constexpr double kLeastPowerWindow_s = 0.4;

/// The average is the energy counter's difference between its first and its last change after the settling time, over
/// the time between the two; where there is no counter, the mean of the power samples. Clock and temperature are
/// medians.
[[nodiscard]] PowerReading read_power(const std::vector<SensorSample>& samples);

}  // namespace kernbench
