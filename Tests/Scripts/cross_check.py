# Part of CredKit. SPDX-License-Identifier: Apache-2.0
"""Writes random inputs and Python's results for them, for comparison in PythonCrossCheckTests.

usage: cross_check.py COUNT [SEED]
"""
import base64
import hashlib
import hmac
import os
import random
import struct
import sys

count = int(sys.argv[1])
seed = sys.argv[2] if len(sys.argv) > 2 else os.urandom(8).hex()
print(f"cross_check.py: {count} inputs, seed {seed}", file=sys.stderr)
rng = random.Random(seed)


def field(data):
    if isinstance(data, str):
        data = data.encode()
    sys.stdout.buffer.write(struct.pack(">I", len(data)) + data)


def md5(data):
    return hashlib.md5(data).hexdigest()


for number in range(count):
    # Short inputs and lengths around block sizes matter as much as long inputs.
    longest = rng.choice([3, 70, 130, 1000, 100_000, 100_000, 100_000])
    data = rng.randbytes(rng.randint(0, longest))
    key = rng.randbytes(rng.randint(0, rng.choice([16, 63, 64, 65, 128, 129, 300])))
    salt = rng.randbytes(rng.randint(0, 40))
    for value in (data, key, salt):
        field(value)

    answers = {name: hashlib.new(name, data).hexdigest() for name in ("md5", "sha1", "sha256", "sha384", "sha512")}
    for name in ("md5", "sha1", "sha256", "sha384", "sha512"):
        answers["hmac-" + name] = hmac.new(key, data, name).hexdigest()
    answers["salted-suffix"] = md5(data + salt)
    answers["salted-prefix"] = md5(salt + data)
    answers["salted-3-rounds"] = md5(md5(md5(data + salt).encode()).encode())
    login_key = md5(key).encode()
    equivalent = hmac.new(login_key, data, "md5").hexdigest()
    answers["timestamped-equivalent"] = equivalent
    answers["timestamped-proof"] = hmac.new(login_key, (equivalent + "2026-01-02 03:04").encode(), "md5").hexdigest()
    answers["base64"] = base64.b64encode(data)
    answers["base64-unpadded"] = base64.b64encode(data).rstrip(b"=")
    answers["base64url"] = base64.urlsafe_b64encode(data)
    answers["base64url-unpadded"] = base64.urlsafe_b64encode(data).rstrip(b"=")
    answers["base64-lines"] = base64.encodebytes(data)
    for name, value in answers.items():
        field(name)
        field(value)
