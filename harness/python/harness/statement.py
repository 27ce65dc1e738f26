"""A statement of the protocol, with ? for each parameter, as the schemes want it."""

import re
from itertools import chain

from .refusal import Unsupported

IN_LIST = re.compile(r"\bIN\s*\(\s*\?\s*\)\s*$", re.IGNORECASE)
VALUES = re.compile(r"\bVALUES\s*(?=\()", re.IGNORECASE)


class Statement:
    """A text whose parameters are marked as the driver wants: with %s or with ?."""

    def __init__(self, text, mark):
        self.raw = text
        self.mark = mark
        self.text = self._marked(text)

    def _marked(self, text):
        return text.replace("?", self.mark)

    def inlined(self):
        """What stands before and after the first parameter."""
        head, found, tail = self.raw.partition("?")
        if not found:
            raise Unsupported("inline: the statement has no parameter that could be written into its text")
        return head, self._marked(tail)

    def writer(self, scheme):
        """What makes of some rows one text and its parameters, for schemes that have several rows in a statement."""
        return {"MultiRow": self._multi_row, "InList": self._in_list, "MultiStatement": self._multi_statement}[scheme]()

    def _multi_row(self):
        head, group, tail = (self._marked(part) for part in self._values())

        def write(rows):
            return head + ", ".join([group] * len(rows)) + tail, list(chain.from_iterable(rows))

        return write

    def _values(self):
        """The statement before, in and after the parentheses that follow VALUES."""
        found = VALUES.search(self.raw)
        if not found:
            raise Unsupported("MultiRow: the statement has no VALUES (...)")
        depth = 0
        for at in range(found.end(), len(self.raw)):
            depth += {"(": 1, ")": -1}.get(self.raw[at], 0)
            if depth == 0:
                return self.raw[: found.end()], self.raw[found.end() : at + 1], self.raw[at + 1 :]
        raise Unsupported("MultiRow: the parentheses after VALUES do not end")

    def _in_list(self):
        found = IN_LIST.search(self.raw)
        if not found:
            raise Unsupported("InList: the statement does not end in IN (?)")
        head, mark = self._marked(self.raw[: found.start()]), self.mark

        def write(rows):
            return head + "IN (" + ", ".join([mark] * len(rows)) + ")", list(chain.from_iterable(rows))

        return write

    def _multi_statement(self):
        text = self.text

        def write(rows):
            return "; ".join([text] * len(rows)), list(chain.from_iterable(rows))

        return write
