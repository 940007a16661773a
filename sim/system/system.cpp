#include "sim/system/system.hpp"

#include <algorithm>
#include <utility>

#include "sim/base/errors.hpp"
#include "sim/plan/package_clock.hpp"

namespace kernbench {

namespace {

/// SystemC names take no dots.
std::string module_name(std::string name) {
  std::ranges::replace(name, '.', '_');
  return name;
}

}  // namespace

System::System(MachineSpec machine, const Settings& settings)
    : machine_(std::move(machine)),
      ledger_(settings.ledger),
      one_package_(settings.one_package),
      lone_name_(settings.lone_name),
      calendar_("calendar"),
      log_(settings.sink) {
  for (const std::int64_t clock : settings.clocks) package_specs_.push_back(at_clock(machine_, clock));
  if (settings.values) values_ = std::make_unique<MachineValues>(calendar_);
  if (settings.extent == SystemExtent::kOnePe) {
    build_one_pe();
    if (settings.sink == nullptr && !settings.values) follow_one_pe(settings.counted_on);
  } else {
    build_machine(settings.clocks);
  }
}

const MachineSpec& System::package_spec(std::int32_t package) const {
  return package_specs_.empty() ? machine_ : package_specs_.at(static_cast<std::size_t>(package));
}

System::~System() = default;

void System::build_machine(const std::vector<std::int64_t>& clocks) {
  plan_ = std::make_unique<NetworkPlan>(plan_network(machine_));
  set_clocks(*plan_, clocks);
  network_ = std::make_unique<Network>("network", calendar_, *plan_);
  if (one_package_) network_->stand_for_all_packages();
  const auto packages = static_cast<std::int32_t>(machine_.system.packages.count());
  const auto dies = static_cast<std::int32_t>(machine_.package.dies.count());
  const auto routers = static_cast<std::int32_t>(machine_.die.routers.count());
  for (std::int32_t package = 0; package < packages; ++package) {
    for (std::int32_t die = 0; die < dies; ++die) {
      const auto sram_router = static_cast<std::int32_t>(machine_.die.sram.router);
      const std::int32_t sram = plan_->find(NodeKind::kSram, {package, die, sram_router});
      sram_.push_back(std::make_unique<SramController>(module_name(plan_->node(sram).name).c_str(), calendar_,
                                                       package_spec(package).die.sram));
      network_->limit(sram, machine_.die.sram.port_buffer);
      for (std::int32_t router = 0; router < routers; ++router) {
        const NodeLocation at{package, die, router};
        const std::int32_t pe = plan_->find(NodeKind::kPe, at);
        const std::int32_t hbm = plan_->find(NodeKind::kHbm, at);
        build_pe(pe, hbm, module_name(plan_->node(pe).name), module_name(plan_->node(hbm).name));
        network_->limit(hbm, machine_.die.hbm.port_buffer);
        Place& built = *places_.back();
        MemoryRoute& own = route(built.index, hbm);
        built.pe->read_port().bind(own);
        built.pe->write_port().bind(own);
      }
    }
  }
  if (ledger_ && pes() > 1) network_->tell_contention();
}

void System::build_one_pe() {
  build_pe(kOwnTcm, kOwnPartition, lone_name_.empty() ? "pe0" : module_name(lone_name_), "hbm0");
  Place& built = *places_.back();
  wires_ = std::make_unique<OwnWires>(machine_, *built.hbm);
  built.pe->read_port().bind(wires_->route());
  built.pe->write_port().bind(wires_->route());
}

void System::follow_one_pe(CountedOn counted_on) {
  if (counted_on == CountedOn::kNothing) return;
  const Bytes interleaved = places_.back()->hbm->follow(repetition_);
  if (interleaved == 0) return;
  calendar_.follow(repetition_);
  repetition_.count(log_);
  wires_->follow(repetition_);
  Pe& pe = *places_.back()->pe;
  pe.follow(repetition_);
  if (counted_on == CountedOn::kTiles) {
    pe.repeat_tiles(repetition_, interleaved);
  } else {
    step_repeats_.emplace(pe, repetition_, interleaved);
  }
}

void System::build_pe(std::int32_t pe_node, std::int32_t hbm_node, const std::string& pe, const std::string& hbm) {
  auto& built = *places_.emplace_back(std::make_unique<Place>());
  built.system = this;
  built.index = static_cast<std::int32_t>(places_.size()) - 1;
  built.pe_node = pe_node;
  built.hbm_node = hbm_node;
  const MachineSpec& spec = plan_ ? package_spec(plan_->node(pe_node).at.package) : machine_;
  built.hbm = make_hbm_partition(hbm, calendar_, spec.die.hbm);
  if (values_) {
    const auto memory = [this, &built](MemoryNode node) -> ValueStore& {
      return store_at(node == kOwnPartition ? built.hbm_node : node == kOwnTcm ? built.pe_node : node);
    };
    built.values = std::make_unique<PeValues>(PeValues::Context{*values_, machine_, pe, memory});
  }
  built.pe = std::make_unique<Pe>(pe.c_str(), Pe::Context{calendar_, log_, spec, &built, built.values.get(), ledger_});
}

std::int32_t System::pe_at(std::int32_t node) const {
  const NodeLocation& at = plan_->node(node).at;
  const NodeNumbers& numbers = plan_->numbers;
  return (at.package * numbers.dies + at.die) * numbers.die_routers + at.router;
}

std::string System::pe_name(std::int32_t index) const {
  if (!lone_name_.empty()) return lone_name_;
  const Place& at = place(index);
  return plan_ ? plan_->node(at.pe_node).name : at.pe->name();
}

std::int32_t System::memory_node(std::int32_t pe, MemoryTier tier) const {
  if (tier == MemoryTier::kTcm) return place(pe).pe_node;
  if (tier == MemoryTier::kHbm) return place(pe).hbm_node;
  NodeLocation at = plan_->node(place(pe).pe_node).at;
  at.router = static_cast<std::int32_t>(machine_.die.sram.router);
  return plan_->find(NodeKind::kSram, at);
}

MemoryPort& System::memory(std::int32_t pe, MemoryTier tier) {
  const auto index = static_cast<std::size_t>(pe);
  switch (tier) {
    case MemoryTier::kTcm:
      return places_.at(index)->pe->tcm();
    case MemoryTier::kSram:
      return *sram_.at(index / static_cast<std::size_t>(machine_.die.routers.count()));
    case MemoryTier::kHbm:
      break;
  }
  return *places_.at(index)->hbm;
}

MemoryPort& System::memory_at(std::int32_t node) {
  switch (plan_->node(node).kind) {
    case NodeKind::kPe:
      return memory(pe_at(node), MemoryTier::kTcm);
    case NodeKind::kHbm:
      return memory(pe_at(node), MemoryTier::kHbm);
    case NodeKind::kSram:
      return memory(pe_at(node), MemoryTier::kSram);
    default:
      throw SimulationError("there is no memory at node " + std::to_string(node) + ", " + plan_->node(node).name);
  }
}

void System::expect_network(std::int32_t memory_node) const {
  if (network_) return;
  throw SimulationError("memory " + std::to_string(memory_node) +
                        " is not to be reached: a PE that was built alone has its TCM and its own partition");
}

MemoryRoute& System::route(std::int32_t pe, std::int32_t memory_node) {
  expect_network(memory_node);
  auto& route = places_.at(static_cast<std::size_t>(pe))->routes[memory_node];
  if (!route) route = std::make_unique<NetworkRoute>(*network_, pe_node(pe), memory_node, memory_at(memory_node));
  return *route;
}

MemoryAllocator& System::space(std::int32_t pe, MemoryTier tier) {
  if (tier == MemoryTier::kTcm) return this->pe(pe).tcm_space();
  const std::int32_t node = memory_node(pe, tier);
  const bool sram = tier == MemoryTier::kSram;
  const std::string name = plan_ ? plan_->node(node).name : "the partition";
  return spaces_
      .try_emplace(node, name, sram ? "die.sram.capacity" : "die.hbm.capacity",
                   sram ? machine_.die.sram.capacity : machine_.die.hbm.capacity)
      .first->second;
}

ValueStore& System::store_at(std::int32_t node) {
  if (node >= 0) expect_network(node);
  const std::string name = node >= 0 ? plan_->node(node).name : node == kOwnTcm ? "pe0" : "hbm0";
  const bool tcm = node >= 0 ? plan_->node(node).kind == NodeKind::kPe : node == kOwnTcm;
  return values_->memory(node, tcm ? "the TCM of " + name : name);
}

ValueStore* System::store(std::int32_t pe, MemoryTier tier) {
  return values_ ? &store_at(memory_node(pe, tier)) : nullptr;
}

}  // namespace kernbench
