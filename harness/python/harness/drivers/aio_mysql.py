"""aiomysql: asyncio, the protocol in Python, with parts of PyMySQL."""

from ..awaiting import Awaiting
from ..options import boolean, integer, number, text


def insist_on_tls(connection, capability):
    """aiomysql 0.3.2 goes on without TLS where a server does not offer it, and lets the server choose how it gets the
    password. Who is between client and server can take the offer away."""
    log_in = connection._request_authentication

    async def verified(self):
        if self._ssl_context and not self.server_capabilities & capability:
            raise ConnectionError("TLS is required, and the server does not offer it")
        return await log_in(self)

    connection._request_authentication = verified


class AioMySQL(Awaiting):
    name = package = "aiomysql"
    schemes = {
        "SingleRow": "execute(): parameters written into the text by the client, COM_QUERY",
        "ExecuteMany": "executemany(): INSERT ... VALUES as one text with all rows (COM_QUERY, at most 1,024,000 bytes "
        "each); other statements one COM_QUERY for each row",
        "MultiRow": "execute(): one text with the rows of a chunk, COM_QUERY",
        "MultiStatement": "execute() and nextset(): the statements of a chunk in one COM_QUERY, all answers read",
        "InList": "execute(): one text with the keys of a chunk, COM_QUERY",
    }
    refusals = {
        "Prepared": "aiomysql has no prepared statements",
        "Pipelined": "aiomysql waits for each answer before it sends the next statement on a connection",
        "Batch": "aiomysql's only batch is executemany(), which is the scheme ExecuteMany",
    }
    options = {
        "auth_plugin": text,
        "connect_timeout": number,
        "init_command": text,
        "local_infile": boolean,
        "pool_recycle": integer,
        "program_name": text,
        "sql_mode": text,
        "use_unicode": boolean,
    }
    pool_options = ("pool_recycle",)

    def load(self):
        super().load()
        import aiomysql
        from pymysql.constants import CLIENT

        self.module = aiomysql
        insist_on_tls(aiomysql.Connection, CLIENT.SSL)

    def arguments(self, target, autocommit):
        return {
            "host": target.host,
            "port": target.port,
            "user": target.username,
            # aiomysql encodes it as Latin-1; the bytes that then go out are those of UTF-8.
            "password": target.password.encode().decode("latin-1"),
            "db": target.database,
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
