"""The list of drivers, in the order of documents. A new one is a file and a line."""

from .aio_mysql import AioMySQL
from .async_my import AsyncMy
from .mariadb_connector import MariaDB
from .mysql_client import MySQLClient
from .mysql_connector import Connector, PureConnector
from .null import Null
from .py_mysql import PyMySQL

DRIVERS = [
    PyMySQL(),
    MySQLClient(),
    Connector(),
    PureConnector(),
    MariaDB(),
    AsyncMy(),
    AioMySQL(),
    Null(),
]
