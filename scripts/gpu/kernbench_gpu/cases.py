"""The loop of every measuring module: case by case inside the time budget, a row for each, the file rewritten as it
grows. A case that fails is a failed row; the others go on unless the device is lost."""

from __future__ import annotations

import argparse
import json
import os
import signal
import sys
import time
import traceback
from collections import Counter
from pathlib import Path
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple

from kernbench_gpu import environment
from kernbench_gpu.rows import BadInput, Results, Row, format_results, one_line, source_of, utc_now, write_text
from kernbench_gpu.suites import Case

REWRITE_EVERY_S = 3.0
TELL_EVERY_S = 10.0
RESERVE_S = 1.0


class WrongResult(Exception):
    """The result is numerically wrong: the row fails and keeps its `error`, and is never timed."""

    def __init__(self, error: float, tolerance: float) -> None:
        super().__init__("wrong: relative error %.3g, at most %.3g is right" % (error, tolerance))
        self.error = error


class NotSupported(Exception):
    """This device or library cannot do the case: the row is skipped, with this reason."""


class Stopped(Exception):
    """SIGINT or SIGTERM came: what is there is written."""


def require_right(error: float, tolerance: float) -> None:
    """Raises WrongResult where `error` is not a number within `tolerance`."""
    if not error <= tolerance:
        raise WrongResult(error, tolerance)


def parser(what: str, out: str) -> argparse.ArgumentParser:
    """The options that all measuring modules share."""
    options = argparse.ArgumentParser(description=what)
    lists = Path(__file__).parents[1] / "suites.json"
    options.add_argument("--suites", type=Path, default=lists, help="lists of cases")
    options.add_argument("--out", type=Path, default=Path(out), help="file to write (%(default)s)")
    options.add_argument("--card", type=Path, help="device.json: peaks that fractions refer to")
    options.add_argument("--budget", type=float, default=300.0, help="seconds until this ends (%(default)s)")
    options.add_argument("--seed", type=int, default=1, help="of the random inputs (%(default)s)")
    options.add_argument("--device", choices=("cuda", "cpu"), default="cuda", help="cpu: a dry run (%(default)s)")
    options.add_argument("--smoke", action="store_true", help="a few small cases only, to see that all works")
    options.add_argument("--quick", action="store_true", help="fewer samples a case, no power windows")
    options.add_argument("--samples", type=int, default=0, help="samples of each time; 0: by their length, 10 to 50")
    options.add_argument("--warm-ups", type=int, default=2, help="repetitions before the first sample (%(default)s)")
    options.add_argument("--list", action="store_true", help="print the cases and measure nothing")
    return options


def stop_on_signals() -> None:
    """Makes SIGINT and SIGTERM raise Stopped."""

    def stop(number: int, _frame: Any) -> None:
        # Once: what follows is writing.
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        raise Stopped("stopped by signal %d" % number)

    signal.signal(signal.SIGINT, stop)
    signal.signal(signal.SIGTERM, stop)


class RowsFile:
    """A results file as it grows."""

    def __init__(self, path: Path, bench: str, device: str, gpus: int) -> None:
        self._path = path
        self._begin = time.monotonic()
        self._written = -REWRITE_EVERY_S
        self._skipped: Counter[Tuple[str, str]] = Counter()
        self._results = Results(bench, source_of(environment.device_name(device)))
        self._environment = environment.versions(device)
        self._gpus = gpus
        self._device = device
        self.write()

    @property
    def elapsed_s(self) -> float:
        return time.monotonic() - self._begin

    def add(self, row: Row) -> None:
        self._results.rows.append(row)
        if time.monotonic() - self._written > REWRITE_EVERY_S:
            self.write()

    def skip(self, case: Case, why: str) -> None:
        self._skipped[(case.suite, why)] += 1

    def write(self) -> None:
        module = "kernbench_gpu." + Path(sys.argv[0]).stem
        self._results.provenance = {
            "created_at": utc_now(),
            "wall_s": round(self.elapsed_s, 3),
            "command": environment.command_line(["python3", "-m", module] + sys.argv[1:]),
            "environment": self._environment,
            "gpus": self._gpus,
            "settings": environment.settings(),
            "skipped": [{"what": what, "cases": n, "why": why} for (what, why), n in self._skipped.items()],
        }
        if self._device == "cpu":
            self._results.provenance["dry_run"] = "on a CPU, timed by the wall clock"
        write_text(self._path, format_results(self._results))
        self._written = time.monotonic()


def _cuda_lost(device: str) -> str:
    """Why the device can do nothing more (an error that sticks to the process), or ""."""
    if device == "cpu":
        return ""
    import torch

    try:
        torch.cuda.synchronize()
        torch.cuda.empty_cache()
    except Exception as error:  # any error here means that the context is gone
        return "the device is lost: " + one_line(str(error), 120)
    return ""


def run_case(case: Case, measure: Callable[[Case, Row], None]) -> Row:
    """The row of a case, whatever happens in it but a stop."""
    row = Row(dict(case.point))
    try:
        measure(case, row)
        row.metrics["measured_at"] = utc_now()
    except Stopped:
        raise
    except WrongResult as wrong:
        row.fail("failed", str(wrong))
        if wrong.error == wrong.error and wrong.error != float("inf"):
            row.metrics["error"] = wrong.error
    except NotSupported as reason:
        row.fail("skipped", str(reason))
    except Exception as error:  # a failing case is a failed row: the others go on
        absent = isinstance(error, NotImplementedError) or "not implemented for" in str(error)
        row.fail("skipped" if absent else "failed", "%s: %s" % (type(error).__name__, error))
    return row


def run_cases(
    options: argparse.Namespace,
    bench: str,
    cases: Sequence[Case],
    measure: Callable[[Case, Row], None],
    gpus: int = 1,
    unavailable: str = "",
    after_failure: Optional[Callable[[], str]] = None,
) -> int:
    """Runs the cases in order and writes options.out. `unavailable`: why none can run, if so. `after_failure` tells
    what makes the rest pointless, or "". Returns the exit code: 1 where a row failed."""
    file = RowsFile(options.out, bench, options.device, gpus)
    failed, told_s, stopped = 0, 0.0, unavailable
    lost = after_failure or (lambda: _cuda_lost(options.device))
    pending = list(cases)
    try:
        while pending:
            case = pending[0]
            if stopped:
                file.skip(pending.pop(0), stopped)
                continue
            if file.elapsed_s + case.estimate_s + RESERVE_S > options.budget:
                file.skip(pending.pop(0), "time budget")
                continue
            row = run_case(case, measure)
            pending.pop(0)
            file.add(row)
            if row.status == "failed":
                failed += 1
                print("failed: %s: %s" % (json.dumps(row.point), row.reason), file=sys.stderr, flush=True)
                stopped = lost()
            if file.elapsed_s - told_s > TELL_EVERY_S:
                told_s = file.elapsed_s
                values = (bench, len(cases) - len(pending), len(cases), failed, told_s, options.budget)
                line = "%s: %d of %d cases, %d failed, %.0f s of %.0f s" % values
                print(line, file=sys.stderr, flush=True)
    except Stopped as reason:
        for case in pending:
            file.skip(case, str(reason))
        failed += 1
    file.write()
    return 1 if failed else 0


def list_cases(cases: Sequence[Case]) -> int:
    """--list: each case's point, one JSON object a line."""
    for case in cases:
        print(json.dumps(case.point))
    return 0


def main(body: Callable[[Optional[List[str]]], int]) -> None:
    """Runs a module's body; the user's mistakes end with exit code 2, what nobody expected with 3."""
    try:
        code = body(None)
    except BadInput as error:
        print("error: %s" % error, file=sys.stderr)
        code = 2
    except Stopped as reason:
        print(reason, file=sys.stderr)
        code = 1
    except Exception:
        traceback.print_exc()
        code = 3
    sys.stdout.flush()
    sys.stderr.flush()
    # Libraries' own threads (compilers, NCCL's watchdog) may hang at exit; the files are written.
    os._exit(code)


def shares(card: Dict[str, Any], dtype: str, tflops: float) -> Dict[str, float]:
    """peak_fraction of a product, where the card has the dtype's peak."""
    peak = environment.peak(card, "tflops", dtype)
    return {"peak_fraction": tflops / peak} if peak else {}
