"""mysqlclient (MySQLdb): a thin layer over a C library, here MariaDB Connector/C."""

from ..blocking import Blocking
from ..options import boolean, integer, text


class MySQLClient(Blocking):
    name = package = "mysqlclient"
    schemes = {
        "SingleRow": "execute(): parameters written into the text by the client, COM_QUERY",
        "ExecuteMany": "executemany(): INSERT ... VALUES as texts with as many rows as fit into 65,536 bytes (COM_QUERY); "
        "other statements one COM_QUERY for each row",
        "MultiRow": "execute(): one text with the rows of a chunk, COM_QUERY",
        "MultiStatement": "execute() and nextset(): the statements of a chunk in one COM_QUERY, all answers read",
        "InList": "execute(): one text with the keys of a chunk, COM_QUERY",
    }
    refusals = {
        "Prepared": "mysqlclient has no prepared statements",
        "Pipelined": "mysqlclient waits for each answer before it sends the next statement",
        "Batch": "mysqlclient's only batch is executemany(), which is the scheme ExecuteMany",
    }
    pool_refusal = "mysqlclient has no pool of connections"
    options = {
        "auth_plugin": text,
        "binary_prefix": boolean,
        "collation": text,
        "compress": boolean,
        "connect_timeout": integer,
        "executemany_fallback": text,
        "init_command": text,
        "local_infile": boolean,
        "read_timeout": integer,
        "sql_mode": text,
        "use_unicode": boolean,
        "write_timeout": integer,
    }

    def load(self):
        import MySQLdb

        self.module = MySQLdb

    def library(self):
        return f"MariaDB Connector/C {self.module.get_client_info()}"

    def arguments(self, target, autocommit):
        options = dict(target.options)
        if options.get("compress") is False:
            # mysqlclient compresses whenever the argument is there, whatever its value.
            del options["compress"]
        return {
            "host": target.host,
            "port": target.port,
            "user": target.username,
            "password": target.password,
            "database": target.database,
            "charset": "utf8mb4",
            "autocommit": autocommit,
            **self.encryption(target),
            **options,
        }

    def encryption(self, target):
        if target.encrypted:
            return {"ssl_mode": "VERIFY_IDENTITY", "ssl": {"ca": target.authority}}
        return {"ssl_mode": "DISABLED"}

    def connect(self, arguments):
        return self.module.connect(**arguments)
