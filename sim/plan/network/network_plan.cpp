// Building, checking and asking for nodes.
#include "sim/plan/network/network_plan.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <string>

#include "sim/base/errors.hpp"
#include "sim/machine/contradictions.hpp"
#include "sim/plan/network/channel_dependencies.hpp"
#include "sim/plan/network/network_builder.hpp"
#include "sim/plan/network/network_size.hpp"

namespace kernbench {
namespace {

constexpr std::int64_t kMostNodes = 1'000'000;
constexpr std::int64_t kMostChannels = std::numeric_limits<std::int32_t>::max();  // by which they are numbered

/// A machine from a file has passed these checks; one that a program put together has not.
void check_wiring(const MachineSpec& machine) {
  for (const auto& contradiction : contradictions()) {
    if (contradiction.relied_on_by != ReliedOnBy::kNetwork) continue;
    const auto message = contradiction.check(machine);
    if (message.empty()) continue;
    throw ConfigError("machine " + machine.name + ": " + std::string(contradiction.keys.front()) + ": " + message);
  }
  const auto packages = machine.system.packages.count();
  const auto dies = machine.package.dies.count();
  const auto routers = machine.die.routers.count();
  const auto refuse = [&](std::int64_t most, const std::string& what, std::int64_t got, const std::string& remedy) {
    throw ConfigError(
        "machine " + machine.name + ": expected a network of at most " + std::to_string(most) + " " + what + ", got " +
        std::to_string(packages) + " packages x " + std::to_string(dies) + " dies x " + std::to_string(routers) +
        " routers, each with a PE and a memory controller: " + std::to_string(got) + " " + what + "; take " + remedy);
  };
  const NetworkSize size = network_size(machine);
  if (size.nodes > kMostNodes) refuse(kMostNodes, "nodes", size.nodes, "fewer of them");
  const auto channels = size.links * (machine.die.router.virtual_channels + size.classes);  // for data, for credits
  if (channels > kMostChannels) {
    refuse(kMostChannels, "virtual channels", channels, "fewer of them or of die.router.virtual_channels");
  }
}

void check_deadlock(const NetworkPlan& plan, const MachineSpec& machine) {
  const auto cycle = find_dependency_cycle(plan);
  if (cycle.empty()) return;
  std::string message = "machine " + machine.name +
                        ": the network could deadlock: packets on each of these links may wait for room on the next, "
                        "and on the last for the first:\n";
  for (const auto& channel : cycle) {
    message += "  " + plan.link(channel.link).name + ", class " + std::to_string(channel.channel_class) + '\n';
  }
  message += "expected routes without such a cycle; set die.router.virtual_channels to at least 2, got " +
             std::to_string(plan.virtual_channels);
  throw ConfigError(message);
}

}  // namespace

std::int32_t NetworkPlan::find(NodeKind kind, const NodeLocation& at) const {
  const auto per_package = numbers.per_package();
  const auto packages = static_cast<std::int32_t>(nodes.size()) / per_package;
  if (at.package < 0) {  // the switch between packages
    const bool is_last = kind == NodeKind::kSwitch && nodes.back().at.package < 0;
    return is_last ? static_cast<std::int32_t>(nodes.size()) - 1 : -1;
  }
  if (at.package >= packages) return -1;
  const auto first = at.package * per_package;
  if (kind == NodeKind::kSwitch) return first + numbers.io_switch();
  if (kind == NodeKind::kHost) return first + numbers.host();
  if (at.die < 0 || at.die >= numbers.dies) return -1;
  if (kind == NodeKind::kSram) return first + numbers.sram(at.die);
  if (kind == NodeKind::kHbm && shares_hbm) return -1;
  if (at.router < 0 || at.router >= numbers.die_routers) return -1;
  if (kind == NodeKind::kPe) return first + numbers.pe(at.die, at.router);
  if (kind == NodeKind::kHbm) return first + numbers.hbm(at.die, at.router);
  return first + numbers.router(at.die, at.router);
}

std::vector<std::int32_t> NetworkPlan::hbm_controllers(std::int32_t die) const {
  const std::int32_t first = die / numbers.dies * numbers.per_package() + numbers.hbm(die % numbers.dies, 0);
  std::vector<std::int32_t> all(static_cast<std::size_t>(numbers.die_hbms));
  std::iota(all.begin(), all.end(), first);
  return all;
}

NetworkPlan plan_network(const MachineSpec& machine) {
  check_wiring(machine);
  NetworkPlan plan = build_network(machine);
  check_deadlock(plan, machine);
  return plan;
}

}  // namespace kernbench
