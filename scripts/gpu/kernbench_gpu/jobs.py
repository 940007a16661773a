"""The jobs of a measurement: which program measures which part, on how many GPUs, and about how long it takes."""

from __future__ import annotations

import os
import site
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Dict, List

from kernbench_gpu import suites as lists

SUITES = ("device", "gemm", "launches", "copy", "operators", "collectives", "distributed_gemm", "overlap", "beside")
START_S = {"program": 2.0, "python": 12.0}
"""Until the first case: CUDA's start; importing PyTorch as well."""
QUICK = 0.6
"""What the second run takes of the first one's time: fewer samples, no power windows."""


@dataclass(frozen=True)
class Settings:
    """What the user asked for."""

    out: Path
    suites_file: Path
    program: Path
    device: str
    smoke: bool
    gpus: int
    seed: int
    samples: int = 0
    warm_ups: int = 2


def library_path() -> Dict[str, str]:
    """LD_LIBRARY_PATH with the folders where Python's packages and CUDA's toolkit keep cuBLASLt and NCCL."""
    folders: List[str] = []
    for packages in site.getsitepackages() + [site.getusersitepackages()] + sys.path:
        for pattern in ("nvidia/*/lib/libcublasLt.so.*", "nvidia/*/lib/libnccl.so.*"):
            folders += sorted(str(library.parent) for library in Path(packages).glob(pattern)) if packages else []
    folders += os.environ.get("LD_LIBRARY_PATH", "").split(":")
    folders += ["/usr/local/cuda/lib64"]
    kept = list(dict.fromkeys(folder for folder in folders if folder and Path(folder).is_dir()))
    return {"LD_LIBRARY_PATH": ":".join(kept)} if kept else {}


@dataclass(frozen=True)
class Job:
    """A child process that writes one results file. `argv` lacks --out, --budget and --quick."""

    name: str
    suite: str
    file: str
    argv: List[str]
    weight_s: float
    gpus: int = 1
    environment: Dict[str, str] = field(default_factory=dict)
    setting: str = ""
    """Name of what NCCL was asked for, where a job is one of several that differ in that."""
    variables: Dict[str, str] = field(default_factory=dict)
    """The variables of the environment that ask for it."""
    compiles: int = 0
    """0: nothing; 1: PyTorch's compiler; 2: Triton, which tries several kernels a case."""


@dataclass(frozen=True)
class Skipped:
    """A part that does not run at all, and why."""

    suite: str
    what: str
    why: str


def cheap_first(jobs: List[Job]) -> List[Job]:
    """What compiles last, Triton at the very end; of the others what takes least first."""
    return sorted(jobs, key=lambda job: (job.compiles, job.weight_s))


def first_of_suites(jobs: List[Job]) -> List[Job]:
    """The first job of each suite."""
    firsts: Dict[str, Job] = {}
    for job in jobs:
        firsts.setdefault(job.suite, job)
    return list(firsts.values())


@dataclass
class Plan:
    """All jobs in the order in which they should start, and what is left out."""

    jobs: List[Job] = field(default_factory=list)
    skipped: List[Skipped] = field(default_factory=list)


class Planner:
    """Makes the plan from the lists of cases."""

    def __init__(self, settings: Settings, only: List[str]) -> None:
        self._settings = settings
        self._only = only
        self._suites = lists.read_suites(settings.suites_file)
        self._plan = Plan()

    def plan(self) -> Plan:
        """Raises BadInput where the lists are malformed."""
        for suite in SUITES:
            if suite in self._only:
                getattr(self, "_" + suite)()
        self._plan.jobs = cheap_first(self._plan.jobs)
        return self._plan

    def _shared(self) -> List[str]:
        options = ["--suites", str(self._settings.suites_file), "--seed", str(self._settings.seed)]
        options += ["--samples", str(self._settings.samples), "--warm-ups", str(self._settings.warm_ups)]
        return options + (["--smoke"] if self._settings.smoke else [])

    def _skip(self, suite: str, what: str, why: str) -> None:
        self._plan.skipped.append(Skipped(suite, what, why))

    def _program(self, suite: str, name: str, file: str, command: List[str], weight_s: float, **more: Any) -> None:
        """A job of kernbench-gpu, where it and a GPU are there."""
        if self._settings.device == "cpu":
            self._skip(suite, name, "kernbench-gpu needs a GPU")
        elif not self._settings.program.exists():
            why = "%s is not there: build it, or name it with --kernbench-gpu" % self._settings.program
            self._skip(suite, name, why)
        else:
            argv = [str(self._settings.program)] + command + self._shared()
            more["environment"] = {**more.get("environment", {}), **library_path()}
            self._plan.jobs.append(Job(name, suite, file, argv, weight_s + START_S["program"], **more))

    def _python(self, suite: str, name: str, file: str, module: List[str], weight_s: float, **more: Any) -> None:
        """A job of one of our modules; what compiles needs a GPU."""
        if self._settings.device == "cpu" and more.get("compiles"):
            self._skip(suite, name, "what compiles is not part of a dry run on a CPU")
            return
        argv = [sys.executable, "-m", "kernbench_gpu." + module[0]] + module[1:] + self._shared()
        argv += ["--device", self._settings.device, "--card", str(self._settings.out / "device.json")]
        self._plan.jobs.append(Job(name, suite, file, argv, weight_s + START_S["python"], **more))

    def _seconds(self, cases: List[lists.Case]) -> float:
        return sum(case.estimate_s for case in cases)

    def _device(self) -> None:
        self._program("device", "device", "device.json", ["device"], 1.0)

    def _gemm(self) -> None:
        smoke, device = self._settings.smoke, self._settings.device

        def seconds(backend: str, *dtypes: str) -> float:
            return self._seconds(lists.gemm_cases(self._suites, backend, smoke, device, dtypes))

        self._program("gemm", "gemm-cublaslt", "gemm.json", ["gemm"], seconds("torch_eager"))
        for backend in ("torch_eager", "torch_inductor", "torch_aot_eager"):
            name = "gemm-" + backend.replace("_", "-")
            compiles = 0 if backend == "torch_eager" else 1
            command = ["gemm", "--backend", backend]
            self._python("gemm", name, "gemm.json", command, seconds(backend), compiles=compiles)
        for dtype in lists.part(self._suites, "gemm", "dtypes")["dtypes"]:
            command = ["gemm", "--backend", "triton", "--dtypes", dtype]
            self._python("gemm", "gemm-triton-" + dtype, "gemm.json", command, seconds("triton", dtype), compiles=2)

    def _launches(self) -> None:
        section = lists.part(self._suites, "launches", "products", "dtypes")
        cases = 1 if self._settings.smoke else len(section["products"]) * len(section["dtypes"])
        self._program("launches", "launches", "launches.json", ["launches"], 1.0 + 0.5 * cases)

    def _copy(self) -> None:
        for gpus in [1] + [count for count in (2, 4, 8) if count <= self._settings.gpus]:
            command = ["copy", "--gpus", str(gpus)]
            self._program("copy", "copy-%d" % gpus, "copy.json", command, 5.0, gpus=gpus)

    def _operators(self) -> None:
        smoke, device = self._settings.smoke, self._settings.device
        seconds = self._seconds(lists.operator_cases(self._suites, "cuda", smoke, device))
        self._program("operators", "operators-cuda", "operators.json", ["operators"], seconds)
        for implementation in ("pytorch", "triton"):
            seconds = self._seconds(lists.operator_cases(self._suites, implementation, smoke, device))
            module = ["operators", "--implementation", implementation]
            compiles = 2 if implementation == "triton" else 0
            name = "operators-" + implementation
            self._python("operators", name, "operators.json", module, seconds, compiles=compiles)

    def _several(self, suite: str) -> List[int]:
        """The numbers of GPUs that parts over several GPUs are measured on: 2, 4 ... up to all."""
        counts = [count for count in (2, 4, 8) if count <= self._settings.gpus]
        if not counts:
            self._skip(suite, suite, "needs at least 2 GPUs, there is %d" % self._settings.gpus)
        return counts

    def _collectives(self) -> None:
        section = lists.part(self._suites, "collectives", "collectives", "sizes", "settings")
        counts = self._several("collectives")
        for count in reversed(counts):
            for setting, wanted in section["settings"].items():
                if count != counts[-1] and not wanted.get("fewer_gpus", False):
                    continue
                name = "collectives-%s-%d" % (setting.replace("_", "-"), count)
                variables = wanted["variables"]
                collectives = wanted.get("collectives", section["collectives"])
                cases = len(collectives) * (2 if self._settings.smoke else len(section["sizes"]))
                command = ["collectives", "--gpus", str(count), "--setting", setting]
                more = {"gpus": count, "environment": variables, "setting": setting, "variables": variables}
                if wanted.get("launch", "stream") != "stream":
                    command += ["--launch", wanted["launch"]]
                if collectives != section["collectives"]:
                    # Not every algorithm knows every collective.
                    command += [word for name in collectives for word in ("--collective", name)]
                self._program("collectives", name, "collectives.json", command, 4.0 + 0.2 * cases, **more)

    def _distributed_gemm(self) -> None:
        file, smoke = "distributed_gemm.json", self._settings.smoke
        counts = self._several("distributed_gemm")
        for count in reversed(counts):
            cases = lists.dtensor_cases(self._suites, count, smoke)
            stationary = len(self._suites["distributed_gemm"].get("methods", ())) - 1
            command = ["distributed", "--gpus", str(count)]
            seconds = stationary * self._seconds(cases)
            self._program("distributed_gemm", "distributed-%d" % count, file, command, seconds, gpus=count)
            module = ["distributed_gemm", "--gpus", str(count)]
            self._python("distributed_gemm", "dtensor-%d" % count, file, module, self._seconds(cases) + 10, gpus=count)

    def _overlap(self) -> None:
        counts = self._several("overlap")
        if counts:
            module = ["overlap", "--gpus", str(counts[-1]), "--traces", str(self._settings.out / "traces" / "overlap")]
            smoke, device = self._settings.smoke, self._settings.device
            seconds = self._seconds(lists.overlap_cases(self._suites, counts[-1], smoke, device))
            self._python("overlap", "overlap-%d" % counts[-1], "overlap.json", module, seconds, gpus=counts[-1])

    def _beside(self) -> None:
        section = lists.part(self._suites, "beside", "products", "channels")
        cases = 2 if self._settings.smoke else len(section["products"]) * len(section["channels"])
        for count in reversed(self._several("beside")):
            command = ["beside", "--gpus", str(count)]
            self._program("beside", "beside-%d" % count, "beside.json", command, 4.0 + cases, gpus=count)
