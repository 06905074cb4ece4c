# Part of CredKit. SPDX-License-Identifier: Apache-2.0
"""Verifies the passwords of a table that CredKit has upgraded, for a login that is written in Python.

    if layered_hash.verify(password, stored):                  # bytes, str
        if layered_hash.needs_rehash(stored):
            save(layered_hash.hash(password))                  # "$argon2id$v=19$m=19456,t=2,p=1$…"

Reads `$argon2id$…` and `$layered-argon2id$…` with one lane, as docs/hash-formats.md specifies them. Requires
argon2-cffi; for inner hashes of crypt(3) also libcrypt.
"""
import base64
import ctypes
import functools
import hashlib
import hmac
import re

import argon2
from argon2.low_level import Type, hash_secret_raw

# The costs of new hashes: those of the policy that the other logins to the table have.
MEMORY_KIB, PASSES = 19456, 2
# What a stored hash may cost: KiB, KiB times passes, and rounds of an inner hash.
MAXIMUM_KIB, MAXIMUM_WORK, MAXIMUM_ROUNDS = 512 * 1024, 4 * 1024 * 1024, 1_000_000
_base64 = "[A-Za-z0-9+/]"
_outer = re.compile(
    r"\$(layered-)?argon2id\$v=19\$m=([1-9]\d{0,9}),t=([1-9]\d{0,9}),p=1"
    rf"(?:,inner=({_base64}+))?\$({_base64}{{22}})\$({_base64}{{22,683}})",
    re.ASCII,
)
_alphabet = b"./0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"


class UnsupportedHash(ValueError):
    """The text is malformed, costs too much, or is of a scheme that is not read here. It is not a mismatch."""


def verify(password: bytes, stored: str, keys: dict[str, bytes] = {}) -> bool:
    """Returns whether a password matches a stored hash. `keys` are those of HMAC-MD5 tables, by identifier."""
    match = _outer.fullmatch(stored) if len(stored) <= 1024 else None
    if not match or bool(match[1]) != bool(match[4]):
        raise UnsupportedHash("not a hash of this kind")
    memory, passes = int(match[2]), int(match[3])
    if not 8 <= memory <= MAXIMUM_KIB or memory * passes > MAXIMUM_WORK:
        raise UnsupportedHash("the hash requires too much memory or time")
    try:
        salt, digest = _decode(match[5]), _decode(match[6])
        if match[4]:
            inner = _decode(match[4])
            password = inner + b"\0" + _inner_digest(password, inner.decode("ascii"), keys)
        return hmac.compare_digest(hash_secret_raw(password, salt, passes, memory, 1, len(digest), Type.ID), digest)
    except (ValueError, OSError, argon2.exceptions.Argon2Error) as error:
        raise UnsupportedHash(str(error)) from None


def hash(password: bytes) -> str:
    """Returns the hash to store after a match, or for a new password."""
    return argon2.PasswordHasher(PASSES, MEMORY_KIB, parallelism=1, hash_len=32, salt_len=16).hash(password)


def needs_rehash(stored: str) -> bool:
    """Returns whether to replace a hash that has matched: it is layered, or costs an attacker less than a new one."""
    match = _outer.fullmatch(stored)
    if not match or match[1]:
        return True
    work, new = int(match[2]) * int(match[3]), MEMORY_KIB * PASSES
    return work < new or work * int(match[2]) < new * MEMORY_KIB


def _decode(text, padding="="):
    data = base64.b64decode(text + padding * (-len(text) % 4), validate=True)
    if base64.b64encode(data).decode().rstrip(padding) != text:
        raise UnsupportedHash("the Base64 is not canonical")
    return data


@functools.cache
def _crypt_rn():
    prototype = ctypes.CFUNCTYPE(ctypes.c_char_p, *[ctypes.c_char_p] * 3, ctypes.c_int)
    return prototype(("crypt_rn", ctypes.CDLL("libcrypt.so.1")))


def _inner_digest(password, text, keys):
    """Returns the digest of an inner hash, which has zeros for it: characters for crypt(3) and phpass, else bytes."""
    form = (
        r"\$hex-(md5|sha1|sha256|sha384|sha512)\$(?:(position=prefix|position=suffix)?,?(?:rounds=(\d{1,7}))?,?"
        r"(?:salt=([A-Za-z0-9+/]+))?\$)?0+"
    )
    if (match := re.fullmatch(form, text, re.A)) and int(match[3] or 1) <= MAXIMUM_ROUNDS:
        salt = _decode(match[4] or "")
        digest = hashlib.new(match[1], salt + password if match[2] == "position=prefix" else password + salt)
        for _ in range(int(match[3] or 1) - 1):
            digest = hashlib.new(match[1], digest.hexdigest().encode())
        return digest.digest()
    if (match := re.fullmatch(r"\$hex-hmac-md5\$keyid=([^$]+)\$0{32}", text)) and match[1] in keys:
        return hmac.digest(keys[match[1]], password, "md5")
    if match := re.fullmatch(r"(?i)\{(s?)(md5|sha|sha256|sha384|sha512)\}([A-Z0-9+/]+=*)", text):
        name = "sha1" if match[2].lower() == "sha" else match[2].lower()
        zeros, data = bytes(hashlib.new(name).digest_size), _decode(match[3], "")
        if data.startswith(zeros) and bool(match[1]) == (data != zeros):
            return hashlib.new(name, password + data[len(zeros) :]).digest()
    if match := re.fullmatch(r"(md5|sha1)\$(|[^$]{5}|[^$]{12}|[^$]{22}|[^$]*[^$A-Za-z0-9][^$]*)\$0+", text):
        return hashlib.new(match[1], match[2].encode() + password).digest()
    if match := re.fullmatch(r"pbkdf2_(sha1|sha256)\$([1-9]\d{0,6})\$([^$]+)\$A+=*", text):
        return hashlib.pbkdf2_hmac(match[1], password, match[3].encode(), int(match[2]))
    if text == "*" + "0" * 40:
        return hashlib.sha1(hashlib.sha1(password).digest()).digest()
    if match := re.fullmatch(r"\$[PH]\$([5-9A-J])([./0-9A-Za-z]{8})\.{22}", text):
        digest = hashlib.md5(match[2].encode() + password).digest()
        for _ in range(1 << _alphabet.index(match[1].encode())):
            digest = hashlib.md5(digest + password).digest()
        number = int.from_bytes(digest, "little")
        return bytes(_alphabet[number >> bit & 63] for bit in range(0, 128, 6))
    form = r"(?:\{(?i:crypt)\})?((\$(?:1|[56](?:\$rounds=\d{4,6})?)\$[^$]{0,16}\$|[./\w]{2}(?=\.{11}$))\.+)"
    if (match := re.fullmatch(form, text, re.A)) and b"\0" not in password and len(password) < 512:
        output = _crypt_rn()(password, match[1].encode(), ctypes.create_string_buffer(32768), 32768)
        if output and output.startswith(match[2].encode()):
            return output[len(match[2]) :]
    raise UnsupportedHash("the inner hash, or this password for it, is not supported here, or its key is missing")
