// The numbers of a row: by themselves, against each other, against the device, against a second run. Edges pass, what
// lies beyond does not.
#include <doctest/doctest.h>

#include <functional>
#include <string>
#include <vector>

#include "benches/measured/reference/checks.hpp"
#include "tests/measured/reference_sample.hpp"

namespace sample = kernbench::reference_sample;
using kernbench::Device;
using kernbench::Json;
using kernbench::Results;
using kernbench::Row;
using Findings = std::vector<std::string>;

namespace {

Findings after(const std::function<void(Row&)>& change) {
  Row row = sample::gemm_row();
  change(row);
  return sample::findings("gpu-gemm", row);
}

/// A gemm row whose time is `factor` of the sample's and everything that follows agrees.
Row gemm_at(double factor) {
  Row row = sample::gemm_row();
  for (const char* name : {"time_ns", "time_p10_ns", "time_p90_ns", "rerun_time_ns"}) {
    row.metrics.json()[name] = row.metrics.json()[name].get<double>() * factor;
  }
  row.metrics.json()["tflops"] = 50 / factor;
  row.metrics.json()["peak_fraction"] = 0.5 / factor;
  return row;
}

/// An all_reduce over 4 ranks with that busbw.
Row collective_at(double busbw_gbs) {
  Row row = sample::collective_row();
  const double time_ns = 20000.0 * 75 / busbw_gbs;
  for (const char* name : {"time_ns", "time_p10_ns", "time_p90_ns"}) row.metrics.json()[name] = time_ns;
  row.metrics.json()["algbw_gbs"] = busbw_gbs / 1.5;
  row.metrics.json()["busbw_gbs"] = busbw_gbs;
  row.metrics.json()["bound_fraction"] = busbw_gbs / 100;
  return row;
}

Findings collective_with_nvls(const Row& row, const Json& setting) {
  Results results = sample::results("gpu-collectives", {row});
  results.provenance["settings"]["NCCL_NVLS_ENABLE"] = setting;
  const Device card = sample::device();
  return check_reference(results, &card, "f.json");
}

Findings copy(const std::string& kind, int gpus, std::int64_t bytes, double gbs) {
  return sample::findings("gpu-copy", sample::copy_row(kind, gpus, bytes, gbs));
}

Row not_ok(const std::string& status, const std::string& reason, const Json& metrics) {
  Row row = sample::gemm_row();
  row.status = status;
  row.reason = reason;
  row.metrics.json() = metrics;
  return row;
}

}  // namespace

TEST_SUITE("ADR-0022") {
  TEST_CASE("22.6 times and rates are above 0, other numbers not below") {
    CHECK(after([](Row& r) { r.metrics.json()["time_ns"] = -40000.0; }) ==
          Findings{"time_ns: expected a number above 0, got -40000.0"});
    CHECK(after([](Row& r) { r.metrics.json()["time_ns"] = 0; }) ==
          Findings{"time_ns: expected a number above 0, got 0"});
    for (const char* name : {"tflops", "avg_power_w", "rerun_time_ns", "latency_p10_ns"}) {
      CHECK(after([name](Row& r) { r.metrics.json()[name] = 0; }) ==
            Findings{std::string(name) + ": expected a number above 0, got 0"});
    }
    for (const char* name : {"tflops_per_watt", "memory_mb", "sm_clock_mhz", "power_window_s", "inference_speed"}) {
      CHECK(after([name](Row& r) { r.metrics.json()[name] = -1; }).size() == 1);
    }
    CHECK(after([](Row& r) { r.metrics.json()["error"] = 0; }) == Findings{});
    CHECK(after([](Row& r) { r.metrics.json()["error"] = -0.1; }) ==
          Findings{"error: expected a number of at least 0, got -0.1"});
    CHECK(after([](Row& r) { r.metrics.json()["sent_bytes"] = 0; }) == Findings{});
    CHECK(after([](Row& r) { r.metrics.json()["sent_bytes"] = -1; }).size() == 1);
  }

  TEST_CASE("22.6 a fraction of a peak is no percentage") {
    for (const char* name : {"bound_fraction", "efficiency"}) {  // peak_fraction: 22.8 has its value
      CHECK(after([name](Row& r) { r.metrics.json()[name] = 3; }) == Findings{});
      CHECK(after([name](Row& r) { r.metrics.json()[name] = 55; }) ==
            Findings{std::string(name) + ": expected a fraction of a peak, at most 3 (55 % is 0.55), got 55"});
    }
  }

  TEST_CASE("22.6 a timed quantity has its median, p10, p90 and count, in order") {
    for (const char* part : {"time_p10_ns", "time_p90_ns", "time_count", "latency_p10_ns", "latency_ns"}) {
      const auto said = after([part](Row& r) { r.metrics.json().erase(part); });
      REQUIRE(said.size() == 1);
      CHECK(said[0].starts_with(std::string(part) + ": is missing: a measured "));
    }
    CHECK(after([](Row& r) { r.metrics.json()["time_p10_ns"] = 40000.0; }) == Findings{});
    CHECK(after([](Row& r) { r.metrics.json()["time_p10_ns"] = 40001.0; }) ==
          Findings{"time_p10_ns: expected at most time_ns, which is 40000.0, got 40001.0"});
    CHECK(after([](Row& r) { r.metrics.json()["time_p90_ns"] = 39999.0; }) ==
          Findings{"time_ns: expected at most time_p90_ns, which is 39999.0, got 40000.0"});
    CHECK(after([](Row& r) { r.metrics.json()["time_count"] = 1; }) == Findings{});
    CHECK(after([](Row& r) { r.metrics.json()["time_count"] = 0; }) ==
          Findings{"time_count: expected at least 1 sample, got 0"});
    CHECK(after([](Row& r) { r.metrics.json()["time_min_ns"] = 40001.0; }).size() == 1);
    CHECK(after([](Row& r) { r.metrics.json()["time_max_ns"] = 39999.0; }).size() == 1);
  }

  TEST_CASE("22.7 a good row has a result") {
    CHECK(sample::findings("gpu-copy", sample::row({{"copy", "peer"}, {"gpus", 2}, {"bytes", 8}}, {{"error", 0}})) ==
          Findings{"status: is ok, and there is no time_ns, latency_ns, gbs, tflops or busbw_gbs"});
  }

  TEST_CASE("22.7 a failed or skipped row has a reason, and no times and rates") {
    CHECK(sample::findings("gpu-gemm", not_ok("failed", "wrong: relative error 0.3", {{"error", 0.3}})) == Findings{});
    CHECK(sample::findings("gpu-gemm", not_ok("skipped", "time budget", Json::object())) == Findings{});
    CHECK(sample::findings("gpu-gemm", not_ok("skipped", "", Json::object())) ==
          Findings{"reason: is empty: a row that is skipped says why"});
    for (const char* name : {"time_ns", "tflops", "gbs", "throughput_gbps", "inference_speed", "time_ms"}) {
      CHECK(sample::findings("gpu-gemm", not_ok("failed", "wrong", {{name, 1.0}})) ==
            Findings{std::string(name) + ": a row that is failed has no times and rates: leave it out"});
    }
    CHECK(sample::findings("gpu-gemm", not_ok("maybe", "who knows", Json::object())) ==
          Findings{"status: expected ok, failed or skipped, got \"maybe\""});
  }

  TEST_CASE("22.8 TFLOPS follow from shape and time, and the fraction from them") {
    CHECK(after([](Row& r) { r.metrics.json()["tflops"] = 50.04; }) == Findings{});
    CHECK(after([](Row& r) {
            r.metrics.json()["tflops"] = 25.0;
            r.metrics.json()["peak_fraction"] = 0.25;
          }) == Findings{"tflops: expected 50 (within 0.1 %), which 2 m n k / time_ns give, got 25.0"});
    CHECK(after([](Row& r) { r.metrics.json()["peak_fraction"] = 0.6; }) ==
          Findings{"peak_fraction: expected 0.5 (within 0.1 %), which tflops and the card's peak give, got 0.6"});
    Row row = sample::distributed_row();
    row.metrics.json()["tflops"] = 50.0;  // of one GPU
    CHECK(sample::findings("gpu-distributed-gemm", row).size() == 1);
  }

  TEST_CASE("22.8 milliseconds and speeds of operators follow from nanoseconds") {
    Row row = sample::operator_row();
    row.metrics.json()["time_ms"] = 10;
    row.metrics.json()["inference_speed"] = 100;
    CHECK(sample::findings("gpu-operators", row) ==
          Findings{"time_ms: expected 0.01 (within 0.1 %), which time_ns gives, got 10"});
    row = sample::operator_row();
    row.metrics.json()["inference_speed"] = 100;
    CHECK(sample::findings("gpu-operators", row) ==
          Findings{"inference_speed: expected 100000 (within 0.1 %), which 1000 / time_ms give, got 100"});
  }

  TEST_CASE("22.8 bandwidths of collectives are those of nccl-tests") {
    Row row = sample::collective_row();
    row.metrics.json()["algbw_gbs"] = 0.05;
    row.metrics.json()["busbw_gbs"] = 0.075;
    row.metrics.json()["bound_fraction"] = 0.00075;
    CHECK(sample::findings("gpu-collectives", row) ==
          Findings{"algbw_gbs: expected 50 (within 0.1 %), which bytes / time_ns give, got 0.05"});
    row = sample::collective_row();
    row.metrics.json()["bound_fraction"] = 1.5;
    CHECK(sample::findings("gpu-collectives", row) ==
          Findings{"bound_fraction: expected 0.75 (within 0.1 %), which busbw_gbs and link_gbs give, got 1.5"});
    const std::vector<std::pair<const char*, double>> factors{
        {"all_reduce", 1.5}, {"reduce_scatter", 0.75}, {"all_gather", 0.75}, {"all_to_all", 0.75}, {"broadcast", 1}};
    for (const auto& [collective, factor] : factors) {
      row = sample::collective_row();
      row.point["collective"] = collective;
      row.metrics.json()["busbw_gbs"] = 50 * factor;
      row.metrics.json()["bound_fraction"] = 0.5 * factor;
      CHECK(sample::findings("gpu-collectives", row) == Findings{});
      row.metrics.json()["busbw_gbs"] = 50 * factor * 1.01;
      row.metrics.json()["bound_fraction"] = 0.5 * factor * 1.01;
      CHECK(sample::findings("gpu-collectives", row).size() == 1);
    }
  }

  TEST_CASE("22.9 TFLOPS up to a tenth above the peak, for each GPU") {
    CHECK(sample::findings("gpu-gemm", gemm_at(50 / 109.9)) == Findings{});
    CHECK(sample::findings("gpu-gemm", gemm_at(50 / 110.5)) ==
          Findings{"tflops: expected at most 110 (1.1 x the peak of bf16), got 110.5"});
    CHECK(after([](Row& r) {
            r.point["dtype"] = "fp16";
            r.metrics.json().erase("peak_fraction");
          }) == Findings{"dtype: the card of ACME G-100 has no peak of fp16"});
    Row row = sample::distributed_row();
    row.metrics.json()["tflops_max"] = 439.0;
    CHECK(sample::findings("gpu-distributed-gemm", row) == Findings{});
    row.metrics.json()["tflops_max"] = 441.0;
    CHECK(sample::findings("gpu-distributed-gemm", row) ==
          Findings{"tflops_max: expected at most 440 (1.1 x the peak of bf16 x 4 GPUs), got 441.0"});
  }

  TEST_CASE("22.9 copies that L2 cannot hold are no faster than the memory, peer copies than the links") {
    CHECK(copy("device_to_device", 1, 16'000'000, 1019) == Findings{});
    CHECK(copy("device_to_device", 1, 16'000'000, 1021) ==
          Findings{"gbs: expected at most 1020 (1.02 x memory_gbs), got 1021.0"});
    CHECK(copy("device_to_device", 1, 15'999'999, 5000) == Findings{});
    CHECK(copy("peer", 2, 8, 101.9) == Findings{});
    CHECK(copy("peer", 2, 8, 102.1) == Findings{"gbs: expected at most 102 (1.02 x link_gbs), got 102.1"});
    CHECK(copy("peer_bidirectional", 2, 8, 203.9) == Findings{});
    CHECK(copy("peer_bidirectional", 2, 8, 204.1).size() == 1);
    CHECK(copy("peer", 4, 8, 102.1).size() == 1);  // each GPU to the next: of one of them
    CHECK(copy("host_to_device", 1, 8, 5000) == Findings{});
  }

  TEST_CASE("22.9 operators whose L2 is flushed read from memory") {
    Row row = sample::operator_row();
    row.metrics.json()["throughput_gbps"] = 2039.0;
    CHECK(sample::findings("gpu-operators", row) == Findings{});
    row.metrics.json()["throughput_gbps"] = 2041.0;
    CHECK(sample::findings("gpu-operators", row) ==
          Findings{"throughput_gbps: expected at most 2040 (2.04 x memory_gbs), got 2041.0"});
    row.point["l2"] = "warm";
    CHECK(sample::findings("gpu-operators", row) == Findings{});
  }

  TEST_CASE("22.9 busbw is no more than a link's where nothing is reduced in the network, twice that else") {
    CHECK(collective_with_nvls(collective_at(101.9), "0") == Findings{});
    CHECK(collective_with_nvls(collective_at(102.1), "0").size() == 1);
    CHECK(collective_with_nvls(collective_at(102.1), 0).size() == 1);
    CHECK(collective_with_nvls(collective_at(203.9), "1") == Findings{});
    CHECK(collective_with_nvls(collective_at(204.1), "1").size() == 1);
    CHECK(collective_with_nvls(collective_at(203.9), Json{"0", "1"}) == Findings{});
  }

  TEST_CASE("22.9 power is no more than a fifth above the limit") {
    CHECK(after([](Row& r) { r.metrics.json()["avg_power_w"] = 600; }) == Findings{});
    CHECK(after([](Row& r) { r.metrics.json()["avg_power_w"] = 601; }) ==
          Findings{"avg_power_w: expected at most 600 (1.2 x power_w), got 601"});
  }

  TEST_CASE("22.10 the spread is that of the two times, and above 0.05 the row is noisy") {
    const auto second_run = [](double time_ns, double spread, const std::vector<std::string>& flags) {
      return after([&](Row& r) {
        r.metrics.json()["rerun_time_ns"] = time_ns;
        r.metrics.json()["rerun_spread"] = spread;
        r.flags = flags;
      });
    };
    CHECK(second_run(42000.0, 0.05, {}) == Findings{});
    CHECK(second_run(42040.0, 0.051, {"noisy"}) == Findings{});
    CHECK(second_run(32000.0, 0.25, {"noisy"}) == Findings{});  // relative to the smaller
    CHECK(second_run(42040.0, 0.051, {}) ==
          Findings{"flags: the spread of two runs is 5.1 %: the flag noisy is missing (it means above 5 %)"});
    CHECK(second_run(42000.0, 0.05, {"noisy"}) ==
          Findings{"flags: the spread of two runs is 5.0 %: the flag noisy is wrong (it means above 5 %)"});
    CHECK(second_run(32000.0, 0.2, {"noisy"}) ==
          Findings{"rerun_spread: expected 0.25, which time_ns and rerun_time_ns give, got 0.2"});
    CHECK(after([](Row& r) { r.metrics.json().erase("rerun_spread"); }).size() == 1);
  }

  TEST_CASE("22.10 a row that was not measured again says so") {
    const auto once = [](Row& r) {
      r.metrics.json().erase("rerun_time_ns");
      r.metrics.json().erase("rerun_spread");
    };
    CHECK(after(once) == Findings{"flags: there is no rerun_time_ns: the flag unrepeated is missing"});
    CHECK(after([&once](Row& r) {
            once(r);
            r.flags = {"unrepeated"};
          }) == Findings{});
    CHECK(after([&once](Row& r) {
            once(r);
            r.flags = {"unrepeated", "noisy"};
          }) == Findings{"flags: there is no second run: the flag noisy is wrong"});
    CHECK(after([](Row& r) { r.flags = {"unrepeated"}; }) ==
          Findings{"flags: there is a rerun_time_ns: the flag unrepeated is wrong"});
    CHECK(after([](Row& r) {
            r.metrics.json().erase("rerun_time_ns");
            r.flags = {"unrepeated"};
          }) == Findings{"rerun_spread: there are no time_ns and rerun_time_ns to give it"});
  }

  TEST_CASE("22.10 a window too short for the sensor gives no power") {
    CHECK(after([](Row& r) { r.flags = {"power_invalid"}; }) ==
          Findings{"avg_power_w: the flag power_invalid says that it is no measurement: leave it out"});
    CHECK(after([](Row& r) {
            r.flags = {"power_invalid"};
            r.metrics.json().erase("avg_power_w");
          }) == Findings{});
  }
}
