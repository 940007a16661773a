#include "benches/harness/whatif/changes.hpp"

#include <algorithm>
#include <array>
#include <variant>

#include "sim/base/capacity_error.hpp"
#include "sim/machine/contradictions.hpp"

namespace kernbench {
namespace {

/// Not hardware: how finely it is simulated, what --map chooses, and what parts take and cost.
bool is_hardware(const MachineKey& key) {
  constexpr std::array kOthers{"simulation.", "pe.mac.tile.", "energy.", "cost."};
  return std::ranges::none_of(kOthers, [&key](std::string_view section) { return key.path.starts_with(section); });
}

std::int64_t value_after(const KeyChange& change, const MachineSpec& before) {
  const std::int64_t now = std::get<QuantityField>(change.key->field).get(before);
  const auto [times, over] = change.factor;
  return now / over * times + now % over * times / over;
}

std::string written(const KeyChange& change, const MachineSpec& before) {
  return format_quantity(value_after(change, before), std::get<QuantityField>(change.key->field).dimension);
}

/// Throws ConfigError where rounding leaves nothing of the change, or of a tenth more less than 9 %.
void require_change(const KeyChange& change, const MachineSpec& before) {
  constexpr double kLeastGrowth = 1.09;
  const std::int64_t now = std::get<QuantityField>(change.key->field).get(before);
  const std::int64_t then = value_after(change, before);
  const bool tenth = change.factor == kTenthMore;
  if (tenth ? static_cast<double>(then) >= kLeastGrowth * static_cast<double>(now) && then != now : then != now) return;
  throw ConfigError(std::string(change.key->path) + ": expected a value to " +
                    (tenth ? "grow by 10 %" : "double or halve") + ", got " + written_value(*change.key, before));
}

Changes twice(const std::vector<std::string_view>& keys) {
  Changes changes;
  for (const std::string_view key : keys) changes.push_back({&machine_key(key), kTwice});
  return changes;
}

Changes half(const std::vector<std::string_view>& keys) {
  Changes changes;
  for (const std::string_view key : keys) changes.push_back({&machine_key(key), kHalf});
  return changes;
}

Changes both(Changes changes, const Changes& more) {
  changes.insert(changes.end(), more.begin(), more.end());
  return changes;
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

std::vector<const MachineKey*> hardware_keys() {
  std::vector<const MachineKey*> keys;
  for (const MachineKey& key : machine_keys()) {
    if (std::holds_alternative<QuantityField>(key.field) && is_hardware(key)) keys.push_back(&key);
  }
  return keys;
}

bool counts_pes(const MachineKey& key) {
  return key.path.starts_with("system.packages.") || key.path.starts_with("package.dies.") ||
         key.path.starts_with("die.routers.");
}

bool is_technology(const MachineKey& key) {
  constexpr std::array kKeys{"pe.clock", "die.hbm.read_latency", "die.hbm.turnaround", "die.sram.latency"};
  return std::ranges::find(kKeys, key.path) != kKeys.end() || key.path.starts_with("die.wire.");
}

MachineSpec changed(MachineSpec machine, const Changes& changes) {
  const MachineSpec before = machine;
  for (const KeyChange& change : changes) {
    const std::string path(change.key->path);
    require_change(change, before);
    try {
      read_value(*change.key, written(change, before), machine);
    } catch (const ConfigError& error) {
      throw ConfigError(path + ": " + error.what());
    }
  }
  require_consistent(machine);
  return machine;
}

void require_consistent(const MachineSpec& machine) {
  for (const Contradiction& contradiction : contradictions()) {
    const std::string wrong = contradiction.check(machine);
    if (!wrong.empty()) throw CapacityError(std::string(contradiction.keys.front()) + ": " + wrong);
  }
}

std::string to_text(const KeyChange& change, const MachineSpec& before) {
  return std::string(change.key->path) + " " + written_value(*change.key, before) + " to " + written(change, before);
}

std::string setting_of(const KeyChange& change, const MachineSpec& before) {
  return std::string(change.key->path) + "=" + written(change, before);
}

std::span<const CoupledKeys> coupled_keys() {
  static const std::vector<CoupledKeys> kPaths{
      {"operands from HBM",
       {"hbm", "links", "tcm_port", "credits", "latency"},
       twice({"die.hbm.bandwidth", "die.router.link_bandwidth", "pe.tcm.write_bandwidth", "pe.dma.outstanding_bursts",
              "pe.stream_depth"})},
      {"requests",
       {"latency", "setup", "credits", "control"},
       both(twice({"pe.stream_depth", "pe.dma.outstanding_bursts"}),
            half({"pe.dma.setup_latency", "pe.scheduler_latency", "pe.control_latency"}))},
      {"array",
       {"mac", "array_fill", "fetch"},
       twice({"pe.mac.macs_per_cycle", "pe.mac.rows", "pe.mac.columns", "pe.mac.weight_buffers", "pe.fetch_bandwidth",
              "pe.mac.operand_registers"})},
      {"results",
       {"drain", "epilogue"},
       twice({"pe.vector.lanes", "pe.mac.accumulators", "pe.store_bandwidth", "pe.output_depth",
              "pe.tcm.read_bandwidth", "die.router.link_bandwidth", "die.hbm.bandwidth"})},
      {"conversion",
       {"convert"},
       twice({"pe.vector.lanes", "pe.vector.rates.convert", "pe.mac.operand_registers", "pe.fetch_bandwidth"})},
      {"messages",
       {"receive", "contention"},
       twice({"die.router.link_bandwidth", "pe.tcm.read_bandwidth", "pe.tcm.write_bandwidth",
              "package.die_to_die.bandwidth", "system.package_link.bandwidth", "pe.vector.lanes",
              "pe.message_queue.slots"})},
      {"array and its operands",
       {"mac", "array_fill", "fetch", "hbm", "links", "tcm_port", "credits", "convert"},
       twice({"pe.mac.macs_per_cycle", "pe.mac.rows", "pe.fetch_bandwidth", "die.hbm.bandwidth",
              "die.router.link_bandwidth", "pe.tcm.write_bandwidth", "pe.dma.outstanding_bursts", "pe.vector.lanes"}),
       true},
  };
  return kPaths;
}

bool within_reach(const KeyChange& change, const MachineSpec& machine, const MachineSpec& first) {
  constexpr std::int64_t kFarthest = 4;
  const std::int64_t was = std::get<QuantityField>(change.key->field).get(first);
  const std::int64_t is = value_after(change, machine);
  return is / kFarthest <= was && was / kFarthest <= is;
}

std::vector<Changes> candidates_on(const CoupledKeys& path, const MachineSpec& machine, const MachineSpec& first,
                                   std::size_t most) {
  Changes possible;
  for (const KeyChange& change : path.better) {
    if (!within_reach(change, machine, first)) continue;
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
