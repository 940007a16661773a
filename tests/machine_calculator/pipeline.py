"""The PE pipeline (ADR-0005), of composites whose operands are streamed or lie in TCM and whose results go to HBM."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import List, Optional, Sequence, Tuple

from blocks import Block
from events import Event, Events, Program, start
from mac_array import use_of
from memory import Memory
from pe import Pe
from units import duration

Where = Tuple[Memory, Block]


@dataclass
class Tile:
    dtype: str  # of A
    streamed: Sequence[Where]  # A before B
    fetched_bytes: int
    output: Optional[Where]  # of the last tile of K
    valid: Tuple[int, int, int]  # elements: m, k, n
    converted: int  # elements of B (34.8)
    delivered: List[Event] = field(default_factory=list)
    written: Optional[Event] = None


class Pipeline:
    """Events by number of tile or output, through all composites."""

    def __init__(self, pe: Pe) -> None:
        calendar = pe.calendar
        self._pe, self._machine, self._calendar = pe, pe.machine, calendar
        self._tiles: List[Tile] = []
        self._outputs: List[Tile] = []
        self._ready_from: List[int] = []
        self._submitted = Event(calendar)
        self._dispatched, self._fetched, self._multiplied = Events(calendar), Events(calendar), Events(calendar)
        self._ready = Events(calendar)
        self._results, self._stored, self._slot_free = Events(calendar), Events(calendar), Events(calendar)
        self.macs = 0
        for unit in (self._scheduler(), self._fetch_unit(), self._converter(), self._array(), self._store_unit()):
            start(calendar, unit)

    def composite(self, tiles: Sequence[Tile]) -> Event:
        """5.10: when its last output has been acknowledged."""
        complete = Event(self._calendar)
        outputs = [tile for tile in tiles if tile.output]
        left = len(outputs)

        def acknowledged() -> None:
            nonlocal left
            left -= 1
            if left == 0:
                complete.fire()

        for tile in outputs:
            tile.written = Event(self._calendar)
            tile.written.then(acknowledged)
        self._tiles += tiles
        submitted, self._submitted = self._submitted, Event(self._calendar)
        submitted.fire()
        return complete

    def _work(self, component: str, time: int) -> Program:
        begin = self._calendar.now
        yield begin + time
        self._pe.record(component, begin, begin + time)

    def _scheduler(self) -> Program:
        """5.3."""
        number = 0
        while True:
            while len(self._tiles) <= number:
                yield self._submitted
            if number >= self._machine.stream_depth:
                yield self._fetched[number - self._machine.stream_depth]
            yield from self._work("scheduler", self._machine.scheduler_latency)
            tile = self._tiles[number]
            tile.delivered = [self._pe.read(memory, [block]) for memory, block in tile.streamed]
            self._dispatched[number].fire()
            number += 1

    def _fetch_unit(self) -> Program:
        """5.4; delivered in the order of the tiles (28.17)."""
        number = 0
        while True:
            yield self._dispatched[number]
            for delivered in self._tiles[number].delivered:
                yield delivered
            if number >= self._machine.operand_registers:
                yield self._multiplied[number - self._machine.operand_registers]
            fetched = self._tiles[number].fetched_bytes
            yield from self._work("fetch", duration(fetched, self._machine.fetch_bandwidth))
            if not self._tiles[number].converted:  # 34.9: of one GEMM all tiles are, or none
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
        machine, number, begins_output, weights_free = self._machine, 0, True, 0
        while True:
            yield self._ready[number]
            tile, ready = self._tiles[number], self._ready_from[number]
            use = use_of(machine, tile.valid, tile.output is not None, tile.dtype)
            output = len(self._outputs)
            if begins_output and output >= machine.accumulators:
                yield self._stored[output - machine.accumulators]
            loaded = max(ready, weights_free) + duration(use.load, machine.clock)
            waits = max(loaded - self._calendar.now, 0)
            yield from self._work("mac", waits + duration(use.multiply, machine.clock))
            weights_free = self._calendar.now - duration(use.hides, machine.clock)
            self._multiplied[number].fire()
            begins_output = self._tiles[number].output is not None
            if begins_output:
                self._outputs.append(self._tiles[number])
                filled = self._calendar.now + duration(use.drain + machine.fill_cycles, machine.clock)
                self._calendar.at(filled, self._results[output].fire)
            number += 1

    def _store_unit(self) -> Program:
        """5.8, 5.9."""
        number = 0
        while True:
            yield self._results[number]
            if number >= self._machine.output_depth:
                yield self._slot_free[number - self._machine.output_depth]
            tile = self._outputs[number]
            assert tile.output and tile.written
            memory, block = tile.output
            yield from self._work("store", duration(block.bytes, self._machine.store_bandwidth))
            self._stored[number].fire()
            left, acknowledged = self._pe.write(memory, [block])
            left.then(self._slot_free[number].fire)
            acknowledged.then(tile.written.fire)
            number += 1
