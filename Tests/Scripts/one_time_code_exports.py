"""Random exports of Google Authenticator, encoded here by hand, and what a reader must find in them.

usage: one_time_code_exports.py COUNT SEED    a line of JSON each: uri, part, parts, keys, refused
"""
import base64
import json
import random
import sys
import urllib.parse

NAMES = "abcXYZ 019-._~@'()!*,$&=+%/?éß漢😀"


def varint(number):
    number &= (1 << 64) - 1
    text = bytearray()
    while number > 0x7F:
        text.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes(text + bytes([number]))


def field(number, value):
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    value = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(value)) + value


def unknown(generator):
    """A field that a later version may have."""
    number = generator.randint(8, 1 << 20)
    return generator.choice([
        field(number, generator.randint(0, (1 << 64) - 1)), field(number, generator.randbytes(5)),
        varint(number << 3 | 1) + bytes(8), varint(number << 3 | 5) + bytes(4),
    ])


def name(generator):
    return "".join(generator.choice(NAMES) for _ in range(generator.randint(1, 20))).strip()


def account(generator):
    """Returns the message of an account, and what is read of it; None for one that is refused."""
    seed = generator.randbytes(generator.choice([10, 16, 20, 20, 32, 64, generator.randint(1, 300)]))
    issuer = name(generator) if generator.random() < 0.8 else ""
    plain = name(generator)
    label = f"{issuer}:{plain}" if issuer and generator.random() < 0.5 else plain
    algorithm = generator.choice([0, 1, 1, 1, 2, 3, 4, 5])
    digits = generator.choice([0, 1, 1, 2, 3, 4])
    kind = generator.choice([0, 1, 1, 2, 2, 2, 3])
    counter = generator.choice([0, 1, generator.randint(0, (1 << 63) - 1), -1]) if kind == 1 else 0
    fields = [field(1, seed), field(2, label)]
    for number, value in [(3, issuer), (4, algorithm), (5, digits), (6, kind), (7, counter)]:
        # The encoding leaves out what is empty or 0; a writer may write it nevertheless.
        if value or generator.random() < 0.2:
            fields.append(field(number, value))
    fields += [unknown(generator) for _ in range(generator.choice([0, 0, 1]))]
    generator.shuffle(fields)
    if algorithm > 3 or digits > 3 or kind > 2 or counter < 0:
        return b"".join(fields), None
    return b"".join(fields), {
        "seed": seed.hex(), "issuer": issuer, "account": plain, "algorithm": ["SHA-1", "SHA-1", "SHA-256", "SHA-512"][algorithm],
        "digits": [6, 6, 8, 7][digits], "counter": str(counter) if kind == 1 else None,
    }


def export(generator):
    accounts = [account(generator) for _ in range(generator.randint(0, 12))]
    parts = generator.choice([0, 1, 1, generator.randint(2, 5)])
    part = generator.randrange(max(parts, 1))
    fields = [field(1, message) for message, _ in accounts]
    fields += [field(2, 1), field(3, parts), field(4, part), field(5, generator.randint(-(1 << 31), (1 << 31) - 1))]
    fields += [unknown(generator) for _ in range(generator.choice([0, 0, 1]))]
    text = base64.b64encode(b"".join(fields)).decode()
    text = urllib.parse.quote(text, safe="") if generator.random() < 0.8 else text
    return {
        "uri": f"otpauth-migration://offline?data={text}", "part": part + 1, "parts": max(parts, 1),
        "keys": [key for _, key in accounts if key], "refused": sum(key is None for _, key in accounts),
    }


generator = random.Random(int(sys.argv[2]))
for _ in range(int(sys.argv[1])):
    print(json.dumps(export(generator)))
