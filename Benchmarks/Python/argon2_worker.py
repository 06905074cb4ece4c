# Part of CredKit. SPDX-License-Identifier: Apache-2.0
"""The co-process that measures argon2-cffi and bcrypt: reads lines, and answers each with one line.

name                  ok, and the versions
hash MEMORY PASSES    ok, and the time of one Argon2id hash in nanoseconds
bcrypt COST           ok, and the time of one bcrypt hash in nanoseconds
"""
import importlib.metadata
import sys
import time

import bcrypt
from argon2 import PasswordHasher, Type


def answer(words):
    if words == ["name"]:
        return ", ".join(f"{name} {importlib.metadata.version(name)}" for name in ("argon2-cffi", "bcrypt"))
    if len(words) == 2 and words[0] == "bcrypt":
        start = time.perf_counter_ns()
        bcrypt.hashpw(b"correct horse battery staple", bcrypt.gensalt(int(words[1])))
        return str(time.perf_counter_ns() - start)
    if len(words) != 3 or words[0] != "hash":
        raise ValueError("malformed command")
    memory, passes = map(int, words[1:])
    hasher = PasswordHasher(time_cost=passes, memory_cost=memory, parallelism=1, type=Type.ID)
    start = time.perf_counter_ns()
    hasher.hash("correct horse battery staple")
    return str(time.perf_counter_ns() - start)


def main():
    for line in sys.stdin:
        try:
            print("ok", answer(line.split()), flush=True)
        except Exception as error:
            print("error", str(error).replace("\n", " "), flush=True)


if __name__ == "__main__":
    main()
