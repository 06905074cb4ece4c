# Part of CredKit. SPDX-License-Identifier: Apache-2.0
"""The co-process that measures pybase64 and Python's binascii: reads lines, and answers each with one line.

usage: worker.py FILE    the file has the bytes whose beginning is the input

name                              ok, and which versions these are
check OPERATION SIZE              ok, and the MD5 of the result
time OPERATION SIZE ITERATIONS    ok, and the processor time of the iterations in nanoseconds
"""
import binascii
import hashlib
import platform
import sys
from itertools import repeat
from time import thread_time_ns

try:
    import pybase64
except ImportError as error:
    print(f"error pybase64 is missing from {sys.executable}: {error}", flush=True)
    sys.exit(1)

# Each function returns a new bytes object, and the decoders reject invalid Base64.
OPERATIONS = {
    "pybase64-encode": pybase64.b64encode,
    "pybase64-decode": lambda text: pybase64.b64decode(text, None, True),
    "binascii-encode": lambda data: binascii.b2a_base64(data, newline=False),
    "binascii-decode": lambda text: binascii.a2b_base64(text, strict_mode=True),
}


def loop_of(name):
    """The timed loop, written out for each call to avoid the cost of a lambda."""
    b64encode, b64decode = pybase64.b64encode, pybase64.b64decode
    b2a, a2b = binascii.b2a_base64, binascii.a2b_base64

    def pybase64_encode(data, count):
        for _ in repeat(None, count):
            b64encode(data)

    def pybase64_decode(text, count):
        for _ in repeat(None, count):
            b64decode(text, None, True)

    def binascii_encode(data, count):
        for _ in repeat(None, count):
            b2a(data, newline=False)

    def binascii_decode(text, count):
        for _ in repeat(None, count):
            a2b(text, strict_mode=True)

    return locals()[name.replace("-", "_")]


def answer(words, data):
    if words == ["name"]:
        return f"pybase64 {pybase64.__version__}, python {platform.python_version()}"
    if len(words) < 3 or words[1] not in OPERATIONS:
        raise ValueError("malformed command")
    size = int(words[2])
    if not 0 <= size <= len(data):
        raise ValueError("the input has fewer bytes than the requested size")
    given = data[:size]
    if words[1].endswith("-decode"):
        given = binascii.b2a_base64(given, newline=False)
    if words[0] == "check" and len(words) == 3:
        return hashlib.md5(OPERATIONS[words[1]](given)).hexdigest()
    if words[0] == "time" and len(words) == 4:
        loop, count = loop_of(words[1]), int(words[3])
        start = thread_time_ns()
        loop(given, count)
        return str(thread_time_ns() - start)
    raise ValueError("malformed command")


def main():
    with open(sys.argv[1], "rb") as file:
        data = file.read()
    for line in sys.stdin:
        try:
            print("ok", answer(line.split(), data), flush=True)
        except Exception as error:
            print("error", str(error).replace("\n", " "), flush=True)


if __name__ == "__main__":
    main()
