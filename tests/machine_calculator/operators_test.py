"""Operators beside the calculator: times, bytes and bounds, to the picosecond."""

import random
import unittest
from dataclasses import dataclass, replace
from typing import Dict, List, Tuple

import program
from cases import random_machine
from machine import Machine
from operator_run import Run
from operators import KINDS, Plan, Problem
from system import System

Told = Tuple[int, int, int, List[Tuple[int, int, int]]]  # time, bound, roofline; end, read, written of each PE


@dataclass(frozen=True)
class Case:
    machine: Machine
    problem: Problem


def of_program(case: Case) -> Told:
    problem = case.problem
    arguments = ["sim", "operator", "--topology", str(program.MACHINE_FILE), "--over", "package", "--verify"]
    for option, value in (("op", problem.operator), ("batch", problem.batch), ("sequence", problem.sequence),
                          ("dimension", problem.dimension), ("dtype", problem.dtype)):  # fmt: skip
        arguments += [f"--{option}", str(value)]
    (row,) = program.rows(arguments + case.machine.settings())
    stages: Dict[str, List[int]] = {"program": [], "read": [], "written": []}
    for stage in row["stages"]:
        if stage["stage"] == "program":
            stages["program"].append(program.picoseconds(stage["wall_ns"]))
        elif stage["stage"] in stages:
            stages[stage["stage"]].append(stage["bytes"])
    metrics = row["metrics"]
    times = (program.picoseconds(metrics[name]) for name in ("time_ns", "plan_bound_ns", "roofline_ns"))
    return (*times, list(zip(*stages.values())))  # type: ignore[return-value]


def calculated(case: Case) -> Told:
    system = System(case.machine)
    plan = Plan(case.machine, case.problem, len(system.pes))
    run = Run(system, plan)
    run.start()
    system.calendar.run()
    pes = [(end, pe.read_bytes, pe.written_bytes) for end, pe in zip(run.ends, system.pes)]
    return max(run.ends), plan.bound(), plan.roofline(), pes


def random_case(seed: int) -> Case:
    dice = random.Random(seed)
    machine = random_machine(dice).but(
        special_rate=dice.choice(["0.25", "1", "0.3"]), reduce_rate=dice.choice(["1", "0.5", "3"])
    )
    operator = dice.choice(sorted(KINDS))
    batch, sequence = dice.choice([1, 1, 2, 3]), dice.choice([1, 2, 5, 8, 13])
    dimension = 2 * dice.choice([1, 50, 64, 333, 1024, 2500, 5000])
    problem = Problem(operator, batch, sequence, dimension, dice.choice(["bf16", "fp16", "fp32"]))
    if dice.random() < 0.5:  # rows may not fit
        machine = machine.but(stream_depth=1, output_depth=1, slots=1, slot_bytes=256,
                              tcm_capacity=dice.choice([14, 18, 24]) * 1024)  # fmt: skip
    return Case(machine, problem)


class Adr0043(unittest.TestCase):
    maxDiff = None

    def compare(self, case: Case) -> None:
        self.assertEqual(of_program(case), calculated(case))

    def test_43_8_43_9_every_operator_on_a_die(self) -> None:
        for operator in sorted(KINDS):
            with self.subTest(operator):
                self.compare(Case(Machine(), Problem(operator, 3, 11, 770)))

    def test_43_7_rows_that_do_not_fit(self) -> None:
        small = Machine(stream_depth=1, output_depth=1, slots=1, slot_bytes=256, tcm_capacity=24 * 1024)
        for operator in sorted(KINDS):
            with self.subTest(operator):
                case = Case(small, Problem(operator, 1, 11, 9000))
                self.assertEqual(Plan(case.machine, case.problem, 8).parts, KINDS[operator].numbers > 0)
                self.compare(case)

    def test_43_9_two_dies_of_which_some_PEs_have_no_rows(self) -> None:
        machine = Machine(rows=1, columns=4, die_rows=1, die_columns=2)
        for operator in ("mse", "cross_entropy"):
            with self.subTest(operator):
                self.compare(Case(machine, Problem(operator, 1, 5, 3000, "fp32")))

    def test_43_10_random_machines(self) -> None:
        cut = 0
        for seed in range(60):
            case = random_case(seed)
            with self.subTest(seed=seed, case=replace(case, machine=Machine())):
                system = System(case.machine)
                cut += Plan(case.machine, case.problem, len(system.pes)).parts
                self.compare(case)
        self.assertGreater(cut, 3)


if __name__ == "__main__":
    unittest.main()
