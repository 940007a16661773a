"""What a measurement depends on: versions of driver and libraries, settings in the environment, the device's card."""

from __future__ import annotations

import json
import os
import platform
import re
import shlex
from pathlib import Path
from typing import Any, Dict, List, Optional

from kernbench_gpu.rows import BadInput, slug_of

CPU_NAME = "CPU dry run"
"""The device that a dry run without a GPU is said to be."""

_RECORDED = ("NCCL_", "CUBLAS", "NVIDIA_TF32_OVERRIDE", "NVSHMEM_DISABLE_NVLS", "TORCH_SYMM_MEM_", "CUDA_DEVICE_MAX_")


def settings() -> Dict[str, str]:
    """The variables of the environment that the libraries listen to."""
    versions_of_images = ("NCCL_VERSION",)
    names = [name for name in sorted(os.environ) if name.startswith(_RECORDED) and name not in versions_of_images]
    return {name: os.environ[name] for name in names}


def command_line(words: List[str]) -> str:
    """The command as a file says it: without the folders of this computer, which mean nothing on another one."""
    return shlex.join(re.sub("(^|=)/(?:[^/]*/)*(?=.)", r"\1", word) for word in words)


def nvml() -> Optional[Any]:
    """The module pynvml, started; None where module or driver is not there."""
    try:
        import pynvml

        pynvml.nvmlInit()
    except Exception:  # ImportError, or NVML's own kind: without it rows merely lack clocks and power
        return None
    return pynvml


def _two_numbers(version: int) -> str:
    return "%d.%d" % (version // 1000, version % 1000 // 10)


def _driver_of_kernel_module() -> str:
    """The driver's version as the kernel module tells it; "unknown" where it does not."""
    try:
        text = Path("/proc/driver/nvidia/version").read_text(encoding="utf-8")
    except OSError:
        return "unknown"
    found = re.search(r"\b\d{3}\.\d+(\.\d+)?\b", text)
    return found.group(0) if found else "unknown"


def versions(device: str) -> Dict[str, str]:
    """Versions by name; a dry run's have "none" for the driver and the CUDA runtime."""
    import torch

    found: Dict[str, str] = {}
    if device == "cpu":
        found.update(driver="none", cuda_runtime="none")
    else:
        library = nvml()
        if library is not None:
            driver = library.nvmlSystemGetDriverVersion()
            found["driver"] = driver.decode() if isinstance(driver, bytes) else driver
            found["cuda_driver"] = _two_numbers(library.nvmlSystemGetCudaDriverVersion())
        else:
            found["driver"] = _driver_of_kernel_module()
        found["cuda_runtime"] = torch.version.cuda or "none"
        if torch.distributed.is_nccl_available():
            found["torch_nccl"] = ".".join(str(part) for part in torch.cuda.nccl.version())  # its own, not the system's
    found["torch"] = torch.__version__
    try:
        import triton

        found["triton"] = triton.__version__
    except ImportError:
        pass
    found["python"] = platform.python_version()
    return found


def device_name(device: str) -> str:
    """The name that the driver gives the current GPU; a dry run's is CPU_NAME."""
    if device == "cpu":
        return CPU_NAME
    import torch

    return str(torch.cuda.get_device_name(0))


def cpu_card() -> Dict[str, Any]:
    """A card for dry runs, so that their files pass the same checks: ceilings that no CPU reaches, not its peaks."""
    return {
        "schema": "kernbench.device/1",
        "name": CPU_NAME,
        "slug": slug_of(CPU_NAME),
        "facts": {"l2_bytes": 1 << 20},
        "peaks": {"tflops": {"fp32": 1000.0, "bf16": 1000.0}, "memory_gbs": 10000.0, "link_gbs": 10000.0},
        "basis": "computed",
        "source": "a dry run on a CPU: ceilings that no CPU reaches, to check files against",
    }


def read_card(path: Optional[Path]) -> Dict[str, Any]:
    """A device.json; empty where there is none: rows then lack fractions of peaks. Raises BadInput where it is no JSON."""
    if path is None or not path.exists():
        return {}
    try:
        return dict(json.loads(path.read_text(encoding="utf-8")))
    except ValueError as error:
        raise BadInput("%s: is not valid JSON: %s" % (path, error)) from error


def peak(card: Dict[str, Any], *path: str) -> Optional[float]:
    """peak(card, "tflops", "bf16"), peak(card, "memory_gbs"): a number of the card's peaks, or None."""
    value: Any = card.get("peaks", {})
    for key in path:
        value = value.get(key) if isinstance(value, dict) else None
    return float(value) if value else None
