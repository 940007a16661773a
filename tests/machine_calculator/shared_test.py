"""HBM that PEs share, and kernels on grids, beside the calculator: all that is reported, every record of every unit."""

import unittest
from dataclasses import replace
from typing import Sequence, Tuple

import mapped_cases
from cases import OWNER, RING, SPLIT, gemm
from gemm import Problem
from machine import Machine, Value
from shared_cases import MULTICAST, PLENTY, SHIFT, Case, calculated, different, of_one_pe, over_pes, prepared
from grid_gemm import GridGemm


def multicast(grid: Tuple[int, int], m: int, k: int, n: int, layout: str = "blocked", **different: Value) -> Case:
    machine = Machine(multicast="true", stream_depth=1, columns=2, slots=2, slot_bytes=256).but(**different)
    return Case(machine, gemm(MULTICAST, m, k, n, layout, ("blocks", "rows", "blocks"), grid=grid))


def shift(grid: Tuple[int, int], m: int, k: int, n: int, layout: str = "blocked", a: str = "blocks", b: str = "blocks",
          **different: Value) -> Case:  # fmt: skip
    return Case(Machine().but(**different), gemm(SHIFT, m, k, n, layout, (a, b, "blocks"), grid=grid))


MULTICASTS = [
    multicast((2, 1), 32, 128, 64, columns=1, slots=1),  # a PE without a part
    multicast((3, 3), 160, 130, 65, "row_major", rows=3, columns=3, slot_bytes=1000, virtual_channels=1, buffer=256),
    multicast((4, 1), 128, 512, 64, tcm_capacity=60000),
    multicast((1, 4), 64, 64, 128, tcm_capacity=33000, fetch_bandwidth=100 * 10**9),
    multicast((2, 2), 64, 256, 64, tcm_capacity=30000, slots=1),
]


class Compared(unittest.TestCase):
    maxDiff = None

    def compare(self, cases: Sequence[Case]) -> None:
        self.assertEqual(different(cases), [])

    def compare_one_pe(self, cases: Sequence[mapped_cases.Case]) -> None:
        self.assertEqual(mapped_cases.different(cases), [])
        self.assertEqual(mapped_cases.different_records(cases), [])


class Adr0064(Compared):
    def test_64_1_64_2_controllers_at_edges_and_places(self) -> None:
        named = ("0,0", "1,2 0,1", "north", "south west", "east north 0,0", "west south east north", "1,3 1,2 1,1 1,0")
        problem = Problem(40, 70, 50, "", ())
        cases = [mapped_cases.Case(Machine(controllers=said, interleave=512), problem) for said in named]
        self.compare_one_pe(cases)

    def test_64_3_64_4_64_7_PE_0_of_a_machine_alone(self) -> None:
        self.compare_one_pe([of_one_pe("any", seed) for seed in range(15)])

    def test_64_3_64_4_reads_and_writes_that_meet(self) -> None:
        self.compare_one_pe([of_one_pe("reads and writes meet", seed) for seed in range(15)])

    def test_64_5_loads_and_results_of_many_steps_complete_in_order(self) -> None:
        for kind in ("sums in TCM", "sums in HBM"):
            self.compare_one_pe([of_one_pe(kind, seed) for seed in range(6)])

    def test_64_5_few_credits_for_what_is_read(self) -> None:
        machine = Machine(rows=1, columns=3, controllers="0,2 0,0 0,1", interleave=512, outstanding_bursts=9)
        problem = Problem(32, 300, 32, "load_ref", ())
        self.compare_one_pe([mapped_cases.Case(machine, problem)])

    @unittest.expectedFailure  # the program gives the next packet the credits that it hears of first
    def test_64_5_few_credits_for_what_is_written(self) -> None:
        machine = Machine(rows=1, columns=2, controllers="0,0 0,1", interleave=512, outstanding_bursts=4)
        self.compare_one_pe([mapped_cases.Case(machine, Problem(32, 64, 32, "", ()), ("load_load",), ("blocked",))])

    def test_64_6_64_10_PEs_of_a_die(self) -> None:
        for variant in (OWNER, RING, SPLIT):
            with self.subTest(variant):
                self.compare([over_pes(variant, seed, [1]) for seed in range(6)])

    def test_64_6_64_10_PEs_of_several_dies(self) -> None:
        for variant in (OWNER, RING, SPLIT):
            with self.subTest(variant):
                self.compare([over_pes(variant, seed, [2, 3]) for seed in range(4)])

    def test_64_11_at_right_angles_to_the_edge(self) -> None:
        drawn = [over_pes(variant, seed, [1, 2]) for variant in (OWNER, MULTICAST) for seed in range(24)]
        cases = [case for case in drawn if case.machine.routing == "perpendicular"]
        cases = [case for case in cases if min(case.machine.rows, case.machine.columns) > 1][:10]
        plain = [replace(case, machine=case.machine.but(routing="xy")) for case in cases]
        self.assertGreater(sum(calculated(case) != calculated(other) for case, other in zip(cases, plain)), 4)
        self.compare(cases)


class Adr0030(Compared):
    def test_30_17_parts_of_nothing_and_of_several_pieces(self) -> None:
        cases = [
            shift((2, 1), 32, 128, 64, a="rows", b="columns", columns=1),
            shift((4, 2), 160, 64, 33, "row_major", b="replicate"),
            shift((1, 3), 96, 600, 64, b="rows", rows=1, columns=3),
            shift((2, 2), 64, 512, 64, a="rows", b="rows", columns=2, tcm_capacity=90000),
        ]
        self.assertEqual([pieces(case) for case in cases], [1, 1, 1, 2])
        self.compare(cases)

    def test_30_17_random_machines_of_partitions(self) -> None:
        cases = [over_pes(SHIFT, seed, [1, 2], shares=False) for seed in range(14)]
        self.assertGreater(sum(pieces(case) > 1 for case in cases), 0)
        self.assertGreater(sum(grid(case).passes > 1 for case in cases), 0)
        self.compare(cases)

    def test_30_17_64_6_random_machines_that_share(self) -> None:
        self.compare([over_pes(SHIFT, seed, [1, 2]) for seed in range(6)])

    def test_30_18_parts_of_nothing_pieces_and_two_rooms(self) -> None:
        self.assertEqual([(rooms(case), pieces(case)) for case in MULTICASTS], [(3, 2), (3, 1), (3, 8), (2, 1), (2, 4)])
        self.compare(MULTICASTS)

    def test_30_19_rooms_and_pieces_that_each_term_of_the_estimate_decides(self) -> None:
        cases = [multicast((2, 2), 64, 128, 64)]  # of equal ones fewer pieces, as the last one more rooms
        for k, tcm, fetch, latency in ((576, 83968, 217, 32000), (576, 83968, 216, 32000),
                                       (576, 83968, 185, 32000), (576, 83968, 217, 64000)):  # fmt: skip
            cases.append(multicast((1, 2), 33, k, 33, rows=1, tcm_capacity=tcm, fetch_bandwidth=fetch * 10**9,
                                   tcm_write_bandwidth=200 * 10**9, read_latency=latency))  # fmt: skip
        self.assertEqual([(rooms(case), pieces(case)) for case in cases], [(3, 1), (3, 9), (3, 3), (2, 5), (3, 3)])
        self.compare(cases)


class Adr0065(Compared):
    def test_65_2_65_3_messages_to_several_one_after_the_other(self) -> None:
        self.compare([replace(case, machine=case.machine.but(multicast="false", tier="sram")) for case in MULTICASTS])

    def test_65_2_65_4_65_5_random_machines(self) -> None:
        cases = [over_pes(MULTICAST, seed, [1, 2] if seed < 3 else [1], shares=seed % 2 == 0) for seed in range(16)]
        self.assertEqual({case.machine.multicast for case in cases}, {"false", "true"})
        self.assertGreater(sum(grid(case).passes > 1 for case in cases), 0)
        self.compare(cases)

    def test_65_5_a_late_copy_leaves_the_port_to_what_it_feeds(self) -> None:
        machine = Machine(rows=3, columns=3, virtual_channels=3, buffer=256, multicast="true", slots=3,
                          controllers="south east west", interleave=1280, crossing_connections=3,
                          outstanding_bursts=PLENTY, hbm_capacity=5 << 28)  # fmt: skip
        placement, dtypes = ("columns", "rows", "blocks"), ("tf32", "as_a")
        self.compare([Case(machine, gemm(MULTICAST, 96, 130, 65, "blocked", placement, dtypes, (3, 3)))])


def pieces(case: Case) -> int:
    return grid(case).pieces


def rooms(case: Case) -> int:
    return grid(case).rooms


def grid(case: Case) -> GridGemm:
    made = prepared(case)
    assert isinstance(made, GridGemm)
    return made


if __name__ == "__main__":
    unittest.main()
