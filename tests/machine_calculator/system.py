"""The whole machine: packages of dies of PEs, memories and links, and what the launches on it share."""

from typing import Dict, List, Optional

from events import Calendar
from machine import Machine
from memory import Hbm, Memory, Sram
from network import Network
from pe import Pe
from queues import MessageQueue, Place
from units import up_to_multiple


class System:
    """PEs and partitions by number, in the order of 16.2."""

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self.calendar = Calendar()
        self.network = Network(machine, self.calendar)
        self.pes: List[Pe] = []
        self.partitions: List[Hbm] = []
        self.srams: List[Sram] = []
        self._used: Dict[Hbm, int] = {}  # of partitions: everything from address 0 on
        for package in range(machine.levels.packages.count):
            self._add_package(package)
        self.network.connect()

    def _add_package(self, package: int) -> None:
        machine, network = self.machine, self.network
        count = machine.dies * machine.pes_per_die
        first = package * (3 * count + machine.dies + 2)
        for number in range(count):
            die, place = divmod(number, machine.pes_per_die)
            router = network.router(package, die, place)
            self.pes.append(Pe(network, first + count + number, router))
            self.partitions.append(Hbm(network, first + 2 * count + number, router))
        for die in range(machine.dies):
            router = network.router(package, die, machine.sram_router)
            self.srams.append(Sram(network, first + 3 * count + die, router))

    def launch(self) -> int:
        """19.13."""
        farthest = max(self.network.latency(self.network.hosts[0], pe.endpoint) for pe in self.pes)
        return self.machine.io_processor_latency + farthest

    def take(self, pe: int, size: int, alignment: int) -> int:
        """28.12, where nothing is given back: the address of room in a partition."""
        partition = self.partitions[pe]
        address = up_to_multiple(self._used.get(partition, 0), alignment)
        self._used[partition] = address + size
        return address

    def queue(self, sender: int, receiver: int, number: int, launch: int) -> MessageQueue:
        """19.1: its slots are where the machine says."""
        slots: Optional[Place] = None
        if self.machine.tier == "hbm":
            address = self.take(receiver, MessageQueue.room(self.machine), self.machine.burst)
            slots = Place(self.partitions[receiver], address)
        elif self.machine.tier == "sram":
            sram: Memory = self.srams[receiver // self.machine.pes_per_die]
            slots = Place(sram, 0)  # all addresses of an SRAM that begin a burst are alike
        return MessageQueue(self.pes[sender], self.pes[receiver], (number, launch), slots)
