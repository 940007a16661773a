"""Jobs share the time, run side by side or alone, and end when they must."""

import contextlib
import io
import json
import os
import sys
import tempfile
import time
import unittest
from pathlib import Path
from typing import Dict, List

from kernbench_gpu import scheduler
from kernbench_gpu.jobs import SUITES, Job, Plan, Planner, Settings, first_of_suites
from kernbench_gpu.scheduler import Outcome, Scheduler, lanes_of, seconds_of

ROOT = Path(__file__).resolve().parents[2]

CHILD = """
import argparse, json, os, sys, time
options = argparse.ArgumentParser()
for name in ("--out", "--budget", "--seconds"):
    options.add_argument(name)
options.add_argument("--quick", action="store_true")
options = options.parse_args()
begin = time.time()
with open(options.out, "w") as file:
    json.dump({"budget": float(options.budget), "quick": options.quick,
               "gpus": os.environ["CUDA_VISIBLE_DEVICES"], "begin": begin}, file)
time.sleep(float(options.seconds))
"""


def job(name: str, weight_s: float, seconds: float = 0.3, gpus: int = 1, argv: List[str] = []) -> Job:
    return Job(
        name, "gemm", "gemm.json", argv or [sys.executable, "-c", CHILD, "--seconds", str(seconds)], weight_s, gpus
    )


def plan_of(gpus: int, only: List[str], program: str = "/bin/true", smoke: bool = False) -> Plan:
    settings = Settings(Path("/none"), ROOT / "scripts/gpu/suites.json", Path(program), "cuda", smoke, gpus, 1)
    return Planner(settings, only).plan()


class Adr0024(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.out = Path(folder.name)
        self.outcomes: Dict[str, Outcome] = {}

    def run_jobs(self, jobs: List[Job], seconds: float, run: int = 1, small: bool = False) -> Dict[str, dict]:
        """What each child was told, by name."""
        whole = Scheduler(self.out, 2, dict(os.environ), ["4", "7"], self.finished, small)
        self.start = time.time()
        with contextlib.redirect_stderr(io.StringIO()):
            whole.run(jobs, run, time.monotonic() + seconds)
        told = {}
        for name, outcome in self.outcomes.items():
            if outcome.path.exists():
                told[name] = json.loads(outcome.path.read_text(encoding="utf-8"))
                told[name]["end"] = told[name]["begin"] + outcome.wall_s
        return told

    def check_share(self, told: Dict[str, dict], name: str, part: float, seconds: float, before: str = "") -> None:
        """`name` got that part of the time that was left of `seconds` when it was started: after `before` had begun."""
        most = seconds - (told[before]["begin"] - self.start if before else 0.0)
        least = seconds - (told[name]["begin"] - self.start)
        self.assertLessEqual(told[name]["budget"], part * most + 0.05)  # it is told with one decimal
        self.assertGreaterEqual(told[name]["budget"], part * least - 0.05)

    def finished(self, outcome: Outcome) -> None:
        self.outcomes[outcome.job.name] = outcome

    def test_24_11_jobs_of_one_gpu_run_side_by_side_and_others_alone(self) -> None:
        jobs = [job("pair", 1.0, 0.3, gpus=2), job("a", 1.0, 1.0), job("b", 1.0, 1.0), job("c", 0.5, 0.1)]
        told = self.run_jobs(jobs, 60)
        self.assertEqual({told["a"]["gpus"], told["b"]["gpus"]}, {"4", "7"})
        self.assertEqual(told["pair"]["gpus"], "4,7")
        self.assertLess(max(told["a"]["begin"], told["b"]["begin"]), min(told["a"]["end"], told["b"]["end"]))
        self.assertGreater(told["pair"]["begin"], max(told[name]["begin"] for name in "abc"))
        self.assertTrue(all(outcome.problem == "" for outcome in self.outcomes.values()))

    def test_24_11_the_longest_jobs_are_spread_first(self) -> None:
        jobs = [job("small", 1.0), job("large", 5.0), job("middle", 3.0), job("other", 2.5)]
        lanes = lanes_of(jobs, 2)
        self.assertEqual([[one.name for one in lane] for lane in lanes], [["small", "large"], ["middle", "other"]])
        self.assertEqual(seconds_of(jobs + [job("pair", 4.0, gpus=2)], 2), 10.0)

    def test_24_10_shares_follow_the_estimates_and_what_is_left_over_goes_to_the_next(self) -> None:
        told = self.run_jobs(
            [job("a", 30.0, 0.1, gpus=2), job("b", 10.0, 0.1, gpus=2), job("c", 10.0, 0.1, gpus=2)], 100
        )
        self.check_share(told, "a", 30 / 50, 100)
        self.check_share(told, "b", 10 / 20, 100, "a")
        self.check_share(told, "c", 1, 100, "b")

    def test_24_10_a_cheap_job_gets_all_that_it_needs(self) -> None:
        told = self.run_jobs([job("cheap", 7.0, 0.1), job("long", 500.0, 0.1), job("other", 493.0, 0.1)], 100)
        self.assertAlmostEqual(told["cheap"]["budget"], 7, delta=0.2)
        told = self.run_jobs([job("cheap", 7.0, 0.1, gpus=2), job("long", 993.0, 0.1, gpus=2)], 10)
        self.assertAlmostEqual(told["cheap"]["budget"], 5, delta=0.2)

    def test_24_10_small_jobs_may_take_what_is_left(self) -> None:
        told = self.run_jobs([job("a", 1.0, 0.1), job("b", 99.0, 0.1), job("pair", 1.0, 0.1, gpus=2)], 50, small=True)
        for name in ("a", "b", "pair"):
            self.check_share(told, name, 1, 50)

    def test_24_5_the_second_run_is_a_quick_one(self) -> None:
        self.assertFalse(self.run_jobs([job("a", 1.0)], 60)["a"]["quick"])
        self.assertTrue(self.run_jobs([job("a", 1.0)], 60, run=2)["a"]["quick"])

    def test_24_10_a_job_that_outlives_its_share_is_ended(self) -> None:
        grace_s, scheduler.GRACE_S = scheduler.GRACE_S, 0.5
        self.addCleanup(setattr, scheduler, "GRACE_S", grace_s)
        begin = time.monotonic()
        told = self.run_jobs([job("long", 1.0, 60.0)], 3.2)
        self.assertLess(time.monotonic() - begin, 10)
        self.assertIn("longer than its share", self.outcomes["long"].problem)
        self.assertAlmostEqual(told["long"]["budget"], 3.2, delta=0.2)

    def test_24_10_without_time_a_job_is_not_begun(self) -> None:
        self.assertEqual(self.run_jobs([job("late", 1.0)], 1.0), {})
        self.assertEqual(self.outcomes["late"].problem, "time budget")

    def test_24_8_a_job_that_breaks_is_told_with_its_last_words(self) -> None:
        self.run_jobs([job("bad", 1.0, argv=[sys.executable, "-c", "raise SystemExit('no such library')"])], 60)
        self.assertIn("ended with exit code 1: no such library", self.outcomes["bad"].problem)

    def test_24_16_cheap_jobs_come_first_and_what_compiles_last(self) -> None:
        for smoke in (False, True):
            jobs = plan_of(4, list(SUITES), smoke=smoke).jobs
            self.assertEqual(jobs[0].suite, "device")
            compiles = [one.compiles for one in jobs]
            self.assertEqual(compiles, sorted(compiles))
            for before, after in zip(jobs, jobs[1:]):
                self.assertTrue(before.compiles < after.compiles or before.weight_s <= after.weight_s)
            last = [one.name for one in jobs if one.compiles == 2]
            self.assertEqual({name for name in last if "triton" not in name}, set())
            self.assertEqual(len(last), 6)
            self.assertEqual(sum("triton" in one.name for one in jobs), 6)

    def test_24_16_a_job_of_every_suite_comes_before_the_rest(self) -> None:
        firsts = first_of_suites(plan_of(2, list(SUITES), smoke=True).jobs)
        self.assertEqual({one.suite for one in firsts}, set(SUITES))
        self.assertEqual(len(firsts), len(SUITES))
        names = [one.name for one in first_of_suites(plan_of(1, ["gemm", "copy", "operators"], smoke=True).jobs)]
        self.assertEqual(sorted(names), ["copy-1", "gemm-cublaslt", "operators-cuda"])


class Plans(unittest.TestCase):
    def test_triton_has_a_job_a_dtype_so_that_gpus_share_it(self) -> None:
        jobs = {one.name: one for one in plan_of(4, ["gemm"]).jobs}
        self.assertEqual(jobs["gemm-triton-bf16"].argv[3:7], ["--backend", "triton", "--dtypes", "bf16"])
        self.assertEqual(sum(name.startswith("gemm-triton-") for name in jobs), 5)
        self.assertEqual(sum(name.startswith("gemm-torch-eager") for name in jobs), 1)

    def test_collectives_have_the_variables_of_their_setting(self) -> None:
        jobs = {one.name: one for one in plan_of(4, ["collectives"]).jobs}
        self.assertEqual(jobs["collectives-ring-4"].environment["NCCL_ALGO"], "Ring")
        self.assertNotIn("NCCL_ALGO", jobs["collectives-default-4"].environment)
        self.assertIn("collectives-default-2", jobs)
        self.assertNotIn("collectives-ring-2", jobs)
        tree = jobs["collectives-tree-4"]
        self.assertEqual(
            [name for flag, name in zip(tree.argv, tree.argv[1:]) if flag == "--collective"], ["all_reduce"]
        )
        self.assertNotIn("--collective", jobs["collectives-ring-4"].argv)
        for one in jobs.values():
            for name in one.environment:
                self.assertNotIn(name, ("NCCL_NVLS_ENABLE", "TORCH_SYMM_MEM_DISABLE_MULTICAST", "NVSHMEM_DISABLE_NVLS"))

    def test_what_one_gpu_or_no_program_cannot_do_is_named(self) -> None:
        alone = plan_of(1, ["overlap", "copy"])
        self.assertEqual([(part.what, part.why) for part in alone.skipped],
                         [("overlap", "needs at least 2 GPUs, there is 1")])  # fmt: skip
        without = plan_of(2, ["copy"], "/no/kernbench-gpu")
        self.assertEqual(without.jobs, [])
        self.assertIn("/no/kernbench-gpu is not there: build it", without.skipped[0].why)


if __name__ == "__main__":
    unittest.main()
