#include "sim/system/gpu/gpu_training.hpp"

#include <algorithm>

#include "sim/base/errors.hpp"
#include "sim/plan/gpu/gpu_choice.hpp"

namespace kernbench {
namespace {

constexpr std::size_t kComputing = 0;  // stream
constexpr std::size_t kReducing = 1;   // stream
constexpr double kBytesOfElement = 2;

/// Launches of a step as they are put together, and which of them are what.
struct StepLaunches {
  GpuStream computing;
  GpuStream reducing;
  std::vector<std::size_t> gemms;  ///< places in `computing`

  void pass(double bytes) { computing.launches.push_back({.pass = GpuPass{bytes}}); }
};

class StepOfLaunches {
 public:
  StepOfLaunches(const GpuTrainingCase& asked, const TrainingStep& plan, const GpuSpec& gpu)
      : asked_(asked), plan_(plan), gpu_(gpu) {}

  StepLaunches take() {
    const double activations = kBytesOfElement * static_cast<double>(asked_.batch * asked_.hidden);
    const double weights = kBytesOfElement * static_cast<double>(asked_.hidden * asked_.hidden);
    for (const TrainingGemm& gemm : plan_.gemms) {
      multiply(gemm);
      if (gemm.pass == GemmPass::kForward) {
        if (&gemm - plan_.gemms.data() + 1 < asked_.layers) {
          all_.pass(2 * activations);  // ReLU
        } else {
          for (const double arrays : {3.0, 1.0, 1.0, 3.0})
            all_.pass(arrays * activations);  // the loss and its gradient
        }
      }
      if (gemm.pass != GemmPass::kWeightGradient) continue;
      all_.pass(2 * weights);  // into the bucket
      reduce(plan_.buckets.at(static_cast<std::size_t>(gemm.bucket)));
      if (gemm.name != "layer0.wgrad") all_.pass(3 * activations);  // ReLU's gradient
    }
    GpuLaunched update{.pass = GpuPass{3 * weights}};
    update.after = {{kReducing, all_.reducing.launches.size() - 1}};
    for (std::int64_t i = 0; i < asked_.layers; ++i) all_.computing.launches.push_back(update);
    return std::move(all_);
  }

 private:
  void multiply(const TrainingGemm& gemm) {
    const GpuGemm product{gemm.problem.m, gemm.problem.k, gemm.problem.n, Dtype::kBf16};
    check_gemm(product, gpu_);
    all_.gemms.push_back(all_.computing.launches.size());
    all_.computing.launches.push_back(
        {.product = GpuProduct{product, choose_gpu_kernel(product, gpu_), L2State::kFlushed}});
  }

  void reduce(const GradientBucket& bucket) {
    const NcclCollective collective{Collective::kAllReduce, asked_.gpus,    2 * bucket.elements,
                                    asked_.channels,        asked_.threads, NcclLaunch::kStream};
    all_.reducing.launches.push_back(
        {.collective = collective, .after = {{kComputing, all_.computing.launches.size() - 1}}});
  }

  const GpuTrainingCase& asked_;
  const TrainingStep& plan_;
  const GpuSpec& gpu_;
  StepLaunches all_;
};

/// What of the collectives no launch of the other stream overlaps.
Picoseconds exposed_of(const std::vector<GpuWork>& collectives, const GpuRun& run) {
  Picoseconds exposed;
  for (const GpuWork& collective : collectives) {
    exposed += collective.end - collective.start;
    for (const GpuRecord& record : run.records) {
      if (record.stream != static_cast<std::int64_t>(kComputing)) continue;
      const Picoseconds begin = std::max(record.begin, collective.start);
      const Picoseconds end = std::min(record.end, collective.end);
      if (begin < end) exposed -= end - begin;
    }
  }
  return exposed;
}

}  // namespace

GpuTraining run_gpu_training(const GpuTrainingCase& asked, const GpuSpec& gpu, const GpuRunSettings& settings) {
  if (asked.layers < 1 || asked.layers > 1000) {
    throw ConfigError("layers: expected 1 to 1000, got " + std::to_string(asked.layers));
  }
  GpuTraining training;
  const TrainingLayer layer{asked.batch, asked.hidden, asked.hidden};
  training.plan = plan_training_step(std::vector<TrainingLayer>(static_cast<std::size_t>(asked.layers), layer), 0);
  const StepLaunches launches = StepOfLaunches(asked, training.plan, gpu).take();
  const GpuRun run = run_gpus(gpu, {{launches.computing, launches.reducing}}, settings);
  training.events = run.events;
  training.gemms.resize(launches.gemms.size());
  training.collectives.resize(launches.reducing.launches.size());
  for (const GpuRecord& record : run.records) {
    const auto place = static_cast<std::size_t>(record.launch);
    training.end = std::max(training.end, record.end);
    if (record.stream == static_cast<std::int64_t>(kReducing)) {
      const NcclCollective& collective = *launches.reducing.launches[place].collective;
      training.collectives[place] = {record.begin, record.end, nccl_time(collective, gpu).time()};
      continue;
    }
    const GpuLaunched& launched = launches.computing.launches[place];
    if (launched.pass) {
      training.passes += record.end - record.begin;
      continue;
    }
    const auto gemm = std::ranges::find(launches.gemms, place) - launches.gemms.begin();
    const GpuProduct& product = *launched.product;
    training.gemms[static_cast<std::size_t>(gemm)] = {
        record.ready, record.end,
        gpu_gemm_time(product.gemm, product.kernel, gpu, {.l2 = product.l2, .clock = settings.clock}).time()};
  }
  training.exposed = exposed_of(training.collectives, run);
  return training;
}

}  // namespace kernbench
