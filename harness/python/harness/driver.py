"""What every driver has, and what it is asked to do."""

import os
import ssl
from dataclasses import dataclass
from importlib import metadata

from . import options
from .refusal import Failed, Unsupported
from .statement import Statement

# Errors of a login that the client does not know how to do, and nothing is wrong with it otherwise: the server wants a
# plugin that the client lacks, or cannot work without TLS.
UNKNOWN_LOGIN = {1251, 2059, 2061}


@dataclass
class Target:
    """Where a connection goes. User name and password are read from the environment whenever they are needed."""

    host: str
    port: int
    database: str
    encrypted: bool
    options: dict

    @property
    def username(self):
        return os.environ.get("ASSAY_USERNAME", "")

    @property
    def password(self):
        return os.environ.get("ASSAY_PASSWORD", "")

    @property
    def authority(self):
        path = os.environ.get("ASSAY_CA", "")
        if not path:
            raise Failed("tls is Required, but ASSAY_CA does not name the file with the certificate authority")
        return path

    def tls_context(self):
        """For drivers that use Python's own TLS: the certificate is verified, and the name in it."""
        context = ssl.create_default_context(cafile=self.authority)
        # Python 3.13 wants extensions that the authorities of database servers often do not have (key usage).
        context.verify_flags &= ~ssl.VERIFY_X509_STRICT
        return context


@dataclass
class Plan:
    """What a run is asked to do, apart from how long."""

    kind: str
    scheme: str
    one: bool  # a transaction for each operation
    session: str
    statement: Statement
    data: bool  # there are rows of parameters
    chunk: int
    inline: bool

    @property
    def query(self):
        return self.kind == "Query"


class Driver:
    """A driver of the list. What is None or empty here, a driver has to say or does not have."""

    name = ""
    package = ""  # its name in the package index
    mark = "%s"
    schemes = {}  # what it can do, and how that is done
    refusals = {}  # why it cannot do others
    pool_refusal = ""  # why it has no pool
    encode_refusal = ""  # why nothing of its encoding is public
    options = {}  # those of its connection, and the type of each
    encrypts = True  # whether tls means anything to it
    pool_options = ()  # those among them that only its pool takes

    def __init__(self):
        self.loaded = False

    def versions(self):
        """The version that is installed, or nothing."""
        try:
            return [metadata.version(self.package)]
        except metadata.PackageNotFoundError:
            return []

    def load(self):
        """Import the driver. Not before it is needed: the others would only fill the memory."""

    def library(self):
        """The C library below the driver."""
        return ""

    def target(self, request):
        parsed = options.parse(request.get("options", {}), self.options, self.name)
        return Target(
            host=request.get("host", ""),
            port=request.get("port", 0),
            database=request.get("database", ""),
            encrypted=request.get("tls", "Disabled") == "Required",
            options=parsed,
        )

    def connection_options(self, target):
        return {name: value for name, value in target.options.items() if name not in self.pool_options}

    def only_pool_options(self, target):
        return {name: value for name, value in target.options.items() if name in self.pool_options}

    def unknown_login(self, error):
        code = getattr(error, "errno", None) or next(iter(error.args), None)
        return code in UNKNOWN_LOGIN or type(error).__name__ == "NotSupportedError"

    def check(self, plan, target):
        """Refuse what the driver cannot do, before anything is done."""
        if plan.kind == "Encode" and self.encode_refusal:
            raise Unsupported(self.encode_refusal)
        if plan.session == "Pool" and self.pool_refusal:
            raise Unsupported(self.pool_refusal)
        if plan.kind not in ("Execute", "Query"):
            return
        if plan.scheme not in self.schemes:
            raise Unsupported(self.refusals.get(plan.scheme, f"{self.name} has nothing for the scheme {plan.scheme}"))
        if plan.scheme not in ("SingleRow", "Prepared"):
            check_rows(plan)


def check_rows(plan):
    if not plan.data:
        raise Unsupported(f"{plan.scheme} is for rows of parameters, and the request names no data")
    if plan.inline:
        raise Unsupported(f"inline is for schemes with one text per row, SingleRow and Prepared, not for {plan.scheme}")
    if plan.scheme == "ExecuteMany":
        if plan.query:
            raise Unsupported("ExecuteMany: executemany() throws away the rows of all statements but the last")
    if plan.scheme in ("MultiRow", "MultiStatement", "InList") and plan.chunk < 1:
        raise Failed(f"{plan.scheme} needs a chunk of at least 1")
