// A device and files of results that pass every check: tests change one thing at a time.
#pragma once

#include <string>
#include <vector>

#include "benches/measured/reference/checks.hpp"
#include "benches/measured/reference/device.hpp"

namespace kernbench::reference_sample {

inline Device device() {
  Device device;
  device.name = "ACME G-100";
  device.slug = "acme-g-100";
  device.facts = {{"sms", 100}, {"l2_bytes", 1000000}, {"compute_capability", "9.0"}};
  device.peak_tflops = {{"bf16", 100}, {"fp32", 10}};
  device.memory_gbs = 1000;
  device.link_gbs = 100;
  device.power_w = 500;
  device.basis = "datasheet";
  device.source = "the ACME G-100 data sheet";
  return device;
}

inline Row row(const Json& point, const Json& metrics, const std::vector<std::string>& flags = {}) {
  Row row;
  row.point = point;
  row.metrics.json() = metrics;
  row.flags = flags;
  return row;
}

inline Results results(const std::string& bench, const std::vector<Row>& rows) {
  Results results;
  results.bench = bench;
  results.source = {"gpu:ACME G-100", "acme-g-100", "", "", "1"};
  results.provenance = {{"created_at", "2026-01-31T12:00:00Z"},
                        {"wall_s", 10.5},
                        {"environment", {{"driver", "580.1"}, {"cuda_runtime", "13.0"}}},
                        {"gpus", 4},
                        {"settings", {{"NCCL_NVLS_ENABLE", "0"}}}};
  results.rows = rows;
  return results;
}

/// 1000 x 1000 x 1000 in 40 µs: 50 TFLOPS, half of the peak.
inline Row gemm_row() {
  return row({{"m", 1000}, {"k", 1000}, {"n", 1000}, {"dtype", "bf16"}, {"backend", "cublaslt"}, {"l2", "warm"}},
             {{"time_ns", 40000.0},
              {"time_p10_ns", 39000.0},
              {"time_p90_ns", 42000.0},
              {"time_count", 20},
              {"latency_ns", 45000.0},
              {"latency_p10_ns", 44000.0},
              {"latency_p90_ns", 46000.0},
              {"latency_count", 20},
              {"tflops", 50.0},
              {"peak_fraction", 0.5},
              {"error", 0.002},
              {"layout", "nn"},
              {"avg_power_w", 400.0},
              {"rerun_time_ns", 41000.0},
              {"rerun_spread", 0.025}});
}

/// all_reduce of 1 MB over 4 ranks in 20 µs: 50 GB/s, on the bus 75.
inline Row collective_row() {
  return row({{"collective", "all_reduce"}, {"gpus", 4}, {"bytes", 1000000}, {"setting", "default"}},
             {{"time_ns", 20000.0},
              {"time_p10_ns", 19000.0},
              {"time_p90_ns", 21000.0},
              {"time_count", 20},
              {"dtype", "fp32"},
              {"algbw_gbs", 50.0},
              {"busbw_gbs", 75.0},
              {"bound_fraction", 0.75}},
             {"unrepeated"});
}

inline Row copy_row(const std::string& copy, int gpus, std::int64_t bytes, double gbs) {
  return row({{"copy", copy}, {"gpus", gpus}, {"bytes", bytes}}, {{"gbs", gbs}});
}

/// GELU of 8 MB in 10 µs.
inline Row operator_row() {
  return row({{"operation", "gelu"},
              {"implementation", "cuda"},
              {"batch_size", 1},
              {"sequence_length", 1000},
              {"tensor_dimension", 1000},
              {"dtype", "fp32"},
              {"l2", "flushed"}},
             {{"time_ns", 10000.0},
              {"time_p10_ns", 10000.0},
              {"time_p90_ns", 10000.0},
              {"time_count", 1},
              {"time_ms", 0.01},
              {"memory_mb", 8.0},
              {"inference_speed", 100000.0},
              {"efficiency", 0.8},
              {"throughput_gbps", 800.0},
              {"error", 0}},
             {"unrepeated"});
}

inline Row distributed_row() {
  return row({{"group", "square"},
              {"m", 1000},
              {"k", 1000},
              {"n", 1000},
              {"dtype", "bf16"},
              {"method", "stationary_c"},
              {"partitions", "row,column,block"},
              {"replication", 1},
              {"gpus", 4}},
             {{"time_ns", 10000.0},
              {"time_p10_ns", 9000.0},
              {"time_p90_ns", 11000.0},
              {"time_count", 20},
              {"time_min_ns", 8000.0},
              {"time_max_ns", 12000.0},
              {"tflops", 200.0},
              {"tflops_max", 250.0},
              {"theoretical_tflops", 400.0},
              {"peak_fraction", 0.5},
              {"received_bytes", 0},
              {"received_bytes_total", 0},
              {"error", 0.001}},
             {"unrepeated"});
}

inline Row overlap_row() {
  return row({{"channels", 28}, {"threads", 256}, {"gpus", 4}},
             {{"time_ns", 1e6}, {"time_p10_ns", 1e6}, {"time_p90_ns", 1e6}, {"time_count", 5}, {"trace", "traces/a"}},
             {"unrepeated"});
}

/// What the checks say of one row of a bench, without the file and the row's place.
inline std::vector<std::string> findings(const std::string& bench, const Row& row) {
  const Device card = device();
  std::vector<std::string> said = check_reference(results(bench, {row}), &card, "f.json");
  for (std::string& text : said) {
    if (text.starts_with("f.json: rows[0] (")) text.erase(0, text.find("): ") + 3);
  }
  return said;
}

}  // namespace kernbench::reference_sample
