"""What every driver has, and what it is asked to do."""

import os
import ssl
from dataclasses import dataclass
from importlib import metadata

from .refusal import Unsupported


@dataclass
class Target:
    """Where a connection goes. User name and password are read from the environment whenever they are needed."""

    host: str
    port: int
    database: str
    encrypted: bool
    options: dict

    @classmethod
    def of(cls, request, types):
        """Of a request prepare; every option in the type that the driver wants."""
        options = {name: types[name](text) for name, text in request["options"].items()}
        return cls(request["host"], request["port"], request["database"], request["tls"], options)

    @property
    def username(self):
        return os.environ.get("ASSAY_USERNAME", "")

    @property
    def password(self):
        return os.environ.get("ASSAY_PASSWORD", "")

    @property
    def authority(self):
        return os.environ["ASSAY_CA"]

    def tls_context(self):
        """For drivers that use Python's own TLS: the certificate is verified, and the name in it."""
        context = ssl.create_default_context(cafile=self.authority)
        # Python 3.13 wants extensions that the authorities of database servers often do not have (key usage).
        context.verify_flags &= ~ssl.VERIFY_X509_STRICT
        return context


class Driver:
    """A driver of the list. What is None or empty here, a driver has to say or does not have."""

    name = ""
    package = ""  # its name in the package index
    mark = "%s"
    schemes = {}  # what it can do, and how that is done
    refusals = {}  # why it cannot do others
    concurrency = ""  # what does several operations at once
    pool_refusal = ""  # why it has no pool
    largest_pool = 0  # how many connections its pool has at most; 0: any number
    encode_refusal = ""  # why nothing of its encoding is public
    options = {}  # those of its connection, and the type of each
    pool_options = ()  # those among them that only its pool takes

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

    def describe(self):
        """What the answer to hello says of it."""
        can, cannot = dict(self.schemes), dict(self.refusals)
        limit = f", of at most {self.largest_pool} connections" if self.largest_pool else ""
        for what, how, refusal in (
            ("Pool", f"its own pool{limit}", self.pool_refusal),
            ("Encode", "mogrify()", self.encode_refusal),
            ("Concurrency", self.concurrency, ""),
        ):
            if refusal:
                cannot[what] = refusal
            else:
                can[what] = how
        options = {name: kind.__name__ for name, kind in self.options.items()}
        return {"name": self.name, "versions": self.versions(), "can": can, "cannot": cannot, "options": options}

    def connection_options(self, target):
        return {name: value for name, value in target.options.items() if name not in self.pool_options}

    def only_pool_options(self, target):
        return {name: value for name, value in target.options.items() if name in self.pool_options}

    def check(self, plan, target):
        """Refuse what the driver cannot do, before anything is done."""
        if plan.session == "Pool" and 0 < self.largest_pool < plan.concurrency:
            raise Unsupported(f"{self.name}'s pool has at most {self.largest_pool} connections")
