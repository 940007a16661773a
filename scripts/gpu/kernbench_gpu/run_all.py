"""Measures this machine's GPUs and writes one results file a bench.

    scripts/gpu/run-all --out out/gpu                          everything, about 20 minutes on 4 GPUs
    scripts/gpu/run-all --out out/gpu --budget 540 --only device,gemm,copy,operators
    scripts/gpu/run-all --out /tmp/try --smoke --budget 120    does all of it work here?
    scripts/gpu/run-all --out /tmp/dry --device cpu --smoke    a dry run without a GPU

Suites: device (the card), gemm, copy, operators (one GPU each, side by side on several), collectives, distributed_gemm,
overlap, beside (over 2, 4 ... GPUs, alone). Everything is measured twice, so that rows that do not repeat are marked `noisy`.
What does not fit the time is counted as skipped; cases are in the order of importance, cheap jobs come first, what compiles
last. --smoke tries a job of every suite before any other. Afterwards:

    kernbench reference import OUT/*.json

Exit code: 0 all rows are good, 1 some failed, 2 bad input, 128 + n stopped by signal n. docs/gpu.md says more.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any, Dict, List, Optional

from kernbench_gpu import environment
from kernbench_gpu.jobs import QUICK, SUITES, Plan, Planner, Settings, first_of_suites
from kernbench_gpu.merge import FileParts, merge_file, write_merged
from kernbench_gpu.rows import BadInput, Results, write_text
from kernbench_gpu.scheduler import Outcome, Scheduler, seconds_of

ROOT = Path(__file__).resolve().parents[3]
RESERVE_S = 3.0
"""Of the budget, for what is not measuring."""


def parse(arguments: Optional[List[str]]) -> argparse.Namespace:
    """The command line; mistakes end with exit code 2."""
    parser = argparse.ArgumentParser(
        prog="run-all", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--out", type=Path, required=True, help="folder for the files; made where it is not there")
    parser.add_argument("--budget", type=float, default=1200.0, help="seconds until all of it ends (%(default)s)")
    parser.add_argument("--repeats", type=int, choices=(1, 2), default=2, help="runs of everything (%(default)s)")
    parser.add_argument("--only", default=",".join(SUITES), help="suites, as in gemm,copy (%(default)s)")
    parser.add_argument("--device", choices=("cuda", "cpu"), default="cuda", help="cpu: a dry run (%(default)s)")
    parser.add_argument("--smoke", action="store_true", help="a few small cases of everything")
    parser.add_argument("--gpus", type=int, help="GPUs to use (all that are visible)")
    parser.add_argument(
        "--kernbench-gpu", type=Path, default=ROOT / "build/gpu/benches/gpu/kernbench-gpu", help="the CUDA C++ program"
    )
    parser.add_argument("--suites", type=Path, default=ROOT / "scripts/gpu/suites.json", help="the lists of cases")
    parser.add_argument("--samples", type=int, default=0, help="samples of each time; 0: by their length, 10 to 50")
    parser.add_argument("--warm-ups", type=int, default=2, help="repetitions before the first sample (%(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="of the random inputs (%(default)s)")
    options = parser.parse_args(arguments)
    options.only = [name for name in options.only.split(",") if name]
    unknown = [name for name in options.only if name not in SUITES]
    if unknown or not options.only:
        raise BadInput('--only: there is no suite "%s"; there are %s' % (", ".join(unknown), ", ".join(SUITES)))
    if not options.budget > RESERVE_S:
        raise BadInput("--budget: expected more than %g seconds, got %g" % (RESERVE_S, options.budget))
    if options.gpus is not None and options.gpus < 1:
        raise BadInput("--gpus: expected a whole number of at least 1, got %d" % options.gpus)
    if options.samples < 0 or options.warm_ups < 0:
        raise BadInput("--samples, --warm-ups: expected at least 0, got %d, %d" % (options.samples, options.warm_ups))
    asked = sys.argv[1:] if arguments is None else arguments
    options.command = environment.command_line(["scripts/gpu/run-all"] + asked)
    return options


def visible_gpus() -> List[str]:
    """Names of the GPUs that a child may be given, as CUDA_VISIBLE_DEVICES names them."""
    chosen = os.environ.get("CUDA_VISIBLE_DEVICES")
    if chosen is not None:
        return [name for name in chosen.split(",") if name.strip()]
    library = environment.nvml()
    if library is not None:
        return [str(index) for index in range(library.nvmlDeviceGetCount())]
    try:
        listed = subprocess.run(["nvidia-smi", "-L"], capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        return []
    return [str(index) for index, _ in enumerate(line for line in listed.splitlines() if line.startswith("GPU"))]


def choose_gpus(options: argparse.Namespace) -> List[str]:
    """The GPUs to use. Raises BadInput where there are not enough; none for a dry run."""
    if options.device == "cpu":
        return []
    names = visible_gpus()
    if not names:
        raise BadInput("no GPU found (NVML and nvidia-smi know none); --device cpu --smoke makes a dry run without")
    if options.gpus is not None and options.gpus > len(names):
        raise BadInput("--gpus: expected at most %d, which are visible, got %d" % (len(names), options.gpus))
    return names[: options.gpus]


class Measurement:
    """The whole of it: jobs, twice, and their files."""

    def __init__(self, options: argparse.Namespace) -> None:
        self._options = options
        self._gpus = choose_gpus(options)
        # A dry run has two processes side by side.
        self._lanes = len(self._gpus) or 2
        settings = Settings(
            options.out.resolve(), options.suites.resolve(), options.kernbench_gpu.resolve(), options.device,
            options.smoke, options.gpus or self._lanes, options.seed, options.samples, options.warm_ups,
        )  # fmt: skip
        only = options.only
        if options.device == "cuda" and "device" not in only and not (options.out / "device.json").exists():
            only = ["device"] + only  # the others' fractions refer to its peaks
        self.plan: Plan = Planner(settings, only).plan()
        self._parts: Dict[str, FileParts] = {}
        self.outcomes: List[Outcome] = []
        self.merged: Dict[str, Results] = {}
        self.problems: List[str] = []
        modules = [str(Path(__file__).resolve().parents[1]), os.environ.get("PYTHONPATH", "")]
        child_environment = dict(os.environ, PYTHONPATH=os.pathsep.join(path for path in modules if path))
        # Python's own processes compute on few cores each; NCCL and compilers have their own threads.
        child_environment.setdefault("OMP_NUM_THREADS", "4" if options.device == "cuda" else "1")
        child_environment.setdefault("PYTHONUNBUFFERED", "1")
        self._scheduler = Scheduler(
            settings.out, self._lanes, child_environment, self._gpus, self._finished, options.smoke
        )
        self._signal = 0

    def _stop(self, number: int, _frame: Any) -> None:
        self._signal = number
        self._scheduler.stop("stopped by signal %d" % number)

    def run(self) -> int:
        """Measures; returns the exit code."""
        begin = time.monotonic()
        end = begin + self._options.budget - RESERVE_S
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, self._stop)
        if self._options.device == "cpu":
            write_text(self._options.out / "device.json", json.dumps(environment.cpu_card(), indent=2) + "\n")
        first = [job for job in self.plan.jobs if job.suite == "device"]
        if first:
            self._scheduler.run(first, 1, min(end, begin + 60))
        jobs = [job for job in self.plan.jobs if job.suite != "device"]
        expected_s = seconds_of(jobs, self._lanes) * (1 + QUICK * (self._options.repeats - 1)) if jobs else 0.0
        print("%d jobs on %d GPUs, about %.0f s of %.0f s" % (len(jobs), len(self._gpus), expected_s, end - begin),
              file=sys.stderr, flush=True)  # fmt: skip
        now = time.monotonic()
        share = 1 / (1 + QUICK) if self._options.repeats == 2 else 1.0
        # The one job of each suite that takes least shows early whether all of it works here.
        firsts = first_of_suites(jobs) if self._options.smoke else []
        rest = [job for job in jobs if job not in firsts]
        for part in (firsts, rest):
            if part and not self._scheduler.stopped:
                self._scheduler.run(part, 1, now + (end - now) * share)
        if jobs and self._options.repeats == 2 and not self._scheduler.stopped:
            self._scheduler.run(jobs, 2, end)
        for file in {job.file for job in jobs}:
            self._write(file)
        return self._report(time.monotonic() - begin)

    def _finished(self, outcome: Outcome) -> None:
        self.outcomes.append(outcome)
        text = "%s, run %d: %s in %.0f s" % (outcome.job.name, outcome.run, outcome.problem or "done", outcome.wall_s)
        print(text, file=sys.stderr, flush=True)
        if outcome.job.suite == "device":
            if outcome.path.exists():
                write_text(self._options.out / "device.json", outcome.path.read_text(encoding="utf-8"))
            return
        self._parts.setdefault(outcome.job.file, FileParts(outcome.job.file)).add(outcome)
        self._write(outcome.job.file)

    def _write(self, file: str) -> None:
        """Writes what is known of a file by now."""
        if file not in self._parts:
            return
        suite = file[: -len(".json")]
        extra = [{"what": part.what, "why": part.why} for part in self.plan.skipped if part.suite == suite]
        results, problems = merge_file(self._parts[file], self._options.command, extra)
        self.problems += [problem for problem in problems if problem not in self.problems]
        if results is not None:
            self.merged[file] = results
            write_merged(self._options.out, results, file)

    def _report(self, wall_s: float) -> int:
        """The table on stdout; returns the exit code."""
        print(
            "\n%-18s %6s %6s %7s %5s %10s %8s" % ("suite", "ok", "failed", "skipped", "noisy", "unrepeated", "seconds")
        )
        failed = 0
        for suite in SUITES:
            spent = sum(outcome.wall_s for outcome in self.outcomes if outcome.job.suite == suite)
            results = self.merged.get(suite + ".json")
            counts: Counter[str] = Counter()
            if results is not None:
                counts.update(row.status for row in results.rows)
                counts.update(flag for row in results.rows for flag in row.flags)
                # A case left out for want of time or of the program has no row.
                counts["skipped"] += sum(int(entry.get("cases", 0)) for entry in results.provenance["skipped"])
            failed += counts["failed"]
            if spent or results is not None:
                values = (
                    suite,
                    counts["ok"],
                    counts["failed"],
                    counts["skipped"],
                    counts["noisy"],
                    counts["unrepeated"],
                )
                print("%-18s %6d %6d %7d %5d %10d %8.0f" % (values + (spent,)))
        print("%-18s %53.0f" % ("wall time", wall_s))
        self._report_skipped()
        broken = any(outcome.broken for outcome in self.outcomes)
        for problem in self.problems:
            print("problem: " + problem)
        if self._signal:
            return 128 + self._signal
        return 1 if failed or broken or self.problems else 0

    def _report_skipped(self) -> None:
        reasons: Counter[str] = Counter()
        for results in self.merged.values():
            for row in results.rows:
                if row.status != "ok":
                    reasons["%s: %s" % (row.status, row.reason)] += 1
            for entry in results.provenance["skipped"]:
                reasons["skipped: %s: %s" % (entry["what"], entry["why"])] += int(entry.get("cases", 0))
        for part in self.plan.skipped:
            if not any(part.what in reason for reason in reasons):
                reasons["skipped: %s: %s" % (part.what, part.why)] += 0
        for outcome in self.outcomes:
            if outcome.problem:
                reasons["%s, run %d: %s" % (outcome.job.name, outcome.run, outcome.problem)] += 0
        for reason, count in reasons.most_common():
            print("%7s %s" % (count or "", reason))


def run(arguments: Optional[List[str]] = None) -> int:
    """The command; returns the exit code."""
    try:
        return Measurement(parse(arguments)).run()
    except BadInput as error:
        print("error: %s" % error, file=sys.stderr)
        return 2
