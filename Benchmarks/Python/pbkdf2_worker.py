# Part of CredKit. SPDX-License-Identifier: Apache-2.0
"""The co-process that measures hashlib: reads lines, and answers each with one line.

name                          ok, and the version of python
pbkdf2 FUNCTION ITERATIONS    ok, and the processor time of one key in nanoseconds
"""
import hashlib
import platform
import sys
import time


def answer(words):
    if words == ["name"]:
        return f"python {platform.python_version()}"
    if len(words) != 3 or words[0] != "pbkdf2":
        raise ValueError("malformed command")
    start = time.thread_time_ns()
    hashlib.pbkdf2_hmac(words[1], b"correct horse", b"saltsaltsaltsalt", int(words[2]))
    return str(time.thread_time_ns() - start)


def main():
    for line in sys.stdin:
        try:
            print("ok", answer(line.split()), flush=True)
        except Exception as error:
            print("error", str(error).replace("\n", " "), flush=True)


if __name__ == "__main__":
    main()
