"""Random keys and codes of pyotp, and what pyotp reads of given URIs.

usage: one_time_codes.py make COUNT SEED    a line each: URI, seed in Base32, counter or time, code, issuer, account
       one_time_codes.py read FILE          lines of the file: URI, counter or time; prints code, issuer, account
"""
import base64
import hashlib
import random
import sys

import pyotp

DIGESTS = {"SHA1": hashlib.sha1, "SHA256": hashlib.sha256, "SHA512": hashlib.sha512}
# pyotp decodes a URI before it takes it apart, so it misreads names with # % & + ; = ? / and colons.
NAMES = "abcXYZ 019-._~@'()!*,$éß漢😀"


def name(generator, least):
    text = "".join(generator.choice(NAMES) for _ in range(generator.randint(least, 20))).strip()
    return text or "a" * least


def code(key, moment):
    # The method at() of pyotp adds the first counter.
    return key.generate_otp(moment) if isinstance(key, pyotp.HOTP) else key.at(moment)


def make(count, generator):
    for _ in range(count):
        # pyotp rejects seeds of less than 14 bytes, and periods of more than 120 seconds.
        length = generator.choice([14, 16, 20, 20, 32, 64, 65, 128, 129, generator.randint(14, 1024)])
        seed = base64.b32encode(generator.randbytes(length)).decode().rstrip("=")
        digest = generator.choice(list(DIGESTS.values()))
        issuer = name(generator, 1) if generator.random() < 0.7 else None
        options = {
            "digits": generator.randint(6, 8), "digest": digest, "name": name(generator, 1), "issuer": issuer,
        }
        if generator.random() < 0.5:
            key = pyotp.TOTP(seed, interval=generator.choice([30, 60, generator.randint(1, 120)]), **options)
            moment = generator.choice([0, 59, generator.randint(0, 1 << 32), generator.randint(0, 1 << 37)])
        else:
            key = pyotp.HOTP(seed, initial_count=generator.choice([0, 1, generator.randint(0, (1 << 64) - 1)]), **options)
            moment = generator.choice([0, (1 << 64) - 1, generator.randint(0, 1 << 64) >> generator.randint(1, 60)])
        uri = key.provisioning_uri()
        if isinstance(key, pyotp.HOTP) and "counter=" not in uri:
            # pyotp omits the first counter, although the format requires it.
            uri = uri.replace("?", "?counter=0&")
        print(uri, seed, moment, code(key, moment), issuer or "", key.name, sep="\t")


def read(path):
    for line in open(path, encoding="utf-8"):
        uri, moment = line.rstrip("\n").split("\t")
        key = pyotp.parse_uri(uri)
        print(code(key, int(moment)), key.issuer or "", key.name, sep="\t")


sys.stdout.reconfigure(encoding="utf-8")
if sys.argv[1] == "make":
    make(int(sys.argv[2]), random.Random(int(sys.argv[3])))
else:
    read(sys.argv[2])
