"""As committed_test.py: the largest rows; the very largest too where KERNBENCH_ALL_ROWS=1 says so (half an hour of CPU)."""

import os
import unittest

from collective_cases import LARGE, VERY_LARGE, committed_rows, different_committed


class Adr0020(unittest.TestCase):
    def test_20_3_large_committed_collectives(self) -> None:
        all_of_them = committed_rows() if os.environ.get("KERNBENCH_ALL_ROWS") else committed_rows(VERY_LARGE)
        rows = [row for row in all_of_them if row not in committed_rows(LARGE)]
        self.assertGreater(len(rows), 10)
        self.assertEqual(different_committed(rows), [])


if __name__ == "__main__":
    unittest.main()
