"""The conversation: requests of docs/contributing/driver-protocol.md and their answers.

Requests are as the protocol says, so nothing in them is checked.
"""

import platform
import sys
import traceback
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from .checksum import checksum
from .driver import Driver, Target
from .drivers import DRIVERS
from .measure import Meter, feed
from .plan import Plan
from .refusal import Unsupported


@dataclass
class Held:
    """A connection under its name. Its connection is None after something went wrong on it."""

    driver: Driver
    target: Target
    connection: Any


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
        held = self.held[request["connection"]] = Held(driver, Target.of(request, driver.options), None)
        connect(held)
        return {"version": driver.versions()[0], "library": driver.library(), "cipher": driver.cipher(held.connection)}

    def run(self, request):
        held, rows = self.held[request["connection"]], self.data[request["data"]]
        plan = Plan(request, held.driver.mark)
        held.driver.check(plan, held.target)
        meter = Meter(feed(rows, plan.size), request["operations"], int(request["seconds"] * 1e9))
        try:
            if held.connection is None:
                connect(held)
            held.driver.run(held, plan, meter)
        except Exception:
            # It may be broken, in a transaction, or in the middle of an answer: the next run makes it again.
            drop(held)
            raise
        return meter.answer(checksum if plan.query else lambda _: 0)

    def close(self, request):
        drop(self.held.pop(request["connection"]))
        return {}

    def end(self):
        for held in self.held.values():
            drop(held)


def connect(held):
    held.connection = held.driver.connect(held.driver.arguments(held.target, True))


def drop(held):
    """Close what may be broken already."""
    connection, held.connection = held.connection, None
    if connection is not None:
        with suppress(Exception):
            held.driver.close(connection)
