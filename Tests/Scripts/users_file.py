#!/usr/bin/env python3
# Part of CredKit. SPDX-License-Identifier: Apache-2.0
"""Changes one file of users by several programs, or by programs that are killed, and checks that nothing is lost.

usage: users_file.py writers ROUNDS      eight writers at once
       users_file.py kill SEED ROUNDS    writers that are killed at any moment
"""
import random
import subprocess
import sys
import threading
import time

CHEAP = ["--scheme", "sha512-crypt", "--rounds", "1000", "--quiet"]
FIRST = b"# kept\n\nfirst:$1$abc$iCQ2D3nhptRYi27fDYv2s1:a comment\n"


def command(action, name):
    options = CHEAP if action == "set" else ["--quiet"]
    return ["credkit", "users", "users", action, name, *options]


def start(action, name):
    process = subprocess.Popen(command(action, name), stdin=subprocess.PIPE if action == "set" else None)
    if process.stdin:
        try:
            process.stdin.write(name.encode())
            process.stdin.close()
        except BrokenPipeError:
            pass
    return process


def content():
    with open("users", "rb") as file:
        return file.read()


def names():
    """Returns the names of all users, which must be whole lines after those that were there first."""
    text = content()
    assert text.startswith(FIRST) and text.endswith(b"\n"), text
    lines = text[len(FIRST):].decode().splitlines()
    assert all(line.count(":") == 1 and line.split(":")[1].startswith("$6$") for line in lines), lines
    found = [line.split(":")[0] for line in lines]
    assert len(set(found)) == len(found), found
    return set(found)


def writers(rounds):
    failures = []

    def write(writer):
        for number in range(rounds):
            if start("set", f"user{writer}-{number}").wait() != 0:
                failures.append((writer, number))
            if number % 2 and start("delete", f"user{writer}-{number}").wait() != 0:
                failures.append((writer, number, "delete"))

    threads = [threading.Thread(target=write, args=[writer]) for writer in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures, failures
    assert names() == {f"user{w}-{n}" for w in range(8) for n in range(0, rounds, 2)}, content()


def kill(seed, rounds):
    chance = random.Random(seed)
    begin = time.monotonic()
    assert start("set", "measured").wait() == 0
    duration = time.monotonic() - begin
    present = {"measured"}
    for number in range(rounds):
        process = start("set", f"user{number}")
        time.sleep(chance.uniform(0, duration * 1.2))
        process.kill()
        done = process.wait() == 0
        found = names()
        assert present <= found <= present | {f"user{number}"}, (present, found)
        assert not done or f"user{number}" in found, number
        present = found
    assert start("set", "last").wait() == 0
    assert names() == present | {"last"}


with open("users", "wb") as users:
    users.write(FIRST)
if sys.argv[1] == "writers":
    writers(int(sys.argv[2]))
else:
    kill(int(sys.argv[2]), int(sys.argv[3]))
