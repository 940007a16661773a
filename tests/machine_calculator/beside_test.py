"""A GEMM and a collective on one machine beside an independent calculator: chosen cases, values carried."""

import unittest
from typing import Sequence

import beside
from cases import (
    ALL,
    BESIDE,
    DTYPES,
    ONE_INSTANT,
    OWNER_COMPUTES,
    PLACEMENTS,
    RING_SHIFT,
    SHARED_UNITS,
    SPLIT_K,
    SYSTOLIC,
    Case,
)
from compare import compare


class Compared(unittest.TestCase):
    def compare(self, cases: Sequence[Case]) -> None:
        for case in cases:
            with self.subTest(case.what):
                compare(self, case)


class Adr0019(Compared):
    def test_19_12_both_launches_share_every_unit(self) -> None:
        self.compare(SHARED_UNITS)


class Adr0028(Compared):
    def test_28_1_of_two_that_ask_at_one_instant_the_earlier_launch_is_first(self) -> None:
        self.compare(ONE_INSTANT)


class Adr0030(Compared):
    def test_30_3_to_30_9_every_way_loads_and_streams_and_buffers_lie_in_both_memories(self) -> None:
        ways, memories = set(), set()
        for case in ALL:
            _, gemm, collective = beside.prepare(case.machine, case.problem, case.request, "both")
            ways.add((case.problem.variant, any(loads.a or loads.b for loads in gemm.loads)))
            memories.add(collective.in_hbm)
        self.assertEqual(ways, {(variant, loads) for variant in PLACEMENTS for loads in (False, True)})
        self.assertEqual(memories, {False, True})

    def test_30_3_owner_computes_alone_and_beside(self) -> None:
        self.compare(OWNER_COMPUTES)

    def test_30_4_ring_shift_alone_and_beside(self) -> None:
        self.compare(RING_SHIFT)

    def test_30_5_split_k_alone_and_beside(self) -> None:
        self.compare(SPLIT_K)

    def test_30_9_each_alone_and_both_together(self) -> None:
        self.compare(BESIDE)


class Adr0031(Compared):
    def test_31_2_tiles_take_the_cycles_of_their_dataflow(self) -> None:
        self.compare(SYSTOLIC)


class Adr0034(Compared):
    def test_34_7_every_dtype_alone_and_beside(self) -> None:
        self.compare(DTYPES)


if __name__ == "__main__":
    unittest.main()
