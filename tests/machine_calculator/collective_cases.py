"""Collectives with a machine to themselves: as the program says them, as committed, as calculated."""

import concurrent.futures
import json
import os
import random
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Dict, Iterable, List, Optional, Sequence, Tuple

import program
from collective import Collective
from machine import Machine, Value
from queues import ELEMENT
from schedules import ALGORITHMS, ROOTED, schedule, usual_chunk
from steps import Grid, Levels, Request
from system import System
from units import ceil_div, up_to_multiple

TILES = 12288  # bytes of the machine's tiles with one of A and B and two of C
RESULTS = Path(__file__).parents[2] / "benches" / "milestone_1h_ccl" / "results" / "results.json"


@dataclass(frozen=True)
class Case:
    machine: Machine
    request: Request
    levels: Levels  # of the ranks


@dataclass(frozen=True)
class Numbers:
    """20.3, 20.4; times in picoseconds."""

    time: int
    launch: int
    steps: int
    sent_bytes: int
    link_bytes: int
    busiest_link: str
    in_hbm: bool


def calculated(case: Case) -> Numbers:
    system = System(case.machine)
    collective = Collective(system, case.request, case.levels)
    collective.lay_out()
    collective.start()
    system.calendar.run()
    network = system.network
    link_bytes = sum(link.bytes for link in network.links)
    time = max(collective.ends)
    return Numbers(time, system.launch(), collective.steps, collective.sent_bytes, link_bytes,
                   network.busiest_link()[0], collective.in_hbm)  # fmt: skip


def of_row(row: Dict[str, Any]) -> Numbers:
    metrics = row["metrics"]
    times = (program.picoseconds(metrics[name]) for name in ("time_ns", "launch_ns"))
    return Numbers(*times, *(metrics[name] for name in ("steps", "sent_bytes", "link_bytes", "busiest_link", "in_hbm")))


def of_program(case: Case) -> Numbers:
    """On all PEs of the machine."""
    request = case.request
    size, chunk = request.count * ELEMENT, request.chunk * ELEMENT
    arguments = ["sim", "collective", "--topology", str(program.MACHINE_FILE), "--scale", "system"]
    arguments += ["--collective", request.collective, "--algorithm", request.algorithm]
    arguments += ["--sizes", f"{size}B", "--chunk", f"{chunk}B"]
    if request.collective in ROOTED:
        arguments += ["--root", str(request.root)]
    if (request.algorithm, request.collective) == ("hierarchical", "all_reduce"):
        arguments += ["--root-die", request.root_die]
    (row,) = program.rows(arguments + case.machine.settings())
    return of_row(row)


# What is committed.


def committed_rows(most: Optional[int] = None) -> List[Dict[str, Any]]:
    """Those that were simulated, of at most so many bytes on links, which are what a row costs here."""
    rows = (row for row in json.loads(RESULTS.read_text())["rows"] if "derived" not in row["point"])
    return [row for row in rows if most is None or row["metrics"]["link_bytes"] <= most]


def different_committed(rows: List[Dict[str, Any]]) -> List[str]:
    """What is committed otherwise than the calculator says."""
    dearest_first = sorted(rows, key=lambda row: row["metrics"]["link_bytes"], reverse=True)
    with concurrent.futures.ProcessPoolExecutor(os.cpu_count()) as pool:
        return [said for said in pool.map(_different_committed, dearest_first) if said]


def _different_committed(row: Dict[str, Any]) -> str:
    of_calculator = calculated(committed_case(row["point"]))
    return "" if of_row(row) == of_calculator else f"{row['point']}: {of_row(row)}, calculated {of_calculator}"


def committed_case(point: Dict[str, Any]) -> Case:
    """20.1, 20.2, 20.9."""
    different: Dict[str, Value] = {"tier": point["tier"]} if "tier" in point else {}
    dies, pes = Grid(1, 1) if point["scale"] == "die" else Grid(4, 4), Grid(2, 4)
    packages = Grid(1, 1)
    if point["scale"] == "system":
        packages = Grid(*map(int, point["packages"].split("x")))
        different.update(arrangement=point["arrangement"])
    ranks = int(point.get("pes", packages.count * dies.count * pes.count))
    if ranks < pes.count:
        pes = pes.cells(ranks)
    elif point["scale"] != "system":
        dies = dies.cells(ranks // pes.count)
    machine = Machine(package_rows=packages.rows, package_columns=packages.columns,
                      die_rows=dies.rows, die_columns=dies.columns).but(**different)  # fmt: skip
    collective, algorithm = point["collective"], point["algorithm"]
    chunk = usual_chunk(collective, algorithm, machine.slot_bytes)
    root_die = point.get("root_die", "centre")
    request = Request(collective, algorithm, point["bytes"] // ELEMENT, chunk, root_die=root_die)
    return Case(machine, request, Levels(packages, dies, pes))


# Random ones.

ALL_NAMES = tuple((algorithm, name) for algorithm, (does, _) in ALGORITHMS.items() for name in does)


@dataclass(frozen=True)
class Kind:
    """Of random cases: which collectives, of how large machines and messages."""

    names: Tuple[Tuple[str, str], ...] = ALL_NAMES
    packages: Tuple[Grid, ...] = (Grid(1, 1), Grid(1, 2), Grid(1, 3), Grid(2, 2), Grid(2, 3))
    dies: Tuple[Grid, ...] = (Grid(1, 1), Grid(1, 2), Grid(2, 2))
    pes: Tuple[Grid, ...] = (Grid(1, 1), Grid(1, 2), Grid(2, 2), Grid(2, 4))
    count: int = 1500
    least_slot: int = 4  # elements


ANY = Kind()
# 19.17: ranks send each other what they add to. Each message is the whole buffer: with short slots it has many pieces.
EXCHANGE = Kind((("recursive_doubling", "all_reduce"), ("hierarchical", "all_reduce")),
                (Grid(1, 1), Grid(1, 2), Grid(1, 3)), (Grid(1, 1), Grid(1, 2)), (Grid(1, 1), Grid(1, 2), Grid(2, 2)),
                count=300, least_slot=25)  # fmt: skip
# 19.18
COPY = Kind((("direct", "all_reduce"), ("direct", "all_to_all"), ("pairwise", "all_to_all")),
            (Grid(1, 1), Grid(1, 2)), (Grid(1, 1),), (Grid(1, 1), Grid(1, 2), Grid(2, 2)), least_slot=100)  # fmt: skip


def random_machine(dice: random.Random, kind: Kind) -> Machine:
    """Every key that messages depend on."""
    giga = 10**9
    packages, dies, pes = dice.choice(kind.packages), dice.choice(kind.dies), dice.choice(kind.pes)
    choices: Dict[str, Sequence[Value]] = {
        "arrangement": ("ring", "fully_connected", "switched") if packages.rows == 1 else ("mesh", "torus"),
        "tier": ("tcm", "tcm", "sram", "hbm"),
        "wait": ("sleep", "poll"),
        "consumer": ("vector_unit", "inline"),
        "slots": range(1, 6),
        "credit_bytes": (0, 16),
        "packet_bytes": (256, 512, 2048),
        "buffer": range(64, 4097),
        "virtual_channels": (1, 2, 2, 4),
        "crossing_buffer": range(64, 4097),
        "control_latency": range(0, 5001, 1000),
        "wake_latency": (0, 2000),
        "setup_latency": (0, 4000),
        "tcm_read_bandwidth": (512 * giga, 512 * giga, 24 * giga),
    }
    return Machine(
        package_rows=packages.rows, package_columns=packages.columns, die_rows=dies.rows, die_columns=dies.columns,
        rows=pes.rows, columns=pes.columns,
    ).but(**{key: dice.choice(values) for key, values in choices.items()})  # fmt: skip


def random_case(seed: int, kind: Kind = ANY, most_pieces: int = 1000) -> Case:
    dice = random.Random(seed)
    while True:
        machine = random_machine(dice, kind)
        if machine.levels.count == 1:
            continue
        case = _on(machine, dice, kind)
        if pieces_of(case) <= most_pieces:
            return case


def pieces_of(case: Case) -> int:
    sends = (step for threads in schedule(case.request, case.levels) for steps in threads for step in steps)
    return sum(ceil_div(step.length * ELEMENT, case.machine.slot_bytes) for step in sends if step.does == "send")


def _on(machine: Machine, dice: random.Random, kind: Kind) -> Case:
    algorithm, collective = dice.choice(kind.names)
    ranks, count = machine.levels.count, dice.randrange(kind.count)
    slot, chunk = dice.randrange(kind.least_slot, 600), dice.choice([0, 0, 33, 200])
    in_hbm = dice.random() < 0.33
    if in_hbm:
        count, slot, chunk = count + TILES // ELEMENT, max(slot, 64), chunk and chunk + 1000
    if collective == "all_to_all":
        count = up_to_multiple(count, ranks)
    root = dice.randrange(ranks) if collective in ROOTED else 0
    request = Request(collective, algorithm, count, chunk, root, dice.choice(["centre", "corner"]))
    case = Case(machine.but(slot_bytes=2 * slot), request, machine.levels)
    return tight(case) if in_hbm else case


def tight(case: Case) -> Case:
    """With a TCM that holds the slots, and the tiles that a machine has to have room for, but no buffer."""
    machine = case.machine.but(stream_depth=1)
    room = Collective(System(machine), case.request, case.levels).slots_room
    return replace(case, machine=machine.but(tcm_capacity=room + TILES))


def different(cases: Iterable[Case]) -> List[str]:
    """What the program says otherwise than the calculator."""
    with concurrent.futures.ProcessPoolExecutor(os.cpu_count()) as pool:
        return [said for said in pool.map(_different, cases) if said]


def _different(case: Case) -> str:
    try:
        of_simulator, of_calculator = of_program(case), calculated(case)
    except Exception as problem:  # told with its case
        return f"{case}: {problem}"
    return "" if of_simulator == of_calculator else f"{case}: {of_simulator}, calculated {of_calculator}"
