"""Cannon's algorithm (30.17)."""

from dataclasses import dataclass
from typing import Dict, List, Tuple

from events import Event, Program
from grid_gemm import GridGemm
from matrices import Range, Tiles
from pe import Pe
from pipeline import Pipeline


@dataclass
class Step:
    """Of a PE: what it multiplies, and from whom its tiles of A and of B come (nobody: they are loaded)."""

    depth: Range
    needs: Tuple[Tiles, Tiles]
    come: Tuple[int, int]

    def has(self, operand: int) -> bool:
        return all(begin < end for begin, end in self.needs[operand])


NOBODY = -1


class GridShift(GridGemm):
    rooms_to_try = (2,)

    def _prepare(self) -> None:
        super()._prepare()
        self._steps = [self._steps_of(rank) for rank in range(len(self._pes))]

    # Who has what when.

    def _depth(self, rank: int, step: int) -> Tuple[int, int]:
        """Part and piece of K in a step."""
        row, column = divmod(rank, self._across)
        return (row + column + step) % self._turns, step // self._turns

    def _steps_of(self, rank: int) -> List[Step]:
        row, column = divmod(rank, self._across)
        givers = (
            row * self._across + (column + 1) % self._across,
            (row + 1) % self._down * self._across + column,
        )
        steps: List[Step] = []
        for step in range(self._turns * self.pieces):
            of_k = self._depth(rank, step)
            comes = [step > 0 and giver != rank and self._depth(giver, step - 1) == of_k for giver in givers]
            a, b = (giver if does else NOBODY for giver, does in zip(givers, comes))
            depth = self._piece(self.pieces, *of_k)
            steps.append(Step(depth, self._tiles_of(rank, depth), (a, b)))
        return steps

    def _taker(self, rank: int, step: int, operand: int) -> int:
        """Who gets what the PE multiplies in this step in the next one."""
        if step + 1 == len(self._steps[rank]):
            return NOBODY
        row, column = divmod(rank, self._across)
        taker = (
            row * self._across + (column - 1) % self._across,
            (row - 1) % self._down * self._across + column,
        )[operand]
        then = self._steps[taker][step + 1]
        return taker if then.has(operand) and then.come[operand] == rank else NOBODY

    # The program.

    def program(self, rank: int, pe: Pe) -> Program:
        (part,) = self._results[rank]
        pipeline, steps = Pipeline(pe), self._steps[rank]
        worked = [number for number, step in enumerate(steps) if step.depth[0] < step.depth[1]]
        before: List[List[Event]] = [[], [], []]  # of both sends and the composite
        yield from self._get(rank, 0)
        for number, step in enumerate(steps):
            begun: List[List[Event]] = [[], [], []]
            for operand in (0, 1):
                taker = self._taker(rank, number, operand)
                if taker != NOBODY:
                    yield from self._call(rank)
                    sent = self._operand(operand, step.needs[operand])
                    begun[operand] = [self._queue(rank, taker).send(sent.size, element=sent.element)]
            if part and number in worked:
                yield from self._call(rank)
                adds, keeps = number != worked[0], number != worked[-1]
                begun[2] = [pipeline.composite(self._sum_tiles(rank, step.depth, adds, keeps))]
            yield from self._wait_for_all(rank, before)
            if number + 1 < len(steps):
                yield from self._get(rank, number + 1)
            before = begun
        yield from self._wait_for_all(rank, before)

    def _get(self, rank: int, number: int) -> Program:
        """Loads what does not come, then takes both."""
        step = self._steps[rank][number]
        loaded: Dict[int, List[Event]] = {}
        for operand, parts in enumerate((self._a, self._b)):
            if step.has(operand) and step.come[operand] == NOBODY:
                yield from self._call(rank)
                loaded[operand] = self._load_tiles(rank, parts, step.needs[operand])
        for operand in (0, 1):
            if operand in loaded:
                yield from self._wait(rank, *loaded[operand])
            elif step.has(operand):
                yield from self._call(rank)
                comes = self._operand(operand, step.needs[operand])
                yield from self._receive(comes, self._queue(step.come[operand], rank), rank)
