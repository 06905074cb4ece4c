# Part of CredKit. SPDX-License-Identifier: Apache-2.0
"""Writes random parameters and their signatures in random formats, and random webhooks with their signatures, for
comparison in SignaturePeerTests. Each line is one case in JSON.

usage: signatures.py COUNT SEED
"""
import base64
import hashlib
import hmac
import json
import random
import sys

count, seed = int(sys.argv[1]), sys.argv[2]
rng = random.Random(seed)
# The order of these characters by bytes differs from that by UTF-16 and from that of normalized text.
ALPHABET = ["a", "b", "Z", "_", "&", "=", "é", "e\u0301", "ｆ", "\U0001F600", "中", "\u0301", "0", " ", "\0"]


def text(longest):
    return "".join(rng.choice(ALPHABET) for _ in range(rng.randint(0, longest)))


for _ in range(count):
    parameters = {text(3): text(rng.choice([0, 4, 200])) for _ in range(rng.randint(0, 12))}
    names = list(parameters)
    case = {
        "delimited": rng.random() < 0.5,
        "digest": rng.choice(["md5", "hmac-md5", "hmac-sha256"]),
        "position": rng.choice(["suffix", "start", "both", "none"]),
        "separator": rng.choice(["", "&key=", "é"]),
        "prefix": rng.choice(["", "/order/get"]),
        "uppercase": rng.random() < 0.5,
        "omitsEmpty": rng.random() < 0.5,
        "excluded": [name for name in names if rng.random() < 0.1],
        "secret": text(70) + "s",
        "parameters": [[name, value] for name, value in parameters.items()],
    }
    if case["digest"] == "md5" and case["position"] == "none":
        case["position"] = "suffix"
    signed = [
        (name.encode(), value.encode())
        for name, value in parameters.items()
        if name not in case["excluded"] and (value or not case["omitsEmpty"])
    ]
    signed.sort()
    if case["delimited"]:
        message = b"&".join(name + b"=" + value for name, value in signed)
    else:
        message = b"".join(name + value for name, value in signed)
    secret = case["secret"].encode()
    message = case["prefix"].encode() + message
    if case["position"] == "suffix":
        message += case["separator"].encode() + secret
    elif case["position"] == "start":
        message = secret + case["separator"].encode() + message
    elif case["position"] == "both":
        message = secret + message + secret
    if case["digest"] == "md5":
        digits = hashlib.md5(message).hexdigest()
    else:
        digits = hmac.new(secret, message, case["digest"].removeprefix("hmac-")).hexdigest()
    case["signature"] = digits.upper() if case["uppercase"] else digits

    key, body = rng.randbytes(rng.randint(24, 64)), rng.randbytes(rng.choice([0, 3, 63, 64, 500]))
    case["webhookSecret"] = "whsec_" + base64.b64encode(key).decode()
    case["body"] = body.hex()
    case["id"] = "msg_" + rng.randbytes(8).hex()
    case["timestamp"] = rng.randrange(10**10)
    content = f"{case['id']}.{case['timestamp']}.".encode() + body
    case["webhookSignature"] = "v1," + base64.b64encode(hmac.new(key, content, "sha256").digest()).decode()
    content = f"{case['timestamp']}.".encode() + body
    digits = hmac.new(case["webhookSecret"].encode(), content, "sha256").hexdigest()
    case["stripeSignature"] = f"t={case['timestamp']},v1={digits}"
    case["hubSignature"] = "sha256=" + hmac.new(case["webhookSecret"].encode(), body, "sha256").hexdigest()
    print(json.dumps(case))
