"""MySQL Connector/Python, as two drivers: over its C extension, and in Python alone."""

from itertools import count

from ..blocking import Blocking
from ..options import boolean, integer, text

pools = count(1)


class Connector(Blocking):
    name = package = "mysql-connector-python"
    pure = False
    schemes = {
        "SingleRow": "execute(): parameters written into the text by the client, COM_QUERY",
        "Prepared": "cursor(prepared=True): for each row COM_STMT_RESET and then COM_STMT_EXECUTE, each waited for",
        "ExecuteMany": "executemany(): INSERT ... VALUES as one text with all rows (COM_QUERY); "
        "other statements one COM_QUERY for each row",
        "MultiRow": "execute(): one text with the rows of a chunk, COM_QUERY",
        "MultiStatement": "execute() and nextset(): the statements of a chunk in one COM_QUERY, all answers read",
        "InList": "execute(): one text with the keys of a chunk, COM_QUERY",
    }
    refusals = {
        "Pipelined": "MySQL Connector/Python waits for each answer before it sends the next statement",
        "Batch": "MySQL Connector/Python's only batch is executemany(), which is the scheme ExecuteMany",
    }
    encode_refusal = "MySQL Connector/Python has no public function that writes parameters into a statement"
    options = {
        "allow_local_infile": boolean,
        "auth_plugin": text,
        "buffered": boolean,
        "collation": text,
        "compress": boolean,
        "connection_timeout": integer,
        "consume_results": boolean,
        "converter_str_fallback": boolean,
        "get_warnings": boolean,
        "init_command": text,
        "pool_reset_session": boolean,
        "raise_on_warnings": boolean,
        "read_timeout": integer,
        "sql_mode": text,
        "time_zone": text,
        "use_unicode": boolean,
        "write_timeout": integer,
    }
    pool_options = ("pool_reset_session",)
    largest_pool = 32  # CNX_POOL_MAXSIZE of its pooling.py

    def load(self):
        import mysql.connector
        import mysql.connector.pooling

        self.module = mysql.connector

    def library(self):
        import _mysql_connector

        return f"libmysqlclient {_mysql_connector.MySQL().get_client_info()}"

    def arguments(self, target, autocommit):
        return {
            "host": target.host,
            "port": target.port,
            "user": target.username,
            "password": target.password,
            "database": target.database,
            "charset": "utf8mb4",
            "autocommit": autocommit,
            "use_pure": self.pure,
            **self.encryption(target),
            **self.connection_options(target),
        }

    def encryption(self, target):
        if target.encrypted:
            return {"ssl_ca": target.authority, "ssl_verify_cert": True, "ssl_verify_identity": True}
        return {"ssl_disabled": True}

    def connect(self, arguments):
        return self.module.connect(**arguments)

    def autocommit(self, connection, on):
        connection.autocommit = on

    def prepared_cursor(self, connection):
        return connection.cursor(prepared=True)

    def prepare(self, cursor, text):
        # With parameters in the text and none given, this only prepares.
        cursor.execute(text)

    def pool(self, target, autocommit, size):
        pool = self.module.pooling.MySQLConnectionPool(
            pool_name=f"assay-{next(pools)}",
            pool_size=size,
            **self.only_pool_options(target),
            **self.arguments(target, autocommit),
        )

        def release(connection):
            connection.close()

        def close():
            # A pool cannot be closed; the connections that it lends can.
            for _ in range(size):
                pool.get_connection().disconnect()

        return pool.get_connection, release, close


class PureConnector(Connector):
    name = "mysql-connector-python-pure"
    pure = True

    def library(self):
        return ""

    def encryption(self, target):
        arguments = super().encryption(target)
        if target.encrypted:
            # Without versions, Python 3.13 refuses authorities that lack the extension key usage, as those of database
            # servers often do. With versions, the driver makes a context that does not mind.
            arguments["tls_versions"] = ["TLSv1.2", "TLSv1.3"]
        return arguments
