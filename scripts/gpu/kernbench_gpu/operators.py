"""LayerNorm, GELU, Swish, MSE and cross-entropy by PyTorch and Triton: `python3 -m kernbench_gpu.operators
--implementation NAME`. Each result is compared with float64, whole, before it is timed."""

from __future__ import annotations

import importlib.util
import math
from dataclasses import dataclass
from typing import Any, Callable, Dict, List, Optional

import torch
import torch.nn.functional as F

from kernbench_gpu import cases as loop
from kernbench_gpu import environment
from kernbench_gpu.rows import Row
from kernbench_gpu.suites import Case, operator_cases, read_suites
from kernbench_gpu.timing import MOST_BYTES, free_cached_memory, timer

EPS = 1e-5
"""Of LayerNorm."""
TOLERANCE = {"fp32": 2e-5, "bf16": 1e-2}
"""The largest ||out - ref|| / ||ref|| that counts as right: bf16 results are rounded to 8 bits."""
KINDS = {"fp32": torch.float32, "bf16": torch.bfloat16}

FLOPS_OF_ELEMENT = {"layernorm": 7, "gelu": 5, "swish": 3, "mse": 3, "cross_entropy": 3}
"""Additions, multiplications, divisions; an exponential or erf counts as one. Memory bounds all of them."""


@dataclass
class Inputs:
    """Of one operation; `extra` is weight and bias, the other operand of MSE, or the targets."""

    x: torch.Tensor
    extra: List[torch.Tensor]

    def bytes(self) -> int:
        """Of all tensors."""
        return sum(tensor.numel() * tensor.element_size() for tensor in [self.x] + self.extra)

    def copy(self) -> "Inputs":
        """The same values in other memory."""
        return Inputs(self.x.clone(), [tensor.clone() for tensor in self.extra])


def make_inputs(operation: str, rows: int, length: int, dtype: str, device: str, seed: int) -> Inputs:
    """Standard normal x of rows x length; weights around 1; targets uniform over the classes."""
    generator = torch.Generator(device).manual_seed(seed)

    def normal(*shape: int) -> torch.Tensor:
        return torch.randn(*shape, device=device, generator=generator)

    kind = KINDS[dtype]
    x = normal(rows, length).to(kind)
    if operation == "layernorm":
        return Inputs(x, [(1 + 0.1 * normal(length)).to(kind), (0.1 * normal(length)).to(kind)])
    if operation == "mse":
        return Inputs(x, [normal(rows, length).to(kind)])
    if operation == "cross_entropy":
        return Inputs(x, [torch.randint(0, length, (rows,), device=device, generator=generator)])
    return Inputs(x, [])


def by_pytorch(operation: str, x: torch.Tensor, extra: List[torch.Tensor]) -> torch.Tensor:
    """What torch.nn.functional gives."""
    if operation == "layernorm":
        return F.layer_norm(x, (x.shape[-1],), extra[0], extra[1], EPS)
    if operation == "gelu":
        return F.gelu(x)
    if operation == "swish":
        return F.silu(x)
    if operation == "mse":
        return F.mse_loss(x, extra[0])
    return F.cross_entropy(x, extra[0])


def by_triton(operation: str, x: torch.Tensor, extra: List[torch.Tensor]) -> torch.Tensor:
    """Our kernels."""
    from kernbench_gpu import triton_operators as ours

    if operation == "layernorm":
        return ours.layernorm(x, extra[0], extra[1], EPS)
    return getattr(ours, operation)(x, *extra)


IMPLEMENTATIONS: Dict[str, Callable[[str, torch.Tensor, List[torch.Tensor]], torch.Tensor]] = {
    "pytorch": by_pytorch,
    "triton": by_triton,
}


def reference(operation: str, inputs: Inputs) -> torch.Tensor:
    """The operation's definition in float64, written out: independent of what is measured."""
    x = inputs.x.double()
    extra = [tensor.double() if tensor.is_floating_point() else tensor for tensor in inputs.extra]
    if operation == "layernorm":
        centred = x - x.mean(-1, keepdim=True)
        return centred / ((centred * centred).mean(-1, keepdim=True) + EPS).sqrt() * extra[0] + extra[1]
    if operation == "gelu":
        return 0.5 * x * (1 + torch.erf(x / math.sqrt(2)))
    if operation == "swish":
        return x / (1 + torch.exp(-x))
    if operation == "mse":
        return ((x - extra[0]) ** 2).mean()
    return (torch.logsumexp(x, -1) - x.gather(1, extra[0].unsqueeze(1)).squeeze(1)).mean()


def least_bytes(operation: str, rows: int, length: int, dtype: str) -> int:
    """Bytes that must move: each input read once, each output written once."""
    size = 4 if dtype == "fp32" else 2
    elements = rows * length
    return {
        "layernorm": 2 * elements * size + 2 * length * size,
        "gelu": 2 * elements * size,
        "swish": 2 * elements * size,
        "mse": 2 * elements * size + size,
        "cross_entropy": elements * size + 8 * rows + size,
    }[operation]


def efficiency(
    card: Dict[str, Any], operation: str, rows: int, length: int, dtype: str, time_ns: float
) -> Dict[str, float]:
    """The roofline's time over the measured one, where the card has both peaks."""
    memory_gbs, fp32 = environment.peak(card, "memory_gbs"), environment.peak(card, "tflops", "fp32")
    if not memory_gbs or not fp32:
        return {}
    memory_ns = least_bytes(operation, rows, length, dtype) / memory_gbs
    flops_ns = FLOPS_OF_ELEMENT[operation] * rows * length / fp32 * 1e-3
    return {"efficiency": max(memory_ns, flops_ns) / time_ns}


class OperatorBench:
    """Measures case after case with one implementation."""

    def __init__(self, options: Any) -> None:
        self._options = options
        self._device: str = options.device
        self._run = IMPLEMENTATIONS[options.implementation]
        self._card = environment.read_card(options.card)
        self._timer = timer(options)

    def _memory_mb(self, operation: str, inputs: Inputs) -> float:
        """Peak of inputs, outputs and temporaries, in 10^6 B; on a CPU of inputs and outputs alone."""
        if self._device == "cpu":
            out = self._run(operation, inputs.x, inputs.extra)
            return (inputs.bytes() + out.numel() * out.element_size()) * 1e-6
        torch.cuda.synchronize()
        torch.cuda.reset_peak_memory_stats()
        before = torch.cuda.memory_allocated()
        out = self._run(operation, inputs.x, inputs.extra)
        torch.cuda.synchronize()
        del out
        return (torch.cuda.max_memory_allocated() - before + inputs.bytes()) * 1e-6

    def measure(self, case: Case, row: Row) -> None:
        """Adds the case's metrics to the row. Raises what describes the failure."""
        point = case.point
        operation, dtype = point["operation"], point["dtype"]
        rows, length = point["batch_size"] * point["sequence_length"], point["tensor_dimension"]
        free_cached_memory(self._device)
        with torch.no_grad():
            sets = [make_inputs(operation, rows, length, dtype, self._device, self._options.seed)]
            expected = reference(operation, sets[0])
            out = self._run(operation, sets[0].x, sets[0].extra)
            error = float((out.double() - expected).norm() / expected.norm())
            del expected, out
            loop.require_right(error, TOLERANCE[dtype])
            memory_mb = self._memory_mb(operation, sets[0])

            def grow(count: int) -> int:
                # As much again for what each call gives back.
                most = max(1, min(count, MOST_BYTES // (2 * sets[0].bytes())))
                while len(sets) < most:
                    sets.append(sets[0].copy())
                return len(sets)

            def call(i: int) -> torch.Tensor:
                return self._run(operation, sets[i].x, sets[i].extra)

            timed = self._timer.measure(call, grow, point["l2"] == "flushed")
        time_ns = timed.metrics["time_ns"]
        row.metrics.update(timed.metrics)
        row.metrics["time_ms"] = time_ns * 1e-6
        row.metrics["memory_mb"] = memory_mb
        row.metrics["inference_speed"] = 1000 / row.metrics["time_ms"]
        row.metrics.update(efficiency(self._card, operation, rows, length, dtype, time_ns))
        row.metrics["throughput_gbps"] = least_bytes(operation, rows, length, dtype) / time_ns
        row.metrics["error"] = error


def unavailable(implementation: str, device: str) -> str:
    """Why this implementation cannot run here at all, or ""."""
    if implementation == "triton" and importlib.util.find_spec("triton") is None:
        return "Python has no module triton"
    if implementation == "triton" and device == "cpu":
        return "Triton needs a GPU"
    return ""


def run(arguments: Optional[List[str]]) -> int:
    """The module's command line; returns the exit code."""
    parser = loop.parser("Operators by PyTorch and Triton", "operators.json")
    parser.add_argument("--implementation", choices=sorted(IMPLEMENTATIONS), required=True)
    options = parser.parse_args(arguments)
    cases = operator_cases(read_suites(options.suites), options.implementation, options.smoke, options.device)
    if options.list:
        return loop.list_cases(cases)
    loop.stop_on_signals()
    reason = unavailable(options.implementation, options.device)
    bench = None if reason else OperatorBench(options)
    return loop.run_cases(
        options, "gpu-operators", cases, lambda case, row: bench.measure(case, row), unavailable=reason
    )


if __name__ == "__main__":
    loop.main(run)
