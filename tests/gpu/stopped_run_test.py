"""The whole command where it is asked for what cannot be, and where it is stopped."""

import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

import torch
from kernbench_gpu import run_all
from kernbench_gpu.rows import BadInput, read_results

ROOT = Path(__file__).resolve().parents[2]
RUN_ALL = [sys.executable, str(ROOT / "scripts/gpu/run-all")]


class Adr0024(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def test_24_12_bad_input_ends_with_2_and_writes_nothing(self) -> None:
        for arguments, expected in (
            (["--only", "gem"], 'there is no suite "gem"; there are device, gemm'),
            (["--budget", "1"], "--budget: expected more than"),
            (["--gpus", "0"], "--gpus: expected a whole number of at least 1"),
            (["--suites", "none.json"], "none.json: cannot be read"),
        ):
            out = self.folder / "bad"
            command = RUN_ALL + ["--out", str(out), "--device", "cpu", "--smoke"]
            done = subprocess.run(command + arguments, capture_output=True, text=True, timeout=60)
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
        out = self.folder / "stopped"
        # Without --smoke a dry run would take hours: it is stopped in the middle of a job.
        process = subprocess.Popen(RUN_ALL + ["--out", str(out), "--device", "cpu", "--only", "gemm", "--budget", "500"],
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                   env={**os.environ, "OMP_NUM_THREADS": "1"})  # fmt: skip
        part = out / "parts/run1/gemm-torch-eager.json"
        while not (part.exists() and read_results(part).rows) and process.poll() is None:
            time.sleep(0.2)
        process.send_signal(signal.SIGINT)
        _, said = process.communicate()
        self.assertEqual(process.returncode, 130, said)
        results = read_results(out / "gemm.json")
        self.assertEqual(results.provenance["environment"]["torch"], torch.__version__)
        self.assertGreater(len([row for row in results.rows if row.status == "ok"]), 0)
        self.assertTrue(any("stopped by signal" in entry["why"] for entry in results.provenance["skipped"]))
        self.assertEqual([path for path in out.rglob(".*")], [])


if __name__ == "__main__":
    unittest.main()
