"""Cannon's algorithm (30.17)."""

from dataclasses import dataclass
from typing import Dict, List, Tuple

from events import Event, Program
from gemm import Gemm, Loads
from matrices import MatrixPart, Range, Tiled, Tiles, cut, grid
from pe import Pe
from pipeline import Output, Pipeline, Tile

Place = Tuple[int, int]


def within(outer: Range, piece: Range) -> Range:
    return outer[0] + piece[0], outer[0] + piece[1]


@dataclass
class Step:
    """Of a PE: what it multiplies, and from whom its tiles of A and of B come (nobody: they are loaded)."""

    depth: Range
    needs: Tuple[Tiles, Tiles]
    come: Tuple[int, int]

    def has(self, operand: int) -> bool:
        return all(begin < end for begin, end in self.needs[operand])


NOBODY = -1


class GridShift(Gemm):
    def _prepare(self) -> None:
        self._down, self._across = grid(len(self._pes))
        self._turns = max(self._down, self._across)
        self.pieces = next((pieces for pieces in range(1, self.most_pieces + 1) if self.needed(pieces) <= self._room),
                            self.most_pieces)  # fmt: skip
        self._steps = [self._steps_of(rank) for rank in range(len(self._pes))]
        self.loads = [Loads(False, False, self.needed(self.pieces))] * len(self._pes)

    # How K is cut.

    def _piece(self, pieces: int, part: int, piece: int) -> Range:
        turn = cut(len(self._shape_a.widths), self._turns)[part]
        return within(turn, cut(turn[1] - turn[0], pieces)[piece])

    @property
    def most_pieces(self) -> int:
        """With which the first piece has at most one tile along K."""
        begin, end = cut(len(self._shape_a.widths), self._turns)[0]
        return end - begin

    def _tiles_of(self, rank: int, depth: Range) -> Tuple[Tiles, Tiles]:
        (part,) = self._results[rank]
        return (part.rows, depth), (depth, part.columns)

    def needed(self, pieces: int) -> int:
        tiles_a, tiles_b = self._tiles_of(0, self._piece(pieces, 0, 0))
        operands = self._room_of(self._part(self._shape_a, tiles_a)) + self._room_of(self._part(self._shape_b, tiles_b))
        sums = 0
        if self._turns * pieces > 1:
            (part,) = self._results[0]
            shape, tiles = self._shape_sums, (part.rows, part.columns)
            sums = self._room_of(MatrixPart(shape, tiles, "blocked", self._machine.burst))
        return 2 * operands + sums + self._stages(False, False) + 2 * self._queue_room

    @property
    def _shape_sums(self) -> Tiled:
        c = self._shape_c
        return Tiled(c.rows, c.columns, c.tile_rows, c.tile_columns, 4)  # 34.1: of every dtype

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

    def _operand(self, rank: int, step: int, operand: int) -> MatrixPart:
        return self._part((self._shape_a, self._shape_b)[operand], self._steps[rank][step].needs[operand])

    def program(self, rank: int, pe: Pe) -> Program:
        (part,) = self._results[rank]
        pipeline, steps = Pipeline(pe), self._steps[rank]
        kept: Dict[Place, Output] = {}
        worked = [number for number, step in enumerate(steps) if step.depth[0] < step.depth[1]]
        before: List[List[Event]] = [[], [], []]  # of both sends and the composite
        yield from self._get(rank, 0)
        for number, step in enumerate(steps):
            begun: List[List[Event]] = [[], [], []]
            for operand in (0, 1):
                taker = self._taker(rank, number, operand)
                if taker != NOBODY:
                    yield from self._call(rank)
                    sent = self._operand(rank, number, operand)
                    begun[operand] = [self._queue(rank, taker).send(sent.size, element=sent.element)]
            if part and number in worked:
                yield from self._call(rank)
                adds, keeps = number != worked[0], number != worked[-1]
                begun[2] = [pipeline.composite(self._sum_tiles(rank, step.depth, adds, keeps, kept))]
            yield from self._wait_for_all(rank, before)
            if number + 1 < len(steps):
                yield from self._get(rank, number + 1)
            before = begun
        yield from self._wait_for_all(rank, before)

    def _wait_for_all(self, rank: int, begun: List[List[Event]]) -> Program:
        for events in begun:
            yield from self._wait(rank, *events)

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
                comes = self._operand(rank, number, operand)
                yield from self._queue(step.come[operand], rank).receive(comes.size, element=comes.element)

    def _sum_tiles(self, rank: int, depth: Range, adds: bool, keeps: bool, kept: Dict[Place, Output]) -> List[Tile]:
        """32.6."""
        (part,) = self._results[rank]
        tiles = self._composite(rank, part.rows, part.columns, depth, (False, False))
        sums = self._shape_sums
        places = [(i, j) for i in range(*part.rows) for j in range(*part.columns)]
        for place, tile in zip(places, [tile for tile in tiles if tile.output]):
            elements = sums.heights[place[0]] * sums.widths[place[1]]
            assert tile.output
            if adds:
                tile.fetched_bytes += elements * sums.element
                tile.adds_to = kept[place]
                tile.output.added = elements
            if keeps:
                tile.output = Output(elements * sums.element, None, elements * adds)
                kept[place] = tile.output
        return tiles
