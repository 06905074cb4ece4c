# Part of CredKit. SPDX-License-Identifier: Apache-2.0
"""Answers with the verifier in Python: for lines 'base64(password) TAB hash' match, mismatch or refused; for lines with a
password alone a new hash; for lines with a third field rehash or keep."""
import base64
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "interoperability/python"))
import layered_hash

for line in sys.stdin:
    password, *stored = line.rstrip("\n").split("\t")
    password = base64.b64decode(password)
    try:
        if len(stored) == 2:
            print("rehash" if layered_hash.needs_rehash(stored[0]) else "keep")
        elif stored:
            print("match" if layered_hash.verify(password, stored[0], {"app": b"84143"}) else "mismatch")
        else:
            print(layered_hash.hash(password))
    except layered_hash.UnsupportedHash:
        print("refused")
