# Part of CredKit. SPDX-License-Identifier: Apache-2.0
"""Lets programs use the client and the keychain for long, and checks that they take no more and more memory, descriptors, threads
or files, and that nothing fails: a session behind nginx whose login expires every few seconds, with stored responses and downloads,
and a vault that five programs change at once.

usage: client_soak.py --server PROGRAM --client PROGRAM [--seconds COUNT]
"""
import argparse
import collections
import contextlib
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from engines import Failure, Memory
from flatness import Flatness
from programs import Servers, Users
from protected_site import Nginx

VAULT_PROGRAMS = 5
# A session of the server, in seconds: the client logs in again after each.
SESSION_SECONDS = 5
STORED_COUNT, LARGE_BYTES = 64, 4 << 20
# What the programs must have done at least, per minute and by name. A machine that is busy with other work does less.
LEAST = {
    "session": {"request": 100, "download": 20, "restored": 2, "network": 10, "stored": 1, "validated": 10},
    "vault": {"stored": 20, "read": 20, "deleted": 5, "listed": 1, "opened": 1},
}
# The memory of a program with downloads differs by a tenth from minute to minute: longer parts are compared than of servers.
PART = 2 / 9
# How long a program may take to end.
END_SECONDS = 120
# Files that a program may leave for a while in its folders.
FILE_GROWTH = 16

SITE = """
    upstream login { server 127.0.0.1:LOGIN; keepalive 4; }
    server {
        listen 127.0.0.1:PORT;
        proxy_http_version 1.1; proxy_set_header Connection ""; proxy_set_header Host $http_host;
        location ~ \\.php$ { proxy_pass http://login; access_log logins; }
        location = /check {
            internal; proxy_pass http://login/auth/session; proxy_pass_request_body off; proxy_set_header Content-Length "";
        }
        location / { auth_request /check; root files; }
        location /stored- { auth_request /check; root files; add_header Cache-Control "private, max-age=1"; }
    }
"""


class LoginServer(Servers):
    """A server whose sessions end early. Its limits are for people."""

    def __init__(self, program, folder):
        users = Users(folder, "timestamped", 1)
        self.options = ["--session-ttl", str(SESSION_SECONDS), "--attempts", "1000000"]
        super().__init__(program, folder, users, Memory(), 1)

    def start(self, command, folder, log_file, attempts=5):
        super().start([*command, *self.options], folder, log_file, attempts)


class Client:
    """A program that works until its input ends."""

    def __init__(self, *command):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def end(self):
        try:
            report, _ = self.process.communicate(timeout=END_SECONDS)
        except subprocess.TimeoutExpired:
            return {"failures": 1, "firstFailure": f"it does not end within {END_SECONDS} s"}
        if self.process.returncode:
            return {"failures": 1, "firstFailure": f"it ends with the status {self.process.returncode}"}
        return json.loads(report)


def write_files(folder):
    files = folder / "nginx/files"
    files.mkdir(parents=True)
    (files / "small").write_text("small")
    (files / "large").write_bytes(os.urandom(LARGE_BYTES))
    for number in range(STORED_COUNT):
        (files / f"stored-{number}").write_bytes(os.urandom((number + 1) << 10))


def file_counts(folder):
    """The number of files that the clients have, by folder."""
    return {name: sum(len(files) for _, _, files in os.walk(folder / name)) for name in ("session", "vault")}


def check(name, report, minutes):
    """Prints what a client did. Returns what is not as it must be."""
    failures, first = report.pop("failures", 0), report.pop("firstFailure", None)
    print(f"{name}: " + ", ".join(f"{count} {kind}" for kind, count in report.items()) + f", {failures} failed")
    problems = [f"{failures} steps of {name} failed, the first: {first}"] if failures else []
    least = LEAST[name.partition(" ")[0]]
    return problems + [f"{name}: only {report.get(kind, 0)} {kind}" for kind, count in least.items()
                       if report.get(kind, 0) < count * minutes]


def soak(options, folder):
    write_files(folder)
    for name in ("session", "vault"):
        (folder / name).mkdir(mode=0o700)
        (folder / name / "key").write_bytes(os.urandom(32))
        (folder / name / "key").chmod(0o600)
    with contextlib.ExitStack() as stack:
        server = LoginServer(options.server, folder)
        stack.callback(server.stop)
        nginx = Nginx(folder / "nginx", SITE.replace("LOGIN", str(server.ports[0])))
        stack.callback(nginx.stop)
        url, vault = f"http://127.0.0.1:{nginx.port}", folder / "vault"
        clients = {"session": Client(options.client, "soak", "session", url, folder / "session")}
        for number in range(VAULT_PROGRAMS):
            clients[f"vault {number}"] = Client(options.client, "soak", "vault", vault / "vault", vault / "key", str(number))
        for client in clients.values():
            stack.callback(client.process.kill)
        processes = {name: client.process.pid for name, client in clients.items()} | {"server": server.processes[0].pid}
        with Flatness(processes, options.seconds, lambda: file_counts(folder), PART) as flatness:
            time.sleep(options.seconds)
        reports = {name: client.end() for name, client in clients.items()}
        problems = flatness.problems()
        for name, report in reports.items():
            problems += check(name, report, options.seconds / 60)
        logins = collections.Counter(line.split()[6] for line in (folder / "nginx/logins").read_text().splitlines())
        print(f"{logins['/loginhmac.php']} logins")
        if logins["/loginhmac.php"] < options.seconds / SESSION_SECONDS / 4:
            problems.append("the session is not renewed")
        rest = flatness.others[len(flatness.others) // 3:]
        for name, count in rest[-1].items() if rest else []:
            print(f"files of {name}: {rest[0][name]}, at the end {count}")
            if count > rest[0][name] + FILE_GROWTH:
                problems.append(f"{name} leaves more and more files")
        if any(server.stop()):
            problems.append("the server ends with another status than 0")
        return problems


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--server", required=True, type=lambda path: str(Path(path).resolve()))
    parser.add_argument("--client", required=True)
    parser.add_argument("--seconds", type=float, default=3600)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="credkit-client-soak-") as folder:
        problems = soak(options, Path(folder))
    for problem in problems:
        print(f"FAILED: {problem}")
    if not problems:
        print("nothing failed; memory, descriptors, threads and files are flat")
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    try:
        main()
    except Failure as failure:
        sys.exit(f"client_soak: {failure}")
