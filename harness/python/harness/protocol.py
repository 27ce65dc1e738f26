"""The conversation: requests of docs/contributing/driver-protocol.md and their answers.

Requests are as the protocol says, so nothing in them is checked.
"""

import platform
import sys
import traceback
from contextlib import suppress
from dataclasses import dataclass

from .checksum import checksum
from .driver import Driver, Target
from .drivers import DRIVERS
from .measure import Meter
from .plan import Plan
from .refusal import Unsupported


@dataclass
class Held:
    """A connection under its name: one for each worker. None of them is left after something went wrong on one."""

    driver: Driver
    target: Target
    connections: list


class Conversation:
    def __init__(self):
        self.drivers = {driver.name: driver for driver in DRIVERS}
        self.data = {"": []}
        self.held = {}
        self.requests = {
            "hello": self.hello,
            "data": self.keep,
            "prepare": self.prepare,
            "run": self.run,
            "close": self.close,
        }

    def answer(self, request):
        identifier = request["id"]
        try:
            return {"id": identifier, "state": "ok", **self.requests[request["do"]](request)}
        except Unsupported as reason:
            return {"id": identifier, "state": "unsupported", "reason": str(reason)}
        except Exception as error:
            traceback.print_exc(file=sys.stderr)
            code = getattr(error, "errno", None) or next(iter(error.args), "")
            return {"id": identifier, "state": "failed", "code": str(code), "reason": f"{type(error).__name__}: {error}"}

    def hello(self, _):
        return {
            "protocol": "assay.dev/driver/v2",
            "language": "Python",
            "runtime": platform.python_version(),
            "clock": "time.perf_counter_ns",
            "drivers": [driver.describe() for driver in self.drivers.values() if driver.versions()],
        }

    def keep(self, request):
        self.data[request["name"]] = [tuple(row) for row in request["rows"]]
        return {}

    def prepare(self, request):
        driver = self.drivers[request["driver"]]
        driver.load()
        held = self.held[request["connection"]] = Held(driver, Target.of(request, driver.options), [])
        connect(held, 1)
        return {"version": driver.versions()[0], "library": driver.library(), "cipher": driver.cipher(held.connections[0])}

    def run(self, request):
        held, rows = self.held[request["connection"]], self.data[request["data"]]
        plan = Plan(request, held.driver.mark)
        held.driver.check(plan, held.target)
        meter = Meter(rows, plan.size, request["operations"], int(request["seconds"] * 1e9))
        try:
            connect(held, plan.connections())
            held.driver.run(held, plan, meter)
        except Exception:
            # They may be broken, in a transaction, or in the middle of an answer: the next run makes them again.
            drop(held)
            raise
        return meter.answer(checksum if plan.query else lambda _: 0)

    def close(self, request):
        drop(self.held.pop(request["connection"]))
        return {}

    def end(self):
        for held in self.held.values():
            drop(held)


def connect(held, number):
    """As many as that; those that are there stay."""
    missing = number - len(held.connections)
    if missing > 0:
        arguments = held.driver.arguments(held.target, True)
        for _ in range(missing):
            held.connections.append(held.driver.connect(arguments))


def drop(held):
    """Close what may be broken already."""
    connections, held.connections = held.connections, []
    for connection in connections:
        with suppress(Exception):
            held.driver.close(connection)
