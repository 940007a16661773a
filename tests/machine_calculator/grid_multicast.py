"""SUMMA on a grid of PEs, by messages to several (30.18)."""

from collections import defaultdict
from typing import Dict, List, Tuple

from events import Event, Program
from grid_gemm import GridGemm
from pe import Pe
from pipeline import Pipeline
from queues import MessageQueue

OfOperands = Dict[Tuple[int, int], List[Event]]  # by operand and step or room


class GridMulticast(GridGemm):
    rooms_to_try = (3, 2)

    def _prepare(self) -> None:
        super()._prepare()
        steps = range(self._turns * self.pieces)
        self._depths = [self._piece(self.pieces, step % self._turns, step // self._turns) for step in steps]
        self._loaded: List[OfOperands] = [defaultdict(list) for _ in self._pes]
        self._sent: List[OfOperands] = [defaultdict(list) for _ in self._pes]

    def _has(self, step: int) -> bool:
        return step < len(self._depths) and self._depths[step][0] < self._depths[step][1]

    def _group(self, rank: int, operand: int) -> List[int]:
        """Of the PE's row, or column, who takes part: the sender, then the others."""
        row, column = divmod(rank, self._across)
        lines = (
            [row * self._across + other for other in range(self._across)],
            [other * self._across + column for other in range(self._down)],
        )
        line = [other for other in lines[operand] if self._results[other][0]]
        sender = line.pop((row, column + 1)[operand] % len(line))
        return [sender, *line]

    def _queue_of(self, rank: int, operand: int) -> MessageQueue:
        return self._queue(*self._group(rank, operand), channel=operand)

    def _sends(self, rank: int) -> List[int]:
        return [operand for operand in (0, 1) if self._group(rank, operand)[0] == rank]

    def program(self, rank: int, pe: Pe) -> Program:
        if not self._results[rank][0]:
            return
        pipeline, sent, ahead = Pipeline(pe), self._sent[rank], self.rooms - 1
        worked = [step for step in range(len(self._depths)) if self._has(step)]
        before: List[Event] = []
        for step in range(ahead):
            yield from self._load_for(rank, step)
        yield from self._bring(rank, 0)
        for step, depth in enumerate(self._depths):
            begun: List[Event] = []
            if self._has(step):
                yield from self._call(rank)
                begun = [pipeline.composite(self._sum_tiles(rank, depth, step != worked[0], step != worked[-1]))]
            room = (step + ahead) % self.rooms
            yield from self._wait_for_all(rank, [before, sent[0, room], sent[1, room]])
            yield from self._load_for(rank, step + ahead)
            yield from self._bring(rank, step + 1)
            before = begun
        of_rooms = [sent[operand, room] for operand in (0, 1) for room in range(self.rooms)]
        yield from self._wait_for_all(rank, [before, *of_rooms])

    def _load_for(self, rank: int, step: int) -> Program:
        for operand in self._sends(rank) if self._has(step) else ():
            yield from self._call(rank)
            parts, tiles = (self._a, self._b)[operand], self._tiles_of(rank, self._depths[step])[operand]
            self._loaded[rank][operand, step] = self._load_tiles(rank, parts, tiles)

    def _bring(self, rank: int, step: int) -> Program:
        if not self._has(step):
            return
        sends, tiles = self._sends(rank), self._tiles_of(rank, self._depths[step])
        for operand in sends:
            yield from self._wait(rank, *self._loaded[rank][operand, step])
            if len(self._group(rank, operand)) > 1:
                yield from self._call(rank)
                part = self._operand(operand, tiles[operand])
                left = self._queue_of(rank, operand).send(part.size, element=part.element)
                self._sent[rank][operand, step % self.rooms] = [left]
        for operand in (0, 1):
            if operand not in sends:
                yield from self._call(rank)
                yield from self._receive(self._operand(operand, tiles[operand]), self._queue_of(rank, operand), rank)
