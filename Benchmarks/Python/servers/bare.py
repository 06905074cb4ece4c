# Part of CredKit. SPDX-License-Identifier: Apache-2.0
"""The engine's bare commands, as the limit of what servers can reach with it.

The commands of real logins are recorded, and sent again to an engine without data, over one connection that waits for no
single reply.
"""
import re
import threading
import time

from engines import Failure, encode

DEPTH = 64


def record(bench, count):
    """Returns the scripts with their arguments that Redis ran for a number of answers, in order."""
    with bench.engine.connect() as connection, connection.makefile("rb") as reader:
        connection.sendall(encode(["MONITOR"]))
        reader.readline()
        lines = []

        def read():
            # Commands that scripts ran are marked, and are no round trips.
            while (line := reader.readline()) and b'"ECHO" "end of logins"' not in line:
                if b'"EVALSHA"' in line and b"[0 lua]" not in line:
                    lines.append(line)

        thread = threading.Thread(target=read)
        report = None

        def end():
            bench.engine.command("ECHO", "end of logins")
            thread.join()

        thread.start()
        try:
            report = bench.run("--logins", count, "--in-advance")
        finally:
            end()
    commands = [parse(line.decode("latin-1")) for line in lines]
    # What was sent in advance came before.
    return commands[-int(report["commands"]):]


def parse(line):
    """Returns the time of a line of MONITOR in microseconds, and the parts of the command."""
    parts = re.findall(r'"((?:[^"\\]|\\.)*)"', line)
    seconds, _, fraction = line.lstrip("+").split(" ")[0].partition(".")
    return int(seconds) * 1_000_000 + int(fraction), [
        part.encode("latin-1").decode("unicode_escape").encode("latin-1") for part in parts
    ]


def refreshed(recorded, now):
    """Returns a command with the present time in place of the server's clock at the time of the recording."""
    then, parts = recorded
    return [
        str(now).encode() if len(part) == 16 and part.isdigit() and abs(int(part) - then) < 60_000_000 else part
        for part in parts
    ]


def replay(engine, commands):
    """Sends the commands again. Returns the seconds, and the processor seconds of the engine."""
    history = engine.command("HGET", "{credkit}:epoch", "history")
    engine.command("FLUSHALL")
    engine.command("HSET", "{credkit}:epoch", "history", history, "since", "1")
    now = time.time_ns() // 1000
    encoded = [encode(refreshed(command, now)) for command in commands]
    batches = [b"".join(encoded[start:start + DEPTH]) for start in range(0, len(encoded), DEPTH)]
    done = 0
    with engine.connect() as connection:
        before, start = engine.processor_seconds(), time.perf_counter()
        for number, batch in enumerate(batches):
            connection.sendall(batch)
            # One batch is on the way while the engine works on another.
            while done < min((number - 1) * DEPTH, len(encoded)) or number + 1 == len(batches) and done < len(encoded):
                data = connection.recv(1 << 20)
                if not data or b"-" in data.replace(b":-", b""):
                    raise Failure(f"Redis answers {data[:200]!r}")
                done += data.count(b"allowed") + data.count(b"accepted")
                if b"replayed" in data or b"early" in data or b"limited" in data:
                    raise Failure(f"Redis refuses a bare command: {data[:200]!r}")
        return time.perf_counter() - start, engine.processor_seconds() - before
