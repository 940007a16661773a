"""clang-tidy over the translation units that the sources are in, as many at a time as there are cores. A unit that passed
before is not read again: what it comes to when preprocessed, the checks and clang-tidy's version make its key, in
$XDG_CACHE_HOME/kernbench/clang-tidy.

    tidy.py COMPILE_COMMANDS_FOLDER K/N SOURCE...      every Nth unit from the Kth on; exit code 1 where one has a finding
"""

import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys


def output_of(command, folder="."):
    """Standard output of a command that has to succeed."""
    return subprocess.run(command, cwd=folder, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout


def sources_of(unit):
    """The sources that a unit of kernbench_unity includes, or the unit itself."""
    if os.sep + "unity" + os.sep not in unit:
        return {unit}
    return {os.path.realpath(name) for name in re.findall(r'#include "(.*)"', pathlib.Path(unit).read_text())}


def preprocessed(entry):
    """A unit as clang sees it, with its comments (NOLINT is one) and without places."""
    arguments = shlex.split(entry["command"])[1:]
    at = arguments.index("-o")
    del arguments[at : at + 2]
    arguments.remove("-c")
    text = output_of(["clang++", "-E", "-P", "-C", "-Wno-everything", *arguments], entry["directory"])
    return text.replace(os.getcwd().encode(), b".")  # macros that hold the checkout's place


def main():
    database, part, *named = sys.argv[1:]
    first, step = map(int, part.split("/"))
    named = {os.path.realpath(source) for source in named}
    entries = {}
    for entry in json.loads(pathlib.Path(database, "compile_commands.json").read_text()):
        unit = os.path.realpath(os.path.join(entry["directory"], entry["file"]))
        if named & sources_of(unit):
            entries.setdefault(unit, entry)
    entries = {unit: entries[unit] for unit in sorted(entries)[first - 1 :: step]}
    home = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    passed = pathlib.Path(home, "kernbench", "clang-tidy")
    passed.mkdir(parents=True, exist_ok=True)
    rules = output_of(["clang-tidy", "--version"])
    rules += b"".join(pathlib.Path(folder, ".clang-tidy").read_bytes() for folder in (".", "tests"))

    def check(unit):
        mark = passed / hashlib.sha256(rules + preprocessed(entries[unit])).hexdigest()
        if mark.exists():
            return None, 0
        command = ["clang-tidy", "--quiet", "-p", database, "--extra-arg=-Wno-unknown-warning-option", unit]
        ended = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
        if ended.returncode == 0:
            mark.touch()
        return ended, ended.returncode

    failed = read = 0
    with concurrent.futures.ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
        for done, (ended, code) in enumerate(pool.map(check, entries), 1):
            if code != 0:
                failed += 1
                print(ended.stdout or ended.stderr, flush=True)
            read += ended is not None
            if sys.stderr.isatty():
                print(f"\r\033[Kclang-tidy: {done} of {len(entries)}", end="", file=sys.stderr, flush=True)
    if sys.stderr.isatty():
        print("\r\033[K", end="", file=sys.stderr)
    print(f"clang-tidy: {read} units read, {len(entries) - read} as they were when they passed", file=sys.stderr)
    if failed:
        sys.exit(f"clang-tidy: findings in {failed} of {len(entries)} units")


main()
