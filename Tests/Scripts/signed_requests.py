# Part of CredKit. SPDX-License-Identifier: Apache-2.0
"""Signs requests with http-message-signatures, for RequestPeerTests.

Reads a list of cases as JSON from standard input, and writes the fields of each. Keys and content are hexadecimal.
"""

import datetime
import json
import sys
from http.client import HTTPMessage
from types import SimpleNamespace

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from http_message_signatures import HTTPMessageSigner, MappingKeyResolver
from http_message_signatures.algorithms import ED25519, HMAC_SHA256


def sign(case):
    key, algorithm = bytes.fromhex(case["key"]), HMAC_SHA256
    if case["algorithm"] == "ed25519":
        key, algorithm = Ed25519PrivateKey.from_private_bytes(key), ED25519
    created = datetime.datetime.fromtimestamp(case["created"], datetime.timezone.utc)
    message = SimpleNamespace(method=case["method"], url=case["url"], headers=HTTPMessage())
    content = bytes.fromhex(case["content"])
    if content:
        message.headers["Content-Length"] = str(len(content))
    HTTPMessageSigner(
        signature_algorithm=algorithm,
        key_resolver=MappingKeyResolver(public_keys={}, private_keys={case["keyID"]: key}),
    ).sign(
        message,
        key_id=case["keyID"],
        created=created,
        expires=created + datetime.timedelta(seconds=case["lifetime"]),
        nonce=case["nonce"],
        tag="requests",
        label="python",
        include_alg=case["created"] % 2 == 0,
        covered_component_ids=("@method", "@authority", "@path", "@query"),
        body=content or None,
    )
    return message.headers.items()


json.dump([sign(case) for case in json.load(sys.stdin)], sys.stdout)
