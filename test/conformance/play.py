#!/usr/bin/env python3
"""Plays the vectors beside this file to a driver harness, and says what is not as it has to be.

It needs Python 3.9 or newer and nothing else: a harness as a command, and a MySQL or MariaDB server with a user that may do anything.

    play.py --server 127.0.0.1:3306 -- /opt/harness/harness
    play.py -- node --expose-gc main.js        without a server: the driver null alone

It exits with 1 if anything differs, and with 2 if it cannot play. While it plays, nobody else may use the server: it reads the
counters of the whole server, ends connections, and switches the general log to a table (and back).
"""

import argparse
import collections
import json
import os
import pathlib
import signal
import subprocess
import sys

import mysqltext

PROTOCOL = "assay.dev/driver/v2"
RUN_FIELDS = ("operations", "nanoseconds", "rows", "checksum", "histogram")


class Wrong(Exception):
    """Something is not as it has to be."""


class Harness:
    """A harness as a process: one request, one answer."""

    def __init__(self, command, user, password):
        environment = dict(os.environ, ASSAY_USERNAME=user, ASSAY_PASSWORD=password)
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment)
        self.last = 0

    def ask(self, request):
        self.last += 1
        line = json.dumps(dict(request, id=self.last), ensure_ascii=False)
        self.process.stdin.write(line.encode() + b"\n")
        self.process.stdin.flush()
        text = self.process.stdout.readline()
        try:
            answer = json.loads(text)
        except ValueError:
            raise Wrong(f"{line:.300} was answered by {text[:300]!r}, which is no line of JSON") from None
        if not isinstance(answer, dict) or answer.get("id") != self.last:
            raise Wrong(f"the answer to request {self.last} has the id {answer.get('id') if isinstance(answer, dict) else answer!r}")
        state, reason = answer.get("state"), answer.get("reason", "")
        if state not in ("ok", "failed", "unsupported") or (state == "ok") != (reason == ""):
            raise Wrong(f"an answer has the state {state!r} and the reason {reason!r}")
        return answer

    def end(self):
        """The end of the requests is the end of the harness, with 0 and without another word."""
        self.process.stdin.close()
        rest = self.process.stdout.read()
        code = self.process.wait()
        if rest or code != 0:
            raise Wrong(f"at the end of the requests the harness says {rest[:300]!r} and exits with {code}")


class Nobody:
    """In place of a server, for the driver null."""

    host, port = "127.0.0.1", 1

    def setup(self, statements):
        pass


class Server:
    """What the player itself asks the server."""

    def __init__(self, host, port, user, password, database):
        self.host, self.port = host, port
        self.session = mysqltext.Session(host, port, user, password, database)
        self.me = self.session.query("SELECT CONNECTION_ID()")[0][0]
        self.log = self.session.query("SELECT @@global.log_output, @@global.general_log")[0]
        self.session.query("SET GLOBAL log_output = 'TABLE'")
        self.session.query("SET GLOBAL general_log = 1")

    def close(self):
        output, on = self.log
        self.session.query(f"SET GLOBAL general_log = {on}")
        self.session.query(f"SET GLOBAL log_output = '{output}'")
        self.session.close()

    def setup(self, statements):
        for statement in statements:
            self.session.query(statement)

    def counters(self):
        return {name.lower(): int(value) for name, value in self.session.query("SHOW GLOBAL STATUS") if value.isdigit()}

    def forget_log(self):
        self.session.query("TRUNCATE TABLE mysql.general_log")

    def statements(self):
        """What others sent: the command of the protocol, and the text."""
        return self.session.query(
            f"SELECT command_type, CONVERT(argument USING utf8mb4) FROM mysql.general_log WHERE thread_id <> {self.me} AND command_type <> 'Prepare'")

    def kill(self):
        found = self.session.query("SELECT id FROM information_schema.PROCESSLIST WHERE user = SUBSTRING_INDEX(USER(), '@', 1) AND id <> CONNECTION_ID()")
        if not found:
            raise Wrong("the harness has no connection that could be ended")
        for (number,) in found:
            self.session.query(f"KILL {number}")


def lowest(index):
    """The lowest value in ns of a bucket of the histogram."""
    if index < 2048:
        return index
    shift = index // 1024 - 1
    return (index - 1024 * shift) << shift


def check_run(answer):
    """What holds for every answer to a run."""
    missing = [field for field in RUN_FIELDS if field not in answer]
    if missing:
        raise Wrong(f"the answer has no {', '.join(missing)}")
    indexes = [index for index, _ in answer["histogram"]]
    counted = sum(count for _, count in answer["histogram"])
    if indexes != sorted(set(indexes)) or any(count < 1 for _, count in answer["histogram"]):
        raise Wrong("the buckets of the histogram are not ascending, or one is empty")
    if answer["operations"] < 1 or counted != answer["operations"]:
        raise Wrong(f"{answer['operations']} operations were done, and the histogram has {counted}")
    least = sum(lowest(index) * count for index, count in answer["histogram"])
    if answer["nanoseconds"] < max(1, least):
        raise Wrong(f"the operations took {answer['nanoseconds']} ns, and by the histogram at least {least}")
    if answer.get("cpuNanoseconds", 1) < 1:
        raise Wrong(f"the CPU time is {answer['cpuNanoseconds']} ns: an unknown one has to be absent")


def within(what, got, bounds):
    least, most = bounds["least"], bounds.get("most")
    if got < least or (most is not None and got > most):
        raise Wrong(f"{what}: {got}, and it has to be {least}" + ("" if most == least else " or more" if most is None else f" to {most}"))


class Player:
    """The vectors, played to one driver."""

    def __init__(self, harness, driver, server, database):
        self.harness, self.driver, self.server, self.database = harness, driver, server, database
        self.null = driver["name"] == "null"
        self.sent = {}

    def prepare(self, request):
        filled = {"driver": self.driver["name"], "host": self.server.host, "port": self.server.port, "database": self.database}
        return self.harness.ask(dict(request, **{name: value for name, value in filled.items() if not request[name]}))

    def play(self, file, case):
        for turn in case["turns"]:
            if self.null and (turn.get("kill") or turn.get("state") == "failed"):
                return "left out"  # nothing of it is for a driver without a server
            answer = self.turn(file, turn)
            if answer["state"] == "unsupported" and case.get("mayRefuse"):
                return "unsupported"
        return "ok"

    def turn(self, file, turn):
        request, want = turn["request"], turn.get("want", {})
        if "setup" in turn:
            self.server.setup(file["setups"][turn["setup"]])
        if request.get("data"):
            self.send(file, request["data"])
        if turn.get("kill"):
            self.server.kill()
        watched = not self.null and ("counters" in want or "statements" in want)
        before = {}
        if watched:
            self.server.forget_log()
            before = self.server.counters()
        answer = self.prepare(request) if request["do"] == "prepare" else self.harness.ask(request)
        after = self.server.counters() if watched else {}
        if answer["state"] == "unsupported" and turn.get("state") == "ok":
            return answer  # the case says whether it may
        if turn.get("state", answer["state"]) != answer["state"]:
            raise Wrong(f"the answer has the state {answer['state']} instead of {turn['state']}: {answer.get('reason', '')}")
        if request["do"] == "run" and answer["state"] == "ok":
            check_run(answer)
        if want:
            self.check(want, answer)
        for name, bounds in want.get("counters", {}).items() if watched else ():
            if name in after:
                within(f"the server's counter {name}", after[name] - before[name], bounds)
        return answer

    def send(self, file, name):
        """Rows of parameters, once."""
        rows = file["data"][name]
        if self.sent.get(name) != rows:
            if self.harness.ask({"do": "data", "name": name, "rows": rows})["state"] != "ok":
                raise Wrong(f"it does not keep the data {name}")
            self.sent[name] = rows

    def check(self, want, answer):
        done = answer.get("operations", 0)
        if want["operations"] and done != want["operations"]:
            raise Wrong(f"{done} operations were done instead of {want['operations']}")
        if self.null:
            if answer.get("rows"):
                raise Wrong(f"null fetched {answer['rows']} rows")
            return
        if answer["state"] == "ok":
            each = int(self.server.session.query(want["rowsAsked"])[0][0]) if "rowsAsked" in want else want["rowsEach"]
            if answer["rows"] != each * done:
                raise Wrong(f"{done} operations fetched {answer['rows']} rows, and each has to fetch {each}")
        if answer.get("checksum", 0) != want.get("checksum", answer.get("checksum", 0)):
            raise Wrong(f"the rows of the last operation have the checksum {answer['checksum']} instead of {want['checksum']}")
        if "statements" in want:
            seen = want["statements"]
            found = [text for command, text in self.server.statements() if text.startswith(seen["begins"]) and command == (seen.get("as") or command)]
            within(f"statements that begin with {seen['begins']!r}" + (f", as {seen['as']}" if "as" in seen else ""), len(found), seen)
        if "question" in want:
            rows = self.server.session.query(want["question"])
            if rows != want["rows"]:
                raise Wrong(f"{want['question']} answers {rows} instead of {want['rows']}")


def play_driver(command, options, driver, files, server):
    """All cases with one driver, in a process of their own. Returns the outcomes, and what is wrong."""
    outcomes, wrong = collections.Counter(), []
    harness = Harness(command, options.user, options.password)
    player = Player(harness, driver, server, options.database)
    harness.ask({"do": "hello", "protocol": PROTOCOL})
    prepared = player.prepare({"do": "prepare", "connection": "c1", "driver": "", "version": "", "host": "", "port": 0, "database": "", "tls": False, "options": {}})
    if prepared["state"] != "ok":
        harness.end()
        print(f"  {driver['name']} is {prepared['state']}: {prepared['reason']}")
        # Not every driver knows how to log in to every server.
        refused = prepared["state"] == "unsupported" or "auth" in prepared["reason"].lower()
        return outcomes, [] if refused else [f"{driver['name']}: {prepared['reason']}"]
    for file in files:
        for case in file["cases"]:
            if any(need not in driver["can"] for need in case.get("can", ())):
                outcomes["not among what it can do"] += 1
                continue
            known = case.get("known", {}).get(driver["name"])
            try:
                outcome = player.play(file, case)
                if known and outcome == "ok":
                    raise Wrong(f"the known fault does not show any more: {known}")
                outcomes[outcome] += 1
            except Wrong as error:
                if known and "does not show" not in str(error):
                    outcomes["known fault"] += 1
                else:
                    outcomes["wrong"] += 1
                    wrong.append(f"{driver['name']}, {file['name']}: {case['name']}: {error}")
    harness.end()
    return outcomes, wrong


def drivers_of(command, options):
    """What the harness says of itself."""
    harness = Harness(command, options.user, options.password)
    hello = harness.ask({"do": "hello", "protocol": PROTOCOL})
    harness.end()
    if hello["state"] != "ok" or hello.get("protocol") != PROTOCOL:
        raise Wrong(f"hello was answered by {hello}")
    if "null" not in [driver["name"] for driver in hello["drivers"]]:
        raise Wrong("the harness has no driver null")
    print(f"{hello['language']} {hello['runtime']}")
    return hello["drivers"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--server", metavar="HOST:PORT", help="without, only the driver null is played")
    parser.add_argument("--user", default="assay", help="default: assay")
    parser.add_argument("--password", default="assay", help="default: assay")
    parser.add_argument("--database", default="assay", help="a schema that is there; default: assay")
    parser.add_argument("--vectors", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parent / "vectors", help="a folder of vectors")
    parser.add_argument("--driver", action="append", help="only this one; more than once: these")
    parser.add_argument("command", nargs="+", help="the harness, after --")
    options = parser.parse_args()
    files = [json.loads(path.read_text(encoding="utf-8")) for path in sorted(options.vectors.glob("*.json"))]
    if not files or any(file["protocol"] != PROTOCOL for file in files):
        parser.error(f"{options.vectors} has to have vectors of {PROTOCOL}")
    host, _, port = (options.server or "").rpartition(":")
    if options.server and not (host and port.isdigit()):
        parser.error(f"--server has to be such as 127.0.0.1:3306, not {options.server}")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(2))  # so that the server gets its log back
    wrong, played = [], 0
    server = Server(host, int(port), options.user, options.password, options.database) if options.server else None
    try:
        for driver in drivers_of(options.command, options):
            if driver["name"] != "null" and not server or options.driver and driver["name"] not in options.driver:
                continue
            outcomes, differs = play_driver(options.command, options, driver, files, Nobody() if driver["name"] == "null" else server)
            print(f"  {driver['name']}: " + (", ".join(f"{count} {outcome}" for outcome, count in sorted(outcomes.items())) or "nothing"))
            wrong += differs
            played += bool(outcomes) and (driver["name"] != "null" or not server)
    finally:
        if server:
            server.close()
    for line in wrong:
        print("WRONG", line)
    if not played:
        print("WRONG no driver was played", *(["but null"] if server else []))
    return 1 if wrong or not played else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (Wrong, mysqltext.Refused, OSError) as error:
        print(f"play.py: {error}", file=sys.stderr)
        sys.exit(1 if isinstance(error, Wrong) else 2)
