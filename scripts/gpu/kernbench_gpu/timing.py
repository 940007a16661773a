"""How one operation on one device is timed: the two families of every measured row.

time     back to back inside a CUDA graph, launch gaps excluded, per operation
latency  one call on an idle stream, from event to event, launch gap included

Before a sample of a flushed row the L2 is written over, outside the timed part. On a CPU (dry runs) both are wall-clock
times of calls.
"""

from __future__ import annotations

import gc
import math
import time
from dataclasses import dataclass, replace
from typing import Any, Callable, Dict, List

import torch

from kernbench_gpu.statistics import family

SPIN_CYCLES = 120_000
"""The host enqueues an event, a graph and an event behind this: about 60 us."""
SAMPLE_NS = 200e3
MOST_OPERATIONS = 64
MOST_BYTES = 8 << 30
"""What all sets of buffers of a flushed row may take together."""

Call = Callable[[int], Any]
"""Runs the operation on buffer set i, and returns what it allocated."""


@dataclass(frozen=True)
class SampleLimits:
    """As many samples as fill `aim_ms`, but `start`..`most`; where `start` of them last ten times that, `least`."""

    aim_ms: float = 15
    least: int = 5
    start: int = 10
    most: int = 50
    warm_ups: int = 2
    """Repetitions before the first sample."""

    def samples(self, sample_ns: float) -> int:
        """How many samples of this length, in ns, are taken."""
        if sample_ns * self.start > 10 * self.aim_ms * 1e6:
            return self.least
        return min(max(math.ceil(self.aim_ms * 1e6 / max(sample_ns, 1.0)), self.start), self.most)


def sample_limits(options: Any) -> SampleLimits:
    """What --device, --quick, --samples and --warm-ups ask for."""
    if options.device == "cpu":
        limits = SampleLimits(0.2, 2, 2, 3) if options.quick else SampleLimits(0.5, 3, 3, 5)
    else:
        limits = SampleLimits(3, 3, 5, 10) if options.quick else SampleLimits()
    if options.samples > 0:
        limits = replace(limits, least=options.samples, start=options.samples, most=options.samples)
    return replace(limits, warm_ups=options.warm_ups)


def operations_per_sample(operation_ns: float) -> int:
    """Enough for about 200 us, at most 64."""
    return min(max(math.ceil(SAMPLE_NS / max(operation_ns, 1.0)), 1), MOST_OPERATIONS)


@dataclass
class Timed:
    """What timing gives: the metrics of both families, and a way to keep the device busy with the same work."""

    metrics: Dict[str, Any]
    repeat: Callable[[], None]
    repeat_ns: float
    """About how long one `repeat` lasts."""


class CpuTimer:
    """The wall clock, for dry runs."""

    def __init__(self, limits: SampleLimits) -> None:
        self._limits = limits
        self._flush = torch.empty(1 << 20, dtype=torch.uint8)

    def measure(self, call: Call, grow: Callable[[int], int], flushed: bool) -> Timed:
        """See CudaTimer.measure."""
        for _ in range(max(1, self._limits.warm_ups)):
            call(0)
        grow(1)
        samples = []
        for _ in range(self._limits.samples(1e6)):
            if flushed:
                self._flush.fill_(0x5A)
            begin = time.perf_counter_ns()
            call(0)
            samples.append(float(max(time.perf_counter_ns() - begin, 1)))
        metrics = {**family("time", samples), **family("latency", samples)}
        return Timed(metrics, lambda: call(0), samples[0])


class CudaTimer:
    """Events and CUDA graphs on the current device."""

    def __init__(self, limits: SampleLimits) -> None:
        self._limits = limits
        self._stream = torch.cuda.Stream()
        l2_bytes = int(getattr(torch.cuda.get_device_properties(0), "L2_cache_size", 0))
        self._flush = torch.empty(max(2 * l2_bytes, 64 << 20), dtype=torch.uint8, device="cuda")

    def estimate_ns(self, call: Call) -> float:
        """Time of one operation in ns, roughly: warms up, then a few calls back to back. On the current stream."""
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        once_ns = 0.0
        for _ in range(2):
            begin.record()
            call(0)
            end.record()
            end.synchronize()
            once_ns = begin.elapsed_time(end) * 1e6
        if once_ns > 20e6:
            return once_ns
        torch.cuda._sleep(SPIN_CYCLES)
        begin.record()
        for _ in range(5):
            call(0)
        end.record()
        end.synchronize()
        return begin.elapsed_time(end) * 1e6 / 5

    def _capture(self, call: Call, operations: int, flushed: bool) -> "torch.cuda.CUDAGraph":
        # Compilers run and libraries allocate in these calls: neither is allowed while a stream is captured.
        for i in range(3):
            call(i % operations if flushed else 0)
        self._stream.synchronize()
        graph = torch.cuda.CUDAGraph()
        kept: List[Any] = []
        with torch.cuda.graph(graph, stream=self._stream):
            for i in range(operations):
                out = call(i if flushed else 0)
                if flushed:
                    kept.append(out)  # else the next operation's result would take the same memory
        return graph

    def measure(self, call: Call, grow: Callable[[int], int], flushed: bool) -> Timed:
        """Both families of `call`. `grow(n)` makes buffer sets up to n and returns how many there are: a flushed sample
        uses one for each of its operations, a warm one set 0 alone."""
        self._stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(self._stream):
            operation_ns = self.estimate_ns(call)
            operations = operations_per_sample(operation_ns)
            if flushed:
                operations = min(operations, grow(operations))
            torch.cuda.synchronize()
            graph = self._capture(call, operations, flushed)
            gc.disable()  # its pauses would be in the latencies
            try:
                time_ns = self._time_samples(graph, operations, operation_ns, flushed)
                latency_ns = self._latency_samples(call, operation_ns, flushed)
            finally:
                gc.enable()
        torch.cuda.current_stream().wait_stream(self._stream)
        metrics = {**family("time", time_ns), **family("latency", latency_ns)}

        def repeat() -> None:
            with torch.cuda.stream(self._stream):
                graph.replay()

        return Timed(metrics, repeat, metrics["time_ns"] * operations)

    def _time_samples(
        self, graph: "torch.cuda.CUDAGraph", operations: int, operation_ns: float, flushed: bool
    ) -> List[float]:
        for _ in range(self._limits.warm_ups):
            graph.replay()
        self._stream.synchronize()
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        samples = []
        for _ in range(self._limits.samples(operation_ns * operations)):
            if flushed:
                self._flush.fill_(0x5A)
            torch.cuda._sleep(SPIN_CYCLES)
            begin.record()
            graph.replay()
            end.record()
            end.synchronize()
            samples.append(begin.elapsed_time(end) * 1e6 / operations)
        return samples

    def _latency_samples(self, call: Call, operation_ns: float, flushed: bool) -> List[float]:
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        samples = []
        for _ in range(self._limits.samples(operation_ns)):
            if flushed:
                self._flush.fill_(0x5A)
            self._stream.synchronize()
            begin.record()
            call(0)
            end.record()
            end.synchronize()
            samples.append(begin.elapsed_time(end) * 1e6)
        return samples


def timer(options: Any) -> Any:
    """The timer of the device that the options name: CudaTimer or CpuTimer."""
    limits = sample_limits(options)
    return CudaTimer(limits) if options.device == "cuda" else CpuTimer(limits)


def free_cached_memory(device: str) -> None:
    """Gives memory back that earlier cases left in PyTorch's cache, where that is much: while a stream is captured
    nothing can be given back."""
    if device == "cuda" and torch.cuda.memory_reserved() > 32 << 30:
        torch.cuda.empty_cache()
