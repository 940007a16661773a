#include "sim/system/system.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "sim/base/errors.hpp"
#include "sim/plan/hbm_of_die.hpp"
#include "sim/plan/network/package_clock.hpp"

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
  for (std::int32_t package = 0; package < packages; ++package) {
    for (std::int32_t die = 0; die < dies; ++die) build_die(package, die);
  }
  if (ledger_ && pes() > 1) network_->tell_contention();
}

void System::build_die(std::int32_t package, std::int32_t die) {
  const auto sram_router = static_cast<std::int32_t>(machine_.die.sram.router);
  const std::int32_t sram = plan_->find(NodeKind::kSram, {package, die, sram_router});
  const MachineSpec& spec = package_spec(package);
  sram_.push_back(
      std::make_unique<SramController>(module_name(plan_->node(sram).name).c_str(), calendar_, spec.die.sram));
  network_->limit(sram, machine_.die.sram.port_buffer);
  const std::int32_t number = package * plan_->numbers.dies + die;
  for (const std::int32_t hbm : plan_->hbm_controllers(number)) {
    build_hbm(module_name(plan_->node(hbm).name), spec);
    network_->limit(hbm, machine_.die.hbm.port_buffer);
  }
  for (std::int32_t router = 0; router < plan_->numbers.die_routers; ++router) {
    const std::int32_t pe = plan_->find(NodeKind::kPe, {package, die, router});
    build_pe(pe, plan_->hbm_of(pes()), module_name(plan_->node(pe).name));
    Place& built = *places_.back();
    MemoryWay& own = way(built.index, built.hbm);
    built.pe->read_port().bind(own);
    built.pe->write_port().bind(own);
  }
}

void System::build_one_pe() {
  build_hbm("hbm0", machine_);
  build_pe(kOwnTcm, kOwnPartition, lone_name_.empty() ? "pe0" : module_name(lone_name_));
  Place& built = *places_.back();
  wires_ = std::make_unique<OwnWires>(machine_, *hbms_.back());
  built.pe->read_port().bind(wires_->route());
  built.pe->write_port().bind(wires_->route());
}

void System::build_hbm(const std::string& name, const MachineSpec& spec) {
  hbms_.push_back(make_hbm_partition(name, calendar_, spec.die.hbm));
}

void System::follow_one_pe(CountedOn counted_on) {
  if (counted_on == CountedOn::kNothing) return;
  const Bytes interleaved = hbms_.back()->follow(repetition_);
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

void System::build_pe(std::int32_t pe_node, MemoryNode hbm, const std::string& name) {
  auto& built = *places_.emplace_back(std::make_unique<Place>());
  built.system = this;
  built.index = static_cast<std::int32_t>(places_.size()) - 1;
  built.pe_node = pe_node;
  built.hbm = hbm;
  const MachineSpec& spec = plan_ ? package_spec(plan_->node(pe_node).at.package) : machine_;
  if (values_) {
    const auto memory = [this, &built](MemoryNode node) -> ValueStore& {
      return store_at(node == kOwnPartition ? built.hbm : node == kOwnTcm ? built.pe_node : node);
    };
    built.values = std::make_unique<PeValues>(PeValues::Context{*values_, machine_, name, memory});
  }
  built.pe =
      std::make_unique<Pe>(name.c_str(), Pe::Context{calendar_, log_, spec, &built, built.values.get(), ledger_});
}

std::span<const std::unique_ptr<HbmPartition>> System::hbm_controllers(std::int32_t pe) const {
  const std::span<const std::unique_ptr<HbmPartition>> all(hbms_);
  if (!plan_ || !plan_->shares_hbm) return all.subspan(static_cast<std::size_t>(pe), 1);
  const auto of_die = static_cast<std::size_t>(plan_->numbers.die_hbms);
  return all.subspan(static_cast<std::size_t>(pe / plan_->numbers.die_routers) * of_die, of_die);
}

std::optional<double> System::hbm_busy_ns(std::int32_t pe, Picoseconds end) const {
  double sum = 0;
  for (const auto& controller : hbm_controllers(pe)) {
    const std::optional<double> busy = controller->busy_ns(end);
    if (!busy) return std::nullopt;
    sum += *busy;
  }
  return sum;
}

std::int64_t System::bursts(const std::vector<std::int32_t>& pes) const {
  std::set<const HbmPartition*> controllers;
  for (const std::int32_t pe : pes) {
    for (const auto& controller : hbm_controllers(pe)) controllers.insert(controller.get());
  }
  std::int64_t sum = 0;
  for (const HbmPartition* controller : controllers) sum += controller->bursts();
  return sum;
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

MemoryNode System::memory_node(std::int32_t pe, MemoryTier tier) const {
  if (tier == MemoryTier::kTcm) return place(pe).pe_node;
  if (tier == MemoryTier::kHbm) return place(pe).hbm;
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
  return *hbms_.at(index);
}

HbmPartition& System::hbm_at(std::int32_t node) {
  const NodeNumbers& numbers = plan_->numbers;
  const std::int32_t package = plan_->node(node).at.package;
  const std::int32_t in_package = node - package * numbers.per_package() - numbers.hbm(0, 0);
  return *hbms_.at(static_cast<std::size_t>(package * numbers.dies * numbers.die_hbms + in_package));
}

MemoryPort& System::memory_at(std::int32_t node) {
  switch (plan_->node(node).kind) {
    case NodeKind::kPe:
      return memory(pe_at(node), MemoryTier::kTcm);
    case NodeKind::kHbm:
      return hbm_at(node);
    case NodeKind::kSram:
      return memory(pe_at(node), MemoryTier::kSram);
    default:
      throw SimulationError("there is no memory at node " + std::to_string(node) + ", " + plan_->node(node).name);
  }
}

void System::expect_network(MemoryNode memory) const {
  if (network_) return;
  throw SimulationError("memory " + std::to_string(memory) +
                        " is not to be reached: a PE that was built alone has its TCM and its own partition");
}

MemoryWay& System::way(std::int32_t pe, MemoryNode memory) {
  if (!is_hbm_of_die(memory)) return route(pe, memory);
  expect_network(memory);
  auto& way = places_.at(static_cast<std::size_t>(pe))->shared[memory];
  if (!way) {
    std::vector<MemoryRoute*> routes;
    for (const std::int32_t node : plan_->hbm_controllers(die_of_hbm(memory))) routes.push_back(&route(pe, node));
    way = std::make_unique<SharedWay>(interleaving_of(machine_.die), std::move(routes));
  }
  return *way;
}

MemoryRoute& System::route(std::int32_t pe, std::int32_t memory_node) {
  expect_network(memory_node);
  auto& route = places_.at(static_cast<std::size_t>(pe))->routes[memory_node];
  if (!route) route = std::make_unique<NetworkRoute>(*network_, pe_node(pe), memory_node, memory_at(memory_node));
  return *route;
}

std::string System::name_of(MemoryNode memory) const {
  if (memory == kOwnTcm) return "pe0";
  if (memory == kOwnPartition) return "hbm0";
  expect_network(memory);
  if (!is_hbm_of_die(memory)) return plan_->node(memory).name;
  const std::int32_t die = die_of_hbm(memory);
  return "package" + std::to_string(die / plan_->numbers.dies) + ".die" + std::to_string(die % plan_->numbers.dies) +
         ".hbm";
}

MemoryAllocator& System::space(std::int32_t pe, MemoryTier tier) {
  if (tier == MemoryTier::kTcm) return this->pe(pe).tcm_space();
  const MemoryNode memory = memory_node(pe, tier);
  const bool sram = tier == MemoryTier::kSram;
  return spaces_
      .try_emplace(memory, plan_ ? name_of(memory) : "the partition", sram ? "die.sram.capacity" : "die.hbm.capacity",
                   sram ? machine_.die.sram.capacity : hbm_capacity(machine_.die))
      .first->second;
}

void System::allocate_in_hbm(const std::vector<std::int32_t>& pes, Bytes bytes, const std::string& what) {
  std::set<MemoryNode> memories;
  for (const std::int32_t pe : pes) {
    if (memories.insert(memory_node(pe, MemoryTier::kHbm)).second) space(pe, MemoryTier::kHbm).allocate(bytes, what);
  }
}

ValueStore& System::store_at(MemoryNode memory) {
  if (memory >= 0) expect_network(memory);
  const bool tcm = memory >= 0 ? plan_->node(memory).kind == NodeKind::kPe : memory == kOwnTcm;
  return values_->memory(memory, tcm ? "the TCM of " + name_of(memory) : name_of(memory));
}

ValueStore* System::store(std::int32_t pe, MemoryTier tier) {
  return values_ ? &store_at(memory_node(pe, tier)) : nullptr;
}

}  // namespace kernbench
