"""A GEMM on one PE, by a staging variant (14.3) or a mapping (32.1), and what is reported of it (ADR-0008)."""

from dataclasses import dataclass
from typing import Dict, Iterable, List, Tuple

from events import Event, Program, start
from formats import FORMATS
from gemm import RESULTS, Problem
from machine import Machine
from mapping import STREAMS, Load, Mapping, Step, calls_of, loads_of, steps_of
from matrices import MatrixPart, Tiled
from pe import Record
from pipeline import Output, Pipeline, Tile
from register_blocks import Place as TilePlace, in_order
from system import System
from units import up_to_multiple

Place = Tuple[int, int]  # of a tile


def mapping_of(machine: Machine, problem: Problem) -> Mapping:
    """32.10: a variant is one of one step."""
    if problem.variant not in STREAMS:
        return Mapping.read(problem.variant)
    tile = machine.tile_m, machine.tile_k, machine.tile_n
    return Mapping(tile, (problem.m, problem.k, problem.n), streams=STREAMS[problem.variant])


class MappedGemm:
    def __init__(self, system: System, problem: Problem, mapping: Mapping) -> None:
        self._system, self._problem, self._mapping = system, problem, mapping
        self._pe, self._partition = system.pes[0], system.partitions[0]
        self._pipeline = Pipeline(self._pe)
        self._kept: Dict[Place, Output] = {}  # 32.6, by the tile of C
        tile_m, tile_k, tile_n = mapping.tile
        m, k, n = problem.m, problem.k, problem.n
        format_c = FORMATS[RESULTS.get(problem.dtype, problem.dtype)]
        self._a = self._place(Tiled(m, k, tile_m, tile_k, FORMATS[problem.dtype]), problem.layout)
        self._b = self._place(Tiled(k, n, tile_k, tile_n, FORMATS[problem.stored_b]), problem.layout)
        self._c = self._place(Tiled(m, n, tile_m, tile_n, format_c), problem.layout)
        self._shape_sums = Tiled(m, n, tile_m, tile_n, FORMATS[mapping.sums])
        if mapping.sums_in_hbm:
            self._sums = self._place(self._shape_sums, "blocked")
        self._steps = steps_of(mapping, (m, k, n))
        self._loads = loads_of(mapping, self._steps)

    def _place(self, shape: Tiled, layout: str) -> MatrixPart:
        """6.3, 32.19."""
        machine = self._system.machine
        part = MatrixPart(shape, ((0, len(shape.heights)), (0, len(shape.widths))), layout, machine.burst)
        alignment = machine.alignment
        part.base = self._system.take(0, up_to_multiple(part.size, alignment), alignment)
        return part

    def start(self) -> None:
        start(self._system.calendar, self._program())

    def _program(self) -> Program:
        loaded: List[Event] = []
        composites: List[Event] = []
        for call in calls_of(self._mapping, self._steps, self._loads):
            yield from self._pe.call(0)
            if call.does == "load":
                loaded.append(self._load(self._loads[call.which]))
            elif call.does == "composite":
                composites.append(self._pipeline.composite(self._tiles(self._steps[call.which])))
            elif call.does != "ref":
                yield (loaded if call.does == "wait for a load" else composites)[call.which]

    def _load(self, load: Load) -> Event:
        """32.3."""
        part = {"a": self._a, "b": self._b}[load.of] if load.of != "sums" else self._sums
        rows, columns = load.tiles
        blocks = [part[i, j] for i in range(*rows) for j in range(*columns)]
        return self._pe.read(self._partition, part.loaded() if load.tiles == (part.rows, part.columns) else blocks)

    def _tiles(self, step: Step) -> List[Tile]:
        return [self._tile(step, place) for place in in_order(self._system.machine, step.m, step.n, step.k)]

    def _tile(self, step: Step, place: TilePlace) -> Tile:
        i, j, k = place.tile
        a, b, sums = self._a[i, k], self._b[k, j], self._shape_sums
        valid_m, valid_n = sums.heights[i], sums.widths[j]
        valid_k = min(self._mapping.tile[1], self._problem.k - k * self._mapping.tile[1])
        stays_a = place.has_a and "a" not in self._mapping.streams
        stays_b = place.has_b and "b" not in self._mapping.streams and not self._problem.converts
        made = Tile(
            self._problem.dtype,
            [(self._partition, block) for of, block in (("a", a), ("b", b)) if of in self._mapping.streams],
            a.bytes * (not stays_a) + b.bytes * (not stays_b),
            place.first,
            self._output(step, (i, j)) if place.last else None,
            (valid_m, valid_k, valid_n),
            valid_k * valid_n * self._problem.converts,
        )
        if place.last and self._fetches_sums(step):
            made.fetched_bytes += valid_m * valid_n * sums.format.bytes
        if place.last and step.adds:  # 32.6, 32.19(c)
            made.adds_to = self._kept.get((i, j))
        if place.last and step.keeps and not self._mapping.sums_in_hbm:
            assert made.output
            self._kept[i, j] = made.output
        return made

    def _fetches_sums(self, step: Step) -> bool:
        """32.6: else they are added by store."""
        by_store = self._system.machine.accumulate_bandwidth and not self._mapping.sums_in_hbm
        return step.adds and not (by_store and step.keeps)

    def _output(self, step: Step, tile: Place) -> Output:
        sums, (i, j) = self._shape_sums, tile
        elements = sums.heights[i] * sums.widths[j]
        added = elements * self._fetches_sums(step)
        if step.keeps and not self._mapping.sums_in_hbm:
            return Output(elements * sums.format.bytes, None, added, step.adds and not added)
        part = self._sums if step.keeps else self._c
        return Output(part[tile].bytes, (self._partition, part[tile]), added)


@dataclass(frozen=True)
class Stage:
    records: int
    wall: int  # 8.2
    busy: int  # 8.3
    bytes: int
    macs: int


@dataclass(frozen=True)
class Report:
    """8.4, 8.5; times in picoseconds."""

    pe: int
    composite: int
    tiles: int
    read: int
    written: int
    stages: Dict[str, Stage]


def union(records: Iterable[Record]) -> int:
    length = covered = 0
    for record in sorted(records, key=lambda record: record.begin):
        length += max(record.end - max(record.begin, covered), 0)
        covered = max(covered, record.end)
    return length


def window(records: List[Record]) -> int:
    return max(record.end for record in records) - min(record.begin for record in records)


def report(records: List[Record]) -> Report:
    by_stage: Dict[str, List[Record]] = {}
    for record in records:
        by_stage.setdefault(record.stage, []).append(record)
    stages = {
        stage: Stage(
            len(of_stage),
            union(of_stage),
            sum(record.end - record.begin for record in of_stage),
            sum(record.bytes for record in of_stage),
            sum(record.macs for record in of_stage),
        )
        for stage, of_stage in by_stage.items()
    }
    of_composites = [record for record in records if record.stage not in ("control", "load", "store_out")]
    read = sum(stages[stage].bytes for stage in ("load", "dma_in") if stage in stages)
    tiles = stages["schedule"].records
    return Report(window(records), window(of_composites), tiles, read, stages["dma_out"].bytes, stages)


def run(machine: Machine, problem: Problem) -> List[Record]:
    """28.3: a PE with its partition, as a machine of one PE has them; 64.7: with a whole machine."""
    mapping = mapping_of(machine, problem)
    tile_m, tile_k, tile_n = mapping.tile  # 32.1
    alone = machine.but(tile_m=tile_m, tile_k=tile_k, tile_n=tile_n)
    if not machine.controller_routers:
        alone = alone.but(rows=1, columns=1, die_rows=1, die_columns=1)
    system = System(alone)
    MappedGemm(system, problem, mapping).start()
    system.calendar.run()
    return system.pes[0].records
