// What measured rows are computed from: samples, sensors, data sheets.
#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <vector>

#include "benches/measured/cases/device_peaks.hpp"
#include "benches/measured/cases/power.hpp"
#include "benches/measured/cases/statistics.hpp"
#include "tests/support/near.hpp"

using namespace kernbench;

namespace {

/// A window of 1 s looked at each 10 ms: a counter that steps each `step_s` by what `watts` used, and power where said.
std::vector<SensorSample> window_of(double watts, double step_s, bool counter, bool power, double length_s = 1) {
  std::vector<SensorSample> samples;
  for (int look = 0; look * 0.01 < length_s; ++look) {
    SensorSample sample;
    sample.at_s = look * 0.01;
    if (counter) sample.energy_mj = 5e6 + std::floor(sample.at_s / step_s + 1e-9) * step_s * watts * 1e3;
    // Before it settles, the power is another.
    if (power) sample.power_w = sample.at_s < kSettling_s ? 100 : watts;
    sample.sm_clock_mhz = sample.at_s < kSettling_s ? 1980 : 1755;
    samples.push_back(sample);
  }
  return samples;
}

}  // namespace

TEST_CASE("quantiles are interpolated between order statistics as numpy does by default") {
  CHECK(quantile({4, 1, 3, 2}, 0) == 1);
  CHECK(quantile({4, 1, 3, 2}, 1) == 4);
  CHECK(median({4, 1, 3, 2}) == 2.5);
  CHECK(near(quantile({4, 1, 3, 2}, 0.1), 1.3));
  CHECK(near(quantile({4, 1, 3, 2}, 0.9), 3.7));
  CHECK(quantile({7}, 0.9) == 7);
  CHECK_THROWS_AS(static_cast<void>(quantile({}, 0.5)), std::invalid_argument);
  CHECK_THROWS_AS(static_cast<void>(quantile({1}, 1.5)), std::invalid_argument);
}

TEST_CASE("quantiles of any samples lie within them and grow with the fraction") {
  CHECK(rc::check([] {
    const auto samples =
        *rc::gen::nonEmpty(rc::gen::container<std::vector<double>>(rc::gen::cast<double>(rc::gen::inRange(0, 1000))));
    const double low = quantile(samples, 0.1);
    const double high = quantile(samples, 0.9);
    RC_ASSERT(low <= median(samples));
    RC_ASSERT(median(samples) <= high);
    RC_ASSERT(low >= *std::min_element(samples.begin(), samples.end()));
    RC_ASSERT(high <= *std::max_element(samples.begin(), samples.end()));
  }));
}

TEST_CASE("a family is median, p10, p90 and count, under the quantity's name") {
  Metrics metrics;
  add_family(metrics, "latency", {30, 10, 20});
  CHECK(metrics.json().dump() ==
        R"({"latency_ns":20.0,"latency_p10_ns":12.0,"latency_p90_ns":28.0,"latency_count":3})");
}

TEST_CASE("average power is the counter's rise between two of its steps: coarse steps cost no accuracy") {
  for (const double step_s : {0.02, 0.05, 0.1}) {
    const PowerReading reading = read_power(window_of(650, step_s, true, true));
    REQUIRE(reading.avg_power_w);
    CHECK(near(*reading.avg_power_w, 650, 0.001));
    CHECK(reading.window_s >= kLeastPowerWindow_s);
    CHECK(reading.window_s <= 1 - kSettling_s);
    CHECK(reading.samples == 75);
    CHECK(reading.sm_clock_mhz == 1755);
    CHECK(!reading.temperature_c);
  }
}

TEST_CASE("without a counter the power samples after the settling time are averaged") {
  const PowerReading reading = read_power(window_of(650, 0.1, false, true));
  REQUIRE(reading.avg_power_w);
  CHECK(near(*reading.avg_power_w, 650));
}

TEST_CASE("a window too short for the sensor, or a sensor that says nothing, gives no power") {
  CHECK(!read_power(window_of(650, 0.02, true, true, 0.5)).avg_power_w);
  CHECK(!read_power(window_of(650, 0.02, false, false)).avg_power_w);
  CHECK(!read_power({}).avg_power_w);
}

TEST_CASE("a known GPU has the peaks of its data sheet, without sparsity") {
  GpuFacts facts;
  facts.name = "NVIDIA H200";
  facts.major = 9;
  facts.sms = 132;
  facts.max_sm_clock_mhz = 1980;
  const Device device = describe_gpu(facts);
  CHECK(device.slug == "nvidia-h200");
  CHECK(device.basis == "datasheet");
  CHECK(peak_tflops(device, "bf16") == 989.4);
  CHECK(peak_tflops(device, "fp8_e4m3") == 1978.9);
  CHECK(device.memory_gbs == 4800);
  CHECK(device.link_gbs == 450);
  CHECK(parse_device(format_device(device), "device.json").peak_tflops == device.peak_tflops);
}

TEST_CASE("an unknown GPU has peaks from its SMs and clocks, which agree with the data sheet of a like one") {
  GpuFacts facts;
  facts.name = "NVIDIA H4711";
  facts.major = 9;
  facts.sms = 132;
  facts.max_sm_clock_mhz = 1830;  // what the data sheet's matrix rates are quoted at
  facts.max_memory_clock_mhz = 3201;
  facts.memory_bus_bits = 6016;
  facts.power_limit_w = 700;
  const Device device = describe_gpu(facts);
  CHECK(device.basis == "computed");
  CHECK(near(peak_tflops(device, "bf16"), 989.4, 0.001));
  CHECK(near(peak_tflops(device, "fp8_e4m3"), 1978.9, 0.001));
  CHECK(near(peak_tflops(device, "tf32"), 494.7, 0.001));
  CHECK(near(device.memory_gbs, 4814, 0.001));
  CHECK(!device.link_gbs);
}

TEST_CASE("of a compute capability whose rates are unknown only the fp32 peak is given") {
  GpuFacts facts;
  facts.name = "Some GPU";
  facts.major = 99;
  facts.sms = 100;
  facts.max_sm_clock_mhz = 1000;
  facts.max_memory_clock_mhz = 1000;
  facts.memory_bus_bits = 1024;
  const Device device = describe_gpu(facts);
  CHECK(near(peak_tflops(device, "fp32"), 25.6));
  CHECK(peak_tflops(device, "bf16") == 0);
  CHECK(device.peak_tflops.size() == 1);
}
