"""PyMySQL: the protocol in Python."""

from ..blocking import Blocking
from ..options import boolean, integer, text


class PyMySQL(Blocking):
    name = package = "PyMySQL"
    schemes = {
        "SingleRow": "execute(): parameters written into the text by the client, COM_QUERY",
        "ExecuteMany": "executemany(): INSERT ... VALUES as one text with all rows (COM_QUERY, at most 1,024,000 bytes "
        "each); other statements one COM_QUERY for each row",
        "MultiRow": "execute(): one text with the rows of a chunk, COM_QUERY",
        "MultiStatement": "execute() and nextset(): the statements of a chunk in one COM_QUERY, all answers read",
        "InList": "execute(): one text with the keys of a chunk, COM_QUERY",
    }
    refusals = {
        "Prepared": "PyMySQL has no prepared statements",
        "Pipelined": "PyMySQL waits for each answer before it sends the next statement",
        "Batch": "PyMySQL's only batch is executemany(), which is the scheme ExecuteMany",
    }
    pool_refusal = "PyMySQL has no pool of connections"
    options = {
        "bind_address": text,
        "collation": text,
        "connect_timeout": integer,
        "init_command": text,
        "local_infile": boolean,
        "max_allowed_packet": integer,
        "program_name": text,
        "read_timeout": integer,
        "sql_mode": text,
        "use_unicode": boolean,
        "write_timeout": integer,
    }

    def load(self):
        import pymysql

        self.module = pymysql

    def arguments(self, target, autocommit):
        return {
            "host": target.host,
            "port": target.port,
            "user": target.username,
            # As bytes, because PyMySQL would encode a text as Latin-1.
            "password": target.password.encode(),
            "database": target.database,
            "charset": "utf8mb4",
            "autocommit": autocommit,
            "client_flag": self.module.constants.CLIENT.MULTI_STATEMENTS,
            **({"ssl": target.tls_context()} if target.encrypted else {"ssl_disabled": True}),
            **target.options,
        }

    def connect(self, arguments):
        return self.module.connect(**arguments)
