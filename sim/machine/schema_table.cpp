// The table itself. An entry: path, what it holds and where in MachineSpec, default (or kRequired), meaning. A key
// added after model version 1 has a default and ends in InHash::kUnlessDefault. The defaults of what a machine may do
// without are those of topology/milestone_1h.yaml.
#include <algorithm>
#include <array>

#include "sim/base/names.hpp"
#include "sim/machine/memory_model_names.hpp"
#include "sim/machine/memory_places.hpp"
#include "sim/machine/schema.hpp"

namespace kernbench {
namespace {

constexpr std::string_view kRequired;

constexpr std::array kSchemas{kMachineSchema};
constexpr Names<PackageArrangement> kArrangements{"arrangement",
                                                  {{PackageArrangement::kRing, "ring"},
                                                   {PackageArrangement::kMesh, "mesh"},
                                                   {PackageArrangement::kTorus, "torus"},
                                                   {PackageArrangement::kFullyConnected, "fully_connected"},
                                                   {PackageArrangement::kSwitched, "switched"}}};
constexpr Names<MemoryTier> kTiers{"tier",
                                   {{MemoryTier::kTcm, "tcm"}, {MemoryTier::kSram, "sram"}, {MemoryTier::kHbm, "hbm"}}};
constexpr Names<ReceiveWait> kWaits{"wait", {{ReceiveWait::kSleep, "sleep"}, {ReceiveWait::kPoll, "poll"}}};
constexpr Names<Dataflow> kDataflows{"dataflow",
                                     {{Dataflow::kDotProduct, "dot_product"},
                                      {Dataflow::kOutputStationary, "output_stationary"},
                                      {Dataflow::kWeightStationary, "weight_stationary"}}};
constexpr Names<bool> kFlags{"flag", {{false, "false"}, {true, "true"}}};
constexpr Names<MemoryRouting> kMemoryRoutings{
    "routing", {{MemoryRouting::kXy, "xy"}, {MemoryRouting::kPerpendicular, "perpendicular"}}};
constexpr Names<SlotConsumer> kConsumers{
    "consumer", {{SlotConsumer::kVectorUnit, "vector_unit"}, {SlotConsumer::kInline, "inline"}}};

using Member = std::int64_t& (*)(MachineSpec&);

constexpr QuantityField quantity(Dimension dimension, std::string_view least, std::string_view most, Member member) {
  return {dimension, least, most, member};
}
constexpr QuantityField count(std::string_view least, std::string_view most, Member member) {
  return quantity(Dimension::kCount, least, most, member);
}
constexpr QuantityField ratio(std::string_view least, std::string_view most, Member member) {
  return quantity(Dimension::kRatio, least, most, member);
}
constexpr QuantityField latency(std::string_view least, Member member) {
  return quantity(Dimension::kTime, least, "1000 us", member);
}
constexpr QuantityField bandwidth(Member member) {
  return quantity(Dimension::kBandwidth, "1 MB/s", "1000 TB/s", member);
}
constexpr QuantityField bytes(std::string_view least, std::string_view most, Member member) {
  return quantity(Dimension::kBytes, least, most, member);
}
constexpr QuantityField length(Member member) { return quantity(Dimension::kLength, "0 mm", "1000 mm", member); }

constexpr QuantityField unknown_or(Dimension dimension, std::string_view least, std::string_view most, Member member) {
  return {dimension, least, most, member, true};
}
constexpr QuantityField energy(Member member) { return unknown_or(Dimension::kEnergy, "0 fJ", "1000 nJ", member); }
constexpr QuantityField energy_per_byte(Member member) {
  return unknown_or(Dimension::kEnergyPerByte, "0 fJ/B", "1000 nJ/B", member);
}
constexpr QuantityField power(Member member) { return unknown_or(Dimension::kPower, "0 mW", "10000 W", member); }
constexpr QuantityField price(Member member) { return unknown_or(Dimension::kPrice, "0", "1000000000", member); }

/// A key that is told where it is given: a rate of the array, or what `energy` or `cost` is computed of.
template <class Field>
constexpr MachineKey optional_key(std::string_view path, Field field, std::string_view default_value,
                                  std::string_view meaning) {
  return {path, field, default_value, meaning, InHash::kUnlessDefault, NeededWhere::kNowhere, AtDefault::kNotTold};
}

/// One of the names of an enumeration, whose value `member` finds in the machine.
template <const auto& names, auto member>
constexpr ChoiceField choice() {
  return {names.all(), [](MachineSpec& machine, std::size_t word) { member(machine) = names.values()[word]; },
          [](const MachineSpec& machine) {
            const auto values = names.values();
            return static_cast<std::size_t>(std::ranges::find(values, member(unlocked(machine))) - values.begin());
          }};
}

// NOLINTBEGIN(bugprone-macro-parentheses): a member's path takes none
#define IN_SPEC(member) \
  [](MachineSpec & machine) -> auto& { return machine.member; }
// NOLINTEND(bugprone-macro-parentheses)

constexpr auto kKeys = std::to_array<MachineKey>({
    {"schema",
     ChoiceField{kSchemas, [](MachineSpec&, std::size_t) {}, [](const MachineSpec&) { return std::size_t{0}; }},
     kRequired, "Version of this format."},
    {"name", NameField{IN_SPEC(name)}, kRequired, "Name of the machine in results, figures and file names."},

    {"system.packages.rows", count("1", "64", IN_SPEC(system.packages.rows)), "1",
     "Rows of packages; 1 unless the arrangement is `mesh` or `torus`."},
    {"system.packages.columns", count("1", "1024", IN_SPEC(system.packages.columns)), "1", "Packages in a row."},
    {"system.arrangement", choice<kArrangements, IN_SPEC(system.arrangement)>(), "ring",
     "How packages are connected; `switched`: all to one switch."},
    {"system.package_link.bandwidth", bandwidth(IN_SPEC(system.package_link.bytes_per_second)), "512 GB/s",
     "One link between packages, each direction.", InHash::kAlways, NeededWhere::kSeveralPackages},
    {"system.package_link.latency", latency("0 ns", IN_SPEC(system.package_link_latency.value)), "20 ns",
     "One link between packages, one way.", InHash::kAlways, NeededWhere::kSeveralPackages},
    {"system.package_link.buffer", bytes("8 B", "1 GiB", IN_SPEC(system.package_link_buffer)), "64 KiB",
     "Input buffer of a switch, per link and virtual channel.", InHash::kAlways, NeededWhere::kSeveralPackages},
    {"system.package_link.switch_latency", latency("0 ns", IN_SPEC(system.package_switch.value)), "5 ns",
     "Switch between packages, per crossing.", InHash::kAlways, NeededWhere::kSeveralPackages},
    {"system.host_link.bandwidth", bandwidth(IN_SPEC(system.host_link.bytes_per_second)), "64 GB/s",
     "Link between the host and a package, each direction."},
    {"system.host_link.latency", latency("0 ns", IN_SPEC(system.host_link_latency.value)), "5 ns",
     "Host link, one way."},
    {"system.io_processor_latency", latency("0 ns", IN_SPEC(system.io_processor.value)), "10 ns",
     "IO processor, per command from the host."},

    {"package.dies.rows", count("1", "64", IN_SPEC(package.dies.rows)), "1", "Rows of dies in a package."},
    {"package.dies.columns", count("1", "64", IN_SPEC(package.dies.columns)), "1", "Dies in a row."},
    {"package.die_to_die.connections", count("1", "4096", IN_SPEC(package.die_to_die.connections)), "4",
     "Die-to-die connections on each side of a die, spread evenly over its routers.", InHash::kAlways,
     NeededWhere::kSeveralDies},
    {"package.die_to_die.bandwidth", bandwidth(IN_SPEC(package.die_to_die.bandwidth.bytes_per_second)), "128 GB/s",
     "One connection, each direction.", InHash::kAlways, NeededWhere::kSeveralDies},
    {"package.die_to_die.port_latency", latency("0 ns", IN_SPEC(package.die_to_die.port.value)), "8 ns",
     "Port, paid on leaving a die and on entering one.", InHash::kAlways, NeededWhere::kSeveralDies},
    {"package.die_to_die.buffer", bytes("8 B", "1 GiB", IN_SPEC(package.die_to_die.buffer)), "16 KiB",
     "Input buffer of the receiving router, per connection and virtual channel.", InHash::kAlways,
     NeededWhere::kSeveralDies},

    {"die.routers.rows", count("1", "64", IN_SPEC(die.routers.rows)), kRequired,
     "Rows of the router mesh; each router has one PE."},
    {"die.routers.columns", count("1", "64", IN_SPEC(die.routers.columns)), kRequired, "Routers in a row."},
    {"die.router.hop_latency", latency("0 ns", IN_SPEC(die.router.hop.value)), kRequired, "Per router crossed."},
    {"die.router.link_bandwidth", bandwidth(IN_SPEC(die.router.link.bytes_per_second)), kRequired,
     "Links between routers, PEs and memory controllers, each direction."},
    {"die.router.virtual_channels", count("1", "16", IN_SPEC(die.router.virtual_channels)), kRequired,
     "Virtual channels of every link between routers."},
    {"die.router.buffer", bytes("8 B", "1 GiB", IN_SPEC(die.router.buffer)), kRequired,
     "Input buffer of a router, per link and virtual channel."},
    optional_key(
        "die.router.multicast", choice<kFlags, IN_SPEC(die.router.multicast)>(), "false",
        "`true`: routers and switches copy a packet that several PEs receive; else it is sent to each of them."),
    {"die.wire.delay", quantity(Dimension::kDelayPerLength, "0 ns/mm", "1000 ns/mm", IN_SPEC(die.wire.per_mm.value)),
     kRequired, "Delay of a wire, per length."},
    {"die.wire.pe_to_router", length(IN_SPEC(die.wire.pe_to_router_um)), kRequired,
     "Wire between a PE and its router."},
    {"die.wire.hbm_to_router", length(IN_SPEC(die.wire.hbm_to_router_um)), kRequired,
     "Wire between a memory controller and its router."},
    {"die.wire.router_to_router", length(IN_SPEC(die.wire.router_to_router_um)), kRequired,
     "Wire between neighbouring routers."},
    {"die.wire.sram_to_router", length(IN_SPEC(die.wire.sram_to_router_um)), "2 mm",
     "Wire between the die's SRAM and its router."},
    {"die.hbm.bandwidth", bandwidth(IN_SPEC(die.hbm.bandwidth.bytes_per_second)), kRequired,
     "One HBM controller (a PE's partition, where they are private), all its pseudo-channels together; reads and "
     "writes share it."},
    {"die.hbm.pseudo_channels", count("1", "1024", IN_SPEC(die.hbm.pseudo_channels)), kRequired,
     "Pseudo-channels of a controller, a power of two; bursts go round them."},
    {"die.hbm.burst", bytes("8 B", "64 KiB", IN_SPEC(die.hbm.burst)), kRequired,
     "One burst, a power of two: the least the memory moves."},
    {"die.hbm.read_latency", latency("1 ps", IN_SPEC(die.hbm.read_latency.value)), kRequired,
     "From the end of a burst on its channel to its data at the controller."},
    {"die.hbm.turnaround", latency("0 ns", IN_SPEC(die.hbm.turnaround.value)), "16 ns",
     "Added where a pseudo-channel changes between reads and writes."},
    {"die.hbm.write_batch", count("1", "65536", IN_SPEC(die.hbm.write_batch)), "16",
     "Bursts of writes that a pseudo-channel gathers before they go ahead of reads.", InHash::kUnlessDefault},
    {"die.hbm.write_queue", count("1", "65536", IN_SPEC(die.hbm.write_queue)), "32",
     "Bursts of writes that a pseudo-channel holds, acknowledged and not yet written; at least a batch.",
     InHash::kUnlessDefault},
    {"die.hbm.port_buffer", bytes("8 B", "1 GiB", IN_SPEC(die.hbm.port_buffer)), "16 KiB",
     "Input buffer of a memory controller: writes that have come and found no room in the queues.",
     InHash::kUnlessDefault},
    {"die.hbm.model", NameField{IN_SPEC(die.hbm.model), "memory model", memory_model_names}, kPseudoChannelModel,
     "What simulates a partition: a memory model of the program; `pseudo_channels` is that of the keys above.",
     InHash::kUnlessDefault},
    {"die.hbm.capacity", bytes("1 KiB", "1 TiB", IN_SPEC(die.hbm.capacity)), kRequired,
     "One controller: a PE's partition, where they are private; whole bursts on every pseudo-channel."},
    optional_key(
        "die.hbm.controllers",
        TextField{IN_SPEC(die.hbm.controllers),
                  "'private', or edges (north, south, east, west) and places as ROW,COLUMN with blanks between",
                  "^(private|(north|south|east|west|[0-9]+,[0-9]+)( +(north|south|east|west|[0-9]+,[0-9]+))*)$",
                  checked_controllers},
        kPrivateHbm,
        "Where the controllers are: `private`, one beside every PE, of its own partition; or routers, for one memory "
        "that all PEs of the die share: edges and places as `north south` or `0,0 0,7 3,0`."),
    optional_key("die.hbm.interleave", bytes("8 B", "1 GiB", IN_SPEC(die.hbm.interleave)), "4 KiB",
                 "Bytes of a shared memory that one controller has on end, before the next one has as many."),
    optional_key("die.hbm.hash", choice<kFlags, IN_SPEC(die.hbm.hashed)>(), "false",
                 "`true`: a hash of the address says which controller is next, so that few strides meet one only."),
    optional_key("die.hbm.routing", choice<kMemoryRoutings, IN_SPEC(die.hbm.routing)>(), "xy",
                 "Data of a shared memory go: `xy`, rows first as all packets; `perpendicular` to its edge."),
    {"die.sram.capacity", bytes("1 KiB", "1 TiB", IN_SPEC(die.sram.capacity)), "32 MiB", "The die's shared SRAM."},
    {"die.sram.bandwidth", bandwidth(IN_SPEC(die.sram.bandwidth.bytes_per_second)), "128 GB/s", "Port of the SRAM."},
    {"die.sram.latency", latency("0 ns", IN_SPEC(die.sram.latency.value)), "10 ns", "SRAM access."},
    {"die.sram.router", count("0", "4095", IN_SPEC(die.sram.router)), "0",
     "The router that the SRAM hangs off, counted row by row from 0."},
    {"die.sram.port_buffer", bytes("8 B", "1 GiB", IN_SPEC(die.sram.port_buffer)), "16 KiB",
     "Input buffer of the SRAM: writes that have come and have not been served.", InHash::kUnlessDefault},

    {"pe.clock", quantity(Dimension::kFrequency, "1 MHz", "100 GHz", IN_SPEC(pe.clock.hertz)), kRequired,
     "Clock of the MAC array and the vector unit."},
    {"pe.control_latency", latency("0 ns", IN_SPEC(pe.control.value)), kRequired,
     "Control processor, for each call of a kernel, `wait` too: 4 to 6 in a GEMM."},
    {"pe.scheduler_latency", latency("0 ns", IN_SPEC(pe.scheduler.value)), kRequired,
     "Scheduler, per tile dispatched."},
    {"pe.tcm.capacity", bytes("1 KiB", "16 GiB", IN_SPEC(pe.tcm.capacity)), kRequired,
     "Tightly coupled memory of a PE; must hold the stream and output buffers."},
    {"pe.tcm.read_bandwidth", bandwidth(IN_SPEC(pe.tcm.read.bytes_per_second)), kRequired, "TCM to DMA engine."},
    {"pe.tcm.write_bandwidth", bandwidth(IN_SPEC(pe.tcm.write.bytes_per_second)), kRequired,
     "DMA engine to TCM, independent of reads."},
    {"pe.dma.setup_latency", latency("0 ns", IN_SPEC(pe.dma.setup.value)), kRequired,
     "Per DMA transfer, before its first packet is issued."},
    {"pe.dma.outstanding_bursts", count("1", "1048576", IN_SPEC(pe.dma.outstanding_bursts)), kRequired,
     "Per direction: bursts issued and not yet delivered or acknowledged."},
    {"pe.stream_depth", count("1", "65536", IN_SPEC(pe.stream_depth)), kRequired,
     "Operand tiles in TCM between dispatch and the end of their fetch."},
    {"pe.output_depth", count("1", "65536", IN_SPEC(pe.output_depth)), kRequired,
     "Output tiles in TCM waiting to leave."},
    {"pe.fetch_bandwidth", bandwidth(IN_SPEC(pe.fetch.bytes_per_second)), kRequired,
     "TCM to the MAC array's operand registers."},
    {"pe.store_bandwidth", bandwidth(IN_SPEC(pe.store.bytes_per_second)), kRequired, "Accumulators to TCM."},
    optional_key(
        "pe.accumulate_bandwidth",
        quantity(Dimension::kBandwidth, "0 MB/s", "1000 TB/s", IN_SPEC(pe.accumulate.bytes_per_second)), "0 MB/s",
        "Sums that store adds to those in TCM, so that neither fetch nor the vector unit has to; 0: it cannot."),
    {"pe.mac.macs_per_cycle", count("0", "1048576", IN_SPEC(pe.mac.macs_per_cycle)), "0",
     "Multiply-accumulates of the array in a cycle; 0: rows × columns × depth.", InHash::kAlways,
     NeededWhere::kArrayWithoutShape, AtDefault::kNotTold},
    optional_key(
        "pe.mac.dataflow", choice<kDataflows, IN_SPEC(pe.mac.dataflow)>(), "dot_product",
        "What rests in the array: nothing, results or weights; the latter two are systolic and need rows and columns."),
    optional_key("pe.mac.rows", count("0", "4096", IN_SPEC(pe.mac.rows)), "0",
                 "Rows of cells; 0: the array has no shape and pads every tile. Along M; where weights rest, along K."),
    optional_key("pe.mac.columns", count("0", "4096", IN_SPEC(pe.mac.columns)), "0",
                 "Cells in a row, along N; 0 as rows."),
    optional_key("pe.mac.depth", count("1", "4096", IN_SPEC(pe.mac.depth)), "1",
                 "Multiply-accumulates of a cell in a cycle, along K."),
    optional_key("pe.mac.weight_buffers", count("1", "2", IN_SPEC(pe.mac.weight_buffers)), "1",
                 "Where weights rest: sets of them in a cell; with 2 the next ones are loaded behind the work on the "
                 "last ones."),
    optional_key("pe.mac.rates.fp16", ratio("0", "64", IN_SPEC(pe.mac.rates.fp16)), "0",
                 "Multiply-accumulates of fp16 in a cycle, as a multiple of those of bf16; 0: the array has none."),
    optional_key(
        "pe.mac.rates.fp8_e4m3", ratio("0", "64", IN_SPEC(pe.mac.rates.fp8_e4m3)), "0",
        "Multiply-accumulates of fp8 (e4m3) in a cycle, as a multiple of those of bf16; 0: the array has none."),
    optional_key(
        "pe.mac.rates.fp8_e5m2", ratio("0", "64", IN_SPEC(pe.mac.rates.fp8_e5m2)), "0",
        "Multiply-accumulates of fp8 (e5m2) in a cycle, as a multiple of those of bf16; 0: the array has none."),
    optional_key("pe.mac.rates.int8", ratio("0", "64", IN_SPEC(pe.mac.rates.int8)), "0",
                 "Multiply-accumulates of int8 in a cycle, as a multiple of those of bf16; 0: the array has none."),
    optional_key("pe.mac.rates.tf32", ratio("0", "64", IN_SPEC(pe.mac.rates.tf32)), "0",
                 "Multiply-accumulates of tf32 in a cycle, as a multiple of those of bf16; 0: the array has none."),
    optional_key("pe.mac.rates.fp32", ratio("0", "64", IN_SPEC(pe.mac.rates.fp32)), "0",
                 "Multiply-accumulates of fp32 in a cycle, as a multiple of those of bf16; 0: the array has none."),
    optional_key("pe.mac.rates.bfp8", ratio("0", "64", IN_SPEC(pe.mac.rates.bfp8)), "0",
                 "Multiply-accumulates of bfp8 in a cycle, as a multiple of those of bf16; 0: the array has none."),
    optional_key("pe.mac.rates.bfp4", ratio("0", "64", IN_SPEC(pe.mac.rates.bfp4)), "0",
                 "Multiply-accumulates of bfp4 in a cycle, as a multiple of those of bf16; 0: the array has none."),
    optional_key("pe.mac.rates.mxfp8", ratio("0", "64", IN_SPEC(pe.mac.rates.mxfp8)), "0",
                 "Multiply-accumulates of mxfp8 in a cycle, as a multiple of those of bf16; 0: the array has none."),
    optional_key("pe.mac.rates.mxfp4", ratio("0", "64", IN_SPEC(pe.mac.rates.mxfp4)), "0",
                 "Multiply-accumulates of mxfp4 in a cycle, as a multiple of those of bf16; 0: the array has none."),
    {"pe.mac.fill_cycles", count("0", "65536", IN_SPEC(pe.mac.fill_cycles)), kRequired,
     "Pipeline latency from the last operand to the result, in cycles."},
    {"pe.mac.operand_registers", count("1", "1024", IN_SPEC(pe.mac.operand_registers)), kRequired,
     "Operand register sets: tiles fetched and not yet consumed."},
    {"pe.mac.accumulators", count("1", "1024", IN_SPEC(pe.mac.accumulators)), kRequired,
     "Accumulator sets: output tiles begun and not yet stored."},
    {"pe.mac.tile.m", count("1", "4096", IN_SPEC(pe.mac.tile.m)), kRequired,
     "Rows of an A tile and of an output tile, in elements."},
    {"pe.mac.tile.k", count("1", "4096", IN_SPEC(pe.mac.tile.k)), kRequired, "Columns of an A tile, rows of a B tile."},
    {"pe.mac.tile.n", count("1", "4096", IN_SPEC(pe.mac.tile.n)), kRequired,
     "Columns of a B tile and of an output tile."},
    optional_key("pe.mac.register_block.rows", count("1", "64", IN_SPEC(pe.mac.register_block.rows)), "1",
                 "Rows of tiles of C that the array adds up at the same time, each in an accumulator set, tile after "
                 "tile of a K step."),
    optional_key("pe.mac.register_block.columns", count("1", "64", IN_SPEC(pe.mac.register_block.columns)), "1",
                 "Columns of these. A tile that is the same as the tile before's is not fetched again: A's, where the "
                 "block is at least as wide as high, else B's."),
    {"pe.vector.lanes", count("1", "65536", IN_SPEC(pe.vector.lanes)), kRequired,
     "Elements that the vector unit adds or multiplies in a cycle."},
    {"pe.vector.latency_cycles", count("0", "65536", IN_SPEC(pe.vector.latency_cycles)), kRequired,
     "Pipeline latency of a vector operation, in cycles."},
    optional_key("pe.vector.rates.special", ratio("0.001", "64", IN_SPEC(pe.vector.rates.special)), "0.25",
                 "Special functions (tanh) in a cycle, as a multiple of `lanes`; 0.25: four additions and "
                 "multiplications each."),
    optional_key("pe.vector.rates.reduce", ratio("0.001", "64", IN_SPEC(pe.vector.rates.reduce)), "1",
                 "Elements that are reduced along their rows in a cycle, as a multiple of `lanes`."),
    optional_key("pe.vector.rates.convert", ratio("0.001", "64", IN_SPEC(pe.vector.rates.convert)), "1",
                 "Elements of an operand of fewer bytes that are converted to the dtype of the other in a cycle, as a "
                 "multiple of `lanes`."),
    {"pe.message_queue.slots", count("1", "65536", IN_SPEC(pe.message_queue.slots)), "4",
     "Slots that a receiver keeps for each sender."},
    {"pe.message_queue.slot_bytes", bytes("8 B", "1 GiB", IN_SPEC(pe.message_queue.slot)), "4 KiB",
     "One slot: the most that one message carries."},
    {"pe.message_queue.credit_bytes", bytes("0 B", "4 KiB", IN_SPEC(pe.message_queue.credit)), "16 B",
     "The message that gives a slot back; 0 B: it takes no bandwidth."},
    {"pe.message_queue.tier", choice<kTiers, IN_SPEC(pe.message_queue.tier)>(), "tcm",
     "Where the slots lie: the receiver's TCM, its die's SRAM, or its HBM partition."},
    {"pe.message_queue.wait", choice<kWaits, IN_SPEC(pe.message_queue.wait)>(), "sleep",
     "How a receiver waits: `sleep` until it is woken, or `poll`."},
    {"pe.message_queue.wake_latency", latency("0 ns", IN_SPEC(pe.message_queue.wake.value)), "2 ns",
     "With `sleep`: from an arrival to the receiver's next action."},
    {"pe.message_queue.poll_interval", latency("1 ps", IN_SPEC(pe.message_queue.poll_interval.value)), "10 ns",
     "With `poll`: the receiver looks at multiples of this time."},
    {"pe.message_queue.consumer", choice<kConsumers, IN_SPEC(pe.message_queue.consumer)>(), "vector_unit",
     "What takes a slot out: the vector unit, or an adder in the way into the memory (`inline`, no time of its own)."},

    {"simulation.packet_bytes", bytes("8 B", "16 MiB", IN_SPEC(simulation.packet)), "256 B",
     "Detail of the simulation: a multiple of the burst; larger is faster and coarser."},

    optional_key("energy.mac.bf16", energy(IN_SPEC(energy.mac.bf16)), kNone,
                 "A multiply-accumulate with operands of bf16."),
    optional_key("energy.mac.fp16", energy(IN_SPEC(energy.mac.fp16)), kNone,
                 "A multiply-accumulate with operands of fp16."),
    optional_key("energy.mac.fp8_e4m3", energy(IN_SPEC(energy.mac.fp8_e4m3)), kNone,
                 "A multiply-accumulate with operands of fp8 (e4m3)."),
    optional_key("energy.mac.fp8_e5m2", energy(IN_SPEC(energy.mac.fp8_e5m2)), kNone,
                 "A multiply-accumulate with operands of fp8 (e5m2)."),
    optional_key("energy.mac.int8", energy(IN_SPEC(energy.mac.int8)), kNone,
                 "A multiply-accumulate with operands of int8."),
    optional_key("energy.mac.tf32", energy(IN_SPEC(energy.mac.tf32)), kNone,
                 "A multiply-accumulate with operands of tf32."),
    optional_key("energy.mac.fp32", energy(IN_SPEC(energy.mac.fp32)), kNone,
                 "A multiply-accumulate with operands of fp32."),
    optional_key("energy.mac.bfp8", energy(IN_SPEC(energy.mac.bfp8)), kNone,
                 "A multiply-accumulate with operands of bfp8."),
    optional_key("energy.mac.bfp4", energy(IN_SPEC(energy.mac.bfp4)), kNone,
                 "A multiply-accumulate with operands of bfp4."),
    optional_key("energy.mac.mxfp8", energy(IN_SPEC(energy.mac.mxfp8)), kNone,
                 "A multiply-accumulate with operands of mxfp8."),
    optional_key("energy.mac.mxfp4", energy(IN_SPEC(energy.mac.mxfp4)), kNone,
                 "A multiply-accumulate with operands of mxfp4."),
    optional_key("energy.vector", energy(IN_SPEC(energy.vector)), kNone,
                 "An operation of the vector unit on one element."),
    optional_key("energy.registers", energy_per_byte(IN_SPEC(energy.registers)), kNone,
                 "A byte between TCM and the array's registers, beside what the TCM takes."),
    optional_key("energy.tcm", energy_per_byte(IN_SPEC(energy.tcm)), kNone,
                 "A byte read from a TCM, or written to it."),
    optional_key("energy.sram", energy_per_byte(IN_SPEC(energy.sram)), kNone,
                 "A byte read from a die's SRAM, or written to it."),
    optional_key("energy.hbm", energy_per_byte(IN_SPEC(energy.hbm)), kNone,
                 "A byte of a burst that the HBM reads or writes."),
    optional_key("energy.router", energy_per_byte(IN_SPEC(energy.router)), kNone,
                 "A byte through one router and along the wire behind it."),
    optional_key("energy.die_to_die", energy_per_byte(IN_SPEC(energy.die_to_die)), kNone,
                 "A byte from die to die, or between a die and the package's switch."),
    optional_key("energy.package_link", energy_per_byte(IN_SPEC(energy.package_link)), kNone,
                 "A byte from package to package, switches included."),
    optional_key("energy.static", power(IN_SPEC(energy.static_power)), kNone,
                 "Power that a PE draws all the time, with its memory and its share of die and package."),
    optional_key("cost.unit", NameField{IN_SPEC(cost.unit)}, "unit", "Name of the unit of cost, such as mm2 or USD."),
    optional_key("cost.pe", price(IN_SPEC(cost.pe)), kNone, "A PE, without what is priced below."),
    optional_key("cost.mac.bf16", price(IN_SPEC(cost.mac.bf16)), kNone, "A multiply-accumulate of bf16 in a cycle."),
    optional_key("cost.mac.fp16", price(IN_SPEC(cost.mac.fp16)), kNone, "A multiply-accumulate of fp16 in a cycle."),
    optional_key("cost.mac.fp8_e4m3", price(IN_SPEC(cost.mac.fp8_e4m3)), kNone,
                 "A multiply-accumulate of fp8 (e4m3) in a cycle."),
    optional_key("cost.mac.fp8_e5m2", price(IN_SPEC(cost.mac.fp8_e5m2)), kNone,
                 "A multiply-accumulate of fp8 (e5m2) in a cycle."),
    optional_key("cost.mac.int8", price(IN_SPEC(cost.mac.int8)), kNone, "A multiply-accumulate of int8 in a cycle."),
    optional_key("cost.mac.tf32", price(IN_SPEC(cost.mac.tf32)), kNone, "A multiply-accumulate of tf32 in a cycle."),
    optional_key("cost.mac.fp32", price(IN_SPEC(cost.mac.fp32)), kNone, "A multiply-accumulate of fp32 in a cycle."),
    optional_key("cost.mac.bfp8", price(IN_SPEC(cost.mac.bfp8)), kNone, "A multiply-accumulate of bfp8 in a cycle."),
    optional_key("cost.mac.bfp4", price(IN_SPEC(cost.mac.bfp4)), kNone, "A multiply-accumulate of bfp4 in a cycle."),
    optional_key("cost.mac.mxfp8", price(IN_SPEC(cost.mac.mxfp8)), kNone, "A multiply-accumulate of mxfp8 in a cycle."),
    optional_key("cost.mac.mxfp4", price(IN_SPEC(cost.mac.mxfp4)), kNone, "A multiply-accumulate of mxfp4 in a cycle."),
    optional_key("cost.lane", price(IN_SPEC(cost.lane)), kNone, "A lane of the vector unit."),
    optional_key("cost.buffer", price(IN_SPEC(cost.buffer)), kNone,
                 "A KiB of registers and buffers, of arrays, DMA engines, ports and routers."),
    optional_key("cost.tcm", price(IN_SPEC(cost.tcm)), kNone, "A MiB of TCM."),
    optional_key("cost.tcm_bandwidth", price(IN_SPEC(cost.tcm_bandwidth)), kNone,
                 "A GB/s of a TCM's ports: network side, fetch and store."),
    optional_key("cost.sram", price(IN_SPEC(cost.sram)), kNone, "A MiB of SRAM."),
    optional_key("cost.sram_bandwidth", price(IN_SPEC(cost.sram_bandwidth)), kNone, "A GB/s of the SRAM's port."),
    optional_key("cost.hbm", price(IN_SPEC(cost.hbm)), kNone, "A GiB of HBM."),
    optional_key("cost.hbm_bandwidth", price(IN_SPEC(cost.hbm_bandwidth)), kNone, "A GB/s of HBM."),
    optional_key("cost.router_bandwidth", price(IN_SPEC(cost.router_bandwidth)), kNone,
                 "A GB/s of a link on a die, one direction."),
    optional_key("cost.die_to_die_bandwidth", price(IN_SPEC(cost.die_to_die_bandwidth)), kNone,
                 "A GB/s from die to die, or between a die and the switch, one direction."),
    optional_key("cost.package_link_bandwidth", price(IN_SPEC(cost.package_link_bandwidth)), kNone,
                 "A GB/s between packages, one direction."),
    optional_key("cost.host_link_bandwidth", price(IN_SPEC(cost.host_link_bandwidth)), kNone,
                 "A GB/s between a host and its package, one direction."),
});

#undef IN_SPEC

static_assert(std::all_of(kKeys.begin(), kKeys.end(),
                          [](const MachineKey& key) {
                            return key.in_hash == InHash::kAlways || !key.default_value.empty();
                          }),
              "a key that is left out of the hash at its default has one");

}  // namespace

std::span<const MachineKey> machine_keys() { return kKeys; }

}  // namespace kernbench
