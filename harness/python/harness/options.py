"""Types of options of a driver's connection: texts in the protocol, and what the driver wants of each."""


def text(value):
    return value


def integer(value):
    return int(value)


def number(value):
    return float(value)


def boolean(value):
    return value == "true"
