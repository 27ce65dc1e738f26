"""Why a request is not done."""


class Unsupported(Exception):
    """The driver, or the harness, cannot do it."""


class Failed(Exception):
    """It could be done, but was not: the words of the driver, of the server, or what is wrong with the request."""
