"""A sample of the hostile cases (scripts/hostile tries as many as you like): the same ones every time."""

import concurrent.futures
import os
import unittest

from cases import Generator
from judge import judge, wrong_numbers, wrong_output

PROGRAM = os.environ["KERNBENCH_PROGRAM"]
TRIES = 300


class Adr0026(unittest.TestCase):
    def test_26_9_hostile_input_ends_in_a_clear_message_or_a_plausible_number(self) -> None:
        generator = Generator(PROGRAM, 2026)
        cases = [generator.case(number) for number in range(TRIES)]
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            for number, (case, (wrong, said)) in enumerate(
                zip(cases, pool.map(lambda case: judge(PROGRAM, case), cases))
            ):
                with self.subTest(number=number, kind=case.kind, arguments=case.arguments):
                    self.assertEqual(wrong, [], said)

    def test_26_9_what_is_wrong_is_noticed(self) -> None:
        case = Generator(PROGRAM, 1).case(0)
        case.arguments = ["sim", "gemm", "--json"]
        for code, out, err, wrong in [
            (0, '{"rows": []}', "", []),
            (2, "", "error: --m: expected a whole number", []),
            (-11, "", "", ["ended by SIGSEGV"]),
            (1, "", "error: std::bad_alloc", ['says "std::"']),
            (3, "", "x", ["exit code 3"]),
            (2, "", "", ["exit code 2 without a word"]),
            (2, "tables", "error: x", ["exit code 2, and something on stdout"]),
            (1, "", "error: \x1b[31m", ["sends an escape character to the terminal"]),
            (0, '{"rows": [{"metrics": {"mac_util": 1.2}}]}', "", ["mac_util is 1.2"]),
            (0, '{"rows": [{"status": "ok", "metrics": {"time_ns": 0}}]}', "", ["time_ns is 0"]),
        ]:
            self.assertEqual(wrong_output(case, code, out, err), wrong)
        self.assertEqual(wrong_numbers({"a": [{"busy_ns": -1.0}], "alpha_ns": -2}), ["busy_ns is -1.0"])


if __name__ == "__main__":
    unittest.main()
