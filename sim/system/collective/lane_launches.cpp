#include "sim/system/collective/lane_launches.hpp"

#include <algorithm>
#include <utility>

namespace kernbench {

LaneLaunches::LaneLaunches(CollectiveLanes lanes, const Settings& settings) : lanes_(std::move(lanes)) {
  Lane lane{0, static_cast<std::int32_t>(lanes_.size()), settings.pes_of_rank};
  for (const auto& schedule : lanes_) {
    values_.push_back(std::make_unique<RankValues>(*schedule, settings.values, settings.seed, lane));
    launches_.push_back(
        std::make_unique<CollectiveLaunch>(*schedule, *values_.back(), settings.reserved, lane, settings.gates));
    ++lane.number;
  }
}

std::int64_t LaneLaunches::threads(std::int32_t rank) const {
  std::int64_t threads = 0;
  for (const auto& schedule : lanes_) {
    threads += std::ranges::count_if(schedule->ranks.at(static_cast<std::size_t>(rank)),
                                     [](const CollectiveThread& thread) { return !thread.empty(); });
  }
  return threads;
}

std::vector<Launch*> LaneLaunches::launches() const {
  std::vector<Launch*> all;
  for (const auto& launch : launches_) all.push_back(launch.get());
  return all;
}

double LaneLaunches::check() const {
  double largest = 0;
  for (const auto& values : values_) largest = std::max(largest, values->check());
  return largest;
}

Picoseconds LaneLaunches::end() const {
  Picoseconds last{};
  for (const auto& launch : launches_) last = std::max(last, launch->end());
  return last;
}

std::vector<Picoseconds> LaneLaunches::phase_ends() const {
  std::vector<Picoseconds> last;
  for (const auto& launch : launches_) {
    const std::vector<Picoseconds>& ends = launch->phase_ends();
    if (last.size() < ends.size()) last.resize(ends.size());
    for (std::size_t i = 0; i < ends.size(); ++i) last[i] = std::max(last[i], ends[i]);
  }
  return last;
}

bool LaneLaunches::in_hbm() const {
  return std::ranges::any_of(launches_, [](const auto& launch) { return launch->in_hbm(); });
}

}  // namespace kernbench
