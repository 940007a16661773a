#include "benches/traces/tables/collectives.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <map>
#include <numeric>
#include <utility>

namespace kernbench::traces {
namespace {

constexpr TracePs kLeastIdle = 2'000'000;     // ps: as in 40.14
constexpr double kLeastStragglerWait = 0.05;  // of the mean latency

/// What ended last before each instant, of one rank.
class EventsBefore {
 public:
  EventsBefore(const RankTrace& trace, const TraceSelection& selection) : trace_(trace) {
    const TraceSelection all_steps{selection.unlinked, std::nullopt};
    by_end_ = selected_events(trace, all_steps);
    TracePs busy_until = std::numeric_limits<TracePs>::min();
    for (const TraceId id : by_end_) {
      starts_.push_back(trace.gpu_events[id].start);
      busy_until = std::max(busy_until, trace.gpu_events[id].end());
      busy_until_.push_back(busy_until);
    }
    std::ranges::stable_sort(by_end_, {}, [&trace](TraceId id) { return trace.gpu_events[id].end(); });
  }

  /// Before `event`, which it is not.
  [[nodiscard]] LastRankKept before(TraceId event) const {
    const TracePs start = trace_.gpu_events[event].start;
    const auto end_of = [this](TraceId id) { return trace_.gpu_events[id].end(); };
    auto after = std::ranges::upper_bound(by_end_, start, {}, end_of);
    if (after != by_end_.begin() && *std::prev(after) == event) --after;  // it has no length
    if (after == by_end_.begin()) return {};
    const TraceId last = *std::prev(after);
    // Busy where anything that started earlier ends later than that.
    const auto earlier = std::ranges::lower_bound(starts_, start) - starts_.begin();
    const TracePs busy_until = earlier > 0 ? busy_until_[static_cast<std::size_t>(earlier) - 1] : start;
    const TracePs idle = start - std::max(busy_until, end_of(last));
    return {last, idle >= kLeastIdle ? idle : 0};
  }

 private:
  const RankTrace& trace_;
  std::vector<TraceId> by_end_;
  std::vector<TracePs> starts_;      // of events, in order
  std::vector<TracePs> busy_until_;  // the latest end of the events up to each
};

std::size_t place_of_max(const std::vector<TracePs>& values) {
  return static_cast<std::size_t>(std::ranges::max_element(values) - values.begin());
}

TracePs spread(const std::vector<TracePs>& values) {
  const auto [least, most] = std::ranges::minmax(values);
  return most - least;
}

std::vector<TracePs> clock_offsets(const CollectiveGroup& group) {
  std::vector<TracePs> offsets;
  for (const PlacedTrace* member : group.members) {
    offsets.push_back(clock_offset(member->trace, group.members.front()->trace));
  }
  return offsets;
}

CollectiveTimes times_of(const CollectiveGroup& group, const MatchedCollective& matched,
                         const std::vector<TracePs>& offsets, const std::vector<RankClock>& clocks) {
  CollectiveTimes times;
  std::vector<TracePs> starts;
  std::vector<TracePs> ends;
  for (std::size_t member = 0; member < group.members.size(); ++member) {
    const GpuEvent& event = group.members[member]->trace.gpu_events[matched.events[member]];
    const auto shift = static_cast<TracePs>(clocks[member].shift_ps);
    starts.push_back(event.start + offsets[member] + shift);
    ends.push_back(event.end() + offsets[member] + shift);
    times.ends.push_back(event.end() + offsets[member]);
    times.durations.push_back(event.duration);
  }
  times.last = place_of_max(starts);
  for (const TracePs start : starts) times.waits.push_back(starts[times.last] - start);
  times.first = place_of_max(times.waits);
  times.latency = std::ranges::min(times.durations);
  times.start_skew = spread(starts);
  times.end_skew = spread(ends);
  return times;
}

Straggler verdict_on(const RankWaits& rank, const TimedGroup& group, double mean_latency) {
  if (group.waits() != WaitsKnown::kAll) return Straggler::kNotKnown;
  const bool is_late = rank.times_last > 0 && 2 * rank.times_last >= group.times.size() &&
                       rank.others_wait > kLeastStragglerWait * mean_latency;
  if (!is_late) return Straggler::kNo;
  const bool is_set = std::ranges::any_of(group.clocks, [](const RankClock& clock) { return clock.shift_ps != 0; });
  return is_set && rank.others_wait <= static_cast<double>(kSeenOnOneHost) ? Straggler::kNotKnown : Straggler::kYes;
}

/// Of the members, out of those of the point.
std::vector<RankClock> clocks_of(const CollectiveGroup& group, const SweepPoint& point,
                                 const std::vector<RankClock>& clocks) {
  std::vector<RankClock> of;
  for (const PlacedTrace* member : group.members) {
    of.push_back(clocks[place_in_point(point, member)]);
  }
  return of;
}

}  // namespace

double CollectiveTimes::waiting_share() const {
  const auto all = static_cast<double>(std::accumulate(durations.begin(), durations.end(), TracePs{0}));
  double waiting = 0;
  for (std::size_t i = 0; i < waits.size(); ++i) waiting += static_cast<double>(std::min(waits[i], durations[i]));
  return all > 0 ? waiting / all : 0;
}

std::int64_t TimedGroup::never_met() const {
  std::int64_t count = 0;
  for (const CollectiveTimes& of : times) {
    bool met = true;
    for (std::size_t i = 0; i < of.waits.size(); ++i) met = met && of.waits[i] <= of.durations[i] + kOneHost;
    count += met ? 0 : 1;
  }
  return count;
}

WaitsKnown TimedGroup::waits() const {
  if (std::ranges::any_of(clocks, &RankClock::is_unknown)) return WaitsKnown::kNothing;
  if (4 * never_met() > std::ssize(times)) return WaitsKnown::kNothing;
  return group.may_lack_ranks() ? WaitsKnown::kAtLeast : WaitsKnown::kAll;
}

std::vector<TimedGroup> timed_groups(const std::vector<PlacedTrace>& traces, const TraceSelection& selection) {
  std::vector<TimedGroup> groups;
  for (const SweepPoint& point : sweep_points(traces)) {
    std::map<const PlacedTrace*, EventsBefore> before;
    for (const PlacedTrace* placed : point) before.try_emplace(placed, placed->trace, selection);
    MatchedPoint all = match_collectives(point, selection);
    for (CollectiveGroup& group : all.groups) {
      TimedGroup& timed = groups.emplace_back();
      timed.clocks = clocks_of(group, point, all.clocks);
      const std::vector<TracePs> offsets = clock_offsets(group);
      for (const MatchedCollective& matched : group.matched) {
        CollectiveTimes& times = timed.times.emplace_back(times_of(group, matched, offsets, timed.clocks));
        times.kept = before.at(group.members[times.last]).before(matched.events[times.last]);
      }
      timed.group = std::move(group);
    }
  }
  return groups;
}

std::string kept_by(const TimedGroup& group, const CollectiveTimes& times) {
  if (times.kept.event == kNoId) return "";
  if (times.kept.idle > 0) return "idle";
  const RankTrace& trace = group.group.members[times.last]->trace;
  return trace.name(trace.gpu_events[times.kept.event].name);
}

std::vector<RankWaits> rank_waits(const TimedGroup& group) {
  const std::size_t members = group.group.members.size();
  std::vector<RankWaits> ranks(members);
  std::vector<std::map<std::string, std::size_t>> keepers(members);
  double latencies = 0;
  for (const CollectiveTimes& times : group.times) {
    latencies += static_cast<double>(times.latency);
    ++ranks[times.last].times_last;
    ++ranks[times.first].times_first;
    ++keepers[times.last][kept_by(group, times)];
    for (std::size_t member = 0; member < members; ++member) {
      RankWaits& rank = ranks[member];
      rank.wait += times.waits[member];
      rank.collective += times.durations[member];
      rank.end_offsets.push_back(times.ends[member] - times.ends.front());
      ranks[times.last].others_wait += static_cast<double>(times.waits[member]);
    }
  }
  for (std::size_t member = 0; member < members; ++member) {
    RankWaits& rank = ranks[member];
    if (members > 1 && rank.times_last > 0) rank.others_wait /= static_cast<double>(rank.times_last * (members - 1));
    rank.straggler = verdict_on(rank, group, latencies / static_cast<double>(group.times.size()));
    if (rank.times_last == 0 || members < 2) continue;
    rank.kept_by =
        std::ranges::max_element(keepers[member], {}, [](const auto& keeper) { return keeper.second; })->first;
  }
  return ranks;
}

}  // namespace kernbench::traces
