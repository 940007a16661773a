"""The loop over cases: failures stay local, the budget holds, a stop keeps the rows."""

import argparse
import contextlib
import io
import os
import signal
import tempfile
import time
import unittest
from pathlib import Path
from typing import Any, Callable

import torch
from kernbench_gpu import cases as loop
from kernbench_gpu.rows import Results, Row, read_results
from kernbench_gpu.suites import Case

torch.set_num_threads(1)  # PyTorch is imported before a budget runs


class Loop(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.out = Path(folder.name) / "gemm.json"
        self.code = -1

    def run_loop(self, measure: Callable[[Case, Row], None], budget: float = 100.0, **more: Any) -> Results:
        options = argparse.Namespace(out=self.out, budget=budget, device="cpu")
        cases = [Case("suite", {"m": m}, 0.5) for m in range(1, 5)]
        with contextlib.redirect_stderr(io.StringIO()):
            self.code = loop.run_cases(options, "gpu-gemm", cases, measure, **more)
        return read_results(self.out)


class Adr0024(Loop):
    def test_24_8_a_failure_is_a_row_and_the_others_go_on(self) -> None:
        def measure(case: Case, row: Row) -> None:
            row.metrics["time_ns"] = 1.0
            if case.point["m"] == 1:
                raise MemoryError("none left")
            if case.point["m"] == 2:
                raise loop.NotSupported("not on this device")
            if case.point["m"] == 3:
                loop.require_right(float("nan"), 1e-3)

        rows = self.run_loop(measure).rows
        self.assertEqual([row.status for row in rows], ["failed", "skipped", "failed", "ok"])
        self.assertEqual([row.metrics.get("time_ns") for row in rows], [None, None, None, 1.0])
        self.assertEqual(rows[0].reason, "MemoryError: none left")
        self.assertIn("wrong: relative error nan", rows[2].reason)
        self.assertNotIn("error", rows[2].metrics)
        self.assertEqual(self.code, 1)

    def test_24_8_after_a_lost_device_the_rest_is_left_out_with_the_reason(self) -> None:
        def measure(case: Case, row: Row) -> None:
            raise RuntimeError("illegal address")

        results = self.run_loop(measure, after_failure=lambda: "the device is lost")
        self.assertEqual(len(results.rows), 1)
        self.assertEqual(results.provenance["skipped"], [{"what": "suite", "cases": 3, "why": "the device is lost"}])

    def test_24_10_a_case_that_does_not_fit_is_not_begun(self) -> None:
        results = self.run_loop(lambda case, row: time.sleep(0.5), budget=2.3)
        self.assertEqual(len(results.rows), 2)
        self.assertEqual(results.provenance["skipped"], [{"what": "suite", "cases": 2, "why": "time budget"}])
        self.assertEqual(self.code, 0)

    def test_24_12_a_signal_keeps_the_rows(self) -> None:
        before = signal.getsignal(signal.SIGTERM), signal.getsignal(signal.SIGINT)
        self.addCleanup(lambda: (signal.signal(signal.SIGTERM, before[0]), signal.signal(signal.SIGINT, before[1])))

        def measure(case: Case, row: Row) -> None:
            if case.point["m"] == 3:
                os.kill(os.getpid(), signal.SIGTERM)
                time.sleep(5)

        loop.stop_on_signals()
        results = self.run_loop(measure)
        self.assertEqual([row.point["m"] for row in results.rows], [1, 2])
        self.assertEqual(results.provenance["skipped"],
                         [{"what": "suite", "cases": 2, "why": "stopped by signal 15"}])  # fmt: skip

    def test_24_14_a_dry_run_says_so(self) -> None:
        results = self.run_loop(lambda case, row: None)
        self.assertEqual(results.source["kind"], "gpu:CPU dry run")
        self.assertIn("CPU", results.provenance["dry_run"])
        self.assertEqual(results.provenance["environment"]["driver"], "none")


if __name__ == "__main__":
    unittest.main()
