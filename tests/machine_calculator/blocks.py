"""What a transfer moves, packet by packet (ADR-0004)."""

from dataclasses import dataclass
from typing import Iterator, List, Sequence

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


def _row(machine: Machine, address: int, length: int, first: int) -> Iterator[Part]:
    """The bursts of a row from burst `first` on, packet by packet (4.3)."""
    end = (address + length - 1) // machine.burst + 1
    most = machine.packet_bytes // machine.burst
    for burst in range(first, end, most):
        bursts = min(most, end - burst)
        own = min(address + length, (burst + bursts) * machine.burst) - max(address, burst * machine.burst)
        yield Part(burst, bursts, own)


def parts(machine: Machine, blocks: Sequence[Block]) -> List[Part]:
    found: List[Part] = []
    for block in blocks:
        if block.is_one_run:
            found += _row(machine, block.address, block.bytes, block.address // machine.burst)
            continue
        before = -1  # 4.4: the last burst moved for the row before
        for row in range(block.rows):
            address = block.address + row * block.stride
            first = address // machine.burst
            found += _row(machine, address, block.length, first + 1 if first == before else first)
            before = (address + block.length - 1) // machine.burst
    return found
