"""One rank of the overlap sweep: a data-parallel training step of an MLP, timed and then profiled.

A step is forward, backward and an SGD update of `layers` square linear layers with GELU between them, in bf16 on a GPU and
fp32 on a CPU. DistributedDataParallel reduces gradients bucket by bucket while the backward pass still runs: how much of
that is hidden is what the sweep is about.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import time
from dataclasses import dataclass

import torch
import torch.distributed as dist


@dataclass(frozen=True)
class StepSettings:
    """Sizes of the training step; all counts, `bucket_mb` in MiB of gradients."""

    hidden: int
    layers: int
    batch: int
    bucket_mb: int
    warmup: int
    steps: int
    profiled_steps: int


def build_step(settings: StepSettings, device: torch.device, seed: int):
    """A function without arguments that does one training step."""
    torch.manual_seed(seed)
    dtype = torch.bfloat16 if device.type == "cuda" else torch.float32
    blocks: list[torch.nn.Module] = []
    for _ in range(settings.layers):
        blocks += [torch.nn.Linear(settings.hidden, settings.hidden), torch.nn.GELU()]
    model = torch.nn.Sequential(*blocks).to(device=device, dtype=dtype)
    parallel = torch.nn.parallel.DistributedDataParallel(
        model,
        device_ids=[device.index] if device.type == "cuda" else None,
        bucket_cap_mb=settings.bucket_mb,
        gradient_as_bucket_view=True,
    )
    optimizer = torch.optim.SGD(parallel.parameters(), lr=1e-4)
    torch.manual_seed(seed + 1 + dist.get_rank())
    inputs = torch.randn(settings.batch, settings.hidden, device=device, dtype=dtype)
    targets = torch.randn(settings.batch, settings.hidden, device=device, dtype=dtype)

    def step() -> None:
        optimizer.zero_grad(set_to_none=True)
        torch.nn.functional.mse_loss(parallel(inputs), targets).backward()
        optimizer.step()

    return step


def time_steps(step, settings: StepSettings, device: torch.device) -> list[float]:
    """Nanoseconds of each timed step, the slowest rank's; the same list on every rank."""
    for _ in range(settings.warmup):
        step()
    times = torch.zeros(settings.steps, dtype=torch.float64, device=device)
    for i in range(settings.steps):
        dist.barrier()
        if device.type == "cuda":
            begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
            torch.cuda.synchronize(device)
            begin.record()
            step()
            end.record()
            end.synchronize()
            times[i] = begin.elapsed_time(end) * 1e6
        else:
            started = time.perf_counter_ns()
            step()
            times[i] = time.perf_counter_ns() - started
    dist.all_reduce(times, op=dist.ReduceOp.MAX)
    return times.tolist()


def profile_steps(step, settings: StepSettings, device: torch.device, file: str) -> None:
    """Writes a PyTorch-profiler (Kineto) trace of `profiled_steps` steps to `file`, gzip, whole or not at all."""
    activities = [torch.profiler.ProfilerActivity.CPU]
    if device.type == "cuda":
        activities.append(torch.profiler.ProfilerActivity.CUDA)
    raw = f"{file}.raw.json"
    schedule = torch.profiler.schedule(wait=0, warmup=1, active=settings.profiled_steps, repeat=1)
    with torch.profiler.profile(
        activities=activities,
        schedule=schedule,
        on_trace_ready=lambda profiler: profiler.export_chrome_trace(raw),
        record_shapes=True,
    ) as profiler:
        for _ in range(1 + settings.profiled_steps):
            dist.barrier()
            step()
            if device.type == "cuda":
                torch.cuda.synchronize(device)
            profiler.step()
    with open(raw, encoding="utf-8") as source:
        trace = json.load(source)
    if isinstance(trace, dict):  # without Kineto it is a bare list of events
        trace["traceName"] = os.path.basename(file)  # not the path the profiler was given
    text = json.dumps(trace, separators=(",", ":")).encode()
    with open(f"{file}.tmp", "wb") as target, gzip.GzipFile(filename="", mode="wb", fileobj=target, mtime=0) as packed:
        packed.write(text)
    os.replace(f"{file}.tmp", file)
    os.remove(raw)


def run_rank(options: argparse.Namespace, settings: StepSettings) -> None:
    """The whole life of one rank; rank 0 writes times.json, every rank its trace."""
    device = torch.device("cuda", options.rank) if options.device == "cuda" else torch.device("cpu")
    if device.type == "cuda":
        torch.cuda.set_device(device)
    backend = "nccl" if device.type == "cuda" else "gloo"
    store = "file://" + os.path.abspath(os.path.join(options.folder, "store"))
    dist.init_process_group(backend, init_method=store, rank=options.rank, world_size=options.ranks)
    step = build_step(settings, device, options.seed)
    times = time_steps(step, settings, device)
    profile_steps(step, settings, device, os.path.join(options.folder, "rank%d.json.gz" % options.rank))
    dist.barrier()
    if options.rank == 0:
        with open(os.path.join(options.folder, "times.json"), "w", encoding="utf-8") as file:
            json.dump(times, file)
    dist.destroy_process_group()


def main() -> None:
    """The command: started by overlap.py, once a rank."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--rank", type=int, required=True)
    options.add_argument("--ranks", type=int, required=True)
    options.add_argument("--device", required=True)
    options.add_argument("--seed", type=int, required=True)
    options.add_argument("--folder", required=True, help="where times, traces and the ranks' meeting point lie")
    options.add_argument("--settings", required=True, help="a StepSettings as a JSON object")
    chosen = options.parse_args()
    run_rank(chosen, StepSettings(**json.loads(chosen.settings)))


if __name__ == "__main__":
    main()
