#include "benches/many_core_transfers/placements.hpp"

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <vector>

#include "sim/base/errors.hpp"
#include "sim/base/random.hpp"
#include "sim/machine/memory_places.hpp"
#include "sim/system/kernel_launch.hpp"

namespace kernbench {
namespace {

constexpr std::int64_t kRounds = 20;
constexpr Bytes kTransaction = 8192;
constexpr std::int64_t kOfChannel = 192;  // transactions of a round

std::int64_t transactions_of_core(const DramPlacement& placement) {
  return kOfChannel * placement.channels / placement.cores;
}

/// The channel of each core; -1: none.
using Channels = std::vector<std::int32_t>;

Channels at_random(std::int64_t cores_there, const DramPlacement& placement, Random& random) {
  std::vector<std::size_t> cores(static_cast<std::size_t>(cores_there));
  std::iota(cores.begin(), cores.end(), 0);
  Channels channels(cores.size(), -1);
  for (std::int32_t i = 0; i < placement.cores; ++i) {
    const auto at = static_cast<std::size_t>(i + random.below(cores_there - i));
    std::swap(cores[static_cast<std::size_t>(i)], cores[at]);
    channels[cores[static_cast<std::size_t>(i)]] = i % placement.channels;
  }
  return channels;
}

/// Each channel in turn takes the core nearest to it that is left.
Channels nearby(const DieSpec& die, const DramPlacement& placement) {
  const std::vector<std::int32_t> routers = controller_routers(die);
  Channels channels(static_cast<std::size_t>(die.routers.count()), -1);
  const auto columns = static_cast<std::int32_t>(die.routers.columns);
  for (std::int32_t i = 0; i < placement.cores; ++i) {
    const std::int32_t channel = i % placement.channels;
    const std::int32_t home = routers.at(static_cast<std::size_t>(channel));
    std::int32_t best = -1;
    std::int32_t least = 0;
    for (std::int32_t core = 0; core < std::ssize(channels); ++core) {
      const std::int32_t hops = std::abs(core / columns - home / columns) + std::abs(core % columns - home % columns);
      if (channels[static_cast<std::size_t>(core)] >= 0 || (best >= 0 && hops >= least)) continue;
      best = core;
      least = hops;
    }
    channels[static_cast<std::size_t>(best)] = channel;
  }
  return channels;
}

/// From when all cores are ready until the last has its data, or its acknowledgements.
struct Round {
  Channels channels;
  Picoseconds start{};
  Picoseconds end{};
};

Process use_channels(KernelPe pe, const DramPlacement* placement, std::vector<Round>* rounds) {
  const MatrixLayout here = pe.tcm(1, kTransaction / kElementBytes);
  const std::int64_t transactions = transactions_of_core(*placement);
  for (Round& round : *rounds) {
    round.start = std::max(round.start, co_await pe.barrier());
    const std::int32_t channel = round.channels[static_cast<std::size_t>(pe.rank())];
    if (channel < 0) continue;
    MatrixLayout there = here.at(kOwnPartition, channel * pe.machine().die.hbm.capacity);
    Pending last = Pending::nothing();
    for (std::int64_t i = 0; i < transactions; ++i) {
      if (placement->writes) {
        last = co_await pe.store(here, there);
      } else {
        last = Pending{(co_await pe.load(there, here)).done};
      }
    }
    round.end = std::max(round.end, co_await pe.wait(last));
  }
}

}  // namespace

void check_placement(const MachineSpec& machine, const DramPlacement& placement) {
  const DieSpec& die = machine.die;
  if (die.hbm.shared() && controllers_of_die(die) >= placement.channels && die.routers.count() >= placement.cores)
    return;
  throw ConfigError("expected a die of " + std::to_string(placement.cores) + " cores that share " +
                    std::to_string(placement.channels) + " controllers of HBM (die.hbm.controllers)");
}

double simulate_placement(const MachineSpec& machine, const DramPlacement& placement) {
  check_placement(machine, placement);
  MachineSpec spec = machine;
  const std::int64_t cores = spec.die.routers.count();
  spec.die.hbm.interleave = spec.die.hbm.capacity;  // a channel after the other
  Random random(1);
  std::vector<Round> rounds(placement.careful ? 1 : kRounds);
  for (Round& round : rounds) {
    round.channels = placement.careful ? nearby(spec.die, placement) : at_random(cores, placement, random);
  }
  std::vector<std::int32_t> pes(static_cast<std::size_t>(cores));
  std::iota(pes.begin(), pes.end(), 0);
  System system(spec, {});
  KernelLaunch launch(
      "DRAM by placement", [&](KernelPe pe) { return use_channels(pe, &placement, &rounds); }, pes);
  run_launches(system, {&launch});
  const Bytes bytes = transactions_of_core(placement) * placement.cores * kTransaction;
  double sum = 0;
  for (const Round& round : rounds) sum += static_cast<double>(bytes) / (round.end - round.start).ns();
  return sum / static_cast<double>(rounds.size());
}

}  // namespace kernbench
