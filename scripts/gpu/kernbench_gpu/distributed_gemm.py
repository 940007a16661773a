"""Measures the distributed GEMM that PyTorch's DTensor does, one process a GPU (method `dtensor`).

All ranks go through the same cases in the same order; rank 0 decides when time is up and writes the rows.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, Dict, List, Optional

from kernbench_gpu import cases as loop
from kernbench_gpu.environment import peak, read_card
from kernbench_gpu.rows import Row
from kernbench_gpu.statistics import family
from kernbench_gpu.suites import Case, dtensor_cases, read_suites

WARMUP, ITERATIONS = 2, 10


def unavailable(device: str) -> str:
    """Why DTensor cannot be measured here, or ""."""
    if device == "cpu":
        return "DTensor is measured on GPUs only"
    try:
        import torch.distributed.tensor  # noqa: F401
    except ImportError:
        return "this PyTorch has no torch.distributed.tensor"
    return ""


class Ranks:
    """What the ranks agree on. Every method is called by all of them, in the same order."""

    def __init__(self, rank: int) -> None:
        import torch
        import torch.distributed as dist

        self._torch, self._dist = torch, dist
        self.rank = rank
        self.device = torch.device("cuda", rank)

    def told_by_first(self, value: float) -> float:
        """Rank 0's value."""
        tensor = self._torch.tensor([value], dtype=self._torch.float64, device=self.device)
        self._dist.broadcast(tensor, 0)
        return float(tensor.item())

    def reasons(self, reason: str) -> List[str]:
        """Every rank's reason, where it has one."""
        all_reasons: List[Any] = [None] * self._dist.get_world_size()
        self._dist.all_gather_object(all_reasons, reason)
        return [each for each in all_reasons if each]


def together(ranks: Ranks, step: Any) -> Any:
    """Runs `step` on every rank; where one fails by itself, all raise its reason. (A failure inside a collective leaves the
    others waiting; the driver's time limit ends that.)"""
    reason, result = "", None
    try:
        result = step()
    except Exception as error:  # told to the other ranks below
        reason = "rank %d: %s: %s" % (ranks.rank, type(error).__name__, error)
    failures = ranks.reasons(reason)
    if failures:
        raise RuntimeError(failures[0])
    return result


def measure(case: Case, row: Row, ranks: Ranks, card: Dict[str, Any], seed: int) -> None:
    """Metrics of one case; the same on every rank."""
    from kernbench_gpu.distributed_rank import TOLERANCE, Product

    point = case.point
    if point["gpus"] % point["replication"] != 0:
        raise loop.NotSupported("replication %d does not divide %d GPUs" % (point["replication"], point["gpus"]))
    product = together(ranks, lambda: Product(point, ranks.device, seed))
    error = together(ranks, product.error)
    loop.require_right(error, TOLERANCE)
    received = together(ranks, product.received_bytes)
    times = together(ranks, lambda: product.times_ns(WARMUP, ITERATIONS))
    flops = 2.0 * point["m"] * point["k"] * point["n"]
    row.metrics.update(family("time", times))
    row.metrics.update(time_min_ns=min(times), time_max_ns=max(times))
    row.metrics["tflops"] = flops / row.metrics["time_ns"] / 1e3
    row.metrics["tflops_max"] = flops / min(times) / 1e3
    one_peak = peak(card, "tflops", point["dtype"])
    if one_peak:
        row.metrics["theoretical_tflops"] = one_peak * point["gpus"]
        row.metrics["peak_fraction"] = row.metrics["tflops"] / row.metrics["theoretical_tflops"]
    row.metrics.update(received_bytes=max(received), received_bytes_total=sum(received), error=error)


def rank_body(options: argparse.Namespace, cases: List[Case]) -> int:
    """One rank's whole life. Rank 0 writes `--out`; the others write beside it, and their files are dropped."""
    import torch
    import torch.distributed as dist

    torch.cuda.set_device(options.rank)
    device = torch.device("cuda", options.rank)
    dist.init_process_group(
        "nccl", init_method="file://" + options.store, rank=options.rank, world_size=options.gpus, device_id=device
    )
    torch.backends.cuda.matmul.allow_tf32 = False
    ranks = Ranks(options.rank)
    card = read_card(options.card)

    def in_time(case: Case, elapsed_s: float) -> bool:
        return ranks.told_by_first(elapsed_s) + case.estimate_s + loop.RESERVE_S <= options.budget

    def run(case: Case, row: Row) -> None:
        measure(case, row, ranks, card, options.seed)
        torch.cuda.empty_cache()

    if options.rank > 0:
        options.out = options.out.with_name("." + options.out.name + ".rank%d" % options.rank)
    code = loop.run_cases(
        options, "gpu-distributed-gemm", cases, run, gpus=options.gpus, after_failure=lambda: "", in_time=in_time
    )
    if options.rank > 0:
        options.out.unlink(missing_ok=True)
    return code


def drive(options: argparse.Namespace, arguments: List[str]) -> int:
    """Starts a process a rank, waits, and returns rank 0's exit code."""
    with tempfile.TemporaryDirectory() as folder:
        store = str(Path(folder) / "store")
        command = [sys.executable, "-m", "kernbench_gpu.distributed_gemm", *arguments, "--store", store, "--rank"]
        ranks = [subprocess.Popen(command + [str(rank)]) for rank in range(options.gpus)]
        try:
            ranks[0].wait(timeout=options.budget + 20)
        except subprocess.TimeoutExpired:
            print("error: the ranks did not end in time", file=sys.stderr)
        finally:
            for rank in ranks:
                if rank.poll() is None:
                    rank.terminate()
            for rank in ranks:
                try:
                    rank.wait(timeout=5)
                except subprocess.TimeoutExpired:
                    rank.kill()
                    rank.wait()
    return 1 if ranks[0].returncode != 0 else 0


def body(arguments: Optional[List[str]]) -> int:
    """The command."""
    options = loop.parser(__doc__, "distributed_gemm.json")
    options.add_argument("--gpus", type=int, default=2, help="ranks, one a GPU (%(default)s)")
    options.add_argument("--rank", type=int, help=argparse.SUPPRESS)
    options.add_argument("--store", help=argparse.SUPPRESS)
    given = sys.argv[1:] if arguments is None else arguments
    chosen = options.parse_args(given)
    cases = dtensor_cases(read_suites(chosen.suites), chosen.gpus, chosen.smoke)
    if chosen.list:
        return loop.list_cases(cases)
    loop.stop_on_signals()
    why = unavailable(chosen.device)
    if why:
        return loop.run_cases(chosen, "gpu-distributed-gemm", cases, lambda case, row: None, chosen.gpus, why)
    if chosen.rank is None:
        return drive(chosen, given)
    return rank_body(chosen, cases)


if __name__ == "__main__":
    loop.main(body)
