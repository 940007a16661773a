"""Holds what the program says of a case against the calculator."""

import tempfile
import unittest
from pathlib import Path

import beside
import program
from cases import Case


def compare(test: unittest.TestCase, case: Case) -> None:
    """To the picosecond: what is reported of the GEMM, times of both alone and together, every record of the units."""
    alone = beside.alone(case.machine, case.problem, case.request)
    test.assertEqual(program.alone(case.machine, case.problem), alone)
    if case.problem.converts:
        return  # `sim concurrent` has no --dtype-b
    with tempfile.TemporaryDirectory(prefix="machine-calculator-") as folder:
        trace = Path(folder) / "trace.json"
        times = program.beside(case.machine, case.problem, case.request, trace)
        records = program.records(trace)
    test.assertEqual(list(times), ["gemm", "collective", "both"])
    for which, of_program in times.items():
        calculated = beside.run(case.machine, case.problem, case.request, which)
        last = max(calculated.gemm), max(calculated.collective, default=0)
        expected = program.Times(*last, calculated.at_work, calculated.busiest_link, calculated.in_hbm, True)
        test.assertEqual(of_program, expected, which)
        if which == "both":
            test.assertEqual(records, {pe: of_pe for pe, of_pe in calculated.records.items() if of_pe})
