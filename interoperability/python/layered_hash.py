# Part of CredKit. SPDX-License-Identifier: Apache-2.0
"""Verifies the passwords of a table that CredKit has upgraded, for a login that is written in Python.

    if layered_hash.verify(password, stored):                  # bytes, str
        if layered_hash.needs_rehash(stored):
            save(layered_hash.hash(password))                  # "$argon2id$v=19$m=19456,t=2,p=1$…"

Reads `$argon2id$…` and `$layered-argon2id$…`, as docs/hash-formats.md specifies them. Requires argon2-cffi; for inner
hashes of crypt(3) also libcrypt.
"""
import base64
import ctypes
import ctypes.util
import hashlib
import hmac
import re

import argon2
from argon2.low_level import Type, hash_secret_raw

MAXIMUM_KIB, MAXIMUM_PASSES, MAXIMUM_ROUNDS = 512 * 1024, 64, 1_000_000
_hasher = argon2.PasswordHasher(time_cost=2, memory_cost=19456, parallelism=1, hash_len=32, salt_len=16)
_base64 = "([A-Za-z0-9+/]+)"
_outer = re.compile(
    r"\$(layered-)?argon2id\$v=19\$m=([1-9]\d{0,9}),t=([1-9]\d{0,9}),p=([1-9]\d{0,2})"
    rf"(?:,inner={_base64})?\${_base64}\${_base64}",
    re.ASCII,
)
_alphabet = b"./0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"


class UnsupportedHash(ValueError):
    """The text is malformed, costs too much, or is of a scheme that is not read here. It is not a mismatch."""


def verify(password: bytes, stored: str, keys: dict[str, bytes] = {}) -> bool:
    """Returns whether a password matches a stored hash. `keys` are those of HMAC-MD5 tables, by identifier."""
    match = _outer.fullmatch(stored[:1025])
    if not match or bool(match[1]) != bool(match[5]):
        raise UnsupportedHash("not a hash of this kind")
    memory, passes, lanes = (int(match[index]) for index in (2, 3, 4))
    if not 8 * lanes <= memory <= MAXIMUM_KIB or passes > MAXIMUM_PASSES:
        raise UnsupportedHash("the hash requires too much memory or time")
    salt, digest = _decode(match[6]), _decode(match[7])
    if match[5]:
        inner = _decode(match[5])
        password = inner + b"\0" + _inner_digest(password, inner.decode("latin-1"), keys)
    return hmac.compare_digest(hash_secret_raw(password, salt, passes, memory, lanes, len(digest), Type.ID), digest)


def hash(password: bytes) -> str:
    """Returns the hash to store after a match, or for a new password."""
    return _hasher.hash(password)


def needs_rehash(stored: str) -> bool:
    """Returns whether a hash that has matched should be replaced by a new one."""
    return not stored.startswith("$argon2id$") or _hasher.check_needs_rehash(stored)


def _decode(text):
    data = base64.b64decode(text + "=" * (-len(text) % 4))
    if base64.b64encode(data).decode().rstrip("=") != text:
        raise UnsupportedHash("the Base64 is not canonical")
    return data


def _inner_digest(password, text, keys):
    """Returns the digest of an inner hash: characters for crypt(3) and phpass, bytes for all others."""
    form = (
        r"\$hex-(md5|sha1|sha256|sha384|sha512)\$(?:(position=prefix|position=suffix)?,?(?:rounds=(\d{1,7}))?,?"
        r"(?:salt=([A-Za-z0-9+/]+))?\$)?[0-9a-f]+"
    )
    if (match := re.fullmatch(form, text, re.A)) and int(match[3] or 1) <= MAXIMUM_ROUNDS:
        salt = _decode(match[4] or "")
        digest = hashlib.new(match[1], salt + password if match[2] == "position=prefix" else password + salt)
        for _ in range(int(match[3] or 1) - 1):
            digest = hashlib.new(match[1], digest.hexdigest().encode())
        return digest.digest()
    if (match := re.fullmatch(r"\$hex-hmac-md5\$keyid=([^$]+)\$[0-9a-f]{32}", text)) and match[1] in keys:
        return hmac.digest(keys[match[1]], password, "md5")
    if match := re.fullmatch(r"\{S?(MD5|SHA|SHA256|SHA384|SHA512)\}([A-Za-z0-9+/=]+)", text):
        name = "sha1" if match[1] == "SHA" else match[1].lower()
        return hashlib.new(name, password + base64.b64decode(match[2])[hashlib.new(name).digest_size :]).digest()
    if match := re.fullmatch(r"(md5|sha1)\$([^$]*)\$[0-9a-f]+", text):
        return hashlib.new(match[1], match[2].encode() + password).digest()
    if match := re.fullmatch(r"pbkdf2_(sha1|sha256)\$([1-9]\d{0,6})\$([^$]+)\$[A-Za-z0-9+/=]+", text):
        return hashlib.pbkdf2_hmac(match[1], password, match[3].encode(), int(match[2]))
    if re.fullmatch(r"\*[0-9A-F]{40}", text):
        return hashlib.sha1(hashlib.sha1(password).digest()).digest()
    if match := re.fullmatch(r"\$[PH]\$([5-9A-J])([./0-9A-Za-z]{8})[./0-9A-Za-z]{22}", text):
        digest = hashlib.md5(match[2].encode() + password).digest()
        for _ in range(1 << _alphabet.index(match[1].encode())):
            digest = hashlib.md5(digest + password).digest()
        return _encode(digest)
    form = r"(\$(?:1|[56](?:\$rounds=\d{4,6})?)\$[^$]{0,16}\$)[^$]+|([./\w]{2})[./\w]{11}"
    if match := re.fullmatch(form, text, re.A):
        library, head = ctypes.CDLL(ctypes.util.find_library("crypt")), (match[1] or match[2]).encode()
        library.crypt_rn.restype = ctypes.c_char_p
        output = library.crypt_rn(password, text.encode(), ctypes.create_string_buffer(32768), 32768)
        if b"\0" not in password and len(password) < 512 and output and output.startswith(head):
            return output[len(head) :]
    raise UnsupportedHash("the inner hash, or this password for it, is not supported here, or its key is missing")


def _encode(data):
    """Encodes bytes as crypt(3) does, the lowest bits first."""
    number = int.from_bytes(data, "little")
    return bytes(_alphabet[number >> 6 * i & 63] for i in range((len(data) * 8 + 5) // 6))
