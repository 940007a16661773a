"""As committed_test.py: more rows; all of them where KERNBENCH_ALL_ROWS=1 says so (an hour of CPU)."""

import os
import unittest

from collective_cases import committed_rows, different_committed

MOST = 10_000_000  # bytes on links


class Adr0020(unittest.TestCase):
    def test_20_3_committed_collectives(self) -> None:
        rows = committed_rows(None if os.environ.get("KERNBENCH_ALL_ROWS") else MOST)
        self.assertGreater(len(rows), 300)
        self.assertEqual(different_committed(rows), [])


if __name__ == "__main__":
    unittest.main()
