#include "sim/system/training/training_run.hpp"

#include <algorithm>
#include <map>

#include "sim/plan/network/package_clock.hpp"

namespace kernbench {

namespace {

void shift(WorkTimes& times, Picoseconds by) {
  times.start += by;
  times.end += by;
}

/// What has been simulated, so that nothing is simulated twice.
class Simulated {
 public:
  explicit Simulated(const PlannedTraining& training) : training_(training) {}

  const std::vector<RankTimes>& step(const StepConditions& conditions) {
    auto found = steps_.find(conditions);
    if (found == steps_.end()) found = steps_.emplace(conditions, run_training_step(training_, conditions)).first;
    return found->second;
  }

  /// The GEMMs of a rank of that clock by themselves: packages are alike, and without collectives share nothing.
  const std::vector<WorkTimes>& alone(std::int64_t clock) {
    StepConditions conditions = undisturbed();
    conditions.clocks.front() = clock;
    conditions.collectives = false;
    conditions.first_ranks = 1;
    return step(conditions).front().gemms;
  }

  [[nodiscard]] StepConditions undisturbed() const {
    const auto ranks = static_cast<std::size_t>(training_.ranks());
    const std::vector<Picoseconds> none(training_.setup.step.gemms.size());
    return {.hosts = std::vector<Picoseconds>(ranks),
            .clocks = std::vector<std::int64_t>(ranks, kOwnClock),
            .extra = std::vector<std::vector<Picoseconds>>(ranks, none)};
  }
  [[nodiscard]] std::int64_t with_collectives() const {
    return std::ranges::count_if(steps_, [](const auto& step) { return step.first.collectives; });
  }

 private:
  const PlannedTraining& training_;
  std::map<StepConditions, std::vector<RankTimes>> steps_;
};

std::vector<GemmTruth> truth_of(const RankTimes& times, std::int64_t clock, const std::vector<Picoseconds>& extra,
                                Simulated& simulated) {
  const std::vector<WorkTimes>& own = simulated.alone(kOwnClock);
  const std::vector<WorkTimes>& clocked = simulated.alone(clock);
  std::vector<GemmTruth> truth;
  for (std::size_t i = 0; i < times.gemms.size(); ++i) {
    truth.push_back({.alone = own[i].duration(),
                     .clock = clocked[i].duration() - own[i].duration(),
                     .extra = extra[i],
                     .contention = times.gemms[i].duration() - clocked[i].duration() - extra[i]});
  }
  return truth;
}

}  // namespace

TrainingRun run_training(const MachineSpec& machine, const TrainingSetup& setup, std::int64_t steps,
                         const std::vector<TrainingInjection>& injections) {
  TrainingRun run{.planned = plan_training(machine, setup), .steps = {}, .simulated_steps = 0};
  Simulated simulated(run.planned);
  const auto ranks = static_cast<std::size_t>(run.planned.ranks());
  std::vector<Picoseconds> begins(ranks);
  for (std::int64_t step = 0; step < steps; ++step) {
    StepConditions conditions = simulated.undisturbed();
    for (std::size_t i = 0; i < ranks; ++i) {
      const auto rank = static_cast<std::int32_t>(i);
      conditions.hosts[i] = begins[i] + injected_delay(injections, rank, step);
      conditions.clocks[i] = injected_clock(injections, rank, step);
      for (std::size_t gemm = 0; gemm < setup.step.gemms.size(); ++gemm) {
        conditions.extra[i][gemm] = injected_extra(injections, rank, step, gemm);
      }
    }
    const Picoseconds first = std::ranges::min(conditions.hosts);
    for (Picoseconds& host : conditions.hosts) host -= first;
    std::vector<RankTimes> times = simulated.step(conditions);
    std::vector<TrainingRank>& of = run.steps.emplace_back();
    for (std::size_t i = 0; i < ranks; ++i) {
      std::vector<GemmTruth> truth = truth_of(times[i], conditions.clocks[i], conditions.extra[i], simulated);
      times[i].host += first;
      for (auto* work : {&times[i].gemms, &times[i].collectives}) {
        for (WorkTimes& one : *work) shift(one, first);
      }
      of.push_back({begins[i], std::move(times[i]), std::move(truth)});
      begins[i] = of.back().times.end();
    }
  }
  run.simulated_steps = simulated.with_collectives();
  return run;
}

}  // namespace kernbench
