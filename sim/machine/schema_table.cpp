// The table itself. An entry: path, default ("" = required), meaning, what it holds and where in MachineSpec it goes.
#include <array>

#include "sim/machine/schema.hpp"

namespace kernbench {
namespace {

constexpr std::string_view kRequired;

constexpr std::array kSchemas{kMachineSchema};
constexpr std::array<std::string_view, 5> kArrangements{"ring", "mesh", "torus", "fully_connected", "switched"};

/// `access` is a generic lambda, so that one expression serves reading and writing.
template <class Access>
constexpr QuantityField quantity(Dimension dimension, std::string_view least, std::string_view most, Access access) {
  return {dimension, least, most, access, access};
}
template <class Access>
constexpr QuantityField count(std::string_view least, std::string_view most, Access access) {
  return quantity(Dimension::kCount, least, most, access);
}
template <class Access>
constexpr QuantityField latency(std::string_view least, Access access) {
  return quantity(Dimension::kTime, least, "1000 us", access);
}
template <class Access>
constexpr QuantityField bandwidth(Access access) {
  return quantity(Dimension::kBandwidth, "1 MB/s", "1000 TB/s", access);
}
template <class Access>
constexpr QuantityField bytes(std::string_view least, std::string_view most, Access access) {
  return quantity(Dimension::kBytes, least, most, access);
}
template <class Access>
constexpr QuantityField length(Access access) {
  return quantity(Dimension::kLength, "0 mm", "1000 mm", access);
}

// clang-format off: a key a line or two, the path first
const std::array kKeys{
    MachineKey{
        "schema", kRequired, "Version of this format.",
        ChoiceField{kSchemas, [](MachineSpec&, std::size_t) {}, [](const MachineSpec&) { return std::size_t{0}; }}},
    MachineKey{"name", kRequired, "Name of the machine in results, figures and file names.",
               NameField{[](MachineSpec& m) -> std::string& { return m.name; },
                         [](const MachineSpec& m) -> const std::string& { return m.name; }}},

    MachineKey{"system.packages.rows", kRequired, "Rows of packages; 1 unless the arrangement is `mesh` or `torus`.",
               count(
                   "1", "64", [](auto& m) -> auto& { return m.system.packages.rows; })},
    MachineKey{"system.packages.columns", kRequired, "Packages in a row.",
               count(
                   "1", "1024", [](auto& m) -> auto& { return m.system.packages.columns; })},
    MachineKey{
        "system.arrangement", kRequired, "How packages are connected; `switched`: all to one switch.",
        ChoiceField{kArrangements,
                    [](MachineSpec& m, std::size_t i) { m.system.arrangement = static_cast<PackageArrangement>(i); },
                    [](const MachineSpec& m) { return static_cast<std::size_t>(m.system.arrangement); }}},
    MachineKey{"system.package_link.bandwidth", kRequired, "One link between packages, each direction.",
               bandwidth([](auto& m) -> auto& { return m.system.package_link.bytes_per_second; })},
    MachineKey{"system.package_link.switch_latency", kRequired, "Package switch, paid at every package entered.",
               latency(
                   "0 ns", [](auto& m) -> auto& { return m.system.package_switch.value; })},
    MachineKey{"system.host_link.bandwidth", kRequired, "Link between the host and a package, each direction.",
               bandwidth([](auto& m) -> auto& { return m.system.host_link.bytes_per_second; })},
    MachineKey{"system.host_link.latency", kRequired, "Host link, one way.",
               latency(
                   "0 ns", [](auto& m) -> auto& { return m.system.host_link_latency.value; })},
    MachineKey{"system.io_processor_latency", kRequired, "IO processor, per command from the host.",
               latency(
                   "0 ns", [](auto& m) -> auto& { return m.system.io_processor.value; })},

    MachineKey{"package.dies.rows", kRequired, "Rows of dies in a package.",
               count(
                   "1", "64", [](auto& m) -> auto& { return m.package.dies.rows; })},
    MachineKey{"package.dies.columns", kRequired, "Dies in a row.",
               count(
                   "1", "64", [](auto& m) -> auto& { return m.package.dies.columns; })},
    MachineKey{"package.die_to_die.connections", kRequired, "Die-to-die connections on each side of a die.",
               count(
                   "1", "64", [](auto& m) -> auto& { return m.package.die_to_die.connections; })},
    MachineKey{"package.die_to_die.bandwidth", kRequired, "One connection, each direction.",
               bandwidth([](auto& m) -> auto& { return m.package.die_to_die.bandwidth.bytes_per_second; })},
    MachineKey{"package.die_to_die.port_latency", kRequired, "Port, paid on leaving a die and on entering one.",
               latency(
                   "0 ns", [](auto& m) -> auto& { return m.package.die_to_die.port.value; })},

    MachineKey{"die.routers.rows", kRequired,
               "Rows of the router mesh; each router has one PE and its memory controller.",
               count(
                   "1", "64", [](auto& m) -> auto& { return m.die.routers.rows; })},
    MachineKey{"die.routers.columns", kRequired, "Routers in a row.",
               count(
                   "1", "64", [](auto& m) -> auto& { return m.die.routers.columns; })},
    MachineKey{"die.router.hop_latency", kRequired, "Per router crossed.",
               latency(
                   "1 ps", [](auto& m) -> auto& { return m.die.router.hop.value; })},
    MachineKey{"die.router.link_bandwidth", kRequired,
               "Links between routers, PEs and memory controllers, each direction.",
               bandwidth([](auto& m) -> auto& { return m.die.router.link.bytes_per_second; })},
    MachineKey{"die.wire.delay", kRequired, "Delay of a wire, per length.",
               quantity(
                   Dimension::kDelayPerLength, "0 ns/mm", "1000 ns/mm",
                   [](auto& m) -> auto& { return m.die.wire.per_mm.value; })},
    MachineKey{"die.wire.pe_to_router", kRequired, "Wire between a PE and its router.",
               length([](auto& m) -> auto& { return m.die.wire.pe_to_router_um; })},
    MachineKey{"die.wire.hbm_to_router", kRequired, "Wire between a memory controller and its router.",
               length([](auto& m) -> auto& { return m.die.wire.hbm_to_router_um; })},
    MachineKey{"die.wire.router_to_router", kRequired, "Wire between neighbouring routers.",
               length([](auto& m) -> auto& { return m.die.wire.router_to_router_um; })},
    MachineKey{"die.hbm.bandwidth", kRequired, "One PE's HBM partition, all its pseudo-channels together.",
               bandwidth([](auto& m) -> auto& { return m.die.hbm.bandwidth.bytes_per_second; })},
    MachineKey{"die.hbm.pseudo_channels", kRequired,
               "Pseudo-channels of a partition, a power of two; bursts go round them.",
               count(
                   "1", "1024", [](auto& m) -> auto& { return m.die.hbm.pseudo_channels; })},
    MachineKey{"die.hbm.burst", kRequired, "One burst, a power of two: the least the memory moves.",
               bytes(
                   "8 B", "64 KiB", [](auto& m) -> auto& { return m.die.hbm.burst; })},
    MachineKey{"die.hbm.read_latency", kRequired,
               "From the end of a burst on its channel to its data at the controller.",
               latency(
                   "1 ps", [](auto& m) -> auto& { return m.die.hbm.read_latency.value; })},
    MachineKey{"die.hbm.turnaround", "0 ns", "Added where a pseudo-channel changes between reads and writes.",
               latency(
                   "0 ns", [](auto& m) -> auto& { return m.die.hbm.turnaround.value; })},
    MachineKey{"die.hbm.capacity", kRequired, "One PE's partition; whole bursts on every pseudo-channel.",
               bytes(
                   "1 KiB", "1 TiB", [](auto& m) -> auto& { return m.die.hbm.capacity; })},
    MachineKey{"die.sram.capacity", kRequired, "The die's shared SRAM.",
               bytes(
                   "1 KiB", "1 TiB", [](auto& m) -> auto& { return m.die.sram.capacity; })},
    MachineKey{"die.sram.bandwidth", kRequired, "SRAM port, each direction.",
               bandwidth([](auto& m) -> auto& { return m.die.sram.bandwidth.bytes_per_second; })},
    MachineKey{"die.sram.latency", kRequired, "SRAM access.",
               latency(
                   "0 ns", [](auto& m) -> auto& { return m.die.sram.latency.value; })},

    MachineKey{"pe.clock", kRequired, "Clock of the MAC array and the vector unit.",
               quantity(
                   Dimension::kFrequency, "1 MHz", "100 GHz", [](auto& m) -> auto& { return m.pe.clock.hertz; })},
    MachineKey{"pe.control_latency", kRequired, "Control processor, per kernel call.",
               latency(
                   "0 ns", [](auto& m) -> auto& { return m.pe.control.value; })},
    MachineKey{"pe.scheduler_latency", kRequired, "Scheduler, per tile dispatched.",
               latency(
                   "0 ns", [](auto& m) -> auto& { return m.pe.scheduler.value; })},
    MachineKey{"pe.tcm.capacity", kRequired, "Tightly coupled memory of a PE; must hold the stream and output buffers.",
               bytes(
                   "1 KiB", "16 GiB", [](auto& m) -> auto& { return m.pe.tcm.capacity; })},
    MachineKey{"pe.tcm.read_bandwidth", kRequired, "TCM to DMA engine.",
               bandwidth([](auto& m) -> auto& { return m.pe.tcm.read.bytes_per_second; })},
    MachineKey{"pe.tcm.write_bandwidth", kRequired, "DMA engine to TCM, independent of reads.",
               bandwidth([](auto& m) -> auto& { return m.pe.tcm.write.bytes_per_second; })},
    MachineKey{"pe.dma.setup_latency", kRequired, "Per DMA transfer, before its first packet is issued.",
               latency(
                   "0 ns", [](auto& m) -> auto& { return m.pe.dma.setup.value; })},
    MachineKey{"pe.dma.outstanding_bursts", kRequired,
               "Per direction: bursts issued and not yet delivered or acknowledged.",
               count(
                   "1", "1048576", [](auto& m) -> auto& { return m.pe.dma.outstanding_bursts; })},
    MachineKey{"pe.stream_depth", kRequired, "Operand tiles in TCM between dispatch and the end of their fetch.",
               count(
                   "1", "65536", [](auto& m) -> auto& { return m.pe.stream_depth; })},
    MachineKey{"pe.output_depth", kRequired, "Output tiles in TCM waiting to leave.",
               count(
                   "1", "65536", [](auto& m) -> auto& { return m.pe.output_depth; })},
    MachineKey{"pe.fetch_bandwidth", kRequired, "TCM to the MAC array's operand registers.",
               bandwidth([](auto& m) -> auto& { return m.pe.fetch.bytes_per_second; })},
    MachineKey{"pe.store_bandwidth", kRequired, "Accumulators to TCM.",
               bandwidth([](auto& m) -> auto& { return m.pe.store.bytes_per_second; })},
    MachineKey{"pe.mac.macs_per_cycle", kRequired, "Multiply-accumulates of the array in a cycle.",
               count(
                   "1", "1048576", [](auto& m) -> auto& { return m.pe.mac.macs_per_cycle; })},
    MachineKey{"pe.mac.fill_cycles", kRequired, "Pipeline latency from the last operand to the result, in cycles.",
               count(
                   "0", "65536", [](auto& m) -> auto& { return m.pe.mac.fill_cycles; })},
    MachineKey{"pe.mac.operand_registers", kRequired, "Operand register sets: tiles fetched and not yet consumed.",
               count(
                   "1", "1024", [](auto& m) -> auto& { return m.pe.mac.operand_registers; })},
    MachineKey{"pe.mac.accumulators", kRequired, "Accumulator sets: output tiles begun and not yet stored.",
               count(
                   "1", "1024", [](auto& m) -> auto& { return m.pe.mac.accumulators; })},
    MachineKey{"pe.mac.tile.m", kRequired, "Rows of an A tile and of an output tile, in elements.",
               count(
                   "1", "4096", [](auto& m) -> auto& { return m.pe.mac.tile.m; })},
    MachineKey{"pe.mac.tile.k", kRequired, "Columns of an A tile, rows of a B tile.",
               count(
                   "1", "4096", [](auto& m) -> auto& { return m.pe.mac.tile.k; })},
    MachineKey{"pe.mac.tile.n", kRequired, "Columns of a B tile and of an output tile.",
               count(
                   "1", "4096", [](auto& m) -> auto& { return m.pe.mac.tile.n; })},
    MachineKey{"pe.vector.lanes", kRequired, "Elements the vector unit processes in a cycle, per operation.",
               count(
                   "1", "65536", [](auto& m) -> auto& { return m.pe.vector.lanes; })},
    MachineKey{"pe.vector.latency_cycles", kRequired, "Pipeline latency of a vector operation, in cycles.",
               count(
                   "0", "65536", [](auto& m) -> auto& { return m.pe.vector.latency_cycles; })},

    MachineKey{"simulation.packet_bytes", "256 B",
               "Detail of the simulation: a multiple of the burst; larger is faster and coarser.",
               bytes(
                   "8 B", "16 MiB", [](auto& m) -> auto& { return m.simulation.packet; })},
};
// clang-format on

}  // namespace

std::span<const MachineKey> machine_keys() { return kKeys; }

}  // namespace kernbench
