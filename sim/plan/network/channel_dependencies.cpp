// A walk over the channels that never stores what waits for what.
#include "sim/plan/network/channel_dependencies.hpp"

#include <algorithm>
#include <cstddef>

#include "sim/plan/network/channel_turns.hpp"

namespace kernbench {
namespace {

/// Depth-first search with the path on an explicit stack.
class CycleSearch {
 public:
  explicit CycleSearch(const NetworkPlan& plan) : turns_(plan), state_(static_cast<std::size_t>(turns_.end()), kNew) {}

  [[nodiscard]] std::vector<NetworkChannel> find() {
    for (std::int32_t start = 0; start < turns_.end(); ++start) {
      if (!turns_.used(start) || state(start) != kNew) continue;
      push(start);
      while (!path_.empty()) {
        if (next_.size() == path_.back().first_next) {
          state(path_.back().channel) = kDone;
          path_.pop_back();
          continue;
        }
        const auto to = next_.back();
        next_.pop_back();
        if (state(to) == kOnPath) return cycle_from(to);
        if (state(to) == kNew) push(to);
      }
    }
    return {};
  }

 private:
  enum State : std::uint8_t { kNew, kOnPath, kDone };
  struct Step {
    std::int32_t channel = 0;
    std::size_t first_next = 0;  ///< in next_
  };

  State& state(std::int32_t channel) { return state_[static_cast<std::size_t>(channel)]; }

  void push(std::int32_t channel) {
    state(channel) = kOnPath;
    path_.push_back({channel, next_.size()});
    turns_.append_next(channel, next_);
  }

  [[nodiscard]] std::vector<NetworkChannel> cycle_from(std::int32_t first) const {
    std::vector<NetworkChannel> cycle;
    auto on = std::ranges::find(path_, first, &Step::channel);
    for (; on != path_.end(); ++on) cycle.push_back(turns_.at(on->channel));
    return cycle;
  }

  ChannelTurns turns_;
  std::vector<State> state_;
  std::vector<Step> path_;
  std::vector<std::int32_t> next_;  ///< of all channels on the path, those not looked at yet
};

}  // namespace

std::vector<std::pair<NetworkChannel, NetworkChannel>> channel_dependencies(const NetworkPlan& plan) {
  const ChannelTurns turns(plan);
  std::vector<std::pair<NetworkChannel, NetworkChannel>> pairs;
  std::vector<std::int32_t> next;
  for (std::int32_t channel = 0; channel < turns.end(); ++channel) {
    if (!turns.used(channel)) continue;
    next.clear();
    turns.append_next(channel, next);
    for (const auto to : next) pairs.emplace_back(turns.at(channel), turns.at(to));
  }
  return pairs;
}

std::vector<NetworkChannel> find_dependency_cycle(const NetworkPlan& plan) { return CycleSearch(plan).find(); }

}  // namespace kernbench
