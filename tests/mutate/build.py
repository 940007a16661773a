"""A copy of the sources that holds every mutant, and the test programs and kernbench built of it."""

import random
import re
import shutil
import subprocess

from find import ADDED_LINES, changed, find

FOLDERS = ("sim/collectives", "sim/plan", "sim/hw")
PROGRAMS = ("plan", "collectives", "hw", "system")
ATTEMPTS = 12
CHANGED = ".changed.hpp"  # what a source with mutants includes, instead of its own text


def write_if_other(path, text):
    """Writes only what differs, so that a later build compiles only what changed."""
    if not path.exists() or path.read_bytes() != text:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text)


def tracked(root):
    """Files of the working tree that git knows or would add."""
    command = ["git", "-C", root, "ls-files", "-coz", "--exclude-standard"]
    listed = subprocess.run(command, check=True, capture_output=True).stdout.decode()
    return sorted(name for name in listed.split("\0") if name and (root / name).is_file())


def take_over(root, original, tree):
    """Copies the sources as they stand: to `original`, which is read from then on, and what is not changed to `tree`."""
    names = tracked(root)
    shutil.rmtree(original, ignore_errors=True)
    for name in names:
        write_if_other(original / name, (root / name).read_bytes())
        if not name.startswith(FOLDERS):
            write_if_other(tree / name, (root / name).read_bytes())
            shutil.copymode(root / name, tree / name)
    for path in tree.glob("[!b]*/**/*.?pp"):
        if str(path.relative_to(tree)) not in names:
            path.unlink()
    return [name for name in names if name.startswith(FOLDERS)]


def compile_tests(tree, log):
    """Configures and builds the tests; the words of the compiler where that fails."""
    configure = ["cmake", "--preset", "release", "-S", str(tree), "-DKERNBENCH_BENCHMARKS=OFF"]
    ninja = ["ninja", "-C", str(tree / "build/release"), "-k", "0"]
    said = ""
    for command in (configure, ninja + [*(f"test_{name}" for name in PROGRAMS), "kernbench"]):
        done = subprocess.run(command, cwd=tree, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        said += done.stdout
        log.write_text(said)
        if done.returncode:
            return said
    return ""


def write_file(tree, name, text, mutants):
    """The file of that name with its mutants, pairs of a number and a mutant. Included by the name that the build follows
    (scripts/cmake/first_command.cmake), as what a source includes is now in another file."""
    path = tree / name
    if not mutants:
        write_if_other(path, text)
    elif path.suffix == ".hpp":
        write_if_other(path, changed(text, mutants))
    else:
        write_if_other(path.with_suffix(CHANGED), changed(text, mutants))
        write_if_other(path, f'#include "{path.with_suffix(CHANGED).relative_to(tree)}"\n'.encode())


def build(root, folder, inside, tries, seed, say):
    """Builds mutants whose path begins with `inside`, but for those that do not compile: all, or `tries` by chance, so that
    only units with one are compiled anew where the release build's are in a compiler cache. Returns the folder of the changed
    sources and the mutants by number."""
    original, tree = folder / "original", folder / "tree"
    names = take_over(root, original, tree)
    say("looking for what can be changed")
    mutants = [mutant for mutant in find(original, FOLDERS) if mutant.path.startswith(inside)]
    found = len(mutants)
    if tries is not None:
        mutants = sorted(random.Random(seed).sample(mutants, min(tries, found)))
    for attempt in range(ATTEMPTS):
        numbered = dict(enumerate(mutants))
        for name in names:
            here = [(number, mutant) for number, mutant in numbered.items() if mutant.path == name]
            write_file(tree, name, (original / name).read_bytes(), here)
        say(f"building {len(mutants)} of {found} mutants")
        said = compile_tests(tree, folder / f"build-{attempt}.log")
        if not said:
            return tree, numbered
        wrong = {
            (path.replace(CHANGED, ".cpp"), int(line) - ADDED_LINES)
            for path, line in re.findall(r"\b(sim/\S+?):(\d+)", said)
        }
        kept = [mutant for mutant in mutants if not {(mutant.path, line) for line in mutant.lines()} & wrong]
        if len(kept) == len(mutants):
            break
        say(f"{len(mutants) - len(kept)} do not compile, and are left out")
        mutants = kept
    raise SystemExit(f"the copy does not build: {folder}/build-{attempt}.log")
