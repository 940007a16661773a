"""Whole numbers: picoseconds, bytes, bytes a second, cycles (ADR-0002)."""

from functools import lru_cache

PICOSECONDS = 10**12


def ceil_div(amount: int, by: int) -> int:
    return -(-amount // by)


def up_to_multiple(amount: int, of: int) -> int:
    return ceil_div(amount, of) * of


@lru_cache(maxsize=4096)
def duration(amount: int, rate: int) -> int:
    """2.2: how long so many bytes take at a bandwidth, or so many cycles at a clock, rounded up once."""
    return ceil_div(amount * PICOSECONDS, rate)
