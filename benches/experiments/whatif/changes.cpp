#include "benches/experiments/whatif/changes.hpp"

#include <algorithm>

#include "sim/base/errors.hpp"
#include "sim/base/text.hpp"

namespace kernbench {
namespace {

std::int64_t value_after(const KeyChange& change, const MachineSpec& before) {
  const std::int64_t now = number_of(change.key, before);
  const auto [times, over] = change.factor;
  return now / over * times + now % over * times / over;
}

std::string written(const KeyChange& change, const MachineSpec& before) {
  return format_quantity(value_after(change, before), change.key.dimension().value());
}

/// Throws ConfigError where rounding leaves nothing of the change, or of a tenth more less than 9 %.
void require_change(const KeyChange& change, const MachineSpec& before) {
  constexpr double kLeastGrowth = 1.09;
  const std::int64_t now = number_of(change.key, before);
  const std::int64_t then = value_after(change, before);
  const bool tenth = change.factor == kTenthMore;
  if (tenth ? static_cast<double>(then) >= kLeastGrowth * static_cast<double>(now) && then != now : then != now) return;
  throw ConfigError(std::string(change.key.path()) + ": expected a value to " +
                    (tenth ? "grow by 10 %" : "double or halve") + ", got " + written_value(change.key, before));
}

}  // namespace

std::string to_text(const Factor& factor) {
  if (factor == kQuarter) return "a quarter";
  if (factor == kHalf) return "half";
  if (factor == kTenthMore) return "10 % more";
  if (factor == kTwice) return "twice";
  if (factor == kFourTimes) return "four times";
  return std::to_string(factor.times) + "/" + std::to_string(factor.over);
}

Changes each_key_of(const Changes& changes, const MachineSpec& machine) {
  Changes all;
  for (const KeyChange& change : changes) {
    all.push_back(change);
    for (const TopologyKey& other : keys_along_with(change.key, machine)) all.push_back({other, change.factor});
  }
  return all;
}

MachineSpec changed(MachineSpec machine, const Changes& changes) {
  const MachineSpec before = machine;
  for (const KeyChange& change : each_key_of(changes, before)) {
    const std::string path(change.key.path());
    require_change(change, before);
    try {
      read_value(change.key, written(change, before), machine);
    } catch (const ConfigError& error) {
      throw ConfigError(path + ": " + error.what());
    }
  }
  require_consistent(machine);
  return machine;
}

std::string to_text(const KeyChange& change, const MachineSpec& before) {
  std::vector<std::string> lines;
  for (const KeyChange& one : each_key_of({change}, before)) {
    lines.push_back(std::string(one.key.path()) + " " + written_value(one.key, before) + " to " + written(one, before));
  }
  return joined(lines, "\n");
}

std::string setting_of(const KeyChange& change, const MachineSpec& before) {
  std::vector<std::string> settings;
  for (const KeyChange& one : each_key_of({change}, before)) {
    settings.push_back(std::string(one.key.path()) + "=" + written(one, before));
  }
  return joined(settings, "; ");
}

bool within_reach(const KeyChange& change, const MachineSpec& machine, const MachineSpec& first) {
  constexpr std::int64_t kFarthest = 4;
  const std::int64_t was = number_of(change.key, first);
  const std::int64_t is = value_after(change, machine);
  return is / kFarthest <= was && was / kFarthest <= is;
}

std::vector<Changes> candidates_on(const CoupledKeys& path, const MachineSpec& machine, const MachineSpec& first,
                                   std::size_t most) {
  Changes possible;
  for (const KeyChange& change : path.better) {
    if (!has_key(machine, change.key) || !within_reach(change, machine, first)) continue;
    try {
      static_cast<void>(changed(machine, {change}));
      possible.push_back(change);
    } catch (const ConfigError&) {
      continue;  // this machine has no other value of it
    }
  }
  if (path.whole) return {possible};
  return sets_of(possible, most);
}

std::vector<Changes> sets_of(const Changes& changes, std::size_t most) {
  std::vector<Changes> sets;
  std::vector<std::vector<std::size_t>> last{{}};  // as places in `changes`, of the size before
  for (std::size_t size = 1; size <= most; ++size) {
    std::vector<std::vector<std::size_t>> larger;
    for (const std::vector<std::size_t>& set : last) {
      for (std::size_t next = set.empty() ? 0 : set.back() + 1; next < changes.size(); ++next) {
        larger.push_back(set);
        larger.back().push_back(next);
        Changes& made = sets.emplace_back();
        for (const std::size_t place : larger.back()) made.push_back(changes[place]);
      }
    }
    last = std::move(larger);
  }
  return sets;
}

}  // namespace kernbench
