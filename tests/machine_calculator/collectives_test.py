"""Collectives beside an independent calculator: every algorithm, on machines that nobody chose, the same every time."""

import unittest
from dataclasses import replace

from collective_cases import ALL_NAMES, ANY, COPY, EXCHANGE, different, random_case


class Adr0018(unittest.TestCase):
    def test_18_5_every_algorithm_does_every_collective_as_calculated(self) -> None:
        kinds = (replace(ANY, names=(name,)) for name in ALL_NAMES)
        self.assertEqual(different(random_case(seed, kind) for seed, kind in enumerate(kinds)), [])


class Adr0019(unittest.TestCase):
    def test_19_16_so_do_ranks_that_send_each_other_what_they_add_to(self) -> None:
        seeds = (*range(8), 26, 43)  # in the last two somebody waits
        self.assertEqual(different(random_case(seed, EXCHANGE) for seed in seeds), [])

    def test_19_18_so_do_ranks_that_begin_with_a_copy_in_TCM_or_in_HBM(self) -> None:
        self.assertEqual(different(random_case(seed, COPY) for seed in range(10)), [])


if __name__ == "__main__":
    unittest.main()
