"""Why a request is not done."""


class Unsupported(Exception):
    """The driver cannot do it with the options of this connection."""


class Failed(Exception):
    """It was not done as it should have been, and the driver did not say so."""
