#!/usr/bin/env python3
# Part of CredKit. SPDX-License-Identifier: Apache-2.0
"""Makes responses of passkeys with one change each, signed after the change where that is possible, and says what py_webauthn
and fido2 make of them. Each line is a JSON object: what was changed, the response and what it is verified with, whether
CredKit must accept it, and the verdicts of both.

Requires cbor2, cryptography, fido2 and webauthn of PyPI.

usage: passkey_peers.py COUNT SEED            lines on standard output
       passkey_peers.py --summary COUNT SEED  how often each change is accepted instead"""

import base64
import collections
import hashlib
import json
import random
import sys

import cbor2
import webauthn
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, ed25519
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature
from fido2.cose import CoseKey
from fido2.server import Fido2Server
from fido2.webauthn import AttestedCredentialData, PublicKeyCredentialRpEntity

RP, ORIGIN = "example.org", "https://example.org"


def base64url(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def sha256(data):
    return hashlib.sha256(data).digest()


class Authenticator:
    """A passkey and its right responses; a change replaces one of the values before they are signed or after that."""

    def __init__(self, rng):
        self.rng = rng
        self.isEC = rng.random() < 0.7
        self.key = ec.generate_private_key(ec.SECP256R1()) if self.isEC else ed25519.Ed25519PrivateKey.generate()
        self.cose = cbor2.dumps(dict(CoseKey.for_alg(-7 if self.isEC else -8).from_cryptography_key(self.key.public_key())))
        self.id, self.handle, self.challenge = rng.randbytes(32), rng.randbytes(16), rng.randbytes(32)
        self.stored_counter = 0
        self.isRegistration = rng.random() < 0.4
        self.client = {"type": "webauthn.create" if self.isRegistration else "webauthn.get",
                       "challenge": base64url(self.challenge), "origin": ORIGIN, "crossOrigin": False}
        self.client_data = None
        self.rp_hash, self.flags, self.counter, self.extensions, self.tail = sha256(RP.encode()), 0x05, 0, b"", b""
        self.response_id, self.response_handle = self.id, self.handle
        self.edit = {}
        self.form_edit = lambda form: form

    def sign(self, data):
        return self.key.sign(data, ec.ECDSA(hashes.SHA256())) if self.isEC else self.key.sign(data)

    def edited(self, name, data):
        return self.edit.get(name, lambda data: data)(data)

    def response(self):
        client = self.client_data or json.dumps(self.client, separators=(",", ":")).encode()
        flags = self.flags | (0x40 if self.isRegistration else 0) | (0x80 if self.extensions else 0)
        data = self.rp_hash + bytes([flags & 0xFF]) + self.counter.to_bytes(4, "big")
        if self.isRegistration or flags & 0x40:
            data += bytes(16) + len(self.id).to_bytes(2, "big") + self.id + self.cose
        data += self.extensions + self.tail
        signature = self.edited("signature", self.sign(data + sha256(client)))
        client = self.edited("client", client)
        if self.isRegistration:
            statement = {"alg": -7 if self.isEC else -8, "sig": signature}
            object = self.edited("object", cbor2.dumps({"fmt": "packed", "attStmt": statement, "authData": self.edited("data", data)}))
            response = {"clientDataJSON": base64url(client), "attestationObject": base64url(object), "transports": ["usb"]}
        else:
            response = {"clientDataJSON": base64url(client), "authenticatorData": base64url(self.edited("data", data)),
                        "signature": base64url(signature), "userHandle": base64url(self.response_handle)}
        return self.form_edit({"id": base64url(self.response_id), "rawId": base64url(self.response_id), "type": "public-key",
                               "clientExtensionResults": {}, "response": response})


def byte_change(rng, data):
    data = bytearray(data)
    place = rng.randrange(len(data)) if data else 0
    match rng.randrange(4):
        case 0:
            data[place] ^= 1 << rng.randrange(8)
        case 1:
            del data[place:]
        case 2:
            data.insert(place, data[place] ^ 1)
        case _:
            data += rng.randbytes(1)
    return bytes(data)


def der(r, s, pad=0, long=False, tail=b""):
    def integer(number):
        body = bytes(pad) + number.to_bytes(number.bit_length() // 8 + 1, "big")
        return b"\x02" + bytes([len(body)]) + body
    body = integer(r) + integer(s)
    return b"\x30" + (b"\x81" if long else b"") + bytes([len(body)]) + body + tail


def change(a):
    """Changes one thing. Returns its name, and whether CredKit must accept the response; None if it depends."""
    rng = a.rng
    kind = rng.choice(["nothing", "client", "data", "signature", "object", "origin", "type", "challenge", "frame", "json", "flags",
                       "site", "counter", "tail", "extensions", "der", "form", "id", "handle", "cbor", "key"])
    match kind:
        case "nothing":
            return kind, True
        case "client" | "data" | "signature" | "object":
            if kind == "object" and not a.isRegistration:
                return "nothing", True
            a.edit[kind] = lambda data: byte_change(rng, data)
            return "byte of " + kind, False
        case "origin":
            a.client["origin"] = rng.choice(["https://example.org.", "https://EXAMPLE.org", "http://example.org", "https://example.org:443",
                                             "https://example.org:8443", "https://evilexample.org", "https://example.org/", "null",
                                             "https://login.example.org", "https://example.org.evil.test", ""])
            return "origin " + a.client["origin"], False
        case "type":
            a.client["type"] = rng.choice(["webauthn.get" if a.isRegistration else "webauthn.create", "payment.get", ""])
            return kind, False
        case "challenge":
            a.client["challenge"] = rng.choice([base64url(rng.randbytes(32)), "", a.client["challenge"] + "=", a.client["challenge"][:-1]])
            return kind, False
        case "frame":
            a.client.update(rng.choice([{"crossOrigin": True}, {"topOrigin": ORIGIN}, {"crossOrigin": "true"}, {"crossOrigin": None}]))
            return f"frame {a.client['crossOrigin']} {'topOrigin' in a.client}", False
        case "json":
            text = json.dumps(a.client)
            what, text, accepted = rng.choice([
                ("white space", text, True), ("unknown member", text[:-1] + ', "x": [1, {"y": null}]}', True),
                ("escapes", text.replace("/", "\\/"), True), ("repeated member", text[:-1] + ', "origin": "https://example.org"}', False),
                ("missing crossOrigin", text.replace(', "crossOrigin": false', ""), True), ("byte order mark", "\ufeff" + text, False),
                ("array", "[" + text + "]", False), ("trailing comma", text[:-1] + ",}", False), ("NaN", text[:-1] + ', "x": NaN}', False)])
            a.client_data = text.encode()
            return "client data with " + what, accepted
        case "flags":
            a.flags = rng.randrange(64)
            required = a.flags & 0x05 == 0x05
            return f"flags UP+UV {required} BE {a.flags & 8 > 0} BS {a.flags & 16 > 0}", required and a.flags & 0x18 != 0x10
        case "site":
            a.rp_hash = sha256(rng.choice([b"example.com", b"login.example.org", b"Example.org"]))
            return kind, False
        case "counter":
            a.stored_counter, a.counter = rng.choice([(0, 0), (0, 5), (5, 6), (5, 5), (5, 4), (5, 0)])
            a.flags |= rng.choice([0, 0x08])
            went_back = a.stored_counter > 0 and a.counter <= a.stored_counter
            if a.isRegistration:
                return "nothing", True
            return f"counter back {went_back} BE {a.flags & 8 > 0}", not went_back or a.flags & 8 > 0
        case "tail":
            a.tail = rng.choice([b"\0", b"\xa0", b"\xf6"])
            return "bytes behind the authenticator data", False
        case "extensions":
            name, a.extensions, accepted = rng.choice([
                ("empty", b"\xa0", True), ("credProtect", cbor2.dumps({"credProtect": 2}), True), ("array", b"\x80", False),
                ("indefinite", b"\xbf\xff", False), ("repeated", b"\xa2\x61\x61\x01\x61\x61\x02", False), ("long", b"\xb8\x00", False),
                ("float", b"\xa1\x61\x61\xf9\x3c\x00", False), ("deep", b"\xa1\x61\x61\x81\x81\x81\x80", False), ("cut", b"\xa1\x61", False)])
            return "extensions " + name, accepted
        case "der":
            if not a.isEC:
                return "nothing", True
            name = rng.choice(["padded", "long length", "trailing byte", "swapped", "raw"])
            def edit(data):
                r, s = decode_dss_signature(data)
                return {"padded": der(r, s, pad=1), "long length": der(r, s, long=True), "trailing byte": der(r, s, tail=b"\0"),
                        "swapped": der(s, r), "raw": r.to_bytes(32, "big") + s.to_bytes(32, "big")}[name]
            a.edit["signature"] = edit
            return "signature " + name, False
        case "form":
            def padded(form):
                name = next(iter(form["response"]))
                form["response"][name] += "=" * (-len(form["response"][name]) % 4) or "="
                return form
            name, a.form_edit, accepted = rng.choice([
                ("padding", padded, False), ("other type", lambda form: form | {"type": "password"}, False),
                ("unknown member", lambda form: form | {"x": 1}, True), ("attachment", lambda form: form | {"authenticatorAttachment": "platform"}, True),
                ("no rawId", lambda form: {key: form[key] for key in form if key != "rawId"}, False),
                ("other id", lambda form: form | {"id": base64url(rng.randbytes(32))}, False)])
            return "form with " + name, accepted
        case "id":
            a.response_id = rng.randbytes(32)
            return "identifier", False
        case "handle":
            if a.isRegistration:
                return "nothing", True
            a.response_handle = rng.choice([b"", rng.randbytes(16), a.handle + b"\0", rng.randbytes(65)])
            return f"user handle of {len(a.response_handle)} bytes", False
        case "cbor":
            if not a.isRegistration:
                return "nothing", True
            name, edit, accepted = rng.choice([
                ("long map", lambda data: b"\xb8\x03" + data[1:], False), ("indefinite map", lambda data: b"\xbf" + data[1:] + b"\xff", False),
                ("tag", lambda data: b"\xd9\xd9\xf7" + data, False), ("unknown member", lambda data: b"\xa4" + data[1:] + b"\x61x\x00", False),
                ("other order", lambda data: cbor2.dumps(dict(reversed(cbor2.loads(data).items()))), True)])
            a.edit["object"] = edit
            return "attestation object with " + name, accepted
        case "key":
            if not a.isRegistration:
                return "nothing", True
            key = cbor2.loads(a.cose)
            name, members = rng.choice([
                ("other order", dict(reversed(key.items()))), ("key_ops", key | {4: [2]}), ("kid", {1: key[1], 2: b"x"} | key),
                ("other curve", key | {-1: 2 if a.isEC else 7}), ("other kind", key | {1: 4}), ("algorithm -257", key | {3: -257})])
            a.cose = cbor2.dumps(members)
            return "key with " + name, False
    raise ValueError(kind)


def py_webauthn(a, form):
    common = {"credential": form, "expected_challenge": a.challenge, "expected_rp_id": RP, "expected_origin": ORIGIN, "require_user_verification": True}
    if a.isRegistration:
        webauthn.verify_registration_response(**common)
    else:
        webauthn.verify_authentication_response(credential_public_key=a.cose, credential_current_sign_count=a.stored_counter, **common)


def fido2(a, form):
    server = Fido2Server(PublicKeyCredentialRpEntity(id=RP, name=""), attestation="none")
    state = {"challenge": base64url(a.challenge), "user_verification": "required"}
    if a.isRegistration:
        server.register_complete(state, form)
    else:
        credential = AttestedCredentialData.create(bytes(16), a.id, CoseKey.parse(cbor2.loads(a.cose)))
        server.authenticate_complete(state, [credential], form)


def verdict(verify, a, form):
    try:
        verify(a, json.loads(json.dumps(form)))
        return True
    except Exception:  # Whatever the peer raises is a refusal.
        return False


def main():
    isSummary = sys.argv[1] == "--summary"
    count, seed = map(int, sys.argv[2:] if isSummary else sys.argv[1:])
    rng = random.Random(seed)
    table = collections.defaultdict(lambda: [0, 0, 0, 0])
    for _ in range(count):
        a = Authenticator(rng)
        name, accepted = change(a)
        form = a.response()
        verdicts = verdict(py_webauthn, a, form), verdict(fido2, a, form)
        if isSummary:
            row = table[("registration: " if a.isRegistration else "login: ") + name]
            for index, is_true in enumerate((True, accepted, *verdicts)):
                row[index] += is_true
            continue
        print(json.dumps({
            "change": name, "isRegistration": a.isRegistration, "response": json.dumps(form), "challenge": a.challenge.hex(),
            "credentialID": a.id.hex(), "publicKey": a.cose.hex(), "userHandle": a.handle.hex(), "signCount": a.stored_counter,
            "isAccepted": accepted, "pyWebAuthn": verdicts[0], "fido2": verdicts[1]}))
    for name, (cases, *counts) in sorted(table.items()):
        print(f"{name:60} {cases:5} cases, accepted: CredKit {counts[0]}, py_webauthn {counts[1]}, fido2 {counts[2]}")


if __name__ == "__main__":
    main()
