"""Medians and spreads of samples, and the rule that calls a row noisy. Nothing here needs PyTorch."""

from __future__ import annotations

import math
from typing import Any, Dict, List, Optional, Sequence

NOISY_SPREAD = 0.05
"""A second run that differs by more than this fraction makes a row noisy."""


def quantile(samples: Sequence[float], q: float) -> float:
    """The q-quantile, linear between order statistics (numpy's default). Raises ValueError for no samples."""
    if not samples:
        raise ValueError("a quantile of no samples")
    if not 0 <= q <= 1:
        raise ValueError("a quantile must be within 0 and 1")
    ordered = sorted(samples)
    position = q * (len(ordered) - 1)
    below = math.floor(position)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (position - below) * (ordered[above] - ordered[below])


def median(samples: Sequence[float]) -> float:
    """The 0.5-quantile."""
    return quantile(samples, 0.5)


def family(name: str, samples_ns: Sequence[float]) -> Dict[str, Any]:
    """The metrics of a timed quantity: median, p10 and p90 in ns, and the number of samples."""
    return {
        name + "_ns": median(samples_ns),
        name + "_p10_ns": quantile(samples_ns, 0.1),
        name + "_p90_ns": quantile(samples_ns, 0.9),
        name + "_count": len(samples_ns),
    }


def add_rerun(metrics: Dict[str, Any], flags: List[str], again_ns: Optional[float]) -> None:
    """Adds what a second run says of `time_ns`: rerun_time_ns and rerun_spread = |t2 - t1| / min(t1, t2), and the flag
    `noisy` above NOISY_SPREAD. Without a second run the flag is `unrepeated`. Rows without `time_ns` stay as they are.
    """
    for flag in ("noisy", "unrepeated"):
        if flag in flags:
            flags.remove(flag)
    first_ns = metrics.get("time_ns")
    if first_ns is None:
        return
    if again_ns is None:
        flags.append("unrepeated")
        return
    spread = abs(again_ns - first_ns) / min(again_ns, first_ns)
    metrics["rerun_time_ns"] = again_ns
    metrics["rerun_spread"] = spread
    if spread > NOISY_SPREAD:
        flags.append("noisy")
