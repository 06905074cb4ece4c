#!/usr/bin/env python3
# Part of CredKit. SPDX-License-Identifier: Apache-2.0
"""Upgrades tables in shards, joins them, and compares the result with that of one run.

usage: upgrade_shards.py kinds                  a table with every kind of record, in eight shards
       upgrade_shards.py random SEED ROUNDS     random tables in random numbers of shards
       upgrade_shards.py kill SEED ROUNDS       shards that are killed, then resumed or repeated
       upgrade_shards.py seal PART              gives a part that was edited the digest of its lines
"""
import hashlib
import json
import os
import random
import re
import signal
import subprocess
import sys

CHEAP = ["--memory", "8KiB", "--passes", "1"]
HEADER = 256
MD5_CRYPT = "$1$abc$iCQ2D3nhptRYi27fDYv2s1"
SHA = "{SHA}5en6G6MezRroT3XKqkdPOmY/BfQ="
STRONG = "$argon2id$v=19$m=65536,t=3,p=1$c29tZXNhbHRzb21lc2FsdA$" + "A" * 43
WEAK = "$argon2i$v=19$m=64,t=1,p=1$c29tZXNhbHRzb21lc2FsdA$" + "A" * 43
LAYERED = re.compile(rb"(\$layered-argon2id\$[^$]*\$[^$]*\$)[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}")


def run(*arguments):
    """Runs an upgrade with JSON, and returns its status, numbers and messages."""
    done = subprocess.run(["credkit", "upgrade", "--allow-incompatible", "--json", *CHEAP, *arguments], capture_output=True, text=True)
    return done.returncode, json.loads(done.stdout or "null"), done.stderr


def remove(*names):
    for name in names:
        for ending in ["", ".partial", ".partial.note"]:
            if os.path.exists(name + ending):
                os.remove(name + ending)


def without_salts(name):
    """Returns the bytes of a table without what is random in it, and the number of its layered hashes."""
    with open(name, "rb") as file:
        return LAYERED.subn(rb"\1", file.read())


def compare(table, name, options, count, randomness):
    """Upgrades a table in one run and in shards, which must give the same."""
    remove("one", "joined", *[f"part.{k}" for k in range(1, count + 1)])
    with open(name, "wb") as file:
        file.write(table)
    one = run("--input", name, "--output", "one", *options)
    parts = []
    planned = {}
    for k in range(1, count + 1):
        parts.append(f"part.{k}")
        shard = ["--input", name, "--shard", f"{k}/{count}", *options]
        made = run("--output", parts[-1], *shard)
        assert made[0] in (0, 1, 65), made
        for key, value in made[1].items():
            planned[key] = planned.get(key, 0) + value
    randomness.shuffle(parts)
    joined = run("--input", name, "--output", "joined", "--join", *parts, *options)
    assert joined == one, (joined, one)
    assert one[0] in (0, 1, 65) and planned == one[1], (planned, one)
    texts, layered = without_salts("joined")
    assert (texts, layered) == without_salts("one"), "the tables differ"
    assert layered == one[1]["layered"] + table.count(b"$layered-argon2id$"), one
    assert not os.path.exists("joined.partial") and not os.path.exists("joined.partial.note")
    return one[1]


def kinds():
    randomness = random.Random(1)
    lines = [
        "# comment", f"alice:{MD5_CRYPT}", f"bob:{STRONG}:1:2\r", "", f"locked:!{MD5_CRYPT}:19000::::::",
        "nologin:*:19000::::::", "shadowed:x:0:0:root:/root:/bin/bash", "empty::19000", f"carol:{SHA}\r",
        f"weak:{WEAK}", "unreadable:nonsense", "fieldless", "bare:5ebe2294ecd0e0f08eab7690d2a6ee69", f"#dave:{SHA}",
    ]
    colons = "\n".join(lines + [f"user{i}:{SHA}" for i in range(40)] + [f"last:{MD5_CRYPT}"]).encode()
    numbers = compare(colons, "in", [], 8, randomness)
    assert numbers["layered"] >= 44 and numbers["problems"] > 0 and numbers["rehash"] > 0, numbers
    hashes = [MD5_CRYPT, SHA, f'"{STRONG}"', f'"{WEAK}"', "x", "", f'"{SHA}"'] * 5
    rows = [f'{i},"User, {i}\r\nof ""two"" lines",{hash}' for i, hash in enumerate(hashes)]
    csv = "\ufeff" + "\r\n".join(["id,name,password"] + rows + [f'9,z,{SHA}'])
    options = ["--hash-column", "password"]
    numbers = compare(csv.encode(), "in.csv", options, 8, randomness)
    assert numbers["multiline"] == 35, numbers
    # A quote that is not closed makes the rest one record.
    compare(csv.encode() + b'\r\n10,"open\r\n11,y,' + SHA.encode() + b"\n", "in.csv", options, 8, randomness)
    tsv = "user\thash\n" + "".join(f"u{i}\t{hash}\n" for i, hash in enumerate([SHA, r"\N", MD5_CRYPT, r"a\tb"] * 9))
    compare(tsv.encode(), "in.tsv", ["--hash-column", "hash"], 8, randomness)
    # More shards than records, a single one, and no record at all.
    compare(f"u:{SHA}\n".encode(), "in", [], 5, randomness)
    compare(colons, "in", [], 1, randomness)
    compare(b"", "in", [], 3, randomness)


def random_table(randomness):
    """Returns a random table, the name of its file, and the options for it."""
    format = randomness.choice(["colons", "csv", "tsv"])
    separator = {"colons": ":", "csv": ",", "tsv": "\t"}[format]
    has_header = format != "colons" and randomness.random() < 0.5
    records = [separator.join(["name", "hash", "note"])] if has_header else []
    for index in range(randomness.choice([0, 1, 5, 60])):
        hash = randomness.choice([
            SHA, MD5_CRYPT, "!" + MD5_CRYPT, "*", "", "x", STRONG, WEAK, "nonsense", randomness.randbytes(16).hex(),
        ])
        if format == "csv" and "," in hash:
            hash = f'"{hash}"'
        fields = [f"u{index}", hash, randomness.choice(["", "note", "\u00fc"])]
        if format == "csv":
            if randomness.random() < 0.3:
                fields[2] = '"a,\n""b"'
            if randomness.random() < 0.3 and '"' not in hash:
                fields[1] = f'"{hash}"'
        records.append(separator.join(fields[: randomness.choice([1, 2, 3, 3, 3])]))
    text = "".join(record + randomness.choice(["\n", "\n", "\r\n"]) for record in records)
    if randomness.random() < 0.3:
        text = text.rstrip("\r\n")
    options = [] if format == "colons" else ["--hash-column", "hash" if has_header else "2"]
    options += ["--as", "md5"] if randomness.random() < 0.5 else []
    return text.encode(), {"colons": "in", "csv": "in.csv", "tsv": "in.tsv"}[format], options


def kill(seed, rounds):
    """Kills one of eight shards at a random time, then resumes it, and another one, then repeats it; compares with one run."""
    randomness = random.Random(seed)
    table = "".join(f"u{i}:{randomness.randbytes(16).hex()}\n" for i in range(2400)).encode()
    options = ["--as", "md5"]
    # Slow enough to be killed on the way.
    CHEAP[1] = "512KiB"
    with open("in", "wb") as file:
        file.write(table)
    one = run("--input", "in", "--output", "one", *options)
    parts = [f"part.{k}" for k in range(1, 9)]
    resumed = repeated = 0
    for number in range(rounds):
        remove("joined", *parts)
        for k in range(1, 9):
            part = f"part.{k}"
            shard = ["--input", "in", "--output", part, "--shard", f"{k}/8", *options]
            command = ["credkit", "upgrade", "--allow-incompatible", *CHEAP, *shard]
            with subprocess.Popen(command, stderr=subprocess.DEVNULL) as child:
                limit = randomness.choice([0, HEADER, 5000, 20000])
                while child.poll() is None and k < 3:
                    if os.path.exists(part + ".partial") and os.path.getsize(part + ".partial") > limit:
                        child.send_signal(signal.SIGKILL)
                        break
                    os.sched_yield()
            if os.path.exists(part):
                continue
            assert child.returncode == -signal.SIGKILL, child.returncode
            if k == 1:
                # A record that was not written whole, and another shard, which must not continue this one.
                size = os.path.getsize(part + ".partial")
                os.truncate(part + ".partial", max(0, size - randomness.choice([0, 20, 300])))
                other = [word.replace("1/8", "2/8") for word in shard]
                before = open(part + ".partial", "rb").read()
                assert run("--resume", *other)[0] == 65, "another shard was continued"
                assert run("--resume", "--input", "in", "--output", part, *options)[0] == 65
                assert open(part + ".partial", "rb").read() == before
                done = run("--resume", *shard)
                resumed += 1
            else:
                remove(part)
                done = run(*shard)
                repeated += 1
            assert done[0] == 0 and done[1]["layered"] == 300, done
        order = parts[number % 8 :] + parts[: number % 8]
        joined = run("--input", "in", "--output", "joined", "--join", *order, *options)
        assert joined[:2] == one[:2] and joined[1]["layered"] == 2400, joined
        assert without_salts("joined") == without_salts("one")
        assert without_salts("joined")[1] == 2400
    assert resumed > 0 and repeated > 0, "no run was killed on the way"


def seal(name):
    with open(name, "rb") as file:
        content = file.read()
    words = content[:HEADER].split()
    records = content[HEADER:]
    words[8:] = [b"%d" % records.count(b"\n"), hashlib.sha256(records).hexdigest().encode()]
    with open(name, "wb") as file:
        file.write(b" ".join(words).ljust(HEADER - 1) + b"\n" + records)


def main():
    match sys.argv[1:]:
        case ["kinds"]:
            kinds()
        case ["random", seed, rounds]:
            randomness = random.Random(int(seed))
            for _ in range(int(rounds)):
                compare(*random_table(randomness), randomness.randrange(1, 10), randomness)
        case ["kill", seed, rounds]:
            kill(int(seed), int(rounds))
        case ["seal", name]:
            seal(name)
        case _:
            sys.exit(__doc__)


main()
