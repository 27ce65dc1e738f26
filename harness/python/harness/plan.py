"""What a run is asked to do, apart from how long, in the texts that a driver wants."""

from itertools import chain


class Plan:
    """A request run. The parameters of its texts are marked as the driver wants: with %s or with ?."""

    def __init__(self, request, mark):
        self.kind, self.scheme, self.session = request["kind"], request["scheme"], request["session"]
        self.one = request["commit"]  # a transaction for each operation
        self.inline = request["inline"]
        self.size, self.chunk = request["rowsPerOperation"], request["chunk"]
        self.concurrency = request["concurrency"]
        self.data = bool(request["data"])  # there are rows of parameters
        self.query = self.kind == "Query"
        self.raw = request["statement"]
        self.raw_pieces = [request[piece] for piece in ("head", "group", "separator", "tail")]
        self.mark = mark
        self.text = self.raw.replace("?", mark)

    def connections(self):
        """How many of those that stay it works on; at least one is there."""
        return self.concurrency if self.kind in ("Execute", "Query") and self.session == "Dedicated" else 1

    def inlined(self):
        """What stands before and after the first parameter."""
        head, _, tail = self.raw.partition("?")
        return head, tail.replace("?", self.mark)

    def writer(self):
        """What makes of some rows one text and its parameters, for schemes that have several rows in a text."""
        head, group, separator, tail = (piece.replace("?", self.mark) for piece in self.raw_pieces)

        def write(rows):
            return head + separator.join([group] * len(rows)) + tail, list(chain.from_iterable(rows))

        return write
