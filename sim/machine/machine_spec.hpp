// A machine as checked values: what a machine file (topology/*.yaml) says, in integers and with its units resolved.
// Nothing here is derived from other keys twice: derived quantities are the member functions.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sim/base/dtype.hpp"
#include "sim/base/units.hpp"
#include "sim/machine/energy_and_cost_spec.hpp"
#include "sim/machine/per_dtype.hpp"

namespace kernbench {

/// Block sizes of a GEMM tile: A is m x k, B is k x n, C is m x n elements.
struct TileShape {
  std::int64_t m = 0;
  std::int64_t k = 0;
  std::int64_t n = 0;
  bool operator==(const TileShape&) const = default;
};

struct TcmSpec {
  Bytes capacity = 0;
  Bandwidth read;   ///< network-side port, TCM -> DMA
  Bandwidth write;  ///< network-side port, DMA -> TCM
  Bytes taken = 0;  ///< of the file's capacity, by slots of messages and copies: `capacity` is what they leave
  /// Capacity without `bytes` more of it.
  void take(Bytes bytes) {
    capacity -= bytes;
    taken += bytes;
  }
};

struct DmaSpec {
  Picoseconds setup;                    ///< per transfer, before its first packet is issued
  std::int64_t outstanding_bursts = 0;  ///< per direction: bursts issued and not yet delivered (or acknowledged)
};

/// What of a product rests in the MAC array while the rest passes (ADR-0031).
enum class Dataflow { kDotProduct, kOutputStationary, kWeightStationary };

/// MACs of the array in a cycle by the operands' dtype, in millionths of those of bf16; 0: it has none (ADR-0034).
struct MacRates : PerDtype<0> {
  static constexpr std::int64_t kOne = 1'000'000;
  constexpr MacRates() { bf16 = kOne; }
};

/// Tiles of C whose sums the array adds up at the same time, in accumulators of their own (ADR-0006, 6.15).
struct RegisterBlock {
  std::int64_t rows = 1;
  std::int64_t columns = 1;
  [[nodiscard]] constexpr std::int64_t tiles() const { return rows * columns; }
};

struct MacArraySpec {
  Dataflow dataflow = Dataflow::kDotProduct;
  std::int64_t macs_per_cycle = 0;  ///< 0 where the array's shape says it
  std::int64_t rows = 0;            ///< of cells; 0: the array has no shape, and pads every tile
  std::int64_t columns = 0;         ///< of cells, as rows
  std::int64_t depth = 1;           ///< MACs of a cell in a cycle, along K
  MacRates rates;
  std::int64_t weight_buffers = 1;     ///< sets of weights that a cell of a weight-stationary array holds
  Cycles fill_cycles = 0;              ///< pipeline latency from the last operand to the result
  std::int64_t operand_registers = 0;  ///< operand register sets: tiles fetched and not yet consumed
  std::int64_t accumulators = 0;       ///< accumulator sets: output tiles begun and not yet stored
  TileShape tile;
  RegisterBlock register_block;

  [[nodiscard]] constexpr bool has_shape() const { return rows > 0; }
  /// MACs of all cells in a cycle, of bf16.
  [[nodiscard]] constexpr std::int64_t peak_macs() const {
    return has_shape() ? rows * columns * depth : macs_per_cycle;
  }
};

/// What the vector unit does in a cycle of other classes of operations, in millionths of the elements that it adds or
/// multiplies (ADR-0006, 6.13).
struct VectorRates {
  static constexpr std::int64_t kOne = 1'000'000;
  std::int64_t special = kOne / 4;  ///< a rational approximation in four operations
  std::int64_t reduce = kOne;
  std::int64_t convert = kOne;
};

struct VectorUnitSpec {
  std::int64_t lanes = 0;  ///< elements that are added or multiplied in a cycle
  VectorRates rates = {};
  Cycles latency_cycles = 0;
};

enum class MemoryTier { kTcm, kSram, kHbm };
/// How a receiver learns of an arrival: it sleeps and is woken, or it looks at regular instants.
enum class ReceiveWait { kSleep, kPoll };
/// What takes a received slot out of its queue: the vector unit, or an adder in the way into the memory.
enum class SlotConsumer { kVectorUnit, kInline };

/// Message queues between PEs: a ring of slots at the receiver for every sender.
struct MessageQueueSpec {
  std::int64_t slots = 0;
  Bytes slot = 0;
  Bytes credit = 0;  ///< size on the network of the message that gives a slot back
  MemoryTier tier = MemoryTier::kTcm;
  ReceiveWait wait = ReceiveWait::kSleep;
  Picoseconds wake;           ///< sleep: from the arrival to the receiver's next action
  Picoseconds poll_interval;  ///< poll: the receiver looks at its multiples
  SlotConsumer consumer = SlotConsumer::kVectorUnit;
};

struct PeSpec {
  Clock clock;
  Picoseconds control;    ///< control processor, per kernel call
  Picoseconds scheduler;  ///< scheduler, per tile dispatched
  TcmSpec tcm;
  DmaSpec dma;
  std::int64_t stream_depth = 0;  ///< tiles between dispatch and the end of their fetch
  std::int64_t output_depth = 0;  ///< output tiles in TCM waiting to leave
  Bandwidth fetch;                ///< TCM -> operand registers
  Bandwidth store;                ///< accumulators -> TCM
  Bandwidth accumulate;           ///< of sums that store adds to what is in TCM (32.6); 0: it cannot
  [[nodiscard]] constexpr bool store_accumulates() const { return accumulate > Bandwidth{}; }
  MacArraySpec mac;
  VectorUnitSpec vector;
  MessageQueueSpec message_queue;

  /// Clock cycles in which the array consumes a whole tile that is all of its output (ADR-0031).
  [[nodiscard]] Cycles tile_cycles() const;
  [[nodiscard]] Picoseconds tile_time() const { return clock.time_for(tile_cycles()); }
  /// Peak FLOP/s: two operations per MAC.
  [[nodiscard]] constexpr double peak_tflops() const {
    return 2.0 * static_cast<double>(mac.peak_macs()) * static_cast<double>(clock.hertz) / 1e12;
  }
};

/// `die.hbm.controllers` of a machine whose PEs have a partition each (ADR-0064).
inline constexpr std::string_view kPrivateHbm = "private";

/// Which way data take between PEs and the controllers of a shared memory (ADR-0064, 64.11).
enum class MemoryRouting { kXy, kPerpendicular };

/// The memory model of a machine that names none (ADR-0004, ADR-0029).
inline constexpr std::string_view kPseudoChannelModel = "pseudo_channels";

/// What one controller has: a PE's partition, or a part of the memory that the PEs of a die share (ADR-0064).
struct HbmSpec {
  Bandwidth bandwidth;  ///< of one controller, all its pseudo-channels together
  std::int64_t pseudo_channels = 0;
  Bytes burst = 0;
  Picoseconds read_latency;                ///< end of the burst on the channel -> data ready at the controller
  Picoseconds turnaround;                  ///< added where a channel changes between reads and writes
  Bytes capacity = 0;                      ///< of one controller
  std::int64_t write_batch = 16;           ///< bursts that a channel gathers before they go ahead of reads
  std::int64_t write_queue = 32;           ///< bursts of writes that a channel holds
  Bytes port_buffer = 16384;               ///< of writes that have come and have not been taken in
  std::string model{kPseudoChannelModel};  ///< a memory model by its name
  std::string controllers{kPrivateHbm};    ///< where they are, as memory_places.hpp reads it
  Bytes interleave = 4096;                 ///< of a shared memory: bytes that one controller has on end
  bool hashed = false;                     ///< of a shared memory: its controllers take turns in changing orders
  MemoryRouting routing = MemoryRouting::kXy;

  [[nodiscard]] bool shared() const { return controllers != kPrivateHbm; }

  /// Whether the keys above say how long the memory takes, so that closed forms hold (ADR-0029, 29.4).
  [[nodiscard]] bool follows_keys() const { return model == kPseudoChannelModel; }

  /// Time one burst occupies its pseudo-channel: burst x channels / bandwidth, rounded up once.
  [[nodiscard]] constexpr Picoseconds burst_time() const {
    return {ceil_mul_div(burst * pseudo_channels, kPicosecondsPerSecond, bandwidth.bytes_per_second)};
  }
};

struct SramSpec {
  Bytes capacity = 0;
  Bandwidth bandwidth;
  Picoseconds latency;
  std::int64_t router = 0;    ///< index of the router it hangs off, row by row
  Bytes port_buffer = 16384;  ///< of writes that have come and have not been served
};

struct RouterSpec {
  Picoseconds hop;                    ///< per router crossed
  Bandwidth link;                     ///< of every link between routers, PEs and memory controllers
  std::int64_t virtual_channels = 0;  ///< of every input port, of every router of the machine
  Bytes buffer = 0;                   ///< of one virtual channel of one input port fed from the same die
  bool multicast = false;             ///< routers and switches copy packets that several receive
};

/// Wire lengths on a die in micrometres, and the delay of a millimetre of wire.
struct WireSpec {
  Picoseconds per_mm;
  std::int64_t pe_to_router_um = 0;
  std::int64_t hbm_to_router_um = 0;
  std::int64_t router_to_router_um = 0;
  std::int64_t sram_to_router_um = 0;

  [[nodiscard]] constexpr Picoseconds delay(std::int64_t um) const { return {ceil_mul_div(um, per_mm.value, 1000)}; }
};

/// A rows x columns arrangement.
struct GridSpec {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  [[nodiscard]] constexpr std::int64_t count() const { return rows * columns; }
};

struct DieSpec {
  GridSpec routers;  ///< the mesh; one PE (and its memory controller) a router
  RouterSpec router;
  WireSpec wire;
  HbmSpec hbm;
  SramSpec sram;
};

struct DieToDieSpec {
  std::int64_t connections = 0;  ///< per side of a die
  Bandwidth bandwidth;           ///< of one connection and direction
  Picoseconds port;              ///< a side: paid when leaving a die and when entering one
  Bytes buffer = 0;              ///< of one virtual channel at the receiving router

  /// Of each of the `routers` on a side; where they are not shared out evenly (a machine's only die), rounded up.
  [[nodiscard]] constexpr std::int64_t connections_of_router(std::int64_t routers) const {
    return ceil_div(connections, routers);
  }
};

struct PackageSpec {
  GridSpec dies;
  DieToDieSpec die_to_die;
};

enum class PackageArrangement { kRing, kMesh, kTorus, kFullyConnected, kSwitched };

struct SystemSpec {
  GridSpec packages;
  PackageArrangement arrangement = PackageArrangement::kRing;
  Bandwidth package_link;
  Picoseconds package_link_latency;
  Bytes package_link_buffer = 0;  ///< of one virtual channel at the receiving switch
  Picoseconds package_switch;
  Bandwidth host_link;
  Picoseconds host_link_latency;
  Picoseconds io_processor;
};

/// Granularity of the simulation, not of the machine.
struct SimulationSpec {
  Bytes packet = 0;  ///< `packet_bytes`: a multiple of the HBM burst; larger is faster and coarser
};

struct LoadedGpu;

struct MachineSpec {
  std::string name;
  SystemSpec system;
  PackageSpec package;
  DieSpec die;
  PeSpec pe;
  SimulationSpec simulation;
  EnergySpec energy = {};
  CostSpec cost = {};
  /// Sections ("die.sram") and keys that the machine is without, in the order of the file: what stands in their place
  /// above means nothing, and what needs one asks `require_section`.
  std::vector<std::string> absent = {};
  /// What the machine is where it is a GPU (48.1): then all else but the name means nothing.
  std::shared_ptr<const LoadedGpu> gpu = {};
};

}  // namespace kernbench
