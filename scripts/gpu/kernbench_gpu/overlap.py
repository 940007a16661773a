"""Sweeps a data-parallel training step over NCCL's channels and threads, with a profiler trace a rank.

A configuration is a folder TRACES/<channels>ch_<threads>threads with rank<r>.json.gz and, when it is complete, manifest.json: one
that is complete with the same settings is not run again.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, Dict, List, Optional

from kernbench_gpu import cases as loop
from kernbench_gpu.environment import versions
from kernbench_gpu.rows import Row, write_text
from kernbench_gpu.statistics import family
from kernbench_gpu.suites import Case, overlap_cases, part, read_suites

LONGEST_S = 120.0
"""A configuration that takes longer hangs."""


def step_settings(suites: Dict[str, Any], smoke: bool) -> Dict[str, int]:
    """Sizes of the training step; counts, `bucket_mb` in MiB of gradients."""
    if smoke:
        return dict(hidden=64, layers=2, batch=16, bucket_mb=1, warmup=1, steps=3, profiled_steps=1)
    overlap = part(suites, "overlap", "layers", "hidden", "batch")
    return dict(
        hidden=overlap["hidden"],
        layers=overlap["layers"],
        batch=overlap["batch"],
        bucket_mb=25,
        warmup=10,
        steps=20,
        profiled_steps=2,
    )


def rank_command(settings: Dict[str, int], rank: int, options: argparse.Namespace, folder: Path) -> List[str]:
    """The command line of one rank."""
    command = [sys.executable, "-m", "kernbench_gpu.overlap_step", "--rank", str(rank), "--ranks", str(options.gpus)]
    command += ["--device", options.device, "--seed", str(options.seed), "--folder", str(folder)]
    return command + ["--settings", json.dumps(settings)]


def stop(ranks: List[subprocess.Popen]) -> None:
    """Ends processes that still run."""
    for rank in ranks:
        if rank.poll() is None:
            rank.send_signal(signal.SIGKILL)
    for rank in ranks:
        rank.wait()


def run_ranks(case: Case, settings: Dict[str, int], options: argparse.Namespace, folder: Path) -> None:
    """Starts a process a rank and waits for all. Raises RuntimeError with the last lines of the first that failed."""
    nccl = {"NCCL_MIN_NCHANNELS": case.point["channels"], "NCCL_MAX_NCHANNELS": case.point["channels"]}
    nccl["NCCL_NTHREADS"] = case.point["threads"]
    environment = {**os.environ, **{name: str(value) for name, value in nccl.items()}}
    logs = [folder / ("rank%d.log" % rank) for rank in range(options.gpus)]
    ranks: List[subprocess.Popen] = []
    try:
        for rank, log in enumerate(logs):
            with log.open("wb") as file:
                command = rank_command(settings, rank, options, folder)
                ranks.append(subprocess.Popen(command, env=environment, stdout=file, stderr=subprocess.STDOUT))
        for rank in ranks:
            rank.wait(timeout=LONGEST_S)
            if rank.returncode != 0:
                break
    except subprocess.TimeoutExpired as error:
        raise RuntimeError("a rank did not end within %.0f s" % LONGEST_S) from error
    finally:
        stop(ranks)
    for rank, log in zip(ranks, logs):
        if rank.returncode not in (0, -signal.SIGKILL):
            raise RuntimeError("a rank failed: " + " | ".join(log.read_text(errors="replace").splitlines()[-3:]))
    for log in logs:
        log.unlink()


def measure(case: Case, row: Row, settings: Dict[str, int], options: argparse.Namespace) -> None:
    """The family `time` of one configuration, and its traces."""
    name = "%dch_%dthreads" % (case.point["channels"], case.point["threads"])
    folder = options.traces / name
    manifest = folder / "manifest.json"
    wanted = {"settings": settings, "gpus": options.gpus, "versions": versions(options.device)}
    done = json.loads(manifest.read_text(encoding="utf-8")) if manifest.exists() else {}
    if {key: done.get(key) for key in wanted} != wanted:
        options.traces.mkdir(parents=True, exist_ok=True)
        work = Path(tempfile.mkdtemp(prefix="." + name + ".", dir=options.traces))
        try:
            run_ranks(case, settings, options, work)
            done = {**wanted, "times_ns": json.loads((work / "times.json").read_text(encoding="utf-8"))}
            (work / "times.json").unlink()
            (work / "store").unlink(missing_ok=True)
            write_text(work / "manifest.json", json.dumps(done, indent=1) + "\n")
            os.chmod(work, 0o755)
            shutil.rmtree(folder, ignore_errors=True)
            work.rename(folder)
        finally:
            shutil.rmtree(work, ignore_errors=True)
    row.metrics.update(family("time", done["times_ns"]))
    row.metrics["trace"] = "traces/overlap/" + name


def body(arguments: Optional[List[str]]) -> int:
    """The command."""
    options = loop.parser(__doc__, "overlap.json")
    options.add_argument("--gpus", type=int, default=2, help="ranks, one a GPU (%(default)s)")
    options.add_argument("--traces", type=Path, help="folder of the configurations (default: traces beside --out)")
    chosen = options.parse_args(arguments)
    chosen.traces = chosen.traces or chosen.out.parent / "traces" / "overlap"
    suites = read_suites(chosen.suites)
    listed = overlap_cases(suites, chosen.gpus, chosen.smoke)
    if chosen.list:
        return loop.list_cases(listed)
    settings = step_settings(suites, chosen.smoke)
    loop.stop_on_signals()
    run = lambda case, row: measure(case, row, settings, chosen)
    return loop.run_cases(chosen, "gpu-overlap", listed, run, gpus=chosen.gpus, after_failure=lambda: "")


if __name__ == "__main__":
    loop.main(body)
