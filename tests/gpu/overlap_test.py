"""The overlap sweep: folders, resuming, and what NCCL is asked for; ranks run on the CPU."""

import contextlib
import gzip
import io
import json
import os
import shutil
import sys
import tempfile
import unittest
import unittest.mock
from pathlib import Path
from typing import Dict

from kernbench_gpu import overlap, ranks
from kernbench_gpu.overlap import known_metrics, launched, nccl_settings, traced
from kernbench_gpu.rows import Results, read_results

FOLDERS = ["28ch_256threads", "28ch_512threads"]
SUITES = Path(__file__).resolve().parents[2] / "scripts/gpu/suites.json"


def sweep(out: Path, *more: str) -> Results:
    """A sweep into `out`. Its ranks are processes, and start PyTorch; the one that starts them is this one."""
    argv = ["overlap", "--gpus", "2", "--device", "cpu", "--smoke"]
    argv += ["--out", str(out / "overlap.json"), "--traces", str(out / "traces" / "overlap"), *more]
    said = io.StringIO()
    with unittest.mock.patch.object(sys, "argv", argv), contextlib.redirect_stderr(said):
        code = overlap.run(argv[1:])
    if code != 0:
        raise AssertionError("exit code %d: %s" % (code, said.getvalue()))
    return read_results(out / "overlap.json")


def times(results: Results, row: int) -> Dict[str, float]:
    """All that a row says of its time: of two measurements some of it differs."""
    return {name: value for name, value in results.rows[row].metrics.items() if name.startswith("time_")}


class Adr0024(unittest.TestCase):
    """Each test goes on from a copy of one sweep."""

    @classmethod
    def setUpClass(cls) -> None:
        cls.folder = tempfile.TemporaryDirectory()
        cls.first = sweep(Path(cls.folder.name) / "first")

    @classmethod
    def tearDownClass(cls) -> None:
        cls.folder.cleanup()

    def setUp(self) -> None:
        self.out = Path(self.folder.name) / self.id()
        shutil.copytree(Path(self.folder.name) / "first", self.out)
        self.traces = self.out / "traces" / "overlap"

    def test_24_13_a_folder_a_configuration_with_a_trace_a_rank_and_no_second_run_of_a_complete_one(self) -> None:
        first = self.first
        self.assertEqual([row.status for row in first.rows], ["ok", "ok"], [row.reason for row in first.rows])
        self.assertEqual([row.metrics["trace"] for row in first.rows], ["traces/overlap/" + name for name in FOLDERS])
        self.assertEqual(sorted(path.name for path in self.traces.iterdir()), FOLDERS + ["manifest.json"])
        for name in FOLDERS:
            self.assertEqual(sorted(path.name for path in (self.traces / name).iterdir()),
                             ["config.json", "rank0.json.gz", "rank1.json.gz"])  # fmt: skip
            trace = json.loads(gzip.decompress((self.traces / name / "rank1.json.gz").read_bytes()))
            self.assertGreater(len(trace["traceEvents"]), 10)
            self.assertNotIn(self.folder.name, json.dumps(trace))
        manifest = json.loads((self.traces / "manifest.json").read_text(encoding="utf-8"))
        self.assertEqual([one["folder"] for one in manifest["configurations"]], FOLDERS)

        # One is complete, the other was interrupted: only that one runs again.
        (self.traces / FOLDERS[1] / "config.json").unlink()
        again = sweep(self.out)
        self.assertEqual(times(again, 0), times(first, 0))
        self.assertNotEqual(times(again, 1), times(first, 1))

        # A second run measures, and leaves the first one's traces alone.
        before = (self.traces / FOLDERS[0] / "rank0.json.gz").read_bytes()
        one = json.loads(SUITES.read_text(encoding="utf-8"))
        one["overlap"].update(channels=[28], threads=[256])
        (self.out / "suites.json").write_text(json.dumps(one), encoding="utf-8")
        second = sweep(self.out, "--quick", "--suites", str(self.out / "suites.json"))
        self.assertNotEqual(times(second, 0), times(first, 0))
        self.assertNotIn("trace", second.rows[0].metrics)
        self.assertEqual((self.traces / FOLDERS[0] / "rank0.json.gz").read_bytes(), before)

    def test_24_13_what_another_gpu_driver_or_library_measured_is_measured_again(self) -> None:
        first = self.first
        manifest = self.traces / FOLDERS[0] / "config.json"
        written = json.loads(manifest.read_text(encoding="utf-8"))
        for name in ("driver", "cuda_runtime", "torch"):
            self.assertIn(name, written["environment"])
        summary = json.loads((self.traces / "manifest.json").read_text(encoding="utf-8"))
        self.assertEqual(summary["environment"], written["environment"])

        other_driver = {**written["environment"], "driver": "1.0"}
        other_nccl = {**written["environment"], "torch_nccl": "1.0"}
        other = [{"gpu": "NVIDIA other"}, {"environment": other_driver}, {"environment": other_nccl},
                 {"settings": {"NCCL_ALGO": "Tree"}}]  # fmt: skip
        wanted = {name: value for name, value in written.items() if name not in ("metrics", "nccl", "ranks")}
        self.assertEqual(known_metrics(manifest, wanted), written["metrics"])
        older = {name: value for name, value in written.items() if name not in ("gpu", "environment", "settings")}
        with contextlib.redirect_stderr(io.StringIO()):
            for known in [{**written, **change} for change in other] + [older]:
                manifest.write_text(json.dumps(known), encoding="utf-8")
                self.assertIsNone(known_metrics(manifest, wanted))
            for junk in ("1", "[]", "{", '{"metrics": 1}', ""):
                manifest.write_text(junk, encoding="utf-8")
                self.assertIsNone(known_metrics(manifest, wanted))

        manifest.write_text(json.dumps({**written, "environment": other_driver}), encoding="utf-8")
        again = sweep(self.out)
        self.assertNotEqual(times(again, 0), times(first, 0))
        self.assertEqual(times(again, 1), times(first, 1))
        self.assertEqual(json.loads(manifest.read_text(encoding="utf-8"))["environment"], written["environment"])

    def test_24_13_nccl_is_asked_for_the_configuration(self) -> None:
        self.assertEqual(
            nccl_settings({"channels": 42, "threads": 512, "gpus": 4}),
            {"NCCL_MIN_NCHANNELS": "42", "NCCL_MAX_NCHANNELS": "42", "NCCL_NTHREADS": "512"},
        )

    def test_24_13_a_profiler_that_fails_leaves_the_times(self) -> None:
        def fail() -> dict:
            raise RuntimeError("no room\nleft")

        self.assertEqual(traced(fail), {"trace_problem": "RuntimeError: no room left"})
        self.assertEqual(traced(lambda: {"nccl_channels_count": 2}), {"nccl_channels_count": 2})

    def test_24_13_the_trace_tells_what_nccl_took(self) -> None:
        took = {"grid": [24, 1, 1], "block": [256, 1, 1]}
        kernel = {"cat": "kernel", "name": "ncclDevKernel_AllReduce_Sum_bf16_RING_LL", "args": took}
        small = {**kernel, "args": {"grid": [2, 1, 1], "block": [544, 1, 1]}}
        other = {**kernel, "name": "gemm", "args": {"grid": [900, 1, 1], "block": [384, 1, 1]}}
        self.assertEqual(launched({"traceEvents": [kernel, small, other]}),
                         {"nccl_channels_count": 24, "nccl_threads_count": 544})  # fmt: skip
        self.assertEqual(launched({"traceEvents": []}), {})


class Ranks(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.logs = Path(folder.name) / "job"

    def run_ranks(self, code: str, timeout_s: float = 20.0) -> int:
        return ranks.run_ranks([sys.executable, "-c", code], 2, {"GREETING": "hello"}, self.logs, timeout_s)

    def test_every_rank_knows_its_number(self) -> None:
        code = "import os; print(os.environ['KERNBENCH_RANK'], os.environ['KERNBENCH_WORLD'], os.environ['GREETING'])"
        self.assertEqual(self.run_ranks(code), 0)
        texts = [self.logs.with_name("job.rank%d.log" % rank).read_text(encoding="utf-8") for rank in range(2)]
        self.assertEqual(texts, ["0 2 hello\n", "1 2 hello\n"])

    def test_a_rank_that_breaks_ends_the_others(self) -> None:
        breaks = "print('Error: no NCCL', flush=True) or os._exit(7)"
        code = "import os, time\nif os.environ['KERNBENCH_RANK'] == '1': %s\ntime.sleep(60)" % breaks
        with self.assertRaisesRegex(ranks.RankFailed, "rank 1 ended with exit code 7: Error: no NCCL"):
            self.run_ranks(code)

    def test_a_rank_that_hangs_is_ended(self) -> None:
        with self.assertRaisesRegex(ranks.RankFailed, "rank 0 did not end in time: it said nothing"):
            self.run_ranks("import time; time.sleep(60)", 0.5)


if __name__ == "__main__":
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    unittest.main()
