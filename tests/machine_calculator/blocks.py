"""What a transfer moves, packet by packet (ADR-0004)."""

from dataclasses import dataclass
from typing import Iterator, List, Optional, Sequence

from machine import Machine


@dataclass(frozen=True)
class Block:
    """4.3: rows of equal length at a constant stride."""

    address: int
    rows: int
    length: int
    stride: int

    @staticmethod
    def run(address: int, length: int) -> "Block":
        return Block(address, 1, length, length)

    def at(self, base: int) -> "Block":
        return Block(base + self.address, self.rows, self.length, self.stride)

    @property
    def bytes(self) -> int:
        return self.rows * self.length

    @property
    def is_one_run(self) -> bool:
        return self.rows == 1 or self.stride == self.length


@dataclass(frozen=True)
class Part:
    """Bursts of one packet, and how many of their bytes are the transfer's own."""

    burst: int
    bursts: int
    own: int


def _row(machine: Machine, address: int, length: int, first: int, granule: Optional[int]) -> Iterator[Part]:
    """The bursts of a row from burst `first` on, packet by packet (4.3, 64.4)."""
    burst, end = first, (address + length - 1) // machine.burst + 1
    most = machine.packet_bytes // machine.burst
    while burst < end:
        bursts = min(most, end - burst, granule - burst % granule if granule else most)
        own = min(address + length, (burst + bursts) * machine.burst) - max(address, burst * machine.burst)
        yield Part(burst, bursts, own)
        burst += bursts


def parts(machine: Machine, blocks: Sequence[Block], granule: Optional[int] = None) -> List[Part]:
    """`granule`: the bursts after which another controller is next, if any."""
    found: List[Part] = []
    for block in blocks:
        if block.is_one_run:
            found += _row(machine, block.address, block.bytes, block.address // machine.burst, granule)
            continue
        before = -1  # 4.4: the last burst moved for the row before
        for row in range(block.rows):
            address = block.address + row * block.stride
            first = address // machine.burst
            found += _row(machine, address, block.length, first + 1 if first == before else first, granule)
            before = (address + block.length - 1) // machine.burst
    return found
