"""Machines whose PEs share HBM (ADR-0064), and GEMMs over grids of PEs (30.17): drawn from fixed seeds."""

import concurrent.futures
import random
from dataclasses import dataclass, replace
from math import lcm
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Dict, Iterable, List, Sequence, Tuple

import beside
import mapped_cases
import program
from cases import OWNER, PLACEMENTS, SPLIT, collective, gemm, random_machine
from gemm import Problem
from grid_gemm import GridGemm
from machine import Machine

SHIFT, MULTICAST = "grid_shift", "grid_multicast"
GRIDS = (SHIFT, MULTICAST)
POLICIES = ("rows", "columns", "blocks", "replicate")
# 64.5: the writer waits for no credit of one controller while another's come back.
PLENTY = 1 << 16


def controllers(dice: random.Random, rows: int, columns: int) -> str:
    """64.1: up to three edges and three places."""
    edges = dice.sample(["north", "south", "east", "west"], dice.choice([0, 0, 1, 1, 2, 3]))
    places = [f"{row},{column}" for row in range(rows) for column in range(columns)]
    named = edges + dice.sample(places, dice.randint(0 if edges else 1, min(3, len(places))))
    dice.shuffle(named)
    return " ".join(named)


def routed(machine: Machine, seed: str) -> Machine:
    """64.11: every other one that can, at right angles to its edges."""
    has_edge = any(edge in machine.controllers for edge in ("north", "south", "east", "west"))
    if not has_edge or machine.virtual_channels < 2 or random.Random(f"64.11 {seed}").random() < 0.5:
        return machine
    return machine.but(routing="perpendicular")


def hashed(machine: Machine, seed: str) -> Machine:
    """64.3: every other one that can."""
    if len(machine.controllers_named) < 2 or random.Random(f"64.3 {seed}").random() < 0.5:
        return machine
    return machine.but(hash="true")


def shared(dice: random.Random, machine: Machine) -> Machine:
    """Interleaved below, at and above the packet."""
    bursts = dice.choice([1, 1, 2, 3, 4, 16, machine.packet_bytes // machine.burst])
    return machine.but(controllers=controllers(dice, machine.rows, machine.columns), outstanding_bursts=PLENTY,
                       interleave=bursts * machine.burst, hbm_capacity=3 * bursts << 28)  # fmt: skip


# One PE.


def of_one_pe(kind: str, seed: int, most_credits: int = PLENTY) -> mapped_cases.Case:
    """64.7: PE 0 of a machine of several."""
    squeeze, tiles = mapped_cases.KINDS[kind]
    draw = mapped_cases.Draw(f"shared {kind} {seed}")
    case = squeeze(draw, draw.case(min(tiles, 3)))
    rows, columns = draw.number(1, 3), draw.number(1, 4)
    die_rows, die_columns = draw.dice.choice([(1, 1), (1, 1), (1, 2), (2, 1)])
    credits = case.machine.outstanding_bursts
    machine = shared(draw.dice, case.machine.but(rows=rows, columns=columns))
    machine = machine.but(die_rows=die_rows, die_columns=die_columns, crossing_connections=lcm(rows, columns),
                          sram_router=draw.number(0, rows * columns - 1), router_to_router=draw.number(0, 4000),
                          outstanding_bursts=max(credits, most_credits))  # fmt: skip
    return replace(case, machine=hashed(routed(machine, f"{kind} {seed}"), f"{kind} {seed}"))


# Several PEs.


@dataclass(frozen=True)
class Case:
    machine: Machine
    problem: Problem


def random_problem(dice: random.Random, variant: str, machine: Machine) -> Problem:
    pes = machine.dies * machine.pes_per_die
    m, k, n = (dice.choice([32, 33, 64, 65, 96, 128, 160]) for _ in range(3))
    a, b, c = PLACEMENTS.get(variant, ("rows", "rows", "blocks"))
    if variant == OWNER:
        a, b, c = (dice.choice(POLICIES) for _ in range(3))
    elif variant in GRIDS:
        a, b = dice.choice(POLICIES), dice.choice(POLICIES)
        k = dice.choice([64, 130, 200, 256, 300, 512, 900])
        if variant == SHIFT:
            m, n = dice.choice([m, 256]), dice.choice([n, 256])
    elif dice.choice([False, True]):
        c = "columns"
    if variant == SPLIT:
        k = max(machine.tile_k * (pes - dice.choice([0, 0, 1])) - dice.choice([0, 1, 32]), 1)
    of_grids, others = ["bf16", "fp16", "tf32", "bfp8"], ["bf16", "bf16", "int8", "fp8_e4m3", "tf32", "bfp4", "mxfp8"]
    dtype = dice.choice(of_grids if variant in GRIDS else others)
    layout = dice.choice(["blocked", "row_major"])
    grids = [(rows, pes // rows) for rows in range(1, pes + 1) if pes % rows == 0]
    grid = dice.choice(grids) if "blocks" in (a, b, c) else None
    return gemm(variant, m, k, n, layout, (a, b, c), (dtype, "as_a"), grid)


def prepared(case: Case) -> beside.Gemm:
    return beside.prepare(case.machine, case.problem, collective(case.machine, "all_gather", "ring", 512), "alone")[1]


def tight(dice: random.Random, case: Case) -> Case:
    """30.17, 30.18: with a TCM that just, or just not, holds pieces of so many."""
    whole = prepared(case)
    assert isinstance(whole, GridGemm)
    machine = case.machine.but(stream_depth=1)
    case = replace(case, machine=machine)
    of_tiles = machine.tile_k * (machine.tile_m + machine.tile_n), machine.tile_m * machine.tile_n
    least = 4 * of_tiles[0] + 4 * machine.output_depth * of_tiles[1]  # of any dtype
    needed = [whole.needed(*choice) for choice in whole.choices()]
    wanted = dice.choice(needed) - dice.choice([0, 1])
    return replace(case, machine=machine.but(tcm_capacity=max(wanted, min(needed), least)))


def for_several(dice: random.Random, machine: Machine) -> Machine:
    """65.1: where packets for several receivers meet each other, and wait."""
    rows, columns = dice.choice([(1, 2), (1, 3), (3, 1), (2, 2), (2, 3), (3, 2), (3, 3)])
    multicast = dice.choice(["true", "true", "false"])
    machine = machine.but(rows=rows, columns=columns, crossing_connections=lcm(rows, columns), sram_router=0)
    return machine.but(multicast=multicast, tier="tcm" if multicast == "true" else machine.tier,
                       virtual_channels=dice.choice([1, 2, 3]), buffer=dice.choice([256, 512, 1024, 8192]),
                       slots=dice.choice([1, 2, 3]), slot_bytes=dice.choice([256, 1000, 4096]))  # fmt: skip


def in_register_blocks(dice: random.Random, machine: Machine) -> Machine:
    """6.15: every other one; with or without sums that store adds."""
    if dice.random() < 0.5:
        return machine
    rows, columns = dice.choice([(1, 2), (2, 1), (2, 2), (2, 3), (3, 1)])
    return machine.but(accumulators=max(machine.accumulators, rows * columns), register_rows=rows,
                       register_columns=columns, accumulate_bandwidth=dice.choice([0, 48 * 10**9]))  # fmt: skip


def over_pes(variant: str, seed: int, dies: Sequence[int], shares: bool = True) -> Case:
    dice = random.Random(f"{variant} {seed} {dies} {shares}")
    machine = random_machine(dice)
    while machine.dies not in dies or (shares and machine.tier == "hbm"):  # 64.9
        machine = random_machine(dice)
    if variant == MULTICAST:
        machine = for_several(dice, machine)
    if shares:
        machine = hashed(routed(shared(dice, machine), f"{variant} {seed}"), f"{variant} {seed}")
    if variant in GRIDS and machine.dataflow == "dot_product":
        machine = in_register_blocks(random.Random(f"6.15 {variant} {seed}"), machine)
    if variant in GRIDS:
        machine = machine.but(lanes=1024)  # sums are not what the time is made of, nor what is received
    case = Case(machine, random_problem(dice, variant, machine))
    return tight(dice, case) if variant in GRIDS and dice.random() < 0.6 else case


Worked = Dict[str, List[Tuple[str, int, int]]]


def calculated(case: Case) -> Tuple[beside.Alone, Worked]:
    """What is reported, and every record of every unit."""
    request = collective(case.machine, "all_gather", "ring", 512)
    told, records = beside.alone_with_records(case.machine, case.problem, request)
    return told, {pe: of_pe for pe, of_pe in records.items() if of_pe}


def simulated(case: Case) -> Tuple[beside.Alone, Worked]:
    with TemporaryDirectory(prefix="machine-calculator-") as folder:
        trace = Path(folder) / "trace.json"
        return program.alone(case.machine, case.problem, ["--trace", str(trace)]), program.records(trace)


def different(cases: Iterable[Case], workers: int = 1) -> List[str]:
    """What the program says otherwise than the calculator."""
    if workers == 1:
        return [said for said in map(_different, cases) if said]
    with concurrent.futures.ProcessPoolExecutor(workers) as pool:
        return [said for said in pool.map(_different, cases) if said]


def _different(case: Case) -> str:
    try:
        expected, said = calculated(case), simulated(case)
    except Exception as problem:  # told with its case
        return f"{case}: {problem}"
    return "" if said == expected else f"{case}: {said[0]}, calculated {expected[0]}"
