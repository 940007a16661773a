"""Random products for a calibration: shapes of a seed, kernels out of a trace, a dry run and the user's mistakes."""

import contextlib
import io
import json
import tempfile
import time
import unittest
from pathlib import Path

from kernbench_gpu import random_products
from kernbench_gpu.calibration_rows import Cpu, kernels_of_trace, measured, run
from kernbench_gpu.random_products import Shape, shapes


class Shapes(unittest.TestCase):
    def test_a_seed_gives_the_same_different_shapes(self) -> None:
        drawn = shapes("fp32", False, 60, 7)
        self.assertEqual(drawn, shapes("fp32", False, 60, 7))
        self.assertNotEqual(drawn, shapes("fp32", False, 60, 8))
        self.assertEqual(len({(one.m, one.n, one.k) for one in drawn}), 60)
        self.assertEqual({one.tag for one in drawn}, set(random_products.FAMILIES))

    def test_regular_rows_are_multiples_of_16_bytes_and_ragged_ones_are_not(self) -> None:
        for dtype, step in (("fp32", 4), ("bf16", 8)):
            self.assertTrue(all(one.n % step == 0 and one.k % step == 0 for one in shapes(dtype, False, 50, 1)))
            ragged = shapes(dtype, True, 50, 1)
            self.assertTrue(all(one.n % step or one.k % step for one in ragged))
            self.assertGreater(sum(bool(one.n % 2 or one.k % 2) for one in ragged), 10)

    def test_no_product_is_larger_than_its_dtype_may_be(self) -> None:
        most = max(2.0 * one.m * one.n * one.k for one in shapes("fp32", False, 200, 3))
        self.assertLessEqual(most, random_products.MOST_OPERATIONS["fp32"])


class Kernels(unittest.TestCase):
    def test_kernels_belong_to_the_marker_before_them(self) -> None:
        def kernel(name: str, ts: float) -> dict:
            facts = {"grid": [2, 1, 1], "block": [128, 1, 1], "registers per thread": 80, "shared memory": 1024}
            return {"cat": "kernel", "name": name, "ts": ts, "dur": 2.5, "args": facts}

        spin = "at::spin_kernel(long)"
        events = [kernel("second", 40), kernel("earlier", 0), kernel(spin, 10), kernel("first", 20), kernel(spin, 30)]
        found = kernels_of_trace(json.dumps({"traceEvents": [*events, {"cat": "cpu_op", "name": "mm", "ts": 15}]}))
        self.assertEqual([[one["name"] for one in launched] for launched in found], [["first"], ["second"]])
        self.assertEqual(found[0][0], {"name": "first", "grid": [2, 1, 1], "block": [128, 1, 1], "regs": 80,
                                       "smem": 1024, "us": 2.5})  # fmt: skip


class DryRun(unittest.TestCase):
    def test_a_dry_run_writes_rows_and_where_they_come_from(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            out = Path(folder) / "rows.json"
            with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
                self.assertEqual(run(["--device", "cpu", "--dtypes", "fp32,bf16", "--count", "4", "--ragged", "--steady",
                                      "--out", str(out)]), 0)  # fmt: skip
            document = json.loads(out.read_text(encoding="utf-8"))
        self.assertEqual([row["dtype"] for row in document["rows"]], ["fp32"] * 4 + ["bf16"] * 4)
        self.assertTrue(all(row["warm_burst_us"] > 0 for row in document["rows"]))
        self.assertTrue(all(row["warm_steady_us"] > 0 for row in document["rows"]))
        self.assertTrue(document["provenance"]["command"].endswith(" --ragged --steady"))
        self.assertIn("--dtypes fp32,bf16 --count 4 --seed 1", document["provenance"]["command"])
        self.assertEqual(document["provenance"]["skipped"], 0)

    def test_the_budget_ends_it_with_the_rows_that_there_are(self) -> None:
        of = [Shape("small", 8, 8, 8)] * 3
        self.assertEqual(measured(Cpu("fp32"), "fp32", of, time.monotonic() - 1, lambda done: None), [])

    def test_bad_input_ends_with_exit_code_2_and_says_what_is_expected(self) -> None:
        for arguments, message in (
            (["--dtypes", "fp31"], "expected some of fp32,tf32,fp16,bf16, got 'fp31'"),
            (["--count", "0"], "expected a whole number from 1 to 100000, got '0'"),
        ):
            said = io.StringIO()
            with contextlib.redirect_stderr(said), self.assertRaises(SystemExit) as stopped:
                run(arguments)
            self.assertEqual(stopped.exception.code, 2)
            self.assertIn(message, said.getvalue())


if __name__ == "__main__":
    unittest.main()
