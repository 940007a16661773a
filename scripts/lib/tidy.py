"""clang-tidy over sources, as many at a time as there are cores. A source that passed before is not read again: what it
comes to when preprocessed, the checks and clang-tidy's version make its key, in $XDG_CACHE_HOME/kernbench/clang-tidy.

    tidy.py COMPILE_COMMANDS_FOLDER SOURCE...      exit code 1 where a source has a finding
"""

import concurrent.futures
import hashlib
import json
import os
import pathlib
import shlex
import subprocess
import sys


def output_of(command, folder="."):
    """Standard output of a command that has to succeed."""
    return subprocess.run(command, cwd=folder, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout


def preprocessed(entry):
    """A source as clang sees it, with its comments (NOLINT is one) and without places."""
    arguments = shlex.split(entry["command"])[1:]
    at = arguments.index("-o")
    del arguments[at : at + 2]
    arguments.remove("-c")
    text = output_of(["clang++", "-E", "-P", "-C", "-Wno-everything", *arguments], entry["directory"])
    return text.replace(os.getcwd().encode(), b".")  # macros that hold the checkout's place


def main():
    database, *sources = sys.argv[1:]
    entries = {}
    for entry in json.loads(pathlib.Path(database, "compile_commands.json").read_text()):
        entries.setdefault(os.path.realpath(os.path.join(entry["directory"], entry["file"])), entry)
    home = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    passed = pathlib.Path(home, "kernbench", "clang-tidy")
    passed.mkdir(parents=True, exist_ok=True)
    rules = output_of(["clang-tidy", "--version"]) + pathlib.Path(".clang-tidy").read_bytes()

    def check(source):
        text = preprocessed(entries[os.path.realpath(source)])
        own = pathlib.Path(source).parent / ".clang-tidy"  # rules of its folder alone
        text += own.read_bytes() if own.exists() else b""
        mark = passed / hashlib.sha256(rules + text).hexdigest()
        if mark.exists():
            return source, None, 0
        command = ["clang-tidy", "--quiet", "-p", database, "--extra-arg=-Wno-unknown-warning-option", source]
        ended = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
        if ended.returncode == 0:
            mark.touch()
        return source, ended, ended.returncode

    failed = read = 0
    with concurrent.futures.ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
        for done, (source, ended, code) in enumerate(pool.map(check, sources), 1):
            if code != 0:
                failed += 1
                print(ended.stdout or ended.stderr, flush=True)
            read += ended is not None
            if sys.stderr.isatty():
                print(f"\r\033[Kclang-tidy: {done} of {len(sources)}", end="", file=sys.stderr, flush=True)
    if sys.stderr.isatty():
        print("\r\033[K", end="", file=sys.stderr)
    print(f"clang-tidy: {read} read, {len(sources) - read} as they were when they passed", file=sys.stderr)
    if failed:
        sys.exit(f"clang-tidy: findings in {failed} of {len(sources)} sources")


main()
