#!/usr/bin/env python3
# Part of CredKit. SPDX-License-Identifier: Apache-2.0
"""Opens a vault without CredKit, and prints its items. Written from docs/vault-format.md alone.

usage: read-vault.py [--passphrase-fd N | --key-file FILE] VAULT

Without an option, asks for the passphrase at the terminal, or reads it from standard input if that is no terminal; one
trailing line break is not part of it. FILE contains the key of a key slot, from a file or a Secret Service.

Prints the JSON that `credkit keychain import` reads, secrets included. Needs the packages argon2-cffi and cryptography.
The exit status is 1 for a vault that is damaged or cannot be read, 2 for wrong usage, 3 for a wrong passphrase or key,
4 for costs beyond the ceilings.
"""
import argparse
import base64
import datetime
import getpass
import hashlib
import hmac
import json
import os
import sys
from dataclasses import dataclass

from argon2.low_level import Type, hash_secret_raw
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

KIB, MIB = 1024, 1024 * 1024
LARGEST_FILE, LARGEST_HEADER = 256 * MIB, 65_536
MOST_SLOTS, LONGEST_SLOT_NAME = 32, 255
LONGEST_PASSPHRASE, SHORTEST_KEY, LONGEST_KEY = 4_096, 32, MIB
# Argon2's limits. Memory in KiB.
MEMORY, PASSES, MEMORY_TIMES_PASSES = range(8, MIB + 1), range(1, 65), 4 * MIB
PASSPHRASE, KEY, SERVICE_KEY = 1, 2, 3
SMALLEST_PADDED = 4_096


class Damaged(Exception):
    status = 1


class WrongPassphrase(Exception):
    status = 3


class OverLimit(Exception):
    status = 4


def check(condition, what):
    if not condition:
        raise Damaged(f"damaged: {what}")


class Reader:
    """Reads one field after the other, and never past the end."""

    def __init__(self, data, what):
        self.data, self.what, self.offset = data, what, 0

    def bytes(self, count):
        check(count <= len(self.data) - self.offset, f"{self.what} ends in the middle of a field")
        self.offset += count
        return self.data[self.offset - count:self.offset]

    def number(self, size, signed=False):
        return int.from_bytes(self.bytes(size), "little", signed=signed)

    def text(self):
        try:
            return self.bytes(self.number(2)).decode()
        except UnicodeDecodeError:
            raise Damaged(f"damaged: a text of {self.what} is not UTF-8") from None

    def finish(self):
        check(self.offset == len(self.data), f"{self.what} is longer than its fields")


# The header ---------------------------------------------------------------------------------------------------------

@dataclass
class Slot:
    kind: int
    salt: bytes
    memory: int
    passes: int
    before_nonce: bytes
    nonce: bytes
    sealed: bytes


@dataclass
class Header:
    whole: bytes
    vault: bytes
    key_check: bytes
    salt: bytes
    nonce: bytes
    slots: list


def read_slot(reader):
    start = reader.offset
    kind = reader.number(1)
    check(kind in (PASSPHRASE, KEY, SERVICE_KEY), f"a key slot has the unknown kind {kind}")
    reader.bytes(16)
    check(len(reader.text().encode()) <= LONGEST_SLOT_NAME, "the name of a key slot is too long")
    salt = reader.bytes(16)
    memory, passes = (reader.number(4), reader.number(4)) if kind == PASSPHRASE else (8, 1)
    if memory not in MEMORY or passes not in PASSES or memory * passes > MEMORY_TIMES_PASSES:
        raise OverLimit(f"a key slot asks for {memory} KiB and {passes} passes")
    before_nonce = reader.data[start:reader.offset]
    return Slot(kind, salt, memory, passes, before_nonce, nonce=reader.bytes(12), sealed=reader.bytes(48))


def read_header(data):
    reader = Reader(data, "the file")
    check(reader.bytes(8) == b"CredKitV", "this is not a vault")
    version, reserved, size = reader.number(2), reader.number(2), reader.number(4)
    # These fields and the checksum have the same positions in every version.
    check(16 + 32 <= size <= LARGEST_HEADER, "the header has an impossible size")
    whole = data[:size]
    check(len(whole) == size, "the header is cut short")
    check(hashlib.sha256(whole[:-32]).digest() == whole[-32:], "the header's checksum is wrong")
    check(version == 1, f"version {version} is unknown")
    check(reserved == 0, "the reserved bytes are not 0")
    reader = Reader(whole[:-32], "the header")
    reader.bytes(16)
    vault = reader.bytes(16)
    generation = reader.number(8)
    key_check, salt, nonce = reader.bytes(32), reader.bytes(32), reader.bytes(12)
    sealed_size = reader.number(8)
    check(sealed_size >= 16, "the items are shorter than their tag")
    check(len(data) == size + sealed_size, "the file does not have the size in its header")
    check(generation >= 1, "the generation is 0")
    count = reader.number(2)
    check(1 <= count <= MOST_SLOTS, f"there are {count} key slots")
    header = Header(whole, vault, key_check, salt, nonce, [read_slot(reader) for _ in range(count)])
    reader.finish()
    return header


# Keys ---------------------------------------------------------------------------------------------------------------

def derive(key, salt, info):
    return HKDF(SHA256(), 32, salt, info).derive(key)


def slot_key(slot, secret):
    if slot.kind != PASSPHRASE:
        return derive(secret, slot.salt, b"CredKit vault 1 slot")
    return hash_secret_raw(
        secret, slot.salt, time_cost=slot.passes, memory_cost=slot.memory, parallelism=1, hash_len=32, type=Type.ID,
        version=0x13)


def vault_key(header, secret, is_passphrase):
    slots = [slot for slot in header.slots if (slot.kind == PASSPHRASE) == is_passphrase]
    for slot in slots:
        try:
            key = AESGCM(slot_key(slot, secret)).decrypt(slot.nonce, slot.sealed, header.vault + slot.before_nonce)
        except InvalidTag:
            continue
        is_ours = hmac.compare_digest(derive(key, header.vault, b"CredKit vault 1 check"), header.key_check)
        check(is_ours, "a key slot holds the key of another vault")
        return key
    raise WrongPassphrase("no key slot opens: the passphrase or key is wrong")


# The items ----------------------------------------------------------------------------------------------------------

def padded_size(size):
    """Returns the size to which Padmé pads a number of bytes."""
    exponent = size.bit_length() - 1
    step = 1 << (exponent - exponent.bit_length())
    return max(SMALLEST_PADDED, -(-size // step) * step)


def read_time(reader):
    """Formats a time in ISO 8601."""
    milliseconds = reader.number(8, signed=True)
    epoch = datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)
    try:
        time = epoch + datetime.timedelta(milliseconds=milliseconds)
    except OverflowError:
        raise Damaged(f"damaged: the time {milliseconds} ms is out of range") from None
    return time.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def read_key(data):
    reader = Reader(data, "a key")
    service = reader.text()
    has_account = reader.number(1)
    check(has_account in (0, 1), "the account flag of a key is neither 0 nor 1")
    account = reader.text() if has_account else None
    attributes = [(reader.text(), reader.text()) for _ in range(reader.number(2))]
    reader.finish()
    names = [name.encode() for name, _ in attributes]
    check(all(a < b for a, b in zip(names, names[1:])), "attributes are not in order, or one is there twice")
    return service, account, dict(attributes)


def read_record(data):
    """Returns a record's key, and its printed form."""
    reader = Reader(data, "a record")
    key = reader.bytes(reader.number(4))
    service, account, attributes = read_key(key)
    item = {"service": service}
    if account is not None:
        item["account"] = account
    item |= {"attributes": attributes, "label": reader.text(), "contentType": reader.text()}
    item |= {"created": read_time(reader), "modified": read_time(reader)}
    secret = reader.bytes(reader.number(4))
    reader.finish()
    try:
        item["secret"] = secret.decode()
    except UnicodeDecodeError:
        item["secretBase64"] = base64.b64encode(secret).decode()
    return key, item


def read_items(plain):
    reader = Reader(plain, "the list of items")
    content = reader.number(8)
    count = reader.number(4)
    check(12 <= content <= len(plain), "the size of the items is wrong")
    check(len(plain) == padded_size(content), "the padding has another size")
    check(not any(plain[content:]), "the padding is not zero")
    check(count <= (content - 12) // 4, "there is no room for so many items")
    offsets = [reader.number(4) for _ in range(count)]
    records = Reader(plain[:content], "the list of items")
    records.offset = reader.offset
    items, last = [], None
    for offset in offsets:
        check(offset == records.offset, "a record is not where its offset says")
        key, item = read_record(records.bytes(records.number(4)))
        check(last is None or last < key, "items are not in order, or one is there twice")
        last = key
        items.append(item)
    records.finish()
    return items


def read_vault(data, secret, is_passphrase):
    check(len(data) <= LARGEST_FILE, "the file is too large")
    header = read_header(data)
    key = vault_key(header, secret, is_passphrase)
    sealed = data[len(header.whole):]
    try:
        plain = AESGCM(derive(key, header.salt, b"CredKit vault 1 items")).decrypt(header.nonce, sealed, header.whole)
    except InvalidTag:
        raise Damaged("damaged: the items' tag is wrong") from None
    return read_items(plain)


# The program --------------------------------------------------------------------------------------------------------

def read_passphrase(descriptor):
    if descriptor is None and sys.stdin.isatty():
        return getpass.getpass("Passphrase: ").encode()
    with os.fdopen(0 if descriptor is None else descriptor, "rb") as file:
        return file.read(LONGEST_PASSPHRASE + 2).removesuffix(b"\n")


def main():
    parser = argparse.ArgumentParser(description="Opens a vault without CredKit, and prints its items as JSON.")
    secrets = parser.add_mutually_exclusive_group()
    secrets.add_argument("--passphrase-fd", type=int, metavar="N", help="read the passphrase from this file descriptor")
    secrets.add_argument("--key-file", metavar="FILE", help="read the key of a key slot from this file")
    parser.add_argument("vault", metavar="VAULT")
    options = parser.parse_args()
    try:
        with open(options.vault, "rb") as file:
            data = file.read(LARGEST_FILE + 1)
        if options.key_file is None:
            secret, allowed = read_passphrase(options.passphrase_fd), range(1, LONGEST_PASSPHRASE + 1)
        else:
            with open(options.key_file, "rb") as file:
                secret, allowed = file.read(LONGEST_KEY + 1), range(SHORTEST_KEY, LONGEST_KEY + 1)
        if len(secret) not in allowed:
            parser.error(f"the passphrase or key must have from {allowed.start} to {allowed.stop - 1} bytes")
        items = read_vault(data, secret, is_passphrase=options.key_file is None)
    except OSError as error:
        sys.exit(f"read-vault.py: {error}")
    except (Damaged, WrongPassphrase, OverLimit) as error:
        print(f"read-vault.py: {error}", file=sys.stderr)
        sys.exit(error.status)
    json.dump({"format": "credkit-credentials", "version": 1, "items": items}, sys.stdout, ensure_ascii=False, indent=2)
    print()


if __name__ == "__main__":
    main()
