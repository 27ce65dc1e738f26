"""Drivers whose calls are awaited, all in one event loop. The schemes are those of blocking.py, but for the awaits."""

import asyncio
from contextlib import suppress

from .driver import Driver
from .refusal import Failed


class Awaiting(Driver):
    """What is common to them. A driver adds arguments(), connect() and pool(), and what it does otherwise than most."""

    concurrency = "tasks of one event loop, a connection each"
    loop = None

    def load(self):
        if Awaiting.loop is None:
            Awaiting.loop = asyncio.new_event_loop()
            asyncio.set_event_loop(Awaiting.loop)

    def arguments(self, target, autocommit):
        """The named arguments of open()."""
        raise NotImplementedError

    async def open(self, arguments):
        raise NotImplementedError

    async def pool(self, target, autocommit, size):
        """A pool of at most so many connections."""
        raise NotImplementedError

    async def prepared(self, connection, plan):
        """The operation of the scheme Prepared, and what ends it."""
        raise NotImplementedError

    def connect(self, arguments):
        return self.loop.run_until_complete(self.open(arguments))

    def close(self, connection):
        self.loop.run_until_complete(connection.ensure_closed())

    def cipher(self, connection):
        async def ask():
            cursor = await connection.cursor()
            await cursor.execute("SHOW SESSION STATUS LIKE 'Ssl_cipher'")
            row = await cursor.fetchone()
            await cursor.close()
            return row[1] if row else ""

        return self.loop.run_until_complete(ask())

    def run(self, held, plan, meter):
        if plan.kind == "Connect":
            work = self.connecting(held, plan, meter)
        elif plan.kind == "Encode":
            work = self.encoding(held.connections[0], plan, meter)
        else:
            sessions = {"Dedicated": self.dedicated, "Pool": self.pooled, "New": self.renewed}
            work = sessions[plan.session](held, plan, meter)
        self.loop.run_until_complete(work)

    async def connecting(self, held, plan, meter):
        connect, arguments = self.open, self.arguments(held.target, True)

        async def operate(_):
            connection = await connect(arguments)
            await connection.ensure_closed()

        await meter.repeat_awaiting([operate] * plan.concurrency)

    async def encoding(self, connection, plan, meter):
        encode, text = (await connection.cursor()).mogrify, plan.text

        def operate(rows):
            for row in rows:
                encode(text, row)

        meter.repeat([operate])

    async def dedicated(self, held, plan, meter):
        connections = held.connections[: plan.concurrency]
        operates, finishes = zip(*[await self.operation(connection, plan) for connection in connections])
        if plan.one:
            for connection in connections:
                await connection.autocommit(False)
            operates = [committing(operate, connection.commit) for operate, connection in zip(operates, connections)]
        await meter.repeat_awaiting(operates)
        for finish in finishes:
            await finish()
        if plan.one:
            for connection in connections:
                await connection.autocommit(True)

    async def pooled(self, held, plan, meter):
        pool = await self.pool(held.target, not plan.one, plan.concurrency)
        try:
            await fill(pool, plan.concurrency)
            await meter.repeat_awaiting([self.elsewhere(plan, pool.acquire, pool.release)] * plan.concurrency)
        except BaseException:
            with suppress(Exception):
                await close(pool)
            raise
        await close(pool)

    async def renewed(self, held, plan, meter):
        connect, arguments = self.open, self.arguments(held.target, not plan.one)

        def release(connection):
            return connection.ensure_closed()

        await meter.repeat_awaiting([self.elsewhere(plan, lambda: connect(arguments), release)] * plan.concurrency)

    def elsewhere(self, plan, acquire, release):
        """An operation on a connection that it gets itself and gives back. It keeps nothing, so workers share it."""
        operation, one = self.operation, plan.one

        async def operate(rows):
            connection = await acquire()
            try:
                inner, finish = await operation(connection, plan)
                answers = await inner(rows)
                if one:
                    await connection.commit()
                await finish()
            except BaseException:
                # What went wrong first is told, not that giving back went wrong because of it.
                with suppress(Exception):
                    await release(connection)
                raise
            await release(connection)
            return answers

        return operate

    async def operation(self, connection, plan):
        """What does one operation with its rows on this connection, and what ends that."""
        if plan.scheme == "Prepared":
            return await self.prepared(connection, plan)
        cursor = await connection.cursor()
        if plan.scheme == "SingleRow":
            return single(cursor, plan), cursor.close
        if plan.scheme == "ExecuteMany":
            return many(cursor, plan), cursor.close
        return chunked(cursor, plan), cursor.close


async def fill(pool, size):
    """Make its connections, by taking all of them. A pool that fills itself could not be closed where one of them is refused, and
    the event loop would keep the others."""
    taken = []
    try:
        while len(taken) < size:
            taken.append(await pool.acquire())
    finally:
        for connection in taken:
            await pool.release(connection)


async def close(pool):
    pool.close()
    await pool.wait_closed()


def committing(operate, commit):
    async def run(rows):
        answers = await operate(rows)
        await commit()
        return answers

    return run


def single(cursor, plan):
    """One call for each row."""
    if plan.inline:
        return inlined(cursor, plan)
    execute, fetchall, text = cursor.execute, cursor.fetchall, plan.text

    async def change(rows):
        for row in rows:
            await execute(text, row)

    async def query(rows):
        answers = []
        for row in rows:
            await execute(text, row)
            answers.append(await fetchall())
        return answers

    return query if plan.query else change


def inlined(cursor, plan):
    """One call for each row, each with a text of its own."""
    execute, fetchall, wanted = cursor.execute, cursor.fetchall, plan.query
    head, tail = plan.inlined()

    async def operate(rows):
        answers = []
        for row in rows:
            await execute(head + str(row[0]) + tail, row[1:] or None)
            if wanted:
                answers.append(await fetchall())
        return answers

    return operate


def many(cursor, plan):
    executemany, text = cursor.executemany, plan.text

    async def operate(rows):
        await executemany(text, rows)

    return operate


def chunked(cursor, plan):
    """One call for each chunk of rows, until all answers to it are read."""
    execute, nextset = cursor.execute, cursor.nextset
    chunk, several = plan.chunk, plan.scheme == "MultiStatement"
    write = plan.writer()

    async def operate(rows):
        for at in range(0, len(rows), chunk):
            part = rows[at : at + chunk]
            await execute(*write(part))
            if several:
                answered = 1
                while await nextset():
                    answered += 1
                if answered != len(part):
                    raise Failed(f"{answered} of {len(part)} statements of a text were answered, and the driver does not say why")

    return operate
