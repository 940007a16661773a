"""Schedules of collectives (ADR-0018): the threads of every rank."""

from doubling import plan_doubling, plan_recursive_doubling
from hierarchical import plan_hierarchical
from rings import plan_direct, plan_rings, plan_two_shot
from steps import Levels, Request, Threads
from trees import plan_binary, plan_double_binary

ROOTED = ("broadcast", "reduce")
ALL_BUT_ALL_TO_ALL = ("all_reduce", "reduce_scatter", "all_gather", *ROOTED)

# Which algorithm does what, and how it is planned.
ALGORITHMS = {
    "ring": (ALL_BUT_ALL_TO_ALL, plan_rings),
    "bidirectional_ring": (ALL_BUT_ALL_TO_ALL, plan_rings),
    "direct": ((*ALL_BUT_ALL_TO_ALL, "all_to_all"), plan_direct),
    "pairwise": (("reduce_scatter", "all_to_all"), plan_direct),
    "two_shot": (("all_reduce",), plan_two_shot),
    "recursive_doubling": (("all_reduce", "all_gather", *ROOTED), plan_recursive_doubling),
    "halving_doubling": (ALL_BUT_ALL_TO_ALL, plan_doubling),
    "binary_tree": (("all_reduce", *ROOTED), plan_binary),
    "double_binary_tree": (("all_reduce", *ROOTED), plan_double_binary),
    "hierarchical": (ALL_BUT_ALL_TO_ALL, plan_hierarchical),
}


def schedule(request: Request, levels: Levels) -> Threads:
    threads: Threads = [[] for _ in range(levels.count)]
    ALGORITHMS[request.algorithm][1](request, levels, threads)
    return threads


def usual_chunk(collective: str, algorithm: str, slot_bytes: int) -> int:
    """20.2, in elements."""
    cut = algorithm in ("binary_tree", "double_binary_tree", "hierarchical") or collective in ROOTED
    return slot_bytes // 2 if cut else 0


def buffer_elements(request: Request) -> int:
    """The table of ADR-0018."""
    twice = request.collective == "all_to_all" or (request.collective, request.algorithm) == ("all_reduce", "direct")
    return request.count * (2 if twice else 1)
