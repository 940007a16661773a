#include "sim/system/system.hpp"

#include <algorithm>
#include <string>

namespace kernbench {

namespace {

/// SystemC names take no dots.
std::string module_name(const NetworkNode& node) {
  std::string name = node.name;
  std::ranges::replace(name, '.', '_');
  return name;
}

}  // namespace

System::System(const MachineSpec& machine, OpSink* sink)
    : machine_(machine),
      plan_(plan_network(machine)),
      calendar_("calendar"),
      log_(sink),
      network_("network", calendar_, plan_) {
  const auto packages = static_cast<std::int32_t>(machine.system.packages.count());
  const auto dies = static_cast<std::int32_t>(machine.package.dies.count());
  const auto routers = static_cast<std::int32_t>(machine.die.routers.count());
  for (std::int32_t package = 0; package < packages; ++package) {
    for (std::int32_t die = 0; die < dies; ++die) {
      const auto sram_router = static_cast<std::int32_t>(machine.die.sram.router);
      const std::int32_t sram = plan_.find(NodeKind::kSram, {package, die, sram_router});
      const auto node = [&](std::int32_t index) -> const NetworkNode& {
        return plan_.nodes.at(static_cast<std::size_t>(index));
      };
      sram_.push_back(std::make_unique<SramController>(module_name(node(sram)).c_str(), calendar_, machine.die.sram));
      network_.limit(sram, machine.die.sram.port_buffer);
      for (std::int32_t router = 0; router < routers; ++router) {
        const NodeLocation at{package, die, router};
        const std::int32_t pe = plan_.find(NodeKind::kPe, at);
        const std::int32_t hbm = plan_.find(NodeKind::kHbm, at);
        const auto index = static_cast<std::int32_t>(pe_nodes_.size());
        pe_nodes_.push_back(pe);
        hbm_.push_back(std::make_unique<HbmController>(module_name(node(hbm)).c_str(), calendar_, machine.die.hbm));
        network_.limit(hbm, machine.die.hbm.port_buffer);
        pes_.push_back(
            std::make_unique<Pe>(module_name(node(pe)).c_str(), Pe::Context{calendar_, log_, machine_, nullptr}));
        MemoryRoute& own = route(index, hbm, *hbm_.back());
        pes_.back()->read_port().bind(own);
        pes_.back()->write_port().bind(own);
      }
    }
  }
}

System::~System() = default;

std::int32_t System::memory_node(std::int32_t pe, MemoryTier tier) const {
  const std::int32_t node = pe_node(pe);
  NodeLocation at = plan_.nodes.at(static_cast<std::size_t>(node)).at;
  switch (tier) {
    case MemoryTier::kTcm:
      return node;
    case MemoryTier::kSram:
      at.router = static_cast<std::int32_t>(machine_.die.sram.router);
      return plan_.find(NodeKind::kSram, at);
    case MemoryTier::kHbm:
      return plan_.find(NodeKind::kHbm, at);
  }
  return -1;
}

MemoryPort& System::memory(std::int32_t pe, MemoryTier tier) {
  const auto index = static_cast<std::size_t>(pe);
  switch (tier) {
    case MemoryTier::kTcm:
      return pes_.at(index)->tcm();
    case MemoryTier::kSram:
      return *sram_.at(index / static_cast<std::size_t>(machine_.die.routers.count()));
    case MemoryTier::kHbm:
      return *hbm_.at(index);
  }
  return *hbm_.at(index);
}

MemoryRoute& System::route(std::int32_t pe, std::int32_t memory_node, MemoryPort& memory) {
  auto& route = routes_[{pe, memory_node}];
  if (!route) route = std::make_unique<NetworkRoute>(network_, pe_node(pe), memory_node, memory);
  return *route;
}

}  // namespace kernbench
