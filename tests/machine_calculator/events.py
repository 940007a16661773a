"""A calendar of actions, events to wait for, and programs that do so."""

import heapq
from enum import IntEnum
from typing import Callable, Generator, List, Optional, Set, Tuple, Union


class Phase(IntEnum):
    """What happens at one instant happens in this order (19.12, 4.17, 17.7)."""

    NORMAL = 0
    UNITS = 1  # shared units choose when all that is asked is known
    MEMORIES = 2
    ENDPOINTS = 3
    ROUTERS = 4


class Calendar:
    def __init__(self) -> None:
        self.now = 0
        self._entries: List[Tuple[int, int, int, Callable[[], None]]] = []
        self._entered = 0

    def at(self, time: int, action: Callable[[], None], phase: Phase = Phase.NORMAL) -> None:
        assert time >= self.now
        self._entered += 1
        heapq.heappush(self._entries, (time, phase, self._entered, action))

    def run(self) -> None:
        while self._entries:
            self.now, _, _, action = heapq.heappop(self._entries)
            action()


class Alarm:
    """One action in one phase, at any instants that it is set to: once at each."""

    def __init__(self, calendar: Calendar, phase: Phase, action: Callable[[], None]) -> None:
        self._calendar, self._phase, self._action = calendar, phase, action
        self._set: Set[int] = set()

    def set(self, time: int) -> None:
        if time not in self._set:
            self._set.add(time)
            self._calendar.at(time, self._ring, self._phase)

    def _ring(self) -> None:
        self._set.discard(self._calendar.now)
        self._action()


class Event:
    """Happens once. Who waits goes on at that instant; who comes later, at once."""

    def __init__(self, calendar: Calendar) -> None:
        self._calendar = calendar
        self._waiting: List[Callable[[], None]] = []
        self.time: Optional[int] = None

    def fire(self) -> None:
        assert self.time is None
        self.time = self._calendar.now
        for action in self._waiting:
            self._calendar.at(self.time, action)

    def then(self, action: Callable[[], None]) -> None:
        if self.time is None:
            self._waiting.append(action)
        else:
            action()


# A program yields what it waits for: an event, or a time.
Program = Generator[Union[Event, int], None, None]


def start(calendar: Calendar, program: Program) -> None:
    def go_on() -> None:
        for awaited in program:
            if isinstance(awaited, Event):
                if awaited.time is None:
                    awaited.then(go_on)
                    return
            elif awaited > calendar.now:
                calendar.at(awaited, go_on)
                return

    go_on()


class Last(Event):
    """Happens when it has been fired so many times."""

    def __init__(self, calendar: Calendar, times: int) -> None:
        super().__init__(calendar)
        self._left = times

    def fire(self) -> None:
        self._left -= 1
        if self._left == 0:
            super().fire()


class Events:
    """Events by number, each there when it is first asked for."""

    def __init__(self, calendar: Calendar) -> None:
        self._calendar = calendar
        self._events: List[Event] = []

    def __getitem__(self, number: int) -> Event:
        while len(self._events) <= number:
            self._events.append(Event(self._calendar))
        return self._events[number]
