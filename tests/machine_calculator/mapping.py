"""Mappings of a GEMM on one PE (ADR-0032): steps, loads and the order of calls."""

from dataclasses import dataclass
from typing import Dict, Iterator, List, Tuple

from matrices import Range, Tiles
from units import ceil_div

STREAMS = {"ref_ref": "ab", "load_ref": "b", "load_load": ""}  # 14.3, 32.10


@dataclass(frozen=True)
class Mapping:
    """32.1; tile and block are m, k, n."""

    tile: Tuple[int, int, int]
    block: Tuple[int, int, int]
    order: str = "mnk"
    buffers: int = 1
    streams: str = ""  # of "ab"
    sums: str = "fp32"
    sums_in_hbm: bool = False

    @staticmethod
    def read(text: str) -> "Mapping":
        """As `--map` has it, every part said."""
        parts = dict(part.split("=") for part in text.split())
        tile, block = (tuple(map(int, parts[name].split("x"))) for name in ("tile", "block"))
        assert len(tile) == 3 and len(block) == 3
        sums, _, place = parts["sums"].partition("@")
        streams = parts["stream"].replace("none", "")
        return Mapping(tile, block, parts["order"], int(parts["buffers"]), streams, sums, place == "hbm")

    def __str__(self) -> str:
        tile, block = ("x".join(map(str, sizes)) for sizes in (self.tile, self.block))
        sums = self.sums + ("@hbm" if self.sums_in_hbm else "")
        said = f"tile={tile} block={block} order={self.order} buffers={self.buffers}"
        return f"{said} stream={self.streams or 'none'} sums={sums}"


@dataclass(frozen=True)
class Step:
    """32.2: a composite, over tiles."""

    m: Range
    k: Range
    n: Range
    adds: bool  # to what a step has left
    keeps: bool  # what it adds up, for a later one


@dataclass(frozen=True)
class Load:
    """32.3, 32.19(b): of what, which tiles; the first step that uses it, and that to be complete before (-1: none)."""

    of: str  # a, b, sums
    tiles: Tiles
    first: int
    after: int


@dataclass(frozen=True)
class Call:
    """32.4; `which` counts loads or steps."""

    does: str  # load, ref, wait for a load, composite, wait for a composite
    which: int = 0


def steps_of(mapping: Mapping, sizes: Tuple[int, int, int]) -> List[Step]:
    blocks: Dict[str, List[Range]] = {}
    for loop, size, block, tile in zip("mkn", sizes, mapping.block, mapping.tile):
        begins = range(0, size, block)
        blocks[loop] = [(begin // tile, ceil_div(min(begin + block, size), tile)) for begin in begins]
    steps: List[Step] = []
    outer, middle, inner = mapping.order
    for first in blocks[outer]:
        for second in blocks[middle]:
            for third in blocks[inner]:
                at = {outer: first, middle: second, inner: third}
                begins, ends = at["k"] == blocks["k"][0], at["k"] == blocks["k"][-1]
                steps.append(Step(at["m"], at["k"], at["n"], not begins, not ends))
    return steps


def _loads_of(of: str, steps: List[Step], buffers: int) -> List[Load]:
    uses = [(step.m, step.k) if of == "a" else (step.k, step.n) for step in steps]
    first = [number for number, tiles in enumerate(uses) if number == 0 or tiles != uses[number - 1]]
    # A buffer's last step is the one before the first that uses the load after the one that is in it.
    after = [-1] * buffers + [number - 1 for number in first[1:]]
    return [Load(of, uses[number], number, last) for number, last in zip(first, after)]


def _loads_of_sums(steps: List[Step], buffers: int) -> List[Load]:
    loads: List[Load] = []
    left: Dict[Tiles, int] = {}  # by the tiles of C: the step that stored their sums
    for number, step in enumerate(steps):
        tiles = step.m, step.n
        if step.adds:
            in_buffer = loads[-buffers].first if len(loads) >= buffers else -1
            loads.append(Load("sums", tiles, number, max(left[tiles], in_buffer)))
        left[tiles] = number
    return loads


def loads_of(mapping: Mapping, steps: List[Step]) -> List[Load]:
    """In the order in which steps need them; of one step's A's, B's, those of sums."""
    loads = [load for of in "ab" if of not in mapping.streams for load in _loads_of(of, steps, mapping.buffers)]
    if mapping.sums_in_hbm:
        loads += _loads_of_sums(steps, mapping.buffers)
    return sorted(loads, key=lambda load: load.first)


def calls_of(mapping: Mapping, steps: List[Step], loads: List[Load]) -> Iterator[Call]:
    begun = awaited = 0
    over = -1  # the last step that has been waited for

    def begin(needed: int, before: int) -> Iterator[Call]:
        nonlocal begun, over
        while begun < len(loads) and (loads[begun].first <= needed or loads[begun].after <= before):
            if loads[begun].after > over:
                over = loads[begun].after
                yield Call("wait for a composite", over)
            yield Call("load", begun)
            begun += 1

    for number in range(len(steps)):
        yield from begin(number, over)
        if number == 0:
            yield from (Call("ref") for _ in mapping.streams)
        while awaited < len(loads) and loads[awaited].first <= number:
            yield Call("wait for a load", awaited)
            awaited += 1
        yield Call("composite", number)
        yield from begin(number, number - 1)
    yield Call("wait for a composite", len(steps) - 1)
