"""As beside_test.py, on machines that nobody chose: the same ones every time."""

import concurrent.futures
import os
import unittest
from typing import List

from cases import random_case
from compare import compare

SEEDS = range(100)


def wrong(seed: int) -> str:
    try:
        compare(unittest.TestCase(), random_case(seed))
    except Exception as problem:  # told with its seed
        return f"seed {seed}: {problem}"
    return ""


class Adr0030(unittest.TestCase):
    def test_30_9_random_machines(self) -> None:
        with concurrent.futures.ProcessPoolExecutor(os.cpu_count()) as pool:
            found: List[str] = [said for said in pool.map(wrong, SEEDS) if said]
        self.assertEqual(found, [])


if __name__ == "__main__":
    unittest.main()
