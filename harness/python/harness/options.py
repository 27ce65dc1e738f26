"""Options of a driver's connection: texts in the protocol, and what the driver wants of each."""

from .refusal import Failed, Unsupported


def text(value):
    return value


def integer(value):
    return int(value)


def number(value):
    return float(value)


def boolean(value):
    try:
        return {"true": True, "1": True, "false": False, "0": False}[value.lower()]
    except KeyError:
        raise ValueError("it has to be true or false") from None


def parse(options, known, driver):
    """Every option in the type that the driver wants. One that is not known is not passed over."""
    parsed = {}
    for name, value in options.items():
        if name not in known:
            raise Unsupported(f"option {name} of {driver} is not known; known are: {', '.join(sorted(known)) or 'none'}")
        try:
            parsed[name] = known[name](value)
        except ValueError as error:
            raise Failed(f"option {name} of {driver}: {value!r} does not fit: {error}") from None
    return parsed
