"""What a tile takes on the MAC array (ADR-0031), fold by fold."""

from dataclasses import dataclass
from math import ceil
from typing import List, Tuple

from machine import Machine


@dataclass
class Use:
    """31.2, in cycles."""

    load: int = 0
    multiply: int = 0
    hides: int = 0
    drain: int = 0


def cut(count: int, most: int) -> List[int]:
    return [min(most, count - begin) for begin in range(0, count, most)]


def use_of(machine: Machine, valid: Tuple[int, int, int], last: bool, dtype: str) -> Use:
    (m, k, n), rate = valid, machine.rate(dtype)
    if machine.array_rows == 0:  # 31.3, 34.4
        return Use(multiply=ceil(machine.tile_m * machine.tile_k * machine.tile_n / (machine.macs_per_cycle * rate)))
    rows, columns, steps = machine.array_rows, machine.array_columns, ceil(k / (machine.array_depth * rate))
    if machine.dataflow == "dot_product":
        return Use(multiply=len(cut(m, rows)) * len(cut(n, columns)) * steps)
    if machine.dataflow == "output_stationary":  # 31.4
        folds = [(r, c) for r in cut(m, rows) for c in cut(n, columns)]
        if len(folds) == 1 and not last:
            return Use(multiply=steps)
        return Use(multiply=sum(2 * r + c + steps - 2 for r, c in folds), drain=rows - folds[-1][0])
    folds = [(r, c) for c in cut(n, columns) for r in cut(steps, rows)]
    if machine.weight_buffers == 1:  # 31.5
        return Use(multiply=sum(2 * r + c + m - 2 for r, c in folds), drain=rows - folds[-1][0])
    begins = [0]  # 31.6
    for r, _ in folds[1:]:
        begins.append(begins[-1] + max(m, r))
    out = max(begin + m + rows + c - 2 for begin, (_, c) in zip(begins, folds))
    taken = begins[-1] + m
    return Use(folds[0][0], taken, m, out - taken)
