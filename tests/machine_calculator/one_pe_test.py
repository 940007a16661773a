"""GEMMs on one PE beside an independent calculator: windows, and records, times, bytes and MACs of every stage."""

import unittest

from mapped_cases import KINDS, committed, different, different_committed, different_records, random_cases

GEMMS = 100  # of each kind


class Compared(unittest.TestCase):
    maxDiff = None

    def compare(self, kind: str) -> None:
        self.assertEqual(different(random_cases(kind, GEMMS)), [])


class Adr0004(Compared):
    def test_4_5_4_15_4_16_reads_and_writes_that_meet_at_the_pseudo_channels(self) -> None:
        self.compare("reads and writes meet")


class Adr0005(Compared):
    def test_5_1_any_GEMM_on_any_machine(self) -> None:
        self.compare("any")

    def test_5_1_the_committed_GEMMs_of_the_milestone(self) -> None:
        rows = committed(0, 256**3)
        self.assertEqual(len(rows), 28)
        self.assertEqual(different_committed(rows), [])

    def test_5_1_every_record_of_every_unit(self) -> None:
        for kind in KINDS:
            with self.subTest(kind):
                self.assertEqual(different_records(random_cases(kind, 12, begin=500)), [])

    def test_5_3_dispatch_where_stream_slots_are_few(self) -> None:
        self.compare("few stream slots")

    def test_5_4_fetch_where_it_is_slow_and_operand_registers_are_few(self) -> None:
        self.compare("slow fetch")

    def test_5_5_the_array_where_it_is_slow_and_accumulators_are_few(self) -> None:
        self.compare("slow array")

    def test_5_8_store_where_it_is_slow_and_output_slots_are_few(self) -> None:
        self.compare("slow store")


class Adr0006(Compared):
    def test_6_15_tiles_in_register_blocks_and_32_6_sums_that_store_adds(self) -> None:
        self.compare("register blocks")


class Adr0031(Compared):
    def test_31_3_random_arrays_of_dot_products(self) -> None:
        self.compare("dot products")

    def test_31_2_31_4_random_arrays_in_which_results_rest_fold_by_fold(self) -> None:
        self.compare("results rest")

    def test_31_2_31_5_random_arrays_in_which_weights_rest_fold_by_fold(self) -> None:
        self.compare("weights rest")

    def test_31_2_31_6_random_arrays_with_two_sets_of_weights_fold_by_fold(self) -> None:
        self.compare("two sets of weights")


class Adr0032(Compared):
    def test_32_2_32_3_32_4_32_6_steps_of_blocks_whose_loads_have_buffers_and_sums_in_TCM(self) -> None:
        self.compare("sums in TCM")

    def test_32_19_sums_that_go_to_HBM_between_blocks_along_K(self) -> None:
        self.compare("sums in HBM")


class Adr0034(Compared):
    def test_34_2_34_4_34_11_every_dtype(self) -> None:
        self.compare("any dtype")

    def test_34_8_34_9_a_B_of_fewer_bytes(self) -> None:
        self.compare("B of fewer bytes")


if __name__ == "__main__":
    unittest.main()
