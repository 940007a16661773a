#include "benches/workloads/training/training_row.hpp"

#include <algorithm>
#include <utility>

#include "benches/results/rows/concurrent_metrics.hpp"
#include "benches/results/rows/run_metrics.hpp"
#include "benches/workloads/training/training_metrics.hpp"
#include "sim/base/quantity.hpp"

namespace kernbench {
namespace {

constexpr Metric<double> kExposedFraction{"exposed_fraction"};
constexpr Metric<std::int64_t> kSimulatedSteps{"simulated_steps"};
constexpr Metric<std::int64_t> kSlotCount{"slots"};

/// How long a collective of the rank runs and no GEMM does: neither overlap among themselves.
Picoseconds exposed(const RankTimes& times) {
  Picoseconds exposed{};
  for (const WorkTimes& collective : times.collectives) {
    exposed += collective.duration();
    for (const WorkTimes& gemm : times.gemms) {
      const Picoseconds begin = std::max(gemm.start, collective.start);
      const Picoseconds end = std::min(gemm.end, collective.end);
      if (begin < end) exposed -= end - begin;
    }
  }
  return exposed;
}

struct Sums {
  Picoseconds step, gemms, alone, collectives, exposed;
  std::int64_t count = 0;

  void add(const TrainingRank& rank) {
    ++count;
    step += rank.times.end() - rank.begin;
    exposed += kernbench::exposed(rank.times);
    for (const WorkTimes& gemm : rank.times.gemms) gemms += gemm.duration();
    for (const GemmTruth& truth : rank.truth) alone += truth.alone + truth.clock + truth.extra;
    for (const WorkTimes& collective : rank.times.collectives) collectives += collective.duration();
  }
  [[nodiscard]] double mean_ns(Picoseconds sum) const { return sum.ns() / static_cast<double>(count); }
};

Json rank_to_json(const TrainingRank& rank) {
  Json gemms = Json::array();
  for (std::size_t i = 0; i < rank.times.gemms.size(); ++i) {
    const WorkTimes& times = rank.times.gemms[i];
    const GemmTruth& truth = rank.truth[i];
    gemms.push_back({times.start.value, times.end.value, truth.alone.value, truth.clock.value, truth.extra.value,
                     truth.contention.value});
  }
  Json collectives = Json::array();
  for (const WorkTimes& times : rank.times.collectives) collectives.push_back({times.start.value, times.end.value});
  return {{"begin", rank.begin.value},
          {"host", rank.times.host.value},
          {"end", rank.times.end().value},
          {"gemms", std::move(gemms)},
          {"collectives", std::move(collectives)}};
}

Json injection_to_json(const TrainingInjection& injection, const TrainingStep& step) {
  Json json{{"rank", injection.rank}, {"first_step", injection.first_step}, {"last_step", injection.last_step}};
  if (injection.clock) json["clock"] = static_cast<double>(*injection.clock) / 1e6;
  if (injection.delay) json["delay_ps"] = injection.delay->value;
  if (injection.extra) {
    json["gemm"] = step.gemms.at(injection.gemm).name;
    json["extra_ps"] = injection.extra->value;
  }
  return json;
}

Json timeline_of(const TrainingRun& run, const std::vector<TrainingInjection>& injections) {
  const TrainingSetup& setup = run.planned.setup;
  Json timeline{{"launch", setup.launch.value}, {"channels", setup.channels}};
  timeline["gemms"] = Json::array();
  for (const TrainingGemm& gemm : setup.step.gemms) {
    const GemmProblem& problem = gemm.problem;
    timeline["gemms"].push_back({{"name", gemm.name},
                                 {"pass", kGemmPasses[gemm.pass]},
                                 {"m", problem.m},
                                 {"k", problem.k},
                                 {"n", problem.n},
                                 {"launch", gemm.launch}});
  }
  timeline["collectives"] = Json::array();
  for (const GradientBucket& bucket : setup.step.buckets) {
    timeline["collectives"].push_back({{"elements", bucket.elements}, {"launch", bucket.launch}});
  }
  timeline["injections"] = Json::array();
  for (const TrainingInjection& injection : injections) {
    timeline["injections"].push_back(injection_to_json(injection, setup.step));
  }
  timeline["steps"] = Json::array();
  for (const std::vector<TrainingRank>& step : run.steps) {
    Json ranks = Json::array();
    for (const TrainingRank& rank : step) ranks.push_back(rank_to_json(rank));
    timeline["steps"].push_back(std::move(ranks));
  }
  return timeline;
}

}  // namespace

Row row_from_training(const TrainingRun& run, const std::vector<TrainingInjection>& injections) {
  Sums sums;
  for (const std::vector<TrainingRank>& step : run.steps) {
    for (const TrainingRank& rank : step) sums.add(rank);
  }
  Row row;
  row.metrics.set(kTime, sums.mean_ns(sums.step));
  row.metrics.set(kGemmTime, sums.mean_ns(sums.gemms));
  row.metrics.set(kGemmAlone, sums.mean_ns(sums.alone));
  row.metrics.set(kGemmSlowdown, sums.gemms.ns() / sums.alone.ns());
  row.metrics.set(kCommTime, sums.mean_ns(sums.collectives));
  row.metrics.set(kExposedCommTime, sums.mean_ns(sums.exposed));
  row.metrics.set(kExposedFraction, sums.collectives.ns() > 0 ? sums.exposed.ns() / sums.collectives.ns() : 0.0);
  row.metrics.set(kSlotCount, run.planned.machine.pe.message_queue.slots);
  row.metrics.set(kSimulatedSteps, run.simulated_steps);
  row.timeline = timeline_of(run, injections);
  return row;
}

Row row_from_training_bound(const PlannedTraining& training) {
  Picoseconds gemms{};
  for (const PlannedTraining::Gemm& gemm : training.gemms) gemms += gemm.bound;
  Row row;
  row.metrics.set(kTime, training_bound(training).ns());
  row.metrics.set(kGemmTime, gemms.ns());
  return row;
}

}  // namespace kernbench
