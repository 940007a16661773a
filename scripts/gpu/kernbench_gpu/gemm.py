"""Matrix products by PyTorch (eager, compiled) and Triton: `python3 -m kernbench_gpu.gemm --backend NAME`.

A is m x k, B is k x n, both row-major (layout nn); fp8 takes B column-major (tn) and gives bf16. Each product is compared
with float64 before it is timed.
"""

from __future__ import annotations

import importlib.util
import math
import os
from dataclasses import dataclass
from typing import Any, Callable, Dict, List, Optional, Tuple

import torch

from kernbench_gpu import cases as loop
from kernbench_gpu import environment, power
from kernbench_gpu.rows import Row
from kernbench_gpu.suites import Case, gemm_cases, read_suites
from kernbench_gpu.timing import MOST_BYTES, free_cached_memory, timer

BACKENDS = ("torch_eager", "torch_inductor", "torch_aot_eager", "triton")


def tolerance(dtype: str, k: int) -> float:
    """The largest ||out - ref|| / ||ref|| that counts as right, inputs as they were rounded: room for accumulation in
    fp32 (tf32: for factors of 10 bits) and for rounding the output."""
    if dtype == "fp32":
        return 1e-5 + 2e-7 * math.sqrt(k)
    return {"tf32": 2e-3, "fp16": 2e-3, "bf16": 1e-2, "fp8_e4m3": 1e-2}[dtype]


def unavailable(backend: str, device: str) -> str:
    """Why this backend cannot run here at all, or ""."""
    if backend in ("torch_inductor", "torch_aot_eager") and not hasattr(torch, "compile"):
        return "torch.compile needs PyTorch 2, this is " + torch.__version__
    if backend in ("torch_inductor", "torch_aot_eager") and device == "cpu":
        return "compiled backends are not part of a dry run on a CPU"
    if backend == "triton" and importlib.util.find_spec("triton") is None:
        return "Python has no module triton"
    if backend == "triton" and device == "cpu":
        return "Triton needs a GPU"
    return ""


def require_supported(backend: str, device: str, dtype: str, k: int, n: int) -> None:
    """Raises NotSupported where backend and device cannot do the dtype."""
    if device == "cpu" and dtype not in ("fp32", "bf16"):
        raise loop.NotSupported("a dry run on a CPU takes fp32 and bf16 alone")
    if dtype != "fp8_e4m3":
        return
    if torch.cuda.get_device_capability(0) < (8, 9):
        raise loop.NotSupported("fp8 needs compute capability 8.9")
    if backend in ("torch_inductor", "torch_aot_eager"):
        raise loop.NotSupported("fp8 is measured in eager mode and Triton alone")
    if backend == "torch_eager" and (k % 16 or n % 16):
        raise loop.NotSupported("torch._scaled_mm takes k and n that are multiples of 16")


@dataclass
class Operands:
    """Buffers of one operation. fp8's `b` is a transposed view: column-major."""

    a: torch.Tensor
    b: torch.Tensor
    c: torch.Tensor

    def bytes(self) -> int:
        """Of all three."""
        return sum(tensor.numel() * tensor.element_size() for tensor in (self.a, self.b, self.c))

    def copy(self) -> "Operands":
        """The same inputs in other memory, strides as they are."""
        return Operands(self.a.clone(), self.b.t().clone().t() if not self.b.is_contiguous() else self.b.clone(),
                        torch.empty_like(self.c))  # fmt: skip


def make_operands(m: int, k: int, n: int, dtype: str, device: str, seed: int) -> Operands:
    """Standard normal inputs, rounded to the dtype; the output is NaN all over."""
    kinds = {"fp32": torch.float32, "tf32": torch.float32, "fp16": torch.float16, "bf16": torch.bfloat16}
    generator = torch.Generator(device).manual_seed(seed)
    fp8 = dtype == "fp8_e4m3"
    kind = torch.float8_e4m3fn if fp8 else kinds[dtype]
    a = torch.randn(m, k, device=device, generator=generator).to(kind)
    b = torch.randn(n, k, device=device, generator=generator).to(kind).t() if fp8 else (
        torch.randn(k, n, device=device, generator=generator).to(kind)
    )  # fmt: skip
    c = torch.full((m, n), float("nan"), device=device, dtype=torch.bfloat16 if fp8 else kind)
    return Operands(a, b, c)


def _rows(matrix: torch.Tensor, rows: torch.Tensor) -> torch.Tensor:
    """Some rows of a row-major matrix, in float64; fp8 has no indexing of its own."""
    if matrix.element_size() == 1:
        return matrix.view(torch.uint8)[rows].view(matrix.dtype).to(torch.float32).double()
    return matrix[rows].double()


def sampled_error(operands: Operands, out: torch.Tensor, seed: int) -> float:
    """||out - ref|| / ||ref|| over random rows and columns, the last ones among them; infinite where any element of the
    whole result is not finite."""
    if not bool(torch.isfinite(out).all()):
        return math.inf
    generator = torch.Generator().manual_seed(seed)
    m, n = out.shape

    def pick(count: int, most: int) -> torch.Tensor:
        chosen = torch.randint(0, count, (min(count, most),), generator=generator)
        chosen[-1] = count - 1
        return chosen.to(out.device)

    rows, columns = pick(m, 64), pick(n, 256)
    b_rows = operands.b.t() if not operands.b.is_contiguous() else None
    b = _rows(b_rows, columns).t() if b_rows is not None else operands.b[:, columns].double()
    reference = _rows(operands.a, rows) @ b
    found = out[rows][:, columns].double()
    return float((found - reference).norm() / reference.norm())


class GemmBench:
    """Measures case after case with one backend."""

    def __init__(self, options: Any) -> None:
        self._options = options
        self._backend: str = options.backend
        self._device: str = options.device
        self._card = environment.read_card(options.card)
        self._timer = timer(options)
        self._sensors = power.Sensors(self._device)
        self._compiled: Dict[Any, Callable[..., torch.Tensor]] = {}
        if self._device == "cuda":
            # Partial sums stay in fp32, as in the other backends.
            torch.backends.cuda.matmul.allow_fp16_reduced_precision_reduction = False
            torch.backends.cuda.matmul.allow_bf16_reduced_precision_reduction = False

    def _synchronize(self) -> None:
        if self._device == "cuda":
            torch.cuda.synchronize()

    def _compiled_product(self, key: Any) -> Callable[..., torch.Tensor]:
        """torch.mm compiled for one shape and dtype; only the last one is kept."""
        if key not in self._compiled:
            import torch._dynamo

            torch._dynamo.reset()
            backend = self._backend[len("torch_") :]

            def multiply(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
                return torch.mm(a, b)

            self._compiled = {key: torch.compile(multiply, backend=backend, dynamic=False, fullgraph=True)}
        return self._compiled[key]

    def _call(self, sets: List[Operands], dtype: str, row: Row) -> Callable[[int], Optional[torch.Tensor]]:
        """The operation on set i. It returns the result where the backend allocates it."""
        first = sets[0]
        if self._backend == "triton":
            from kernbench_gpu import triton_gemm

            if max(first.a.numel(), first.b.numel(), first.c.numel()) >= 2**31:
                raise loop.NotSupported("the Triton kernel counts elements in 32 bits")
            tile = triton_gemm.best_tile(first.a, first.b, first.c, dtype)
            row.metrics["tile"] = str(tile)
            first.c.fill_(float("nan"))
            return lambda i: triton_gemm.launch(sets[i].a, sets[i].b, sets[i].c, dtype, tile)
        if dtype == "fp8_e4m3":
            one = torch.ones((), device=self._device, dtype=torch.float32)
            return lambda i: torch._scaled_mm(sets[i].a, sets[i].b, scale_a=one, scale_b=one, out_dtype=torch.bfloat16)
        if self._backend == "torch_eager":
            return lambda i: torch.mm(sets[i].a, sets[i].b, out=sets[i].c)
        compiled = self._compiled_product((tuple(first.a.shape), tuple(first.b.shape), dtype))
        return lambda i: compiled(sets[i].a, sets[i].b)

    def measure(self, case: Case, row: Row) -> None:
        """Adds the case's metrics to the row. Raises what describes the failure."""
        point = case.point
        m, k, n, dtype = point["m"], point["k"], point["n"], point["dtype"]
        require_supported(self._backend, self._device, dtype, k, n)
        torch.set_float32_matmul_precision("high" if dtype == "tf32" else "highest")
        free_cached_memory(self._device)
        with torch.no_grad():
            sets = [make_operands(m, k, n, dtype, self._device, self._options.seed)]
            call = self._call(sets, dtype, row)
            out = call(0)
            error = sampled_error(sets[0], sets[0].c if out is None else out, self._options.seed + 2)
            del out
            loop.require_right(error, tolerance(dtype, k))

            def grow(count: int) -> int:
                most = max(1, min(count, MOST_BYTES // sets[0].bytes()))
                while len(sets) < most:
                    sets.append(sets[0].copy())
                return len(sets)

            timed = self._timer.measure(call, grow, point["l2"] == "flushed")
            row.metrics.update(timed.metrics)
            tflops = 2.0 * m * k * n / timed.metrics["time_ns"] * 1e-3
            row.metrics["tflops"] = tflops
            row.metrics.update(loop.shares(self._card, dtype, tflops))
            row.metrics.update(error=error, layout="tn" if dtype == "fp8_e4m3" else "nn")
            if case.power_window and not self._options.quick and self._device == "cuda":
                power.add_power(row, self._sensors, timed.repeat, timed.repeat_ns, self._synchronize)
            else:
                power.add_clock(row, self._sensors, timed.repeat, timed.repeat_ns, self._synchronize)


def names(text: str) -> Tuple[str, ...]:
    """What a list between commas names."""
    return tuple(name for name in text.split(",") if name)


def run(arguments: Optional[List[str]]) -> int:
    """The module's command line; returns the exit code."""
    parser = loop.parser(__doc__.splitlines()[0], "gemm.json")
    parser.add_argument("--backend", choices=BACKENDS, required=True)
    parser.add_argument("--dtypes", type=names, default=(), help="these alone, as in bf16,fp8_e4m3")
    parser.add_argument(
        "--only", type=names, default=(), help="the shapes of these suites alone, as in milestone,grid64"
    )
    options = parser.parse_args(arguments)
    lists = read_suites(options.suites)
    cases = gemm_cases(lists, options.backend, options.smoke, options.device, options.dtypes, options.only)
    if options.list:
        return loop.list_cases(cases)
    loop.stop_on_signals()
    reason = unavailable(options.backend, options.device)
    bench = None if reason else GemmBench(options)
    return loop.run_cases(options, "gpu-gemm", cases, lambda case, row: bench.measure(case, row), unavailable=reason)


if __name__ == "__main__":
    os.environ.setdefault("TORCHINDUCTOR_COMPILE_THREADS", "1")  # products have nothing to compile beside each other
    loop.main(run)
