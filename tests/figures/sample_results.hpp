// Invented results with the shape of the milestone's, for tests of what draws them. Not numbers of any machine.
#pragma once

#include <cmath>
#include <random>
#include <string>
#include <utility>

#include "benches/harness/results/results.hpp"

namespace kernbench::sample {

struct Shape {
  std::int64_t m, k, n;
};
inline constexpr Shape kShapes[] = {{32, 64, 32},    {16, 64, 32},    {32, 32, 32},    {32, 64, 16},
                                    {128, 128, 128}, {256, 256, 256}, {512, 512, 512}, {32, 3072, 32}};
inline constexpr const char* kVariants[] = {"ref_ref", "load_ref", "load_load"};

/// Simulated and closed-form results of 8 shapes and 3 variants; times, shares and stages are plausible.
inline std::pair<Results, Results> results() {
  Results sim;
  sim.bench = "milestone-1h-gemm";
  sim.source = {"sim", "invented-for-tests", "0123456789abcdef0123456789abcdef", "0", "0"};
  Results theory = sim;
  theory.source.kind = "theory";
  for (const Shape& s : kShapes) {
    const bool under_tile = s.m < 32 || s.k < 64 || s.n < 32;
    const double tiles = std::ceil(s.m / 32.0) * std::ceil(s.k / 64.0) * std::ceil(s.n / 32.0);
    int v = 0;
    for (const char* variant : kVariants) {
      const double bound = v == 0 ? 32 : 16;
      const double load = v == 0 ? 0 : 5.3 + tiles * 16 * v / std::cbrt(tiles);
      const double composite = 71.125 + tiles * bound + s.m * 0.013;
      const double time = load + composite;
      const double mac_util = tiles * 16 / time;
      const double useful = static_cast<double>(s.m * s.k * s.n) / (4096 * time);
      Row row;
      row.point = {{"m", s.m}, {"k", s.k}, {"n", s.n}, {"variant", variant}};
      row.metrics = {{"time_ns", time}, {"composite_ns", composite}, {"mac_util", mac_util}, {"useful_eff", useful}};
      row.windows = {{"pe_ns", time}, {"composite_ns", composite}};
      if (under_tile) row.flags = {"under_tile"};
      Row closed = row;
      closed.metrics = {{"time_ns", load + tiles * bound + 40},
                        {"composite_ns", tiles * bound + 40},
                        {"mac_util", tiles * 16 / (load + tiles * bound + 40)},
                        {"useful_eff", useful * time / (load + tiles * bound + 40)},
                        {"bottleneck", v == 0 ? "dma_in" : "mac"}};
      const auto stage = [&](const char* name, const char* engine, double wall) {
        row.stages.push_back({name, engine, wall, wall * 1.25, static_cast<std::int64_t>(tiles), 4096, 65536});
      };
      stage("control", "pe0.control", 4.5);
      if (v > 0) stage("load", "pe0.dma_read", load);
      stage("schedule", "pe0.scheduler", tiles);
      if (v < 2) stage("dma_in", "pe0.dma_read", composite * (v == 0 ? 0.93 : 0.77));
      stage("fetch", "pe0.fetch", composite * 0.61 + v);
      stage("mac", "pe0.mac", tiles * 16);
      stage("store", "pe0.store", std::ceil(tiles / 3) * 4);
      stage("dma_out", "pe0.dma_write", std::ceil(tiles / 3) * 8.5);
      sim.rows.push_back(std::move(row));
      theory.rows.push_back(std::move(closed));
      ++v;
    }
  }
  return {std::move(sim), std::move(theory)};
}

/// The same points with arbitrary numbers; of some the simulation failed, of others the closed form is missing.
inline std::pair<Results, Results> random_results(std::mt19937_64& random) {
  auto [sim, theory] = results();
  std::uniform_real_distribution<double> number(1, 1e6);
  const auto one_in = [&](int n) { return random() % n == 0; };
  std::vector<Row> known;
  for (std::size_t i = 0; i < sim.rows.size(); ++i) {
    Row& row = sim.rows[i];
    for (auto& [name, value] : row.metrics.items()) value = number(random);
    for (auto& [name, value] : theory.rows[i].metrics.items()) value = number(random);
    for (StageRow& stage : row.stages) stage.wall_ns = number(random);
    for (StageRow& stage : row.stages) stage.busy_ns = number(random);
    if (one_in(8)) {
      row.status = "failed";
      row.reason = "time-out";
      row.metrics = Json::object();
      row.stages.clear();
    }
    if (!one_in(8)) known.push_back(theory.rows[i]);
  }
  theory.rows = std::move(known);
  return {std::move(sim), std::move(theory)};
}

}  // namespace kernbench::sample
