// Repeats a piece of work for long enough that the power sensor means something.
#pragma once

#include "benches/gpu/device/cuda.hpp"
#include "benches/gpu/device/nvml.hpp"
#include "benches/measured/cases/power.hpp"

namespace kernbench::gpu {

struct PowerWindow {
  PowerReading reading;
  double graphs_per_s = 0;  ///< how often the graph ran, after the settling time
};

/// Launches `graph`, of about `graph_ns`, again and again for `window_s`, while a thread looks at the sensors.
[[nodiscard]] PowerWindow measure_power(const Stream& stream, const Graph& graph, double graph_ns,
                                        const Sensors& sensors, double window_s);

/// Clock and temperature while `graph`, launched often enough for `graph_ns` each to fill a few ms, runs.
[[nodiscard]] PowerReading read_under_load(const Stream& stream, const Graph& graph, double graph_ns,
                                           const Sensors& sensors);

}  // namespace kernbench::gpu
