// A step of data-parallel training on GPUs (adr/0050), and steps that were measured.
#include "sim/system/gpu/gpu_training.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "sim/machine/gpu/load_gpu.hpp"

using namespace kernbench;

TEST_SUITE("ADR-0050") {
  TEST_CASE("50.11 measured steps") {
    const GpuSpec gpu = load_gpu(KERNBENCH_SOURCE_DIR "/topology/h200_x4.yaml").spec;
    std::ifstream in(KERNBENCH_SOURCE_DIR "/benches/reference/nvidia-h200/overlap.json");
    const auto data = nlohmann::json::parse(in);
    double error = 0;
    for (const auto& row : data.at("rows")) {
      const auto& metrics = row.at("metrics");
      const GpuTraining step = run_gpu_training({.layers = 6,
                                                 .hidden = 8192,
                                                 .batch = 2048,
                                                 .gpus = 4,
                                                 .channels = metrics.at("nccl_channels_count"),
                                                 .threads = row.at("point").at("threads")},
                                                gpu);
      const double off = step.end.ns() / metrics.at("time_ns").get<double>() - 1;
      MESSAGE(row.at("point").dump() << " " << step.end.ns() / 1e6 << " exposed " << step.exposed.ns() / 1e6
                                     << " passes " << step.passes.ns() / 1e6 << " measured "
                                     << metrics.at("time_ns").get<double>() / 1e6 << " " << 100 * off << " events "
                                     << step.events);
      error += 100 * std::abs(off) / static_cast<double>(data.at("rows").size());
    }
    MESSAGE(error);
  }
}
