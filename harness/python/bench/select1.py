"""SELECT 1 by a driver, without the harness: the least that a program can do. The harness is held against it.

Usage: select1.py DRIVER HOST PORT DATABASE, with ASSAY_USERNAME and ASSAY_PASSWORD in the environment.
Each line of standard input is the seconds of a run, and is answered by {"operations": N, "nanoseconds": N}.
"""

import asyncio
import json
import os
import sys
from time import perf_counter_ns


def blocking(cursor, seconds):
    execute, fetchall = cursor.execute, cursor.fetchall
    operations = 0
    begin = now = perf_counter_ns()
    end = begin + int(seconds * 1e9)
    while now < end:
        execute("SELECT 1")
        fetchall()
        operations += 1
        now = perf_counter_ns()
    return operations, now - begin


async def awaiting(cursor, seconds):
    execute, fetchall = cursor.execute, cursor.fetchall
    operations = 0
    begin = now = perf_counter_ns()
    end = begin + int(seconds * 1e9)
    while now < end:
        await execute("SELECT 1")
        await fetchall()
        operations += 1
        now = perf_counter_ns()
    return operations, now - begin


def pymysql(**to):
    import pymysql

    return pymysql.connect(ssl_disabled=True, **to)


def mysqlclient(**to):
    import MySQLdb

    return MySQLdb.connect(ssl_mode="DISABLED", **to)


def connector(pure):
    def connect(**to):
        import mysql.connector

        return mysql.connector.connect(use_pure=pure, ssl_disabled=True, **to)

    return connect


def mariadb(**to):
    import mariadb

    return mariadb.connect(**to)


async def asyncmy(**to):
    import asyncmy

    return await asyncmy.connect(**to)


async def aiomysql(database, **to):
    import aiomysql

    return await aiomysql.connect(db=database, **to)


DRIVERS = {
    "PyMySQL": pymysql,
    "mysqlclient": mysqlclient,
    "mysql-connector-python": connector(pure=False),
    "mysql-connector-python-pure": connector(pure=True),
    "mariadb": mariadb,
    "asyncmy": asyncmy,
    "aiomysql": aiomysql,
}


def main():
    if len(sys.argv) != 5 or sys.argv[1] not in DRIVERS:
        sys.exit(f"usage: select1.py DRIVER HOST PORT DATABASE (drivers: {', '.join(DRIVERS)})")
    name, host, port, database = sys.argv[1:]
    opened = DRIVERS[name](
        host=host,
        port=int(port),
        user=os.environ["ASSAY_USERNAME"],
        password=os.environ["ASSAY_PASSWORD"],
        database=database,
        autocommit=True,
    )
    if asyncio.iscoroutine(opened):
        asyncio.run(awaited(opened))
        return
    cursor = opened.cursor()
    for seconds in sys.stdin:
        answer(*blocking(cursor, float(seconds)))


async def awaited(connecting):
    connection = await connecting
    cursor = await connection.cursor()
    for seconds in sys.stdin:
        answer(*await awaiting(cursor, float(seconds)))
    await connection.ensure_closed()


def answer(operations, nanoseconds):
    print(json.dumps({"operations": operations, "nanoseconds": nanoseconds}), flush=True)


main()
