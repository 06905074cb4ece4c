# Part of CredKit. SPDX-License-Identifier: Apache-2.0
"""The servers, their users, and the generator of logins, each a program of its own."""
import base64
import contextlib
import hashlib
import hmac
import json
import os
import subprocess
from pathlib import Path

import passkeys
from engines import Failure, processor_seconds

KEY_PHRASE = "itheima"
ITERATIONS = 4096


def mac(key, data, function="sha256"):
    return hmac.digest(key, data, function)


class Users:
    """A users file of the servers, and what the generator has computed from the passwords in advance.

    Each user has an address, as clients of a site have. So all limits are those of production.
    """

    def __init__(self, folder, kind, count):
        self.file, self.generator_file, self.kind = folder / f"users-{kind}", folder / f"clients-{kind}", kind
        self.names = names = [f"user{number}" for number in range(count)]
        if kind == "timestamped":
            key = hashlib.md5(KEY_PHRASE.encode()).hexdigest().encode()
            secrets = [mac(key, f"password of {name}".encode(), "md5").hex() for name in names]
            records = secrets
        else:
            # One password and one salt for all: the server's work is that of any others.
            salt = os.urandom(16)
            salted = hashlib.pbkdf2_hmac("sha256", b"password", salt, ITERATIONS)
            client, server = mac(salted, b"Client Key"), mac(salted, b"Server Key")
            parts = [base64.b64encode(part).decode() for part in (salt, hashlib.sha256(client).digest(), server)]
            records = [f"SCRAM-SHA-256${ITERATIONS}:{parts[0]}${parts[1]}:{parts[2]}"] * count
            secrets = [client.hex()] * count
        if kind == "passkeys":
            self.pair = passkeys.KeyPair(folder)
            secrets = [self.pair.private.hex()] * count
        self.file.write_text("".join(f"{name}:{record}\n" for name, record in zip(names, records)))
        self.file.chmod(0o600)
        self.generator_file.write_text("".join(
            f"{name} 10.{number >> 16}.{number >> 8 & 255}.{number & 255} {secret}\n"
            for number, (name, secret) in enumerate(zip(names, secrets))))


class Servers:
    """Several servers over one engine, with the default limits, behind a proxy that states the addresses of clients."""

    def __init__(self, program, folder, users, engine, count=4):
        self.processes, self.ports = [], []
        (folder / "key-phrase").write_text(KEY_PHRASE)
        key = folder / "state-key"
        if not key.exists():
            key.write_bytes(os.urandom(32))
        for path in (folder / "key-phrase", key):
            path.chmod(0o600)
        command = [program, "--users", users.file, "--listen", "127.0.0.1:0", "--trusted-proxy", "127.0.0.1", "--quiet",
                   *engine.options(count, folder)]
        if users.kind == "scram":
            command += ["--mechanism", "scram", "--mock-key-file", "mock-key"]
        elif users.kind == "passkeys":
            passkeys.enrol(engine, users.names, users.pair)
            command += ["--site", passkeys.ORIGIN, "--passkeys-in-state"]
        else:
            command += ["--mechanism", "timestamp", "--key-phrase-file", "key-phrase"]
        for number in range(count):
            self.start(command, folder, folder / f"log-{number}")
        engine.begin_history()

    def start(self, command, folder, log_file, attempts=5):
        """Starts a server. As a service manager does, it tries again if the engine does not answer in time on a busy machine."""
        with open(log_file, "w") as log:
            process = subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=log, text=True)
        line = process.stdout.readline()
        if line.startswith("listening on "):
            self.processes.append(process)
            return self.ports.append(int(line.rpartition(":")[2]))
        process.wait()
        process.stdout.close()
        if attempts > 1 and "did not answer in time" in log_file.read_text():
            return self.start(command, folder, log_file, attempts - 1)
        self.stop()
        raise Failure(f"credkit-server: {log_file.read_text()}")

    def processor_seconds(self):
        return sum(processor_seconds(process.pid) for process in self.processes)

    def stop(self):
        for process in self.processes:
            process.terminate()
            process.stdout.close()
        return [process.wait() for process in self.processes]


class Generator:
    """Sends logins. It is ready when its connections are open, and what can be sent in advance is sent."""

    def __init__(self, program, users, servers, *options, connections=32):
        self.process = subprocess.Popen(
            [program, users.kind, "--users", users.generator_file, "--key-phrase", KEY_PHRASE,
             "--servers", ",".join(map(str, servers.ports)), "--connections", str(connections), *map(str, options)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        if self.process.stdout.readline() != "ready\n":
            raise Failure(f"LoginGenerator: {self.process.communicate()[1]}")

    def begin(self):
        self.process.stdin.write("begin\n")
        self.process.stdin.flush()

    def end(self):
        line, errors = self.process.communicate()
        if self.process.returncode != 0:
            raise Failure(f"LoginGenerator: {errors}")
        return json.loads(line)

    def stop(self):
        with contextlib.suppress(ProcessLookupError):
            self.process.kill()
        self.process.wait()
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            with contextlib.suppress(BrokenPipeError):
                stream.close()
