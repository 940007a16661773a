"""GEMMs spread over GPUs by PyTorch's DTensor: `python3 -m kernbench_gpu.distributed_gemm --gpus N`.

A and B are redistributed until each GPU has what its part of C needs, then multiplied locally; C stays where it is:

    C by rows     A by rows, B whole on every GPU
    C by columns  A whole on every GPU, B by columns
    C by blocks   A by the grid's rows, B by the grid's columns

Replicas (the outer dimension of the mesh) do the same work, each group among itself. bf16 in and out, fp32 accumulation.
"""

from __future__ import annotations

import importlib.util
import json
import math
from dataclasses import dataclass
from typing import Any, Dict, List, Optional, Tuple

import torch
import torch.distributed as dist

from kernbench_gpu import cases as loop
from kernbench_gpu import environment, ranks
from kernbench_gpu.gemm import tolerance
from kernbench_gpu.rows import BadInput, Row
from kernbench_gpu.statistics import family
from kernbench_gpu.suites import Case, dtensor_cases, read_suites
from kernbench_gpu.timing import free_cached_memory, sample_limits

SPIN_CYCLES = 2_000_000
"""The host enqueues a whole redistribution behind this: about 1 ms."""

Range = Tuple[int, int]
Tile = Tuple[Range, Range]
"""Rows and columns of a matrix, each from begin to before end."""


def chunk(total: int, parts: int, index: int) -> Range:
    """Part `index` of `total` elements, by ceiling division: trailing parts may be smaller, or empty."""
    size = -(-total // parts)
    return min(index * size, total), min((index + 1) * size, total)


def closest_grid(parts: int) -> Tuple[int, int]:
    """(a, b): a x b = parts, a >= b, as close as they can be."""
    b = max(factor for factor in range(1, math.isqrt(parts) + 1) if parts % factor == 0)
    return parts // b, b


def tile_of(partition: str, shape: Tuple[int, int], parts: int, index: int) -> Tile:
    """What part `index` of a matrix holds: row, column, block, or whole."""
    rows, columns = shape
    if partition == "row":
        return chunk(rows, parts, index), (0, columns)
    if partition == "column":
        return (0, rows), chunk(columns, parts, index)
    if partition == "whole":
        return (0, rows), (0, columns)
    a, b = closest_grid(parts)
    if partition == "grid_rows":
        return chunk(rows, a, index // b), (0, columns)
    if partition == "grid_columns":
        return (0, rows), chunk(columns, b, index % b)
    return chunk(rows, a, index // b), chunk(columns, b, index % b)


NEEDED = {"row": ("row", "whole"), "column": ("whole", "column"), "block": ("grid_rows", "grid_columns")}
"""Of C's partition: those that A and B are redistributed to."""


def area(tile: Tile) -> int:
    """Elements of a tile."""
    return max(0, tile[0][1] - tile[0][0]) * max(0, tile[1][1] - tile[1][0])


def overlap(one: Tile, other: Tile) -> Tile:
    """What both tiles have."""
    return (
        (max(one[0][0], other[0][0]), min(one[0][1], other[0][1])),
        (max(one[1][0], other[1][0]), min(one[1][1], other[1][1])),
    )


@dataclass(frozen=True)
class Problem:
    """A case, spread over `parts` GPUs in each of its replicas."""

    m: int
    k: int
    n: int
    partitions: Tuple[str, str, str]
    parts: int

    def held_and_needed(self, index: int) -> List[Tuple[Tile, Tile]]:
        """(held, needed) of A and of B on part `index`."""
        needs = NEEDED[self.partitions[2]]
        shapes = ((self.m, self.k), (self.k, self.n))
        return [
            (tile_of(held, shape, self.parts, index), tile_of(needed, shape, self.parts, index))
            for held, needed, shape in zip(self.partitions, needs, shapes)
        ]

    def received_bytes(self, index: int) -> int:
        """The least that part `index` receives: bf16 elements that it needs and does not hold."""
        return sum(2 * (area(needed) - area(overlap(held, needed))) for held, needed in self.held_and_needed(index))


def problem_of(point: Dict[str, Any]) -> Problem:
    """Raises NotSupported where DTensor is not measured on the case."""
    partitions = tuple(point["partitions"].split(","))
    if len(partitions) != 3 or any(partition not in NEEDED for partition in partitions):
        expected = "suites: distributed_gemm.triples: expected three of row, column, block"
        raise BadInput('%s, got "%s"' % (expected, point["partitions"]))
    if point["gpus"] % point["replication"]:
        raise loop.NotSupported("replication %d does not divide %d GPUs" % (point["replication"], point["gpus"]))
    if "block" in partitions and set(partitions) != {"block"}:
        raise loop.NotSupported("DTensor is measured with blocks in all of A, B and C, or in none")
    parts = point["gpus"] // point["replication"]
    return Problem(point["m"], point["k"], point["n"], partitions, parts)  # type: ignore[arg-type]


class DtensorBench:
    """Measures case after case; every rank calls measure with the same case."""

    def __init__(self, options: Any, rank: int, world: int) -> None:
        from torch.distributed.device_mesh import init_device_mesh

        self._make_mesh = init_device_mesh
        self._options = options
        self._rank = rank
        self._world = world
        self._limits = sample_limits(options)
        self._meshes: Dict[Tuple[int, ...], Any] = {}
        self._card = environment.read_card(options.card)
        self._device = torch.device("cuda", rank)

    def _mesh(self, problem: Problem, replication: int) -> Any:
        inner = closest_grid(problem.parts) if "block" in problem.partitions else (problem.parts,)
        shape = ((replication,) if replication > 1 else ()) + inner
        if shape not in self._meshes:
            self._meshes[shape] = self._make_mesh("cuda", shape)
        return self._meshes[shape]

    @staticmethod
    def _placements(partition: str, mesh: Any, blocks: bool) -> List[Any]:
        from torch.distributed.tensor import Replicate, Shard

        inner = {
            "row": [Shard(0)],
            "column": [Shard(1)],
            "block": [Shard(0), Shard(1)],
            "grid_rows": [Shard(0), Replicate()],
            "grid_columns": [Replicate(), Shard(1)],
            "whole": [Replicate(), Replicate()] if blocks else [Replicate()],
        }[partition]
        return [Replicate()] * (mesh.ndim - len(inner)) + inner

    def measure(self, case: Case) -> Dict[str, Any]:
        """The case's metrics, the same on every rank. Raises what describes the failure."""
        from torch.distributed.tensor import DTensor

        point = case.point
        if point["dtype"] != "bf16":
            raise loop.NotSupported("distributed GEMMs are measured in bf16")
        problem = problem_of(point)
        mesh = self._mesh(problem, point["replication"])
        index = self._rank % problem.parts
        free_cached_memory("cuda")
        generator = torch.Generator(self._device).manual_seed(self._options.seed)
        a = torch.randn(problem.m, problem.k, device=self._device, generator=generator).to(torch.bfloat16)
        b = torch.randn(problem.k, problem.n, device=self._device, generator=generator).to(torch.bfloat16)
        blocks = "block" in problem.partitions

        def part_of(matrix: torch.Tensor, tile: Tile, partition: str) -> Any:
            local = matrix[tile[0][0] : tile[0][1], tile[1][0] : tile[1][1]].contiguous()
            placements = self._placements(partition, mesh, blocks)
            return DTensor.from_local(
                local, mesh, placements, run_check=False, shape=matrix.shape, stride=matrix.stride()
            )

        (held_a, _), (held_b, _) = problem.held_and_needed(index)
        own_a, own_b = part_of(a, held_a, problem.partitions[0]), part_of(b, held_b, problem.partitions[1])
        to_a, to_b = (self._placements(name, mesh, blocks) for name in NEEDED[problem.partitions[2]])

        def multiply() -> torch.Tensor:
            local_a = own_a.redistribute(mesh, to_a).to_local()
            local_b = own_b.redistribute(mesh, to_b).to_local()
            return torch.mm(local_a, local_b)

        error = self._error(problem, index, a, b, multiply())
        del a, b
        loop.require_right(error, tolerance("bf16", problem.k))
        return {**self._timed(problem, multiply), "error": error}

    def _error(self, problem: Problem, index: int, a: torch.Tensor, b: torch.Tensor, out: torch.Tensor) -> float:
        """||out - ref|| / ||ref|| over all ranks, against the product of the whole matrices in fp32 on one GPU."""
        rows, columns = tile_of(problem.partitions[2], (problem.m, problem.n), problem.parts, index)
        expected = torch.mm(a[rows[0] : rows[1]].float(), b[:, columns[0] : columns[1]].float())
        sums = torch.zeros(2, dtype=torch.float64, device=self._device)
        if out.shape != expected.shape:
            sums += float("nan")
        elif out.numel() > 0:
            sums[0] = (out.float() - expected).square().sum(dtype=torch.float64)
            sums[1] = expected.square().sum(dtype=torch.float64)
        dist.all_reduce(sums)
        return math.sqrt(float(sums[0]) / float(sums[1])) if float(sums[1]) > 0 else float("nan")

    def _timed(self, problem: Problem, multiply: Any) -> Dict[str, Any]:
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        gate = torch.zeros(1, device=self._device)

        def once_ns() -> float:
            # Behind the spin the host gets ahead; the tiny all_reduce lets no GPU begin before the others can.
            torch.cuda._sleep(SPIN_CYCLES)
            dist.all_reduce(gate)
            begin.record()
            multiply()
            end.record()
            end.synchronize()
            return begin.elapsed_time(end) * 1e6

        def slowest(values: List[float]) -> List[float]:
            together = torch.tensor(values, dtype=torch.float64, device=self._device)
            dist.all_reduce(together, op=dist.ReduceOp.MAX)
            return [float(value) for value in together.cpu()]

        warm_ns = slowest([once_ns() for _ in range(max(1, self._limits.warm_ups))])[-1]
        times_ns = slowest([once_ns() for _ in range(self._limits.samples(warm_ns))])
        metrics = {**family("time", times_ns), "time_min_ns": min(times_ns), "time_max_ns": max(times_ns)}
        flops = 2.0 * problem.m * problem.k * problem.n
        metrics["tflops"] = flops / metrics["time_ns"] * 1e-3
        metrics["tflops_max"] = flops / metrics["time_min_ns"] * 1e-3
        peak = environment.peak(self._card, "tflops", "bf16")
        if peak:
            metrics["theoretical_tflops"] = peak * self._world
            metrics["peak_fraction"] = metrics["tflops"] / (peak * self._world)
        received = [problem.received_bytes(rank % problem.parts) for rank in range(self._world)]
        metrics["received_bytes"] = max(received)
        metrics["received_bytes_total"] = sum(received)
        return metrics


def together(bench: DtensorBench, case: Case) -> Dict[str, Any]:
    """A case on this rank. Every rank's outcome is told to all, so that all raise where one does."""
    outcome: Dict[str, Any] = {"kind": "ok"}
    metrics: Dict[str, Any] = {}
    try:
        metrics = bench.measure(case)
    except loop.Stopped:
        raise
    except loop.NotSupported as reason:
        outcome = {"kind": "skipped", "why": str(reason)}
    except loop.WrongResult as wrong:
        outcome = {"kind": "wrong", "why": str(wrong), "error": wrong.error}
    except Exception as error:  # told to the others
        outcome = {"kind": "failed", "why": "%s: %s" % (type(error).__name__, error)}
    outcomes: List[Any] = [None] * dist.get_world_size()
    dist.all_gather_object(outcomes, outcome, group=_host_group())
    for rank, other in enumerate(outcomes):
        if other["kind"] == "skipped":
            raise loop.NotSupported(other["why"])
        if other["kind"] == "wrong":
            raise loop.WrongResult(other["error"], tolerance("bf16", case.point["k"]))
        if other["kind"] == "failed":
            raise RuntimeError("rank %d: %s" % (rank, other["why"]))
    return metrics


_group: Any = None


def _host_group() -> Any:
    """Gloo, for what the ranks tell each other beside the measurement."""
    global _group
    if _group is None:
        _group = dist.new_group(backend="gloo")
    return _group


def rank_body(options: Any, cases: List[Case]) -> int:
    """Rank 0 runs the loop over the cases and tells the others which one is next."""
    rank, world = ranks.join(options.device)
    bench = DtensorBench(options, rank, world)
    ranks.keep_until_exit(bench)
    group = _host_group()
    torch.set_float32_matmul_precision("highest")
    if rank == 0:

        def measure(case: Case, row: Row) -> None:
            dist.broadcast_object_list([json.dumps(case.point)], src=0, group=group)
            row.metrics.update(together(bench, case))

        code = loop.run_cases(options, "gpu-distributed-gemm", cases, measure, gpus=world)
        dist.broadcast_object_list(["end"], src=0, group=group)
        return code
    while True:
        told: List[Any] = [None]
        dist.broadcast_object_list(told, src=0, group=group)
        if told[0] == "end":
            return 0
        try:
            with torch.no_grad():
                together(bench, Case("", json.loads(told[0]), 0.0))
        except loop.Stopped:
            return 1
        except Exception:  # rank 0 makes the row of it
            continue


def unavailable(device: str) -> str:
    """Why DTensor cannot run here at all, or ""."""
    if importlib.util.find_spec("torch.distributed.tensor") is None:
        return "torch.distributed.tensor needs PyTorch 2.5, this is " + torch.__version__
    return "DTensor is measured on GPUs alone" if device == "cpu" else ""


def run(arguments: Optional[List[str]]) -> int:
    """The module's command line; returns the exit code."""
    parser = loop.parser("GEMMs spread over GPUs by DTensor", "distributed_gemm.json")
    parser.add_argument("--gpus", type=int, default=2, help="GPUs that take part (%(default)s)")
    options = parser.parse_args(arguments)
    cases = dtensor_cases(read_suites(options.suites), options.gpus, options.smoke)
    if options.list:
        return loop.list_cases(cases)
    loop.stop_on_signals()
    if ranks.is_rank():
        return rank_body(options, cases)
    if options.gpus < 2:
        raise BadInput("--gpus: expected at least 2, got %d" % options.gpus)
    reason = unavailable(options.device)
    if reason:
        return loop.run_cases(options, "gpu-distributed-gemm", cases, lambda case, row: None, unavailable=reason)
    logs = options.out.with_name(options.out.stem)
    return ranks.run_ranks(ranks.own_argv("distributed_gemm"), options.gpus, {}, logs, options.budget + 30)


if __name__ == "__main__":
    loop.main(run)
