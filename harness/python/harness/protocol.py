"""The conversation: requests of docs/driver-protocol.md and their answers."""

import platform
import sys
import traceback
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from .checksum import checksum
from .driver import Driver, Plan, Target
from .drivers import DRIVERS
from .measure import WITHOUT_ROWS, Feed, Meter
from .refusal import Failed, Unsupported
from .statement import Statement

PROTOCOL = "assay.dev/driver/v1"
SCHEMES = ("SingleRow", "Prepared", "ExecuteMany", "Pipelined", "MultiRow", "MultiStatement", "InList", "Batch")

# What a request may have beside id and do. Something else would be asked for and not done.
FIELDS = {
    "hello": {"protocol"},
    "data": {"name", "rows"},
    "prepare": {"connection", "driver", "version", "host", "port", "database", "tls", "options"},
    "run": {
        *("connection", "kind", "scheme", "transaction", "session", "statement", "data"),
        *("rowsPerOperation", "chunk", "inline", "operations", "seconds"),
    },
    "close": {"connection"},
}


@dataclass
class Held:
    """A connection under its name. Its connection is None after something went wrong on it."""

    driver: Driver
    target: Target
    connection: Any


class Conversation:
    def __init__(self):
        self.drivers = {driver.name: driver for driver in DRIVERS}
        self.data = {}
        self.held = {}
        self.requests = {
            "hello": self.hello,
            "data": self.keep,
            "prepare": self.prepare,
            "run": self.run,
            "close": self.close,
        }

    def answer(self, request):
        """The answer to a request, without its id."""
        try:
            do = request.get("do")
            if do not in FIELDS:
                raise Unsupported(f"the request {do!r} is not known")
            if extra := sorted(set(request) - FIELDS[do] - {"id", "do"}):
                raise Unsupported(f"{do} has no field {', '.join(extra)}")
            return {"state": "ok", **self.requests[do](request)}
        except Unsupported as reason:
            return {"state": "unsupported", "reason": str(reason)}
        except Failed as reason:
            return {"state": "failed", "reason": str(reason)}
        except Exception as error:
            traceback.print_exc(file=sys.stderr)
            return {"state": "failed", "reason": words(error)}

    def hello(self, request):
        if request.get("protocol") != PROTOCOL:
            raise Unsupported(f"the protocol {request.get('protocol')!r} is not known: {PROTOCOL} is")
        drivers = [(driver, driver.versions()) for driver in self.drivers.values()]
        return {
            "protocol": PROTOCOL,
            "language": "Python",
            "runtime": platform.python_version(),
            "clock": "time.perf_counter_ns",
            "drivers": [
                {"name": driver.name, "versions": versions, "schemes": driver.schemes}
                for driver, versions in drivers
                if versions
            ],
        }

    def keep(self, request):
        name, rows = needed(request, "name"), needed(request, "rows")
        self.data[name] = [tuple(row) for row in rows]
        return {"rows": len(rows)}

    def prepare(self, request):
        name, driver = needed(request, "connection"), self.driver(needed(request, "driver"))
        version = driver.versions()[0]
        if request.get("version") not in (None, "", version):
            raise Unsupported(f"{driver.name} {request['version']} is not here: {version} is")
        if request.get("tls", "Disabled") not in ("Disabled", "Required"):
            raise Unsupported(f"tls {request['tls']!r} is not known: Disabled and Required are")
        driver.load()
        held = Held(driver, driver.target(request), None)
        cipher = connect(held)
        self.forget(name)
        self.held[name] = held
        return {"version": version, "library": driver.library(), "cipher": cipher}

    def driver(self, name):
        driver = self.drivers.get(name)
        if driver is None:
            raise Unsupported(f"the driver {name!r} is not known: {', '.join(self.drivers)} are")
        if not driver.versions():
            raise Unsupported(f"the driver {name} is not installed here")
        return driver

    def run(self, request):
        held = self.held.get(needed(request, "connection"))
        if held is None:
            raise Failed(f"there is no connection {request['connection']!r}: prepare it first")
        plan, rows = self.plan(request, held.driver)
        held.driver.check(plan, held.target)
        meter = Meter(feed(plan, rows, request), *limits(request))
        try:
            if held.connection is None:
                connect(held)
            held.driver.run(held, plan, meter)
        except Exception:
            # It may be broken, in a transaction, or in the middle of an answer: the next run makes it again.
            drop(held)
            raise
        return meter.answer(checksum if plan.query else lambda _: 0)

    def plan(self, request, driver):
        kind, scheme = needed(request, "kind"), request.get("scheme", "")
        transaction, session = request.get("transaction", "Autocommit"), request.get("session", "Dedicated")
        known("kind", kind, ("Execute", "Query", "Connect", "Encode"))
        known("transaction", transaction, ("Autocommit", "One"))
        known("session", session, ("Dedicated", "Pool", "New"))
        if kind in ("Execute", "Query"):
            known("scheme", scheme, SCHEMES)
        elif scheme:
            raise Unsupported(f"{kind} has no scheme")
        text = "" if kind == "Connect" else needed(request, "statement")
        rows = self.rows(request)
        inline = request.get("inline", False)
        if inline and rows is None:
            raise Failed("inline needs data with the values that are written into the text")
        if inline and kind == "Encode":
            raise Unsupported("Encode writes every parameter into the text: inline has no meaning")
        plan = Plan(
            kind=kind,
            scheme=scheme,
            one=transaction == "One",
            session=session,
            statement=Statement(text, driver.mark),
            data=rows is not None,
            chunk=request.get("chunk", 0),
            inline=inline,
        )
        return plan, rows

    def rows(self, request):
        name = request.get("data")
        if not name:
            return None
        if name not in self.data:
            raise Failed(f"there is no data {name!r}: send it first")
        if not self.data[name]:
            raise Failed(f"the data {name!r} has no rows")
        return self.data[name]

    def close(self, request):
        name = needed(request, "connection")
        if name not in self.held:
            raise Failed(f"there is no connection {name!r}")
        self.forget(name)
        return {}

    def forget(self, name):
        held = self.held.pop(name, None)
        if held:
            drop(held)

    def end(self):
        for name in list(self.held):
            self.forget(name)


def needed(request, field):
    if field not in request:
        raise Failed(f"{request['do']} needs {field}")
    return request[field]


def known(field, value, values):
    if value not in values:
        raise Unsupported(f"the {field} {value!r} is not known: {', '.join(values)} are")


def words(error):
    return f"{type(error).__name__}: {error}"


def connect(held):
    """Open the connection of a name and say its cipher. It is not kept if it is not as asked for."""
    driver, target = held.driver, held.target
    arguments = driver.arguments(target, True)
    try:
        connection = driver.connect(arguments)
    except Exception as error:
        if driver.unknown_login(error):
            raise Unsupported(words(error)) from error
        raise
    held.connection = connection
    cipher = driver.cipher(connection)
    if bool(cipher) != target.encrypted and driver.encrypts:
        drop(held)
        wanted, got = ("Required", "is not") if target.encrypted else ("Disabled", "is")
        raise Failed(f"tls is {wanted}, but the connection {got} encrypted")
    return cipher


def drop(held):
    """Close what may be broken already."""
    connection, held.connection = held.connection, None
    if connection is not None:
        with suppress(Exception):
            held.driver.close(connection)


def feed(plan, rows, request):
    if rows is None:
        return WITHOUT_ROWS
    size = request.get("rowsPerOperation", 0)
    if size < 1:
        raise Failed("rowsPerOperation has to be at least 1 with data")
    return Feed(rows, size)


def limits(request):
    """How many operations, and how many nanoseconds; one of them is 0."""
    operations, seconds = request.get("operations", 0), request.get("seconds", 0)
    if (operations > 0) == (seconds > 0):
        raise Failed(f"one of operations ({operations}) and seconds ({seconds}) has to be greater than 0, and only one")
    return operations, int(seconds * 1e9)
