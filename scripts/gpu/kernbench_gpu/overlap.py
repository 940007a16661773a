"""A data-parallel training step over communication channels x threads, with a profiler's trace of every rank:
`python3 -m kernbench_gpu.overlap --gpus N --traces DIR`.

The step is forward, backward and SGD of a stack of square linear layers under DistributedDataParallel: the gradients of
one layer travel while those of the layer before are computed. NCCL reads its settings once, so each configuration has
processes of its own. A configuration that is complete is not run again where GPU, driver, libraries and settings are
still those that it was measured with.
"""

from __future__ import annotations

import gzip
import json
import os
import shutil
import sys
import time
from pathlib import Path
from typing import Any, Callable, Dict, List, Optional

import torch
import torch.distributed as dist

from kernbench_gpu import cases as loop
from kernbench_gpu import environment, ranks
from kernbench_gpu.rows import BadInput, Row, one_line, write_text
from kernbench_gpu.statistics import family
from kernbench_gpu.suites import Case, overlap_cases, part, read_suites

WARM_UPS = 5
STEPS = 30
QUICK_STEPS = 10
PROFILED_STEPS = 2
RANKS_TIMEOUT_S = 120.0
TOLERANCE = 1e-6
"""By how much the ranks' averaged gradients may differ: each gets the same bits."""


def folder_of(point: Dict[str, Any]) -> str:
    """The folder of a configuration: 28ch_256threads."""
    return "%dch_%dthreads" % (point["channels"], point["threads"])


def nccl_settings(point: Dict[str, Any]) -> Dict[str, str]:
    """The variables that ask NCCL for a configuration. It takes fewer channels where it has fewer."""
    channels = str(point["channels"])
    return {"NCCL_MIN_NCHANNELS": channels, "NCCL_MAX_NCHANNELS": channels, "NCCL_NTHREADS": str(point["threads"])}


def model_of(suites: Dict[str, Any], device: str) -> Dict[str, Any]:
    """What is trained: layers, hidden, batch (rows of a rank) and dtype. A dry run's is tiny."""
    overlap = part(suites, "overlap", "layers", "hidden", "batch")
    if device == "cpu":
        return {"layers": 2, "hidden": 32, "batch": 8, "dtype": "fp32"}
    return {"layers": overlap["layers"], "hidden": overlap["hidden"], "batch": overlap["batch"], "dtype": "bf16"}


class Step:
    """The training step of one rank."""

    def __init__(self, model: Dict[str, Any], device: str, rank: int, seed: int) -> None:
        self._device = torch.device(device, rank) if device == "cuda" else torch.device("cpu")
        dtype = torch.bfloat16 if model["dtype"] == "bf16" else torch.float32
        torch.manual_seed(seed)
        hidden = model["hidden"]
        layers: List[torch.nn.Module] = []
        for _ in range(model["layers"]):
            linear = torch.nn.Linear(hidden, hidden, bias=False, device=self._device, dtype=dtype)
            layers += [linear, torch.nn.ReLU()]
        stack = torch.nn.Sequential(*layers[:-1])
        layer_mb = hidden * hidden * (2 if model["dtype"] == "bf16" else 4) / 2**20
        self._model = torch.nn.parallel.DistributedDataParallel(
            stack, device_ids=[rank] if device == "cuda" else None, bucket_cap_mb=max(1, int(layer_mb)),
            gradient_as_bucket_view=True,
        )  # fmt: skip
        self._optimizer = torch.optim.SGD(self._model.parameters(), lr=1e-3)
        torch.manual_seed(seed + 1 + rank)
        self._x = torch.randn(model["batch"], hidden, device=self._device).to(dtype)
        self._y = torch.randn(model["batch"], hidden, device=self._device).to(dtype)

    def run(self) -> None:
        """One step."""
        self._optimizer.zero_grad(set_to_none=True)
        torch.nn.functional.mse_loss(self._model(self._x), self._y).backward()
        self._optimizer.step()

    def difference(self) -> float:
        """||own - rank 0's|| / ||rank 0's|| of the first layer's averaged gradient; the largest of all ranks."""
        gradient = next(self._model.parameters()).grad
        assert gradient is not None
        theirs = gradient.detach().clone()
        dist.broadcast(theirs, 0)
        norm = theirs.double().norm()
        error = (gradient.double() - theirs.double()).norm() / norm if float(norm) > 0 else norm * float("nan")
        every = [torch.zeros_like(error) for _ in range(dist.get_world_size())]
        dist.all_gather(every, error)
        return max((float(one) for one in every), key=lambda value: value if value == value else float("inf"))


def step_times_ns(step: Step, device: str, count: int) -> List[float]:
    """The length of each of `count` steps in a row, in ns: the slowest rank's."""
    dist.barrier()
    if device == "cuda":
        torch.cuda.synchronize()
        events = [torch.cuda.Event(enable_timing=True) for _ in range(count + 1)]
        for event in events[:-1]:
            event.record()
            step.run()
        events[-1].record()
        torch.cuda.synchronize()
        times = [a.elapsed_time(b) * 1e6 for a, b in zip(events, events[1:])]
    else:
        moments = [time.perf_counter_ns()]
        for _ in range(count):
            step.run()
            moments.append(time.perf_counter_ns())
        times = [float(b - a) for a, b in zip(moments, moments[1:])]
    slowest = torch.tensor(times, dtype=torch.float64, device=device)
    dist.all_reduce(slowest, op=dist.ReduceOp.MAX)
    return [float(value) for value in slowest.cpu()]


def write_trace(path: Path, document: Dict[str, Any]) -> None:
    """A Chrome trace, compressed; the same events give the same bytes."""
    document.pop("traceName", None)  # a path of this machine
    text = json.dumps(document, separators=(",", ":"))
    temporary = path.with_name("." + path.name)
    temporary.write_bytes(gzip.compress(text.encode(), 9, mtime=0))
    os.replace(temporary, path)


def launched(document: Dict[str, Any]) -> Dict[str, int]:
    """What NCCL really took: the largest grid and block of its kernels. Empty where the trace has none."""
    found: Dict[str, int] = {}
    for event in document.get("traceEvents", []):
        if event.get("cat") != "kernel" or "nccl" not in str(event.get("name", "")).lower():
            continue
        arguments = event.get("args", {})
        for name, key in (("nccl_channels_count", "grid"), ("nccl_threads_count", "block")):
            if arguments.get(key):
                found[name] = max(found.get(name, 0), int(arguments[key][0]))
    return found


def profile(step: Step, device: str, folder: Path, rank: int) -> Dict[str, int]:
    """Traces a few steps into folder/rank<r>.json.gz; returns what NCCL took."""
    from torch.profiler import ProfilerActivity
    from torch.profiler import profile as tracer

    activities = [ProfilerActivity.CPU] + ([ProfilerActivity.CUDA] if device == "cuda" else [])
    with tracer(activities=activities):  # the first one's start-up takes long
        step.run()
    dist.barrier()
    with tracer(activities=activities, record_shapes=True) as traced:
        for _ in range(PROFILED_STEPS):
            step.run()
        if device == "cuda":
            torch.cuda.synchronize()
    raw = folder / ("rank%d.raw.json" % rank)
    traced.export_chrome_trace(str(raw))
    document = json.loads(raw.read_text(encoding="utf-8"))
    raw.unlink()
    if isinstance(document, list):  # of a PyTorch without Kineto
        document = {"traceEvents": document}
    write_trace(folder / ("rank%d.json.gz" % rank), document)
    return launched(document)


def traced(trace: Callable[[], Dict[str, Any]]) -> Dict[str, Any]:
    """What the trace says; `trace_problem` where there is none: the times are good without."""
    try:
        return trace()
    except Exception as problem:  # of the profiler, whatever it is
        return {"trace_problem": one_line("%s: %s" % (type(problem).__name__, problem), 200)}


def rank_body(options: Any, model: Dict[str, Any]) -> int:
    """What a rank does: checks, times, traces. Rank 0 writes the numbers."""
    rank, world = ranks.join(options.device)
    folder: Path = options.folder
    step = Step(model, options.device, rank, options.seed)
    for _ in range(WARM_UPS):
        step.run()
    metrics: Dict[str, Any] = {}
    error = step.difference()
    if error <= TOLERANCE:
        times_ns = step_times_ns(step, options.device, QUICK_STEPS if options.quick else STEPS)
        metrics.update(family("time", times_ns))
        if not options.quick:
            metrics.update(traced(lambda: profile(step, options.device, folder, rank)))
    metrics["error"] = error
    dist.barrier()
    if rank == 0:
        write_text(folder / "numbers.json", json.dumps({"metrics": metrics, "ranks": world}))
    ranks.keep_until_exit(step)
    return 0


def provenance(device: str) -> Dict[str, Any]:
    """What numbers of today are of: the GPU, the versions, the settings that libraries listen to."""
    return {
        "gpu": environment.device_name(device),
        "environment": environment.versions(device),
        "settings": environment.settings(),
    }


def read_manifest(manifest: Path) -> Dict[str, Any]:
    """A configuration's config.json; empty where it is none."""
    try:
        known = json.loads(manifest.read_text(encoding="utf-8"))
    except ValueError:
        return {}
    return known if isinstance(known, dict) else {}


def known_metrics(manifest: Path, wanted: Dict[str, Any]) -> Optional[Dict[str, Any]]:
    """The metrics of a complete configuration. None where there is none, or one of something else than `wanted`."""
    if not manifest.exists():
        return None
    known = read_manifest(manifest)
    other = [name for name, value in wanted.items() if known.get(name) != value]
    if not other and isinstance(known.get("metrics"), dict):
        return dict(known["metrics"])
    differs = ", ".join(other or ["metrics"])
    print("%s is measured again: other than now: %s" % (manifest.parent.name, differs), file=sys.stderr)
    return None


class Sweep:
    """Runs configurations, each in processes of its own."""

    def __init__(self, options: Any, model: Dict[str, Any]) -> None:
        self._options = options
        self._model = model
        self._provenance = provenance(options.device)

    def _wanted(self, case: Case) -> Dict[str, Any]:
        options = self._options
        wanted = {"point": case.point, "model": self._model, "seed": options.seed, "device": options.device}
        return {**wanted, **self._provenance}

    def measure(self, case: Case, row: Row) -> None:
        """Adds the configuration's metrics: of an earlier, complete run, or of new ones."""
        folder = self._options.traces / folder_of(case.point)
        manifest = folder / "config.json"
        known = None if self._options.quick else known_metrics(manifest, self._wanted(case))
        if known is not None:
            row.metrics.update(known)
            return
        work = folder if not self._options.quick else self._options.out.with_name("again-" + folder.name)
        shutil.rmtree(work, ignore_errors=True)
        work.mkdir(parents=True)
        numbers = self._run(case, work)
        loop.require_right(numbers["error"], TOLERANCE)
        if self._options.quick:
            shutil.rmtree(work)
        else:
            base = self._options.out_folder or self._options.traces.parent.parent
            files = sorted(path.name for path in folder.glob("rank*.json.gz"))
            if len(files) == case.point["gpus"]:
                numbers["trace"] = os.path.relpath(folder, base)
            document = {**self._wanted(case), "metrics": numbers, "nccl": nccl_settings(case.point), "ranks": files}
            write_text(manifest, json.dumps(document, indent=2) + "\n")
            self._summarise()
        row.metrics.update(numbers)

    def _run(self, case: Case, folder: Path) -> Dict[str, Any]:
        argv = ranks.own_argv("overlap") + ["--folder", str(folder)]
        logs = self._options.out.with_name(self._options.out.stem + "-" + folder_of(case.point))
        timeout_s = min(RANKS_TIMEOUT_S, max(20.0, self._options.budget))
        ranks.run_ranks(argv, case.point["gpus"], nccl_settings(case.point), logs, timeout_s)
        numbers = folder / "numbers.json"
        if not numbers.exists():
            raise ranks.RankFailed("rank 0 wrote no numbers; see %s.rank0.log" % logs.name)
        metrics = dict(json.loads(numbers.read_text(encoding="utf-8"))["metrics"])
        numbers.unlink()
        return metrics

    def _summarise(self) -> None:
        """manifest.json: which configurations are complete, their step times, and what all of them are of."""
        configurations = []
        for path in sorted(self._options.traces.glob("*/config.json")):
            known = read_manifest(path)
            if any(known.get(name) != value for name, value in self._provenance.items()):
                continue  # not measured again yet
            configurations.append(
                {"folder": path.parent.name, **known["point"], "time_ns": known["metrics"]["time_ns"]}
            )
        document = {"model": self._model, **self._provenance, "profiled_steps": PROFILED_STEPS}
        document["configurations"] = configurations
        write_text(self._options.traces / "manifest.json", json.dumps(document, indent=2) + "\n")


def run(arguments: Optional[List[str]]) -> int:
    """The module's command line; returns the exit code."""
    parser = loop.parser("A training step over communication channels x threads", "overlap.json")
    parser.add_argument("--gpus", type=int, default=2, help="ranks, one a GPU (%(default)s)")
    parser.add_argument("--traces", type=Path, default=Path("traces/overlap"), help="folder for the traces")
    parser.add_argument("--out-folder", type=Path, help="what the rows' paths of traces are relative to")
    parser.add_argument("--folder", type=Path, help="of a rank: where its files go")
    options = parser.parse_args(arguments)
    suites = read_suites(options.suites)
    cases = overlap_cases(suites, options.gpus, options.smoke, options.device)
    model = model_of(suites, options.device)
    if options.list:
        return loop.list_cases(cases)
    loop.stop_on_signals()
    if ranks.is_rank():
        return rank_body(options, model)
    if options.gpus < 2:
        raise BadInput("--gpus: expected at least 2, got %d" % options.gpus)
    sweep = Sweep(options, model)
    go_on = lambda: ""  # noqa: E731  (a failed configuration's processes are gone: the next ones start afresh)
    return loop.run_cases(options, "gpu-overlap", cases, sweep.measure, gpus=options.gpus, after_failure=go_on)


if __name__ == "__main__":
    loop.main(run)
