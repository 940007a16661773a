"""Power, clock and temperature by NVML while the device repeats the timed work.

The energy counter steps every few 10 ms, so only the moments of its steps are exact; a window shorter than
LEAST_WINDOW_S has too few of them, and the row is flagged `power_invalid` instead of given a number.
"""

from __future__ import annotations

import os
import threading
import time
from dataclasses import dataclass, field
from typing import Any, Callable, Dict, List, Optional, Tuple

from kernbench_gpu import environment
from kernbench_gpu.rows import Row
from kernbench_gpu.statistics import median

SETTLING_S = 0.25
"""Looks in this time after the work began are dropped."""
LEAST_WINDOW_S = 0.3
"""Between the first and the last step of the counter that are used."""
WINDOW_S = 0.8
Action = Callable[[], None]
POWER_INSTANT = 186  # NVML_FI_DEV_POWER_INSTANT, in mW


@dataclass
class Samples:
    """Looks at the sensors; times in s since the work began."""

    energy_mj: List[Tuple[float, float]] = field(default_factory=list)
    power_w: List[Tuple[float, float]] = field(default_factory=list)
    clock_mhz: List[float] = field(default_factory=list)
    temperature_c: List[float] = field(default_factory=list)


def average_power(samples: Samples) -> Optional[Tuple[float, float]]:
    """(W, s): mean power, and the window that it is of. By the energy counter between its first and last step; where it
    has too few, by the instant samples; None where both cover less than LEAST_WINDOW_S."""
    steps = [b for a, b in zip(samples.energy_mj, samples.energy_mj[1:]) if b[1] > a[1] and a[0] >= SETTLING_S]
    if len(steps) >= 2 and steps[-1][0] - steps[0][0] >= LEAST_WINDOW_S:
        window_s = steps[-1][0] - steps[0][0]
        return (steps[-1][1] - steps[0][1]) * 1e-3 / window_s, window_s
    looks = [look for look in samples.power_w if look[0] >= SETTLING_S]
    if len(looks) >= 5 and looks[-1][0] - looks[0][0] >= LEAST_WINDOW_S:
        return sum(watts for _, watts in looks) / len(looks), looks[-1][0] - looks[0][0]
    return None


class Sensors:
    """NVML's sensors of the current CUDA device; without NVML all of them are silent."""

    def __init__(self, device: str) -> None:
        self._nvml = environment.nvml() if device == "cuda" else None
        self._handle: Any = None
        if self._nvml is not None:
            self._handle = self._find_handle()

    def _find_handle(self) -> Any:
        import torch

        uuid = getattr(torch.cuda.get_device_properties(0), "uuid", None)
        try:
            if uuid is not None:
                return self._nvml.nvmlDeviceGetHandleByUUID("GPU-" + str(uuid))
        except self._nvml.NVMLError:
            pass  # in some virtual machines NVML names devices by index alone
        visible = os.environ.get("CUDA_VISIBLE_DEVICES", "0").split(",")[0]
        try:
            return self._nvml.nvmlDeviceGetHandleByIndex(int(visible))
        except (ValueError, self._nvml.NVMLError):
            return None

    def _read(self, look: Callable[[], Any]) -> Optional[float]:
        if self._handle is None:
            return None
        try:
            return float(look())
        except (self._nvml.NVMLError, TypeError, ValueError, AttributeError):
            return None

    def energy_mj(self) -> Optional[float]:
        """Since the driver was loaded, in mJ."""
        return self._read(lambda: self._nvml.nvmlDeviceGetTotalEnergyConsumption(self._handle))

    def _instant_w(self) -> float:
        value = self._nvml.nvmlDeviceGetFieldValues(self._handle, [POWER_INSTANT])[0]
        if value.nvmlReturn != 0:
            raise ValueError("no instant power")
        return float(value.value.uiVal) * 1e-3

    def power_w(self) -> Optional[float]:
        """Now, in W; the driver's running average where there is no instant value."""
        instant = self._read(self._instant_w)
        if instant is not None:
            return instant
        return self._read(lambda: self._nvml.nvmlDeviceGetPowerUsage(self._handle) * 1e-3)

    def clock_mhz(self) -> Optional[float]:
        """Of the SMs, in MHz."""
        return self._read(lambda: self._nvml.nvmlDeviceGetClockInfo(self._handle, self._nvml.NVML_CLOCK_SM))

    def temperature_c(self) -> Optional[float]:
        """Of the chip, in degrees Celsius."""
        return self._read(lambda: self._nvml.nvmlDeviceGetTemperature(self._handle, self._nvml.NVML_TEMPERATURE_GPU))


def _sample(sensors: Sensors, begin: float, stop: threading.Event, samples: Samples) -> None:
    look = 0
    while not stop.is_set():
        next_look = time.monotonic() + 0.01
        energy, at_s = sensors.energy_mj(), time.monotonic() - begin
        if energy is not None:
            samples.energy_mj.append((at_s, energy))
        if look % 2 == 0:
            power = sensors.power_w()
            if power is not None:
                samples.power_w.append((at_s, power))
        if look % 5 == 0 and at_s >= SETTLING_S:
            looks = ((sensors.clock_mhz(), samples.clock_mhz), (sensors.temperature_c(), samples.temperature_c))
            for value, values in looks:
                if value is not None:
                    values.append(value)
        look += 1
        stop.wait(max(0.0, next_look - time.monotonic()))


def add_power(row: Row, sensors: Sensors, repeat: Action, repeat_ns: float, synchronize: Action) -> None:
    """Repeats the work for WINDOW_S and adds avg_power_w, power_window_tflops (the rate in the window), tflops_per_watt (that
    rate over that power), power_window_s, power_samples, sm_clock_mhz and temperature_c, or the flag power_invalid."""
    samples, stop = Samples(), threading.Event()
    begin = time.monotonic()
    watcher = threading.Thread(target=_sample, args=(sensors, begin, stop, samples), daemon=True)
    watcher.start()
    # A few ms in flight: the device never waits for the host, and the host ends soon after the window.
    at_once = max(1, min(100, int(5e6 / max(repeat_ns, 1.0))))
    repeats = 0
    try:
        while time.monotonic() - begin < WINDOW_S:
            for _ in range(at_once):
                repeat()
            repeats += at_once
            if at_once * repeat_ns > 2e6:
                synchronize()
    finally:
        stop.set()  # before the last wait: the sensors must not see an idle device
        watcher.join()
        synchronize()
    ended_s = time.monotonic() - begin
    found = average_power(samples)
    if found is None:
        row.flags.append("power_invalid")
    else:
        row.metrics["avg_power_w"] = found[0]
        if "tflops" in row.metrics:
            rate = row.metrics["tflops"] * repeats * repeat_ns * 1e-9 / ended_s
            row.metrics["power_window_tflops"] = rate
            row.metrics["tflops_per_watt"] = rate / found[0]
        row.metrics["power_window_s"] = found[1]
        row.metrics["power_samples"] = len([look for look in samples.power_w if look[0] >= SETTLING_S])
    if samples.clock_mhz:
        row.metrics["sm_clock_mhz"] = median(samples.clock_mhz)
    if samples.temperature_c:
        row.metrics["temperature_c"] = median(samples.temperature_c)


def add_clock(row: Row, sensors: Sensors, repeat: Action, repeat_ns: float, synchronize: Action) -> None:
    """Adds sm_clock_mhz and temperature_c as they are under some 8 ms of the work."""
    for _ in range(max(1, min(100, int(8e6 / max(repeat_ns, 1.0))))):
        repeat()
    readings: Dict[str, Optional[float]] = {
        "sm_clock_mhz": sensors.clock_mhz(),
        "temperature_c": sensors.temperature_c(),
    }
    synchronize()
    row.metrics.update({name: value for name, value in readings.items() if value is not None})
