"""MariaDB Connector/Python, over MariaDB Connector/C."""

from itertools import count

from ..blocking import Blocking
from ..options import boolean, integer, text
from ..refusal import Unsupported

pools = count(1)


class MariaDB(Blocking):
    name = package = "mariadb"
    mark = "?"
    schemes = {
        "SingleRow": "execute(): INSERT, REPLACE, UPDATE, DELETE and DO with parameters as COM_STMT_PREPARE, COM_STMT_EXECUTE "
        "and COM_STMT_CLOSE for each row (the driver has no text protocol for them); others, and those without parameters, "
        "written into the text by the client, COM_QUERY",
        "ExecuteMany": "executemany(): to MariaDB one COM_STMT_PREPARE and COM_STMT_BULK_EXECUTE with all rows; to MySQL the "
        "calls of SingleRow for each row",
        "MultiRow": "execute(): one statement with the rows of a chunk, prepared, executed and closed",
        "MultiStatement": "execute() and nextset(): the statements of a chunk in one COM_QUERY, all answers read; the "
        "harness writes the parameters into the text with escape_string()",
        "InList": "execute(): one statement with the keys of a chunk; SELECT written into the text by the client, COM_QUERY, "
        "DELETE and UPDATE prepared, executed and closed",
    }
    refusals = {
        "Prepared": "mariadb prepares anew for every execute(), also with cursor(prepared=True)",
        "Pipelined": "mariadb waits for each answer before it sends the next statement",
        "Batch": "mariadb's only batch is executemany(), which is the scheme ExecuteMany",
    }
    encode_refusal = "mariadb has no public function that encodes a statement and its parameters"
    options = {
        "compress": boolean,
        "connect_timeout": integer,
        "init_command": text,
        "local_infile": boolean,
        "plugin_dir": text,
        "pool_reset_connection": boolean,
        "pool_validation_interval": integer,
        "read_timeout": integer,
        "tls_version": text,
        "write_timeout": integer,
    }
    pool_options = ("pool_reset_connection", "pool_validation_interval")
    largest_pool = 64  # MAX_POOL_SIZE of its connectionpool.py

    def load(self):
        import mariadb
        import mariadb.constants.CLIENT

        self.module = mariadb

    def library(self):
        return f"MariaDB Connector/C {self.module.mariadbapi_version}"

    def arguments(self, target, autocommit):
        # Its characters are utf8mb4 always.
        return {
            "host": target.host,
            "port": target.port,
            "user": target.username,
            "password": target.password,
            "database": target.database,
            "autocommit": autocommit,
            "client_flag": self.module.constants.CLIENT.MULTI_STATEMENTS,
            **({"ssl": True, "ssl_ca": target.authority, "ssl_verify_cert": True} if target.encrypted else {}),
            **self.connection_options(target),
        }

    def connect(self, arguments):
        return self.module.connect(**arguments)

    def autocommit(self, connection, on):
        connection.autocommit = on

    def check(self, plan, target):
        super().check(plan, target)
        if plan.session == "Pool" and plan.one and target.options.get("pool_reset_connection", True):
            raise Unsupported(
                "mariadb's pool resets a connection that comes back, and with it autocommit: a transaction for each "
                "operation needs the option pool_reset_connection=false"
            )

    def pool(self, target, autocommit, size):
        pool = self.module.ConnectionPool(
            pool_name=f"assay-{next(pools)}",
            pool_size=size,
            **self.only_pool_options(target),
            **self.arguments(target, autocommit),
        )
        return pool.get_connection, self.close, pool.close

    def writer(self, connection, plan):
        if plan.scheme != "MultiStatement":
            return super().writer(connection, plan)
        pieces = plan.raw.split("?")
        escape = connection.escape_string

        def literal(value):
            return f"'{escape(value)}'" if isinstance(value, str) else str(value)

        def write(rows):
            texts = []
            for row in rows:
                texts.append(pieces[0] + "".join(literal(value) + piece for value, piece in zip(row, pieces[1:])))
            return ";".join(texts), None

        return write
