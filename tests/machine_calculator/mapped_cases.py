"""GEMMs on one PE: as committed, and random ones on machines that nobody chose, every value of a PE drawn."""

import concurrent.futures
import json
import os
import random
import shlex
from dataclasses import dataclass, replace
from math import prod
from pathlib import Path
from typing import Any, Callable, Dict, Iterable, List, Tuple

import mapped
import program
from formats import FORMATS, of_fewer_bytes
from gemm import Problem
from machine import Machine, Value
from mapped import Report
from mapping import STREAMS, Mapping

RESULTS = Path(__file__).parents[2] / "benches" / "milestone_1h_gemm" / "results" / "results.json"
RATES = ("0.0625", "0.25", "0.333333", "0.5", "1", "1.5", "2", "4", "7.3")
ORDERS = ("mnk", "mkn", "nmk", "nkm", "kmn", "knm")


@dataclass(frozen=True)
class Case:
    """One problem in every one of these variants (or mappings) and layouts: the program is started once."""

    machine: Machine
    problem: Problem
    variants: Tuple[str, ...] = tuple(STREAMS)
    layouts: Tuple[str, ...] = ("blocked", "row_major")

    def problems(self) -> List[Problem]:
        return [
            replace(self.problem, variant=variant, layout=layout)
            for variant in self.variants
            for layout in self.layouts
        ]

    def __str__(self) -> str:
        """The command that shows it again."""
        return shlex.join(["kernbench", *program.arguments_of_one(self.machine, self.problems())])


def calculated(machine: Machine, problem: Problem) -> Report:
    return mapped.report(mapped.run(machine, problem))


Squeeze = Callable[["Draw", Case], Case]


def asked(gemms: int) -> Tuple[str, int]:
    """A seed, and how many: as of rapidcheck's properties RC_PARAMS says others."""
    told = dict(pair.split("=") for pair in os.environ.get("RC_PARAMS", "").split())
    return told.get("seed", "0"), int(told.get("max_success", gemms))


class Draw:
    """Values as a machine file has them; with round numbers many things happen at one instant."""

    def __init__(self, seed: str) -> None:
        self.dice = random.Random(seed)
        self._round = self.dice.random() < 0.5

    def number(self, least: int, most: int) -> int:
        return self.dice.randint(least, most)

    def time(self, least: int, most: int) -> int:
        """Of nanoseconds."""
        return 1000 * self.number(least, most) if self._round else self.number(max(1, 1000 * least), 1000 * most)

    def bandwidth(self) -> int:
        return 10**9 << self.number(5, 9) if self._round else self.megabytes(20, 600)

    def megabytes(self, least: int, most: int) -> int:
        """A second, between so many gigabytes."""
        return self.number(1000 * least, 1000 * most) * 10**6

    def clock(self) -> int:
        return 10**9 if self._round else self.number(500, 3000) * 10**6

    def array(self) -> Dict[str, Value]:
        """With a shape."""
        dataflow = self.dice.choice(["dot_product", "output_stationary", "weight_stationary"])
        buffers = self.number(1, 2) if dataflow == "weight_stationary" else 1
        rows, columns = self.number(1, 40), self.number(1, 40)
        return {"macs_per_cycle": 0, "dataflow": dataflow, "weight_buffers": buffers, "array_rows": rows,
                "array_columns": columns, "array_depth": self.dice.choice([1, self.number(1, 16)])}  # fmt: skip

    def memory(self) -> Dict[str, Value]:
        burst, batch, credits = 1 << self.number(5, 9), self.number(1, 8), self.number(1, 80)
        packet = burst * self.number(1, min(credits, 16))
        roomy = self.dice.random() < 0.5  # 28.3: wires of its own, or a network
        return {
            "burst": burst,
            "packet_bytes": packet,
            "outstanding_bursts": credits,
            "buffer": 1 << 20 if roomy else self.number(packet, 4 * packet),
            "hbm_port_buffer": 1 << 20 if roomy else self.number(packet, 4 * packet),
            "virtual_channels": self.number(1, 4),
            "hbm_bandwidth": self.bandwidth(),
            "pseudo_channels": 1 << self.number(0, 4),
            "read_latency": self.time(1, 60),
            "turnaround": self.dice.choice([0, self.time(1, 20)]),
            "write_batch": batch,
            "write_queue": batch + self.dice.choice([*range(7), 65528]),
        }

    def machine(self) -> Machine:
        array: Dict[str, Value] = {"macs_per_cycle": 1 << self.number(8, 13)}
        if self.number(0, 2) == 0:
            array = self.array()
        return Machine(
            rows=1,
            columns=1,
            hop=self.time(1, 5),
            link_bandwidth=self.bandwidth(),
            wire_delay=self.number(0, 300),
            pe_to_router=self.number(0, 4000),
            hbm_to_router=self.number(0, 4000),
            clock=self.clock(),
            control_latency=self.time(0, 5),
            scheduler_latency=self.time(0, 5),
            tcm_capacity=1 << 30,
            tcm_read_bandwidth=self.bandwidth(),
            tcm_write_bandwidth=self.bandwidth(),
            setup_latency=self.time(0, 10),
            stream_depth=self.number(1, 8),
            output_depth=self.number(1, 4),
            fetch_bandwidth=self.bandwidth(),
            store_bandwidth=self.bandwidth(),
            fill_cycles=self.number(0, 20),
            operand_registers=self.number(1, 4),
            accumulators=self.number(1, 4),
            tile_m=self.number(1, 40),
            tile_k=self.number(1, 72),
            tile_n=self.number(1, 40),
        ).but(**self.memory(), **array)

    def case(self, tiles: int) -> Case:
        """Of at most so many tiles along each dimension."""
        machine = self.machine()
        sizes = (self.number(1, tiles * tile) for tile in (machine.tile_m, machine.tile_k, machine.tile_n))
        return Case(machine, Problem(*sizes, "", ()))


# What a kind of cases has of its own. It holds tiles back where its clause says so.


def as_drawn(_: Draw, case: Case) -> Case:
    return case


def few_stream_slots(draw: Draw, case: Case) -> Case:
    return replace(case, machine=case.machine.but(stream_depth=draw.number(1, 2),
                                                  scheduler_latency=1000 * draw.number(1, 40)))  # fmt: skip


def slow_fetch(draw: Draw, case: Case) -> Case:
    return replace(case, machine=case.machine.but(fetch_bandwidth=draw.megabytes(5, 80),
                                                  operand_registers=draw.number(1, 2)))  # fmt: skip


def slow_array(draw: Draw, case: Case) -> Case:
    machine = case.machine.but(accumulators=draw.number(1, 2), store_bandwidth=draw.megabytes(2, 80))
    return replace(case, machine=machine if machine.array_rows else machine.but(macs_per_cycle=draw.number(1, 600)))


def slow_store(draw: Draw, case: Case) -> Case:
    machine = case.machine.but(store_bandwidth=draw.megabytes(2, 20), tcm_read_bandwidth=draw.megabytes(1, 20),
                               output_depth=draw.number(1, 2))  # fmt: skip
    return replace(case, machine=machine)


def reads_and_writes_meet(draw: Draw, case: Case) -> Case:
    machine = case.machine.but(hbm_bandwidth=draw.megabytes(10, 100), tile_k=draw.number(1, 8))
    return Case(machine, replace(case.problem, k=draw.number(1, 16)), ("ref_ref", "load_ref"))


def any_array(dataflow: str, weight_buffers: int) -> Squeeze:
    """Half of them have tiles of several folds of a few rows of A: what these cannot hide shows."""

    def squeeze(draw: Draw, case: Case) -> Case:
        machine, problem = case.machine, case.problem
        shape = {**draw.array(), "dataflow": dataflow, "weight_buffers": weight_buffers}
        if draw.dice.random() < 0.5:
            shape["array_columns"] = draw.number(1, machine.tile_n)
            problem = replace(problem, m=draw.number(1, 6), k=draw.number(1, 12))
        return replace(case, machine=machine.but(**shape), problem=problem)

    return squeeze


def any_dtype(draw: Draw, case: Case) -> Case:
    dtype = draw.dice.choice(sorted(set(FORMATS) - {"int32"}))
    if dtype != "bf16":
        case = replace(case, machine=case.machine.but(**{"rate_" + dtype: draw.dice.choice(RATES)}))
    return replace(case, problem=replace(case.problem, dtype=dtype))


def converted(draw: Draw, case: Case) -> Case:
    case = any_dtype(draw, case)
    dtype = case.problem.dtype if of_fewer_bytes(case.problem.dtype) else "bf16"
    machine = case.machine.but(lanes=1 << draw.number(2, 8), vector_latency_cycles=draw.number(0, 8),
                               convert_rate=draw.dice.choice(["0.1", "0.333333", "1", "4"]))  # fmt: skip
    return Case(machine, replace(case.problem, dtype=dtype, dtype_b=draw.dice.choice(of_fewer_bytes(dtype))))


def any_mapping(sums_in_hbm: bool) -> Squeeze:
    """Three of one problem. Both operands in blocks, of a tile that may be smaller than the machine's (32.1).

    Half of them have a fast memory, so that steps wait for the sums of others.
    """

    def squeeze(draw: Draw, case: Case) -> Case:
        if draw.number(0, 2) == 0:
            case = draw.dice.choice([any_dtype, converted])(draw, case)
        machine = case.machine
        tile = machine.tile_m, machine.tile_k, machine.tile_n
        if draw.number(0, 2) == 0:
            tile = draw.number(1, tile[0]), draw.number(1, tile[1]), draw.number(1, tile[2])
        problem = replace(case.problem, m=min(case.problem.m, 6 * tile[0]), k=draw.number(1, 6 * tile[1]),
                          n=min(case.problem.n, 6 * tile[2]))  # fmt: skip
        sums = {"int8": ["int32"], "fp16": ["fp32", "bf16", "fp16"]}.get(problem.dtype, ["fp32", "bf16"])

        def mapping() -> str:
            block = (
                min(problem.m, draw.number(1, 3) * tile[0]),
                min(problem.k, draw.number(1, 2) * tile[1]),
                min(problem.n, draw.number(1, 3) * tile[2]),
            )
            order, buffers = draw.dice.choice(ORDERS), draw.number(1, 4)
            return str(Mapping(tile, block, order, buffers, "", draw.dice.choice(sums), sums_in_hbm))

        machine = machine.but(lanes=1 << draw.number(2, 8), vector_latency_cycles=draw.number(0, 8))
        if draw.dice.random() < 0.5:
            fast = 10**12 << draw.number(1, 3)
            machine = machine.but(hbm_bandwidth=fast, link_bandwidth=fast, tcm_write_bandwidth=fast,
                                  outstanding_bursts=draw.number(80, 400), read_latency=draw.time(1, 5))  # fmt: skip
        return Case(machine, problem, (mapping(), mapping(), mapping()))

    return squeeze


def register_blocks(draw: Draw, case: Case) -> Case:
    """6.15: half of them in blocks whose sums are kept; what fetch does is most of the time."""
    case = replace(case, machine=case.machine.but(macs_per_cycle=1 << draw.number(8, 13), dataflow="dot_product",
                   array_rows=0, array_columns=0, array_depth=1, weight_buffers=1))  # fmt: skip
    if draw.dice.random() < 0.5:
        case = any_mapping(sums_in_hbm=draw.dice.random() < 0.2)(draw, case)
    accumulators = draw.number(2, 12)
    rows = draw.number(1, accumulators)
    machine = case.machine.but(accumulators=accumulators, register_rows=rows, fetch_bandwidth=draw.megabytes(5, 200),
                               register_columns=draw.number(1, accumulators // rows),
                               accumulate_bandwidth=draw.dice.choice([0, draw.megabytes(5, 200)]))  # fmt: skip
    return replace(case, machine=machine)


# Of each kind what it does, and how many tiles there are at most along each dimension.
KINDS: Dict[str, Tuple[Squeeze, int]] = {
    "any": (as_drawn, 4),
    "large": (as_drawn, 10),
    "few stream slots": (few_stream_slots, 4),
    "slow fetch": (slow_fetch, 4),
    "slow array": (slow_array, 4),
    "slow store": (slow_store, 4),
    "reads and writes meet": (reads_and_writes_meet, 4),
    "dot products": (any_array("dot_product", 1), 4),
    "results rest": (any_array("output_stationary", 1), 4),
    "weights rest": (any_array("weight_stationary", 1), 4),
    "two sets of weights": (any_array("weight_stationary", 2), 4),
    "any dtype": (any_dtype, 4),
    "B of fewer bytes": (converted, 4),
    "sums in TCM": (any_mapping(sums_in_hbm=False), 6),
    "sums in HBM": (any_mapping(sums_in_hbm=True), 5),
    "register blocks": (register_blocks, 6),
}


def random_cases(kind: str, gemms: int, begin: int = 0) -> List[Case]:
    """The same ones every time, numbered from `begin` on, with so many GEMMs."""
    squeeze, tiles = KINDS[kind]
    seed, left = asked(gemms)
    found: List[Case] = []
    while left > 0:
        draw = Draw(f"{seed} {kind} {begin + len(found)}")
        found.append(squeeze(draw, draw.case(tiles)))
        left -= len(found[-1].problems())
    return found


def different(cases: Iterable[Case], workers: int = 1) -> List[str]:
    """What the program says otherwise than the calculator."""
    if workers == 1:
        return [said for said in map(_different, cases) if said]
    with concurrent.futures.ProcessPoolExecutor(workers) as pool:
        return [said for said in pool.map(_different, cases) if said]


def different_records(cases: Iterable[Case]) -> List[str]:
    """Likewise, from when to when each unit worked, in the last GEMM of each case."""
    found: List[str] = []
    for case in cases:
        problem = case.problems()[-1]
        worked = sorted((each.unit, each.begin, each.end) for each in mapped.run(case.machine, problem))
        if program.records_of_one(case.machine, problem) != [each for each in worked if each[1] < each[2]]:
            found.append(str(replace(case, variants=(problem.variant,), layouts=(problem.layout,))))
    return found


def _different(case: Case) -> str:
    try:
        of_simulator = program.one_pe(case.machine, case.problems())
        of_calculator = [calculated(case.machine, problem) for problem in case.problems()]
    except Exception as problem:  # told with its case
        return f"{case}: {problem}"
    return "" if of_simulator == of_calculator else f"{case}: {of_simulator}, calculated {of_calculator}"


# What is committed.


def committed(least: int, most: int) -> List[Dict[str, Any]]:
    """Rows of so many MACs."""
    rows = json.loads(RESULTS.read_text())["rows"]
    return [row for row in rows if least <= prod(row["point"][size] for size in "mkn") <= most]


def different_committed(rows: List[Dict[str, Any]]) -> List[str]:
    """What is committed, or what the program says now, otherwise than the calculator."""
    found: List[str] = []
    for row in rows:
        point, machine = row["point"], Machine()
        # 32.11: `blocked` is the mapping that the row names.
        variant = row["metrics"]["mapping"] if point["variant"] == "blocked" else point["variant"]
        problem = Problem(point["m"], point["k"], point["n"], variant, ())
        said = program.report_of(row), *program.one_pe(machine, [problem])
        expected = calculated(machine, problem)
        if said != (expected, expected):
            found.append(f"{point}: committed and simulated {said}, calculated {expected}")
    return found
