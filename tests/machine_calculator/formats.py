"""How elements lie in a memory (ADR-0034): alone, or in groups along a row that share an exponent."""

from fractions import Fraction
from typing import Dict, List, NamedTuple

from units import ceil_div


class Format(NamedTuple):
    """34.11: elements of a group, and its bytes."""

    elements: int
    bytes: int

    def run(self, count: int) -> int:
        """Bytes of so many in a row."""
        return ceil_div(count, self.elements) * self.bytes

    @property
    def each(self) -> Fraction:
        return Fraction(self.bytes, self.elements)


# 34.1
FORMATS: Dict[str, Format] = {
    "bf16": Format(1, 2),
    "fp16": Format(1, 2),
    "fp8_e4m3": Format(1, 1),
    "fp8_e5m2": Format(1, 1),
    "int8": Format(1, 1),
    "tf32": Format(1, 4),
    "fp32": Format(1, 4),
    "int32": Format(1, 4),
    "bfp8": Format(16, 17),
    "bfp4": Format(16, 9),
    "mxfp8": Format(32, 33),
    "mxfp4": Format(32, 17),
}


def of_fewer_bytes(dtype: str) -> List[str]:
    """34.3: what B may be beside an A; nothing is converted to whole numbers."""
    return [other for other, layout in FORMATS.items() if dtype != "int8" and layout.each < FORMATS[dtype].each]
