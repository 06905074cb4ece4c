# Part of CredKit. SPDX-License-Identifier: Apache-2.0
"""Measures how many requests of a site a second one processor can check: credkit-server asked directly, with sessions in memory and
in Redis, and through nginx, beside nginx's own auth_basic with bcrypt and with MD5 of htpasswd.

What is measured runs on the first processor of this program; the generator and Redis run on the others. The processor time of
what is measured is told as well: it depends less on what else the machine does.

usage: checks.py --server PROGRAM --generator PROGRAM [--seconds COUNT] [--rounds COUNT] [--connections COUNT] [--json FILE]
"""
import argparse
import base64
import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from types import SimpleNamespace

from engines import Failure, engine, processor_seconds
from login_load import row, value
from programs import Generator
from protected_site import COOKIE, PASSWORD, Browser, Nginx, SiteServers, site, write_users

USERS = 200
# Checks a second at least.
GOALS = {"memory": 10_000, "redis": 4000}

BASIC = """
    server {
        listen 127.0.0.1:PORT;
        auth_basic site;
        auth_basic_user_file htpasswd;
        location / { empty_gif; }
    }
"""


class Contender:
    """Something that checks requests."""

    def __init__(self, name, title, port, processes, path, header, secrets, status, folder):
        self.name, self.title, self.processes = name, title, processes
        lines = [f"user{number} 10.0.{number >> 8}.{number & 255} {secret}\n" for number, secret in enumerate(secrets)]
        file = folder / f"clients-{name}"
        file.write_text("".join(lines))
        self.users = SimpleNamespace(kind="check", generator_file=file)
        self.servers = SimpleNamespace(ports=[port])
        self.options = ["--path", path, "--header", header, "--status", status]
        self.rates, self.processor, self.slowest = [], [], []

    def measure(self, options, seconds):
        generator = Generator(options.generator, self.users, self.servers, "--seconds", seconds, *self.options,
                              connections=options.connections)
        try:
            before = sum(map(processor_seconds, self.processes))
            generator.begin()
            report = generator.end()
            taken = sum(map(processor_seconds, self.processes)) - before
        finally:
            generator.stop()
        if report["failures"]:
            raise Failure(f"{report['failures']} checks failed at {self.name}: {report['firstFailure']}")
        return report["logins"] / report["seconds"], taken / report["logins"], report["p99"]

    def keep(self, figures):
        for values, figure in zip((self.rates, self.processor, self.slowest), figures):
            values.append(figure)


class Setup:
    """All contenders, and what they run on."""

    def __init__(self, options, folder):
        self.options, self.folder, self.ends, self.contenders = options, folder, [], []
        first, *rest = sorted(os.sched_getaffinity(0))
        self.prefix = ["taskset", "-c", str(first)]
        # The generator and Redis inherit it.
        os.sched_setaffinity(0, rest or [first])

    def server(self, name):
        folder = self.folder / name
        folder.mkdir()
        state = engine(name, folder, self.options.server)
        self.ends.append(state)
        servers = SiteServers(self.options.server, folder, write_users(folder, USERS), state, 1, self.prefix)
        self.ends.append(servers)
        browsers = [Browser(servers.ports[0], f"user{number}", f"10.0.{number >> 8}.{number & 255}") for number in range(USERS)]
        return servers, [browser.log_in() for browser in browsers]

    def nginx(self, name, text, files=()):
        folder = self.folder / f"nginx-{name}"
        folder.mkdir()
        for file, content in files:
            (folder / file).write_text(content)
        nginx = Nginx(folder, text, self.prefix)
        self.ends.append(nginx)
        return nginx

    def add(self, name, title, port, processes, header, secrets, path="/wiki", status=200):
        self.contenders.append(Contender(name, title, port, processes, path, header, secrets, status, self.folder))

    def start(self):
        cookie = f"Cookie: {COOKIE}="
        for name in ("memory", "redis"):
            servers, tokens = self.server(name)
            self.add(name, f"/auth/check, sessions in {name}", servers.ports[0], [servers.processes[0].pid], cookie, tokens,
                     "/auth/check", 204)
            for title, is_kept in (("", False), (", kept connections", True)):
                nginx = self.nginx(f"{name}{'-kept' if is_kept else ''}", site(servers.ports, is_kept))
                self.add(f"nginx-{name}{'-kept' if is_kept else ''}", f"nginx with auth_request, sessions in {name}{title}",
                         nginx.port, [servers.processes[0].pid, *nginx.workers()], cookie, tokens)
        for name, arguments in (("bcrypt", ["-B", "-C", "10"]), ("apr1", ["-m"])):
            command = ["htpasswd", "-n", "-i", *arguments, "user"]
            entry = subprocess.run(command, input=PASSWORD, capture_output=True, text=True, check=True).stdout
            lines = "".join(f"user{number}:{entry.split(':')[1].strip()}\n" for number in range(USERS))
            nginx = self.nginx(name, BASIC, [("htpasswd", lines)])
            secrets = [base64.b64encode(f"user{number}:{PASSWORD}".encode()).decode() for number in range(USERS)]
            self.add(f"basic-{name}", f"nginx with auth_basic, {name}", nginx.port, nginx.workers(), "Authorization: Basic ", secrets)

    def stop(self):
        for each in reversed(self.ends):
            each.stop()


def outcome(contenders):
    rows, ratios = [], []
    for each in contenders:
        rows.append(row(f"{each.title}: processor time of a check", each.processor))
        goal = GOALS.get(each.name)
        ratios.append(value(f"checks-{each.name}-rate", each.rates, "/s", each.title,
                            f"{1 / statistics.median(each.processor):.0f} a second of processor time",
                            goal and ("at least", goal)))
        ratios.append(value(f"checks-{each.name}-p99", each.slowest, "ms", f"99 % of {each.title}", "to the answer"))
    return {"id": "checks", "title": "checks of a site's requests, on one processor", "rows": rows, "ratios": ratios}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--server", required=True, type=lambda path: str(Path(path).resolve()))
    parser.add_argument("--generator", required=True)
    parser.add_argument("--seconds", type=float, default=3)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--connections", type=int, default=32)
    parser.add_argument("--json")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="credkit-checks-") as folder:
        setup = Setup(options, Path(folder))
        try:
            setup.start()
            # What else the machine does comes and goes: each round measures all.
            for number in range(options.rounds + 1):
                for each in setup.contenders:
                    figures = each.measure(options, options.seconds if number else options.seconds / 3)
                    if number:
                        each.keep(figures)
        finally:
            setup.stop()
    text = json.dumps([outcome(setup.contenders)], ensure_ascii=False, indent=2)
    if options.json:
        Path(options.json).write_text(text + "\n")
    else:
        print(text)


if __name__ == "__main__":
    try:
        main()
    except Failure as failure:
        sys.exit(f"checks: {failure}")
