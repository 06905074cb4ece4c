# Part of CredKit. SPDX-License-Identifier: Apache-2.0
"""The engines that keep the shared state: started for a measurement, and asked what they did."""
import contextlib
import os
import shutil
import signal
import socket
import subprocess
import time
import urllib.parse
from pathlib import Path

import postgresql


class Failure(Exception):
    pass


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def until(condition, what, seconds=30):
    """Waits for an event that has no handle to wait on."""
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise Failure(f"{what}: not within {seconds} s")
        time.sleep(0.02)


def processor_seconds(process):
    """The processor time of a process and its threads so far."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class Memory:
    """No engine: each server keeps its own state."""

    name = "memory"
    limit = None

    def options(self, processes, folder):
        return []

    def begin_history(self):
        pass

    def counters(self):
        return {"commands": 0}

    def processor_seconds(self):
        return 0.0

    def memory(self):
        return 0

    def stop(self):
        pass


class Redis:
    """A Redis server with the settings of docs/operating.md, on a free port. With a URL, one that is running."""

    name = "redis"
    limit = 1 << 30

    def __init__(self, folder, url=None):
        self.process = None
        if url:
            parts = urllib.parse.urlsplit(url)
            self.host, self.port = parts.hostname, parts.port or 6379
        else:
            self.host, self.port = "127.0.0.1", free_port()
            data = folder / "redis"
            data.mkdir()
            lines = ["bind 127.0.0.1", f"port {self.port}", f"dir {data}", 'save ""', "appendonly yes",
                     f"maxmemory {self.limit}", "maxmemory-policy noeviction"]
            (data / "redis.conf").write_text("\n".join(lines) + "\n")
            self.configuration = data / "redis.conf"
            self.start()

    def start(self):
        """Starts the server, after stop() with what it has written to its file."""
        program = shutil.which("redis-server") or "/usr/bin/redis-server"
        self.process = subprocess.Popen([program, self.configuration], stdout=subprocess.DEVNULL,
                                        stdin=subprocess.DEVNULL)
        until(self.answers, "Redis does not start")

    def answers(self):
        with contextlib.suppress(OSError):
            # It refuses commands while it reads its file.
            with contextlib.suppress(Failure):
                return self.command("PING") == "PONG"
        return False

    def connect(self):
        return socket.create_connection((self.host, self.port), timeout=30)

    def command(self, *parts):
        with self.connect() as connection, connection.makefile("rb") as reader:
            connection.sendall(encode(parts))
            return read_reply(reader)

    def options(self, processes, folder):
        return ["--state", f"redis://{self.host}:{self.port}", "--state-key-file", "state-key",
                "--processes", str(processes)]

    def begin_history(self):
        """Dates the history back, as of an engine that has been running for long: else the first logins are refused."""
        history = self.info("replication")["master_replid"]
        self.command("HSET", "{credkit}:epoch", "history", history, "since", "1")

    def info(self, section):
        lines = self.command("INFO", section).splitlines()
        return dict(line.split(":", 1) for line in lines if ":" in line)

    def counters(self):
        statistics = self.info("commandstats")
        calls = {name: int(text.split(",")[0].removeprefix("calls=")) for name, text in statistics.items()}
        return {"commands": calls.get("cmdstat_evalsha", 0) + calls.get("cmdstat_eval", 0)}

    def processor_seconds(self):
        return processor_seconds(self.info("server")["process_id"])

    def memory(self):
        return int(self.info("memory")["used_memory"])

    def stop(self):
        if self.process:
            self.process.send_signal(signal.SIGKILL)
            self.process.wait()


def encode(parts):
    data = [part if isinstance(part, bytes) else str(part).encode() for part in parts]
    return b"*%d\r\n" % len(data) + b"".join(b"$%d\r\n%s\r\n" % (len(part), part) for part in data)


def read_reply(reader):
    line = reader.readline()
    kind, rest = line[:1], line[1:-2]
    if kind == b"$":
        return None if rest == b"-1" else reader.read(int(rest) + 2)[:-2].decode("latin-1")
    if kind == b"*":
        return [read_reply(reader) for _ in range(int(rest))]
    if kind == b":":
        return int(rest)
    if kind == b"-" or not line:
        raise Failure(f"the engine answers: {rest.decode() or 'nothing'}")
    return rest.decode()


def engine(name, folder, server_program, data="/tmp"):
    """The engine of a name (memory, redis, postgresql), or of the URL of a Redis server that is running.

    PostgreSQL keeps its cluster in the folder data, whose path is short and which its user can enter.
    """
    scheme = name.partition("://")[0]
    if scheme == "memory":
        return Memory()
    if scheme == "redis":
        return Redis(folder, name if "://" in name else None)
    if name == "postgresql":
        return postgresql.PostgreSQL(server_program, data)
    raise Failure(f"there is no engine {name}")
