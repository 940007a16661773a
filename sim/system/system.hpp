// A whole machine, or the part of it that a machine description names: PEs, memories and the network between them, on
// one calendar (adr/0019). Elaborated once in a process.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "sim/engine/op_log.hpp"
#include "sim/hw/memory/hbm_controller.hpp"
#include "sim/hw/memory/sram_controller.hpp"
#include "sim/hw/message/message_queue.hpp"
#include "sim/hw/noc/network_route.hpp"
#include "sim/hw/pe/pe.hpp"
#include "sim/plan/network/network_plan.hpp"

namespace kernbench {

class System {
 public:
  /// Throws ConfigError for a machine whose network cannot be wired.
  explicit System(const MachineSpec& machine, OpSink* sink = nullptr);
  System(const System&) = delete;
  System& operator=(const System&) = delete;
  ~System();

  [[nodiscard]] const MachineSpec& machine() const { return machine_; }
  [[nodiscard]] const NetworkPlan& plan() const { return plan_; }
  Calendar& calendar() { return calendar_; }
  Network& network() { return network_; }
  [[nodiscard]] const OpLog& log() const { return log_; }

  /// PEs are counted package by package, die by die, router by router.
  [[nodiscard]] std::int32_t pes() const { return static_cast<std::int32_t>(pe_nodes_.size()); }
  Pe& pe(std::int32_t index) { return *pes_.at(static_cast<std::size_t>(index)); }
  [[nodiscard]] std::int32_t pe_node(std::int32_t index) const { return pe_nodes_.at(static_cast<std::size_t>(index)); }
  /// Node of the memory that holds a tier's slots and buffers for a PE: its TCM is found at its own node.
  [[nodiscard]] std::int32_t memory_node(std::int32_t pe, MemoryTier tier) const;
  MemoryPort& memory(std::int32_t pe, MemoryTier tier);
  /// A PE's way to a memory; made when first asked for.
  MemoryRoute& route(std::int32_t pe, std::int32_t memory_node, MemoryPort& memory);

 private:
  MachineSpec machine_;
  NetworkPlan plan_;
  Calendar calendar_;
  OpLog log_;
  Network network_;
  std::vector<std::int32_t> pe_nodes_;
  std::vector<std::unique_ptr<HbmController>> hbm_;    // of each PE
  std::vector<std::unique_ptr<SramController>> sram_;  // of each die
  std::map<std::pair<std::int32_t, std::int32_t>, std::unique_ptr<NetworkRoute>> routes_;
  std::vector<std::unique_ptr<Pe>> pes_;
};

}  // namespace kernbench
