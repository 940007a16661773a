// A step of data-parallel training on GPUs (adr/0050), and steps that were measured.
#include "sim/system/gpu/gpu_training.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "sim/base/errors.hpp"
#include "sim/machine/gpu/load_gpu.hpp"

using namespace kernbench;

namespace {

const GpuSpec& four_of_them() {
  static const GpuSpec kGpu = load_gpu(KERNBENCH_SOURCE_DIR "/topology/h200_x4.yaml").spec;
  return kGpu;
}

}  // namespace

TEST_SUITE("ADR-0050") {
  TEST_CASE("50.10 a pass takes its launch and its bytes, and waits for what it is to wait for") {
    const GpuSpec& gpu = four_of_them();
    const GpuLaunched pass{.pass = GpuPass{4.178e6}};  // 1 us at 4178 GB/s
    const Picoseconds alone = from_ns(1000) + Picoseconds{1'420'000 + 475'600};
    CHECK(run_gpus(gpu, {{{{pass, pass}, {0}}}}).records.back().end == 2 * alone);
    GpuLaunched waits = pass;
    waits.after = {{0, 1}};
    const GpuRun run = run_gpus(gpu, {{{{pass, pass}, {0}}, {{waits}, {0}}}});
    REQUIRE(run.records.size() == 3);
    CHECK(run.records.back().stream == 1);
    CHECK(run.records.back().ready == 2 * alone);
    CHECK(run.records.back().end == 3 * alone);
  }

  TEST_CASE("50.11 an all_reduce a layer, begun when its gradients are there") {
    const GpuTraining step = run_gpu_training({.layers = 3, .hidden = 2048, .batch = 512, .gpus = 4}, four_of_them());
    REQUIRE(step.gemms.size() == 8);
    REQUIRE(step.collectives.size() == 3);
    for (std::size_t i = 0; i < step.plan.gemms.size(); ++i) {
      CHECK(step.gemms[i].end > step.gemms[i].start);
      const std::int64_t bucket = step.plan.gemms[i].bucket;
      if (bucket >= 0) CHECK(step.collectives[static_cast<std::size_t>(bucket)].start > step.gemms[i].end);
    }
    CHECK(step.gemms[0].end == step.gemms[0].alone);
    CHECK(step.end > step.collectives.back().end);
    CHECK_THROWS_AS(static_cast<void>(run_gpu_training({.layers = 0}, four_of_them())), ConfigError);
  }

  TEST_CASE("50.11 measured steps, which nothing was fitted to: 9.1 % off") {
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
                                                four_of_them());
      const double off = step.end.ns() / metrics.at("time_ns").get<double>() - 1;
      CHECK(off < 0);
      error += 100 * std::abs(off) / static_cast<double>(data.at("rows").size());
    }
    CHECK(error == doctest::Approx(9.13).epsilon(0.01));
  }
}
