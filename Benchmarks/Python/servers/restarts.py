# Part of CredKit. SPDX-License-Identifier: Apache-2.0
"""Restarts two credkit-servers of a site in turn, behind nginx and over one Redis, while users who are logged in visit the site
all the time. No request may fail as a browser sees it. Afterwards, without restarts, the memory of the servers must stay flat.

usage: restarts.py --server PROGRAM [--minutes COUNT] [--clients COUNT] [--every SECONDS] [--steady SECONDS] [--kept]
"""
import argparse
import collections
import http.client
import sys
import tempfile
import threading
import time
from pathlib import Path

from engines import Failure, engine
from flatness import SHORT, Flatness
from protected_site import Browser, Nginx, SiteServers, site, write_users

SERVERS = 2
# A client waits for so long after each request, and logs in anew after so many.
PAUSE, REQUESTS_OF_A_LOGIN = 0.1, 200


class Client(threading.Thread):
    """A user who visits the site, and whose login from before all restarts stays valid."""

    def __init__(self, port, number, end):
        super().__init__(daemon=True)
        name = f"user{number}"
        address = f"10.0.{number >> 8}.{number & 255}"
        self.browser, self.old, self.end = Browser(port, name, address), Browser(port, name, address), end
        self.requests, self.logins, self.longest, self.failures = 0, 0, 0, []

    def attempt(self, action):
        begin = time.monotonic()
        try:
            action()
        except (ValueError, OSError, http.client.HTTPException) as error:
            self.failures.append(f"{time.strftime('%H:%M:%S')} {self.browser.name}: {error!r}")
            self.browser.connection.close()
            self.old.connection.close()
        self.longest = max(self.longest, time.monotonic() - begin)
        self.requests += 1

    def log_in(self):
        if self.logins:
            self.attempt(self.browser.log_out)
        self.attempt(self.browser.log_in)
        self.logins += 1

    def run(self):
        turn = 0
        while not self.end.is_set():
            if turn % REQUESTS_OF_A_LOGIN == 0:
                self.log_in()
            self.attempt([self.browser.check, self.browser.visit, self.old.check, self.browser.visit][turn % 4])
            turn += 1
            self.end.wait(PAUSE)


def restart_in_turn(servers, seconds, every):
    """Restarts one server after the other. Returns what is not as it must be."""
    end, counts, problems, times = time.monotonic() + seconds, 0, [], []
    while time.monotonic() + every < end:
        time.sleep(every)
        (status, log), stopping, starting = servers.restart(counts % SERVERS)
        counts += 1
        times.append((stopping, starting))
        if status:
            problems.append(f"server {(counts - 1) % SERVERS} ends with the status {status}: {log[-500:]}")
    stopping, starting = ([each[part] for each in times] or [0] for part in (0, 1))
    print(f"{counts} restarts; a server ends within {max(stopping):.1f} s and starts within {max(starting):.1f} s")
    if not counts:
        problems.append("no server was restarted")
    return problems


def watch(servers, seconds):
    """Samples what the servers take without restarts. Returns what is not as it must be."""
    print(f"{seconds:.0f} s without restarts", flush=True)
    processes = {f"server {number}": process.pid for number, process in enumerate(servers.processes)}
    with Flatness(processes, seconds) as flatness:
        time.sleep(seconds)
    return flatness.problems()


def run(options, folder):
    state, servers, nginx, clients = engine("redis", folder, options.server), None, None, []
    finished = threading.Event()
    try:
        users = write_users(folder, options.clients)
        servers = SiteServers(options.server, folder, users, state, SERVERS)
        nginx = Nginx(folder / "nginx", site(servers.ports, options.kept))
        clients = [Client(nginx.port, number, finished) for number in range(options.clients)]
        for client in clients:
            client.old.log_in()
        begin = time.monotonic()
        for client in clients:
            client.start()
        problems = restart_in_turn(servers, options.minutes * 60, options.every)
        problems += watch(servers, options.steady or max(SHORT, options.minutes * 12))
        seconds = time.monotonic() - begin
        finished.set()
        for client in clients:
            client.join()
        requests = sum(client.requests for client in clients)
        failures = [failure for client in clients for failure in client.failures]
        print(f"{requests} requests of {len(clients)} clients in {seconds:.0f} s, {len(failures)} failed, "
              f"longest {max(client.longest for client in clients) * 1000:.0f} ms")
        if failures:
            kinds = collections.Counter(failure.partition(": ")[2] for failure in failures)
            problems.append(f"{len(failures)} requests failed, the first {failures[0]}")
            problems += [f"{count} times {kind}" for kind, count in kinds.most_common(10)]
        nginx.stop()
        nginx = None
        statuses = servers.stop()
        servers = None
        if any(statuses):
            problems.append(f"the servers end with the statuses {statuses}")
        return problems
    finally:
        finished.set()
        if nginx:
            nginx.stop()
        if servers:
            servers.stop()
        state.stop()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--server", required=True, type=lambda path: str(Path(path).resolve()))
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--clients", type=int, default=64)
    parser.add_argument("--every", type=float, default=5, help="seconds from one restart to the next")
    parser.add_argument("--steady", type=float, help="seconds without restarts, in which memory is judged (default: 180 at least)")
    parser.add_argument("--kept", action="store_true", help="nginx keeps its connections to the servers")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="credkit-restarts-") as folder:
        problems = run(options, Path(folder))
    for problem in problems:
        print(f"FAILED: {problem}")
    if not problems:
        print("no request failed; memory, descriptors and threads are flat")
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    try:
        main()
    except Failure as failure:
        sys.exit(f"restarts: {failure}")
