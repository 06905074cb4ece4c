#!/usr/bin/env python3
# Part of CredKit. SPDX-License-Identifier: Apache-2.0
"""Creates vectors of passkeys: Vectors/Data/webauthn-l3.json computes what section 16 of WebAuthn Level 3 prints (its values
are derived by HKDF from the names of the examples), Vectors/Data/passkeys.json is made of new keys, and
Vectors/Data/cbor2-values.json of random values. No test runs this.

Requires cbor2 6, cryptography 46 and fido2 2.2 of PyPI.

usage: make_passkeys.py FOLDER"""

import base64
import hashlib
import json
import os
import random
import sys

import cbor2
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, ed448, ed25519, padding, rsa
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from fido2.cose import CoseKey
from fido2.webauthn import AttestationObject, AttestedCredentialData, AuthenticatorData, CollectedClientData

ORIGIN = "https://example.org"
RP_HASH = hashlib.sha256(b"example.org").digest()


def base64url(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def sha256(data):
    return hashlib.sha256(data).digest()


def cose(key):
    """A public key in the form of COSE. Of the members, fido2 knows Ed448 and ES512, too."""
    return CoseKey.for_alg(ALGORITHMS[type_name(key)]).from_cryptography_key(key.public_key())


ALGORITHMS = {"secp256r1": -7, "secp384r1": -35, "secp521r1": -36, "ed25519": -8, "ed448": -53, "rsa": -257}


def type_name(key):
    if isinstance(key, ec.EllipticCurvePrivateKey):
        return key.curve.name
    return {ed25519.Ed25519PrivateKey: "ed25519", ed448.Ed448PrivateKey: "ed448"}.get(
        next((kind for kind in (ed25519.Ed25519PrivateKey, ed448.Ed448PrivateKey) if isinstance(key, kind)), None), "rsa")


def sign(key, message, deterministic=True):
    digest = {"secp256r1": hashes.SHA256, "secp384r1": hashes.SHA384, "secp521r1": hashes.SHA512}
    name = type_name(key)
    if name in digest:
        return key.sign(message, ec.ECDSA(digest[name](), deterministic_signing=deterministic))
    if name == "rsa":
        return key.sign(message, padding.PKCS1v15(), hashes.SHA256())
    return key.sign(message)


class Derivation:
    """The values of one example of the Recommendation, in their order."""

    def __init__(self, info):
        self.info, self.count = info, 0

    def next(self, length):
        salt = bytes([self.count])
        self.count += 1
        return HKDF(hashes.SHA256(), length, salt, self.info.encode()).derive(b"WebAuthn test vectors")

    def client_data(self, kind, challenge, cross_origin, top_origin):
        more = {"topOrigin": "https://example.com"} if top_origin else {}
        if self.next(1)[0] & 1:
            text = "clientDataJSON may be extended with additional fields in the future, such as this: "
            more["extraData"] = text + base64url(self.next(16))
        return bytes(CollectedClientData.create(kind, challenge, ORIGIN, cross_origin, **more))


def recommendation(section, info, key=None, *, id_length=32, challenge_length=32, key_length=32, curve=None, derived=0,
                   attestation="none", cross_origin=False, top_origin=False, counted_flags=True):
    """One example. `derived` is the number of values that its attestation statement takes, which is then left out."""
    source = Derivation(info)
    challenge = source.next(challenge_length)
    if curve:
        key = ec.derive_private_key(int.from_bytes(source.next(key_length), "big"), curve)
    elif key is None:
        kind = ed25519.Ed25519PrivateKey if "EdDSA" in info else ed448.Ed448PrivateKey
        key = kind.from_private_bytes(source.next(key_length))
    public_key = cose(key)
    client_data = source.client_data("webauthn.create", challenge, cross_origin, top_origin)
    credential = AttestedCredentialData.create(source.next(16), id := source.next(id_length), public_key)
    flags = source.next(1)[0] & 0x1C if counted_flags else 0
    if not flags & 0x08:
        flags &= ~0x10
    data = AuthenticatorData.create(RP_HASH, flags | 0x41, 0, credential)
    statement = None
    if attestation == "none":
        statement = {}
    elif attestation == "packed-self":
        statement = {"alg": public_key.ALGORITHM, "sig": sign(key, data + sha256(client_data))}
    for _ in range(derived):
        source.next(32)
    case = {
        "section": section, "name": info, "credentialID": id.hex(), "publicKey": cbor2.dumps(dict(public_key), canonical=True).hex(),
        "registrationChallenge": challenge.hex(), "registrationClientDataJSON": client_data.hex(),
        "registrationAuthenticatorData": data.hex(),
    }
    if statement is not None:
        object = AttestationObject.create(attestation.removesuffix("-self"), data, statement)
        case["attestationObject"] = object.hex()
    challenge = source.next(challenge_length)
    client_data = source.client_data("webauthn.get", challenge, cross_origin, top_origin)
    verified = source.next(1)[0] & 0x14
    if not flags & 0x08:
        verified &= ~0x18
    data = AuthenticatorData.create(RP_HASH, verified | flags & 0x08 | 0x01, 0)
    case.update(challenge=challenge.hex(), clientDataJSON=client_data.hex(), authenticatorData=data.hex(),
                signature=sign(key, data + sha256(client_data)).hex())
    return case


def recommendations():
    p256 = {"curve": ec.SECP256R1()}
    p, q, e = 2**1279 - 1, 2**2203 - 1, 65537
    d = rsa.rsa_recover_private_exponent(e, p, q)
    numbers = rsa.RSAPrivateNumbers(p, q, d, rsa.rsa_crt_dmp1(d, p), rsa.rsa_crt_dmq1(d, q), rsa.rsa_crt_iqmp(p, q),
                                    rsa.RSAPublicNumbers(e, p * q))
    certificate = {"attestation": "certificate", "derived": 2}
    return [
        recommendation("16.2", "none.ES256", **p256),
        recommendation("16.3", "packed-self.ES256", attestation="packed-self", **p256),
        recommendation("16.4", "none.ES256.crossOrigin", cross_origin=True, **p256),
        recommendation("16.5", "none.ES256.topOrigin", cross_origin=True, top_origin=True, **p256),
        recommendation("16.6", "none.ES256.long-credential-id", id_length=1023, **p256),
        recommendation("16.7", "packed.ES256", **certificate, **p256),
        recommendation("16.8", "packed.ES384", curve=ec.SECP384R1(), key_length=48, **certificate),
        recommendation("16.9", "packed.ES512", curve=ec.SECP521R1(), key_length=65, challenge_length=128, **certificate),
        recommendation("16.10", "packed.RS256", numbers.private_key(), **certificate),
        recommendation("16.11", "packed.EdDSA", **certificate),
        recommendation("16.12", "packed.Ed448", key_length=57, **certificate),
        recommendation("16.13", "tpm.ES256", **certificate, **p256),
        recommendation("16.14", "android-key.ES256", attestation="certificate", derived=1, **p256),
        recommendation("16.15", "apple.ES256", attestation="certificate", derived=1, **p256),
        recommendation("16.16", "fido-u2f.ES256", counted_flags=False, **certificate, **p256),
    ]


def passkey(key, attestation, rng, flags, counter):
    """A registration and a login with a new key, as browsers send them."""
    public_key, handle, id = cose(key), rng.randbytes(32), rng.randbytes(rng.choice([16, 32, 64]))
    challenges = [rng.randbytes(32), rng.randbytes(32)]
    client_data = bytes(CollectedClientData.create("webauthn.create", challenges[0], ORIGIN, False))
    credential = AttestedCredentialData.create(rng.randbytes(16), id, public_key)
    extensions = {"credProtect": 2} if rng.random() < 0.5 else None
    data = AuthenticatorData.create(RP_HASH, flags | 0x41 | (0x80 if extensions else 0), counter, credential, extensions)
    statement = {}
    if attestation == "packed":
        statement = {"alg": public_key.ALGORITHM, "sig": sign(key, data + sha256(client_data), False)}
    both = {"id": base64url(id), "rawId": base64url(id), "type": "public-key", "clientExtensionResults": {},
            "authenticatorAttachment": "platform"}
    registration = both | {"response": {
        "clientDataJSON": base64url(client_data), "attestationObject": base64url(AttestationObject.create(attestation, data, statement)),
        "transports": ["internal", "hybrid"], "publicKeyAlgorithm": public_key.ALGORITHM, "authenticatorData": base64url(data)}}
    client_data = bytes(CollectedClientData.create("webauthn.get", challenges[1], ORIGIN, False))
    data = AuthenticatorData.create(RP_HASH, flags | 0x01, counter + 1)
    assertion = both | {"response": {
        "clientDataJSON": base64url(client_data), "authenticatorData": base64url(data),
        "signature": base64url(sign(key, data + sha256(client_data), False)), "userHandle": base64url(handle)}}
    return {"algorithm": public_key.ALGORITHM, "attestation": attestation, "flags": flags, "counter": counter, "userHandle": handle.hex(),
            "registrationChallenge": challenges[0].hex(), "registration": json.dumps(registration),
            "challenge": challenges[1].hex(), "assertion": json.dumps(assertion)}


def passkeys(rng):
    makers = [lambda: ec.generate_private_key(ec.SECP256R1()), lambda: ec.generate_private_key(ec.SECP384R1()),
              ed25519.Ed25519PrivateKey.generate, lambda: rsa.generate_private_key(65537, 2048),
              lambda: rsa.generate_private_key(3, 3072)]
    flags = [0x04, 0x0C, 0x1C]
    return [passkey(make(), attestation, rng, rng.choice(flags), rng.choice([0, 1, 0xFFFFFFFE]))
            for make in makers for attestation in ("none", "packed") for _ in range(2)]


def value(rng, depth):
    kinds = "unbtB0" + ("am" if depth < 4 else "")
    match rng.choice(kinds):
        case "u":
            return rng.getrandbits(rng.choice([3, 8, 16, 32, 64]))
        case "n":
            return -1 - rng.getrandbits(rng.choice([3, 8, 16, 32, 64]))
        case "b":
            return rng.randbytes(rng.choice([0, 3, 23, 24, 300]) if depth else 5)
        case "t":
            return "".join(chr(rng.choice([0x41, 0xE9, 0x4E2D, 0x1F511])) for _ in range(rng.choice([0, 2, 23, 70])))
        case "B":
            return rng.random() < 0.5
        case "0":
            return None
        case "a":
            return [value(rng, depth + 1) for _ in range(rng.choice([0, 1, 3, 25]))]
        case _:
            keys = [rng.getrandbits(9) - 256 for _ in range(3)] + [f"k{rng.getrandbits(4)}", rng.randbytes(2)]
            return {key: value(rng, depth + 1) for key in rng.sample(keys, rng.randint(0, 5))}


def described(value):
    """A value as JSON can hold it: its kind and its content."""
    if value is None:
        return ["null"]
    if isinstance(value, bool):
        return ["bool", "true" if value else "false"]
    if isinstance(value, int):
        return ["integer", str(value)]
    if isinstance(value, bytes):
        return ["bytes", value.hex()]
    if isinstance(value, str):
        return ["text", value]
    if isinstance(value, list):
        return ["array"] + [described(element) for element in value]
    return ["map"] + [described(part) for member in value.items() for part in member]


def flat(value):
    """The description on one line, for comparison as a text."""
    return json.dumps(described(value), separators=(",", ":"), ensure_ascii=True)


def write(folder, name, source, cases):
    with open(os.path.join(folder, name + ".json"), "w", encoding="utf-8") as file:
        lines = ",\n".join("  " + json.dumps(case) for case in cases)
        file.write('{\n "source": %s,\n "cases": [\n%s\n ]\n}\n' % (json.dumps(source), lines))


def main():
    folder = sys.argv[1]
    write(folder, "webauthn-l3", "W3C Web Authentication Level 3, section 16: computed anew by Tests/Scripts/make_passkeys.py from"
          " the derivation that the section describes. Attestation statements with certificates are left out.", recommendations())
    rng = random.Random(2026)
    write(folder, "passkeys", "Tests/Scripts/make_passkeys.py with fido2 2.2.1 (COSE, authenticator data, attestation objects) and"
          " cryptography (keys, signatures). The private keys are discarded.", passkeys(rng))
    values = []
    while len(values) < 200:
        candidate = value(rng, 0)
        if len(cbor2.dumps(candidate)) < 1500:
            values.append({"encoding": cbor2.dumps(candidate).hex(), "value": flat(candidate)})
    write(folder, "cbor2-values", "Tests/Scripts/make_passkeys.py with cbor2 6.3.0: random values. Each is described as an array"
          " of its kind and its content.", values)


if __name__ == "__main__":
    main()
