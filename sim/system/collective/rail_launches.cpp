#include "sim/system/collective/rail_launches.hpp"

#include <algorithm>
#include <utility>

namespace kernbench {

RailLaunches::RailLaunches(CollectiveRails rails, const Settings& settings) : rails_(std::move(rails)) {
  Rail rail{0, static_cast<std::int32_t>(rails_.size()), settings.pes_of_rank};
  for (const auto& schedule : rails_) {
    values_.push_back(std::make_unique<RankValues>(*schedule, settings.values, settings.seed, rail));
    launches_.push_back(
        std::make_unique<CollectiveLaunch>(*schedule, *values_.back(), settings.reserved, rail, settings.gates));
    ++rail.number;
  }
}

std::int64_t RailLaunches::threads(std::int32_t rank) const {
  std::int64_t threads = 0;
  for (const auto& schedule : rails_) {
    threads += std::ranges::count_if(schedule->ranks.at(static_cast<std::size_t>(rank)),
                                     [](const CollectiveThread& thread) { return !thread.empty(); });
  }
  return threads;
}

std::vector<Launch*> RailLaunches::launches() const {
  std::vector<Launch*> all;
  for (const auto& launch : launches_) all.push_back(launch.get());
  return all;
}

double RailLaunches::check() const {
  double largest = 0;
  for (const auto& values : values_) largest = std::max(largest, values->check());
  return largest;
}

Picoseconds RailLaunches::end() const {
  Picoseconds last{};
  for (const auto& launch : launches_) last = std::max(last, launch->end());
  return last;
}

std::vector<Picoseconds> RailLaunches::phase_ends() const {
  std::vector<Picoseconds> last;
  for (const auto& launch : launches_) {
    const std::vector<Picoseconds>& ends = launch->phase_ends();
    if (last.size() < ends.size()) last.resize(ends.size());
    for (std::size_t i = 0; i < ends.size(); ++i) last[i] = std::max(last[i], ends[i]);
  }
  return last;
}

bool RailLaunches::in_hbm() const {
  return std::ranges::any_of(launches_, [](const auto& launch) { return launch->in_hbm(); });
}

}  // namespace kernbench
