"""Quantiles, numbers of samples, and the two families as the wall clock gives them."""

import time
import unittest
from argparse import Namespace

import numpy
from kernbench_gpu.statistics import add_rerun, family, quantile
from kernbench_gpu.timing import CpuTimer, SampleLimits, operations_per_sample, sample_limits


class Adr0024(unittest.TestCase):
    def test_24_1_quantiles_are_numpys(self) -> None:
        generator = numpy.random.default_rng(3)
        for count in (1, 2, 3, 10, 11, 50):
            samples = generator.normal(100, 10, count)
            for q in (0.0, 0.1, 0.5, 0.9, 1.0):
                self.assertAlmostEqual(quantile(list(samples), q), float(numpy.quantile(samples, q)), places=9)
        with self.assertRaises(ValueError):
            quantile([], 0.5)

    def test_24_1_a_family_is_median_p10_p90_and_count(self) -> None:
        self.assertEqual(
            family("time", [5.0, 1.0, 2.0, 4.0, 3.0]),
            {"time_ns": 3.0, "time_p10_ns": 1.4, "time_p90_ns": 4.6, "time_count": 5},
        )

    def test_24_1_samples_fill_15_ms_within_10_and_50_and_long_ones_are_5(self) -> None:
        limits = SampleLimits()
        self.assertEqual(limits.samples(200e3), 50)
        self.assertEqual(limits.samples(0.5e6), 30)
        self.assertEqual(limits.samples(5e6), 10)
        self.assertEqual(limits.samples(15e6), 10)
        self.assertEqual(limits.samples(15.1e6), 5)

    def test_24_1_samples_and_warm_ups_may_be_asked_for(self) -> None:
        calls = []
        asked = Namespace(device="cpu", quick=True, samples=7, warm_ups=4)
        timed = CpuTimer(sample_limits(asked)).measure(calls.append, lambda count: count, False)
        self.assertEqual((timed.metrics["time_count"], len(calls)), (7, 11))
        for device in ("cpu", "cuda"):
            limits = sample_limits(Namespace(device=device, quick=False, samples=7, warm_ups=4))
            self.assertEqual([limits.samples(ns) for ns in (1e3, 1e6, 1e9)], [7, 7, 7])
        self.assertEqual(sample_limits(Namespace(device="cuda", quick=False, samples=0, warm_ups=2)), SampleLimits())

    def test_24_1_a_sample_lasts_200_us_or_has_64_operations(self) -> None:
        self.assertEqual(operations_per_sample(1000.0), 64)
        self.assertEqual(operations_per_sample(10e3), 20)
        self.assertEqual(operations_per_sample(199e3), 2)
        self.assertEqual(operations_per_sample(5e6), 1)

    def test_24_1_the_clock_measures_the_call(self) -> None:
        timed = CpuTimer(SampleLimits(0.5, 3, 3, 5)).measure(lambda i: time.sleep(0.002), lambda count: count, False)
        for name in ("time_ns", "latency_ns", "time_p10_ns"):
            self.assertGreaterEqual(timed.metrics[name], 2e6)

    def test_24_2_flushing_is_outside_of_the_time(self) -> None:
        done = []

        class Flush:
            def fill_(self, value: int) -> None:
                done.append("flush")
                time.sleep(0.05)

        timer = CpuTimer(SampleLimits(0.5, 3, 3, 5))
        timer._flush = Flush()
        timed = timer.measure(lambda i: done.append("call"), lambda count: count, True)
        self.assertEqual(done[-4:], ["flush", "call", "flush", "call"])
        self.assertLess(timed.metrics["time_ns"], 0.05e9)


class NoiseRule(unittest.TestCase):
    def test_rows_without_a_time_are_left_alone(self) -> None:
        metrics, flags = {"gbs": 1.0}, []
        add_rerun(metrics, flags, None)
        self.assertEqual((metrics, flags), ({"gbs": 1.0}, []))


if __name__ == "__main__":
    unittest.main()
