"""Where the tiles of a matrix lie (ADR-0006, 23.1, 30.2)."""

from dataclasses import dataclass
from typing import Dict, List, Optional, Sequence, Tuple

from blocks import Block
from formats import Format
from units import ceil_div, up_to_multiple

Range = Tuple[int, int]
Tiles = Tuple[Range, Range]  # rows and columns of tiles


def cut(count: int, groups: int) -> List[Range]:
    """23.1: pieces by ceiling division."""
    size = ceil_div(count, groups)
    return [(min(count, i * size), min(count, (i + 1) * size)) for i in range(groups)]


def grid(count: int) -> Tuple[int, int]:
    """23.1: R x S = count, R >= S, as square as can be."""
    columns = max(d for d in range(1, count + 1) if count % d == 0 and d * d <= count)
    return count // columns, columns


def placed(policy: str, rows: int, columns: int, pes: int, rank: int, shape: Optional[Tuple[int, int]] = None) -> Tiles:
    """30.2: the tiles that lie in a PE's partition; of `blocks` the shape of the grid that was asked for, if any."""
    if policy == "replicate":
        return (0, rows), (0, columns)
    if policy == "rows":
        return cut(rows, pes)[rank], (0, columns)
    if policy == "columns":
        return (0, rows), cut(columns, pes)[rank]
    assert policy == "blocks"
    down, across = shape or grid(pes)
    return cut(rows, down)[rank // across], cut(columns, across)[rank % across]


@dataclass(frozen=True)
class Tiled:
    """A matrix cut into tiles (6.1): its rows and columns of elements, and of a tile; how elements lie (34.2)."""

    rows: int
    columns: int
    tile_rows: int
    tile_columns: int
    format: Format

    @staticmethod
    def _sizes(count: int, tile: int) -> List[int]:
        return [min(tile, count - begin) for begin in range(0, count, tile)]

    @property
    def tile_bytes(self) -> int:
        return self.tile_rows * self.format.run(self.tile_columns)

    def row_bytes(self, columns: int) -> int:
        """34.11: groups begin anew at each tile."""
        return sum(self.format.run(width) for width in self._sizes(columns, self.tile_columns))

    @property
    def heights(self) -> List[int]:
        return self._sizes(self.rows, self.tile_rows)

    @property
    def widths(self) -> List[int]:
        return self._sizes(self.columns, self.tile_columns)


class MatrixPart:
    """Tiles [rows) x [columns) of a matrix, as they lie in one memory from address `base` on."""

    def __init__(self, matrix: Tiled, tiles: Tiles, layout: str, burst: int) -> None:
        self.rows, self.columns = tiles
        self.base = 0
        self.format = matrix.format
        self._blocks: Dict[Tuple[int, int], Block] = {}
        self._is_one_row = True
        heights = matrix.heights[slice(*self.rows)]
        widths = [matrix.format.run(width) for width in matrix.widths[slice(*self.columns)]]
        if layout == "row_major":
            self._place_rows(heights, widths)
        else:
            self._place_tiles(heights, widths, matrix.tile_bytes, burst)

    def _place_tiles(self, heights: Sequence[int], widths: Sequence[int], tile_bytes: int, burst: int) -> None:
        """6.4: every tile has a slot of a whole tile's size; 34.11: of groups no more than that."""
        slot, address = up_to_multiple(tile_bytes, burst) if self.format.elements == 1 else tile_bytes, 0
        for i, height in enumerate(heights, self.rows[0]):
            for j, width in enumerate(widths, self.columns[0]):
                self._blocks[i, j] = Block.run(address, height * width)
                self._is_one_row &= height * width == slot
                address += slot
        self.size = address

    def _place_rows(self, heights: Sequence[int], widths: Sequence[int]) -> None:
        """6.5."""
        stride, row = sum(widths), 0
        for i, height in enumerate(heights, self.rows[0]):
            column = 0
            for j, width in enumerate(widths, self.columns[0]):
                self._blocks[i, j] = Block(row * stride + column, height, width, stride)
                column += width
            row += height
        self.size = row * stride

    def __bool__(self) -> bool:
        return bool(self._blocks)

    def __contains__(self, tile: Tuple[int, int]) -> bool:
        return tile in self._blocks

    def __getitem__(self, tile: Tuple[int, int]) -> Block:
        return self._blocks[tile].at(self.base)

    @property
    def valid_bytes(self) -> int:
        """Of the valid elements (6.7)."""
        return sum(block.bytes for block in self._blocks.values())

    def loaded(self) -> List[Block]:
        """6.6: the blocks of a transfer of the whole part."""
        if self._is_one_row:
            return [Block.run(self.base, self.size)]
        return [block.at(self.base) for block in self._blocks.values()]
