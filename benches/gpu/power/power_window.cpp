#include "benches/gpu/power/power_window.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <thread>
#include <vector>

namespace kernbench::gpu {
namespace {

using Clock = std::chrono::steady_clock;

/// Looks at the sensors in a thread of its own from construction to `stop`.
class Sampler {
 public:
  Sampler(const Sensors& sensors, Clock::time_point begin)
      : thread_([this, &sensors, begin] {
          for (int look = 0; !stopped_; ++look) {
            const auto next = Clock::now() + std::chrono::milliseconds(10);
            SensorSample sample;
            sample.energy_mj = sensors.energy_mj();
            sample.at_s = std::chrono::duration<double>(Clock::now() - begin).count();
            if (look % 2 == 0) sample.power_w = sensors.power_w();
            if (look % 5 == 0) {
              sample.sm_clock_mhz = sensors.sm_clock_mhz();
              sample.temperature_c = sensors.temperature_c();
            }
            samples_.push_back(sample);
            std::this_thread::sleep_until(next);
          }
        }) {}
  ~Sampler() { stop(); }
  Sampler(const Sampler&) = delete;
  Sampler& operator=(const Sampler&) = delete;
  Sampler(Sampler&&) = delete;
  Sampler& operator=(Sampler&&) = delete;

  void stop() {
    stopped_ = true;
    if (thread_.joinable()) thread_.join();
  }
  /// After `stop`.
  [[nodiscard]] const std::vector<SensorSample>& samples() const { return samples_; }

 private:
  std::atomic<bool> stopped_ = false;
  std::vector<SensorSample> samples_;
  std::thread thread_;  // the last member: it uses the others from its first moment
};

}  // namespace

PowerWindow measure_power(const Stream& stream, const Graph& graph, double graph_ns, const Sensors& sensors,
                          double window_s) {
  // Enough that the GPU never waits for a host that the sensors hold up for some ms.
  constexpr double kInFlight_ns = 10e6;
  const auto in_flight =
      static_cast<std::size_t>(std::clamp(std::ceil(kInFlight_ns / std::max(graph_ns, 1.0)), 2.0, 64.0));
  const std::vector<Event> done(in_flight);
  const Clock::time_point begin = Clock::now();
  const auto elapsed_s = [begin] { return std::chrono::duration<double>(Clock::now() - begin).count(); };
  Sampler sampler(sensors, begin);
  std::size_t launched = 0;
  std::size_t settled_graphs = 0;
  double settled_s = 0;
  while (elapsed_s() < window_s) {
    if (launched >= in_flight) {
      done[launched % in_flight].synchronize();
      if (settled_s == 0 && elapsed_s() >= kSettling_s) {
        settled_s = elapsed_s();
        settled_graphs = launched - in_flight + 1;
      }
    }
    graph.launch(stream);
    done[launched % in_flight].record(stream);
    ++launched;
  }
  // The sensors must not see the idle time after the last graph.
  sampler.stop();
  stream.synchronize();
  const double ended_s = elapsed_s();
  PowerWindow window;
  window.reading = read_power(sampler.samples());
  if (settled_s > 0) {
    window.graphs_per_s = static_cast<double>(launched - settled_graphs) / (ended_s - settled_s);
  }
  return window;
}

PowerReading read_under_load(const Stream& stream, const Graph& graph, double graph_ns, const Sensors& sensors) {
  constexpr double kLoad_ns = 8e6;
  const int launches = std::clamp(static_cast<int>(std::ceil(kLoad_ns / std::max(graph_ns, 1.0))), 1, 100);
  for (int i = 0; i < launches; ++i) graph.launch(stream);
  PowerReading reading;
  reading.sm_clock_mhz = sensors.sm_clock_mhz();
  reading.temperature_c = sensors.temperature_c();
  stream.synchronize();
  return reading;
}

}  // namespace kernbench::gpu
