#include "sim/system/gpu/gpu_training.hpp"

#include <algorithm>
#include <cmath>

#include "sim/plan/gpu/gpu_power.hpp"
#include "sim/system/gpu/gpu_pace.hpp"
#include "sim/system/gpu/gpu_training_plan.hpp"

namespace kernbench {
namespace {

constexpr double kPjOfNj = 1000;

Picoseconds rounded_ns(double ns) { return {std::llround(ns * 1000)}; }

/// Lengths of what runs, of intervals that come by their starts.
class Union {
 public:
  void add(Picoseconds start, Picoseconds end) {
    if (end <= end_) return;
    length_ += end - std::max(start, end_);
    end_ = end;
  }
  [[nodiscard]] Picoseconds length() const { return length_; }

 private:
  Picoseconds length_;
  Picoseconds end_{-1};
};

/// One step under one highest clock after another.
class TrainingAtClocks {
 public:
  TrainingAtClocks(const GpuTrainingCase& asked, const GpuSpec& gpu, const GpuTrainingRules& rules)
      : plan_(plan_gpu_training(asked, gpu, rules)),
        gpu_(gpu),
        pass_launch_(rounded_ns(gpu.launch.kernel + (rules.on_streams ? gpu.launch.stream : 0))) {
    for (std::size_t i = 0; i < plan_.gemm_places.size(); ++i) {
      const GpuProduct& product = plan_.product(i);
      bursts_.push_back(
          burst_clock(product.gemm, product.kernel, gpu, {.l2 = product.l2, .launching = product.launching}));
    }
  }

  [[nodiscard]] GpuTraining under(double most) const {
    GpuTraining made;
    made.plan = plan_.step;
    made.passes = plan_.passes;
    made.clock = std::min(most, std::ranges::min(bursts_));
    made.collective = nccl_time(*plan_.reducing.launches.front().collective, gpu_);
    for (std::size_t i = 0; i < plan_.gemm_places.size(); ++i) made.kernels.push_back(plan_.product(i).kernel);
    made.gemms.resize(plan_.gemm_places.size());
    made.collectives.resize(plan_.reducing.launches.size());
    const GpuRun run = run_gpus(gpu_, {{plan_.computing, plan_.reducing}}, {.most_clock = most});
    made.events = run.events;
    for (const GpuRecord& record : run.records) {
      keep(made, record, most);
      made.end = std::max(made.end, record.end);
    }
    add_up(made);
    made.untouched = untouched(most);
    made.power = gpu_.power.idle + energy(most) / made.end.ns();
    return made;
  }

  [[nodiscard]] Picoseconds untouched(double most) const {
    Picoseconds all = nccl_time(*plan_.reducing.launches.back().collective, gpu_).time();
    for (std::size_t i = 0; i < plan_.gemm_places.size(); ++i) all += time_of(i, most).time();
    for (const GpuTrainingPass& pass : plan_.passes) all += pass_launch_ + alone_of(pass);
    return all;
  }

 private:
  [[nodiscard]] Picoseconds alone_of(const GpuTrainingPass& pass) const {
    return rounded_ns(gpu_.launch.drain + pass.bytes / gpu_.hbm.bandwidth);
  }

  void keep(GpuTraining& made, const GpuRecord& record, double most) const {
    const auto place = static_cast<std::size_t>(record.launch);
    if (record.stream == static_cast<std::int64_t>(kReducingStream)) {
      made.collectives[place] = {record.begin, record.end, made.collective.time()};
      return;
    }
    if (const auto pass = std::ranges::find(plan_.pass_places, place); pass != plan_.pass_places.end()) {
      GpuTrainingPass& kept = made.passes[static_cast<std::size_t>(pass - plan_.pass_places.begin())];
      kept.times = {record.ready + pass_launch_, record.end, alone_of(kept)};
      return;
    }
    const auto gemm = static_cast<std::size_t>(std::ranges::find(plan_.gemm_places, place) - plan_.gemm_places.begin());
    const GpuGemmTime alone = time_of(gemm, most);
    const Picoseconds front = rounded_ns(alone.launch - std::min(gpu_.launch.drain, alone.launch));
    made.gemms[gemm] = {record.begin, record.end, alone.time() - front};
  }

  [[nodiscard]] GpuGemmTime time_of(std::size_t gemm, double most) const {
    const GpuProduct& product = plan_.product(gemm);
    return gpu_gemm_time(product.gemm, product.kernel, gpu_,
                         {.l2 = product.l2, .launching = product.launching, .clock = std::min(most, bursts_[gemm])});
  }

  static void add_up(GpuTraining& made) {
    std::vector<GpuWork> computing = made.gemms;
    for (const GpuTrainingPass& pass : made.passes) computing.push_back(pass.times);
    std::vector<GpuWork> all = computing;
    all.insert(all.end(), made.collectives.begin(), made.collectives.end());
    const auto length = [](std::vector<GpuWork>& work) {
      std::ranges::sort(work, {}, &GpuWork::start);
      Union ran;
      for (const GpuWork& one : work) ran.add(one.start, one.end);
      return ran.length();
    };
    made.computation = length(computing);
    made.exposed = length(all) - made.computation;
  }

  /// Of a step, in nJ: products as 48.11, of passes and collectives what HBM takes at the highest clock.
  [[nodiscard]] double energy(double most) const {
    double products = 0;
    for (std::size_t i = 0; i < plan_.gemm_places.size(); ++i) {
      const GpuProduct& product = plan_.product(i);
      products += gpu_energy(product.gemm, product.kernel, time_of(i, most), gpu_);
    }
    double bytes = 0;
    for (const GpuTrainingPass& pass : plan_.passes) bytes += pass.bytes;
    for (const GpuLaunched& launched : plan_.reducing.launches) {
      bytes += nccl_hbm_bytes(*launched.collective);
    }
    return products + gpu_.hbm.energy * bytes / kPjOfNj * std::pow(most / gpu_.power.clock, gpu_.power.exponent);
  }

  GpuTrainingPlan plan_;
  const GpuSpec& gpu_;
  Picoseconds pass_launch_;     ///< before its first byte
  std::vector<double> bursts_;  ///< clock of each product, GHz
};

}  // namespace

void check_gpu_training(const GpuTrainingCase& asked, const GpuSpec& gpu) {
  static_cast<void>(plan_gpu_training(asked, gpu, {}));
}

GpuTraining run_gpu_training(const GpuTrainingCase& asked, const GpuSpec& gpu, GpuPace pace,
                             const GpuTrainingRules& rules) {
  const TrainingAtClocks at_clocks(asked, gpu, rules);
  return at_pace(rules.clock ? pace : GpuPace::kOnce, gpu, [&at_clocks](double most) { return at_clocks.under(most); });
}

Picoseconds untouched_gpu_training(const GpuTrainingCase& asked, const GpuSpec& gpu) {
  return TrainingAtClocks(asked, gpu, {}).untouched(gpu.sm.clock);
}

}  // namespace kernbench
