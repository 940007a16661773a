"""As shared_test.py, on many more machines."""

import os
import unittest

import mapped_cases
from cases import OWNER, RING, SPLIT
from shared_cases import MULTICAST, SHIFT, different, of_one_pe, over_pes

SEEDS = range(2000, 2040)
WORKERS = os.cpu_count() or 1


class Adr0064(unittest.TestCase):
    maxDiff = None

    def test_64_3_64_4_64_5_one_PE_of_any_machine(self) -> None:
        for kind in ("any", "reads and writes meet", "sums in TCM", "sums in HBM"):
            cases = [of_one_pe(kind, seed) for seed in SEEDS]
            self.assertEqual(mapped_cases.different(cases, WORKERS), [], kind)

    def test_64_6_every_way_over_PEs_of_one_to_three_dies(self) -> None:
        for variant in (OWNER, RING, SPLIT, SHIFT):
            cases = [over_pes(variant, seed, [1, 2, 3]) for seed in SEEDS]
            self.assertEqual(different(cases, WORKERS), [], variant)


class Adr0030(unittest.TestCase):
    maxDiff = None

    def test_30_17_any_machine_of_partitions(self) -> None:
        cases = [over_pes(SHIFT, seed, [1, 2, 3], shares=False) for seed in SEEDS]
        self.assertEqual(different(cases, WORKERS), [])

    def test_30_18_65_2_65_3_65_4_65_5_any_machine(self) -> None:
        cases = [over_pes(MULTICAST, seed, [1, 2, 3], shares) for seed in SEEDS for shares in (False, True)]
        self.assertEqual(different(cases, WORKERS), [])


if __name__ == "__main__":
    unittest.main()
