"""As collectives_test.py: more machines, longer messages."""

import unittest

from collective_cases import ANY, COPY, EXCHANGE, different, random_case

SEEDS = range(1000, 1030)


class Adr0018(unittest.TestCase):
    def test_18_5_random_collectives_on_random_machines(self) -> None:
        self.assertEqual(different(random_case(seed, ANY, 4000) for seed in SEEDS), [])


class Adr0019(unittest.TestCase):
    def test_19_16_random_ranks_that_send_each_other_what_they_add_to(self) -> None:
        self.assertEqual(different(random_case(seed, EXCHANGE, 4000) for seed in SEEDS), [])

    def test_19_18_random_ranks_that_begin_with_a_copy(self) -> None:
        self.assertEqual(different(random_case(seed, COPY, 4000) for seed in SEEDS), [])


if __name__ == "__main__":
    unittest.main()
