"""asyncmy: asyncio, the protocol in Cython."""

from ..awaiting import Awaiting
from ..options import boolean, integer, text


class AsyncMy(Awaiting):
    name = package = "asyncmy"
    schemes = {
        "SingleRow": "execute(): parameters written into the text by the client, COM_QUERY",
        "Prepared": "connection.prepare(), statement.execute(): COM_STMT_EXECUTE for each row",
        "ExecuteMany": "executemany(): INSERT ... VALUES as one text with all rows (COM_QUERY, at most 1,024,000 bytes "
        "each); other statements one COM_QUERY for each row; to MariaDB with the option stmt_cache_size "
        "COM_STMT_BULK_EXECUTE",
        "MultiRow": "execute(): one text with the rows of a chunk, COM_QUERY",
        "MultiStatement": "execute() and nextset(): the statements of a chunk in one COM_QUERY, all answers read",
        "InList": "execute(): one text with the keys of a chunk, COM_QUERY",
    }
    refusals = {
        "Pipelined": "asyncmy waits for each answer before it sends the next statement on a connection",
        "Batch": "asyncmy's only batch is executemany(), which is the scheme ExecuteMany",
    }
    options = {
        "binary_prefix": boolean,
        "connect_timeout": integer,
        "init_command": text,
        "local_infile": boolean,
        "pool_recycle": integer,
        "program_name": text,
        "read_timeout": integer,
        "sql_mode": text,
        "stmt_cache_size": integer,
        "use_unicode": boolean,
    }
    pool_options = ("pool_recycle",)

    def load(self):
        super().load()
        import asyncmy

        self.module = asyncmy

    def arguments(self, target, autocommit):
        return {
            "host": target.host,
            "port": target.port,
            "user": target.username,
            # As bytes, because asyncmy would encode a text as Latin-1.
            "password": target.password.encode(),
            "database": target.database,
            "charset": "utf8mb4",
            "autocommit": autocommit,
            "ssl": target.tls_context() if target.encrypted else None,
            **self.connection_options(target),
        }

    async def open(self, arguments):
        return await self.module.connect(**arguments)

    async def pool(self, target, autocommit, size):
        return await self.module.create_pool(
            minsize=1, maxsize=size, **self.only_pool_options(target), **self.arguments(target, autocommit)
        )

    async def prepared(self, connection, plan):
        statement = await connection.prepare(plan.raw)
        execute = statement.execute

        async def change(rows):
            for row in rows:
                await execute(row or ())

        async def query(rows):
            return [(await execute(row or ())).rows for row in rows]

        return query if plan.query else change, statement.close
