# Part of CredKit. SPDX-License-Identifier: Apache-2.0
"""Writes a vault as specified in docs/vault-format.md, without CredKit.

usage: write_vault.py VAULT KEY-FILE

Reads a JSON object from standard input: `passphrase`, `memory` and `passes` for the first key slot, and `items` as
read-vault.py prints them, with times in milliseconds. The second slot is for the key in KEY-FILE.
"""
import base64
import hashlib
import json
import os
import struct
import sys

from argon2.low_level import Type, hash_secret_raw
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF


def text(value):
    utf8 = value.encode()
    return struct.pack("<H", len(utf8)) + utf8


def hkdf(key, salt, info):
    return HKDF(SHA256(), 32, salt, info).derive(key)


def key_bytes(item):
    account = item.get("account")
    attributes = sorted((name.encode(), name, value) for name, value in item["attributes"].items())
    return (text(item["service"]) + (b"\0" if account is None else b"\1" + text(account))
            + struct.pack("<H", len(attributes)) + b"".join(text(name) + text(value) for _, name, value in attributes))


def record(item):
    secret = base64.b64decode(item["secretBase64"]) if "secretBase64" in item else item["secret"].encode()
    key = key_bytes(item)
    rest = (struct.pack("<I", len(key)) + key + text(item["label"]) + text(item["contentType"])
            + struct.pack("<qqI", item["created"], item["modified"], len(secret)) + secret)
    return struct.pack("<I", len(rest)) + rest


def content(items):
    records = [record(item) for item in sorted(items, key=key_bytes)]
    offsets, position = b"", 12 + 4 * len(records)
    for each in records:
        offsets += struct.pack("<I", position)
        position += len(each)
    size = position
    exponent = size.bit_length() - 1
    step = 2 ** (exponent - exponent.bit_length())
    padded = max(4096, (size + step - 1) // step * step)
    return (struct.pack("<QI", size, len(records)) + offsets + b"".join(records)).ljust(padded, b"\0")


def slot(kind, name, costs, slot_key, vault, vault_key):
    salt, nonce = os.urandom(16), os.urandom(12)
    start = bytes([kind]) + os.urandom(16) + text(name) + salt + costs
    return start + nonce + AESGCM(slot_key(salt)).encrypt(nonce, vault_key, vault + start)


def main():
    request = json.load(sys.stdin)
    with open(sys.argv[2], "rb") as file:
        raw_key = file.read()
    vault, vault_key = os.urandom(16), os.urandom(32)
    passphrase, memory, passes = request["passphrase"].encode(), request["memory"], request["passes"]
    slots = [
        slot(1, "Küche", struct.pack("<II", memory, passes), lambda salt: hash_secret_raw(
            passphrase, salt, time_cost=passes, memory_cost=memory, parallelism=1, hash_len=32, type=Type.ID),
            vault, vault_key),
        slot(2, "", b"", lambda salt: hkdf(raw_key, salt, b"CredKit vault 1 slot"), vault, vault_key),
    ]
    plain, salt, nonce = content(request["items"]), os.urandom(32), os.urandom(12)
    body = (vault + struct.pack("<Q", 1) + hkdf(vault_key, vault, b"CredKit vault 1 check") + salt + nonce
            + struct.pack("<QH", len(plain) + 16, len(slots)) + b"".join(slots))
    header = b"CredKitV" + struct.pack("<HHI", 1, 0, 16 + len(body) + 32) + body
    header += hashlib.sha256(header).digest()
    sealed = AESGCM(hkdf(vault_key, salt, b"CredKit vault 1 items")).encrypt(nonce, plain, header)
    with open(os.open(sys.argv[1], os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        file.write(header + sealed)


if __name__ == "__main__":
    main()
