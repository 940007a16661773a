"""Mean power out of sensors that step."""

import time
import unittest

from kernbench_gpu.power import Samples, Sensors, add_power, average_power
from kernbench_gpu.rows import Row


def counter(watts: float, until_s: float, step_s: float = 0.03) -> Samples:
    """Looks every 10 ms at a counter that steps every `step_s`."""
    times = [0.01 * look for look in range(int(until_s / 0.01) + 1)]
    return Samples(energy_mj=[(at, 1e3 * watts * step_s * int(at / step_s + 1e-9)) for at in times])


class Adr0024(unittest.TestCase):
    def test_24_4_power_is_energy_between_steps_of_the_counter(self) -> None:
        found = average_power(counter(500.0, 0.8))
        assert found is not None
        self.assertAlmostEqual(found[0], 500.0, delta=1.0)
        self.assertGreater(found[1], 0.4)

    def test_24_4_the_first_quarter_second_is_dropped(self) -> None:
        rising = counter(500.0, 0.8)
        rising.energy_mj = [(at, energy if at > 0.24 else 0.0) for at, energy in rising.energy_mj]
        found = average_power(rising)
        assert found is not None
        self.assertAlmostEqual(found[0], 500.0, delta=1.0)

    def test_24_4_a_window_that_is_too_short_gives_no_number(self) -> None:
        self.assertIsNone(average_power(counter(500.0, 0.5)))
        self.assertIsNone(average_power(counter(500.0, 0.7, step_s=0.4)))
        self.assertIsNone(average_power(Samples()))

    def test_24_4_without_a_counter_the_instant_samples_count(self) -> None:
        looks = [(0.02 * look, 400.0 if look % 2 else 600.0) for look in range(41)]
        found = average_power(Samples(power_w=looks))
        assert found is not None
        self.assertAlmostEqual(found[0], 500.0, delta=10.0)
        self.assertIsNone(average_power(Samples(power_w=looks[:20])))

    def test_24_4_the_rate_is_that_of_the_window(self) -> None:
        class Constant(Sensors):
            """A counter that runs at 500 W from its first look."""

            def __init__(self) -> None:
                super().__init__("cpu")
                self._begin = time.monotonic()

            def energy_mj(self) -> float:
                return 500e3 * (time.monotonic() - self._begin)

        # Timed as 1 ms for 2 TFLOPS; in the window each takes 2 ms and more.
        row = Row({}, metrics={"tflops": 2.0})
        add_power(row, Constant(), lambda: time.sleep(0.002), 1e6, lambda: None)
        self.assertAlmostEqual(row.metrics["avg_power_w"], 500.0, delta=5.0)
        self.assertLess(row.metrics["power_window_tflops"], 1.05)
        self.assertGreater(row.metrics["power_window_tflops"], 0.3)
        self.assertAlmostEqual(row.metrics["tflops_per_watt"] * row.metrics["avg_power_w"],
                               row.metrics["power_window_tflops"])  # fmt: skip

    def test_24_4_a_row_without_sensors_is_flagged(self) -> None:
        row = Row({}, metrics={"tflops": 2.0})
        add_power(row, Sensors("cpu"), lambda: None, 1e6, lambda: None)
        self.assertEqual((row.flags, row.metrics), (["power_invalid"], {"tflops": 2.0}))


if __name__ == "__main__":
    unittest.main()
