"""The protocol, spoken with the harness as a child, about the driver that does nothing."""

import json
import subprocess
import sys
import unittest
from itertools import product
from pathlib import Path

MAIN = str(Path(__file__).parent.parent / "main.py")
INSERT = "INSERT INTO t (a, b) VALUES (?, ?)"
ROWS = [[1, "x"], [2, None], [3, "z"]]


def converse(*requests):
    """The answers to requests, which get their ids here."""
    lines = "".join(json.dumps({"id": at, **request}) + "\n" for at, request in enumerate(requests, 1))
    ended = subprocess.run([sys.executable, "-B", MAIN], input=lines, capture_output=True, text=True, timeout=60)
    answers = [json.loads(line) for line in ended.stdout.splitlines()]
    assert ended.returncode == 0, ended.stderr
    assert [answer["id"] for answer in answers] == list(range(1, len(requests) + 1)), answers
    return answers


PREPARE = {"do": "prepare", "connection": "c", "driver": "null"}
DATA = {"do": "data", "name": "d", "rows": ROWS}
RUN = {"do": "run", "connection": "c", "kind": "Execute", "scheme": "SingleRow", "statement": "DO 1", "operations": 2}


class Conversations(unittest.TestCase):
    def test_hello(self):
        hello, wrong = converse({"do": "hello", "protocol": "assay.dev/driver/v1"}, {"do": "hello", "protocol": "v2"})
        self.assertEqual((hello["state"], hello["language"], hello["protocol"]), ("ok", "Python", "assay.dev/driver/v1"))
        drivers = {driver["name"]: driver for driver in hello["drivers"]}
        self.assertEqual(drivers["null"]["versions"], ["1"])
        self.assertEqual(len(drivers["null"]["schemes"]), 8)
        self.assertEqual(wrong["state"], "unsupported")

    def test_every_scheme_session_and_transaction_of_null(self):
        schemes = ("SingleRow", "Prepared", "ExecuteMany", "Pipelined", "MultiRow", "MultiStatement", "Batch")
        runs = [
            {
                **RUN,
                **{"scheme": scheme, "session": session, "transaction": transaction, "statement": INSERT},
                **{"data": "d", "rowsPerOperation": 2, "chunk": 2},
            }
            for scheme, session, transaction in product(schemes, ("Dedicated", "Pool", "New"), ("Autocommit", "One"))
        ]
        runs.append({"do": "run", "connection": "c", "kind": "Connect", "operations": 2})
        runs.append({"do": "run", "connection": "c", "kind": "Encode", "statement": "DO 1", "operations": 2})
        runs.append(
            {**RUN, "scheme": "InList", "kind": "Query", "statement": "SELECT a FROM t WHERE a IN (?)"}
            | {"data": "d", "rowsPerOperation": 3, "chunk": 2}
        )
        for run, answer in zip(runs, converse(DATA, PREPARE, *runs)[2:]):
            with self.subTest(run=run):
                self.assertEqual(answer["state"], "ok", answer)
                self.assertEqual((answer["operations"], answer["rows"], answer["checksum"]), (2, 0, 0))
                self.assertEqual(sum(count for _, count in answer["histogram"]), 2)

    def test_answers_of_prepare_and_close(self):
        prepare, close, again = converse(PREPARE, {"do": "close", "connection": "c"}, {"do": "close", "connection": "c"})
        self.assertEqual(prepare, {"id": 1, "state": "ok", "version": "1", "library": "", "cipher": ""})
        self.assertEqual(close, {"id": 2, "state": "ok"})
        self.assertEqual(again["state"], "failed")

    def test_what_is_refused(self):
        refused = {
            "an unknown request": {"do": "dance"},
            "an unknown field": {**RUN, "speed": 11},
            "an unknown kind": {**RUN, "kind": "Explain"},
            "an unknown scheme": {**RUN, "scheme": "Telepathy"},
            "an unknown session": {**RUN, "session": "Shared"},
            "an unknown transaction": {**RUN, "transaction": "XA"},
            "an unknown driver": {**PREPARE, "driver": "oracle"},
            "an unknown version": {**PREPARE, "version": "0.1"},
            "an unknown option": {**PREPARE, "options": {"x": "1"}},
            "rows for a scheme that needs them": {**RUN, "scheme": "ExecuteMany"},
            "a scheme with Connect": {**RUN, "kind": "Connect"},
        }
        for name, answer in zip(refused, converse(PREPARE, *refused.values())[1:]):
            with self.subTest(name):
                self.assertEqual(answer["state"], "unsupported", answer)
                self.assertTrue(answer["reason"])

    def test_what_fails(self):
        failed = {
            "a connection that is not there": {**RUN, "connection": "other"},
            "data that is not there": {**RUN, "data": "other"},
            "no limit": {**RUN, "operations": 0},
            "two limits": {**RUN, "seconds": 1},
            "no statement": {key: value for key, value in RUN.items() if key != "statement"},
            "no rows per operation": {**RUN, "data": "d"},
            "no chunk": {**RUN, "scheme": "MultiRow", "statement": INSERT, "data": "d", "rowsPerOperation": 1},
        }
        answers = converse(PREPARE, DATA, *failed.values(), RUN)[2:]
        for name, answer in zip(failed, answers):
            with self.subTest(name):
                self.assertEqual(answer["state"], "failed", answer)
                self.assertTrue(answer["reason"])
        self.assertEqual(answers[-1]["state"], "ok")

    def test_a_line_without_an_id_ends_it(self):
        ended = subprocess.run([sys.executable, "-B", MAIN], input="{}\n", capture_output=True, text=True, timeout=60)
        self.assertEqual(ended.stdout, "")
        self.assertNotEqual(ended.returncode, 0)
        self.assertIn("not a request", ended.stderr)


if __name__ == "__main__":
    unittest.main()
