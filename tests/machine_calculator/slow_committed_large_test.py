"""As committed_test.py: the largest rows; of the very largest those that KERNBENCH_ALL_ROWS=1 asks for by hand."""

import os
import unittest

from collective_cases import LARGE, VERY_LARGE, committed_rows, different_committed


class Adr0020(unittest.TestCase):
    def test_20_3_large_committed_collectives(self) -> None:
        rows = [row for row in committed_rows(VERY_LARGE) if row not in committed_rows(LARGE)]
        self.assertGreater(len(rows), 10)
        self.assertEqual(different_committed(rows), [])

    @unittest.skipUnless(os.environ.get("KERNBENCH_ALL_ROWS"), "half an hour of CPU: by hand, when the rows have moved")
    def test_20_3_what_is_left_of_the_committed_collectives(self) -> None:
        rows = [row for row in committed_rows() if row not in committed_rows(VERY_LARGE)]
        self.assertGreater(len(rows), 10)
        self.assertEqual(different_committed(rows), [])


if __name__ == "__main__":
    unittest.main()
