"""What GEMMs on a grid of PEs have in common (30.17, 30.18)."""

from typing import Dict, List, Sequence, Tuple

from events import Event, Program
from formats import FORMATS
from gemm import Gemm, Loads
from matrices import MatrixPart, Range, Tiled, Tiles, cut
from pipeline import Output, Tile
from register_blocks import in_order
from units import ceil_div

Place = Tuple[int, int]
Choices = Sequence[Tuple[int, int, int]]  # parts of C, rooms for operands, pieces of each part of K


def within(outer: Range, piece: Range) -> Range:
    return outer[0] + piece[0], outer[0] + piece[1]


def counts(tiles: int) -> List[int]:
    """Into how many pieces of the same number of tiles, but for the last, so many can be cut."""
    return sorted({ceil_div(tiles, of_each) for of_each in range(1, tiles + 1)})


class GridGemm(Gemm):
    @property
    def turns(self) -> int:
        """Parts of K, before they are cut into pieces."""
        raise NotImplementedError

    def _prepare(self) -> None:
        assert self._problem.grid  # the program's own choice (30.15) follows from bounds, which are not calculated
        self._down, self._across = self._problem.grid
        fitting = (choice for choice in self.choices() if self.needed(*choice) <= self._room)
        choice = next(fitting, (self.most_passes, 2, self.most_pieces))
        self.passes, self.rooms, self.pieces = choice
        self._kept: List[Dict[Place, Output]] = [{} for _ in self._pes]
        self.loads = [Loads(False, False, self.needed(*choice))] * len(self._pes)

    def choices(self) -> Choices:
        """Of those that fit the first is taken."""
        raise NotImplementedError

    # How C and K are cut.

    def _first_sides(self) -> Tuple[int, int]:
        """Rows and columns of PE 0's C."""
        (part,) = self._results[0]
        return sum(self._shape_c.heights[slice(*part.rows)]), sum(self._shape_c.widths[slice(*part.columns)])

    @property
    def most_passes(self) -> int:
        rows, columns = self._first_sides()
        (part,) = self._results[0]
        begin, end = part.rows if rows > columns else part.columns
        return end - begin

    def _c_tiles(self, rank: int, passes: int, number: int) -> Tiles:
        (part,) = self._results[rank]
        rows, columns = self._first_sides()
        side = part.rows if rows > columns else part.columns
        piece = within(side, cut(side[1] - side[0], passes)[number])
        return (piece, part.columns) if rows > columns else (part.rows, piece)

    def _piece(self, pieces: int, part: int, piece: int) -> Range:
        turn = cut(len(self._shape_a.widths), self.turns)[part]
        return within(turn, cut(turn[1] - turn[0], pieces)[piece])

    @property
    def most_pieces(self) -> int:
        """With which the first piece has at most one tile along K."""
        begin, end = cut(len(self._shape_a.widths), self.turns)[0]
        return end - begin

    @staticmethod
    def _tiles_of(of_c: Tiles, depth: Range) -> Tuple[Tiles, Tiles]:
        return (of_c[0], depth), (depth, of_c[1])

    # What fits.

    def _operands(self, of_c: Tiles, depth: Range) -> List[MatrixPart]:
        """Of A and of B."""
        return [self._operand(operand, tiles) for operand, tiles in enumerate(self._tiles_of(of_c, depth))]

    def _sums(self, passes: int) -> MatrixPart:
        return MatrixPart(self._shape_sums, self._c_tiles(0, passes, 0), "blocked", self._machine.burst)

    def needed(self, passes: int, rooms: int, pieces: int) -> int:
        first = self._operands(self._c_tiles(0, passes, 0), self._piece(pieces, 0, 0))
        operands = sum(self._room_of(operand) for operand in first)
        sums = self._room_of(self._sums(passes)) if self.turns * pieces > 1 else 0
        return rooms * operands + sums + self._stages(False, False) + 2 * self._queue_room

    @property
    def _shape_sums(self) -> Tiled:
        c = self._shape_c
        return Tiled(c.rows, c.columns, c.tile_rows, c.tile_columns, FORMATS["fp32"])  # 34.1: of every dtype

    # What programs do.

    def _operand(self, operand: int, tiles: Tiles) -> MatrixPart:
        return self._part((self._shape_a, self._shape_b)[operand], tiles)

    def _wait_for_all(self, rank: int, begun: Sequence[Sequence[Event]]) -> Program:
        for events in begun:
            yield from self._wait(rank, *events)

    def _sum_tiles(self, rank: int, of_c: Tiles, depth: Range, adds: bool, keeps: bool) -> List[Tile]:
        """32.6."""
        tiles = self._composite(rank, *of_c, depth, (False, False))
        sums, kept = self._shape_sums, self._kept[rank]
        fetches = adds and not (keeps and self._machine.accumulate_bandwidth)
        places = [place.tile[:2] for place in in_order(self._machine, *of_c, depth) if place.last]
        for place, tile in zip(places, [tile for tile in tiles if tile.output]):
            elements = sums.heights[place[0]] * sums.widths[place[1]]
            assert tile.output
            if adds:
                tile.adds_to = kept[place]
            if fetches:
                tile.fetched_bytes += elements * sums.format.bytes
                tile.output.added = elements
            if keeps:
                tile.output = Output(elements * sums.format.bytes, None, elements * fetches, adds and not fetches)
                kept[place] = tile.output
        return tiles
