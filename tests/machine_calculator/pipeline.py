"""The PE pipeline (ADR-0005), of composites whose operands are streamed or lie in TCM, whose results leave or stay."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from math import prod
from typing import List, Optional, Sequence, Tuple

from blocks import Block
from events import Event, Events, Last, Program, start
from mac_array import use_of
from memory import Store
from pe import Pe, Record
from units import duration

Where = Tuple[Store, Block]


@dataclass
class Output:
    """A tile of C, or of sums that a step leaves (32.6)."""

    bytes: int
    where: Optional[Where]  # nothing: it stays in TCM (28.18)
    added: int = 0  # elements to which the vector unit adds what a step before has left
    adds: bool = False  # store adds it to that
    stored: Optional[Event] = None  # of the composite, once that has been submitted
    complete: Optional[Event] = None


@dataclass
class Tile:
    dtype: str  # of A
    streamed: Sequence[Where]  # A before B
    fetched_bytes: int
    first: bool  # of K
    output: Optional[Output]  # of the last tile of K
    valid: Tuple[int, int, int]  # elements: m, k, n
    converted: int  # elements of B (34.8)
    adds_to: Optional[Output] = None  # in TCM, fetched with it (32.6)
    delivered: List[Event] = field(default_factory=list)


class Pipeline:
    """Events by number of tile or output, through all composites."""

    def __init__(self, pe: Pe) -> None:
        calendar = pe.calendar
        self._pe, self._machine, self._calendar = pe, pe.machine, calendar
        self._tiles: List[Tile] = []
        self._outputs: List[Output] = []
        self._ready_from: List[int] = []
        self._submitted = Event(calendar)
        self._dispatched, self._fetched, self._multiplied = Events(calendar), Events(calendar), Events(calendar)
        self._ready = Events(calendar)
        self._results, self._added, self._slot_free = Events(calendar), Events(calendar), Events(calendar)
        for unit in (self._scheduler, self._fetch_unit, self._converter, self._array, self._adder, self._store_unit):
            start(calendar, unit())

    def composite(self, tiles: Sequence[Tile]) -> Event:
        """5.10: when its last output has been acknowledged, or stored where it stays."""
        outputs = [tile.output for tile in tiles if tile.output]
        complete = Last(self._calendar, len(outputs))
        for output in outputs:
            output.stored, output.complete = Event(self._calendar), Event(self._calendar)
            output.complete.then(complete.fire)
        self._tiles += tiles
        submitted, self._submitted = self._submitted, Event(self._calendar)
        submitted.fire()
        return complete

    def _work(self, unit: str, time: int, size: int = 0, macs: int = 0, stage: str = "") -> Program:
        begin = self._calendar.now
        yield begin + time
        self._pe.records.append(Record(unit, stage or unit, begin, begin + time, size, macs))

    def _scheduler(self) -> Program:
        """5.3."""
        number = 0
        while True:
            while len(self._tiles) <= number:
                yield self._submitted
            if number >= self._machine.stream_depth:
                yield self._fetched[number - self._machine.stream_depth]
            yield from self._work("scheduler", self._machine.scheduler_latency, stage="schedule")
            tile = self._tiles[number]
            tile.delivered = [self._pe.read(memory, [block], stage="dma_in") for memory, block in tile.streamed]
            self._dispatched[number].fire()
            number += 1

    def _fetch_unit(self) -> Program:
        """5.4; delivered in the order of the tiles (28.17)."""
        number = 0
        while True:
            yield self._dispatched[number]
            tile = self._tiles[number]
            for delivered in tile.delivered:
                yield delivered
            if tile.adds_to and tile.adds_to.stored:
                yield tile.adds_to.stored
            if number >= self._machine.operand_registers:
                yield self._multiplied[number - self._machine.operand_registers]
            fetched = tile.fetched_bytes
            yield from self._work("fetch", duration(fetched, self._machine.fetch_bandwidth), fetched)
            if not tile.converted:  # 34.9: of one GEMM all tiles are, or none
                self._get_ready(number)
            self._fetched[number].fire()
            number += 1

    def _get_ready(self, number: int) -> None:
        self._ready_from.append(self._calendar.now)
        self._ready[number].fire()

    def _converter(self) -> Program:
        """34.9."""
        latency, number = duration(self._machine.vector_latency_cycles, self._machine.clock), 0
        while True:
            yield self._fetched[number]
            if self._tiles[number].converted:
                yield self._pe.convert(self._tiles[number].converted)
                self._calendar.at(self._calendar.now + latency, partial(self._get_ready, number))
            number += 1

    def _array(self) -> Program:
        """5.5, 5.6, 31.2."""
        machine, number, begun, weights_free = self._machine, 0, 0, 0
        padded = machine.tile_m, machine.tile_k, machine.tile_n
        while True:
            yield self._ready[number]
            tile, ready = self._tiles[number], self._ready_from[number]
            use = use_of(machine, tile.valid, tile.output is not None, tile.dtype)
            if tile.first:
                if begun >= machine.accumulators:
                    stored = self._outputs[begun - machine.accumulators].stored
                    assert stored
                    yield stored
                begun += 1
            loaded = max(ready, weights_free) + duration(use.load, machine.clock)
            waits = max(loaded - self._calendar.now, 0)
            macs = prod(tile.valid if machine.array_rows else padded)  # 31.8
            yield from self._work("mac", waits + duration(use.multiply, machine.clock), macs=macs)
            weights_free = self._calendar.now - duration(use.hides, machine.clock)
            self._multiplied[number].fire()
            if tile.output:
                output = len(self._outputs)
                self._outputs.append(tile.output)
                filled = self._calendar.now + duration(use.drain + machine.fill_cycles, machine.clock)
                self._calendar.at(filled, self._results[output].fire)
            number += 1

    def _adder(self) -> Program:
        """5.7."""
        latency, number = duration(self._machine.vector_latency_cycles, self._machine.clock), 0
        while True:
            yield self._results[number]
            added = self._outputs[number].added
            if added:
                yield self._pe.add(added)
            self._calendar.at(self._calendar.now + (latency if added else 0), self._added[number].fire)
            number += 1

    def _store_unit(self) -> Program:
        """5.8, 5.9, 28.18."""
        number = leaving = 0
        while True:
            yield self._added[number]
            output = self._outputs[number]
            assert output.stored and output.complete
            if output.where and leaving >= self._machine.output_depth:
                yield self._slot_free[leaving - self._machine.output_depth]
            rate = self._machine.accumulate_bandwidth if output.adds else self._machine.store_bandwidth
            stored_in = duration(output.bytes, rate)
            yield from self._work("store", stored_in, output.bytes)
            output.stored.fire()
            if output.where:
                memory, block = output.where
                left, acknowledged = self._pe.write(memory, [block], stage="dma_out")
                left.then(self._slot_free[leaving].fire)
                acknowledged.then(output.complete.fire)
                leaving += 1
            else:
                output.complete.fire()
            number += 1
