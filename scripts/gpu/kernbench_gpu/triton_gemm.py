"""A matrix product in Triton: C = A B with masked tiles, and the choice of a tile by trying a few."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Dict, List, Tuple

import torch
import triton
import triton.language as tl


@triton.jit(do_not_specialize=["m"])
def product(
    a,
    b,
    c,
    m,
    k,
    n,
    a_row,
    a_column,
    b_row,
    b_column,
    c_row,
    TILE_M: tl.constexpr,
    TILE_N: tl.constexpr,
    TILE_K: tl.constexpr,
    BAND: tl.constexpr,
    PRECISION: tl.constexpr,
    IMPRECISE: tl.constexpr,
):
    """One program a tile of C. Tiles are walked in bands of BAND tile rows, so that those that run together share
    columns of B in L2. Strides are in elements; accumulation is in fp32: fp8 products, which the matrix units add up in
    fewer bits, join an fp32 sum after every IMPRECISE of them."""
    rows_of_tiles = tl.cdiv(m, TILE_M)
    columns_of_tiles = tl.cdiv(n, TILE_N)
    tile = tl.program_id(0)
    band = tile // (BAND * columns_of_tiles)
    within = tile % (BAND * columns_of_tiles)
    height = tl.minimum(rows_of_tiles - band * BAND, BAND)
    tile_row = band * BAND + within % height
    tile_column = within // height

    rows = tile_row * TILE_M + tl.arange(0, TILE_M)
    columns = tile_column * TILE_N + tl.arange(0, TILE_N)
    depth = tl.arange(0, TILE_K)
    a_at = a + rows[:, None] * a_row + depth[None, :] * a_column
    b_at = b + depth[:, None] * b_row + columns[None, :] * b_column
    row_there = rows[:, None] < m
    column_there = columns[None, :] < n
    total = tl.zeros((TILE_M, TILE_N), dtype=tl.float32)
    for begin in range(0, k, TILE_K):
        left = k - begin
        a_tile = tl.load(a_at, mask=row_there & (depth[None, :] < left), other=0.0)
        b_tile = tl.load(b_at, mask=column_there & (depth[:, None] < left), other=0.0)
        if IMPRECISE > 0:
            total = tl.dot(a_tile, b_tile, total, max_num_imprecise_acc=IMPRECISE)
        else:
            total = tl.dot(a_tile, b_tile, total, input_precision=PRECISION)
        a_at += TILE_K * a_column
        b_at += TILE_K * b_row
    c_at = c + rows[:, None] * c_row + columns[None, :]
    tl.store(c_at, total.to(c.dtype.element_ty), mask=row_there & column_there)


@dataclass(frozen=True)
class Tile:
    """How the product is cut: elements of a tile, warps of a program, loads in flight."""

    m: int
    n: int
    k: int
    warps: int
    stages: int

    def __str__(self) -> str:
        return "%dx%dx%d, %d warps, %d stages" % (self.m, self.n, self.k, self.warps, self.stages)


_HALF = (Tile(128, 256, 64, 8, 3), Tile(128, 128, 64, 8, 3), Tile(64, 128, 64, 4, 4), Tile(64, 64, 64, 4, 4))
_HALF += (Tile(32, 64, 64, 4, 4), Tile(16, 64, 128, 4, 4), Tile(16, 32, 128, 4, 4), Tile(16, 16, 64, 4, 4))
_FP8 = tuple(Tile(tile.m, tile.n, 128, tile.warps, tile.stages) for tile in _HALF)
_TF32 = tuple(Tile(tile.m, tile.n, tile.k // 2, tile.warps, tile.stages) for tile in _HALF)
_FP32 = (Tile(128, 128, 16, 8, 2), Tile(64, 64, 16, 4, 3), Tile(32, 32, 32, 4, 2), Tile(16, 32, 32, 4, 2))
_FP32 += (Tile(16, 16, 32, 2, 2),)
TILES: Dict[str, Tuple[Tile, ...]] = {"fp16": _HALF, "bf16": _HALF, "fp8_e4m3": _FP8, "tf32": _TF32, "fp32": _FP32}


LAUNCHES_CYCLES = 800_000
"""The host enqueues five launches behind this, about 400 us: what is timed has no launch gaps."""


def candidates(dtype: str, m: int, n: int, most: int = 4) -> List[Tile]:
    """The largest tiles that the result fills: at most `most`, and always one."""
    tiles = TILES[dtype]
    fitting = [tile for tile in tiles if tile.m <= max(16, m) and tile.n <= max(16, n)]
    return fitting[:most] if fitting else [tiles[-1]]


def launch(a: torch.Tensor, b: torch.Tensor, c: torch.Tensor, dtype: str, tile: Tile) -> None:
    """Puts the product on the current stream. a (m x k), b (k x n, any strides), c (m x n, rows contiguous)."""
    m, k = a.shape
    n = b.shape[1]
    grid = (triton.cdiv(m, tile.m) * triton.cdiv(n, tile.n),)
    product[grid](
        a, b, c, m, k, n, a.stride(0), a.stride(1), b.stride(0), b.stride(1), c.stride(0),
        TILE_M=tile.m, TILE_N=tile.n, TILE_K=tile.k, BAND=8,
        PRECISION="ieee" if dtype == "fp32" else "tf32", IMPRECISE=tile.k if dtype == "fp8_e4m3" else 0,
        num_warps=tile.warps, num_stages=tile.stages,
    )  # fmt: skip


def best_tile(a: torch.Tensor, b: torch.Tensor, c: torch.Tensor, dtype: str) -> Tile:
    """The fastest of the candidates on these operands. Raises the last error where none compiles and runs."""
    begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    best, best_ms, last_error = None, float("inf"), None
    for tile in candidates(dtype, a.shape[0], b.shape[1]):
        try:
            launch(a, b, c, dtype, tile)
            torch.cuda.synchronize()
        except Exception as error:  # a tile that needs more than this GPU has; the next one needs less
            last_error = error
            continue
        for _ in range(2):
            torch.cuda._sleep(LAUNCHES_CYCLES)
            begin.record()
            for _ in range(5):
                launch(a, b, c, dtype, tile)
            end.record()
            end.synchronize()
            if begin.elapsed_time(end) < best_ms:
                best, best_ms = tile, begin.elapsed_time(end)
    if best is None:
        raise RuntimeError("no tile compiles and runs on this GPU: %s" % last_error) from last_error
    return best
