// The table of benches, and the order of their rows.
#include "benches/measured/reference/reference_bench.hpp"

#include <algorithm>

namespace kernbench {
namespace {

PointField number(const std::string& name) { return {name, true, {}}; }
PointField text(const std::string& name, std::vector<std::string> values = {}) {
  return {name, false, std::move(values)};
}

PointField dtype() {
  return text("dtype",
              {"fp64", "fp32", "tf32", "fp16", "bf16", "fp8_e4m3", "fp8_e5m2", "int8", "fp6_e2m3", "fp4_e2m1"});
}
PointField l2() { return text("l2", {"warm", "flushed"}); }

std::vector<ReferenceBench> make_benches() {
  return {
      {"gpu-gemm",
       {number("m"), number("k"), number("n"), dtype(), text("backend"), l2()},
       {"time_ns", "latency_ns", "tflops", "peak_fraction", "error", "avg_power_w", "tflops_per_watt", "sm_clock_mhz",
        "temperature_c", "rerun_spread"}},
      {"gpu-launches",
       {number("m"), number("k"), number("n"), dtype()},
       {"time_ns", "stream_ns", "eager_ns", "host_ns", "error", "rerun_spread"}},
      {"gpu-copy",
       {text("copy", {"device_to_device", "peer", "peer_bidirectional", "host_to_device", "device_to_host"}),
        number("gpus"), number("bytes")},
       {"time_ns", "latency_ns", "gbs", "peak_fraction", "rerun_spread"}},
      {"gpu-operators",
       {text("operation", {"layernorm", "gelu", "swish", "mse", "cross_entropy"}), text("implementation"),
        number("batch_size"), number("sequence_length"), number("tensor_dimension"), dtype(), l2()},
       {"time_ns", "latency_ns", "memory_mb", "inference_speed", "throughput_gbps", "efficiency", "error",
        "rerun_spread"}},
      {"gpu-collectives",
       {text("collective", {"all_reduce", "reduce_scatter", "all_gather", "broadcast", "all_to_all"}), number("gpus"),
        number("bytes"), text("setting")},
       {"time_ns", "latency_ns", "algbw_gbs", "busbw_gbs", "bound_fraction", "rerun_spread"}},
      {"gpu-distributed-gemm",
       {text("group"), number("m"), number("k"), number("n"), dtype(),
        text("method", {"dtensor", "stationary_a", "stationary_b", "stationary_c"}), text("partitions"),
        number("replication"), number("gpus")},
       {"time_ns", "time_min_ns", "time_max_ns", "tflops", "peak_fraction", "received_bytes", "error", "rerun_spread"}},
      {"gpu-overlap",
       {number("channels"), number("threads"), number("gpus")},
       {"time_ns", "time_p10_ns", "time_p90_ns", "time_count", "trace", "rerun_spread"}},
      {"gpu-beside",
       {number("m"), number("k"), number("n"), dtype(), text("collective"), number("bytes"), number("gpus"),
        number("channels")},
       {"time_ns", "alone_ns", "collective_ns", "collective_alone_ns", "error", "rerun_spread"}},
      {"gpu-peaks", {text("peak", {"compute", "memory"})}, {}, true},
  };
}

/// Three-way comparison of two values of a field; null for an absent one.
int compare(const Json& a, const Json& b) {
  if (a.is_number() && b.is_number()) {
    const auto x = a.get<double>();
    const auto y = b.get<double>();
    return x < y ? -1 : (y < x ? 1 : 0);
  }
  if (a.is_string() && b.is_string()) return a.get<std::string>().compare(b.get<std::string>());
  return static_cast<int>(a.type()) - static_cast<int>(b.type());
}

Json in_order(const Json& point, const std::vector<std::string>& names) {
  Json ordered = Json::object();
  for (const std::string& name : names) {
    if (const auto value = point.find(name); value != point.end()) ordered[name] = *value;
  }
  for (const auto& [name, value] : point.items()) {
    if (!ordered.contains(name)) ordered[name] = value;
  }
  return ordered;
}

}  // namespace

const std::vector<ReferenceBench>& reference_benches() {
  static const std::vector<ReferenceBench> benches = make_benches();
  return benches;
}

const ReferenceBench* find_reference_bench(const std::string& name) {
  for (const ReferenceBench& bench : reference_benches()) {
    if (bench.name == name) return &bench;
  }
  return nullptr;
}

std::vector<std::string> reference_bench_names() {
  std::vector<std::string> names;
  for (const ReferenceBench& bench : reference_benches()) names.push_back(bench.name);
  return names;
}

void sort_rows(std::vector<Row>& rows, const ReferenceBench& bench) {
  std::vector<std::string> names{kDeviceField};
  for (const PointField& field : bench.point) names.push_back(field.name);
  for (Row& row : rows) row.point = in_order(row.point, names);
  std::stable_sort(rows.begin(), rows.end(), [&names](const Row& a, const Row& b) {
    for (const std::string& name : names) {
      const int order = compare(a.point.value(name, Json()), b.point.value(name, Json()));
      if (order != 0) return order < 0;
    }
    return false;
  });
}

}  // namespace kernbench
