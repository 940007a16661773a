"""What GEMMs on a grid of PEs have in common (30.17, 30.18)."""

from typing import Dict, List, Sequence, Tuple

from events import Event, Program
from gemm import Gemm, Loads
from matrices import MatrixPart, Range, Tiled, Tiles, cut, grid
from pipeline import Output, Tile

Place = Tuple[int, int]


def within(outer: Range, piece: Range) -> Range:
    return outer[0] + piece[0], outer[0] + piece[1]


class GridGemm(Gemm):
    rooms_to_try: Sequence[int]  # for operands: the most that fit at any number of pieces

    def _prepare(self) -> None:
        self._down, self._across = grid(len(self._pes))
        self._turns = max(self._down, self._across)
        choices = [(rooms, pieces) for rooms in self.rooms_to_try for pieces in range(1, self.most_pieces + 1)]
        fitting = (choice for choice in choices if self.needed(*choice) <= self._room)
        self.rooms, self.pieces = next(fitting, choices[-1])
        self._kept: List[Dict[Place, Output]] = [{} for _ in self._pes]
        self.loads = [Loads(False, False, self.needed(self.rooms, self.pieces))] * len(self._pes)

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

    def needed(self, rooms: int, pieces: int) -> int:
        tiles_a, tiles_b = self._tiles_of(0, self._piece(pieces, 0, 0))
        operands = self._room_of(self._part(self._shape_a, tiles_a)) + self._room_of(self._part(self._shape_b, tiles_b))
        sums = 0
        if self._turns * pieces > 1:
            (part,) = self._results[0]
            shape, tiles = self._shape_sums, (part.rows, part.columns)
            sums = self._room_of(MatrixPart(shape, tiles, "blocked", self._machine.burst))
        return rooms * operands + sums + self._stages(False, False) + 2 * self._queue_room

    @property
    def _shape_sums(self) -> Tiled:
        c = self._shape_c
        return Tiled(c.rows, c.columns, c.tile_rows, c.tile_columns, 4)  # 34.1: of every dtype

    # What programs do.

    def _operand(self, operand: int, tiles: Tiles) -> MatrixPart:
        return self._part((self._shape_a, self._shape_b)[operand], tiles)

    def _wait_for_all(self, rank: int, begun: Sequence[Sequence[Event]]) -> Program:
        for events in begun:
            yield from self._wait(rank, *events)

    def _sum_tiles(self, rank: int, depth: Range, adds: bool, keeps: bool) -> List[Tile]:
        """32.6."""
        (part,) = self._results[rank]
        tiles = self._composite(rank, part.rows, part.columns, depth, (False, False))
        sums, kept = self._shape_sums, self._kept[rank]
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
