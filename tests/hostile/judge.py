"""Runs a case with limits of time and memory, and says what is wrong with how it ended."""

import json
import math
import os
import re
import resource
import signal
import subprocess
import tempfile
from pathlib import Path

from cases import Case

CPU_SECONDS = 20
WALL_SECONDS = 300
MEMORY = 8 << 30
MOST_OUTPUT = 1 << 20

# What no user should read: libraries' and the language's own words for what nobody thought of.
INTERNAL = re.compile(
    r"std::|bad_alloc|terminate called|Sanitizer|runtime error:|\[json\.exception|basic_string|vector::|stoi|stoll"
    r"|Assertion|assert|core dumped|\bSIG[A-Z]{3,}|_M_|invariant"
)
SHARES = re.compile(r"util|eff$|fraction|share")


def limited() -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS + 1))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (256 << 20, 256 << 20))


def absurd(name: str, value: object) -> bool:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return False
    if not math.isfinite(value):
        return True
    if re.search(r"alpha|intercept|error|above|cpu_s|_x$|_y$", name):
        return False
    return value < 0 or (SHARES.search(name) is not None and value > 1 + 1e-9)


def wrong_numbers(document: object, name: str = "") -> list[str]:
    """Times below zero, shares above one, numbers that are none, anywhere in a results document."""
    if isinstance(document, dict):
        return [wrong for key, value in document.items() for wrong in wrong_numbers(value, key)]
    if isinstance(document, list):
        return [wrong for value in document for wrong in wrong_numbers(value, name)]
    return [f"{name} is {document}"] if absurd(name, document) else []


def wrong_rows(document: dict) -> list[str]:
    wrong = wrong_numbers(document)
    for row in document.get("rows", []):
        metrics = row.get("metrics", {})
        time, bound = metrics.get("time_ns"), metrics.get("bound_ns")
        if row.get("status") == "ok" and time is not None and time <= 0:
            wrong.append(f"time_ns is {time}")
        if None not in (time, bound) and time < bound * (1 - 1e-9):
            wrong.append(f"time_ns {time} is below bound_ns {bound}")
    return wrong


def wrong_output(case: Case, code: int, out: str, err: str) -> list[str]:
    wrong = []
    if code < 0:
        name = signal.Signals(-code).name
        return [f"ended by {name}" + (f": more than {CPU_SECONDS} s of CPU" if name in ("SIGXCPU", "SIGKILL") else "")]
    if code not in (0, 1, 2):
        wrong.append(f"exit code {code}")
    if found := INTERNAL.search(out + err):
        wrong.append(f'says "{found[0]}"')
    if code != 0 and not err.strip():
        wrong.append(f"exit code {code} without a word")
    if len(out) > MOST_OUTPUT or len(err) > MOST_OUTPUT:
        wrong.append(f"{len(out) + len(err)} bytes of output")
    if "\x1b" in err:
        wrong.append("sends an escape character to the terminal")
    # A file that cannot be written is known only after the tables that stand beside it.
    if code == 2 and out and "list" not in case.arguments and "cannot write" not in err:
        wrong.append("exit code 2, and something on stdout")
    if code == 0 and "--json" in case.arguments and case.arguments[0] in ("sim", "probe") and out.startswith("{"):
        wrong += wrong_rows(json.loads(out))
    if code == 0 and re.search(r"(?<![\w.-])(nan|-?inf)(?![\w-])", out):
        wrong.append("a number that is none")
    return wrong


def litter(folder: Path, before: set[str], code: int) -> list[str]:
    """Wrong input leaves nothing behind."""
    after = {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}
    if code == 2 and after - before:
        return [f"exit code 2, and files are there: {', '.join(sorted(after - before)[:3])}"]
    return [
        f"a temporary is left: {name}" for name in sorted(after - before) if ".tmp" in name or name.endswith(".new")
    ]


def judge(program: str, case: Case) -> tuple[list[str], str]:
    """What is wrong, and what the program said."""
    prefix = "hostile-"
    with tempfile.TemporaryDirectory(prefix=prefix) as name, tempfile.TemporaryDirectory(prefix=prefix) as cache:
        folder = Path(name)
        for file, content in case.files.items():
            (folder / file).parent.mkdir(parents=True, exist_ok=True)
            (folder / file).write_bytes(content)
        arguments = [argument.replace("WORK", name) for argument in case.arguments]
        before = {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}
        environment = {**os.environ, "COLUMNS": "80"}
        environment.pop("MILESTONE_FAST", None)
        environment["KERNBENCH_CACHE"] = cache  # never the user's
        process = subprocess.Popen(
            [program, *arguments],
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            preexec_fn=limited,
            start_new_session=True,
        )
        try:
            out, err = process.communicate(timeout=WALL_SECONDS)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
            return [f"does not end within {WALL_SECONDS} s"], ""
        said, complained = out.decode("utf-8", "replace"), err.decode("utf-8", "replace")
        wrong = wrong_output(case, process.returncode, said, complained)
        # A process that reads a file of its own writes it anew: only what wrong input leaves counts.
        wrong += litter(folder, before, process.returncode)
        return wrong, f"exit code {process.returncode}\n{said[:2000]}\n{complained[:2000]}"
