// The checks, one function each, and the table of them.
#include "sim/machine/contradictions.hpp"

#include <algorithm>
#include <array>

#include "sim/base/check.hpp"
#include "sim/base/quantity.hpp"
#include "sim/machine/memory_places.hpp"
#include "sim/machine/optional_sections.hpp"
#include "sim/machine/schema.hpp"

namespace kernbench {
namespace {

std::string size(Bytes bytes) { return format_quantity(bytes, Dimension::kBytes); }

bool is_power_of_two(std::int64_t value) { return value > 0 && (value & (value - 1)) == 0; }

std::string burst_is_power_of_two(const MachineSpec& machine) {
  const auto burst = machine.die.hbm.burst;
  return is_power_of_two(burst) ? "" : "expected a power of two, got " + size(burst);
}

std::string pseudo_channels_are_power_of_two(const MachineSpec& machine) {
  const auto channels = machine.die.hbm.pseudo_channels;
  return is_power_of_two(channels) ? "" : "expected a power of two, got " + std::to_string(channels);
}

std::string capacity_is_whole_bursts(const MachineSpec& machine) {
  const auto& hbm = machine.die.hbm;
  if (!is_power_of_two(hbm.burst) || !is_power_of_two(hbm.pseudo_channels)) return "";  // said already
  const auto stripe = hbm.pseudo_channels * hbm.burst;
  if (hbm.capacity % stripe == 0) return "";
  return "contradicts die.hbm.pseudo_channels and die.hbm.burst: expected a multiple of " +
         std::to_string(hbm.pseudo_channels) + " x " + size(hbm.burst) + " = " + size(stripe) + ", got " +
         size(hbm.capacity);
}

std::string packet_is_whole_bursts(const MachineSpec& machine) {
  const auto packet = machine.simulation.packet;
  const auto burst = machine.die.hbm.burst;
  if (packet % burst == 0) return "";
  return "contradicts die.hbm.burst: expected a multiple of the burst, " + size(burst) + ", got " + size(packet);
}

std::string packet_fits_outstanding_limit(const MachineSpec& machine) {
  const auto packet = machine.simulation.packet;
  const auto burst = machine.die.hbm.burst;
  const auto outstanding = machine.pe.dma.outstanding_bursts;
  if (packet <= outstanding * burst) return "";
  return "contradicts pe.dma.outstanding_bursts: expected at most " + std::to_string(outstanding) + " bursts of " +
         size(burst) + " = " + size(outstanding * burst) + ", got " + size(packet);
}

std::string write_queue_holds_a_batch(const MachineSpec& machine) {
  const auto& hbm = machine.die.hbm;
  if (hbm.write_batch <= hbm.write_queue) return "";
  return "contradicts die.hbm.write_batch: expected at least a batch, " + std::to_string(hbm.write_batch) +
         " bursts, got " + std::to_string(hbm.write_queue);
}

std::string tcm_holds_its_buffers(const MachineSpec& machine) {
  const auto& pe = machine.pe;
  const auto& tile = pe.mac.tile;
  const auto operands = kElementBytes * (tile.m * tile.k + tile.k * tile.n);
  const auto output = kElementBytes * tile.m * tile.n;
  const auto needed = pe.stream_depth * operands + pe.output_depth * output;
  if (needed <= pe.tcm.capacity) return "";
  return "contradicts pe.stream_depth and pe.output_depth: expected at least " + std::to_string(pe.stream_depth) +
         " operand tiles of " + size(operands) + " + " + std::to_string(pe.output_depth) + " output tiles of " +
         size(output) + " = " + size(needed) + ", got " + size(pe.tcm.capacity);
}

std::string array_has_macs(const MachineSpec& machine) {
  const auto& mac = machine.pe.mac;
  if (mac.has_shape() || mac.macs_per_cycle > 0) return "";
  return "contradicts pe.mac.rows: expected 1 or more, or the rows and columns of an array, got 0";
}

std::string array_has_both_sides(const MachineSpec& machine) {
  const auto& mac = machine.pe.mac;
  if ((mac.rows > 0) == (mac.columns > 0)) return "";
  return "contradicts pe.mac.columns: expected rows and columns, or neither, got " + std::to_string(mac.rows) + " x " +
         std::to_string(mac.columns);
}

std::string systolic_array_has_shape(const MachineSpec& machine) {
  const auto& mac = machine.pe.mac;
  if (mac.dataflow == Dataflow::kDotProduct || mac.has_shape()) return "";
  return "contradicts pe.mac.rows: a systolic array is expected to have rows and columns of 1 or more, got " +
         written_value(machine_key("pe.mac.dataflow"), machine) + " without";
}

std::string depth_is_of_cells(const MachineSpec& machine) {
  const auto& mac = machine.pe.mac;
  if (mac.depth == 1 || mac.has_shape()) return "";
  return "contradicts pe.mac.rows: expected 1, or an array with rows and columns, got " + std::to_string(mac.depth);
}

std::string second_weights_rest(const MachineSpec& machine) {
  const auto& mac = machine.pe.mac;
  if (mac.weight_buffers == 1 || mac.dataflow == Dataflow::kWeightStationary) return "";
  return "contradicts pe.mac.dataflow: expected 1, or the dataflow 'weight_stationary', got " +
         std::to_string(mac.weight_buffers);
}

std::string block_has_accumulators(const MachineSpec& machine) {
  const auto& mac = machine.pe.mac;
  const auto& block = mac.register_block;
  if (block.tiles() <= mac.accumulators) return "";
  return "contradicts pe.mac.accumulators: expected at most " + std::to_string(mac.accumulators) + " tiles, got " +
         std::to_string(block.rows) + " x " + std::to_string(block.columns) + " = " + std::to_string(block.tiles());
}

std::string block_is_of_a_dot_product_array(const MachineSpec& machine) {
  const auto& mac = machine.pe.mac;
  if (mac.register_block.tiles() == 1 || mac.dataflow == Dataflow::kDotProduct) return "";
  return "contradicts pe.mac.dataflow: expected 1 x 1 tiles, as results or weights rest in a systolic array, got " +
         std::to_string(mac.register_block.rows) + " x " + std::to_string(mac.register_block.columns);
}

std::string macs_are_those_of_cells(const MachineSpec& machine) {
  const auto& mac = machine.pe.mac;
  if (mac.rows == 0 || mac.columns == 0) return "";  // said already
  if (mac.macs_per_cycle == 0 || mac.macs_per_cycle == mac.peak_macs()) return "";
  return "contradicts pe.mac.rows, pe.mac.columns and pe.mac.depth: expected none, or " + std::to_string(mac.rows) +
         " x " + std::to_string(mac.columns) + " x " + std::to_string(mac.depth) + " = " +
         std::to_string(mac.peak_macs()) + ", got " + std::to_string(mac.macs_per_cycle);
}

std::string arrangement_fits_grid(const MachineSpec& machine) {
  const auto arrangement = machine.system.arrangement;
  const bool is_grid = arrangement == PackageArrangement::kMesh || arrangement == PackageArrangement::kTorus;
  const auto rows = machine.system.packages.rows;
  if (is_grid || rows == 1) return "";
  return "contradicts system.arrangement: expected 1 row, or the arrangement 'mesh' or 'torus', got " +
         std::to_string(rows) + " rows";
}

std::string sram_router_exists(const MachineSpec& machine) {
  const auto& routers = machine.die.routers;
  if (machine.die.sram.router < routers.count()) return "";
  return "contradicts die.routers.rows and die.routers.columns: expected at most " +
         std::to_string(routers.count() - 1) + ", as a die has " + std::to_string(routers.rows) + " x " +
         std::to_string(routers.columns) + " routers, counted from 0, got " + std::to_string(machine.die.sram.router);
}

std::string controllers_are_on_the_mesh(const MachineSpec& machine) {
  const auto& routers = machine.die.routers;
  const std::string off = place_off_the_mesh(machine.die);
  if (off.empty()) return "";
  return "contradicts die.routers.rows and die.routers.columns: expected places up to " +
         std::to_string(routers.rows - 1) + ',' + std::to_string(routers.columns - 1) + ", as a die has " +
         std::to_string(routers.rows) + " x " + std::to_string(routers.columns) + " routers, counted from 0, got " +
         off;
}

std::string interleave_is_whole_bursts(const MachineSpec& machine) {
  const auto& hbm = machine.die.hbm;
  if (!hbm.shared() || hbm.interleave % hbm.burst == 0) return "";
  return "contradicts die.hbm.burst: expected a multiple of the burst, " + size(hbm.burst) + ", got " +
         size(hbm.interleave);
}

std::string hash_has_a_choice(const MachineSpec& machine) {
  const auto& die = machine.die;
  if (!die.hbm.hashed || (die.hbm.shared() && controllers_of_die(die) > 1)) return "";
  return "contradicts die.hbm.controllers: a hash says which of several controllers has an address; expected 'false', "
         "or 'controllers' at two routers or more, got 'true'";
}

std::string routing_turns_somewhere(const MachineSpec& machine) {
  if (machine.die.hbm.routing == MemoryRouting::kXy) return "";
  if (!names_an_edge(machine.die)) {
    return "contradicts die.hbm.controllers: data go at right angles to the edge that a controller is named by; "
           "expected 'xy', or 'controllers' with north, south, east or west, got 'perpendicular'";
  }
  if (machine.die.router.virtual_channels > 1) return "";
  return "contradicts die.router.virtual_channels: what goes along columns first has channels of its own; expected "
         "'xy', or at least 2 virtual channels, got 'perpendicular'";
}

std::string capacity_is_whole_granules(const MachineSpec& machine) {
  const auto& hbm = machine.die.hbm;
  if (!hbm.shared() || hbm.capacity % hbm.interleave == 0) return "";
  return "contradicts die.hbm.interleave: expected a multiple of " + size(hbm.interleave) + ", got " +
         size(hbm.capacity);
}

std::string slots_are_of_one_pe(const MachineSpec& machine) {
  if (!machine.die.hbm.shared() || machine.pe.message_queue.tier != MemoryTier::kHbm) return "";
  return std::string(
             "contradicts die.hbm.controllers: slots lie in a memory with one controller, of the PE's own; expected "
             "'tcm'") +
         (has_section(machine, "die.sram") ? " or 'sram'" : "") + ", or 'controllers: private', got 'hbm'";
}

std::string copies_go_into_tcm(const MachineSpec& machine) {
  if (!machine.die.router.multicast || machine.pe.message_queue.tier == MemoryTier::kTcm) return "";
  return "contradicts pe.message_queue.tier: routers copy what goes into slots in TCM; expected 'false', or 'tier: "
         "tcm'";
}

std::string slots_have_a_memory(const MachineSpec& machine) {
  if (machine.pe.message_queue.tier != MemoryTier::kSram || has_section(machine, "die.sram")) return "";
  return std::string("contradicts die.sram, which the machine has not: expected 'tcm'") +
         (machine.die.hbm.shared() ? "" : " or 'hbm'") + ", got 'sram'";
}

std::string uneven_side(const MachineSpec& machine, const std::string& key, std::int64_t routers, const char* sides) {
  const auto connections = machine.package.die_to_die.connections;
  if (connections % routers == 0) return "";
  return "contradicts die.routers." + key + ": expected a multiple of " + std::to_string(routers) +
         ", as many for each router on a die's " + sides + " side, got " + std::to_string(connections);
}

/// South sides lead to the package's switch, too; behind that of a machine's only die there is only the host (16.4).
std::string connections_fit_columns(const MachineSpec& machine) {
  if (machine.system.packages.count() * machine.package.dies.count() == 1) return "";
  return uneven_side(machine, "columns", machine.die.routers.columns, "north and south");
}

std::string connections_fit_rows(const MachineSpec& machine) {
  if (machine.package.dies.columns == 1) return "";
  return uneven_side(machine, "rows", machine.die.routers.rows, "east and west");
}

}  // namespace

std::span<const Contradiction> contradictions() {
  static const std::array kChecks{
      Contradiction{{"system.packages.rows", "system.arrangement"}, arrangement_fits_grid, ReliedOnBy::kNetwork},
      Contradiction{{"package.die_to_die.connections", "die.routers.columns", "package.dies.rows",
                     "package.dies.columns", "system.packages.rows", "system.packages.columns"},
                    connections_fit_columns,
                    ReliedOnBy::kNetwork},
      Contradiction{{"package.die_to_die.connections", "die.routers.rows", "package.dies.columns"},
                    connections_fit_rows,
                    ReliedOnBy::kNetwork},
      Contradiction{
          {"die.sram.router", "die.routers.rows", "die.routers.columns"}, sram_router_exists, ReliedOnBy::kNetwork},
      Contradiction{{"die.hbm.controllers", "die.routers.rows", "die.routers.columns"},
                    controllers_are_on_the_mesh,
                    ReliedOnBy::kNetwork},
      Contradiction{{"die.hbm.interleave", "die.hbm.controllers", "die.hbm.burst"}, interleave_is_whole_bursts},
      Contradiction{{"die.hbm.hash", "die.hbm.controllers"}, hash_has_a_choice},
      Contradiction{{"die.hbm.routing", "die.hbm.controllers", "die.router.virtual_channels"},
                    routing_turns_somewhere,
                    ReliedOnBy::kNetwork},
      Contradiction{{"die.hbm.capacity", "die.hbm.controllers", "die.hbm.interleave"}, capacity_is_whole_granules},
      Contradiction{{"pe.message_queue.tier", "die.hbm.controllers"}, slots_are_of_one_pe, ReliedOnBy::kNetwork},
      Contradiction{{"pe.message_queue.tier"}, slots_have_a_memory},
      Contradiction{{"die.router.multicast", "pe.message_queue.tier"}, copies_go_into_tcm},
      Contradiction{{"die.hbm.pseudo_channels"}, pseudo_channels_are_power_of_two},
      Contradiction{{"die.hbm.burst"}, burst_is_power_of_two},
      Contradiction{{"die.hbm.capacity", "die.hbm.pseudo_channels", "die.hbm.burst"}, capacity_is_whole_bursts},
      Contradiction{{"die.hbm.write_queue", "die.hbm.write_batch"}, write_queue_holds_a_batch},
      Contradiction{
          {"pe.tcm.capacity", "pe.stream_depth", "pe.output_depth", "pe.mac.tile.m", "pe.mac.tile.k", "pe.mac.tile.n"},
          tcm_holds_its_buffers},
      Contradiction{{"pe.mac.macs_per_cycle", "pe.mac.rows"}, array_has_macs},
      Contradiction{{"pe.mac.rows", "pe.mac.columns"}, array_has_both_sides},
      Contradiction{{"pe.mac.dataflow", "pe.mac.rows"}, systolic_array_has_shape},
      Contradiction{{"pe.mac.depth", "pe.mac.rows"}, depth_is_of_cells},
      Contradiction{{"pe.mac.weight_buffers", "pe.mac.dataflow"}, second_weights_rest},
      Contradiction{{"pe.mac.macs_per_cycle", "pe.mac.rows", "pe.mac.columns", "pe.mac.depth"},
                    macs_are_those_of_cells},
      Contradiction{{"pe.mac.register_block.rows", "pe.mac.register_block.columns", "pe.mac.accumulators"},
                    block_has_accumulators},
      Contradiction{{"pe.mac.register_block.rows", "pe.mac.register_block.columns", "pe.mac.dataflow"},
                    block_is_of_a_dot_product_array},
      Contradiction{{"simulation.packet_bytes", "die.hbm.burst"}, packet_is_whole_bursts},
      Contradiction{{"simulation.packet_bytes", "pe.dma.outstanding_bursts", "die.hbm.burst"},
                    packet_fits_outstanding_limit},
  };
  // A check with a key that does not exist would never be made.
  static const bool kKeysExist = std::ranges::all_of(kChecks, [](const Contradiction& contradiction) {
    return std::ranges::all_of(contradiction.keys,
                               [](std::string_view key) { return find_machine_key(key) != nullptr; });
  });
  KB_CHECK(kKeysExist, "a contradiction names a key that no machine file has");
  return kChecks;
}

}  // namespace kernbench
