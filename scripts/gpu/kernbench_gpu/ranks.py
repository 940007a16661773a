"""Processes that work together, one a GPU: the same module started once for each rank."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from datetime import timedelta
from pathlib import Path
from typing import Any, Dict, List, Tuple

from kernbench_gpu.rows import one_line

COLLECTIVE_TIMEOUT_S = 90
"""A rank that waits longer for the others gives up."""


class RankFailed(Exception):
    """A rank ended badly: which one, how, and its last words."""


def is_rank() -> bool:
    """Whether this process is one of several ranks."""
    return "KERNBENCH_RANK" in os.environ


def rank_and_world() -> Tuple[int, int]:
    """This rank's number from 0, and how many there are."""
    return int(os.environ["KERNBENCH_RANK"]), int(os.environ["KERNBENCH_WORLD"])


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _last_words(log: Path) -> str:
    lines = [line for line in log.read_text(encoding="utf-8", errors="replace").splitlines() if line.strip()]
    telling = [line for line in lines if "Error" in line or "error" in line]
    return one_line((telling or lines or ["it said nothing"])[-1], 200)


def run_ranks(argv: List[str], world: int, environment: Dict[str, str], logs: Path, timeout_s: float) -> int:
    """Runs argv once for each rank and waits for all. Returns rank 0's exit code, 0 or 1. Raises RankFailed where a rank
    ends otherwise or the time is over; the others are ended. Logs go to `logs`.rank<r>.log."""
    port = _free_port()
    children: List["subprocess.Popen[bytes]"] = []
    files = [logs.with_name("%s.rank%d.log" % (logs.name, rank)) for rank in range(world)]
    logs.parent.mkdir(parents=True, exist_ok=True)
    try:
        for rank in range(world):
            own = {"KERNBENCH_RANK": str(rank), "KERNBENCH_WORLD": str(world), "KERNBENCH_PORT": str(port)}
            with open(files[rank], "wb") as log:
                child = subprocess.Popen(
                    argv, env={**os.environ, **environment, **own}, stdin=subprocess.DEVNULL, stdout=log, stderr=log
                )
            children.append(child)
        return _wait(children, files, time.monotonic() + timeout_s)
    finally:
        _end(children)


def _wait(children: List["subprocess.Popen[bytes]"], files: List[Path], deadline: float) -> int:
    while True:
        codes = [child.poll() for child in children]
        for rank, code in enumerate(codes):
            if code is not None and code not in (0, 1):
                raise RankFailed("rank %d ended with exit code %d: %s" % (rank, code, _last_words(files[rank])))
        if all(code is not None for code in codes):
            return int(codes[0] or 0)
        if time.monotonic() > deadline:
            waiting = codes.index(None)
            raise RankFailed("rank %d did not end in time: %s" % (waiting, _last_words(files[waiting])))
        time.sleep(0.05)


def _end(children: List["subprocess.Popen[bytes]"]) -> None:
    """Gives ranks a moment to write what they have, then kills."""
    for child in children:
        if child.poll() is None:
            child.send_signal(signal.SIGTERM)
    deadline = time.monotonic() + 3
    for child in children:
        try:
            child.wait(max(0.0, deadline - time.monotonic()))
        except subprocess.TimeoutExpired:
            child.kill()
            child.wait()


def join(device: str) -> Tuple[int, int]:
    """Makes this process a rank of torch.distributed: gloo for tensors of the CPU, NCCL for those of its own GPU.
    Returns its number and how many there are."""
    import torch
    import torch.distributed as dist

    rank, world = rank_and_world()
    backend = "gloo"
    if device == "cuda":
        torch.cuda.set_device(rank)
        backend = "cpu:gloo,cuda:nccl"
    else:
        torch.set_num_threads(1)
    os.environ.setdefault("GLOO_SOCKET_IFNAME", "lo")  # all ranks are on this computer
    dist.init_process_group(
        backend, init_method="tcp://127.0.0.1:" + os.environ["KERNBENCH_PORT"], rank=rank, world_size=world,
        timeout=timedelta(seconds=COLLECTIVE_TIMEOUT_S),
    )  # fmt: skip
    return rank, world


def own_argv(module: str) -> List[str]:
    """How this process was started, to start ranks alike."""
    return [sys.executable, "-m", "kernbench_gpu." + module] + sys.argv[1:]


_kept: List[Any] = []


def keep_until_exit(thing: Any) -> None:
    """Never destroys what belongs to a process group: the libraries' threads may wait there for ever, and the process
    ends anyway."""
    _kept.append(thing)
