"""A GEMM and a collective on one machine (30.9): each alone, and both together."""

from collections import defaultdict
from dataclasses import dataclass
from typing import Dict, List

from collective import Collective
from gemm import Gemm, Problem
from machine import Machine
from pe import Record
from schedules import Request, ring_order
from system import System
from units import duration


@dataclass
class Run:
    gemm: List[int]  # ends of the PEs' programs
    collective: List[int]  # and of the collective's ranks
    records: Dict[str, List[Record]]  # of each PE
    at_work: Dict[str, int]  # each unit, where that is longest


def at_work(system: System, end: int) -> Dict[str, int]:
    """30.9: at full rate, in the PE where that is longest."""
    machine = system.machine
    read_rate = min(machine.link_bandwidth, machine.tcm_write_bandwidth)
    write_rate = min(machine.link_bandwidth, machine.tcm_read_bandwidth)
    return {
        "DMA reader": max(duration(pe.read_bytes, read_rate) for pe in system.pes),
        "DMA writer": max(duration(pe.written_bytes, write_rate) for pe in system.pes),
        "vector unit": max(pe.worked("vector") for pe in system.pes),
        "MAC array": max(pe.worked("mac") for pe in system.pes),
        "HBM channels": max(
            sum(channel.worked_until(end) for channel in partition.channels) // machine.pseudo_channels
            for partition in system.partitions
        ),
        "busiest link": max(link.busy for link in system.network.links),
    }


def run(machine: Machine, problem: Problem, request: Request, which: str) -> Run:
    """`which` is gemm, collective or both: what does not run has its room nevertheless."""
    system = System(machine)
    pes = range(len(system.pes))
    gemm = Gemm(system, problem, pes, launch=0)
    if which != "gemm":
        collective = Collective(system, request, ring_order(machine), launch=1)
    if which != "collective":
        gemm.start()
    if which != "gemm":
        collective.start()
    system.calendar.run()
    end = max(gemm.ends + (collective.ends if which != "gemm" else []))
    records: Dict[str, List[Record]] = defaultdict(list)
    for number, pe in enumerate(system.pes):
        die, place = divmod(number, machine.pes_per_die)
        worked = [(unit, begin, end) for unit, begin, end in pe.records if begin < end]
        records[f"package0_die{die}_pe{place}"] = sorted(worked)
    return Run(gemm.ends, collective.ends if which != "gemm" else [], records, at_work(system, end))
