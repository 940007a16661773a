#include "tests/trace_analysis/simulated_run.hpp"

#include <algorithm>
#include <random>

#include "benches/results/rows/results_json.hpp"
#include "benches/workloads/training/training_row.hpp"
#include "benches/workloads/training/training_traces.hpp"
#include "sim/plan/network/package_clock.hpp"
#include "tests/support/forked.hpp"
#include "tests/support/milestone.hpp"
#include "tests/trace_analysis/small_trace.hpp"

using namespace kernbench;

namespace {

constexpr std::int32_t kRanks = 4;
constexpr std::int64_t kClock = kOwnClock / 16;  ///< so that GEMMs of few tiles last the 5 µs of 40.27

/// What a seed draws.
struct Drawn {
  std::int64_t batch = 0;
  std::int64_t hidden = 0;
  std::int64_t layers = 0;
  std::int32_t channels = 0;
  std::int64_t threads = 0;
  bool shared = false;
  std::string slot_bytes;
  Bytes bucket = 0;

  Drawn(unsigned seed, LayerSizes sizes) {
    std::mt19937 random(seed);
    const auto one_of = [&random](const auto& values) { return values[random() % std::size(values)]; };
    const bool large = sizes == LayerSizes::kLarge;
    channels = one_of(std::vector<std::int32_t>{1, 2, 4});
    threads = one_of(std::vector<std::int64_t>{256, 512});
    batch = (large ? 64 : 32) * one_of(std::vector<std::int64_t>{2, 3, 4, 5, 6});
    hidden = one_of(large ? std::vector<std::int64_t>{256, 384, 512} : std::vector<std::int64_t>{128, 192, 256});
    if (sizes == LayerSizes::kOdd) hidden = 250;
    layers = one_of(std::vector<std::int64_t>{5, 6});
    shared = random() % 2 == 0;
    slot_bytes = one_of(std::vector<std::string>{"512 B", "2 KiB", "4 KiB"});
    bucket = (large ? 4 : 1) * one_of(std::vector<Bytes>{32768, 65536, 131072});
  }
};

std::string simulated(const Drawn& drawn, std::int64_t steps, const std::string& injections) {
  const std::vector<TrainingLayer> layers(static_cast<std::size_t>(drawn.layers),
                                          {drawn.batch, drawn.hidden, drawn.hidden});
  const TrainingSetup setup{.step = plan_training_step(layers, drawn.bucket),
                            .channels = drawn.channels,
                            .shared = drawn.shared,
                            .threads = drawn.threads,
                            .launch = from_ns(500),
                            .latency = from_ns(1000),
                            .gap = from_ns(200)};
  const MachineSpec machine =
      milestone({"system.packages.rows=2", "system.packages.columns=2", "system.arrangement=mesh",
                 "package.dies.rows=1", "package.dies.columns=1", "simulation.packet_bytes=4 KiB",
                 "system.package_link.bandwidth=32 GB/s", "pe.message_queue.slot_bytes=" + drawn.slot_bytes});
  std::vector<TrainingInjection> parsed;
  if (!injections.empty()) parsed = parse_injections(injections, {kRanks, steps, &setup.step}, "--inject");
  return row_to_json(row_from_training(run_training(at_clock(machine, kClock), setup, steps, parsed), parsed)).dump();
}

}  // namespace

SimulatedRun::SimulatedRun(unsigned seed, LayerSizes sizes, std::int64_t steps, const std::string& injections) {
  const Drawn drawn(seed, sizes);
  text_ = std::to_string(drawn.layers) + " layers of " + std::to_string(drawn.batch) + " x " +
          std::to_string(drawn.hidden) + ", " + std::to_string(drawn.channels) + " channels, " +
          std::to_string(drawn.threads) + " threads, " + drawn.slot_bytes + (drawn.shared ? ", shared" : ", apart") +
          ", buckets of " + std::to_string(drawn.bucket) + " bytes";
  row_ = row_from_json(Json::parse(forked([&] { return simulated(drawn, steps, injections); })), "seed");
  for (std::int64_t rank = 0; rank < kRanks; ++rank) {
    traces_.push_back({{}, rank, SmallTrace(rank_trace(row_.timeline, rank).dump()).read()});
  }
  groups_ = traces::timed_groups(traces_, {});
}

std::vector<CausedGemm> SimulatedRun::gemms() const {
  const traces::GemmCauses causes(traces_, {});
  std::vector<CausedGemm> gemms;
  const Json truth = training_truth(row_.timeline);
  for (const Json& of : truth.at("gemms")) {
    const std::int64_t rank = of.at("rank");
    const traces::PlacedTrace& placed = traces_.at(static_cast<std::size_t>(rank));
    const auto event = std::ranges::find(placed.trace.gpu_events, of.at("correlation").get<std::uint64_t>(),
                                         &traces::GpuEvent::correlation);
    const auto kernel = static_cast<traces::TraceId>(event - placed.trace.gpu_events.begin());
    gemms.push_back({of.at("step"), rank, of.at("gemm"), causes.cause_of(placed, kernel), of.at("alone_ps"),
                     of.at("clock_ps"), of.at("extra_ps"), of.at("contention_ps")});
  }
  return gemms;
}

traces::TracePs SimulatedRun::median_skew() const {
  std::vector<traces::TracePs> skews;
  for (const traces::CollectiveTimes& times : group().times) skews.push_back(times.start_skew);
  return traces::median_time(std::move(skews));
}
