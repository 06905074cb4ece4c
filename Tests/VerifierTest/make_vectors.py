# Part of CredKit. SPDX-License-Identifier: Apache-2.0
"""Computes the vectors of layered hashes from docs/hash-formats.md, with hashlib, libpass and argon2-cffi alone.

usage: make_vectors.py > Vectors/Data/layered-hashes.json
"""
import base64
import hashlib
import hmac
import json
import re
import warnings

from argon2.low_level import Type, hash_secret_raw

warnings.simplefilter("ignore", DeprecationWarning)
import passlib.hash as passlib

KEYS = {"app": "84143"}


def unpadded(data):
    return base64.b64encode(data).decode().rstrip("=")


def older_hashes(password):
    """Yields older hashes: the text, the same with zeros for its digest, and the digest as Argon2id's input has it."""
    salt = hashlib.sha256(b"salt" + password).hexdigest()[:8]

    def in_hex(head, digest):
        return head + digest.hex(), head + "0" * 2 * len(digest), digest

    def in_base64(head, digest, tail=b""):
        texts = (head + base64.b64encode(data + tail).decode() for data in (digest, bytes(len(digest))))
        return *texts, digest

    for name in ("md5", "sha1", "sha256", "sha384", "sha512"):
        yield in_hex(f"$hex-{name}$", hashlib.new(name, password).digest())
        for position, text in (("suffix", password + salt.encode()), ("prefix", salt.encode() + password)):
            head = f"$hex-{name}$position={position},salt={unpadded(salt.encode())}$"
            yield in_hex(head, hashlib.new(name, text).digest())
        digest = hashlib.new(name, password + salt.encode())
        for _ in range(2):
            digest = hashlib.new(name, digest.hexdigest().encode())
        yield in_hex(f"$hex-{name}$position=suffix,rounds=3,salt={unpadded(salt.encode())}$", digest.digest())
    yield in_hex("$hex-hmac-md5$keyid=app$", hmac.digest(KEYS["app"].encode(), password, "md5"))
    for prefix, name in (("MD5", "md5"), ("SHA", "sha1"), ("SHA256", "sha256"), ("SHA512", "sha512")):
        yield in_base64(f"{{{prefix}}}", hashlib.new(name, password).digest())
        yield in_base64(f"{{S{prefix}}}", hashlib.new(name, password + salt.encode()).digest(), salt.encode())
    for name in ("md5", "sha1"):
        # 12 characters, as Django had them: with 8, CredKit refuses it, since it can be Werkzeug's.
        yield in_hex(f"{name}${salt:x<12}$", hashlib.new(name, f"{salt:x<12}".encode() + password).digest())
    for name in ("sha1", "sha256"):
        digest = hashlib.pbkdf2_hmac(name, password, salt.encode(), 1000)
        yield in_base64(f"pbkdf2_{name}$1000${salt}$", digest)
    mysql = hashlib.sha1(hashlib.sha1(password).digest()).digest()
    yield "*" + mysql.hex().upper(), "*" + "0" * 40, mysql
    for function in (
        passlib.md5_crypt.using(salt=salt),
        passlib.sha256_crypt.using(salt=salt, rounds=5000),
        passlib.sha256_crypt.using(salt=salt, rounds=1000),
        passlib.sha512_crypt.using(salt=salt, rounds=5000),
        passlib.sha512_crypt.using(salt=salt, rounds=1001),
        passlib.des_crypt.using(salt=salt[:2]),
        passlib.phpass.using(salt=salt, rounds=7),
    ):
        text = function.hash(password)
        head = re.match(r"\$[156]\$.*\$|\$P\$.{9}|.{2}", text)[0]
        setting, digest = head + "." * (len(text) - len(head)), text[len(head) :].encode()
        yield text, setting, digest
        if not text.startswith("$P$"):
            yield "{CRYPT}" + text, "{CRYPT}" + setting, digest
    yield in_base64("{ssha}", hashlib.new("sha1", password + salt.encode()).digest(), salt.encode())
    text = passlib.apr_md5_crypt.using(salt=salt).hash(password)
    yield text, text[:-22] + "." * 22, text[-22:].encode()


def layered(setting, digest, memory, passes):
    salt = hashlib.sha256(b"outer" + digest).digest()[:16]
    output = hash_secret_raw(setting.encode() + b"\0" + digest, salt, passes, memory, 1, 32, Type.ID)
    inner = unpadded(setting.encode())
    return f"$layered-argon2id$v=19$m={memory},t={passes},p=1,inner={inner}${unpadded(salt)}${unpadded(output)}"


def main():
    cases = []
    for index, password in enumerate(["secret", "pässwörd ✓", "x" * 100]):
        for number, (_, setting, digest) in enumerate(older_hashes(password.encode())):
            memory, passes = (19456, 2) if number == index else (64 + 8 * number, 1 + number % 3)
            cases.append({"password": password, "hash": layered(setting, digest, memory, passes)})
    source = (
        "computed by Tests/VerifierTest/make_vectors.py from the definition in docs/hash-formats.md, "
        "with hashlib, libpass and argon2-cffi"
    )
    print(json.dumps({"source": source, "keys": KEYS, "cases": cases}, indent=2, ensure_ascii=False))


if __name__ == "__main__":
    main()
