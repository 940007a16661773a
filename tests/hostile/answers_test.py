"""Answers that say what they rest on, and questions that are too large: as a user asks them."""

import csv
import io
import json
import os
import random
import re
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

PROGRAM = os.environ["KERNBENCH_PROGRAM"]
ROOT = Path(__file__).resolve().parents[2]
H200 = ["--topology", str(ROOT / "topology/h200.yaml")]
ALGORITHMS = {
    "ring": "all_reduce reduce_scatter all_gather broadcast reduce",
    "bidirectional_ring": "all_reduce reduce_scatter all_gather broadcast reduce",
    "recursive_doubling": "all_reduce all_gather broadcast reduce",
    "halving_doubling": "all_reduce reduce_scatter all_gather broadcast reduce",
    "binary_tree": "all_reduce broadcast reduce",
    "double_binary_tree": "all_reduce broadcast reduce",
    "hierarchical": "all_reduce reduce_scatter all_gather broadcast reduce",
    "direct": "all_reduce reduce_scatter all_gather broadcast reduce all_to_all",
    "pairwise": "reduce_scatter all_to_all",
    "two_shot": "all_reduce",
}
PRODUCT = "--m 512 --k 1024 --n 768".split()


def run(text: str, *more: str) -> subprocess.CompletedProcess:
    with tempfile.TemporaryDirectory() as folder:
        return subprocess.run(
            [PROGRAM, *text.split(), *more], capture_output=True, text=True, timeout=120, check=False, cwd=folder
        )


def said(ended: subprocess.CompletedProcess) -> str:
    return " ".join((ended.stdout + ended.stderr).split())


class Adr0010(unittest.TestCase):
    def check_estimate(self, asked: str, at_most: float) -> None:
        refused = said(run(asked + " --memory 40MiB"))
        number, unit = re.search(r"needs about ([\d.]+) ([KMG])iB", refused).groups()
        estimated = float(number) * {"K": 2**10, "M": 2**20, "G": 2**30}[unit]
        with tempfile.TemporaryFile() as out:
            child = subprocess.Popen([PROGRAM, *asked.split()], stdout=out, stderr=subprocess.DEVNULL)
            _, status, usage = os.wait4(child.pid, 0)
        child.returncode = status
        self.assertEqual(status, 0)
        # The peak of the program, or of its child where that is the larger.
        with self.subTest(asked=asked, estimated=estimated, took=1024 * usage.ru_maxrss):
            self.assertLessEqual(1024 * usage.ru_maxrss, 1.02 * estimated)  # shown with two digits
            self.assertLessEqual(estimated, at_most * 1024 * usage.ru_maxrss)

    def test_10_13_a_plan_is_estimated_before_it_is_made(self) -> None:
        for more, parts in [
            ("--devices 4096 --method dtensor --memory 4GiB", ["a plan over 4,096 devices", "commands: ", "--devices"]),
            ("--devices 4096 --partitions row,row,row --memory 4GiB", ["operations: "]),
            ("--devices 512 --method dtensor --json --memory 1GiB", ["commands in the document: "]),
        ]:
            begin = time.monotonic()
            ended = run("sim universal-gemm --plan --m 4096 --k 4096 --n 4096 " + more)
            self.assertEqual((ended.returncode, ended.stdout), (2, ""), ended.stderr)
            self.assertLess(time.monotonic() - begin, 20)
            for part in ["needs about", *parts]:
                self.assertIn(part, said(ended))

    def test_10_13_the_estimate_of_a_plan_holds(self) -> None:
        for more in [
            "--devices 256 --method dtensor",
            "--devices 96 --method dtensor --json",
            "--devices 512",
            "--devices 256 --json",
            "--devices 192 --method stationary_a --partitions row,column,block --replication 2,1,4",
            "--devices 64 --method stationary_b --partitions column,row,row --json",
        ]:
            asked = "sim universal-gemm --plan --m 4096 --k 4096 --n 4096 " + more
            self.check_estimate(asked, at_most=2.6)

    def test_10_13_no_collective_takes_more_than_its_estimate(self) -> None:
        draw = random.Random(33)
        for algorithm, collectives in ALGORITHMS.items():
            for collective in collectives.split():
                ranks = draw.randint(2, 12)
                more = draw.choice(
                    [
                        "",
                        " --chunk 16B",
                        " --set pe.message_queue.tier=hbm",
                        " --verify --values bf16",
                        " --packet 4KiB",
                    ]
                )
                size = 2 * ranks * draw.choice([1, 7, 100, 1000])
                of = f"--collective {collective} --algorithm {algorithm} --ranks {ranks} --sizes {size}B"
                self.check_estimate("sim collective " + of + more, at_most=2)
        for asked in ["--algorithm direct --ranks 64 --sizes 4KiB", "--algorithm ring --chunk 16B --sizes 64KiB"]:
            self.check_estimate("sim collective " + asked, at_most=2)

    def test_10_14_a_plan_that_takes_long_says_so_and_ends_by_its_timeout(self) -> None:
        ended = run(
            "sim universal-gemm --plan --m 4096 --k 4096 --n 4096 --devices 1024 --method dtensor --timeout 0.5"
        )
        self.assertEqual(ended.returncode, 1)
        self.assertRegex(said(ended), r"note: some 2,\d+,\d+ commands take about \d+ s; --timeout SECONDS gives up")
        self.assertIn("planning: timed out after 0.5 s", said(ended))

    def test_10_13_memory_that_runs_out_is_a_message(self) -> None:
        plan = "sim universal-gemm --plan --m 4096 --k 4096 --n 4096 --devices 512"
        for asked, kib in [
            (plan + " --json", 200_000),
            (plan + " --json", 150_000),
            (plan + " --method dtensor", 200_000),
        ]:
            words = ["bash", "-c", f'ulimit -v {kib}; exec "$0" "$@"', PROGRAM, *asked.split()]
            ended = subprocess.run(words, capture_output=True, text=True, timeout=120, check=False)
            self.assertEqual((ended.returncode, ended.stdout), (1, ""), ended.stderr)
            self.assertIn("out of memory", ended.stderr)


class Adr0030(unittest.TestCase):
    def test_30_9_each_run_beside_another_has_the_bound_of_what_it_does(self) -> None:
        beside = "sim concurrent --m {0} --k {0} --n {0} --variant ring_shift --sizes {1} --json"
        for size, collective in [(32, "1KiB"), (256, "64KiB"), (64, "256KiB")]:
            (row,) = json.loads(run(beside.format(size, collective)).stdout)["rows"]
            times = [row["metrics"][name] for name in ("gemm_alone_ns", "collective_alone_ns", "time_ns")]
            bounds = [row["metrics"][name] for name in ("gemm_bound_ns", "collective_bound_ns", "bound_ns")]
            sizes = f"--sizes {collective} --scale die --algorithm ring --json"
            by_itself = json.loads(run("sim collective " + sizes).stdout)["rows"][0]["metrics"]["bound_ns"]
            self.assertEqual(bounds[1], by_itself)
            self.assertEqual(bounds[2], max(bounds[0], bounds[1]))
            for time_ns, bound in zip(times, bounds):
                self.assertLessEqual(bound, time_ns)


class Adr0033(unittest.TestCase):
    def test_33_12_the_ledger_of_both_and_what_the_collective_takes_after_it_are_the_time(self) -> None:
        for size, collective in [(32, "1KiB"), (64, "64KiB"), (256, "64KiB")]:
            text = f"sim concurrent --m {size} --k {size} --n {size} --variant ring_shift --sizes"
            metrics = json.loads(run(text, collective, "--json").stdout)["rows"][0]["metrics"]
            ledger = [
                value
                for name, value in metrics.items()
                if re.fullmatch(r"ledger_\w+_ns", name) and not re.search(r"_(mean|min|max|alone)_ns$", name)
            ]
            after = metrics.get("collective_after_ns", 0)
            self.assertEqual(after > 0, metrics["collective_with_ns"] > metrics["gemm_with_ns"])
            self.assertAlmostEqual(sum(ledger) + after, metrics["time_ns"], places=3)


class Adr0035(unittest.TestCase):
    def test_35_14_fitted_numbers_of_a_gpu_are_nothing_to_buy(self) -> None:
        ended = run("whatif gemm --m 4096 --k 4096 --n 4096 --stairs 0 --no-cache", *H200)
        self.assertEqual(ended.returncode, 0, ended.stderr)
        for key in ("power.peak", "tensor.bf16.share", "overlap.slice"):
            self.assertRegex(ended.stdout, rf"(?m)^{re.escape(key)} .* no: fitted *$")
        self.assertNotRegex(ended.stdout, r"(?m)^(sm\.count|tensor\.bf16\.macs) .* no: fitted *$")


class Adr0043(unittest.TestCase):
    def test_43_15_an_operator_says_that_its_writes_may_still_wait(self) -> None:
        for size in (16, 64, 256):
            ended = run(f"sim operator --op gelu --sequence {size} --dimension 256")
            self.assertIn("memories have taken the last write; some of it may still wait there", said(ended))
            share = re.search(r"([\d.]+) % of the memories' bandwidth(:?)", said(ended))
            self.assertEqual(float(share[1]) > 100, share[2] == ":")


class Adr0048(unittest.TestCase):
    def test_48_1_docs_count_the_fitted_numbers(self) -> None:
        fitted = (ROOT / "topology/h200.yaml").read_text(encoding="utf-8").count("from: fit")
        page = (ROOT / "docs/gpu-model.md").read_text(encoding="utf-8")
        self.assertIn(f"of which {fitted} of the H200's are fitted", page)

    def test_48_3_layout_is_refused(self) -> None:
        for command in ("sim gemm", "map gemm"):
            for layout in ("row_major", "blocked"):
                ended = run(command, *PRODUCT, *H200, "--layout", layout)
                self.assertEqual((ended.returncode, ended.stdout), (2, ""))
                self.assertIn("--layout: expected a machine of PEs", ended.stderr)

    def test_48_3_products_have_csv_and_out(self) -> None:
        four = ["--topology", str(ROOT / "topology/h200_x4.yaml")]
        for command in ("sim gemm", "map gemm", "sim concurrent --sizes 8MiB"):
            ended = run(command, *PRODUCT, *four, "--csv")
            self.assertEqual(ended.returncode, 0, ended.stderr)
            rows = list(csv.DictReader(io.StringIO(ended.stdout)))
            self.assertGreater(len(rows), 0)
            self.assertTrue(all(row["m"] == "512" for row in rows))
            with tempfile.TemporaryDirectory() as folder:
                self.assertEqual(run(command, *PRODUCT, *four, "--out", folder + "/out").returncode, 0)
                names = {file.name for file in Path(folder, "out").iterdir()}
            self.assertLessEqual({"results.json", "results.csv", "index.html"}, names)

    def test_48_3_a_key_that_moves_no_time_says_so_where_it_is_set(self) -> None:
        for command in ("sim gemm", "whatif gemm --stairs 0"):
            ended = run(command, *PRODUCT, *H200, "--set", "l2.capacity=60 MiB")
            self.assertIn("note: no time follows from l2.capacity", ended.stderr)
            self.assertNotIn("no time follows", run(command, *PRODUCT, *H200).stderr)


class Adr0049(unittest.TestCase):
    def test_49_1_map_takes_the_kernels_of_288_that_the_library_launches(self) -> None:
        for kernel in ("128x288", "288x128", "288x128 cluster=1x2"):
            ended = run("sim gemm", *PRODUCT, *H200, "--map", kernel)
            self.assertEqual(ended.returncode, 0, ended.stderr)
        self.assertEqual(run("sim gemm", *PRODUCT, *H200, "--map", "128x296").returncode, 2)


if __name__ == "__main__":
    unittest.main()
