"""The whole machine: one package of dies of PEs, memories and links, and what the launches on it share."""

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
        of_a_die = machine.pes_per_die
        count = machine.dies * of_a_die
        for number in range(count):
            die, place = divmod(number, of_a_die)
            router = self.network.router(die, place)
            self.pes.append(Pe(self.network, count + number, router))
            self.partitions.append(Hbm(self.network, 2 * count + number, router))
        for die in range(machine.dies):
            self.srams.append(Sram(self.network, 3 * count + die, self.network.router(die, machine.sram_router)))
        self.network.connect_routers()

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
