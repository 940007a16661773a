"""Two runs become one row, and many jobs one file."""

import tempfile
import unittest
from pathlib import Path
from typing import Any, Dict, List

from kernbench_gpu.jobs import Job
from kernbench_gpu.merge import FileParts, merge_file, merge_rows, merge_skipped, shared, unite
from kernbench_gpu.rows import Results, Row, format_results, source_of, write_text
from kernbench_gpu.scheduler import Outcome


def timed(m: int, time_ns: float) -> Row:
    return Row({"m": m}, metrics={"time_ns": time_ns})


class Adr0024(unittest.TestCase):
    def test_24_5_the_second_run_tells_how_well_a_row_repeats(self) -> None:
        rows = merge_rows([timed(1, 100.0), timed(2, 100.0), timed(3, 100.0)], [timed(2, 94.0), timed(1, 105.0)])
        self.assertEqual([row.metrics["time_ns"] for row in rows], [100.0, 100.0, 100.0])
        self.assertEqual(rows[0].metrics["rerun_time_ns"], 105.0)
        self.assertAlmostEqual(rows[0].metrics["rerun_spread"], 0.05)
        self.assertEqual(rows[0].flags, [])
        self.assertAlmostEqual(rows[1].metrics["rerun_spread"], 6 / 94)
        self.assertEqual(rows[1].flags, ["noisy"])
        self.assertNotIn("rerun_spread", rows[2].metrics)
        self.assertEqual(rows[2].flags, ["unrepeated"])

    def test_24_5_what_one_run_lacks_or_fails(self) -> None:
        wrong = Row({"m": 1})
        wrong.fail("failed", "wrong: relative error 0.5")
        late = merge_rows([], [timed(1, 7.0)])
        self.assertEqual((late[0].metrics, late[0].flags), ({"time_ns": 7.0}, ["unrepeated"]))
        (failed,) = merge_rows([timed(1, 7.0)], [wrong])
        self.assertEqual((failed.status, failed.metrics), ("failed", {}))
        self.assertEqual(failed.reason, "in the second run: wrong: relative error 0.5")
        (failed,) = merge_rows([wrong], [timed(1, 7.0)])
        self.assertEqual((failed.status, failed.reason), ("failed", "wrong: relative error 0.5"))

    def test_24_10_what_the_second_run_measured_is_not_counted_as_left_out(self) -> None:
        left = [
            {"what": "grid27", "cases": 3, "why": "time budget"},
            {"what": "grid64", "cases": 4, "why": "time budget"},
        ]
        self.assertEqual(merge_skipped(left, 0), left)
        self.assertEqual([entry["cases"] for entry in merge_skipped(left, 3)], [3, 1])
        self.assertEqual([entry["cases"] for entry in merge_skipped(left, 5)], [2])
        self.assertEqual(left[0]["cases"], 3)

    def test_24_6_a_file_unites_versions_and_keeps_the_settings_that_all_jobs_had(self) -> None:
        self.assertEqual(unite([{"driver": "5", "torch": "2"}, {"driver": "5", "nccl": "3"}]),
                         {"driver": "5", "torch": "2", "nccl": "3"})  # fmt: skip
        self.assertEqual(unite([{"driver": "5"}, {"driver": "6"}]), {"driver": "5 / 6"})
        self.assertEqual(shared([{"a": "0", "b": "1"}, {"a": "0", "b": "2"}, {"a": "0"}]), {"a": "0"})
        self.assertEqual(shared([]), {})


class Files(unittest.TestCase):
    def setUp(self) -> None:
        self._folder = tempfile.TemporaryDirectory()
        self.addCleanup(self._folder.cleanup)

    def outcome(self, name: str, run: int, rows: List[Row], problem: str = "", **provenance: Any) -> Outcome:
        path = Path(self._folder.name) / ("run%d" % run) / (name + ".json")
        given: Dict[str, Any] = {"created_at": "2026-01-0%dT00:00:00Z" % run, "wall_s": 2.0, "gpus": 2, **provenance}
        write_text(path, format_results(Results("gpu-collectives", source_of("A GPU"), given, rows)))
        variables = {"NCCL_ALGO": "Ring"} if name == "ring" else {}
        job = Job(name, "collectives", "collectives.json", [], 1.0, setting=name, variables=variables)
        return Outcome(job, run, path, 2.0, problem)

    def test_rows_of_all_jobs_and_what_each_left_out(self) -> None:
        parts = FileParts("collectives.json")
        left = [{"what": "all_reduce", "cases": 2, "why": "time budget"}]
        parts.add(self.outcome("default", 1, [timed(1, 5.0)], skipped=left, settings={"NCCL_NVLS_ENABLE": "0"}))
        parts.add(self.outcome("ring", 1, [timed(2, 5.0)], "ended with exit code 9: no memory", skipped=[],
                               settings={"NCCL_NVLS_ENABLE": "0", "NCCL_ALGO": "Ring"}))  # fmt: skip
        parts.add(self.outcome("default", 2, [timed(1, 5.0)], skipped=[], settings={"NCCL_NVLS_ENABLE": "0"}))
        results, problems = merge_file(parts, "run-all", [{"what": "tree", "why": "not there"}])
        assert results is not None
        self.assertEqual(problems, [])
        self.assertEqual([row.point["m"] for row in results.rows], [1, 2])
        provenance = results.provenance
        self.assertEqual(provenance["created_at"], "2026-01-02T00:00:00Z")
        self.assertEqual((provenance["wall_s"], provenance["gpus"]), (6.0, 2))
        self.assertEqual(provenance["settings"], {"NCCL_NVLS_ENABLE": "0"})
        self.assertEqual(provenance["settings_of"], {"ring": {"NCCL_ALGO": "Ring"}})
        self.assertEqual(
            [(entry["what"], entry["why"]) for entry in provenance["skipped"]],
            [("tree", "not there"), ("default: all_reduce", "time budget"),
             ("ring: the rest", "ended with exit code 9: no memory")],
        )  # fmt: skip

    def test_a_file_that_cannot_be_read_is_a_problem_and_the_others_stay(self) -> None:
        parts = FileParts("collectives.json")
        parts.add(self.outcome("default", 1, [timed(1, 5.0)]))
        broken = self.outcome("ring", 1, [])
        broken.path.write_text("{", encoding="utf-8")
        parts.add(broken)
        results, problems = merge_file(parts, "run-all", [])
        assert results is not None
        self.assertEqual(len(results.rows), 1)
        self.assertIn("ring.json: is no results file", problems[0])


if __name__ == "__main__":
    unittest.main()
