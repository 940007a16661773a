"""Rows to calibrate a machine file with: random products of the library, and the kernels that it launches for them.

Times are those of a burst: the GPU idles, a spin of 5 ms wakes its clock, a CUDA graph repeats the product; the
governor's first tick is far. `warm_burst_us`: the same operands again; `hbm_burst_us`: other operands each time.
With --steady also `warm_steady_us`, `sm_mhz` and `power_w`, after 0.4 s of the same work.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, Callable, Dict, Iterator, List, Optional, Tuple

import torch

from kernbench_gpu import cases as loop
from kernbench_gpu import environment
from kernbench_gpu.power import Sensors
from kernbench_gpu.random_products import KINDS, Shape, shapes
from kernbench_gpu.rows import BadInput, utc_now, write_text
from kernbench_gpu.statistics import median

POOL_BYTES = 3 << 30
IDLE_S = 2e-3
WAKE_UP_CYCLES = 10_000_000
GRAPH_NS = 1.5e6
MOST_REPETITIONS = 48
MOST_SETS = 1024
SAMPLES = 5
SETTLING_S = 0.4
"""Of the same work, before a steady time is taken."""
WINDOW_S = 0.1
CPU_LARGEST = 96
MARKER = "spin_kernel"


class Pool:
    """Random numbers that operands are cut from: nothing is filled between measurements."""

    def __init__(self, dtype: str, device: str) -> None:
        kind = KINDS[dtype]
        self._size = torch.tensor([], dtype=kind).element_size()
        self._columns = dtype == "fp8"  # B is column-major
        elements = (POOL_BYTES if device == "cuda" else 1 << 22) // self._size
        self._numbers = torch.empty(elements, dtype=kind, device=device)
        for part in self._numbers.split(1 << 27):
            part.copy_(torch.empty(part.shape, dtype=torch.float32, device=device).normal_())
        result = torch.bfloat16 if dtype == "fp8" else kind
        self._result_size = torch.tensor([], dtype=result).element_size()
        self._results = torch.empty(elements // 2, dtype=result, device=device)

    def sets(self, shape: Shape, most: int) -> List[Tuple[torch.Tensor, torch.Tensor, torch.Tensor]]:
        """A, B and C, at most so many times, each elsewhere; every matrix begins at a multiple of 256 B."""
        step = 256 // self._size
        found = []
        at = to = 0
        while len(found) < most:
            a, b, c = shape.m * shape.k, shape.k * shape.n, shape.m * shape.n
            after_a = at + math.ceil(a / step) * step
            end, end_c = after_a + math.ceil(b / step) * step, to + math.ceil(c / step) * step
            if end > self._numbers.numel() or end_c > self._results.numel():
                break
            second = self._numbers[after_a : after_a + b]
            found.append(
                (
                    self._numbers[at : at + a].view(shape.m, shape.k),
                    second.view(shape.n, shape.k).t() if self._columns else second.view(shape.k, shape.n),
                    self._results[to : to + c].view(shape.m, shape.n),
                )
            )
            at, to = end, end_c
        return found

    def bytes(self, shape: Shape) -> int:
        """Of A, B and C."""
        return (shape.m * shape.k + shape.k * shape.n) * self._size + shape.m * shape.n * self._result_size


def kernels_of_trace(text: str) -> List[List[Dict[str, Any]]]:
    """Kernels of a trace of the profiler, in order: a list for each marker, of what follows it."""
    events = [event for event in json.loads(text)["traceEvents"] if event.get("cat") == "kernel"]
    found: List[List[Dict[str, Any]]] = []
    for event in sorted(events, key=lambda one: float(one["ts"])):
        if MARKER in event["name"]:
            found.append([])
        elif found:
            facts = event["args"]
            kernel = {"name": event["name"], "grid": facts["grid"], "block": facts["block"]}
            kernel.update(regs=facts["registers per thread"], smem=facts["shared memory"], us=round(event["dur"], 3))
            found[-1].append(kernel)
    return found


def plain(a: torch.Tensor, b: torch.Tensor, c: torch.Tensor) -> None:
    torch.mm(a, b, out=c)


def scaled(one: torch.Tensor) -> Callable[[torch.Tensor, torch.Tensor, torch.Tensor], None]:
    """For fp8, with scales of 1 on the device."""
    return lambda a, b, c: torch._scaled_mm(a, b, scale_a=one, scale_b=one, out_dtype=c.dtype, out=c)


class Cuda:
    """Times inside CUDA graphs, kernels by torch.profiler."""

    def __init__(self, dtype: str, steady: bool) -> None:
        self._pool = Pool(dtype, "cuda")
        self._multiply = scaled(torch.ones((), device="cuda")) if dtype == "fp8" else plain
        self._sensors = Sensors("cuda") if steady else None
        self._l2 = int(getattr(torch.cuda.get_device_properties(0), "L2_cache_size", 64 << 20))
        self._stream = torch.cuda.Stream()

    def _graph(self, sets: List[Any], repetitions: int) -> torch.cuda.CUDAGraph:
        for operands in sets[:2]:
            self._multiply(*operands)
        torch.cuda.synchronize()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph, stream=self._stream):
            for i in range(repetitions):
                self._multiply(*sets[i % len(sets)])
        return graph

    def _burst_ns(self, sets: List[Any], repetitions: int) -> float:
        graph = self._graph(sets, repetitions)
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        graph.replay()
        samples = []
        for _ in range(SAMPLES):
            torch.cuda.synchronize()
            time.sleep(IDLE_S)
            torch.cuda._sleep(WAKE_UP_CYCLES)
            begin.record()
            graph.replay()
            end.record()
            end.synchronize()
            samples.append(begin.elapsed_time(end) * 1e6 / repetitions)
        return median(samples)

    def _steady(self, sets: List[Any], once_ns: float, sensors: Sensors) -> Dict[str, Any]:
        """warm_steady_us, sm_mhz, power_w: graphs of some 10 ms follow each other without a pause."""
        repetitions = max(1, math.ceil(1e7 / once_ns))
        graph = self._graph(sets, repetitions)
        clocks: List[float] = []
        watts: List[float] = []
        waiting: List[torch.cuda.Event] = []

        def repeat(seconds: float, look: bool) -> int:
            count, until = 0, time.monotonic() + seconds
            while time.monotonic() < until:
                graph.replay()
                waiting.append(torch.cuda.Event())
                waiting[-1].record()
                count += 1
                if len(waiting) > 3:
                    waiting.pop(0).synchronize()
                    if look:
                        clocks.extend(value for value in (sensors.clock_mhz(),) if value is not None)
                        watts.extend(value for value in (sensors.power_w(),) if value is not None)
            return count

        repeat(SETTLING_S, False)
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        begin.record()
        count = repeat(WINDOW_S, True)
        end.record()
        end.synchronize()
        row: Dict[str, Any] = {"warm_steady_us": round(begin.elapsed_time(end) * 1e3 / count / repetitions, 4)}
        if clocks and watts:
            row.update(sm_mhz=median(clocks), power_w=round(median(watts), 2))
        return row

    def measure(self, shape: Shape) -> Dict[str, Any]:
        """warm_burst_us, hbm_burst_us, and what _steady adds."""
        one = self._pool.sets(shape, 1)
        once_ns = self._burst_ns(one, 1)
        repetitions = min(max(math.ceil(GRAPH_NS / once_ns), 1), MOST_REPETITIONS)
        row = {"warm_burst_us": round((self._burst_ns(one, repetitions) if repetitions > 1 else once_ns) / 1e3, 4)}
        needed = max(2, math.ceil(3 * self._l2 / self._pool.bytes(shape)))
        others = self._pool.sets(shape, min(max(repetitions, needed), MOST_SETS))
        if len(others) >= needed:
            row["hbm_burst_us"] = round(self._burst_ns(others, max(repetitions, len(others))) / 1e3, 4)
        if self._sensors is not None:
            row.update(self._steady(one, row["warm_burst_us"] * 1e3, self._sensors))
        return row

    def kernels(self, of: List[Shape]) -> List[List[Dict[str, Any]]]:
        """What the library launches for each."""
        activities = [torch.profiler.ProfilerActivity.CUDA]
        with torch.profiler.profile(activities=activities) as profiler:
            for shape in of:
                ((a, b, c),) = self._pool.sets(shape, 1)
                torch.cuda._sleep(1000)
                self._multiply(a, b, c)
            torch.cuda.synchronize()
        with tempfile.TemporaryDirectory() as folder:
            trace = Path(folder) / "trace.json"
            profiler.export_chrome_trace(str(trace))
            return kernels_of_trace(trace.read_text(encoding="utf-8"))


class Cpu:
    """Wall-clock times of small products and no kernels, to see that all works."""

    def __init__(self, dtype: str, steady: bool = False) -> None:
        if dtype == "fp8":
            raise BadInput("--device cpu: fp8 products need a GPU")
        self._pool = Pool(dtype, "cpu")
        self._names = ("warm_burst_us", "hbm_burst_us") + (("warm_steady_us",) if steady else ())

    def measure(self, shape: Shape) -> Dict[str, Any]:
        """Of a product no larger than CPU_LARGEST a side; all times are the same."""
        small = Shape(shape.tag, *(min(side, CPU_LARGEST) for side in (shape.m, shape.n, shape.k)))
        ((a, b, c),) = self._pool.sets(small, 1)
        begin = time.perf_counter_ns()
        torch.mm(a, b, out=c)
        us = round(max(time.perf_counter_ns() - begin, 1) / 1e3, 4)
        return dict.fromkeys(self._names, us)

    def kernels(self, of: List[Shape]) -> List[List[Dict[str, Any]]]:
        """None."""
        return [[] for _ in of]


def measured(bench: Any, dtype: str, of: List[Shape], deadline: float, progress: Callable[[int], None]) -> List[Any]:
    """Rows of the shapes, as many as the time allows, kernels included."""
    rows: List[Dict[str, Any]] = []
    done: List[Shape] = []
    for shape in of:
        if time.monotonic() > deadline:
            break
        layout = "nt" if dtype == "fp8" else "nn"
        row = {"tag": shape.tag, "m": shape.m, "n": shape.n, "k": shape.k, "dtype": dtype, "layout": layout}
        rows.append({**row, **bench.measure(shape)})
        done.append(shape)
        progress(len(done))
    kernels = bench.kernels(done)
    if len(kernels) != len(rows):
        print("warning: the profiler saw %d of %d products; rows without kernels" % (len(kernels), len(rows)),
              file=sys.stderr)  # fmt: skip
        kernels = [[] for _ in rows]
    for row, launched in zip(rows, kernels):
        row["kernels"] = launched
    return rows


def format_rows(device: str, provenance: Dict[str, Any], rows: List[Any]) -> str:
    """The file's text, a line a row."""
    lines = ",\n".join("  " + json.dumps(row, separators=(",", ":")) for row in rows)
    head = {"device": device, "provenance": provenance}
    text = "".join(" %s: %s,\n" % (json.dumps(key), json.dumps(value)) for key, value in head.items())
    return "{\n" + text + ' "rows": [\n' + lines + "\n ]\n}\n"


def _dtypes(text: str) -> Tuple[str, ...]:
    found = tuple(name for name in text.split(",") if name)
    for name in found:
        if name not in KINDS:
            raise argparse.ArgumentTypeError("expected some of %s, got '%s'" % (",".join(KINDS), name))
    return found


def _positive(text: str) -> int:
    try:
        value = int(text)
    except ValueError:
        value = 0
    if not 1 <= value <= 100000:
        raise argparse.ArgumentTypeError("expected a whole number from 1 to 100000, got '%s'" % text)
    return value


def _parser() -> argparse.ArgumentParser:
    options = argparse.ArgumentParser(prog="calibration-rows", description=(__doc__ or "").splitlines()[0])
    options.add_argument("--dtypes", type=_dtypes, default=("tf32", "fp32"), help="some of " + ",".join(KINDS))
    options.add_argument("--ragged", action="store_true", help="rows that are no multiple of 16 B")
    options.add_argument("--steady", action="store_true", help="also the time after 0.4 s of the same work")
    options.add_argument("--count", type=_positive, default=120, help="products of each dtype (%(default)s)")
    options.add_argument("--seed", type=int, default=1, help="of shapes and numbers (%(default)s)")
    options.add_argument("--budget", type=float, default=120.0, help="seconds until this ends (%(default)s)")
    options.add_argument("--out", type=Path, default=Path("calibration.json"), help="file to write (%(default)s)")
    options.add_argument("--device", choices=("cuda", "cpu"), default="cuda", help="cpu: a dry run (%(default)s)")
    options.add_argument("--list", action="store_true", help="print the shapes and measure nothing")
    return options


def _progress(dtype: str, of: int) -> Callable[[int], None]:
    begin = time.monotonic()

    def show(done: int) -> None:
        if done % 10 == 0 or done == of:
            spent = time.monotonic() - begin
            print("%s: %d of %d, %.0f s, %.0f s to go" % (dtype, done, of, spent, spent / done * (of - done)),
                  file=sys.stderr, flush=True)  # fmt: skip

    return show


def _each(options: Any) -> Iterator[Tuple[str, List[Shape]]]:
    for dtype in options.dtypes:
        yield dtype, shapes(dtype, options.ragged, options.count, options.seed)


def run(arguments: Optional[List[str]]) -> int:
    """The module's command line; returns the exit code."""
    options = _parser().parse_args(arguments)
    if options.list:
        for dtype, of in _each(options):
            for shape in of:
                print("%s %s m=%d n=%d k=%d" % (dtype, shape.tag, shape.m, shape.n, shape.k))
        return 0
    if options.device == "cuda" and not torch.cuda.is_available():
        raise BadInput("--device cuda: PyTorch sees no GPU; --device cpu makes a dry run")
    loop.stop_on_signals()
    torch.manual_seed(options.seed)
    begin = time.monotonic()
    rows: List[Any] = []
    asked = "scripts/gpu/calibration-rows --dtypes %s --count %d --seed %d --budget %g%s%s" % (
        ",".join(options.dtypes), options.count, options.seed, options.budget,
        " --ragged" if options.ragged else "", " --steady" if options.steady else ""
    )  # fmt: skip
    provenance = {"command": asked, "created_at": utc_now(), "environment": environment.versions(options.device)}
    wanted = 0
    for place, (dtype, of) in enumerate(_each(options)):
        torch.set_float32_matmul_precision("high" if dtype == "tf32" else "highest")
        left = options.budget - (time.monotonic() - begin)
        deadline = time.monotonic() + left / (len(options.dtypes) - place)
        bench = Cuda(dtype, options.steady) if options.device == "cuda" else Cpu(dtype, options.steady)
        rows += measured(bench, dtype, of, deadline, _progress(dtype, len(of)))
        wanted += len(of)
        del bench
        provenance["skipped"] = wanted - len(rows)
        write_text(options.out, format_rows(environment.device_name(options.device), provenance, rows))
    print("%s: %d rows in %.0f s, %d left out" % (options.out, len(rows), time.monotonic() - begin, wanted - len(rows)))
    return 0
