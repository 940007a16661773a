#include "sim/system/training/training_step_run.hpp"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "sim/base/errors.hpp"
#include "sim/engine/systemc_kernel.hpp"
#include "sim/machine/memory_places.hpp"
#include "sim/machine/optional_sections.hpp"
#include "sim/plan/network/package_clock.hpp"
#include "sim/system/multi_pe_choice.hpp"
#include "sim/system/training/compute_stream.hpp"
#include "sim/system/training/gradient_all_reduce.hpp"

namespace kernbench {

namespace {

constexpr std::int64_t kThreadsOfSlot = 32;

void expect(bool holds, const std::string& message) {
  if (!holds) throw ConfigError(message);
}

/// How many PEs of a rank may multiply.
std::int32_t most_multiplying(const PlannedTraining& training) {
  return training.pes_of_rank() - (training.setup.shared ? 0 : training.setup.channels);
}

/// The PEs of a rank in the order of its GEMMs' parts: those that may multiply, then the rest.
std::vector<std::int32_t> pes_of(std::int32_t rank, const PlannedTraining& training) {
  const std::int32_t stride = training.pes_of_rank();
  Rail rail{.number = 0, .of = training.setup.channels, .pes_of_rank = stride};
  std::vector<std::int32_t> pes;
  std::vector<std::int32_t> carrying;
  for (std::int32_t pe = rank * stride; pe < (rank + 1) * stride; ++pe) {
    const bool carries = rail.number < rail.of && rail.pe(rank) == pe;
    if (carries) ++rail.number;
    (carries && !training.setup.shared ? carrying : pes).push_back(pe);
  }
  pes.insert(pes.end(), carrying.begin(), carrying.end());
  return pes;
}

/// Of at most `most` PEs as many as make the part of C of the PE that has most of it the smallest; of equal ones the
/// most (41.5).
std::int32_t multiplying_pes(const GemmProblem& problem, PlacementPolicy policy, const MachineSpec& machine,
                             std::int32_t most) {
  const TileShape& tile = machine.pe.mac.tile;
  const MatrixLayout c{problem.layout, problem.m, problem.n, tile.m, tile.n, 0, machine.die.hbm.burst};
  std::int32_t best = most;
  std::int64_t least = INT64_MAX;
  for (std::int32_t pes = most; pes > 0; --pes) {
    const Rect largest = PlacedMatrix(c, policy, pes).tiles(0);
    const std::int64_t tiles = largest.rows.size() * largest.columns.size();
    if (tiles >= least) continue;
    least = tiles;
    best = pes;
  }
  return best;
}

PlannedTraining::Gemm plan_gemm(const PlannedTraining& training, const NetworkPlan& network,
                                const std::vector<std::int32_t>& pes, const GemmProblem& problem) {
  const TrainingSetup& setup = training.setup;
  MultiPeGemmRequest request{.problem = problem, .kernel = setup.kernel, .pes = pes};
  request.multiplying = most_multiplying(training);
  request.placement = choose_placement(training.machine, network, request, setup.place).placement;
  request.multiplying = multiplying_pes(problem, request.placement.c, training.machine, request.multiplying);
  const MultiPeGemmPlan plan = plan_multi_pe_gemm(training.machine, network, request);
  return {request.placement, request.multiplying, plan.bound.time};
}

/// What is on the machine in one step.
class StepRun {
 public:
  StepRun(const PlannedTraining& training, const StepConditions& conditions)
      : training_(training),
        conditions_(conditions),
        ranks_(conditions.first_ranks < 0 ? training.ranks() : conditions.first_ranks),
        system_(training.machine, {.clocks = conditions.clocks}) {
    const TrainingStep& step = training_.setup.step;
    for (std::int32_t rank = 0; rank < ranks_; ++rank) add_stream(rank);
    if (!conditions_.collectives) return;
    for (const GradientBucket& bucket : step.buckets) {
      std::vector<Picoseconds> earliest;
      for (std::int32_t rank = 0; rank < ranks_; ++rank) earliest.push_back(earliest_of(rank, bucket.launch));
      GradientAllReduce* before = all_reduces_.empty() ? nullptr : all_reduces_.back().get();
      all_reduces_.push_back(
          std::make_unique<GradientAllReduce>(system_, training_, bucket, std::move(earliest), before));
    }
  }

  std::vector<RankTimes> run() {
    std::vector<Launch*> launches;
    for (const auto& stream : streams_) launches.push_back(&stream->launch());
    for (const auto& all_reduce : all_reduces_) std::ranges::copy(all_reduce->launches(), std::back_inserter(launches));
    run_launches(system_, launches, training_.setup.limit);
    std::vector<RankTimes> times;
    for (std::int32_t rank = 0; rank < ranks_; ++rank) {
      RankTimes& of = times.emplace_back();
      of.host = host(rank);
      of.gemms = streams_[static_cast<std::size_t>(rank)]->times();
      for (const auto& all_reduce : all_reduces_) of.collectives.push_back(all_reduce->times(rank));
    }
    return times;
  }

 private:
  [[nodiscard]] Picoseconds host(std::int32_t rank) const {
    return conditions_.hosts.at(static_cast<std::size_t>(rank));
  }
  [[nodiscard]] Picoseconds earliest_of(std::int32_t rank, std::int64_t launch) const {
    return host(rank) + (launch + 1) * training_.setup.launch + training_.setup.latency;
  }

  void add_stream(std::int32_t rank) {
    const TrainingSetup& setup = training_.setup;
    const std::vector<std::int32_t> pes = pes_of(rank, training_);
    std::vector<MemoryNode> memories;
    for (const std::int32_t pe : pes) memories.push_back(system_.memory_node(pe, MemoryTier::kHbm));
    std::vector<ComputeStream::Gemm> gemms;
    Bytes bytes = 0;
    for (std::size_t i = 0; i < setup.step.gemms.size(); ++i) {
      const TrainingGemm& gemm = setup.step.gemms[i];
      const MultiPeGemmRequest request{.problem = gemm.problem,
                                       .kernel = setup.kernel,
                                       .placement = training_.gemms.at(i).placement,
                                       .pes = pes,
                                       .multiplying = training_.gemms[i].multiplying};
      auto placed = std::make_shared<const PlacedGemm>(place_multi_pe_gemm(training_.machine, request, memories));
      bytes = std::max(bytes, placed->bytes_of_pe);
      gemms.push_back({std::move(placed), earliest_of(rank, gemm.launch),
                       conditions_.extra.at(static_cast<std::size_t>(rank)).at(i)});
    }
    for (const std::int32_t pe : pes) system_.space(pe, MemoryTier::kHbm).allocate(bytes, "the step's matrices");
    streams_.push_back(std::make_unique<ComputeStream>(system_, find_multi_pe_gemm_kernel(setup.kernel),
                                                       std::move(gemms), setup.gap, pes,
                                                       [this, rank](std::size_t gemm) { gemm_ended(rank, gemm); }));
  }

  void gemm_ended(std::int32_t rank, std::size_t gemm) {
    const std::int64_t bucket = training_.setup.step.gemms[gemm].bucket;
    if (bucket >= 0 && conditions_.collectives) all_reduces_.at(static_cast<std::size_t>(bucket))->add_gradient(rank);
  }

  const PlannedTraining& training_;
  const StepConditions& conditions_;
  std::int32_t ranks_;
  System system_;
  std::vector<std::unique_ptr<GradientAllReduce>> all_reduces_;
  std::vector<std::unique_ptr<ComputeStream>> streams_;
};

}  // namespace

void check_training(const MachineSpec& machine, const TrainingSetup& setup) {
  require_section(machine, "pe.message_queue", "a training step");
  const std::int64_t pes = machine.package.dies.count() * machine.die.routers.count();
  const std::int64_t packages = machine.system.packages.count();
  expect(packages >= 2, "a training step: expected a machine of at least 2 packages, its ranks; machine " +
                            machine.name + " has " + std::to_string(packages) + "; set system.packages");
  expect(setup.channels >= 1 && setup.channels < pes,
         "channels: expected 1 to " + std::to_string(pes - 1) + " of the " + std::to_string(pes) +
             " PEs of a package, for one at least multiplies; got " + std::to_string(setup.channels));
  expect(
      setup.threads >= kThreadsOfSlot && setup.threads % kThreadsOfSlot == 0,
      "threads: expected a multiple of 32, for 32 are a slot of a message queue; got " + std::to_string(setup.threads));
}

PlannedTraining plan_training(const MachineSpec& machine, const TrainingSetup& setup) {
  check_training(machine, setup);
  require_partitions(machine, "a training step");
  PlannedTraining training{.machine = machine, .setup = setup, .gemms = {}};
  training.machine.pe.message_queue.slots = setup.threads / kThreadsOfSlot;
  const NetworkPlan network = plan_network(training.machine);
  const std::vector<std::int32_t> pes = pes_of(0, training);
  for (const TrainingGemm& gemm : setup.step.gemms) {
    const auto alike = std::ranges::find_if(setup.step.gemms, [&gemm](const TrainingGemm& other) {
      return other.problem.m == gemm.problem.m && other.problem.k == gemm.problem.k &&
             other.problem.n == gemm.problem.n;
    });
    const auto index = static_cast<std::size_t>(alike - setup.step.gemms.begin());
    training.gemms.push_back(index < training.gemms.size() ? training.gemms[index]
                                                           : plan_gemm(training, network, pes, gemm.problem));
  }
  return training;
}

Picoseconds training_bound(const PlannedTraining& training) {
  const TrainingSetup& setup = training.setup;
  Picoseconds bound = setup.launch + setup.latency;
  for (std::size_t i = 0; i < training.gemms.size(); ++i)
    bound += training.gemms[i].bound + (i > 0 ? setup.gap : Picoseconds{});
  return bound;
}

Picoseconds RankTimes::end() const {
  Picoseconds last = host;
  for (const auto* work : {&gemms, &collectives}) {
    for (const WorkTimes& times : *work) last = std::max(last, times.end);
  }
  return last;
}

std::vector<RankTimes> run_training_step(const PlannedTraining& training, const StepConditions& conditions) {
  std::vector<RankTimes> times = StepRun(training, conditions).run();
  renew_systemc();  // for the next one
  return times;
}

}  // namespace kernbench
