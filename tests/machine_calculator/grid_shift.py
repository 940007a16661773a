"""Cannon's algorithm (30.17)."""

from dataclasses import dataclass
from typing import List, Tuple

from events import Event, Program
from grid_gemm import Choices, GridGemm, counts
from matrices import Range, Tiles
from pe import Pe
from pipeline import Pipeline


@dataclass
class Step:
    """Of a PE: what of C and of K it multiplies, and from whom its tiles of A and of B come (nobody: they are loaded)."""

    of_c: Tiles
    depth: Range
    needs: Tuple[Tiles, Tiles]
    come: Tuple[int, int]

    def has(self, operand: int) -> bool:
        return all(begin < end for begin, end in self.needs[operand])


NOBODY = -1


class GridShift(GridGemm):
    def _prepare(self) -> None:
        super()._prepare()
        self._steps = [self._steps_of(rank) for rank in range(len(self._pes))]

    @property
    def turns(self) -> int:
        return max(self._down, self._across)

    def choices(self) -> Choices:
        return [(of_c, 2, of_k) for of_c in counts(self.most_passes) for of_k in counts(self.most_pieces)]

    # Who has what when.

    def _what(self, rank: int, step: int) -> Tuple[int, int, int]:
        """Part of C, part and piece of K in a step."""
        row, column = divmod(rank, self._across)
        of_c, number = divmod(step, self.turns * self.pieces)
        return of_c, (row + column + number) % self.turns, number // self.turns

    def _steps_of(self, rank: int) -> List[Step]:
        row, column = divmod(rank, self._across)
        givers = (
            row * self._across + (column + 1) % self._across,
            (row + 1) % self._down * self._across + column,
        )
        steps: List[Step] = []
        for step in range(self.passes * self.turns * self.pieces):
            what = self._what(rank, step)
            comes = [step > 0 and giver != rank and self._what(giver, step - 1) == what for giver in givers]
            a, b = (giver if does else NOBODY for giver, does in zip(givers, comes))
            of_c, depth = self._c_tiles(rank, self.passes, what[0]), self._piece(self.pieces, *what[1:])
            steps.append(Step(of_c, depth, self._tiles_of(of_c, depth), (a, b)))
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
        pipeline, steps = Pipeline(pe), self._steps[rank]
        of_pass = len(steps) // self.passes
        worked = [number for number, step in enumerate(steps[:of_pass]) if step.depth[0] < step.depth[1]]
        before: List[List[Event]] = [[], [], []]  # of both sends and the composite
        yield from self._get(rank, 0)
        for number, step in enumerate(steps):
            begun: List[List[Event]] = [[], [], []]
            for operand in (0, 1):
                taker = self._taker(rank, number, operand)
                if taker != NOBODY:
                    yield from self._call(rank)
                    sent = self._operand(operand, step.needs[operand])
                    begun[operand] = [self._queue(rank, taker).send(sent.size, layout=sent.format)]
            if step.has(0) and step.has(1):
                yield from self._call(rank)
                adds, keeps = number % of_pass != worked[0], number % of_pass != worked[-1]
                begun[2] = [pipeline.composite(self._sum_tiles(rank, step.of_c, step.depth, adds, keeps))]
            yield from self._wait_for_all(rank, before)
            if number + 1 < len(steps):
                yield from self._get(rank, number + 1)
            before = begun
        yield from self._wait_for_all(rank, before)

    def _get(self, rank: int, number: int) -> Program:
        """Begins to load or to receive both, then waits for them."""
        step = self._steps[rank][number]
        begun: List[List[Event]] = []
        for operand, parts in enumerate((self._a, self._b)):
            if step.has(operand):
                yield from self._call(rank)
                giver, tiles = step.come[operand], step.needs[operand]
                if giver == NOBODY:
                    begun.append(self._load_tiles(rank, parts, tiles))
                else:
                    comes, queue = self._operand(operand, tiles), self._queue(giver, rank)
                    begun.append([self._begin_to_receive(comes, queue, rank)])
        yield from self._wait_for_all(rank, begun)
