"""Products to calibrate with, drawn by a seed: families of shapes, regular and ragged."""

from __future__ import annotations

import math
import random
from dataclasses import dataclass
from typing import Dict, List, Tuple

import torch

KINDS = {
    "fp32": torch.float32,
    "tf32": torch.float32,
    "fp16": torch.float16,
    "bf16": torch.bfloat16,
}
if hasattr(torch, "float8_e4m3fn"):
    KINDS["fp8"] = torch.float8_e4m3fn
ALIGNED_BYTES = 16
"""Rows of a multiple of it are regular, others ragged."""
MOST_OPERATIONS = {"fp32": 2.0**36.5, "tf32": 2.0**38.5, "fp16": 2.0**39, "bf16": 2.0**39, "fp8": 2.0**40}
"""2 m k n of the largest product: a few ms."""


@dataclass(frozen=True)
class Shape:
    """C (m x n) = A (m x k) B (k x n), row-major, but B of fp8; `tag` is the family that it was drawn from."""

    tag: str
    m: int
    n: int
    k: int


def _between(draw: random.Random, least: int, most: int) -> int:
    """Evenly over the logarithm."""
    return round(math.exp(draw.uniform(math.log(least), math.log(most))))


def _rounded(value: int, step: int) -> int:
    return max(step, (value + step // 2) // step * step)


def _drawn(draw: random.Random, tag: str) -> Shape:
    any_size = lambda: _between(draw, 48, 8192)  # noqa: E731
    if tag == "random":
        return Shape(tag, any_size(), any_size(), any_size())
    if tag == "blocks":
        m, n, k = (_rounded(_between(draw, 192, 6144), 64) for _ in range(3))
        return Shape(tag, m, n, k)
    if tag == "skinny":
        n, k = (_rounded(_between(draw, 1024, 24576), 64) for _ in range(2))
        return Shape(tag, _between(draw, 1, 160), n, k)
    if tag == "small":
        return Shape(tag, _between(draw, 16, 640), _between(draw, 16, 640), _between(draw, 16, 2048))
    n = _rounded(_between(draw, 192, 2048), 64)
    return Shape(tag, _rounded(_between(draw, 192, 2048), 64), n, _rounded(_between(draw, 6144, 40960), 64))


FAMILIES = ("random", "blocks", "random", "skinny", "blocks", "small", "random", "blocks", "random", "long")
"""In this order again and again, so that a run that is cut short has all of them."""


def shapes(dtype: str, ragged: bool, count: int, seed: int) -> List[Shape]:
    """`count` different products of a seed. Regular ones have rows of a multiple of 16 B; ragged ones have not, of A, of
    B or of both, half of them odd."""
    draw = random.Random("%d %s %s" % (seed, dtype, ragged))
    step = ALIGNED_BYTES // torch.tensor([], dtype=KINDS[dtype]).element_size()
    found: Dict[Tuple[int, int, int], Shape] = {}
    while len(found) < count:
        shape = _drawn(draw, FAMILIES[len(found) % len(FAMILIES)])
        n, k = _rounded(shape.n, step), _rounded(shape.k, step)
        if ragged:
            off = (1, 3, 5, 7) if len(found) % 2 else (2, 4, 6)
            which = draw.choice((1, 2, 3))
            n += draw.choice(off) % step if which & 1 else 0
            k += draw.choice(off) % step if which & 2 else 0
            if n % step == 0 and k % step == 0:
                continue
        if 2.0 * shape.m * n * k <= MOST_OPERATIONS[dtype]:
            found[shape.m, n, k] = Shape(shape.tag, shape.m, n, k)
    return list(found.values())
