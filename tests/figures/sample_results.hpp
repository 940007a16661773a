// Invented results with the shape of the milestone's, for tests of what draws them. Not numbers of any machine.
#pragma once

#include <array>
#include <cmath>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "benches/results/figures/figure.hpp"
#include "benches/results/rows/results.hpp"
#include "sim/base/source_dir.hpp"
#include "sim/machine/load_machine.hpp"

namespace kernbench::sample {

inline const std::string kSource = kernbench::source_dir();

/// The milestone's machine, with overrides.
[[nodiscard]] inline MachineSpec milestone(const std::vector<std::string>& overrides = {}) {
  return load_machine(kSource + "/topology/milestone_1h.yaml", overrides).spec;
}

/// What a figure draws.
[[nodiscard]] inline const Json& records(const Figure& figure) { return figure.spec.at("data").at("values"); }

/// One staging variant: time a tile takes, and tiles loaded before the composite starts.
struct Variant {
  const char* name;
  double tile_ns;
  double tiles_loaded;
};

struct Shape {
  double m, k, n;
};

/// The numbers of one point; `fill` ns of them are what the closed form leaves out.
inline Row row(const Shape& shape, const Variant& variant, double fill) {
  const double tiles = std::ceil(shape.m / 32) * std::ceil(shape.k / 64) * std::ceil(shape.n / 32);
  const double composite = tiles * variant.tile_ns + shape.m * 0.013 + 40 + fill;
  const double time = composite + variant.tiles_loaded * (5.3 + 16 * std::cbrt(tiles * tiles));
  const auto integer = [](double value) { return static_cast<std::int64_t>(value); };
  Row row;
  row.point = {{"m", integer(shape.m)}, {"k", integer(shape.k)}, {"n", integer(shape.n)}, {"variant", variant.name}};
  row.metrics.json() = {{"time_ns", time},
                        {"mac_util", tiles * 16 / time},
                        {"useful_eff", shape.m * shape.k * shape.n / (4096 * time)},
                        {"tflops", 2 * shape.m * shape.k * shape.n / (1000 * time)},
                        {"useful_macs", integer(shape.m * shape.k * shape.n)},
                        {"hbm_read_bytes", integer(tiles * 4096 * (2 - variant.tiles_loaded / 2))},
                        {"hbm_written_bytes", integer(shape.m * shape.n * 2)}};
  row.windows = {{"pe_ns", time}, {"composite_ns", composite}};
  if (shape.m < 32 || shape.k < 64 || shape.n < 32) row.flags = {"under_tile"};
  return row;
}

/// The stages of a simulated point; a variant that loads all operands has no dma_in, one that loads none no load.
inline std::vector<StageRow> stages(const Row& row, const Variant& variant) {
  const double time = row.metrics.json().at("time_ns");
  const double composite = row.windows.at("composite_ns");
  std::vector<StageRow> stages;
  const auto add = [&](const char* stage, const char* engine, double wall) {
    stages.push_back({stage, engine, wall, wall * 1.25, 7, 4096, 65536});
  };
  add("control", "pe0.control", 4.5);
  if (variant.tiles_loaded > 0) add("load", "pe0.dma_read", time - composite);
  add("schedule", "pe0.scheduler", composite * 0.0625);
  if (variant.tiles_loaded < 2) add("dma_in", "pe0.dma_read", composite * 0.93 - variant.tiles_loaded);
  add("fetch", "pe0.fetch", composite * 0.61);
  add("mac", "pe0.mac", time * row.metrics.json().at("mac_util").get<double>());
  add("store", "pe0.store", composite * 0.04 + 1.5);
  add("dma_out", "pe0.dma_write", composite * 0.085);
  return stages;
}

/// Causes that add up to the window; what limits a run is not always the longest of them.
inline void add_ledger(Row& row, const Variant& variant) {
  const double time = row.metrics.json().at("time_ns");
  const double mac = time * row.metrics.json().at("mac_util").get<double>();
  const bool by_hbm = variant.tiles_loaded < 2;
  row.metrics.json()["ledger_mac_ns"] = mac;
  row.metrics.json()["ledger_hbm_ns"] = (time - mac) * 0.625;
  if (by_hbm) row.metrics.json()["ledger_credits_ns"] = (time - mac) * 0.25;
  row.metrics.json()["ledger_drain_ns"] = (time - mac) * (by_hbm ? 0.125 : 0.375);
  row.metrics.json()["limited_by"] = by_hbm ? "hbm" : "mac";
  row.metrics.json()["limited_by_share"] = 0.5 + mac / time / 4;
}

/// Simulated and closed-form results of 8 shapes and 3 variants.
inline std::pair<Results, Results> results() {
  constexpr std::array<Shape, 8> kShapes{{{32, 64, 32},
                                          {16, 64, 32},
                                          {32, 32, 32},
                                          {32, 64, 16},
                                          {128, 128, 128},
                                          {256, 256, 256},
                                          {512, 512, 512},
                                          {32, 3072, 32}}};
  constexpr std::array<Variant, 3> kVariants{{{"ref_ref", 32, 0}, {"load_ref", 16, 1}, {"load_load", 16, 2}}};
  Results sim;
  sim.bench = "milestone-1h-gemm";
  sim.source = {"sim", "invented-for-tests", "0123456789abcdef0123456789abcdef", "0", "0"};
  Results theory = sim;
  theory.source.kind = "theory";
  for (const Shape& shape : kShapes) {
    for (const Variant& variant : kVariants) {
      sim.rows.push_back(row(shape, variant, 31.125));
      sim.rows.back().stages = stages(sim.rows.back(), variant);
      add_ledger(sim.rows.back(), variant);
      theory.rows.push_back(row(shape, variant, 0));
      theory.rows.back().metrics.json()["bottleneck"] = variant.tiles_loaded == 0 ? "dma_in" : "mac";
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
    for (Json* metrics : {&row.metrics.json(), &theory.rows[i].metrics.json()}) {
      for (auto&& [name, value] : metrics->items()) {
        if (value.is_number()) value = number(random);
      }
    }
    for (StageRow& stage : row.stages) stage.wall_ns = number(random);
    for (StageRow& stage : row.stages) stage.busy_ns = number(random);
    if (one_in(8)) {
      row.status = "failed";
      row.reason = "time-out";
      row.metrics.json() = Json::object();
      row.stages.clear();
    }
    if (!one_in(8)) known.push_back(theory.rows[i]);
  }
  theory.rows = std::move(known);
  return {std::move(sim), std::move(theory)};
}

}  // namespace kernbench::sample
