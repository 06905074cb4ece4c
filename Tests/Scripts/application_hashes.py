# Part of CredKit. SPDX-License-Identifier: Apache-2.0
"""Makes hashes of Keycloak, MediaWiki and Firebase by their definitions, with hashlib, argon2-cffi, bcrypt and cryptography.

usage: application_hashes.py COUNT

Prints COUNT lines for each form: the scheme that credkit has for it, the password in hexadecimal digits, and the hash.

Sources: Keycloak's Pbkdf2PasswordHashProvider and Argon2PasswordHashProvider; MediaWiki's includes/password; README.md and
scrypt_firebase.c of firebase/scrypt.
"""
import base64
import hashlib
import json
import random
import sys

import argon2
import bcrypt
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

rng = random.Random(0xF1BA)
CHARACTERS = "abcXYZ019 $'\"\\{}.,:;é€ß😀"
TYPES = {"i": argon2.Type.I, "d": argon2.Type.D, "id": argon2.Type.ID}


def b64(data):
    return base64.b64encode(data).decode()


def md5(data):
    return hashlib.md5(data).hexdigest()


def credential(value, salt, iterations, algorithm, parameters):
    """An export of a realm, or a row of the table. Salts have padding, or none, as in older versions."""
    def compact(members):
        return json.dumps(members, separators=(",", ":"))

    text = b64(salt) if rng.random() < 0.5 else b64(salt).rstrip("=")
    secret = {"value": b64(value), "salt": text, "additionalParameters": {}}
    data = {"hashIterations": iterations, "algorithm": algorithm, "additionalParameters": parameters}
    names = rng.choice([("secretData", "credentialData"), ("secret_data", "credential_data")])
    return compact({"id": "5f2c", "type": "password", names[0]: compact(secret), names[1]: compact(data), "priority": 10})


def keycloak_pbkdf2():
    for algorithm, function in [("pbkdf2", "sha1"), ("pbkdf2-sha256", "sha256"), ("pbkdf2-sha512", "sha512")]:
        # Older versions derive 64 bytes with each function.
        for length in sorted({hashlib.new(function).digest_size, 64}):
            def make(password, algorithm=algorithm, function=function, length=length):
                salt, iterations = rng.randbytes(rng.randint(8, 40)), rng.randint(1, 50)
                value = hashlib.pbkdf2_hmac(function, password, salt, iterations, length)
                return credential(value, salt, iterations, algorithm, {})

            yield f"pbkdf2-{function}", make


def keycloak_argon2():
    for name, kind in TYPES.items():
        def make(password, name=name, kind=kind):
            salt, passes, lanes, length = rng.randbytes(16), rng.randint(1, 3), rng.randint(1, 2), rng.choice([16, 32, 64])
            memory, version = 8 * lanes * rng.randint(1, 8), rng.choice([16, 19])
            value = argon2.low_level.hash_secret_raw(password, salt, passes, memory, lanes, length, kind, version)
            numbers = {"hashLength": length, "memory": memory, "type": name, "version": f"1.{version - 16}", "parallelism": lanes}
            return credential(value, salt, passes, "argon2", {key: [str(text)] for key, text in numbers.items()})

        yield f"argon2{name}", make


def mediawiki_salt():
    return "".join(rng.choices("0123456789abcdef", k=8))


def mediawiki_a(password):
    return f":A:{md5(password)}"


def salted(password, salt):
    return md5(f"{salt}-{md5(password)}".encode())


def mediawiki_b(password):
    salt = mediawiki_salt()
    return f":B:{salt}:{salted(password, salt)}"


def derived(function, password):
    """The parameters, the salt and the digest, as MediaWiki writes them."""
    salt, iterations = rng.randbytes(16), rng.randint(1, 50)
    length = rng.choice([16, hashlib.new(function).digest_size, 64])
    return f"{function}:{iterations}:{length}", b64(salt), b64(hashlib.pbkdf2_hmac(function, password, salt, iterations, length))


def mediawiki_pbkdf2():
    for function in ["sha1", "sha256", "sha512"]:
        def make(password, function=function):
            return ":pbkdf2:" + ":".join(derived(function, password))

        yield f"pbkdf2-{function}", make


def mediawiki_legacy_a(password):
    parameters, salt, digest = derived("sha512", md5(password).encode())
    return f":pbkdf2-legacyA:!{parameters}!!{salt}!{digest}"


def mediawiki_legacy_b(password):
    inner = mediawiki_salt()
    parameters, salt, digest = derived("sha512", salted(password, inner).encode())
    return f":pbkdf2-legacyB:!{parameters}!{inner}!{salt}!{digest}"


def mediawiki_bcrypt(password):
    text = bcrypt.hashpw(password, bcrypt.gensalt(4)).decode().split("$")[-1]
    return f":bcrypt:4${text[:22]}${text[22:]}"


def mediawiki_argon2(name):
    hasher = argon2.PasswordHasher(time_cost=1, memory_cost=64, parallelism=1, type=TYPES[name])
    return lambda password: ":argon2:" + hasher.hash(password)


def firebase(password):
    """The key of a project, encrypted with AES in counter mode under scrypt of the password."""
    salt, separator, signer = rng.randbytes(rng.randint(1, 16)), rng.randbytes(rng.randint(1, 3)), rng.randbytes(64)
    log_n, block_size, lanes = rng.randint(1, 5), rng.randint(1, 8), rng.randint(1, 2)
    key = hashlib.scrypt(password, salt=salt + separator, n=1 << log_n, r=block_size, p=lanes, dklen=64)[:32]
    digest = Cipher(algorithms.AES(key), modes.CTR(bytes(16))).encryptor().update(signer)
    return f"$fbscrypt$v=1,n={log_n},r={block_size},p={lanes},ss={b64(separator)},sk={b64(signer)}${b64(salt)}${b64(digest)}"


FORMS = [
    *keycloak_pbkdf2(),
    *keycloak_argon2(),
    ("mediawiki-md5", mediawiki_a),
    ("mediawiki-md5", mediawiki_b),
    *mediawiki_pbkdf2(),
    ("pbkdf2-sha512", mediawiki_legacy_a),
    ("pbkdf2-sha512", mediawiki_legacy_b),
    ("bcrypt", mediawiki_bcrypt),
    ("argon2i", mediawiki_argon2("i")),
    ("argon2id", mediawiki_argon2("id")),
    ("firebase-scrypt", firebase),
]

for scheme, make in FORMS:
    for _ in range(int(sys.argv[1])):
        # bcrypt hashes 72 bytes.
        password = "".join(rng.choices(CHARACTERS, k=rng.randint(1, 17))).encode()
        print(scheme, password.hex(), make(password))
