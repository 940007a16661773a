"""Runs jobs as child processes inside a time budget: jobs of one GPU side by side, one a GPU; jobs of several GPUs alone
afterwards. A child is told its share of the time and killed where it takes much longer; what it wrote stays."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Callable, Dict, List, Optional

from kernbench_gpu.jobs import QUICK, Job
from kernbench_gpu.rows import one_line

GRACE_S = 10.0
"""A child that outlives its share by this is asked to end, and killed soon after."""
LEAST_SHARE_S = 2.0
TELL_EVERY_S = 10.0


@dataclass
class Outcome:
    """How a job ended. `problem` is empty where it ended by itself with exit code 0 or 1 and wrote its file; `broken` where
    it ended by itself otherwise."""

    job: Job
    run: int
    path: Path
    wall_s: float = 0.0
    problem: str = ""
    broken: bool = False


@dataclass
class _Child:
    job: Job
    process: "subprocess.Popen[bytes]"
    begin: float
    deadline: float
    log: Path
    path: Path
    asked: str = ""
    """Why it was asked to end."""


def lanes_of(jobs: List[Job], count: int) -> List[List[Job]]:
    """Jobs of one GPU spread over `count` GPUs: the longest first, each to the GPU that is free first. Within a GPU they
    keep the order in which they came."""
    lanes: List[List[Job]] = [[] for _ in range(count)]
    for job in sorted(jobs, key=lambda job: -job.weight_s):
        min(lanes, key=lambda lane: sum(other.weight_s for other in lane)).append(job)
    return [sorted(lane, key=jobs.index) for lane in lanes]


def seconds_of(jobs: List[Job], gpus: int) -> float:
    """About how long all jobs take."""
    return _single_s(jobs, gpus) + sum(job.weight_s for job in jobs if job.gpus > 1)


def _single_s(jobs: List[Job], gpus: int) -> float:
    lanes = lanes_of([job for job in jobs if job.gpus == 1], gpus)
    return max(sum(job.weight_s for job in lane) for lane in lanes)


class Scheduler:
    """Runs jobs; `stop` ends it early, from a signal handler too."""

    def __init__(
        self,
        out: Path,
        gpus: int,
        environment: Dict[str, str],
        visible: List[str],
        finished: Callable[[Outcome], None],
        small: bool = False,
    ) -> None:
        """`visible`: names of the GPUs, for CUDA_VISIBLE_DEVICES. `small`: jobs are short, and each may take all the time
        that is left."""
        self._out = out
        self._gpus = gpus
        self._environment = environment
        self._visible = visible
        self._finished = finished
        self._small = small
        self._stopped = ""
        self._children: Dict[int, _Child] = {}
        self._run = 1
        self._told = time.monotonic()
        self._left: List[Job] = []

    def stop(self, why: str) -> None:
        """Starts no more jobs, and asks those that run to end."""
        self._stopped = why

    @property
    def stopped(self) -> str:
        """Why this was stopped, or ""."""
        return self._stopped

    def run(self, jobs: List[Job], run: int, deadline: float) -> None:
        """Runs the jobs until `deadline` (time.monotonic), and reports each one's outcome. `run` counts from 1."""
        self._run = run
        self._left = list(jobs)
        several = [job for job in jobs if job.gpus > 1]
        single = [job for job in jobs if job.gpus == 1]
        whole_s = max(seconds_of(jobs, self._gpus), 1e-9)
        now = time.monotonic()
        part = 1.0 if self._small else _single_s(jobs, self._gpus) / whole_s
        self._run_lanes(single, now + (deadline - now) * part)
        for index, job in enumerate(several):
            if self._begin(job, 0, self._share_s(job, several[index:], deadline)):
                while self._children:
                    self._look()

    def _run_lanes(self, jobs: List[Job], deadline: float) -> None:
        lanes = lanes_of(jobs, self._gpus)
        while self._children or any(lanes):
            for gpu, lane in enumerate(lanes):
                while lane and gpu not in self._children:
                    share_s = self._share_s(lane[0], lane, deadline)
                    self._begin(lane.pop(0), gpu, share_s)
            if self._children:
                self._look()

    def _share_s(self, job: Job, left: List[Job], deadline: float) -> float:
        """A job's part of the time until `deadline`, by the estimates of it and those after it; all that it needs, where
        that is no more than each would get of equal parts: else the cheap ones would be left out for the long ones."""
        time_s = deadline - time.monotonic()
        if self._small:
            return time_s
        part_s = time_s * job.weight_s / sum(other.weight_s for other in left)
        return max(part_s, min(job.weight_s, time_s / len(left)))

    def _begin(self, job: Job, gpu: int, share_s: float) -> bool:
        """Starts a job; False where it is not started, which is reported."""
        path = self._out / "parts" / ("run%d" % self._run) / (job.name + ".json")
        log = self._out / "logs" / ("%s-run%d.log" % (job.name, self._run))
        if self._stopped or share_s < LEAST_SHARE_S:
            self._end(Outcome(job, self._run, path, 0.0, self._stopped or "time budget"))
            return False
        for folder in (path.parent, log.parent):
            folder.mkdir(parents=True, exist_ok=True)
        path.unlink(missing_ok=True)  # an older measurement's
        argv = job.argv + ["--out", str(path)]
        if job.suite != "device":
            argv += ["--budget", "%.1f" % share_s] + (["--quick"] if self._run > 1 else [])
        environment = dict(self._environment, **job.environment)
        visible = self._visible[gpu : gpu + 1] if job.gpus == 1 else self._visible[: job.gpus]
        if visible:
            environment["CUDA_VISIBLE_DEVICES"] = ",".join(visible)
        now = time.monotonic()
        with open(log, "wb") as file:
            process = subprocess.Popen(
                argv, stdin=subprocess.DEVNULL, stdout=file, stderr=subprocess.STDOUT, env=environment,
                start_new_session=True,
            )  # fmt: skip
        self._children[gpu] = _Child(job, process, now, now + share_s + GRACE_S, log, path)
        return True

    def _look(self) -> None:
        """Waits a moment, then deals with children that ended or are late."""
        time.sleep(0.05)
        now = time.monotonic()
        for gpu, child in list(self._children.items()):
            code = child.process.poll()
            if code is not None:
                del self._children[gpu]
                self._kill(child, signal.SIGKILL)  # what it left behind
                problem = _problem(child, code)
                broken = bool(problem) and not child.asked
                self._end(Outcome(child.job, self._run, child.path, now - child.begin, problem, broken))
            elif self._stopped or now > child.deadline:
                if not child.asked:
                    child.asked = self._stopped or "took longer than its share of the time"
                    child.deadline = now + 5.0
                    self._kill(child, signal.SIGTERM)
                elif now > child.deadline:
                    self._kill(child, signal.SIGKILL)
        if now - self._told > TELL_EVERY_S:
            self._tell(now)

    @staticmethod
    def _kill(child: _Child, number: int) -> None:
        try:
            os.killpg(child.process.pid, number)
        except ProcessLookupError:
            pass  # all of them have ended

    def _end(self, outcome: Outcome) -> None:
        self._left.remove(outcome.job)
        self._finished(outcome)

    def _tell(self, now: float) -> None:
        self._told = now
        factor = QUICK if self._run > 1 else 1.0
        running = sorted(self._children.values(), key=lambda child: child.begin)
        left_s = factor * seconds_of(self._left, self._gpus) if self._left else 0.0
        left_s -= min((now - child.begin for child in running), default=0.0)
        names = ", ".join("%s %.0f s" % (child.job.name, now - child.begin) for child in running)
        print("run %d: %d jobs left, about %.0f s; now: %s" % (self._run, len(self._left), max(left_s, 0.0), names),
              file=sys.stderr, flush=True)  # fmt: skip


def _problem(child: _Child, code: int) -> str:
    if child.asked:
        return child.asked
    if code in (0, 1) and child.path.exists():
        return ""
    return "ended with exit code %d: %s" % (code, last_line(child.log) or "it said nothing")


def last_line(log: Path) -> Optional[str]:
    """The last line of a log that says something."""
    try:
        lines = [line for line in log.read_text(encoding="utf-8", errors="replace").splitlines() if line.strip()]
    except OSError:
        return None
    return one_line(lines[-1], 200) if lines else None
