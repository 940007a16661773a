// GEMMs of a made-up machine: tests say what their times are.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "benches/measured/predictor/gemm_rows.hpp"

namespace kernbench::gemm_sample {

/// 128, 192, 256, ... 2048: two sizes an octave.
inline std::vector<std::int64_t> sizes() {
  std::vector<std::int64_t> all;
  for (std::int64_t size = 128; size <= 2048; size *= 2) {
    all.push_back(size);
    if (size < 2048) all.push_back(size + size / 2);
  }
  return all;
}

inline GemmRow row(std::int64_t m, std::int64_t n, std::int64_t k, double time_ns, std::size_t kind = 0,
                   Dtype dtype = Dtype::kBf16) {
  return {m, n, k, dtype, kind, time_ns};
}

/// Every m, n and k of sizes() that `of_kinds` kinds take the time that `time_ns` says.
inline GemmRows grid(const std::function<double(const GemmRow&)>& time_ns, std::size_t of_kinds = 1) {
  GemmRows rows;
  for (std::size_t kind = 0; kind < of_kinds; ++kind) {
    const std::string name = "run=" + std::to_string(kind);
    rows.kinds.push_back({of_kinds > 1 ? name : "", of_kinds > 1 ? Json{{"run", kind}} : Json::object(), {}});
  }
  rows.sources = {"made up"};
  for (const std::int64_t m : sizes()) {
    for (const std::int64_t n : sizes()) {
      for (const std::int64_t k : sizes()) {
        for (std::size_t kind = 0; kind < of_kinds; ++kind) {
          rows.rows.push_back(row(m, n, k, 1, kind));
          rows.rows.back().time_ns = time_ns(rows.rows.back());
        }
      }
    }
  }
  return rows;
}

/// 100 TFLOPS, 1 TB/s and 2 µs for the launch.
inline double roofline_and_launch_ns(const GemmRow& row) {
  const double compute = row.flops() / 1e5;
  const double memory = row.bytes() / 1e3;
  return (compute > memory ? compute : memory) + 2000;
}

}  // namespace kernbench::gemm_sample
