"""The lists of cases: what they must hold, and how mistakes in them are told."""

import json
import os
import subprocess
import unittest
from pathlib import Path

from kernbench_gpu import suites
from kernbench_gpu.rows import BadInput

ROOT = Path(__file__).resolve().parents[2]
FILE = ROOT / "scripts/gpu/suites.json"


class Adr0024(unittest.TestCase):
    def setUp(self) -> None:
        self.suites = suites.read_suites(FILE)

    def test_24_7_milestone_has_the_shapes_of_the_milestone_bench(self) -> None:
        listed = subprocess.run([os.environ["KERNBENCH_PROGRAM"], "list", "--json"], capture_output=True, check=True)
        (bench,) = [bench for bench in json.loads(listed.stdout) if bench["name"] == "milestone-1h-gemm"]
        expected = [[int(size) for size in label.split("x")] for label in bench["axes"]["shape"]]
        self.assertEqual(len(expected), 8)
        self.assertEqual(self.suites["gemm"]["suites"]["milestone"], expected)

    def test_24_7_grids_and_squares_are_complete(self) -> None:
        lists = self.suites["gemm"]["suites"]
        for name, count in (("grid27", 3), ("grid64", 4)):
            sizes = {size for shape in lists[name] for size in shape}
            self.assertEqual(len(sizes), count)
            self.assertEqual({tuple(shape) for shape in lists[name]},
                             {(m, k, n) for m in sizes for k in sizes for n in sizes})  # fmt: skip
        self.assertEqual(lists["squares"], [[2**power] * 3 for power in range(7, 15)])
        self.assertEqual({shape[0] for shape in lists["skinny"]}, {2**power for power in range(9)})

    def test_24_7_each_shape_is_measured_once_in_the_order_of_importance(self) -> None:
        shapes = list(suites.gemm_shapes(self.suites))
        self.assertEqual(len({shape for _, shape in shapes}), len(shapes))
        order = [suites.IMPORTANCE.index(name) for name, _ in shapes]
        self.assertEqual(order, sorted(order))
        self.assertEqual(dict((shape, name) for name, shape in shapes)[(512, 512, 512)], "milestone")

    def test_24_7_cases_have_the_fields_of_their_bench_in_order(self) -> None:
        cases = suites.gemm_cases(self.suites, "triton", False, "cuda")
        self.assertEqual(list(cases[0].point), ["m", "k", "n", "dtype", "backend", "l2"])
        self.assertEqual(len({json.dumps(case.point) for case in cases}), len(cases))
        operator = suites.operator_cases(self.suites, "pytorch", False, "cuda")[0].point
        self.assertEqual(list(operator), ["operation", "implementation", "batch_size", "sequence_length",
                                          "tensor_dimension", "dtype", "l2"])  # fmt: skip
        dtensor = suites.dtensor_cases(self.suites, 4, False)[0].point
        self.assertEqual(
            list(dtensor), ["group", "m", "k", "n", "dtype", "method", "partitions", "replication", "gpus"]
        )

    def test_24_4_power_windows_are_for_warm_cases_of_the_power_suites(self) -> None:
        cases = suites.gemm_cases(self.suites, "torch_eager", False, "cuda")
        powered = {(case.suite, case.point["l2"]) for case in cases if case.power_window}
        self.assertEqual(powered, {("milestone", "warm"), ("squares", "warm")})
        compiled = suites.gemm_cases(self.suites, "torch_inductor", False, "cuda")
        self.assertFalse(any(case.power_window for case in compiled))
        self.assertEqual({case.suite for case in compiled}, {"milestone", "squares", "grid27"})

    def test_24_7_a_part_of_the_cases_may_be_asked_for(self) -> None:
        cases = suites.gemm_cases(self.suites, "triton", False, "cuda", ("bf16",), ("milestone", "ragged"))
        self.assertEqual({case.suite for case in cases}, {"milestone", "ragged"})
        self.assertEqual({case.point["dtype"] for case in cases}, {"bf16"})
        with self.assertRaisesRegex(BadInput, 'no "fp4"; there are fp32'):
            suites.gemm_cases(self.suites, "triton", False, "cuda", ("fp4",))


class Mistakes(unittest.TestCase):
    def refused(self, gemm: object, expected: str) -> None:
        with self.assertRaisesRegex(BadInput, expected):
            suites.gemm_cases({"gemm": gemm} if gemm else {}, "triton", False, "cuda")

    def test_a_mistake_is_told_with_its_place(self) -> None:
        self.refused(None, '"gemm": is missing')
        self.refused({"dtypes": []}, "gemm.suites: is missing")
        good = {"dtypes": ["bf16"], "power_suites": [], "suites": {"milestone": [[1, 2, 3]]}}
        self.refused({**good, "suites": {"milestone": [[1, 2, 3], [1, 2]]}}, r"gemm.suites.milestone\[1\]: expected 3")
        self.refused({**good, "suites": {"own": [[1, 2, 0]]}}, r"gemm.suites.own\[0\]: .* got \[1, 2, 0\]")
        self.refused({**good, "dtypes": ["bf17"]}, 'there is no "bf17"; known: fp32')

    def test_a_file_that_is_not_there(self) -> None:
        with self.assertRaisesRegex(BadInput, "none.json: cannot be read: .*--suites"):
            suites.read_suites(Path("none.json"))


if __name__ == "__main__":
    unittest.main()
