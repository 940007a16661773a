// Greedy interval colouring; records of an engine come by start time, for which it is optimal.
#include "sim/system/trace/lanes.hpp"

#include <algorithm>

namespace kernbench {

namespace {

constexpr std::int32_t kLanesPerEngine = 1'000;
constexpr std::int32_t kRanksPerGroup = 16 * kLanesPerEngine;

}  // namespace

Lanes::Engine& Lanes::engine_of(std::string_view name, const Stage& stage) {
  const auto known = engines_.find(name);
  if (known != engines_.end()) return known->second;
  const std::string group(name.substr(0, name.find('.')));
  auto place = std::ranges::find(groups_, group);
  if (place == groups_.end()) place = groups_.insert(groups_.end(), group);
  Engine& engine = engines_[std::string(name)];
  engine.rank = static_cast<std::int32_t>(place - groups_.begin()) * kRanksPerGroup + stage.lane * kLanesPerEngine;
  return engine;
}

Lanes::Place Lanes::place(std::string_view engine_name, const Stage& stage, const OpRecord& op) {
  Engine& engine = engine_of(engine_name, stage);
  const auto free = std::ranges::find_if(engine.lanes, [&](const Lane& lane) { return lane.free_at <= op.start; });
  if (free != engine.lanes.end()) {
    free->free_at = op.end;
    return {free->track, false};
  }
  const auto number = static_cast<std::int32_t>(engine.lanes.size()) + 1;
  std::string name(engine_name);
  if (number > 1) name += " #" + std::to_string(number);
  const Lane& lane = engine.lanes.emplace_back(Lane{{++tracks_, std::move(name), engine.rank + number}, op.end});
  return {lane.track, true};
}

}  // namespace kernbench
