# Part of CredKit. SPDX-License-Identifier: Apache-2.0
"""Verifies signed messages with http-message-signatures, and signs them anew, for SignatureDifferentialTests.

Reads a list of cases as JSON from standard input, and writes one with the results. Bytes of fields are code points.
"""

import datetime
import json
import sys
from http.client import HTTPMessage
from types import SimpleNamespace

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from http_message_signatures import HTTPMessageSigner, HTTPMessageVerifier, MappingKeyResolver
from http_message_signatures.algorithms import ED25519, HMAC_SHA256


def headers(fields):
    result = HTTPMessage()
    for name, value in fields:
        result[name] = value
    return result


def request(case):
    query = "" if case.get("query") is None else "?" + case["query"]
    return SimpleNamespace(
        method=case["method"],
        url=f"{case['scheme']}://{case['authority']}{case['path']}{query}",
        headers=headers(case["fields"]),
    )


def message(case):
    if case.get("status") is None:
        return request(case)
    return SimpleNamespace(
        status_code=case["status"], headers=headers(case["responseFields"]), request=request(case)
    )


def handlers(case):
    seed = bytes.fromhex(case["key"])
    if case["algorithm"] == "ed25519":
        private = Ed25519PrivateKey.from_private_bytes(seed)
        algorithm, public = ED25519, private.public_key()
    else:
        algorithm, private, public = HMAC_SHA256, seed, seed
    keys = MappingKeyResolver(public_keys={"key": public}, private_keys={"key": private})
    return (
        HTTPMessageVerifier(signature_algorithm=algorithm, key_resolver=keys),
        HTTPMessageSigner(signature_algorithm=algorithm, key_resolver=keys),
    )


def run(case):
    verifier, signer = handlers(case)
    signed = message(case)
    signed.headers["Signature-Input"] = case["signatureInput"]
    signed.headers["Signature"] = case["signature"]
    problem = ""
    try:
        verifier.verify(signed)
    except Exception as error:
        problem = f"{type(error).__name__}: {error}"
    own = message(case)
    signer.sign(
        own,
        key_id="key",
        created=datetime.datetime.fromtimestamp(case["created"], datetime.timezone.utc),
        nonce="from python",
        label="python",
        include_alg=case["created"] % 2 == 0,
        covered_component_ids=case["components"],
        use_existing_digest="content-digest" in {name.lower() for name, _ in case["fields"]},
    )
    return {
        "problem": problem,
        "signatureInput": own.headers["Signature-Input"],
        "signature": own.headers["Signature"],
    }


json.dump([run(case) for case in json.load(sys.stdin)], sys.stdout)
