"""The whole command on a machine without a GPU."""

import json
import os
import platform
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from typing import List

import torch
from kernbench_gpu import environment
from kernbench_gpu.rows import read_results

ROOT = Path(__file__).resolve().parents[2]
RUN_ALL = [sys.executable, str(ROOT / "scripts/gpu/run-all")]


class DryRun(unittest.TestCase):
    """Two dry runs that the tests of Adr0024 look at: everything once, and the operators twice."""

    @classmethod
    def setUpClass(cls) -> None:
        cls.folder = tempfile.TemporaryDirectory()
        cls.out = Path(cls.folder.name) / "out"
        cls.twice = Path(cls.folder.name) / "twice"
        cls.done = cls.run_all("--out", str(cls.out), "--repeats", "1")
        cls.again = cls.run_all("--out", str(cls.twice), "--only", "operators")

    @classmethod
    def run_all(cls, *arguments: str) -> "subprocess.CompletedProcess[str]":
        command = [sys.executable, str(ROOT / "scripts/gpu/run-all"), "--device", "cpu", "--smoke", "--budget", "500"]
        # A rank has two lines of its own; a thread a core each would only wait for the others.
        environment_ = {**os.environ, "NCCL_NVLS_ENABLE": "0", "OMP_NUM_THREADS": "1"}
        return subprocess.run(command + list(arguments), capture_output=True, text=True, env=environment_)

    @classmethod
    def tearDownClass(cls) -> None:
        cls.folder.cleanup()

    def files(self) -> List[Path]:
        return [self.out / name for name in ("gemm.json", "operators.json", "overlap.json", "distributed_gemm.json")]


class Adr0024(DryRun):
    def test_24_14_every_part_that_needs_no_gpu_runs_and_the_others_are_named(self) -> None:
        self.assertEqual(self.done.returncode, 0, self.done.stdout + self.done.stderr)
        for name, least in (("gemm", 8), ("operators", 36), ("overlap", 2)):
            results = read_results(self.out / (name + ".json"))
            good = [row for row in results.rows if row.status == "ok"]
            self.assertGreaterEqual(len(good), least, name)
            self.assertIn("CPU", results.provenance["dry_run"])
            self.assertEqual(results.source["kind"], "gpu:CPU dry run")
            for row in good:
                self.assertTrue("rerun_spread" in row.metrics or "unrepeated" in row.flags, row)
        self.assertEqual(self.again.returncode, 0, self.again.stdout + self.again.stderr)
        repeated = [row for row in read_results(self.twice / "operators.json").rows if row.status == "ok"]
        self.assertGreaterEqual(len(repeated), 36)
        for row in repeated:
            self.assertIn("rerun_spread", row.metrics)
        for part in (
            "gemm-cublaslt: kernbench-gpu needs a GPU",
            "operators-cuda",
            "gemm-triton-bf16: what compiles is not part of a dry run",
            "operators-triton",
            "collectives-default-2",
            "copy-1",
        ):
            self.assertIn(part, self.done.stdout)
        self.assertRegex(self.done.stdout, r"(?m)^gemm +\d+ +0 +\d+")

    def test_24_14_what_it_writes_can_be_imported(self) -> None:
        program = os.environ["KERNBENCH_PROGRAM"]
        usage = subprocess.run([program, "reference", "import", "--help"], capture_output=True, text=True).stdout
        if "kernbench reference import" not in usage:
            self.skipTest("this kernbench has no command `reference import`")
        for out in (self.out, self.twice):
            command = [program, "reference", "import", "--dry-run", "--into", str(out / "reference")]
            done = subprocess.run(command + [str(path) for path in out.glob("*.json")], capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_24_6_versions_and_settings_are_there_and_the_computer_is_not(self) -> None:
        for path in self.files():
            provenance = read_results(path).provenance
            self.assertEqual(provenance["settings"].get("NCCL_NVLS_ENABLE"), "0")
            self.assertEqual(provenance["environment"]["torch"], torch.__version__)
            self.assertIn("driver", provenance["environment"])
            self.assertEqual(provenance["command"].count("/"), "scripts/gpu/run-all".count("/"), provenance["command"])
            self.assertNotIn(self.folder.name, path.read_text(encoding="utf-8"))
            if len(platform.node()) > 4:
                self.assertNotIn(platform.node(), path.read_text(encoding="utf-8"))

    def test_24_6_nothing_here_changes_the_card(self) -> None:
        forbidden = ("nvmlDeviceSet", "nvmlDeviceReset", "--lock-gpu-clocks", "--power-limit", "-pl", "NVLS_ENABLE")
        for path in (ROOT / "scripts/gpu").rglob("*.py"):
            for word in forbidden:
                self.assertNotIn(word, path.read_text(encoding="utf-8"), path)


class Cards(unittest.TestCase):
    def test_the_dry_runs_card_has_the_slug_of_its_name(self) -> None:
        self.assertEqual(json.loads(json.dumps(environment.cpu_card()))["slug"], "cpu-dry-run")

    def test_an_absent_peak_is_none(self) -> None:
        self.assertIsNone(environment.peak({}, "tflops", "bf16"))
        self.assertEqual(environment.peak({"peaks": {"memory_gbs": 4800}}, "memory_gbs"), 4800.0)


if __name__ == "__main__":
    unittest.main()
