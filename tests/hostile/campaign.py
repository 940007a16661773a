"""Tries hostile cases and prints those that end in something else than a clear message or a plausible number.

    campaign.py PROGRAM [TRIES] [--seed N] [--only NUMBER] [--kind WORD]
"""

import argparse
import collections
import concurrent.futures
import os
import shlex
import sys
import time

from cases import Case, Generator
from judge import judge


def shown(program: str, case: Case) -> str:
    return shlex.join([os.path.basename(program), *case.arguments])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("tries", nargs="?", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", type=int, help="this case alone, with all that the program says")
    parser.add_argument("--kind", help="only cases of this kind")
    options = parser.parse_args()
    program = os.path.abspath(options.program)
    generator = Generator(program, options.seed)
    if options.only is not None:
        case = generator.case(options.only)
        wrong, said = judge(program, case)
        for name, content in case.files.items():
            print(f"--- {name}\n{content.decode('utf-8', 'replace')}")
        print(f"--- {shown(program, case)}\n{said}\n--- " + ("; ".join(wrong) or "nothing wrong"))
        return 1 if wrong else 0

    begin = time.monotonic()
    kinds = collections.Counter()
    found = 0
    cases = ((number, generator.case(number)) for number in range(options.tries))
    if options.kind:
        cases = ((number, case) for number, case in cases if case.kind == options.kind)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:

        def tried(numbered: tuple[int, Case]) -> tuple[int, Case, list[str]]:
            return *numbered, judge(program, numbered[1])[0]

        for number, case, wrong in pool.map(tried, cases):
            kinds[case.kind] += 1
            if wrong:
                found += 1
                print(f"case {number} ({case.kind}): {'; '.join(wrong)}\n  {shown(program, case)[:400]}", flush=True)
    seconds = time.monotonic() - begin
    tried_of_kinds = ", ".join(f"{count} {kind}" for kind, count in kinds.most_common())
    print(f"{sum(kinds.values())} cases ({tried_of_kinds}) in {seconds:.0f} s: {found} found, seed {options.seed}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
