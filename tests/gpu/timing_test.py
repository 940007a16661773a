"""Quantiles, numbers of samples, and the two families as the wall clock gives them."""

import time
import unittest

import numpy
import torch
from kernbench_gpu.statistics import add_rerun, family, quantile
from kernbench_gpu.timing import CpuTimer, SampleLimits, operations_per_sample


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

    def test_24_1_a_sample_lasts_200_us_or_has_64_operations(self) -> None:
        self.assertEqual(operations_per_sample(1000.0), 64)
        self.assertEqual(operations_per_sample(10e3), 20)
        self.assertEqual(operations_per_sample(199e3), 2)
        self.assertEqual(operations_per_sample(5e6), 1)

    def test_24_1_the_clock_measures_the_call(self) -> None:
        timed = CpuTimer(False).measure(lambda i: time.sleep(0.002), lambda count: count, False)
        for name in ("time_ns", "latency_ns", "time_p10_ns"):
            self.assertGreaterEqual(timed.metrics[name], 2e6)
        self.assertLess(timed.metrics["time_p10_ns"], 50e6)

    def test_24_2_flushing_is_outside_of_the_time(self) -> None:
        timer = CpuTimer(False)
        timer._flush = torch.empty(1 << 28, dtype=torch.uint8)  # takes tens of ms to write
        timed = timer.measure(lambda i: None, lambda count: count, True)
        self.assertLess(timed.metrics["time_ns"], 1e6)


class NoiseRule(unittest.TestCase):
    def test_rows_without_a_time_are_left_alone(self) -> None:
        metrics, flags = {"gbs": 1.0}, []
        add_rerun(metrics, flags, None)
        self.assertEqual((metrics, flags), ({"gbs": 1.0}, []))


if __name__ == "__main__":
    unittest.main()
