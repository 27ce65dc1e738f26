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
import contextlib
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import threading
import time

import answers
import mysqltext
from answers import Wrong

PROTOCOL = "assay.dev/driver/v2"


class Over(Wrong):
    """Nothing more can be asked of the harness."""


class Harness:
    """A harness as a process: one request, one answer, each within so many seconds."""

    def __init__(self, command, options):
        environment = dict(os.environ, ASSAY_USERNAME=options.user, ASSAY_PASSWORD=options.password)
        # A group of its own, so that what the command starts ends with it.
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment, start_new_session=True)
        self.patience = options.patience
        self.late = False
        self.last = 0
        self.waited = 0

    def ask(self, request):
        """The answer; afterwards waited is how many ns it took."""
        self.last += 1
        line = json.dumps(dict(request, id=self.last), ensure_ascii=False)
        begin = time.monotonic_ns()
        with self.awaited(f"{line:.300} has no answer"):
            try:
                self.process.stdin.write(line.encode() + b"\n")
                self.process.stdin.flush()
                text = self.process.stdout.readline()
            except OSError:
                text = b""
        self.waited = time.monotonic_ns() - begin
        if not text:
            self.stop()
            raise Over(f"{line:.300} has no answer: the harness ended, with {self.process.returncode}")
        answer = answers.parse(line, text)
        answers.check(request["do"], self.last, answer)
        return answer

    @contextlib.contextmanager
    def awaited(self, what):
        """The harness is ended, and is Over, if what is done with it takes too long."""
        timer = threading.Timer(self.patience, self.end_late)
        timer.start()
        try:
            yield
        finally:
            timer.cancel()
            timer.join()
        if self.late:
            raise Over(f"{what} within {self.patience:g} s")

    def end_late(self):
        self.late = True
        self.kill()

    def kill(self):
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass  # it is over already

    def close_input(self):
        try:
            self.process.stdin.close()
        except OSError:
            pass  # it has ended before, and its code says how

    def stop(self):
        """The end of the harness, whatever it does."""
        if self.process.returncode is None:
            self.close_input()
            try:
                self.process.wait(self.patience)  # one that ends by itself says how
            except subprocess.TimeoutExpired:
                self.kill()
                self.process.wait()

    def end(self):
        """The end of the requests is the end of the harness, with 0 and without another word."""
        with self.awaited("at the end of the requests the harness does not end"):
            self.close_input()
            rest = self.process.stdout.read()
            code = self.process.wait()
        if rest or code != 0:
            raise Wrong(f"at the end of the requests the harness says {rest[:300]!r} and exits with {code}")


NO_SUCH_THREAD = 1094  # it has ended by itself


class Nobody:
    """In place of a server, for the driver null."""

    host, port = "127.0.0.1", 1

    def setup(self, statements):
        pass


class Server:
    """What the player itself asks the server."""

    def __init__(self, host, port, user, password, database):
        self.host, self.port = host, port
        self.login = host, port, user, password, database
        self.session = mysqltext.Session(*self.login)
        # What a harness locks and does not give free has to be found, not waited for.
        self.session.query("SET SESSION lock_wait_timeout = 10")
        self.version = self.session.query("SELECT VERSION()")[0][0]
        self.me = self.session.query("SELECT CONNECTION_ID()")[0][0]
        self.log = self.session.query("SELECT @@global.log_output, @@global.general_log")[0]
        self.session.query("SET GLOBAL log_output = 'TABLE'")
        self.session.query("SET GLOBAL general_log = 1")

    def close(self):
        """Puts the log back on a session of its own: the other one may have broken."""
        output, on = self.log
        self.session.socket.close()
        session = mysqltext.Session(*self.login)
        session.query(f"SET GLOBAL general_log = {on}")
        session.query(f"SET GLOBAL log_output = '{output}'")
        session.close()

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
            try:
                self.session.query(f"KILL {number}")
            except mysqltext.Refused as refused:
                if refused.number != NO_SUCH_THREAD:
                    raise


def depends(reason):
    """What a driver can do depends on more than the scheme: it may not know how to log in to the server, or the server lacks the command."""
    return "auth" in reason.lower() or "server doesn't support" in reason.lower()


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
            if answer["state"] == "unsupported":
                if turn.get("state") == "ok" and (case.get("mayRefuse") or depends(answer["reason"])):
                    return "unsupported"
                raise Wrong(f"it is among what the driver says that it can do, and the answer is unsupported: {answer['reason']}")
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
        if answer["state"] == "unsupported":
            return answer  # the case says whether it may
        if turn.get("state", answer["state"]) != answer["state"]:
            raise Wrong(f"the answer has the state {answer['state']} instead of {turn['state']}: {answer.get('reason', '')}")
        if answer.get("code") and turn.get("codes") and answer["code"] not in turn["codes"]:
            raise Wrong(f"the code of the error is {answer['code']!r}, and has to be one of {', '.join(turn['codes'])}: {answer['reason']}")
        if request["do"] == "run" and answer["state"] == "ok":
            answers.check_run(answer, request["seconds"], request["concurrency"], self.harness.waited)
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
        if want.get("overlap") and answers.together(answer) <= answer["nanoseconds"]:
            raise Wrong(f"the operations took {answers.together(answer)} ns together, and all were over after {answer['nanoseconds']}: they were not under way at once")
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
            for value, times in collections.Counter(seen.get("values", ())).items():
                having = sum(bool(re.search(rf"(?<!\d){re.escape(value)}(?!\d)", text)) for text in found)
                within(f"statements that begin with {seen['begins']!r} and have {value}", having, {"least": times})
        if "question" in want:
            rows = self.server.session.query(want["question"])
            if rows != want["rows"]:
                raise Wrong(f"{want['question']} answers {rows} instead of {want['rows']}")


class Wanted:
    """What the vectors have for the drivers of a language. Of one that they do not know nothing is wanted."""

    def __init__(self, files, language):
        self.drivers = {driver["name"]: driver for file in files for driver in file.get("languages", {}).get(language, ())}
        self.cases = sum(len(file["cases"]) for file in files)

    def refusal(self, name, version):
        """The word with which the driver has to refuse a server of this version; None: it must not."""
        refused = self.drivers.get(name, {}).get("refused")
        numbers = re.match(r"(\d+)\.(\d+)\..*-MariaDB", version)
        if refused and numbers and [int(number) for number in numbers.groups()] >= refused["mariaDB"]:
            return refused["reason"]
        return None

    def least(self, name):
        return min(self.drivers.get(name, {}).get("least", 0), self.cases)


def is_refused(driver, prepared, wanted, server):
    """Whether the driver cannot work with the server, and may say so."""
    name, state, reason = driver["name"], prepared["state"], prepared.get("reason", "")
    word = wanted.refusal(name, server.version) if server else None
    if word and (state != "unsupported" or word not in reason):
        raise Wrong(f"prepare has to be unsupported with {word!r} in the reason, and is {state}: {reason}")
    if state == "ok":
        return False
    print(f"  {name} is {state}: {reason}")
    # Not every driver knows how to log in to every server.
    if not (word or depends(reason) or state == "unsupported" and name not in wanted.drivers):
        raise Wrong(f"prepare is {state}: {reason}")
    return True


def play_driver(options, driver, files, server, wanted):
    """All cases with one driver, in a process of their own. Returns the outcomes, and what is wrong."""
    outcomes, wrong = collections.Counter(), []
    name = driver["name"]
    harness = Harness(options.command, options)
    player = Player(harness, driver, Nobody() if name == "null" else server, options.database)
    try:
        harness.ask({"do": "hello", "protocol": PROTOCOL})
        prepared = player.prepare({"do": "prepare", "connection": "c1", "driver": "", "version": "", "host": "", "port": 0, "database": "", "tls": False, "options": {}})
        if not is_refused(driver, prepared, wanted, None if name == "null" else server):
            play_cases(player, files, outcomes, wrong)
            if outcomes["ok"] < wanted.least(name):
                wrong.append(f"{name}: only {outcomes['ok']} cases are ok, and at least {wanted.least(name)} have to be")
        harness.end()
    except Wrong as error:
        wrong.append(f"{name}: {error}")
    finally:
        harness.stop()
    return outcomes, wrong


def play_cases(player, files, outcomes, wrong):
    name = player.driver["name"]
    for file in files:
        for case in file["cases"]:
            if any(need not in player.driver["can"] for need in case.get("can", ())):
                outcomes["not among what it can do"] += 1
                continue
            known = case.get("known", {}).get(name)
            where = f"{file['name']}: {case['name']}"
            try:
                outcome = player.play(file, case)
            except Over as error:
                raise Over(f"{where}: {error}; nothing more is played to it") from None
            except mysqltext.Refused as error:
                raise Over(f"{where}: the player itself is refused by the server, {error}; nothing more is played to this driver") from None
            except (Wrong, KeyError, TypeError, ValueError) as error:
                found = str(error) if isinstance(error, Wrong) else f"an answer that the player cannot read, {error!r}"
                if known and known["says"] in found:
                    outcomes["known fault"] += 1
                    continue
                outcomes["wrong"] += 1
                wrong.append(f"{name}, {where}: {found}")
                continue
            outcomes[outcome] += 1
            if known and outcome == "ok":
                print(f"  {name}, {where}: the known fault does not show: {known['why']}")


def hello_of(options):
    """What the harness says of itself."""
    harness = Harness(options.command, options)
    try:
        hello = harness.ask({"do": "hello", "protocol": PROTOCOL})
        harness.end()
    finally:
        harness.stop()
    if hello["state"] != "ok" or hello["protocol"] != PROTOCOL:
        raise Wrong(f"hello was answered by {hello}")
    print(f"{hello['language']} {hello['runtime']}")
    return hello


def play_all(options, files, server, wrong):
    """Plays to each driver, and adds what is wrong. Returns how many drivers were played, beside null where there is a server."""
    try:
        hello = hello_of(options)
    except Wrong as error:
        wrong.append(f"{error}")
        return 0
    chosen = [driver for driver in hello["drivers"] if not options.driver or driver["name"] in options.driver]
    wanted = Wanted(files, hello["language"])
    for name in ["null", *wanted.drivers]:
        if name not in [driver["name"] for driver in hello["drivers"]]:
            wrong.append(f"the harness has no driver {name}")
    played = 0
    for driver in chosen:
        name = driver["name"]
        if name != "null" and not server:
            continue
        outcomes, differs = play_driver(options, driver, files, server, wanted)
        print(f"  {name}: " + (", ".join(f"{count} {outcome}" for outcome, count in sorted(outcomes.items())) or "nothing"))
        wrong += differs
        played += bool(outcomes) and (name != "null" or not server)
    return played


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--server", metavar="HOST:PORT", help="without, only the driver null is played")
    parser.add_argument("--user", default="assay", help="default: assay")
    parser.add_argument("--password", default="assay", help="default: assay")
    parser.add_argument("--database", default="assay", help="a schema that is there; default: assay")
    parser.add_argument("--vectors", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parent / "vectors", help="a folder of vectors")
    parser.add_argument("--driver", action="append", help="only this one; more than once: these")
    parser.add_argument("--patience", type=float, default=120, metavar="SECONDS", help="how long an answer may take; default: 120")
    parser.add_argument("command", nargs="+", help="the harness, after --")
    options = parser.parse_args()
    files = [json.loads(path.read_text(encoding="utf-8")) for path in sorted(options.vectors.glob("*.json"))]
    if not files or any(file["protocol"] != PROTOCOL for file in files):
        parser.error(f"{options.vectors} has to have vectors of {PROTOCOL}")
    host, _, port = (options.server or "").rpartition(":")
    if options.server and not (host and port.isdigit()):
        parser.error(f"--server has to be such as 127.0.0.1:3306, not {options.server}")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(2))  # so that the server gets its log back
    wrong, played, broken = [], 0, None
    try:
        server = Server(host, int(port), options.user, options.password, options.database) if options.server else None
        try:
            played = play_all(options, files, server, wrong)
        finally:
            if server:
                server.close()
    except (mysqltext.Refused, OSError) as error:
        broken = error
    for line in wrong:
        print("WRONG", line)
    if broken:
        print(f"play.py: {broken}", file=sys.stderr)
        return 2
    if not played:
        print("WRONG no driver was played", *(["but null"] if server else []))
    return 1 if wrong or not played else 0


if __name__ == "__main__":
    sys.exit(main())
