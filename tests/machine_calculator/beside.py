"""A GEMM and a collective on one machine (30.9): each alone, and both together."""

from dataclasses import dataclass
from typing import Dict, List, Tuple

from collective import Collective
from gemm import Gemm, Problem
from grid_multicast import GridMulticast
from grid_shift import GridShift
from machine import Machine
from memory import Channel, Hbm, Store
from steps import Request
from system import System
from units import duration


Records = Dict[str, List[Tuple[str, int, int]]]  # of each PE: unit, from, to


@dataclass
class Run:
    gemm: List[int]  # ends of the PEs' programs
    collective: List[int]  # and of the collective's ranks
    records: Records
    at_work: Dict[str, int]  # each unit, where that is longest
    busiest_link: Tuple[str, int]  # between routers, and how long it is at work
    in_hbm: bool  # the collective's buffers


def channels_of(store: Store) -> List[Channel]:
    return [channel for memory in store.controllers if isinstance(memory, Hbm) for channel in memory.channels]


def at_work(system: System, end: int) -> Dict[str, int]:
    """30.9: at full rate, in the PE where that is longest."""
    machine = system.machine
    read_rate = min(machine.link_bandwidth, machine.tcm_write_bandwidth)
    write_rate = min(machine.link_bandwidth, machine.tcm_read_bandwidth)
    return {
        "DMA reader": max(duration(pe.read_bytes, read_rate) for pe in system.pes),
        "DMA writer": max(duration(pe.written_bytes + pe.sent_bytes, write_rate) for pe in system.pes),
        "vector unit": max(pe.worked("vector") for pe in system.pes),
        "MAC array": max(pe.worked("mac") for pe in system.pes),
        "HBM channels": max(
            sum(channel.worked_until(end) for channel in channels) // len(channels)
            for channels in map(channels_of, system.partitions)
        ),
    }


def prepare(machine: Machine, problem: Problem, request: Request, which: str) -> Tuple[System, Gemm, Collective]:
    """`which`: alone (no collective at all), gemm, collective, both; in these what does not run has its room."""
    system = System(machine)
    collective = Collective(system, request, machine.levels, launch=1)
    slots = collective.slots_room if which != "alone" and machine.tier == "tcm" else 0
    kind = {"grid_shift": GridShift, "grid_multicast": GridMulticast}.get(problem.variant, Gemm)
    gemm = kind(system, problem, range(len(system.pes)), launch=0, room=machine.tcm_capacity - slots)
    if which in ("collective", "both"):
        collective.lay_out(gemm.needs_at_most)
    return system, gemm, collective


def run(machine: Machine, problem: Problem, request: Request, which: str) -> Run:
    system, gemm, collective = prepare(machine, problem, request, which)
    if which != "collective":
        gemm.start()
    if which in ("collective", "both"):
        collective.start()
    system.calendar.run()
    end = max(gemm.ends + collective.ends)
    busiest_link = system.network.busiest_link()
    return Run(gemm.ends, collective.ends, records_of(system), at_work(system, end), busiest_link, collective.in_hbm)


def records_of(system: System) -> Records:
    found: Records = {}
    for number, pe in enumerate(system.pes):
        die, place = divmod(number, system.machine.pes_per_die)
        worked = sorted((record.unit, record.begin, record.end) for record in pe.records if record.begin < record.end)
        found[f"package0_die{die}_pe{place}"] = worked
    return found


@dataclass(frozen=True)
class PeReport:
    """30.8: of each PE."""

    end: int
    array: int
    read: int
    sent: int
    written: int


@dataclass(frozen=True)
class Alone:
    """30.8."""

    pes: List[PeReport]
    array_idle: int
    network_bytes: int
    port_bytes: int
    busiest_link: str


def alone(machine: Machine, problem: Problem, request: Request) -> Alone:
    """A GEMM that has the machine to itself."""
    return alone_with_records(machine, problem, request)[0]


def alone_with_records(machine: Machine, problem: Problem, request: Request) -> Tuple[Alone, Records]:
    system, gemm, _ = prepare(machine, problem, request, "alone")
    gemm.start()
    system.calendar.run()
    arrays = [pe.worked("mac") for pe in system.pes]
    told = Alone(
        [
            PeReport(end, array, pe.read_bytes, pe.sent_bytes, pe.written_bytes)
            for end, array, pe in zip(gemm.ends, arrays, system.pes)
        ],
        max(gemm.ends) - sum(arrays) // len(arrays),
        sum(link.bytes for link in system.network.between_routers),
        sum(link.bytes for link in system.network.ports),
        system.network.busiest_link()[0],
    )
    return told, records_of(system)
