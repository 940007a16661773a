"""A machine's numbers: all keys of a machine file that the calculator knows, in base units."""

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Dict, List, Tuple, Union

from steps import Grid, Levels
from units import ceil_div

Value = Union[int, str]

# field: (key of the machine file, unit)
KEYS: Dict[str, Tuple[str, str]] = {
    "package_rows": ("system.packages.rows", ""),
    "package_columns": ("system.packages.columns", ""),
    "arrangement": ("system.arrangement", ""),
    "package_bandwidth": ("system.package_link.bandwidth", "B/s"),
    "package_latency": ("system.package_link.latency", "ps"),
    "switch_hop": ("system.package_link.switch_latency", "ps"),
    "package_buffer": ("system.package_link.buffer", "B"),
    "host_bandwidth": ("system.host_link.bandwidth", "B/s"),
    "host_latency": ("system.host_link.latency", "ps"),
    "io_processor_latency": ("system.io_processor_latency", "ps"),
    "die_rows": ("package.dies.rows", ""),
    "die_columns": ("package.dies.columns", ""),
    "crossing_connections": ("package.die_to_die.connections", ""),
    "crossing_bandwidth": ("package.die_to_die.bandwidth", "B/s"),
    "crossing_port": ("package.die_to_die.port_latency", "ps"),
    "crossing_buffer": ("package.die_to_die.buffer", "B"),
    "rows": ("die.routers.rows", ""),
    "columns": ("die.routers.columns", ""),
    "wire_delay": ("die.wire.delay", "ps/mm"),
    "pe_to_router": ("die.wire.pe_to_router", "um"),
    "hbm_to_router": ("die.wire.hbm_to_router", "um"),
    "sram_to_router": ("die.wire.sram_to_router", "um"),
    "router_to_router": ("die.wire.router_to_router", "um"),
    "hop": ("die.router.hop_latency", "ps"),
    "link_bandwidth": ("die.router.link_bandwidth", "B/s"),
    "virtual_channels": ("die.router.virtual_channels", ""),
    "buffer": ("die.router.buffer", "B"),
    "multicast": ("die.router.multicast", ""),
    "hbm_bandwidth": ("die.hbm.bandwidth", "B/s"),
    "hbm_capacity": ("die.hbm.capacity", "B"),
    "pseudo_channels": ("die.hbm.pseudo_channels", ""),
    "burst": ("die.hbm.burst", "B"),
    "controllers": ("die.hbm.controllers", ""),
    "interleave": ("die.hbm.interleave", "B"),
    "hash": ("die.hbm.hash", ""),
    "routing": ("die.hbm.routing", ""),
    "read_latency": ("die.hbm.read_latency", "ps"),
    "turnaround": ("die.hbm.turnaround", "ps"),
    "write_batch": ("die.hbm.write_batch", ""),
    "write_queue": ("die.hbm.write_queue", ""),
    "hbm_port_buffer": ("die.hbm.port_buffer", "B"),
    "sram_bandwidth": ("die.sram.bandwidth", "B/s"),
    "sram_latency": ("die.sram.latency", "ps"),
    "sram_router": ("die.sram.router", ""),
    "sram_port_buffer": ("die.sram.port_buffer", "B"),
    "clock": ("pe.clock", "Hz"),
    "control_latency": ("pe.control_latency", "ps"),
    "scheduler_latency": ("pe.scheduler_latency", "ps"),
    "tcm_capacity": ("pe.tcm.capacity", "B"),
    "tcm_read_bandwidth": ("pe.tcm.read_bandwidth", "B/s"),
    "tcm_write_bandwidth": ("pe.tcm.write_bandwidth", "B/s"),
    "setup_latency": ("pe.dma.setup_latency", "ps"),
    "outstanding_bursts": ("pe.dma.outstanding_bursts", ""),
    "stream_depth": ("pe.stream_depth", ""),
    "output_depth": ("pe.output_depth", ""),
    "fetch_bandwidth": ("pe.fetch_bandwidth", "B/s"),
    "store_bandwidth": ("pe.store_bandwidth", "B/s"),
    "accumulate_bandwidth": ("pe.accumulate_bandwidth", "B/s"),
    "macs_per_cycle": ("pe.mac.macs_per_cycle", ""),
    "dataflow": ("pe.mac.dataflow", ""),
    "array_rows": ("pe.mac.rows", ""),
    "array_columns": ("pe.mac.columns", ""),
    "array_depth": ("pe.mac.depth", ""),
    "weight_buffers": ("pe.mac.weight_buffers", ""),
    "rate_fp16": ("pe.mac.rates.fp16", ""),
    "rate_fp8_e4m3": ("pe.mac.rates.fp8_e4m3", ""),
    "rate_fp8_e5m2": ("pe.mac.rates.fp8_e5m2", ""),
    "rate_int8": ("pe.mac.rates.int8", ""),
    "rate_tf32": ("pe.mac.rates.tf32", ""),
    "rate_fp32": ("pe.mac.rates.fp32", ""),
    "rate_bfp8": ("pe.mac.rates.bfp8", ""),
    "rate_bfp4": ("pe.mac.rates.bfp4", ""),
    "rate_mxfp8": ("pe.mac.rates.mxfp8", ""),
    "rate_mxfp4": ("pe.mac.rates.mxfp4", ""),
    "fill_cycles": ("pe.mac.fill_cycles", ""),
    "operand_registers": ("pe.mac.operand_registers", ""),
    "accumulators": ("pe.mac.accumulators", ""),
    "tile_m": ("pe.mac.tile.m", ""),
    "tile_k": ("pe.mac.tile.k", ""),
    "tile_n": ("pe.mac.tile.n", ""),
    "register_rows": ("pe.mac.register_block.rows", ""),
    "register_columns": ("pe.mac.register_block.columns", ""),
    "lanes": ("pe.vector.lanes", ""),
    "special_rate": ("pe.vector.rates.special", ""),
    "reduce_rate": ("pe.vector.rates.reduce", ""),
    "convert_rate": ("pe.vector.rates.convert", ""),
    "vector_latency_cycles": ("pe.vector.latency_cycles", ""),
    "slots": ("pe.message_queue.slots", ""),
    "slot_bytes": ("pe.message_queue.slot_bytes", "B"),
    "credit_bytes": ("pe.message_queue.credit_bytes", "B"),
    "tier": ("pe.message_queue.tier", ""),
    "wait": ("pe.message_queue.wait", ""),
    "wake_latency": ("pe.message_queue.wake_latency", "ps"),
    "poll_interval": ("pe.message_queue.poll_interval", "ps"),
    "consumer": ("pe.message_queue.consumer", ""),
    "packet_bytes": ("simulation.packet_bytes", "B"),
}


@dataclass(frozen=True)
class Machine:
    """A die of topology/milestone_1h.yaml, where a case does not say what differs; the program is told every key."""

    package_rows: int = 1
    package_columns: int = 1
    arrangement: str = "ring"
    package_bandwidth: int = 512 * 10**9
    package_latency: int = 20000
    switch_hop: int = 5000
    package_buffer: int = 65536
    host_bandwidth: int = 64 * 10**9
    host_latency: int = 5000
    io_processor_latency: int = 10000
    die_rows: int = 1
    die_columns: int = 1
    crossing_connections: int = 4
    crossing_bandwidth: int = 128 * 10**9
    crossing_port: int = 8000
    crossing_buffer: int = 16384
    rows: int = 2
    columns: int = 4
    wire_delay: int = 10
    pe_to_router: int = 1000
    hbm_to_router: int = 2000
    sram_to_router: int = 2000
    router_to_router: int = 4000
    hop: int = 2000
    link_bandwidth: int = 256 * 10**9
    virtual_channels: int = 2
    buffer: int = 8192
    multicast: str = "false"
    hbm_bandwidth: int = 256 * 10**9
    hbm_capacity: int = 1 << 30
    pseudo_channels: int = 8
    burst: int = 256
    controllers: str = "private"
    interleave: int = 4096
    hash: str = "false"
    routing: str = "xy"
    read_latency: int = 32000
    turnaround: int = 16000
    write_batch: int = 16
    write_queue: int = 32
    hbm_port_buffer: int = 16384
    sram_bandwidth: int = 128 * 10**9
    sram_latency: int = 10000
    sram_router: int = 0
    sram_port_buffer: int = 16384
    clock: int = 10**9
    control_latency: int = 2000
    scheduler_latency: int = 1000
    tcm_capacity: int = 16 << 20
    tcm_read_bandwidth: int = 512 * 10**9
    tcm_write_bandwidth: int = 512 * 10**9
    setup_latency: int = 4000
    outstanding_bursts: int = 64
    stream_depth: int = 8
    output_depth: int = 2
    fetch_bandwidth: int = 512 * 10**9
    store_bandwidth: int = 512 * 10**9
    accumulate_bandwidth: int = 0
    macs_per_cycle: int = 4096
    dataflow: str = "dot_product"
    array_rows: int = 0
    array_columns: int = 0
    array_depth: int = 1
    weight_buffers: int = 1
    rate_fp16: str = "1"  # decimals
    rate_fp8_e4m3: str = "2"
    rate_fp8_e5m2: str = "2"
    rate_int8: str = "2"
    rate_tf32: str = "0.5"
    rate_fp32: str = "0.25"
    rate_bfp8: str = "2"
    rate_bfp4: str = "2"
    rate_mxfp8: str = "2"
    rate_mxfp4: str = "4"
    fill_cycles: int = 8
    operand_registers: int = 2
    accumulators: int = 2
    tile_m: int = 32
    tile_k: int = 64
    tile_n: int = 32
    register_rows: int = 1
    register_columns: int = 1
    lanes: int = 128
    special_rate: str = "0.25"  # decimals
    reduce_rate: str = "1"
    convert_rate: str = "1"
    vector_latency_cycles: int = 4
    slots: int = 4
    slot_bytes: int = 4096
    credit_bytes: int = 16
    tier: str = "tcm"
    wait: str = "sleep"
    wake_latency: int = 2000
    poll_interval: int = 10000
    consumer: str = "vector_unit"
    packet_bytes: int = 256

    def but(self, **different: Value) -> "Machine":
        return replace(self, **different)

    @property
    def levels(self) -> Levels:
        """18.3: of all PEs."""
        packages, dies = Grid(self.package_rows, self.package_columns), Grid(self.die_rows, self.die_columns)
        return Levels(packages, dies, Grid(self.rows, self.columns))

    def wire(self, micrometres: int) -> int:
        """4.1."""
        return ceil_div(micrometres * self.wire_delay, 1000)

    @property
    def dies(self) -> int:
        """Of a package."""
        return self.die_rows * self.die_columns

    @property
    def pes_per_die(self) -> int:
        return self.rows * self.columns

    @property
    def controllers_named(self) -> List[Tuple[str, int]]:
        """64.1: of a die, as what each is named, and its router; none where each PE has a partition."""
        rows, columns = range(self.rows), range(self.columns)
        edges = {
            "north": [(0, column) for column in columns],
            "south": [(self.rows - 1, column) for column in columns],
            "east": [(row, self.columns - 1) for row in rows],
            "west": [(row, 0) for row in rows],
        }
        found: List[Tuple[str, int]] = []
        for said in self.controllers.replace("private", "").split():
            places = edges[said] if said in edges else [tuple(map(int, said.split(",")))]
            found += [(said, row * self.columns + column) for row, column in places]
        return found

    @property
    def controller_routers(self) -> List[int]:
        return [router for _, router in self.controllers_named]

    @property
    def alignment(self) -> int:
        """Of matrices: 6.3, 64.6."""
        return self.burst * self.pseudo_channels * max(len(self.controller_routers), 1)

    def rate(self, dtype: str) -> Fraction:
        """34.4: of the array, beside that of bf16."""
        return Fraction(1) if dtype == "bf16" else Fraction(getattr(self, "rate_" + dtype))

    def settings(self) -> List[str]:
        """All keys, as the program takes them."""
        options: List[str] = []
        for field, (key, unit) in KEYS.items():
            options += ["--set", f"{key}={getattr(self, field)} {unit}".rstrip()]
        return options
