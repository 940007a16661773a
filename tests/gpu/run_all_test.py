"""The whole command on a machine without a GPU."""

import json
import os
import platform
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path
from typing import List

from kernbench_gpu import environment, run_all
from kernbench_gpu.rows import BadInput, read_results

ROOT = Path(__file__).resolve().parents[2]
RUN_ALL = [sys.executable, str(ROOT / "scripts/gpu/run-all")]


def call(*arguments: str, **more: object) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(RUN_ALL + list(arguments), capture_output=True, text=True, timeout=300, **more)  # type: ignore


class DryRun(unittest.TestCase):
    """One dry run that the tests of Adr0024 look at."""

    @classmethod
    def setUpClass(cls) -> None:
        cls.folder = tempfile.TemporaryDirectory()
        cls.out = Path(cls.folder.name) / "out"
        environment_ = {**os.environ, "NCCL_NVLS_ENABLE": "0"}
        cls.done = call("--out", str(cls.out), "--device", "cpu", "--smoke", "--budget", "150", env=environment_)

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
        for part in ("gemm-cublaslt: kernbench-gpu needs a GPU", "operators-cuda", "collectives-default-2", "copy-1"):
            self.assertIn(part, self.done.stdout)
        self.assertRegex(self.done.stdout, r"(?m)^gemm +\d+ +0 +\d+")

    def test_24_14_what_it_writes_can_be_imported(self) -> None:
        program = os.environ["KERNBENCH_PROGRAM"]
        usage = subprocess.run([program, "reference", "import", "--help"], capture_output=True, text=True).stdout
        if "kernbench reference import" not in usage:
            self.skipTest("this kernbench has no command `reference import`")
        files = [str(path) for path in self.out.glob("*.json")]
        done = subprocess.run([program, "reference", "import", "--dry-run", "--into", str(self.out / "reference"), *files],
                              capture_output=True, text=True)  # fmt: skip
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_24_6_versions_and_settings_are_there_and_the_computer_is_not(self) -> None:
        for path in self.files():
            provenance = read_results(path).provenance
            self.assertEqual(provenance["settings"].get("NCCL_NVLS_ENABLE"), "0")
            self.assertIn("torch", provenance["environment"])
            self.assertIn("driver", provenance["environment"])
            if len(platform.node()) > 4:
                self.assertNotIn(platform.node(), path.read_text(encoding="utf-8"))

    def test_24_6_nothing_here_changes_the_card(self) -> None:
        forbidden = ("nvmlDeviceSet", "nvmlDeviceReset", "--lock-gpu-clocks", "--power-limit", "-pl", "NVLS_ENABLE")
        for path in (ROOT / "scripts/gpu").rglob("*.py"):
            for word in forbidden:
                self.assertNotIn(word, path.read_text(encoding="utf-8"), path)

    def test_24_12_bad_input_ends_with_2_and_writes_nothing(self) -> None:
        for arguments, expected in (
            (["--only", "gem"], 'there is no suite "gem"; there are device, gemm'),
            (["--budget", "1"], "--budget: expected more than"),
            (["--gpus", "0"], "--gpus: expected a whole number of at least 1"),
            (["--suites", "none.json"], "none.json: cannot be read"),
        ):
            out = Path(self.folder.name) / "bad"
            done = call("--out", str(out), "--device", "cpu", "--smoke", *arguments)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(expected, done.stderr)
            self.assertFalse(out.exists())

    def test_24_12_without_a_gpu_it_says_how_to_go_on(self) -> None:
        with self.assertRaisesRegex(BadInput, "no GPU found .*--device cpu --smoke"):
            options = run_all.parse(["--out", "none"])
            saved = os.environ.get("CUDA_VISIBLE_DEVICES")
            os.environ["CUDA_VISIBLE_DEVICES"] = ""
            try:
                run_all.choose_gpus(options)
            finally:
                del os.environ["CUDA_VISIBLE_DEVICES"]
                if saved is not None:
                    os.environ["CUDA_VISIBLE_DEVICES"] = saved

    def test_24_12_interrupted_it_leaves_whole_files(self) -> None:
        out = Path(self.folder.name) / "stopped"
        # Without --smoke a dry run would take hours: it is stopped in the middle of a job.
        process = subprocess.Popen(RUN_ALL + ["--out", str(out), "--device", "cpu", "--only", "gemm", "--budget", "500"],
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)  # fmt: skip
        part = out / "parts/run1/gemm-torch-eager.json"
        deadline = time.monotonic() + 60
        while not (part.exists() and read_results(part).rows) and time.monotonic() < deadline:
            time.sleep(0.2)
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130, said)
        results = read_results(out / "gemm.json")
        self.assertGreater(len([row for row in results.rows if row.status == "ok"]), 0)
        self.assertTrue(any("stopped by signal" in entry["why"] for entry in results.provenance["skipped"]))
        self.assertEqual([path for path in out.rglob(".*")], [])


class Cards(unittest.TestCase):
    def test_the_dry_runs_card_has_the_slug_of_its_name(self) -> None:
        self.assertEqual(json.loads(json.dumps(environment.cpu_card()))["slug"], "cpu-dry-run")

    def test_an_absent_peak_is_none(self) -> None:
        self.assertIsNone(environment.peak({}, "tflops", "bf16"))
        self.assertEqual(environment.peak({"peaks": {"memory_gbs": 4800}}, "memory_gbs"), 4800.0)


if __name__ == "__main__":
    unittest.main()
