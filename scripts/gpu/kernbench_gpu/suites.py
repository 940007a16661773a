"""The lists of cases (scripts/gpu/suites.json), and about how long each case takes on an H200."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Dict, Iterator, List, Sequence, Tuple

from kernbench_gpu.rows import BadInput

IMPORTANCE = ("milestone", "squares", "grid27", "skinny", "ragged", "universal", "grid64")
"""GEMM suites, the most important first: where time runs out the last are left out."""

H200_FLOPS = {"fp32": 45e12, "tf32": 300e12, "fp16": 550e12, "bf16": 550e12, "fp8_e4m3": 900e12}
"""FLOP/s that large products reach, roughly; only for estimates of time."""
H200_BYTES_PER_S = 3.5e12

# What a case of a backend costs beside its samples, in s: inputs, check, capture; compilers and searches for a tile.
GEMM_SETUP_S = {"torch_eager": 0.08, "torch_inductor": 0.6, "torch_aot_eager": 0.2, "triton": 0.15}
CALLS = 25
"""Calls of an operation that is long: checks, warm-up, samples of both families."""


@dataclass(frozen=True)
class Case:
    """A case that somebody intends to run: made without a GPU, in the order of importance."""

    suite: str
    point: Dict[str, Any]
    estimate_s: float
    power_window: bool = False


def read_suites(path: Path) -> Dict[str, Any]:
    """The whole file. Raises BadInput where it cannot be read or is no JSON."""
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise BadInput("%s: cannot be read: %s; --suites names the lists of cases" % (path, error.strerror)) from error
    except ValueError as error:
        raise BadInput("%s: is not valid JSON: %s" % (path, error)) from error
    if not isinstance(document, dict):
        raise BadInput("%s: expected an object" % path)
    return document


def part(suites: Dict[str, Any], name: str, *keys: str) -> Dict[str, Any]:
    """A part that must be there, with its keys. Raises BadInput naming what is missing."""
    found = suites.get(name)
    if not isinstance(found, dict):
        raise BadInput('suites: "%s": is missing or no object' % name)
    for key in keys:
        if key not in found:
            raise BadInput("suites: %s.%s: is missing" % (name, key))
    return found


def sizes(value: Any, length: int, place: str) -> Tuple[int, ...]:
    """A shape: `length` whole numbers above 0. Raises BadInput naming the place."""
    good = isinstance(value, list) and len(value) == length
    if not good or not all(isinstance(size, int) and not isinstance(size, bool) and size > 0 for size in value):
        raise BadInput("suites: %s: expected %d whole numbers above 0, got %s" % (place, length, json.dumps(value)))
    return tuple(value)


def gemm_shapes(suites: Dict[str, Any], only: Sequence[str] = ()) -> Iterator[Tuple[str, Tuple[int, ...]]]:
    """(suite, (m, k, n)) in the order of importance, each shape once. `only`: these suites alone, if any."""
    lists = part(suites, "gemm", "suites")["suites"]
    names = [name for name in IMPORTANCE if name in lists] + [name for name in lists if name not in IMPORTANCE]
    seen = set()
    for name in names:
        if only and name not in only:
            continue
        for index, value in enumerate(lists[name]):
            shape = sizes(value, 3, "gemm.suites.%s[%d]" % (name, index))
            if shape not in seen:
                seen.add(shape)
                yield name, shape


def gemm_seconds(backend: str, shape: Sequence[int], dtype: str, power_window: bool) -> float:
    """About how long the two cases (L2 warm or flushed: one of them) of a shape take on an H200, in s."""
    flops = 2.0 * shape[0] * shape[1] * shape[2]
    return GEMM_SETUP_S.get(backend, 0.08) + CALLS * flops / H200_FLOPS[dtype] + (1.0 if power_window else 0.0)


SMOKE_GEMM = ((32, 64, 32), (1000, 1000, 1000), (1024, 1024, 1024))
SMOKE_GEMM_CPU = ((32, 64, 32), (100, 33, 70))


def gemm_cases(
    suites: Dict[str, Any],
    backend: str,
    smoke: bool,
    device: str,
    dtypes: Sequence[str] = (),
    only: Sequence[str] = (),
) -> List[Case]:
    """Points m, k, n, dtype, backend, l2 of the part "gemm"; compiled backends take `compiled_suites` alone.
    `dtypes`, `only`: these dtypes, the cases of these suites, if any. Raises BadInput for one that is not listed. Eager and Triton have power windows for warm cases of `power_suites`: compiled products are the eager kernels.
    """
    gemm = part(suites, "gemm", "dtypes", "suites", "power_suites")
    for asked, known in ((dtypes, gemm["dtypes"]), (only, gemm["suites"])):
        for name in asked:
            if name not in known:
                raise BadInput('suites: gemm has no "%s"; there are %s' % (name, ", ".join(known)))
    compiled = backend in ("torch_inductor", "torch_aot_eager")
    if smoke:
        shapes = [("smoke", shape) for shape in (SMOKE_GEMM if device == "cuda" else SMOKE_GEMM_CPU)]
    else:
        shapes = list(gemm_shapes(suites, gemm.get("compiled_suites", ()) if compiled else ()))
    powered = set() if compiled or smoke else {shape for _, shape in gemm_shapes(suites, gemm["power_suites"])}
    cases = []
    for suite, (m, k, n) in shapes:
        if only and not smoke and suite not in only:
            continue
        for dtype in gemm["dtypes"]:
            if dtypes and dtype not in dtypes:
                continue
            if dtype not in H200_FLOPS:
                raise BadInput('suites: gemm.dtypes: there is no "%s"; known: %s' % (dtype, ", ".join(H200_FLOPS)))
            for l2 in ("warm", "flushed"):
                power = l2 == "warm" and (m, k, n) in powered
                point = {"m": m, "k": k, "n": n, "dtype": dtype, "backend": backend, "l2": l2}
                cases.append(Case(suite, point, gemm_seconds(backend, (m, k, n), dtype, power), power))
    return cases


def operator_seconds(implementation: str, shape: Sequence[int]) -> float:
    """About how long a case takes on an H200, in s: a float64 reference and samples."""
    elements = float(shape[0]) * shape[1] * shape[2]
    setup_s = {"pytorch": 0.1, "cuda": 0.1, "triton": 0.2}.get(implementation, 0.1)
    return setup_s + elements * (60 + 12 * CALLS) / H200_BYTES_PER_S


def operator_cases(suites: Dict[str, Any], implementation: str, smoke: bool, device: str) -> List[Case]:
    """Points operation, implementation, batch_size, sequence_length, tensor_dimension, dtype, l2."""
    operators = part(suites, "operators", "operations", "dtypes", "shapes")
    shapes = [sizes(shape, 3, "operators.shapes[%d]" % index) for index, shape in enumerate(operators["shapes"])]
    if smoke:
        shapes = [(2, 64, 768), (1, 33, 777)] if device == "cuda" else [(1, 4, 96), (2, 3, 50)]
    cases = []
    for shape in shapes:
        for operation in operators["operations"]:
            for dtype in operators["dtypes"]:
                for l2 in ("warm", "flushed"):
                    point = {
                        "operation": operation,
                        "implementation": implementation,
                        "batch_size": shape[0],
                        "sequence_length": shape[1],
                        "tensor_dimension": shape[2],
                        "dtype": dtype,
                        "l2": l2,
                    }
                    cases.append(Case("operators", point, operator_seconds(implementation, shape)))
    return cases


def overlap_cases(suites: Dict[str, Any], gpus: int, smoke: bool, device: str) -> List[Case]:
    """Points channels, threads, gpus; a configuration starts processes of its own, as NCCL reads its settings once."""
    overlap = part(suites, "overlap", "channels", "threads", "layers", "hidden", "batch")
    points = [(c, t) for c in overlap["channels"] for t in overlap["threads"]]
    estimate_s = 15.0 if device == "cuda" else 4.0
    return [
        Case("overlap", {"channels": c, "threads": t, "gpus": gpus}, estimate_s)
        for c, t in (points[:2] if smoke else points)
    ]


def dtensor_cases(suites: Dict[str, Any], gpus: int, smoke: bool) -> List[Case]:
    """Points group, m, k, n, dtype, method (dtensor), partitions, replication, gpus."""
    section = part(suites, "distributed_gemm", "smoke", "suite", "triples", "replications")
    cases = []
    for replication in section["replications"]:
        for triple in section["triples"]:
            for index, shape in enumerate(section["smoke" if smoke else "suite"]):
                place = "distributed_gemm.%s[%d]" % ("smoke" if smoke else "suite", index)
                try:
                    m, k, n = sizes([shape["m"], shape["k"], shape["n"]], 3, place)
                    point = {"group": shape["group"], "m": m, "k": k, "n": n, "dtype": shape["dtype"]}
                except (KeyError, TypeError) as error:
                    raise BadInput("suites: %s: expected group, m, k, n and dtype" % place) from error
                point.update(method="dtensor", partitions=triple, replication=replication, gpus=gpus)
                one_s = 2.0 * m * k * n / 400e12
                cases.append(Case(shape["group"], point, 0.15 + one_s * (10 + 20 / gpus)))
    return cases
