"""What the program says of a case."""

import json
import os
import subprocess
import tempfile
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Dict, List, Sequence, Tuple

from beside import Alone, PeReport
from gemm import Problem
from machine import Machine
from mapped import Report, Stage
from steps import Request

PROGRAM = os.environ["KERNBENCH_PROGRAM"]
MACHINE_FILE = Path(__file__).parents[2] / "topology" / "milestone_1h.yaml"


class ProgramError(Exception):
    pass


@dataclass
class Times:
    gemm: int
    collective: int
    at_work: Dict[str, int]  # each unit, where that is longest
    busiest_link: Tuple[str, int]  # between routers, and how long it is at work
    in_hbm: bool  # the collective's buffers
    verified: bool


def picoseconds(nanoseconds: float) -> int:
    return round(nanoseconds * 1000)


def arguments_of(workload: str, machine: Machine, problem: Problem) -> List[str]:
    placed = "a={},b={},c={}".format(*problem.placement)
    if problem.grid:
        placed += ",grid={}x{}".format(*problem.grid)
    arguments = ["sim", workload, "--topology", str(MACHINE_FILE), "--verify"]
    for name in ("m", "k", "n", "variant", "layout", "dtype"):
        arguments += [f"--{name}", str(getattr(problem, name))]
    return arguments + ["--place", placed] + machine.settings()


def arguments_of_one(machine: Machine, problems: List[Problem]) -> List[str]:
    """GEMMs on one PE, which differ in variant and layout, in all combinations of these."""
    arguments = ["sim", "gemm", "--topology", str(MACHINE_FILE), "--dtype-b", problems[0].dtype_b]
    for name in ("m", "k", "n", "dtype"):
        arguments += [f"--{name}", str(getattr(problems[0], name))]
    for name in ("variant", "layout"):
        values = dict.fromkeys(getattr(problem, name) for problem in problems)
        arguments += [f"--{name}", ",".join(values)]
    return arguments + machine.settings()


def one_pe(machine: Machine, problems: List[Problem]) -> List[Report]:
    """Of each."""
    found: Dict[Tuple[str, str], Report] = {}
    for row in rows(arguments_of_one(machine, problems)):
        found[row["point"]["variant"], row["point"]["layout"]] = report_of(row)
    return [found[problem.variant, problem.layout] for problem in problems]


def records_of_one(machine: Machine, problem: Problem) -> List[Tuple[str, int, int]]:
    """8.1: what the PE's units did from when to when."""
    with tempfile.TemporaryDirectory(prefix="machine-calculator-") as folder:
        trace = Path(folder) / "trace.json"
        rows(arguments_of_one(machine, [problem]) + ["--trace", str(trace)])
        (of_pe,) = records(trace).values()
        return of_pe


def report_of(row: Dict[str, Any]) -> Report:
    """8.2 to 8.5."""
    metrics, windows = row["metrics"], row["windows"]
    stages = {
        stage["stage"]: Stage(
            stage["records"],
            picoseconds(stage["wall_ns"]),
            picoseconds(stage["busy_ns"]),
            stage["bytes"],
            stage["macs"],
        )
        for stage in row["stages"]
    }
    lengths = (picoseconds(windows[name]) for name in ("pe_ns", "composite_ns"))
    sizes = (metrics[name] for name in ("tiles", "hbm_read_bytes", "hbm_written_bytes"))
    return Report(*lengths, *sizes, stages)


def rows(arguments: List[str]) -> List[Dict[str, Any]]:
    with tempfile.TemporaryDirectory(prefix="machine-calculator-") as folder:
        document = Path(folder) / "rows.json"
        ended = subprocess.run(
            [PROGRAM, *arguments, "--json", str(document)], stdin=subprocess.DEVNULL, capture_output=True, text=True
        )
        if ended.returncode != 0:
            raise ProgramError(ended.stderr)
        found: List[Dict[str, Any]] = json.loads(document.read_text())["rows"]
        return found


def alone(machine: Machine, problem: Problem, more: Sequence[str] = ()) -> Alone:
    """What is reported of a GEMM with nothing beside it; `more` options."""
    over = ["--over", "package", "--dtype-b", problem.dtype_b]
    (row,) = rows(arguments_of("gemm", machine, problem) + over + list(more))
    stages: Dict[str, List[Dict[str, Any]]] = defaultdict(list)
    for stage in row["stages"]:
        stages[stage["stage"]].append(stage)
    times = ([picoseconds(stage["wall_ns"]) for stage in stages[of]] for of in ("program", "array"))
    sizes = ([stage["bytes"] for stage in stages[of]] for of in ("read", "sent", "written"))
    metrics = row["metrics"]
    return Alone(
        [PeReport(*of_pe) for of_pe in zip(*times, *sizes)],
        picoseconds(metrics["array_idle_ns"]),
        metrics["network_bytes"],
        metrics["port_bytes"],
        metrics["busiest_link"],
    )


def beside(machine: Machine, problem: Problem, request: Request, trace: Path) -> Dict[str, Times]:
    """Times by what runs; `trace` is written of both together."""
    collective = ["--scale", "package", "--collective", request.collective, "--algorithm", request.algorithm]
    sized = ["--sizes", f"{request.count * 2}B", "--trace", str(trace)]
    (row,) = rows(arguments_of("concurrent", machine, problem) + collective + sized)
    metrics = row["metrics"]
    ends = {
        "gemm": (metrics["gemm_alone_ns"], 0),
        "collective": (0, metrics["collective_alone_ns"]),
        "both": (metrics["gemm_with_ns"], metrics["collective_with_ns"]),
    }
    return {
        which: Times(
            picoseconds(gemm),
            picoseconds(of_collective),
            {stage["stage"]: picoseconds(stage["wall_ns"]) for stage in row["stages"] if stage["engine"] == which},
            (metrics[which + "_busiest_link"], picoseconds(metrics[which + "_busiest_link_ns"])),
            metrics["buffers_in_hbm"] and which != "gemm",
            row["flags"] == ["verified"],
        )
        for which, (gemm, of_collective) in ends.items()
    }


def records(trace: Path) -> Dict[str, List[Tuple[str, int, int]]]:
    """8.1: what each PE's units did from when to when. What takes no time is left out."""
    tracks: Dict[int, str] = {}
    found: Dict[str, List[Tuple[str, int, int]]] = defaultdict(list)
    for event in json.loads(trace.read_text())["traceEvents"]:
        if event["name"] == "thread_name":
            tracks[event["tid"]] = event["args"]["name"]
        elif event["ph"] == "X" and event["dur"] > 0 and tracks[event["tid"]] != "run":
            pe, unit = tracks[event["tid"]].split(" ")[0].split(".")  # without the number of a further track
            begin, time = (round(event[key] * 10**6) for key in ("ts", "dur"))
            found[pe].append(("send" if event["name"] == "send" else unit, begin, begin + time))
    return {pe: sorted(of_pe) for pe, of_pe in found.items()}
