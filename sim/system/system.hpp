// A machine, elaborated: PEs, memories and the network between them, on one calendar (adr/0019, adr/0028). The only
// place where modules are wired; once in a process.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "sim/engine/op_log.hpp"
#include "sim/hw/memory/memory_allocator.hpp"
#include "sim/hw/memory/memory_model.hpp"
#include "sim/hw/memory/shared_way.hpp"
#include "sim/hw/memory/sram_controller.hpp"
#include "sim/hw/message/message_queue.hpp"
#include "sim/hw/noc/network_route.hpp"
#include "sim/hw/pe/pe.hpp"
#include "sim/plan/network/network_plan.hpp"
#include "sim/system/own_wires.hpp"
#include "sim/system/step_repeats.hpp"

namespace kernbench {

/// How much of a machine is built. One PE uses its partition alone: it has the same times on wires of its own, where
/// own_wires_are_exact says so, and costs fewer events.
enum class SystemExtent : std::uint8_t { kWholeMachine, kOnePe };

/// What of a PE that is built alone is counted on, and not simulated, where it repeats itself (adr/0047).
enum class CountedOn : std::uint8_t { kNothing, kTiles, kSteps };

class System {
 public:
  struct Settings {
    SystemExtent extent = SystemExtent::kWholeMachine;
    OpSink* sink = nullptr;  ///< receives every op record
    bool values = false;     ///< memories hold values, and transfers carry them
    bool ledger = false;     ///< each PE keeps one
    CountedOn counted_on = CountedOn::kNothing;
    /// Package 0 stands for all of them (adr/0062).
    bool one_package = false;
    /// What a PE that is alone is called, in a machine of more; empty: as it is here.
    std::string lone_name = {};
    /// By package: what its clock is of the machine's, in millionths (41.9); empty: all of them have the machine's.
    std::vector<std::int64_t> clocks = {};
  };

  /// Throws ConfigError for a machine whose network cannot be wired.
  explicit System(const MachineSpec& machine) : System(machine, Settings{}) {}
  System(MachineSpec machine, const Settings& settings);
  System(const System&) = delete;
  System& operator=(const System&) = delete;
  ~System();

  [[nodiscard]] const MachineSpec& machine() const { return machine_; }
  Calendar& calendar() { return calendar_; }
  [[nodiscard]] const OpLog& log() const { return log_; }

  /// What all PEs, memories and links have done so far (36.2); which PEs took part a launch knows.
  [[nodiscard]] Activity activity() const;

  /// Of a PE that was built alone; null of a whole machine.
  [[nodiscard]] const OwnWires* wires() const { return wires_.get(); }
  /// To be asked by a program whose steps may be counted on; null where they are not.
  [[nodiscard]] StepRepeats* step_repeats() { return step_repeats_ ? &*step_repeats_ : nullptr; }
  /// Steps that were.
  [[nodiscard]] std::int64_t steps_passed_over() const { return step_repeats_ ? step_repeats_->passed_over() : 0; }

  // Of a whole machine.
  [[nodiscard]] const NetworkPlan& plan() const { return *plan_; }
  Network& network() { return *network_; }
  [[nodiscard]] const Network& network() const { return *network_; }

  /// PEs are counted package by package, die by die, router by router.
  [[nodiscard]] std::int32_t pes() const { return static_cast<std::int32_t>(places_.size()); }
  /// One stands for all of them (adr/0062).
  [[nodiscard]] bool one_package() const { return one_package_; }
  /// All, or those of the package that stands for all.
  [[nodiscard]] std::int32_t pes_simulated() const { return one_package_ ? plan_->numbers.routers() : pes(); }
  Pe& pe(std::int32_t index) { return *places_.at(static_cast<std::size_t>(index))->pe; }
  [[nodiscard]] std::int32_t pe_node(std::int32_t index) const { return place(index).pe_node; }
  /// "package0.die0.pe3"; of one built alone: "pe0", or what Settings call it.
  [[nodiscard]] std::string pe_name(std::int32_t index) const;
  /// Of the HBM that this PE has its data in: its partition's, or those that the PEs of its die share.
  [[nodiscard]] std::span<const std::unique_ptr<HbmPartition>> hbm_controllers(std::int32_t pe) const;
  /// Time until `end` in which a pseudo-channel of them was at work, all together, in ns; nothing where the memory
  /// model does not say.
  [[nodiscard]] std::optional<double> hbm_busy_ns(std::int32_t pe, Picoseconds end) const;
  /// Read from, and taken in by, them and those of the other PEs, each once.
  [[nodiscard]] std::int64_t bursts(const std::vector<std::int32_t>& pes) const;
  /// The memory that holds a tier's slots and buffers for a PE: its TCM is found at its own node.
  [[nodiscard]] MemoryNode memory_node(std::int32_t pe, MemoryTier tier) const;
  /// Not of an HBM that PEs share.
  MemoryPort& memory(std::int32_t pe, MemoryTier tier);
  /// What is at a node. Throws SimulationError where no memory is.
  MemoryPort& memory_at(std::int32_t node);
  /// A PE's way to a memory; made when first asked for.
  MemoryWay& way(std::int32_t pe, MemoryNode memory);
  /// And to what is at a node.
  MemoryRoute& route(std::int32_t pe, std::int32_t memory_node);

  /// Who has which part of a memory.
  MemoryAllocator& space(std::int32_t pe, MemoryTier tier);
  /// `bytes` of the HBM of each of these PEs; once of one that they share.
  void allocate_in_hbm(const std::vector<std::int32_t>& pes, Bytes bytes, const std::string& what);
  /// Null where no values are carried.
  [[nodiscard]] MachineValues* values() { return values_.get(); }
  /// What a memory holds, in runs that carry values; null in others.
  [[nodiscard]] ValueStore* store(std::int32_t pe, MemoryTier tier);

 private:
  /// A PE, and its ways to memories.
  struct Place final : MemoryRoutes {
    System* system = nullptr;
    std::int32_t index = 0;
    std::int32_t pe_node = 0;
    MemoryNode hbm = kOwnPartition;  ///< that it has its data in
    std::unique_ptr<PeValues> values;
    std::unique_ptr<Pe> pe;
    std::unordered_map<std::int32_t, std::unique_ptr<NetworkRoute>> routes;  ///< by the memory's node
    std::unordered_map<MemoryNode, std::unique_ptr<SharedWay>> shared;
    MemoryWay& to(MemoryNode memory) override { return system->way(index, memory); }
  };

  void build_machine(const std::vector<std::int64_t>& clocks);
  void build_one_pe();
  void follow_one_pe(CountedOn counted_on);
  void build_die(std::int32_t package, std::int32_t die);
  void build_hbm(const std::string& name, const MachineSpec& spec);
  void build_pe(std::int32_t pe_node, MemoryNode hbm, const std::string& name);
  /// As its parts are built: the machine's, or what a clock of its own makes of it.
  [[nodiscard]] const MachineSpec& package_spec(std::int32_t package) const;
  [[nodiscard]] const Place& place(std::int32_t pe) const { return *places_.at(static_cast<std::size_t>(pe)); }
  [[nodiscard]] std::int32_t pe_at(std::int32_t node) const;
  [[nodiscard]] HbmPartition& hbm_at(std::int32_t node);
  ValueStore& store_at(MemoryNode memory);
  /// Throws SimulationError where one PE was built alone.
  void expect_network(MemoryNode memory) const;
  [[nodiscard]] std::string name_of(MemoryNode memory) const;

  MachineSpec machine_;
  std::vector<MachineSpec> package_specs_;  // of each, where they differ
  bool ledger_;
  bool one_package_;
  std::string lone_name_;
  std::unique_ptr<NetworkPlan> plan_;
  Repetition repetition_;
  Calendar calendar_;
  OpLog log_;
  std::unique_ptr<Network> network_;
  std::unique_ptr<MachineValues> values_;
  std::vector<std::unique_ptr<SramController>> sram_;  // of each die
  std::vector<std::unique_ptr<HbmPartition>> hbms_;    // by controller, die by die
  std::vector<std::unique_ptr<Place>> places_;
  std::unique_ptr<OwnWires> wires_;
  std::optional<StepRepeats> step_repeats_;
  std::map<std::int32_t, MemoryAllocator> spaces_;
};

}  // namespace kernbench
