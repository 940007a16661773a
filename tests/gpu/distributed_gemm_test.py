"""Tiles of a distributed GEMM, and the bytes that DTensor's redistribution must move."""

import itertools
import unittest

from kernbench_gpu import cases as loop
from kernbench_gpu.distributed_gemm import Problem, area, chunk, closest_grid, problem_of, tile_of


def elements(tile) -> set:
    (top, bottom), (left, right) = tile
    return set(itertools.product(range(top, bottom), range(left, right)))


class Adr0024(unittest.TestCase):
    def test_24_9_tiles_cover_a_matrix_once_ragged_and_empty_ones_too(self) -> None:
        for partition in ("row", "column", "block"):
            for shape, parts in itertools.product(((7, 5), (4, 4), (1, 9), (3, 1)), (1, 2, 3, 4, 6)):
                tiles = [elements(tile_of(partition, shape, parts, index)) for index in range(parts)]
                self.assertEqual(sum(len(tile) for tile in tiles), shape[0] * shape[1])
                self.assertEqual(set().union(*tiles), set(itertools.product(range(shape[0]), range(shape[1]))))

    def test_24_9_tiles_are_cut_by_ceiling_division(self) -> None:
        self.assertEqual([chunk(5, 4, index) for index in range(4)], [(0, 2), (2, 4), (4, 5), (5, 5)])
        self.assertEqual([closest_grid(parts) for parts in (1, 2, 4, 6, 8, 7)],
                         [(1, 1), (2, 1), (2, 2), (3, 2), (4, 2), (7, 1)])  # fmt: skip

    def test_24_9_received_bytes_are_the_elements_needed_and_not_held(self) -> None:
        for a, b, c in itertools.product(("row", "column"), repeat=3):
            for m, k, n in ((7, 5, 6), (8, 8, 8), (1, 3, 2)):
                problem = Problem(m, k, n, (a, b, c), 3)
                for index in range(3):
                    missing = 0
                    for held, needed in problem.held_and_needed(index):
                        missing += len(elements(needed) - elements(held))
                    self.assertEqual(problem.received_bytes(index), 2 * missing, (a, b, c, m, k, n, index))

    def test_24_9_what_is_needed_is_enough_for_the_part_of_c(self) -> None:
        for partition in ("row", "column", "block"):
            problem = Problem(9, 4, 7, (partition,) * 3, 4)
            for index in range(4):
                (_, a), (_, b) = problem.held_and_needed(index)
                rows, columns = tile_of(partition, (9, 7), 4, index)
                self.assertEqual((a[0], a[1], b[0], b[1]), (rows, (0, 4), (0, 4), columns))

    def test_24_9_known_volumes(self) -> None:
        # A stays, B is gathered: three quarters of B.
        self.assertEqual(Problem(8, 8, 8, ("row", "row", "row"), 4).received_bytes(0), 2 * 48)
        # A from columns to rows: each of four GPUs keeps a sixteenth of A, of its quarter.
        self.assertEqual(Problem(8, 8, 8, ("column", "row", "row"), 4).received_bytes(2), 2 * (12 + 48))
        self.assertEqual(Problem(8, 8, 8, ("block",) * 3, 4).received_bytes(1), 2 * (16 + 16))
        self.assertEqual(area(((3, 2), (0, 5))), 0)


class Cases(unittest.TestCase):
    def test_what_is_not_measured_is_skipped_with_the_reason(self) -> None:
        point = {"m": 8, "k": 8, "n": 8, "partitions": "row,column,row", "replication": 3, "gpus": 4}
        with self.assertRaisesRegex(loop.NotSupported, "replication 3 does not divide 4 GPUs"):
            problem_of(point)
        with self.assertRaisesRegex(loop.NotSupported, "blocks in all"):
            problem_of({**point, "replication": 1, "partitions": "row,block,row"})
        self.assertEqual(problem_of({**point, "replication": 2}).parts, 2)


if __name__ == "__main__":
    unittest.main()
