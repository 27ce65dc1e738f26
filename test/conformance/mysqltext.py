"""The least of the MySQL protocol that play.py needs: login, and statements as text with rows of text."""

import hashlib
import socket
import ssl
import struct

# Capabilities of the client: long password, schema at login, protocol 4.1, TLS, transactions, native login and its plugins.
LONG_PASSWORD, WITH_SCHEMA, PROTOCOL_41, TLS, TRANSACTIONS, SECURE, PLUGINS = 0x1, 0x8, 0x200, 0x800, 0x2000, 0x8000, 0x80000
UTF8MB4 = 45
LARGEST = 0xFFFFFF


class Refused(Exception):
    """What the server said instead of an answer, with its number, or with None."""

    number = None


def integer(data, at):
    """A length-encoded integer, None for NULL, and where it ends."""
    first = data[at]
    if first < 0xFB:
        return first, at + 1
    if first == 0xFB:
        return None, at + 1
    size = {0xFC: 2, 0xFD: 3, 0xFE: 8}[first]
    return int.from_bytes(data[at + 1:at + 1 + size], "little"), at + 1 + size


def native(password, seed):
    """The answer of mysql_native_password."""
    if not password:
        return b""
    once = hashlib.sha1(password).digest()
    mask = hashlib.sha1(seed + hashlib.sha1(once).digest()).digest()
    return bytes(a ^ b for a, b in zip(once, mask))


def caching_sha2(password, seed):
    """The first answer of caching_sha2_password, which is enough where the server remembers the password."""
    if not password:
        return b""
    once = hashlib.sha256(password).digest()
    mask = hashlib.sha256(hashlib.sha256(once).digest() + seed).digest()
    return bytes(a ^ b for a, b in zip(once, mask))


PLUGINS_KNOWN = {"mysql_native_password": native, "caching_sha2_password": caching_sha2}


class Session:
    """One connection."""

    def __init__(self, host, port, user, password, database):
        self.socket = socket.create_connection((host, port), timeout=60)
        self.number = 0
        self.log_in(user.encode(), password.encode(), database.encode())

    def log_in(self, user, password, database):
        greeting = self.receive()
        end = greeting.index(b"\0", 1)
        seed = greeting[end + 5:end + 13]
        offers = struct.unpack_from("<H", greeting, end + 14)[0]
        seed += greeting[end + 32:end + 44]
        plugin = greeting[end + 45:].split(b"\0")[0].decode() or "mysql_native_password"
        plugin = plugin if plugin in PLUGINS_KNOWN else "mysql_native_password"
        wants = LONG_PASSWORD | WITH_SCHEMA | PROTOCOL_41 | TRANSACTIONS | SECURE | PLUGINS | (offers & TLS)
        head = struct.pack("<IIB23x", wants, LARGEST, UTF8MB4)
        if offers & TLS:
            # Only so that a password may be sent: what is played against is a server for tests, and nothing here verifies it.
            self.send(head)
            context = ssl.create_default_context()
            context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
            self.socket = context.wrap_socket(self.socket)
        proof = PLUGINS_KNOWN[plugin](password, seed)
        self.send(head + user + b"\0" + bytes([len(proof)]) + proof + database + b"\0" + plugin.encode() + b"\0")
        while True:
            answer = self.receive()
            if answer[0] == 0:
                return
            if answer[0] == 0xFE:
                name, seed = answer[1:].split(b"\0", 1)
                if name.decode() not in PLUGINS_KNOWN:
                    raise Refused(f"the server wants a login by {name.decode()}; known are {', '.join(PLUGINS_KNOWN)}")
                self.send(PLUGINS_KNOWN[name.decode()](password, seed[:20]))
            elif answer[:2] == b"\x01\x04":
                if not offers & TLS:
                    raise Refused("the server wants the password itself and offers no TLS: let the user log in by mysql_native_password")
                self.send(password + b"\0")
            elif answer[:2] != b"\x01\x03":
                raise self.refusal(answer)

    def query(self, statement):
        """The rows of a statement, each a list of texts or None; none for a statement without."""
        self.number = 0
        self.send(b"\x03" + statement.encode())
        first = self.receive()
        if first[0] == 0xFF:
            raise self.refusal(first, f"{statement[:200]}: ")
        if first[0] == 0:
            return []
        columns, _ = integer(first, 0)
        for _ in range(columns + 1):  # and the end of them
            self.receive()
        rows = []
        while True:
            data = self.receive()
            if data[0] == 0xFE and len(data) < 9:
                return rows
            if data[0] == 0xFF:
                raise self.refusal(data, f"{statement[:200]}: ")
            rows.append(self.row(data, columns))

    @staticmethod
    def row(data, columns):
        out, at = [], 0
        for _ in range(columns):
            size, at = integer(data, at)
            out.append(None if size is None else data[at:at + size].decode())
            at += size or 0
        return out

    @staticmethod
    def refusal(data, what=""):
        if data[0] != 0xFF:
            return Refused(f"{what}an answer that begins with {data[:20]!r}")
        number = struct.unpack_from("<H", data, 1)[0]
        refused = Refused(f"{what}{number}: {data[9:].decode(errors='replace')}")
        refused.number = number
        return refused

    def send(self, data):
        """One packet: no statement of the player has 16 MiB."""
        if len(data) >= LARGEST:
            raise Refused(f"a packet of {len(data)} bytes is more than one packet has")
        self.socket.sendall(struct.pack("<I", len(data))[:3] + bytes([self.number & 0xFF]) + data)
        self.number += 1

    def receive(self):
        data = b""
        while True:
            head = self.exactly(4)
            size = int.from_bytes(head[:3], "little")
            self.number = head[3] + 1
            data += self.exactly(size)
            if size < LARGEST:
                return data

    def exactly(self, size):
        data = b""
        while len(data) < size:
            more = self.socket.recv(size - len(data))
            if not more:
                raise Refused("the server closed the connection")
            data += more
        return data

    def close(self):
        self.number = 0
        self.send(b"\x01")
        self.socket.close()
