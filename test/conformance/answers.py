"""What every answer of a harness has to have, as docs/contracts/driver-protocol.v2.schema.json says, in Python alone."""

import json


class Wrong(Exception):
    """Something is not as it has to be."""


def is_integer(least, most=None):
    return lambda value: type(value) is int and value >= least and (most is None or value <= most)


def is_list(of):
    return lambda value: isinstance(value, list) and value != [] and all(of(item) for item in value)


def is_map(of):
    return lambda value: isinstance(value, dict) and all(of(item) for item in value.values())


def is_text(value):
    return isinstance(value, str)


def is_word(value):
    return isinstance(value, str) and value != ""


def is_bucket(value):
    return isinstance(value, list) and len(value) == 2 and is_integer(0, 56319)(value[0]) and is_integer(1)(value[1])


def is_driver(value):
    return isinstance(value, dict) and not missing(value, DRIVER) and not odd(value, DRIVER)


def is_collection(value):
    return isinstance(value, dict) and not odd(value, COLLECTION)


def is_options(value):
    return is_map(lambda kind: kind in ("text", "boolean", "integer", "number"))(value)


class Shape:
    """Fields that have to be there, and such that may be, with what their values have to be."""

    def __init__(self, required, optional=None):
        self.required, self.every = required, {**required, **(optional or {})}


def missing(value, shape):
    return [name for name in shape.required if name not in value]


def odd(value, shape):
    """The fields that are unknown, or have another value than they may."""
    return [name for name, inner in value.items() if name not in shape.every or not shape.every[name](inner)]


DRIVER = Shape({"name": is_word, "versions": is_list(is_word), "can": is_map(is_word)}, {"cannot": is_map(is_word), "options": is_options})
COLLECTION = Shape({}, {"before": is_integer(0), "count": is_integer(0), "nanoseconds": is_integer(0), "allocated": is_integer(0)})
HEAD = {"id": is_integer(1), "state": is_word}
REFUSAL = Shape({**HEAD, "reason": is_word}, {"code": is_text})
# An answer that is ok, by what was asked.
ANSWERS = {
    "hello": Shape({**HEAD, "protocol": is_word, "language": is_word, "runtime": is_word, "clock": is_word, "drivers": is_list(is_driver)}),
    "data": Shape(HEAD),
    "prepare": Shape({**HEAD, "version": is_word}, {"library": is_text, "cipher": is_text}),
    "run": Shape(
        {**HEAD, "operations": is_integer(1), "nanoseconds": is_integer(1), "rows": is_integer(0), "checksum": is_integer(0, 0xFFFFFFFF),
         "histogram": is_list(is_bucket)},
        {"cpuNanoseconds": is_integer(1), "collection": is_collection}),
    "close": Shape(HEAD),
}


def parse(line, text):
    try:
        return json.loads(text)
    except ValueError:
        raise Wrong(f"{line:.300} was answered by {text[:300]!r}, which is no line of JSON") from None


def check(do, number, answer):
    """What holds for every answer: to what was asked, by the number of the request."""
    if not isinstance(answer, dict) or answer.get("id") != number:
        raise Wrong(f"the answer to request {number} has the id {answer.get('id') if isinstance(answer, dict) else answer!r}")
    state = answer.get("state")
    if state not in ("ok", "failed", "unsupported"):
        raise Wrong(f"an answer has the state {state!r}")
    shape = ANSWERS[do] if state == "ok" else REFUSAL
    if missing(answer, shape):
        raise Wrong(f"the answer to {do} has no {', '.join(missing(answer, shape))}")
    for name in odd(answer, shape):
        what = "which the protocol does not have" if name not in shape.every else "which the protocol does not allow: what is unknown has to be absent"
        raise Wrong(f"the answer to {do} has {name}: {json.dumps(answer[name]):.300}, {what}")


def lowest(index):
    """The lowest value in ns of a bucket of the histogram."""
    if index < 2048:
        return index
    shift = index // 1024 - 1
    return (index - 1024 * shift) << shift


def together(answer):
    """The least that the latencies in the histogram are together, in ns."""
    return sum(lowest(index) * count for index, count in answer["histogram"])


def check_run(answer, seconds, concurrency, waited):
    """What holds for every answer to a run that was to last so many seconds, or had its number of operations, so many of them at once, and had its
    answer after so many ns."""
    indexes = [index for index, _ in answer["histogram"]]
    counted = sum(count for _, count in answer["histogram"])
    if indexes != sorted(set(indexes)):
        raise Wrong("the buckets of the histogram are not ascending")
    if counted != answer["operations"]:
        raise Wrong(f"{answer['operations']} operations were done, and the histogram has {counted}")
    if answer["operations"] < concurrency:
        raise Wrong(f"{answer['operations']} operations were done by {concurrency} at once: each does at least one")
    took, least = answer["nanoseconds"], together(answer) // concurrency
    if took < least:
        raise Wrong(f"the operations took {took} ns, and by the histogram at least {least}")
    # One percent, because clocks do not go alike.
    if took * 100 > waited * 101:
        raise Wrong(f"the operations took {took} ns, and the answer came after {waited}")
    # A hundredth tells one unit from another. More would hold the machine: a process may have to wait between two operations.
    if took * 100 < seconds * 1e9:
        raise Wrong(f"the operations took {took} ns, and had to go on for {seconds} s")
