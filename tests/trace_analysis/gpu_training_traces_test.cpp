// Simulated traces of training steps on GPUs: their analysis says the simulator's own numbers (adr/0059).
#include <doctest/doctest.h>

#include <algorithm>
#include <set>

#include "benches/traces/tables/gemms.hpp"
#include "benches/traces/tables/step_times.hpp"
#include "benches/workloads/training/gpu_training_row.hpp"
#include "benches/workloads/training/training_traces.hpp"
#include "sim/base/source_dir.hpp"
#include "sim/machine/gpu/load_gpu.hpp"
#include "tests/trace_analysis/small_trace.hpp"

using namespace kernbench;

namespace {

/// A step with its timeline, and its traces written and read back.
struct TracedStep {
  GpuTraining step;
  Json timeline;
  std::vector<traces::PlacedTrace> ranks;

  explicit TracedStep(const GpuTrainingCase& asked) {
    const GpuSpec gpu = load_gpu(kernbench::source_dir() + "/topology/h200_x4.yaml").spec;
    step = run_gpu_training(asked, gpu);
    timeline = gpu_training_timeline(step, asked.gpus, gpu.name);
    for (std::int64_t rank = 0; rank < asked.gpus; ++rank) {
      ranks.push_back({{}, rank, SmallTrace(rank_trace(timeline, rank).dump()).read()});
    }
  }
};

constexpr GpuTrainingCase kSteps[] = {
    {.layers = 6, .hidden = 8192, .batch = 2048, .gpus = 4, .channels = 28, .threads = 256},
    {.layers = 3, .hidden = 4096, .batch = 4096, .gpus = 2, .channels = 8, .threads = 512},
    {.layers = 4, .hidden = 512, .batch = 96, .gpus = 3},
    {.layers = 1, .hidden = 1024, .batch = 256, .gpus = 2}};

}  // namespace

TEST_SUITE("ADR-0059") {
  TEST_CASE("59.10 the analysis of a simulated trace says the simulator's numbers, exactly") {
    for (const GpuTrainingCase& asked : kSteps) {
      CAPTURE(asked.hidden);
      const TracedStep traced(asked);
      REQUIRE(traces::gemm_calls(traced.ranks.front()) == kTracedSteps * (3 * asked.layers - 1));
      const traces::StepTimes times = traces::step_times(traced.ranks, kTracedSteps);
      const Json metrics = gpu_step_metrics(traced.step).json();
      const auto exactly = [&](const char* name, double analysed) {
        CHECK_MESSAGE(metrics.at(name).get<double>() == doctest::Approx(analysed).epsilon(1e-13), name);
      };
      exactly("traced_ns", times.total);
      exactly("computation_ns", times.computation);
      exactly("exposed_comm_ns", times.exposed_comm);
      exactly("idle_ns", times.idle);
      exactly("comm_ns", times.comm);
      exactly("comm_latency_ns", times.comm_latency);
      exactly("comm_overlapped", times.comm_overlapped);
      exactly("gemm_ns", times.gemm);
      exactly("gemm_slowdown", times.gemm_slowdown);
      CHECK(times.gemm_slowdown >= 1);
    }
  }

  TEST_CASE("59.9 two equal steps on every rank, all launched before they begin on the GPU") {
    const TracedStep traced(kSteps[0]);
    const Json& steps = traced.timeline.at("steps");
    REQUIRE(steps.size() == 2);
    CHECK(steps[1][0].at("begin").get<std::int64_t>() - steps[0][0].at("begin").get<std::int64_t>() ==
          traced.step.end.value);
    CHECK(steps[0][0].at("end") == steps[1][0].at("begin"));
    CHECK(traced.timeline.at("launch") == 1'000'000);
    for (const traces::PlacedTrace& rank : traced.ranks) {
      CHECK(rank.trace.devices == std::vector<std::string>(4, "kernbench h200_x4"));
      CHECK(rank.trace.steps.size() == 2);
      CHECK(rank.trace.gpu_events.size() == static_cast<std::size_t>(2 * traced.step.plan.launches));
      CHECK(rank.trace.warnings.empty());
      for (const traces::GpuEvent& event : rank.trace.gpu_events) {
        REQUIRE(event.launch != traces::kNoId);
        CHECK(rank.trace.launches[event.launch].end <= event.start);
      }
    }
    // A step of 4 us has no room for launches of 1 us each.
    const TracedStep small(kSteps[2]);
    const std::int64_t launch = small.timeline.at("launch");
    CHECK(launch * small.step.plan.launches <= small.step.end.value);
  }

  TEST_CASE("59.9 products have shapes, layouts and kernels as PyTorch's linear layers have them") {
    const TracedStep traced(kSteps[0]);
    std::set<std::string> seen;
    for (const traces::GemmGroup& group : traces::gemm_groups(traced.ranks[1].trace, {})) {
      const traces::GemmShape& shape = group.shape;
      seen.insert(std::to_string(shape.m) + "x" + std::to_string(shape.k) + "x" + std::to_string(shape.n) + " " +
                  shape.layout + " " + group.kernel + " " + std::to_string(group.calls.size()));
    }
    CHECK(seen == std::set<std::string>{"2048x8192x8192 NT kernbench_gemm_256x128_cluster_1x2 12",
                                        "2048x8192x8192 NN kernbench_gemm_256x128_cluster_1x2 10",
                                        "8192x2048x8192 TN kernbench_gemm_128x200_cluster_2x1 12"});
    std::set<std::string> others;
    for (const traces::GpuEvent& event : traced.ranks[1].trace.gpu_events) {
      if (event.gemm_op == traces::kNoId) others.insert(traced.ranks[1].trace.name(event.name));
    }
    CHECK(others == std::set<std::string>{"kernbench_relu", "kernbench_square", "kernbench_mean", "kernbench_fill",
                                          "kernbench_gradient", "kernbench_bucket", "kernbench_relu_gradient",
                                          "kernbench_sgd", "ncclDevKernel_AllReduce_Sum_bf16_RING"});
  }

  TEST_CASE("59.9 the truth beside the traces: a GEMM's contention is its duration less that alone") {
    const TracedStep traced(kSteps[1]);
    const Json truth = training_truth(traced.timeline);
    CHECK(truth.at("gemms").size() == 2 * 2 * 8);
    for (const Json& gemm : truth.at("gemms")) {
      const auto ps = [&gemm](const char* part) { return gemm.at(part).get<std::int64_t>(); };
      CHECK(ps("duration_ps") == ps("alone_ps") + ps("contention_ps"));
      const auto& events = traced.ranks[gemm.at("rank")].trace.gpu_events;
      const auto event =
          std::ranges::find(events, gemm.at("correlation").get<std::uint64_t>(), &traces::GpuEvent::correlation);
      REQUIRE(event != events.end());
      CHECK(event->duration == ps("duration_ps"));
    }
  }
}
