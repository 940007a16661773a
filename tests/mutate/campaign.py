"""Changes one constant or operator of the model at a time, and expects a red test.

    campaign.py ROOT [TRIES] [--seed N] [--in PATH] [--least PERCENT]
"""

import argparse
import collections
import concurrent.futures
import contextlib
import os
import pathlib
import resource
import signal
import subprocess
import sys
import time

from build import PROGRAMS, build

PATIENCE = 5  # times what a test file takes without a mutant
GRACE = 20.0  # seconds
MEMORY = 6 << 30  # bytes of addresses: a mutant that asks for more fails


def say(text):
    print(f"mutate: {text}", file=sys.stderr, flush=True)


class Tests:
    """Test files, what each takes and which mutants it comes by."""

    def __init__(self, tree):
        self.tree = tree
        self.files = [("machine_calculator", "one_pe_test")]
        for program in PROGRAMS:
            for path in sorted((tree / "tests" / program).glob("*_test.cpp")):
                if not path.name.startswith("slow_"):
                    self.files.append((program, path.stem))
        self.seconds = {}
        self.seen = {}

    def command(self, file):
        program, stem = file
        if program not in PROGRAMS:
            return [sys.executable, "-B", str(self.tree / "tests" / program / f"{stem}.py"), "--failfast"]
        path = self.tree / "build/release/tests" / program / f"test_{program}"
        return [str(path), f"--source-file=*/{program}/{stem}.cpp", "--abort-after=1"]

    def run(self, file, environment, timeout=None):
        simulator = str(self.tree / "build/release/benches/cli/kernbench")
        everything = {**os.environ, "KERNBENCH_PROGRAM": simulator, **environment}
        running = subprocess.Popen(
            self.command(file),
            env=everything,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,  # tests fork: all of them end together
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY)),
        )
        try:
            return "" if running.wait(timeout) == 0 else "fails"
        except subprocess.TimeoutExpired:
            return "hangs"
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(running.pid, signal.SIGKILL)
            running.wait()

    def measure(self, file, folder):
        seen = folder / "-".join(file)
        seen.unlink(missing_ok=True)
        start = time.monotonic()
        ended = self.run(file, {"KERNBENCH_MUTANTS_SEEN": str(seen)})
        if ended:
            raise SystemExit(f"{'/'.join(file)} {ended} without a mutant")
        self.seconds[file] = time.monotonic() - start
        self.seen[file] = seen.read_bytes() if seen.exists() else b""  # the program has none

    def kills(self, number):
        """The test that is red with the mutant; '' where none is, None where none comes by it."""
        files = [file for file in self.files if self.seen[file] and self.seen[file][number]]
        for file in sorted(files, key=self.seconds.get):
            ended = self.run(file, {"KERNBENCH_MUTANT": str(number)}, PATIENCE * self.seconds[file] + GRACE)
            if ended:
                return f"{'/'.join(file)} {ended}"
        return "" if files else None


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("root", type=pathlib.Path)
    parser.add_argument("tries", nargs="?", type=int)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--in", dest="inside", default="")
    parser.add_argument("--least", type=float, default=0.0)
    options = parser.parse_args()
    home = options.root / "build/mutate"
    home.mkdir(parents=True, exist_ok=True)

    tree, numbered = build(options.root, home, options.inside, options.tries, options.seed, say)
    tests = Tests(tree)
    folder = home / "seen"
    folder.mkdir(exist_ok=True)
    workers = concurrent.futures.ThreadPoolExecutor(os.cpu_count())
    say(f"running {len(tests.files)} test files without a mutant")
    list(workers.map(lambda file: tests.measure(file, folder), tests.files))

    tried = list(numbered)
    say(f"trying {len(tried)} mutants")
    outcome = collections.Counter()
    start = time.monotonic()
    for done, (number, by) in enumerate(zip(tried, workers.map(tests.kills, tried)), 1):
        outcome["killed" if by else "survived" if by == "" else "never reached"] += 1
        if not by:
            print(f"{numbered[number]}  ({'survived' if by == '' else 'no test comes by'})", flush=True)
        if sys.stderr.isatty() or done % 20 == 0 or done == len(tried):
            left = (time.monotonic() - start) / done * (len(tried) - done)
            say(f"{done}/{len(tried)}, {outcome['killed']} killed, {left:.0f} s left")
    score = 100.0 * outcome["killed"] / max(1, len(tried))
    print(
        f"{outcome['killed']} of {len(tried)} mutants killed: {score:.1f} %; {outcome['survived']} survived, {outcome['never reached']} in code that no test comes by"
    )
    return 1 if score < options.least else 0


if __name__ == "__main__":
    sys.exit(main())
