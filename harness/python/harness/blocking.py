"""Drivers whose calls return when the answer is there: Python's DB-API."""

from contextlib import suppress

from .driver import Driver
from .refusal import Failed


class Blocking(Driver):
    """What is common to them. A driver adds arguments() and connect(), and what it does otherwise than most."""

    concurrency = "threads, a connection each"

    def arguments(self, target, autocommit):
        """The named arguments of connect()."""
        raise NotImplementedError

    def connect(self, arguments):
        raise NotImplementedError

    def close(self, connection):
        connection.close()

    def autocommit(self, connection, on):
        connection.autocommit(on)

    def pool(self, target, autocommit, size):
        """A pool of exactly so many connections, filled, as (acquire, release, close)."""
        raise NotImplementedError

    def prepared_cursor(self, connection):
        raise NotImplementedError

    def prepare(self, cursor, text):
        """Prepare without executing."""
        raise NotImplementedError

    def encoder(self, connection, plan):
        """What makes of a text and its parameters what would be sent."""
        return connection.cursor().mogrify

    def writer(self, connection, plan):
        return plan.writer()

    def cipher(self, connection):
        cursor = connection.cursor()
        cursor.execute("SHOW SESSION STATUS LIKE 'Ssl_cipher'")
        row = cursor.fetchone()
        cursor.close()
        return row[1] if row else ""

    def run(self, held, plan, meter):
        if plan.kind == "Connect":
            return self.connecting(held, plan, meter)
        if plan.kind == "Encode":
            return meter.repeat([encoding(self.encoder(held.connections[0], plan), plan.text)])
        return {"Dedicated": self.dedicated, "Pool": self.pooled, "New": self.renewed}[plan.session](held, plan, meter)

    def connecting(self, held, plan, meter):
        connect, close, arguments = self.connect, self.close, self.arguments(held.target, True)

        def operate(_):
            close(connect(arguments))

        meter.repeat([operate] * plan.concurrency)

    def dedicated(self, held, plan, meter):
        connections = held.connections[: plan.concurrency]
        operates, finishes = zip(*(self.operation(connection, plan) for connection in connections))
        if plan.one:
            for connection in connections:
                self.autocommit(connection, False)
            operates = [committing(operate, connection.commit) for operate, connection in zip(operates, connections)]
        meter.repeat(operates)
        for finish in finishes:
            finish()
        if plan.one:
            for connection in connections:
                self.autocommit(connection, True)

    def pooled(self, held, plan, meter):
        acquire, release, close = self.pool(held.target, not plan.one, plan.concurrency)
        try:
            meter.repeat([self.elsewhere(plan, acquire, release)] * plan.concurrency)
        except BaseException:
            with suppress(Exception):
                close()
            raise
        close()

    def renewed(self, held, plan, meter):
        connect, arguments = self.connect, self.arguments(held.target, not plan.one)
        meter.repeat([self.elsewhere(plan, lambda: connect(arguments), self.close)] * plan.concurrency)

    def elsewhere(self, plan, acquire, release):
        """An operation on a connection that it gets itself and gives back. It keeps nothing, so workers share it."""
        operation, one = self.operation, plan.one

        def operate(rows):
            connection = acquire()
            try:
                inner, finish = operation(connection, plan)
                answers = inner(rows)
                if one:
                    connection.commit()
                finish()
            except BaseException:
                # What went wrong first is told, not that giving back went wrong because of it.
                with suppress(Exception):
                    release(connection)
                raise
            release(connection)
            return answers

        return operate

    def operation(self, connection, plan):
        """What does one operation with its rows on this connection, and what ends that."""
        if plan.scheme == "Prepared":
            cursor = self.prepared_cursor(connection)
            if plan.data:
                self.prepare(cursor, plan.text)
            return single(cursor, plan), cursor.close
        cursor = connection.cursor()
        if plan.scheme == "SingleRow":
            return single(cursor, plan), cursor.close
        if plan.scheme == "ExecuteMany":
            return many(cursor, plan), cursor.close
        return chunked(cursor, plan, self.writer(connection, plan)), cursor.close


def committing(operate, commit):
    def run(rows):
        answers = operate(rows)
        commit()
        return answers

    return run


def encoding(encode, text):
    def operate(rows):
        for row in rows:
            encode(text, row)

    return operate


def single(cursor, plan):
    """One call for each row."""
    if plan.inline:
        return inlined(cursor, plan)
    execute, fetchall, text = cursor.execute, cursor.fetchall, plan.text

    def change(rows):
        for row in rows:
            execute(text, row)

    def query(rows):
        answers = []
        for row in rows:
            execute(text, row)
            answers.append(fetchall())
        return answers

    return query if plan.query else change


def inlined(cursor, plan):
    """One call for each row, each with a text of its own."""
    execute, fetchall, wanted = cursor.execute, cursor.fetchall, plan.query
    head, tail = plan.inlined()

    def operate(rows):
        answers = []
        for row in rows:
            execute(head + str(row[0]) + tail, row[1:] or None)
            if wanted:
                answers.append(fetchall())
        return answers

    return operate


def many(cursor, plan):
    executemany, text = cursor.executemany, plan.text

    def operate(rows):
        executemany(text, rows)

    return operate


def chunked(cursor, plan, write):
    """One call for each chunk of rows, until all answers to it are read."""
    execute, nextset = cursor.execute, cursor.nextset
    chunk, several = plan.chunk, plan.scheme == "MultiStatement"

    def operate(rows):
        for at in range(0, len(rows), chunk):
            part = rows[at : at + chunk]
            execute(*write(part))
            if several:
                answered = 1
                while nextset():
                    answered += 1
                if answered != len(part):
                    raise Failed(f"{answered} of {len(part)} statements of a text were answered, and the driver does not say why")

    return operate
