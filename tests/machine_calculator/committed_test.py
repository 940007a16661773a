"""The committed rows of milestone-1h-ccl beside what the calculator makes of their points, to the picosecond."""

import random
import unittest

from collective_cases import committed_rows, different_committed


class Adr0020(unittest.TestCase):
    def test_20_3_small_committed_collectives_of_a_die_and_of_a_package(self) -> None:
        rows = [row for row in committed_rows(5_000_000) if row["point"]["scale"] != "system"]
        small = [row for row in rows if row["metrics"]["link_bytes"] <= 250_000]
        self.assertGreater(len(small), 150)
        sample = random.Random(1).sample([row for row in rows if row not in small], 15)
        self.assertEqual(different_committed(small + sample), [])


if __name__ == "__main__":
    unittest.main()
