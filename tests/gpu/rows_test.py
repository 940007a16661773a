"""Rows and files: the text is the canonical one, and a file is whole or not there."""

import json
import os
import re
import tempfile
import unittest
from pathlib import Path

from kernbench_gpu import environment
from kernbench_gpu.rows import BadInput, Results, Row, format_results, parse_results, slug_of, source_of, write_text

ROOT = Path(__file__).resolve().parents[2]


class Adr0024(unittest.TestCase):
    def test_24_15_committed_results_of_the_program_are_written_again_byte_by_byte(self) -> None:
        text = (ROOT / "benches/milestone_1h_gemm/results/theory.json").read_text(encoding="utf-8")
        # Stages and windows are the simulator's; a measured row has none, so they are emptied on both sides.
        text = re.sub(r'"stages": \[\n.*?\]\}?,\n', '"stages": [],\n', text, flags=re.S)
        text = re.sub(r'"windows": \{[^}]*\}', '"windows": {}', text)
        results = parse_results(text, "theory.json")
        self.assertGreater(len(results.rows), 8)
        self.assertEqual(format_results(results), text)

    def test_24_15_every_row_has_all_members_and_a_reason_where_it_is_not_ok(self) -> None:
        failed = Row({"m": 1})
        failed.fail("failed", "no\n  memory")
        skipped = Row({"m": 2})
        skipped.fail("skipped", "not here")
        rows = [Row({"m": 3}, metrics={"time_ns": 1.5}, flags=["noisy"]), failed, skipped]
        text = format_results(Results("gpu-gemm", source_of("NVIDIA H200"), {}, rows))
        first, second, third = json.loads(text)["rows"]
        self.assertEqual(list(first), ["point", "status", "metrics", "stages", "windows", "flags"])
        self.assertEqual(list(second), ["point", "status", "reason", "metrics", "stages", "windows", "flags"])
        self.assertEqual((second["reason"], third["status"]), ("no memory", "skipped"))
        self.assertEqual(parse_results(text, "file").rows, rows)

    def test_24_6_the_recorded_command_names_no_folder_of_the_computer(self) -> None:
        for word, expected in (
            ("/tmp/full", "full"), ("--out=/home/me/out", "--out=out"), ("/tmp/full/", "full/"), ("./own", "./own"),
            ("scripts/gpu/run-all", "scripts/gpu/run-all"), ("m/n", "m/n"), ("a b", "'a b'"), ("/tmp/a b", "'a b'"),
        ):  # fmt: skip
            self.assertEqual(environment.command_line([word]), expected)

    def test_24_15_a_number_that_is_not_finite_makes_its_row_a_failed_one(self) -> None:
        for value in (float("nan"), float("inf")):
            row = Row({"m": 1}, metrics={"time_ns": value})
            (found,) = json.loads(format_results(Results("gpu-gemm", {}, {}, [row])))["rows"]
            self.assertEqual((found["status"], found["metrics"]), ("failed", {}))
            self.assertIn("time_ns is not a finite number", found["reason"])

    def test_24_12_a_reader_sees_the_old_file_or_the_new_one(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "deep" / "file.json"
            write_text(path, "old")
            with open(path, encoding="utf-8") as reader:
                write_text(path, "new and longer")
                self.assertEqual(reader.read(), "old")
            self.assertEqual(path.read_text(encoding="utf-8"), "new and longer")
            self.assertEqual(os.listdir(path.parent), ["file.json"])

    def test_24_12_what_is_no_results_file_is_refused_with_its_name(self) -> None:
        for text, expected in (
            ("{", "is no results file"),
            ('{"schema": "kernbench.results/2"}', 'expected "kernbench.results/1"'),
            ('{"schema": "kernbench.results/1"}', "bench"),
        ):
            with self.assertRaisesRegex(BadInput, "some.json: .*" + expected):
                parse_results(text, "some.json")


class Names(unittest.TestCase):
    def test_a_device_has_the_slug_that_its_name_gives(self) -> None:
        self.assertEqual(slug_of("NVIDIA H200"), "nvidia-h200")
        self.assertEqual(slug_of("NVIDIA H100 80GB HBM3 "), "nvidia-h100-80gb-hbm3")


if __name__ == "__main__":
    unittest.main()
