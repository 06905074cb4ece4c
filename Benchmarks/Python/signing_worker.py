# Part of CredKit. SPDX-License-Identifier: Apache-2.0
"""The co-process that measures Python's http-message-signatures: reads lines, and answers each with one line.

name                              ok, and which version this is
time NAME SIZE ITERATIONS         ok, and the processor time of the iterations in nanoseconds. Each signs or verifies the
                                  same GET request with five components under hmac-sha256; SIZE is ignored.
"""
import sys
from http.client import HTTPMessage
from importlib.metadata import version
from itertools import repeat
from time import thread_time_ns
from types import SimpleNamespace

from http_message_signatures import HTTPMessageSigner, HTTPMessageVerifier, MappingKeyResolver
from http_message_signatures.algorithms import HMAC_SHA256

COMPONENTS = ("@method", "@authority", "@path", "@query", "accept")
KEYS = MappingKeyResolver(public_keys={"k1": bytes([7] * 32)}, private_keys={"k1": bytes([7] * 32)})
SIGNER = HTTPMessageSigner(signature_algorithm=HMAC_SHA256, key_resolver=KEYS)
VERIFIER = HTTPMessageVerifier(signature_algorithm=HMAC_SHA256, key_resolver=KEYS)


def request():
    headers = HTTPMessage()
    headers["Accept"] = "application/json"
    headers["User-Agent"] = "benchmark"
    return SimpleNamespace(
        method="GET", url="https://api.example.com/students?class=666&page=2", headers=headers
    )


def sign(message):
    SIGNER.sign(message, key_id="k1", covered_component_ids=COMPONENTS, label="sig", nonce="0123456789abcdef012345")


def answer(words):
    if words == ["name"]:
        return f"http-message-signatures {version('http-message-signatures')}"
    if len(words) != 4 or words[0] != "time" or words[1] not in ("sign", "verify"):
        raise ValueError("malformed command")
    count = int(words[3])
    if words[1] == "verify":
        message = request()
        sign(message)
        start = thread_time_ns()
        for _ in repeat(None, count):
            VERIFIER.verify(message)
        return str(thread_time_ns() - start)
    messages = [request() for _ in range(count)]
    start = thread_time_ns()
    for message in messages:
        sign(message)
    return str(thread_time_ns() - start)


def main():
    for line in sys.stdin:
        try:
            print("ok", answer(line.split()), flush=True)
        except Exception as error:
            print("error", repr(error).replace("\n", " "), flush=True)


if __name__ == "__main__":
    main()
