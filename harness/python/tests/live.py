"""Everything that needs a server: what each driver really sends, whether what it answers is right, TLS, broken connections.

Usage: live.py HOST PORT [DRIVER...]   with ASSAY_USERNAME, ASSAY_PASSWORD and ASSAY_CA in the environment
The account needs all rights; the schema assay_python is made. The counters are those of the whole server, so nobody else
may use it meanwhile. A table goes to standard output; the end is not 0 if something is not as it has to be.
"""

import json
import os
import subprocess
import sys
import time
import zlib
from pathlib import Path

import pymysql

MAIN = str(Path(__file__).parent.parent / "main.py")
SCHEMA = "assay_python"
COUNTERS = (
    *("Questions", "Com_insert", "Com_update", "Com_delete", "Com_select", "Com_commit", "Com_set_option", "Com_stmt_prepare"),
    *("Com_stmt_execute", "Com_stmt_reset", "Com_stmt_close", "Com_admin_commands", "Connections", "Handler_commit"),
)
ROWS = [[at, f"Name {at} 'ä\\%😀" if at % 7 else None, at * 3] for at in range(1, 101)]
STATEMENTS = {
    "insert": "INSERT INTO t (id, name, age) VALUES (?, ?, ?)",
    "update": "UPDATE t SET age = ? WHERE id = ?",
    "delete": "DELETE FROM t WHERE id = ?",
    "select": "SELECT id, name, age FROM t WHERE id = ?",
    "delete list": "DELETE FROM t WHERE id IN (?)",
    "select list": "SELECT id, name, age FROM t WHERE id IN (?)",
}
# The statements that are tried with a scheme.
TRIED = {
    "SingleRow": ("insert", "update", "delete", "select"),
    "Prepared": ("insert", "update", "delete", "select"),
    "ExecuteMany": ("insert", "update", "delete"),
    "MultiRow": ("insert",),
    "MultiStatement": ("update", "delete", "select"),
    "InList": ("delete list", "select list"),
}


class Harness:
    def __init__(self):
        self.child = subprocess.Popen([sys.executable, "-B", MAIN], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.at = 0

    def ask(self, do, **fields):
        self.send(do, **fields)
        return self.receive()

    def send(self, do, **fields):
        self.at += 1
        self.child.stdin.write(json.dumps({"id": self.at, "do": do, **fields}) + "\n")
        self.child.stdin.flush()

    def receive(self):
        answer = json.loads(self.child.stdout.readline())
        assert answer.pop("id") == self.at
        return answer

    def end(self):
        self.child.stdin.close()
        assert self.child.wait(30) == 0


class Server:
    def __init__(self, host, port):
        self.connection = pymysql.connect(
            host=host,
            port=port,
            user=os.environ["ASSAY_USERNAME"],
            password=os.environ["ASSAY_PASSWORD"],
            ssl_disabled=True,
            autocommit=True,
        )
        self.cursor = self.connection.cursor()
        self.run(f"CREATE DATABASE IF NOT EXISTS {SCHEMA}")
        self.run(f"USE {SCHEMA}")
        names = ", ".join(f"'{name}'" for name in COUNTERS)
        self.status = f"SHOW GLOBAL STATUS WHERE Variable_name IN ({names})"

    def run(self, text, *values):
        self.cursor.execute(text, values or None)
        return self.cursor.fetchall()

    def counters(self):
        return {name: int(value) for name, value in self.run(self.status)}

    def table(self, filled):
        self.run("DROP TABLE IF EXISTS t")
        self.run("CREATE TABLE t (id INT PRIMARY KEY, name VARCHAR(64), age INT) DEFAULT CHARACTER SET utf8mb4")
        if filled:
            self.cursor.executemany("INSERT INTO t (id, name, age) VALUES (%s, %s, %s)", ROWS)

    def content(self):
        return [list(row) for row in self.run("SELECT id, name, age FROM t ORDER BY id")]

    def sessions(self):
        """The ids of the account's other sessions."""
        mine = self.connection.thread_id()
        return [row[0] for row in self.run("SHOW PROCESSLIST") if row[0] != mine and row[3] == SCHEMA]


class Check:
    """One driver on one server."""

    def __init__(self, harness, server, driver, at):
        self.harness, self.server, self.driver, self.at = harness, server, driver, at
        self.wrong = []

    def hold(self, true, *what):
        if not true:
            self.wrong.append(" ".join(map(str, (self.driver["name"], *what))))

    def prepare(self, **fields):
        fields = {"connection": "c", "driver": self.driver["name"], "database": SCHEMA, **self.at, **fields}
        return self.harness.ask("prepare", **fields)

    def run(self, **fields):
        return self.harness.ask("run", connection="c", **{"operations": 1, **fields})

    def schemes(self):
        for scheme in self.driver["schemes"]:
            for name in TRIED[scheme]:
                for transaction in ("Autocommit", "One"):
                    self.scheme(scheme, name, transaction, "Dedicated")
        for scheme in self.driver["schemes"]:
            name = TRIED[scheme][0]
            for session in ("New", "Pool"):
                for transaction in ("Autocommit", "One"):
                    self.scheme(scheme, name, transaction, session)

    def scheme(self, scheme, name, transaction, session):
        """100 rows, 50 in an operation, 20 in a chunk."""
        self.server.table(filled=name != "insert")
        parameters = {"insert": ROWS, "update": [[row[2] + 1, row[0]] for row in ROWS]}.get(name, [[row[0]] for row in ROWS])
        self.harness.ask("data", name="d", rows=parameters)
        query = name.startswith("select")
        before = self.server.counters()
        answer = self.run(
            kind="Query" if query else "Execute",
            **{"scheme": scheme, "transaction": transaction, "session": session, "statement": STATEMENTS[name]},
            **{"data": "d", "rowsPerOperation": 50, "chunk": 20, "operations": 2},
        )
        after = self.server.counters()
        label = f"{scheme} {name} {transaction} {session}"
        if answer["state"] == "unsupported" and session == "Pool":
            print(f"  {label:45} {answer['reason']}")
            return
        self.hold(answer["state"] == "ok", label, answer)
        if answer["state"] == "ok":
            self.judge(label, name, answer)
        # Asking for the counters is a question too.
        spent = {key: after[key] - before[key] - (key == "Questions") for key in COUNTERS}
        print(f"  {label:45}", " ".join(f"{key}={value}" for key, value in spent.items() if value))
        self.autocommit_is_on(label)

    def judge(self, label, name, answer):
        wanted = {
            "insert": ROWS,
            "update": [[at, text, age + 1] for at, text, age in ROWS],
            "delete": [],
            "delete list": [],
        }.get(name, ROWS)
        self.hold(self.server.content() == wanted, label, "the table is not what it has to be")
        if name.startswith("select"):
            fields = [[("\\N" if value is None else str(value)) for value in row] for row in ROWS[50:]]
            crc = zlib.crc32("".join("\t".join(row) + "\n" for row in fields).encode())
            self.hold((answer["rows"], answer["checksum"]) == (100, crc), label, answer["rows"], answer["checksum"], crc)
        self.hold(sum(count for _, count in answer["histogram"]) == 2, label, "histogram")

    def autocommit_is_on(self, label):
        """Seen through the driver's own connection: 1 as the first value."""
        answer = self.run(kind="Query", scheme="SingleRow", statement="SELECT @@session.autocommit")
        self.hold(answer.get("checksum") == zlib.crc32(b"1\n"), label, "autocommit is off afterwards", answer)

    def characters(self):
        names = "@@character_set_client, @@character_set_connection, @@character_set_results"
        answer = self.run(kind="Query", scheme="SingleRow", statement=f"SELECT {names}")
        self.hold(answer.get("checksum") == zlib.crc32(b"utf8mb4\tutf8mb4\tutf8mb4\n"), "characters", answer)

    def other_kinds(self):
        before = self.server.counters()
        answer = self.run(kind="Connect", operations=5)
        after = self.server.counters()
        self.hold(answer["state"] == "ok" and after["Connections"] - before["Connections"] == 5, "Connect", answer)
        spent = {key: after[key] - before[key] - (key == "Questions") for key in COUNTERS}
        print("  Connect, 5 times", " ".join(f"{key}={value}" for key, value in spent.items() if value))
        self.harness.ask("data", name="d", rows=ROWS)
        answer = self.run(kind="Encode", statement=STATEMENTS["insert"], data="d", rowsPerOperation=1, operations=1000)
        print("  Encode", answer["nanoseconds"] / 1000 if answer["state"] == "ok" else answer["reason"], "ns")
        self.hold(answer["state"] in ("ok", "unsupported"), "Encode", answer)
        for scheme in ("SingleRow", "Prepared"):
            self.inline(scheme)

    def inline(self, scheme):
        self.server.table(filled=True)
        if scheme not in self.driver["schemes"]:
            return
        self.harness.ask("data", name="d", rows=[[row[0], row[2]] for row in ROWS])
        before = self.server.counters()
        answer = self.run(
            kind="Query",
            **{"scheme": scheme, "statement": "SELECT id, name, age FROM t WHERE id = ? AND age = ?", "inline": True},
            **{"data": "d", "rowsPerOperation": 1, "operations": 100},
        )
        after = self.server.counters()
        self.hold(answer["state"] == "ok" and answer["rows"] == 100, "inline", scheme, answer)
        spent = {key: after[key] - before[key] - (key == "Questions") for key in COUNTERS}
        print(f"  inline {scheme}, 100 rows", " ".join(f"{key}={value}" for key, value in spent.items() if value))

    def encryption(self):
        disabled = self.prepare(tls="Disabled")
        self.hold(disabled.get("cipher") == "", "Disabled", disabled)
        required = self.prepare(tls="Required")
        self.hold(required.get("cipher"), "Required", required)
        connects = self.run(kind="Connect")
        self.hold(connects["state"] == "ok", "Connect with TLS", connects)
        print("  prepare:", {**required, "without TLS": disabled.get("cipher")})

    def broken(self):
        """Killed between runs, and killed while a run waits for an answer."""
        for scheme in ("SingleRow", "Prepared"):
            if scheme not in self.driver["schemes"]:
                continue
            self.kill()
            self.harness.ask("data", name="one", rows=[[1]])
            fields = {"kind": "Query", "scheme": scheme, "statement": "SELECT ?", "data": "one", "rowsPerOperation": 1}
            first, second = self.run(**fields), self.run(**fields)
            self.hold(first["state"] == "failed" and first["reason"], "after KILL", first)
            self.hold(second["state"] == "ok", "connected again", second)
            print(f"  killed, {scheme}: {first.get('reason')}")
            fields["statement"] = "SELECT SLEEP(20 * ?)"
            self.harness.send("run", connection="c", operations=1, **fields)
            time.sleep(0.5)
            self.kill()
            asleep = self.harness.receive()
            # MySQL and MariaDB may answer that SLEEP was interrupted, with 1, before they end the session.
            if asleep["state"] == "ok":
                asleep = self.run(**{**fields, "statement": "SELECT ?"})
            self.hold(asleep["state"] == "failed", "killed while waiting", asleep)
            third = self.run(**{**fields, "statement": "SELECT ?"})
            self.hold(third["state"] == "ok", "connected again after waiting", third)
            print(f"  killed while waiting, {scheme}: {asleep.get('reason')}")

    def kill(self):
        for session in self.server.sessions():
            self.server.run(f"KILL {session}")

    def errors(self):
        wrong = self.run(kind="Execute", scheme="SingleRow", statement="INSERT INTO nowhere (a) VALUES (1)")
        self.hold(wrong["state"] == "failed" and "nowhere" in wrong["reason"], "unknown table", wrong)
        if "MultiStatement" in self.driver["schemes"]:
            self.later_error()
        again = self.run(kind="Query", scheme="SingleRow", statement="SELECT 1")
        self.hold(again["state"] == "ok", "after an error", again)
        absent = self.prepare(port=1)
        self.hold(absent["state"] == "failed", "no server", absent)
        schema = self.prepare(database="there_is_no_such_schema")
        self.hold(schema["state"] == "failed", "no schema", schema)
        print("  no server:", absent.get("reason"))

    def later_error(self):
        """The third statement of a text fails: all answers are read, or nobody would know."""
        self.server.table(filled=True)
        self.harness.ask("data", name="d", rows=[[101], [102], [1], [103]])
        answer = self.run(
            kind="Execute",
            **{"scheme": "MultiStatement", "statement": "INSERT INTO t (id) VALUES (?)"},
            **{"data": "d", "rowsPerOperation": 4, "chunk": 4},
        )
        # mariadb keeps the error to itself, but there are fewer answers than statements.
        told = "2 of 4" if self.driver["name"] == "mariadb" else "Duplicate"
        self.hold(answer["state"] == "failed" and told in answer["reason"], "a later statement fails", answer)

    def all(self):
        print(self.driver["name"], self.driver["versions"])
        self.encryption()
        answer = self.prepare()
        if answer["state"] != "ok":
            self.hold(False, "prepare", answer)
            return self.wrong
        self.characters()
        self.schemes()
        self.other_kinds()
        self.broken()
        self.errors()
        self.harness.ask("close", connection="c")
        return self.wrong


def main():
    host, port, chosen = sys.argv[1], int(sys.argv[2]), sys.argv[3:]
    server, harness = Server(host, port), Harness()
    print(server.run("SELECT VERSION()")[0][0])
    drivers = harness.ask("hello", protocol="assay.dev/driver/v1")["drivers"]
    wrong = []
    for driver in drivers:
        if driver["name"] != "null" and (not chosen or driver["name"] in chosen):
            wrong += Check(harness, server, driver, {"host": host, "port": port}).all()
    harness.end()
    print(*(f"WRONG: {line}" for line in wrong), sep="\n")
    sys.exit(bool(wrong))


main()
