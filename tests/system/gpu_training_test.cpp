// A step of data-parallel training on GPUs (adr/0059), passes over data (adr/0050), and steps that were measured.
#include "sim/system/gpu/gpu_training.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "sim/base/errors.hpp"
#include "sim/base/source_dir.hpp"
#include "sim/machine/gpu/load_gpu.hpp"
#include "sim/plan/gpu/gpu_choice.hpp"

using namespace kernbench;

namespace {

const GpuSpec& four_of_them() {
  static const GpuSpec kGpu = load_gpu(kernbench::source_dir() + "/topology/h200_x4.yaml").spec;
  return kGpu;
}

constexpr GpuTrainingCase kSmall{.layers = 3, .hidden = 2048, .batch = 512, .gpus = 4};
constexpr GpuTrainingCase kMeasured{
    .layers = 6, .hidden = 8192, .batch = 2048, .gpus = 4, .channels = 28, .threads = 512};

/// What the host launches, in its order.
std::string launch_names(const GpuTraining& step) {
  std::map<std::int64_t, std::string> names;
  for (const TrainingGemm& gemm : step.plan.gemms) names[gemm.launch] = gemm.name;
  for (const GpuTrainingPass& pass : step.passes) names[pass.launch] = pass.name;
  for (const GradientBucket& bucket : step.plan.buckets) names[bucket.launch] = "all_reduce";
  CHECK(static_cast<std::int64_t>(names.size()) == step.plan.launches);
  std::string all;
  for (const auto& [number, name] : names) all += (all.empty() ? "" : " ") + name;
  return all;
}

const GpuTrainingPass& pass_of(const GpuTraining& step, const std::string& name) {
  const auto pass = std::ranges::find(step.passes, name, &GpuTrainingPass::name);
  REQUIRE_MESSAGE(pass != step.passes.end(), name);
  return *pass;
}

const GpuWork& gemm_of(const GpuTraining& step, const std::string& name) {
  const auto gemm = std::ranges::find(step.plan.gemms, name, &TrainingGemm::name);
  REQUIRE_MESSAGE(gemm != step.plan.gemms.end(), name);
  return step.gemms[static_cast<std::size_t>(gemm - step.plan.gemms.begin())];
}

/// Mean of |predicted / measured - 1| over the committed rows, in %.
double error_of_measured(const GpuTrainingRules& rules) {
  std::ifstream in(kernbench::source_dir() + "/benches/reference/nvidia-h200/overlap.json");
  const auto data = nlohmann::json::parse(in);
  double error = 0;
  for (const auto& row : data.at("rows")) {
    GpuTrainingCase asked = kMeasured;
    asked.channels = row.at("point").at("channels");
    asked.threads = row.at("point").at("threads");
    const GpuTraining step = run_gpu_training(asked, four_of_them(), GpuPace::kAgain, rules);
    const double off = step.end.ns() / row.at("metrics").at("time_ns").get<double>() - 1;
    error += 100 * std::abs(off) / static_cast<double>(data.at("rows").size());
  }
  return error;
}

std::string refused(const GpuTrainingCase& asked, const GpuSpec& gpu = four_of_them()) {
  try {
    check_gpu_training(asked, gpu);
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "";
}

bool says(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

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

  TEST_CASE("50.11 of a single layer nothing overlaps: the step is its launches one after the other") {
    const GpuTrainingCase asked{.layers = 1, .hidden = 2048, .batch = 512, .gpus = 4};
    const GpuTraining step = run_gpu_training(asked, four_of_them());
    CHECK(step.end == step.untouched);
    CHECK(step.end == untouched_gpu_training(asked, four_of_them()));
    CHECK(step.exposed == step.collectives.front().duration());
  }
}

TEST_SUITE("ADR-0059") {
  TEST_CASE("59.1 what the host launches, in its order, with the products' shapes and kernels") {
    const GpuTraining step = run_gpu_training(kSmall, four_of_them());
    CHECK(launch_names(step) ==
          "layer0.forward layer0.relu layer1.forward layer1.relu layer2.forward "
          "loss.square loss.mean loss.fill loss.gradient "
          "layer2.wgrad layer2.dgrad layer2.bucket all_reduce layer1.relu_gradient "
          "layer1.wgrad layer1.dgrad layer1.bucket all_reduce layer0.relu_gradient "
          "layer0.wgrad layer0.bucket all_reduce sgd.0");
    for (std::size_t i = 0; i < step.plan.gemms.size(); ++i) {
      const GemmProblem& problem = step.plan.gemms[i].problem;
      const bool weights = step.plan.gemms[i].pass == GemmPass::kWeightGradient;
      CHECK(problem.m == (weights ? 2048 : 512));
      CHECK(problem.k == (weights ? 512 : 2048));
      CHECK(problem.n == 2048);
      const GpuGemm product{problem.m, problem.k, problem.n, Dtype::kBf16};
      CHECK(to_text(step.kernels[i]) == to_text(choose_gpu_kernel(product, four_of_them())));
    }
  }

  TEST_CASE("59.2 the gradient of the weights comes first, and is what the all_reduce before runs beside") {
    const GpuTraining step = run_gpu_training(kMeasured, four_of_them());
    const GpuTraining last = run_gpu_training(kMeasured, four_of_them(), GpuPace::kOnce, {.weights_first = false});
    CHECK(says(launch_names(last), "layer5.dgrad layer5.wgrad layer5.bucket"));
    CHECK(gemm_of(step, "layer4.wgrad").duration() > gemm_of(step, "layer4.wgrad").alone + from_ns(20'000));
    CHECK(gemm_of(step, "layer5.wgrad").duration() == gemm_of(step, "layer5.wgrad").alone);
    CHECK(gemm_of(last, "layer4.wgrad").duration() < gemm_of(step, "layer4.wgrad").duration());
    CHECK(error_of_measured({.weights_first = false}) == doctest::Approx(4.02).epsilon(0.005));
  }

  TEST_CASE("59.3 passes move their arrays, and SGD comes in launches of 320 chunks") {
    const GpuTraining step = run_gpu_training(kMeasured, four_of_them());
    constexpr double kActivations = 2.0 * 2048 * 8192;
    constexpr double kWeights = 2.0 * 8192 * 8192;
    CHECK(pass_of(step, "layer0.relu").bytes == 2 * kActivations);
    CHECK(pass_of(step, "layer0.relu_gradient").bytes == 3 * kActivations);
    CHECK(pass_of(step, "loss.square").bytes == 3 * kActivations);
    CHECK(pass_of(step, "loss.mean").bytes == kActivations);
    CHECK(pass_of(step, "loss.fill").bytes == kActivations);
    CHECK(pass_of(step, "loss.gradient").bytes == 3 * kActivations);
    CHECK(pass_of(step, "layer3.bucket").bytes == 2 * kWeights);
    double updated = 0;
    std::int64_t updates = 0;
    for (const GpuTrainingPass& pass : step.passes) {
      if (!pass.name.starts_with("sgd.")) continue;
      updated += pass.bytes;
      CHECK(pass.bytes <= 6.0 * 320 * 65536);
      ++updates;
    }
    CHECK(updates == 20);
    CHECK(updated == 6 * 3 * kWeights);
    const GpuTraining whole = run_gpu_training(kMeasured, four_of_them(), GpuPace::kOnce, {.chunks = false});
    CHECK(whole.passes.size() == step.passes.size() - 20 + 6);
    CHECK(error_of_measured({.chunks = false}) == doctest::Approx(4.17).epsilon(0.005));
  }

  TEST_CASE("59.4 an all_reduce begins with its bucket, SGD with the last of them; the library has 64 channels") {
    const GpuTraining step = run_gpu_training(kSmall, four_of_them());
    REQUIRE(step.collectives.size() == 3);
    for (std::size_t i = 0; i < 3; ++i) {
      const Picoseconds before = i == 0 ? Picoseconds{} : step.collectives[i - 1].end;
      const Picoseconds bucket = pass_of(step, "layer" + std::to_string(2 - i) + ".bucket").times.end;
      CHECK(step.collectives[i].start == std::max(before, bucket));
    }
    CHECK(pass_of(step, "sgd.0").times.start == step.collectives.back().end + Picoseconds{2'390'000});
    CHECK(step.end == pass_of(step, "sgd.0").times.end);
    GpuTrainingCase asked = kMeasured;
    asked.channels = 70;
    CHECK(run_gpu_training(asked, four_of_them()).collective.channels == 64);
    asked.channels = 63;
    CHECK(run_gpu_training(asked, four_of_them()).collective.channels == 63);
  }

  TEST_CASE("59.5 kernels that nothing touches take what they take alone; computation and exposed add up") {
    const GpuTraining step = run_gpu_training(kMeasured, four_of_them());
    CHECK(gemm_of(step, "layer0.forward").duration() == gemm_of(step, "layer0.forward").alone);
    const GpuTrainingPass& relu = pass_of(step, "layer0.relu");
    CHECK(relu.times.duration() == relu.times.alone);
    CHECK(relu.times.start == gemm_of(step, "layer0.forward").end + Picoseconds{2'390'000});
    Picoseconds computation;
    for (const GpuWork& gemm : step.gemms) computation += gemm.duration();
    for (const GpuTrainingPass& pass : step.passes) computation += pass.times.duration();
    CHECK(step.computation == computation);  // one stream: none overlaps another
    // Instants at which something begins or ends cut the step into pieces of which each has one state.
    std::vector<std::pair<GpuWork, bool>> all;
    for (const GpuWork& gemm : step.gemms) all.emplace_back(gemm, false);
    for (const GpuTrainingPass& pass : step.passes) all.emplace_back(pass.times, false);
    for (const GpuWork& collective : step.collectives) all.emplace_back(collective, true);
    std::vector<Picoseconds> instants;
    for (const auto& one : all) instants.insert(instants.end(), {one.first.start, one.first.end});
    std::ranges::sort(instants);
    Picoseconds exposed;
    for (std::size_t i = 0; i + 1 < instants.size(); ++i) {
      bool reduces = false;
      bool computes = false;
      for (const auto& one : all) {
        if (one.first.start <= instants[i] && instants[i] < one.first.end) (one.second ? reduces : computes) = true;
      }
      if (reduces && !computes) exposed += instants[i + 1] - instants[i];
    }
    CHECK(step.exposed == exposed);
    CHECK(exposed > step.collectives.back().duration());  // launches between kernels beside the others
  }

  TEST_CASE("59.6 again and again the clock is the highest that the power limit allows") {
    const GpuSpec& gpu = four_of_them();
    const GpuTraining once = run_gpu_training(kMeasured, gpu);
    const GpuTraining again = run_gpu_training(kMeasured, gpu, GpuPace::kAgain);
    CHECK(once.clock < gpu.sm.clock);
    CHECK(once.power > gpu.power.limit);
    CHECK(again.clock < once.clock);
    CHECK(again.end > once.end);
    CHECK(again.power <= gpu.power.limit);
    CHECK(again.power > 0.9999 * gpu.power.limit);
    // Energy of what moves bytes and nothing else: all but the products'.
    GpuSpec cool = gpu;
    cool.tensor.bf16.energy = 0;
    cool.l2.energy = 0;
    const GpuTraining moved = run_gpu_training(kMeasured, cool);
    double bytes = 0;
    for (const GpuTrainingPass& pass : moved.passes) bytes += pass.bytes;
    // All_reduces of 128 MiB among four: a quarter is read ten times and written ten times.
    bytes += 6 * 0.25 * 134'217'728 * 20;
    bytes += 17 * 2.0 * 8192 * (2 * 2048 + 8192);                        // A, B and C of the products
    const double watts = gpu.hbm.energy * bytes / 1e3 / moved.end.ns();  // so little that they have sm.clock
    CHECK(moved.power - gpu.power.idle == doctest::Approx(watts).epsilon(1e-6));
    const GpuTraining light =
        run_gpu_training({.layers = 2, .hidden = 256, .batch = 64, .gpus = 4}, gpu, GpuPace::kAgain);
    CHECK(light.clock == gpu.sm.clock);
    CHECK(error_of_measured({.clock = false}) == doctest::Approx(7.12).epsilon(0.005));
  }

  TEST_CASE("59.7 without any of the three rules measured steps are 8.6 % off, with them 3.9 %") {
    CHECK(error_of_measured({.weights_first = false, .chunks = false, .clock = false}) ==
          doctest::Approx(8.61).epsilon(0.005));
    CHECK(error_of_measured({}) == doctest::Approx(3.89).epsilon(0.005));
  }

  TEST_CASE("59.8 what a machine cannot do is refused with the numbers") {
    const auto with = [](auto change) {
      GpuTrainingCase asked = kSmall;
      change(asked);
      return refused(asked);
    };
    CHECK(refused(kSmall).empty());
    CHECK(says(with([](auto& asked) { asked.gpus = 1; }), "a collective over 1 GPU: expected 2 to nvlink.gpus, 4"));
    CHECK(says(with([](auto& asked) { asked.gpus = 5; }), "5 GPUs: expected 2 to nvlink.gpus, 4"));
    CHECK(says(with([](auto& asked) { asked.channels = 133; }), "133 channels: expected 1 to sm.count, 132"));
    CHECK(with([](auto& asked) { asked.channels = 132; }).empty());
    CHECK(says(with([](auto& asked) { asked.threads = 100; }),
               "channels of 100 threads: expected a multiple of 32 from 64 to 512"));
    CHECK(says(with([](auto& asked) { asked.layers = 0; }), "layers: expected 1 to 1000, got 0"));
    CHECK(says(with([](auto& asked) { asked.layers = 1001; }), "layers: expected 1 to 1000, got 1001"));
    CHECK(says(with([](auto& asked) { asked.hidden = 0; }), "hidden: expected 1 or more, got 0"));
    CHECK(says(with([](auto& asked) { asked.batch = 0; }), "batch: expected 1 or more, got 0"));
    // 2·L·(2·h² + 2·b·h) B: 142.6 and 171.1 GB of 150.1.
    CHECK(refused({.layers = 500, .hidden = 8192, .batch = 512, .gpus = 4}).empty());
    CHECK(says(refused({.layers = 600, .hidden = 8192, .batch = 512, .gpus = 4}), "expected at most hbm.capacity"));
    const GpuSpec alone = load_gpu(kernbench::source_dir() + "/topology/h200.yaml").spec;
    CHECK(
        says(refused({.layers = 1, .hidden = 512, .batch = 64, .gpus = 2}, alone), "expected a machine of several; "));
  }
}

TEST_SUITE("ADR-0061") {
  TEST_CASE("61.3 kernels of a step are launched on streams") {
    const GpuSpec& gpu = four_of_them();
    const GpuTraining streams = run_gpu_training(kMeasured, gpu);
    const GpuTraining graphs = run_gpu_training(kMeasured, gpu, GpuPace::kOnce, {.on_streams = false});
    CHECK(pass_of(streams, "sgd.0").times.start - streams.collectives.back().end ==
          pass_of(graphs, "sgd.0").times.start - graphs.collectives.back().end + Picoseconds{970'000});
    CHECK(streams.collectives.front().alone == graphs.collectives.front().alone);
    CHECK(error_of_measured({.on_streams = false}) == doctest::Approx(4.19).epsilon(0.005));
  }
}
