"""Files: nothing that is read, and nothing that kernbench did not write, is written over. The commands and their options
are those that --help names: a new one is tried without a change here, or asks for a value below."""

import csv
import io
import json
import os
import re
import subprocess
import tempfile
import unittest
from dataclasses import dataclass
from pathlib import Path

PROGRAM = os.environ["KERNBENCH_PROGRAM"]
ROOT = Path(__file__).resolve().parents[2]
PRECIOUS = "times that took a week to measure\n"

# Of options that a command asks for, by name, where their range or choices do not give a value.
VALUES = {"--dtype": "bf16", "--op": "relu", "kernel": "mlp", "--bench": "gemm", "--vary": "pe.clock=1 GHz,2 GHz"}
VALUES |= {"device": "nvidia-h200", "--minimise": "time_ns", "SHELL": "bash", "--copies": "2"}
PATHS = ("FILE", "FILE...", "PATH", "TRACES", "IN", "OUT")
WRITTEN = ("--json", "--csv", "--trace", "out")
SMALL = "sim gemm --m 32 --k 32 --n 32 --variant load_ref".split()


@dataclass
class Declared:
    name: str
    type: str
    text: str

    @property
    def required(self) -> bool:
        return "(required)" in self.text

    def words(self, value: str) -> list[str]:
        return [self.name, value] if self.name.startswith("-") else [value]

    @property
    def value(self) -> str:
        if self.name in VALUES:
            return VALUES[self.name]
        whole = re.search(r"\((\d+)\.\.\d+\)", self.text)
        if whole:
            return str(max(64, int(whole[1])))
        raise AssertionError(f"{self.name}: say in VALUES what it takes")


def run(arguments: list[str], folder: Path) -> subprocess.CompletedProcess:
    return subprocess.run([PROGRAM, *arguments], cwd=folder, capture_output=True, text=True, timeout=120, check=False)


def help_of(words: list[str]) -> str:
    return run([*words, "--help"], ROOT).stdout


def all_commands(above: tuple[str, ...] = ()) -> list[list[str]]:
    """Those that have no commands below them."""
    text = help_of(list(above))
    found = re.search(r"\nCommands:\n(.*?)\n\n", text + "\n\n", re.S)
    if not found:
        return [list(above)]
    names = re.findall(r"^  ([a-z][\w-]*) ", found[1], re.M)
    return [command for name in names for command in all_commands((*above, name))]


def declared_by(words: list[str]) -> list[Declared]:
    text = re.split(r"\n(?:Examples|Rows|Exit codes|Clocks):?", help_of(words))[0].split("\nUsage:")[1]
    usage, _, text = text.partition("\n")
    entries = re.split(r"\n  (?=[-a-zA-Z])", "\n" + text)[1:]
    options = []
    for entry in entries:
        head, _, rest = entry.partition("  ") if "  " in entry else (entry.partition("\n")[0], "", entry)
        names, _, kind = head.partition("\n")[0].partition(" ")
        name = next((one for one in names.split(",") if one.startswith("--")), names.split(",")[0])
        options.append(Declared(name, kind.strip("[]"), " ".join(rest.split())))
    for option in options:  # an argument has no type
        if not option.name.startswith("-") and not option.type and option.name.rstrip(".") in usage:
            option.type = "PATH" if option.name in ("in", "file", "files", "traces", "before", "after", "ROWS") else ""
            option.type = "OUT" if option.name == "out" else option.type
    return options


def is_written(option: Declared) -> bool:
    return option.name in WRITTEN or (option.name == "--out" and option.type == "FILE")


class Adr0026(unittest.TestCase):
    def setUp(self) -> None:
        self.temporary = tempfile.TemporaryDirectory()
        self.folder = Path(self.temporary.name)

    def tearDown(self) -> None:
        self.temporary.cleanup()

    def put(self, name: str, text: str = PRECIOUS) -> str:
        file = self.folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
        return name

    def text(self, name: str) -> str:
        return (self.folder / name).read_text(encoding="utf-8")

    def refused(self, arguments: list[str], said: str) -> None:
        ended = run(arguments, self.folder)
        self.assertEqual((ended.returncode, ended.stdout), (2, ""), ended.stderr)
        self.assertIn(said, " ".join(ended.stderr.split()))

    def test_26_10_no_command_writes_over_what_it_reads(self) -> None:
        self.put("it")
        (self.folder / "link").symlink_to("it")
        pairs = 0
        for command in all_commands():
            options = [option for option in declared_by(command) if option.name not in ("--help", "--version")]
            paths = [option for option in options if option.type in PATHS]
            for written in (option for option in paths if is_written(option)):
                for read in (option for option in paths if not is_written(option)):
                    arguments = []
                    for option in options:
                        if option is read:
                            arguments += option.words("it")
                        elif option is written:
                            arguments += option.words("link" if pairs % 2 else "it")
                        elif option.required:
                            arguments += option.words("other" if option.type in PATHS else option.value)
                    with self.subTest(command=command, arguments=arguments):
                        self.refused([*command, *arguments], "expected two files, got ")
                        self.assertEqual(self.text("it"), PRECIOUS)
                    pairs += 1
        self.assertGreater(pairs, 50)  # none of which is missed by a change of --help

    def test_26_10_neither_a_file_of_a_folder_that_is_read(self) -> None:
        self.put("device/gemm.json")
        self.refused(
            "reference predict tflops --m 64 --n 64 --k 64 --dtype bf16 --from device --json device/gemm.json".split(),
            "--json and --from: expected a new file, or one elsewhere; device/gemm.json is in the folder that is read",
        )
        self.put("run/traces/rank0.json")
        self.put("run/report.json", '{"schema": "kernbench.report/1"}')
        self.refused(
            "trace report run/traces --out run".split(), "run/traces/rank0.json is read, and would be written over"
        )
        self.assertEqual(self.text("device/gemm.json") + self.text("run/traces/rank0.json"), 2 * PRECIOUS)

    def test_26_11_a_file_that_kernbench_did_not_write_is_not_written_over(self) -> None:
        machine = (ROOT / "topology/milestone_1h.yaml").read_text(encoding="utf-8")
        others = {
            "README.md": PRECIOUS,
            "m.yaml": machine,
            "package.json": '{"name": "x", "version": "1"}',
            "rows.csv": "m,n,k,dtype,time_us\n1,1,1,bf16,5\n",
            "rank0.json": '{"schemaVersion": 1, "traceEvents": []}',
        }
        for name, text in others.items():
            self.put(name, text)
            for option in ("--json", "--csv", "--trace"):
                if option == "--trace" and not name.endswith(".json"):
                    continue
                with self.subTest(name=name, option=option):
                    self.refused([*SMALL, option, name], f"{name}: expected a new file, or an earlier one")
                    self.assertEqual(self.text(name), text)
        (self.folder / "link.json").symlink_to("README.md")
        self.refused([*SMALL, "--json", "link.json"], "link.json: expected a new file")

    def test_26_11_what_it_wrote_is_written_over_by_the_same_and_by_another_question(self) -> None:
        for option, name in [("--json", "a.json"), ("--csv", "a.csv"), ("--trace", "t.json")]:
            for m in ("32", "64"):
                ended = run(["sim", "gemm", "--m", m, *SMALL[4:], option, name], self.folder)
                self.assertEqual(ended.returncode, 0, ended.stderr)
        self.assertIn('"m": 64', self.text("a.json").replace('"m":64', '"m": 64'))
        trace = str(ROOT / "benches/reference/nvidia-h200/traces/overlap/28ch_256threads")
        for command in ("timeline", "collectives"):
            ended = run(["trace", command, trace, "--json", "a.json"], self.folder)
            self.assertEqual(ended.returncode, 0, ended.stderr)
        for name in ("all.json.gz", "all.pftrace"):
            for _ in range(2):
                self.assertEqual(run(["trace", "merge", trace, "--out", name], self.folder).returncode, 0)
        self.put("rank1.json.gz")
        self.refused(["trace", "merge", trace, "--out", "rank1.json.gz"], "rank1.json.gz: expected a new file")

    def test_26_11_what_was_measured_is_not_written_over(self) -> None:
        for name in ("gemm.json", "device.json"):
            text = (ROOT / "benches/reference/nvidia-h200" / name).read_text(encoding="utf-8")
            self.put(name, text)
            self.refused([*SMALL, "--json", name], f"{name}: expected a new file")
            self.refused([*SMALL, "--trace", name], f"{name}: expected a new file")
            self.assertEqual(self.text(name), text)
        self.assertEqual(run([*SMALL, "--json", "r.json"], self.folder).returncode, 0)
        self.refused([*SMALL, "--trace", "r.json"], "r.json: expected a new file")

    def test_26_10_one_output_does_not_take_the_place_of_another(self) -> None:
        for name in ("sg/results.json", "sg/figures/waterfall.svg", "sg/index.html"):
            for option in ("--json", "--trace"):
                for _ in range(2):
                    self.refused(
                        [*SMALL, "--out", "sg", option, name], f"{option} and --out: expected a file elsewhere"
                    )
                    self.assertFalse((self.folder / name).exists())
        self.assertEqual(run([*SMALL, "--out", "sg", "--trace", "sg/t.json"], self.folder).returncode, 0)
        self.put("table/report.json", '{"schema": "kernbench.report/1", "report": "compare", "command": "x"}')
        self.refused([*SMALL, "--out", "table", "--trace", "left.json"], "it has results of compare")
        self.assertFalse((self.folder / "left.json").exists())

    def test_26_11_a_file_that_cannot_be_written_is_all_that_is_said(self) -> None:
        for option in ("--json", "--csv"):
            self.refused([*SMALL, option, "/proc/none/x"], "/proc/none")

    def test_26_11_a_folder_of_somebody_else_is_not_cleared(self) -> None:
        for name in ("figures/holiday.png", "traces/rank0.json", "index.html", "results.json"):
            folder = name.replace("/", "_")
            self.put(f"{folder}/{name}")
            self.refused([*SMALL, "--out", folder], f"{folder} has {name} and no results of kernbench")
            self.assertEqual(self.text(f"{folder}/{name}"), PRECIOUS)
        for _ in range(2):
            self.assertEqual(run([*SMALL, "--out", "mine"], self.folder).returncode, 0)

    def test_26_11_rows_of_an_interrupted_run_are_not_written_through_a_link(self) -> None:
        self.put("notes.txt")
        points = "run milestone-1h-gemm --only shape=32x32x32,variant=ref_ref --no-figures --quiet".split()
        partial = self.folder / "out/milestone-1h-gemm/partial.jsonl"
        partial.parent.mkdir(parents=True)
        partial.symlink_to(self.folder / "notes.txt")
        self.refused([*points, "--out", "out"], "of kernbench or no file, got a link")
        self.assertEqual(partial.read_text(encoding="utf-8"), PRECIOUS)

    def test_26_11_another_file_is_not_taken_for_rows_of_an_interrupted_run(self) -> None:
        points = "run milestone-1h-gemm --only shape=32x32x32,variant=ref_ref --no-figures --quiet".split()
        name = "out/milestone-1h-gemm/partial.jsonl"
        for text in (PRECIOUS, '{"my":"rows"}\n', '["kernbench.partial/1"]\n', '{"schema":"mine/1"}\n{}\n', "\n"):
            self.put(name, text)
            self.refused([*points, "--out", "out"], "expected rows of an interrupted run of kernbench or no file")
            self.assertEqual(self.text(name), text)

    def test_26_11_of_figures_and_tables_those_of_kernbench_are_replaced(self) -> None:
        event = {"ph": "X", "cat": "kernel", "name": "gemm", "pid": 0, "tid": 7, "ts": 5, "dur": 10}
        self.put("rank0.json", json.dumps({"traceEvents": [event]}))
        report = ["trace", "report", "rank0.json", "--out", "report"]
        self.assertEqual(run(report, self.folder).returncode, 0)
        mine = ("tables/mine.csv", "tables/mine.json", "figures/mine.svg", "figures/mine.png", "figures/mine.vl.json")
        for name in mine:
            self.put(f"report/{name}")
        # Tables and figures of an earlier version, which no longer come.
        listed = json.loads(self.text("report/report.json"))
        self.put("report/tables/earlier.csv")
        self.put("report/figures/earlier.svg")
        listed["files"] += ["tables/earlier.csv", "../outside.csv"]
        self.put("outside.csv")
        self.put("report/report.json", json.dumps(listed))
        drawn = self.text("report/figures/drawings.txt")
        self.put(
            "report/figures/drawings.txt", drawn + drawn.split("\n", maxsplit=1)[0].rsplit(" ", 1)[0] + " earlier.svg\n"
        )
        self.assertEqual(run(report, self.folder).returncode, 0)
        for name in (*mine, "../outside.csv"):
            self.assertEqual(self.text(f"report/{name}"), PRECIOUS)
        for name in ("tables/earlier.csv", "figures/earlier.svg"):
            self.assertFalse((self.folder / "report" / name).exists(), name)

    def test_26_12_names_that_spreadsheets_carry_out_are_text(self) -> None:
        for name in ("=1+1", "+1+1", "-1+1", "@SUM(A1)", '=HYPERLINK("a","b")'):
            event = {"ph": "X", "cat": "kernel", "name": name, "pid": 0, "tid": 7, "ts": 5, "dur": 10}
            event["args"] = {"correlation": 1}
            self.put("trace.json", '{"traceEvents":[' + json.dumps(event) + "]}")
            ended = run(["trace", "gemms", "trace.json", "--csv"], self.folder)
            cells = [cell for row in csv.reader(io.StringIO(ended.stdout)) for cell in row]
            self.assertNotIn(name, cells)
        ended = run([*SMALL, "--csv"], self.folder)
        self.assertNotIn("'", ended.stdout)


if __name__ == "__main__":
    unittest.main()
