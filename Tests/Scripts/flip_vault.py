# Part of CredKit. SPDX-License-Identifier: Apache-2.0
"""Reads a vault with script/read-vault.py repeatedly, each time with one bit changed.

usage: flip_vault.py READ-VAULT VAULT OFFSET…

Reads the passphrase from standard input. For each offset, flips the lowest bit of that byte, recomputes the header's
checksum, and prints the exit status of read-vault.py; 0 means that the vault was read.
"""
import hashlib
import importlib.util
import sys

spec = importlib.util.spec_from_file_location("read_vault", sys.argv[1])
read_vault = importlib.util.module_from_spec(spec)
spec.loader.exec_module(read_vault)

passphrase = sys.stdin.buffer.read()
with open(sys.argv[2], "rb") as file:
    vault = file.read()
end = int.from_bytes(vault[12:16], "little")
for offset in map(int, sys.argv[3:]):
    changed = bytearray(vault)
    changed[offset] ^= 1
    if offset < end - 32:
        changed[end - 32:end] = hashlib.sha256(changed[:end - 32]).digest()
    try:
        read_vault.read_vault(bytes(changed), passphrase, is_passphrase=True)
        print(0)
    except (read_vault.Damaged, read_vault.WrongPassphrase, read_vault.OverLimit) as error:
        print(error.status)
