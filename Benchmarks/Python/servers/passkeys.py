# Part of CredKit. SPDX-License-Identifier: Apache-2.0
"""Passkeys for ES256, with one key pair for all: the work of a server is that of any others. Signed by the openssl command."""
import base64
import hashlib
import json
import subprocess

ORIGIN, SITE = "http://localhost", b"localhost"
# What binds the requests of a browser together: any 32 bytes.
TOKEN = base64.urlsafe_b64encode(bytes(32)).decode().rstrip("=")
COOKIE = f"__Host-credkit-form={TOKEN}"
USER_PRESENT_AND_VERIFIED = b"\x05"


def text(data):
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def sha256(data):
    return hashlib.sha256(data).digest()


def identifier(name):
    """The identifier of a user's passkey. The user handle is the name."""
    return sha256(name.encode())


class KeyPair:
    def __init__(self, folder):
        self.file = folder / "passkey.der"
        subprocess.run(["openssl", "genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-outform", "DER",
                        "-out", self.file], check=True, capture_output=True)
        # ECPrivateKey (RFC 5915), also within PKCS #8: its version and the key, and at the end a point that is not compressed.
        der = self.file.read_bytes()
        rest = der.partition(b"\x02\x01\x01\x04\x20")[2]
        if len(rest) < 32 + 67 or der[-67:-64] != b"\x42\x00\x04":
            raise ValueError("openssl writes keys for ECDSA in another form")
        self.private, x, y = rest[:32], der[-64:-32], der[-32:]
        # As COSE writes it.
        self.public = b"\xa5\x01\x02\x03\x26\x20\x01\x21\x58\x20" + x + b"\x22\x58\x20" + y

    def answer(self, options, name, count=0):
        """What the browser of a user sends for options: JSON."""
        client = json.dumps({"type": "webauthn.get", "challenge": options["challenge"], "origin": ORIGIN,
                             "crossOrigin": False}, separators=(",", ":")).encode()
        data = sha256(SITE) + USER_PRESENT_AND_VERIFIED + count.to_bytes(4, "big")
        signature = subprocess.run(["openssl", "dgst", "-sha256", "-keyform", "DER", "-sign", self.file],
                                   input=data + sha256(client), check=True, capture_output=True).stdout
        passkey = text(identifier(name))
        return json.dumps({
            "id": passkey, "rawId": passkey, "type": "public-key", "clientExtensionResults": {},
            "response": {"clientDataJSON": text(client), "authenticatorData": text(data), "signature": text(signature),
                         "userHandle": text(name.encode())},
        })


def enrol(engine, names, pair):
    """Writes the passkeys of users into PostgreSQL, as servers do."""
    def account(name):
        parts = [b"passkeys", name.encode()]
        return sha256(b"".join(len(part).to_bytes(8, "little") + part for part in parts))

    def row(*columns):
        return "\t".join(f"\\\\x{column.hex()}" if isinstance(column, bytes) else str(column) for column in columns)

    users = [row(account(name), name.encode(), name.encode()) for name in names]
    passkeys = [row(identifier(name), name.encode(), pair.public, b"Benchmark", 0, 1, b"", bytes(16), 0) for name in names]
    engine.sql("\n".join([
        "COPY credkit.passkey_users (account, name, handle) FROM STDIN;", *users, "\\.",
        "COPY credkit.passkeys (id, handle, public_key, label, sign_count, flags, transports, aaguid, created) FROM STDIN;",
        *passkeys, "\\.", ""]))
