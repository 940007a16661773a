"""As one_pe_test.py: more machines of each kind, larger GEMMs."""

import os
import unittest
from typing import Dict

from mapped_cases import KINDS, committed, different, different_committed, random_cases

GEMMS: Dict[str, int] = {"any": 2000, "large": 200}
MORE = 180  # of each other kind


class Adr0005(unittest.TestCase):
    maxDiff = None

    def test_5_1_more_of_every_kind(self) -> None:
        for kind in KINDS:
            with self.subTest(kind):
                more = random_cases(kind, GEMMS.get(kind, MORE), begin=1000)
                self.assertEqual(different(more, os.cpu_count() or 1), [])

    def test_5_1_the_largest_committed_GEMMs_of_the_milestone(self) -> None:
        rows = committed(512**3, 512**3)
        self.assertEqual(len(rows), 4)
        self.assertEqual(different_committed(rows), [])


if __name__ == "__main__":
    unittest.main()
