"""As committed_test.py: all rows but the largest."""

import unittest

from collective_cases import LARGE, committed_rows, different_committed


class Adr0020(unittest.TestCase):
    def test_20_3_committed_collectives(self) -> None:
        rows = committed_rows(LARGE)
        self.assertGreater(len(rows), 400)
        self.assertEqual(different_committed(rows), [])


if __name__ == "__main__":
    unittest.main()
