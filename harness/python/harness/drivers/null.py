"""The driver that does nothing: what is measured with it is the harness."""

from ..blocking import Blocking, chunked, many, single


class Cursor:
    def execute(self, text, parameters=None):
        pass

    def executemany(self, text, rows):
        pass

    def mogrify(self, text, parameters=None):
        pass

    def fetchall(self):
        return ()

    def nextset(self):
        return None

    def close(self):
        pass


class SeveralCursor(Cursor):
    """As many answers as there are statements in the text."""

    def execute(self, text, parameters=None):
        self.more = text.count(";")

    def nextset(self):
        self.more -= 1
        return self.more >= 0


class Connection:
    def cursor(self):
        return Cursor()

    def commit(self):
        pass


class Null(Blocking):
    name = "null"
    schemes = dict.fromkeys(
        ("SingleRow", "Prepared", "ExecuteMany", "Pipelined", "MultiRow", "MultiStatement", "InList", "Batch"), "nothing"
    )

    def versions(self):
        return ["1"]

    def arguments(self, target, autocommit):
        return {}

    def connect(self, arguments):
        return Connection()

    def close(self, connection):
        pass

    def cipher(self, connection):
        return ""

    def autocommit(self, connection, on):
        pass

    def pool(self, target, autocommit, size):
        connection = Connection()
        return lambda: connection, lambda _: None, lambda: None

    def operation(self, connection, plan):
        # No driver in Python has these schemes, so there is nothing common that does them.
        if plan.scheme in ("Pipelined", "Batch"):
            cursor = connection.cursor()
            return (single if plan.scheme == "Pipelined" else many)(cursor, plan), cursor.close
        if plan.scheme == "MultiStatement":
            cursor = SeveralCursor()
            return chunked(cursor, plan, self.writer(connection, plan)), cursor.close
        return super().operation(connection, plan)

    def prepared_cursor(self, connection):
        return connection.cursor()

    def prepare(self, cursor, text):
        cursor.execute(text)
