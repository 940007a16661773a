"""What is compared: chosen cases, each for something that decides who waits for whom, and random ones."""

import random
from dataclasses import dataclass, replace
from math import lcm
from typing import Dict, Optional, Sequence, Tuple

import beside
from formats import FORMATS, of_fewer_bytes
from gemm import Problem
from machine import Machine, Value
from steps import Request
from units import up_to_multiple

OWNER, RING, SPLIT = "owner_computes", "ring_shift", "split_k"
PLACEMENTS = {OWNER: ("rows", "rows", "rows"), RING: ("rows", "columns", "rows"), SPLIT: ("columns", "rows", "rows")}


@dataclass(frozen=True)
class Case:
    what: str
    machine: Machine
    problem: Problem
    request: Request


def gemm(
    variant: str,
    m: int,
    k: int,
    n: int,
    layout: str = "blocked",
    placement: Sequence[str] = (),
    dtypes: Tuple[str, str] = ("bf16", "as_a"),
    grid: Optional[Tuple[int, int]] = None,
) -> Problem:
    a, b, c = placement or PLACEMENTS[variant]
    return Problem(m, k, n, variant, (a, b, c), layout, *dtypes, grid)


def collective(machine: Machine, name: str, algorithm: str, size: int) -> Request:
    """20.2: of `size` bytes; a broadcast or reduce is cut into chunks."""
    chunk = machine.slot_bytes // 2 if name in ("broadcast", "reduce") else 0
    return Request(name, algorithm, size // 2, chunk)


def case(what: str, problem: Problem, name: str, algorithm: str, size: int, **different: Value) -> Case:
    machine = Machine().but(**different)
    return Case(what, machine, problem, collective(machine, name, algorithm, size))


OWNER_COMPUTES = [
    case("reads of others' partitions beside messages to all",
         gemm(OWNER, 96, 128, 96, placement=("rows", "blocks", "columns")), "all_to_all", "direct", 6144,
         rows=1, columns=3),
    case("tight buffers, few credits", gemm(OWNER, 96, 96, 65), "reduce_scatter", "ring", 6000,
         rows=1, columns=3, buffer=256, virtual_channels=1, outstanding_bursts=4, slots=1, hbm_port_buffer=256,
         stream_depth=1, tcm_capacity=18000),
    case("packets of several bursts, writes one by one", gemm(OWNER, 128, 128, 64), "all_gather", "ring", 16384,
         columns=2, tcm_capacity=72 << 10, packet_bytes=1024, write_batch=1, pseudo_channels=4, setup_latency=0, hop=0),
]  # fmt: skip

RING_SHIFT = [
    case("PEs without a part of B", gemm(RING, 96, 128, 64), "all_gather", "direct", 4096,
         columns=2, tcm_capacity=96000),
    case("A goes round, PEs without a part of it", gemm(RING, 64, 128, 96, placement=("rows", "columns", "columns")),
         "broadcast", "ring", 5000, rows=1, columns=3),
    case("rows that do not fill bursts, two dies", gemm(RING, 64, 96, 33, "row_major"), "all_reduce", "ring", 600,
         die_rows=2, columns=1, crossing_connections=2, write_queue=17, hbm_port_buffer=2048,
         stream_depth=1, tcm_capacity=54000),  # the buffers fit, but not in whole bursts (19.9)
    case("slots in HBM, polled", gemm(RING, 64, 64, 96), "reduce", "ring", 3000,
         rows=1, columns=3, tier="hbm", wait="poll", poll_interval=3333, slot_bytes=1000, credit_bytes=0,
         stream_depth=1, tcm_capacity=22400),
]  # fmt: skip

SPLIT_K = [
    case("slots in SRAM, nobody adds", gemm(SPLIT, 64, 128, 64), "broadcast", "direct", 3000,
         rows=1, columns=2, stream_depth=1, slots=2, tcm_capacity=15000, tier="sram", consumer="inline",
         sram_bandwidth=50 * 10**9, sram_port_buffer=512),
    case("control takes no time", gemm(SPLIT, 64, 256, 64, placement=("columns", "rows", "columns")),
         "all_reduce", "direct", 2048, columns=2, control_latency=0, vector_latency_cycles=0),
]  # fmt: skip

BESIDE = [
    case("two PEs", gemm(OWNER, 128, 128, 64), "all_reduce", "ring", 4096, rows=1, columns=2),
    case("a die of eight", gemm(RING, 256, 128, 128), "reduce_scatter", "direct", 4096),
]

SHARED_UNITS = [
    case("queues of both launches at the same PEs", gemm(SPLIT, 96, 256, 33), "all_reduce", "ring", 4096,
         columns=2, tcm_capacity=84000),
]  # fmt: skip

ONE_INSTANT = [
    case("both programs call, three dies, a PE without a part of K", gemm(SPLIT, 65, 300, 128), "all_reduce", "ring",
         4096, rows=2, columns=1, die_columns=3, crossing_connections=2, clock=900_000_000, scheduler_latency=1),
]  # fmt: skip


SYSTOLIC = [
    case("results rest, edges in every dimension", gemm(OWNER, 96, 200, 65), "all_reduce", "ring", 4096, columns=2,
         macs_per_cycle=0, dataflow="output_stationary", array_rows=32, array_columns=32, fill_cycles=0),
    case("weights rest", gemm(SPLIT, 64, 256, 64), "all_reduce", "direct", 2048, columns=2,
         macs_per_cycle=0, dataflow="weight_stationary", array_rows=48, array_columns=32),
    case("two sets of weights, of which rows of A hide a part", gemm(RING, 96, 128, 64), "all_gather", "direct", 4096,
         columns=2, macs_per_cycle=0, dataflow="weight_stationary", array_rows=64, array_columns=16, weight_buffers=2),
]  # fmt: skip

DTYPES = [
    case("int8 goes round, sums of four bytes", gemm(RING, 96, 128, 64, dtypes=("int8", "as_a")), "all_gather", "ring",
         4096, rows=1, columns=3),
    case("int32 goes round, in slots that are no whole number of them, in HBM",
         gemm(SPLIT, 64, 192, 65, dtypes=("int8", "as_a")), "all_reduce", "direct", 3000,
         rows=1, columns=3, tier="hbm", slot_bytes=1002),
    case("fp8 goes round as bf16", gemm(SPLIT, 65, 256, 64, "row_major", dtypes=("fp8_e4m3", "as_a")), "all_reduce",
         "ring", 4096, columns=2),
    case("conversions, more register sets",
         gemm(OWNER, 96, 128, 96, placement=("rows", "blocks", "columns"), dtypes=("bf16", "int8")), "all_reduce",
         "ring", 6144, rows=1, columns=3, operand_registers=4, convert_rate="0.75"),
    case("B goes round as it is stored", gemm(RING, 96, 130, 70, dtypes=("fp32", "fp8_e5m2")), "all_gather", "direct",
         4096, columns=2, rate_fp32="0.3"),
    case("weights rest, converted; A goes round", gemm(RING, 64, 128, 96, placement=("rows", "columns", "columns"),
         dtypes=("fp16", "fp8_e4m3")), "broadcast", "ring", 5000, rows=1, columns=3, tier="sram",
         macs_per_cycle=0, dataflow="weight_stationary", array_rows=64, array_columns=16, weight_buffers=2),
    case("converted and added up", gemm(SPLIT, 64, 256, 64, dtypes=("tf32", "bf16")), "reduce_scatter", "ring", 6000,
         columns=2, slots=1, slot_bytes=5000, vector_latency_cycles=13),
    case("groups that edges cut go round", gemm(RING, 96, 130, 70, "row_major", dtypes=("mxfp4", "as_a")), "all_gather",
         "ring", 4096, rows=1, columns=3, rate_mxfp4="3"),
    case("groups are added up, in slots that are no whole number of them",
         gemm(SPLIT, 65, 256, 75, dtypes=("bfp4", "as_a")), "all_reduce", "direct", 3000,
         columns=2, slot_bytes=1000, tile_n=24),
]  # fmt: skip

ALL = [*OWNER_COMPUTES, *RING_SHIFT, *SPLIT_K, *BESIDE, *SHARED_UNITS, *ONE_INSTANT, *SYSTOLIC, *DTYPES]


def tight(dice: random.Random, chosen: Case) -> Case:
    """With a TCM that just, or just not, holds what may lie in it."""
    machine = chosen.machine.but(stream_depth=dice.choice([1, 2]))
    _, gemm_over, beside_it = beside.prepare(machine, chosen.problem, chosen.request, "both")
    streamed = beside.prepare(machine.but(tcm_capacity=0), chosen.problem, chosen.request, "both")[1].needs_at_most
    slots, buffer = beside_it.slots_room, up_to_multiple(beside_it.buffer_bytes, machine.burst)
    in_tcm = slots if machine.tier == "tcm" else 0
    needed = dice.choice([gemm_over.needs_at_most, streamed])
    wanted = slots + needed + dice.choice([-1, 0, buffer - 1, buffer])
    of_tiles = machine.tile_k * (machine.tile_m + machine.tile_n), machine.tile_m * machine.tile_n
    least = 2 * (machine.stream_depth * of_tiles[0] + machine.output_depth * of_tiles[1])
    return replace(chosen, machine=machine.but(tcm_capacity=max(wanted, least, slots, in_tcm + streamed)))


def random_machine(dice: random.Random) -> Machine:
    giga = 10**9
    choices: Dict[str, Sequence[Value]] = {
        "clock": (giga, 1_700_000_000, 900_000_000),
        "control_latency": (0, 1, 1999, 2000, 5000),
        "scheduler_latency": (0, 1, 1000, 3000),
        "tcm_read_bandwidth": (512 * giga, 100 * giga, 333 * giga),
        "tcm_write_bandwidth": (512 * giga, 100 * giga, 333 * giga),
        "setup_latency": (0, 1, 4000, 9999),
        "outstanding_bursts": (4, 16, 64, 100),
        "stream_depth": (1, 2, 3, 8),
        "output_depth": (1, 2, 4),
        "fetch_bandwidth": (512 * giga, 200 * giga),
        "store_bandwidth": (512 * giga, 100 * giga),
        "macs_per_cycle": (4096, 16384, 1000),
        "fill_cycles": (0, 8, 100),
        "operand_registers": (1, 2, 5),
        "accumulators": (1, 2, 5),
        "lanes": (128, 32, 1000),
        "vector_latency_cycles": (0, 4, 13),
        "slots": (1, 2, 4, 7),
        "slot_bytes": (256, 1000, 4096, 5000),
        "credit_bytes": (0, 1, 16, 64, 300),
        "wake_latency": (0, 2000, 7),
        "packet_bytes": (256, 512, 1024),
        "hop": (0, 1, 777, 2000),
        "link_bandwidth": (256 * giga, 100 * giga, 777 * giga),
        "virtual_channels": (1, 2, 4),
        "buffer": (256, 512, 1024, 8192),
        "hbm_bandwidth": (256 * giga, 100 * giga),
        "pseudo_channels": (1, 4, 8, 16),
        "read_latency": (1000, 32000),
        "turnaround": (0, 1, 16000),
        "write_batch": (1, 2, 4, 16),
        "write_queue": (16, 17, 32),
        "hbm_port_buffer": (256, 2048, 16384),
        "dataflow": ("dot_product", "output_stationary", "weight_stationary"),
        "tier": ("hbm", "sram"),
        "wait": ("poll",),
        "poll_interval": (1, 3333, 10000),
        "consumer": ("inline",),
        "sram_bandwidth": (50 * giga, 300 * giga),
        "sram_latency": (0, 777),
        "sram_port_buffer": (256, 2048),
    }
    different: Dict[str, Value] = {}
    rows, columns = dice.choice([(1, 2), (2, 1), (1, 3), (1, 4), (2, 2), (3, 2), (2, 4)])
    die_rows, die_columns = dice.choice([(1, 1), (1, 1), (1, 2), (2, 1), (1, 3)])
    if die_rows * die_columns > 1:
        rows = 1 if rows * columns > 4 else rows
        sides = lcm(columns, rows) if die_columns > 1 else columns  # 3.7
        different["crossing_connections"] = sides * dice.choice([1, 2])
    different["sram_router"] = dice.randrange(rows * columns)
    for key in dice.sample(sorted(choices), dice.choice([0, 1, 2, 4, 8, 15])):
        different[key] = dice.choice(choices[key])
    if "dataflow" in different:
        cells = {"array_rows": (16, 32, 64), "array_columns": (8, 32, 33), "array_depth": (1, 1, 4)}
        different.update({key: dice.choice(sizes) for key, sizes in cells.items()}, macs_per_cycle=0)
        if different["dataflow"] == "weight_stationary":
            different["weight_buffers"] = dice.choice([1, 2])
    return Machine(rows=rows, columns=columns, die_rows=die_rows, die_columns=die_columns).but(**different)


def random_case(seed: int) -> Case:
    dice = random.Random(seed)
    machine = random_machine(dice)
    pes = machine.dies * machine.pes_per_die
    variant = dice.choice([OWNER, RING, SPLIT])
    m, k, n = (dice.choice([32, 33, 64, 65, 96, 128, 160]) for _ in range(3))
    placement: Tuple[str, ...] = PLACEMENTS[variant]
    if variant == OWNER:
        placement = tuple(dice.choice(["rows", "columns", "blocks", "replicate"]) for _ in range(3))
    elif dice.choice([False, True]):
        placement = (*placement[:2], "columns")
    if variant == SPLIT:
        k = max(machine.tile_k * (pes - dice.choice([0, 0, 1])) - dice.choice([0, 1, 32]), 1)
    problem = gemm(variant, m, k, n, dice.choice(["blocked", "blocked", "row_major"]), placement)
    algorithm = dice.choice(["ring", "direct"])
    names = ["broadcast", "reduce", "all_reduce", "all_gather", "reduce_scatter"]
    name = dice.choice(names + ["all_to_all"] if algorithm == "direct" else names)
    size = dice.choice([2, 16, 300, 4096, 10000, 30000])
    if name == "all_to_all":
        size = max(size // (2 * pes), 1) * 2 * pes
    if dice.choice([False, True]):
        dtype = dice.choice([dtype for dtype in FORMATS if dtype != "int32"])
        problem = replace(problem, dtype=dtype, dtype_b=dice.choice(["as_a", *of_fewer_bytes(dtype)]))
        machine = machine.but(convert_rate=dice.choice(["1", "4", "0.3"]))
    chosen = Case(f"seed {seed}", machine, problem, collective(machine, name, algorithm, size))
    return tight(dice, chosen) if dice.choice([False, True]) else chosen
