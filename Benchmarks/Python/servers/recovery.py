# Part of CredKit. SPDX-License-Identifier: Apache-2.0
"""How long servers need to log users in again after their engine is back."""
import hashlib
import http.client
import itertools
import json
import os
import signal
import time
import urllib.parse

from engines import Failure
from programs import KEY_PHRASE, mac


# Each attempt is another user's, from another address: while the engine is away, a server permits few attempts of each.
attempts = itertools.count()


def request(connection, method, path, address, form=None):
    headers = {"X-Forwarded-For": address}
    if form:
        headers["Content-Type"] = "application/x-www-form-urlencoded"
    connection.request(method, path, urllib.parse.urlencode(form) if form else None, headers)
    answer = connection.getresponse()
    return answer.status, answer.read().decode()


def logs_in(connection):
    """Whether a user can log in now. Other answers than 503 are an error."""
    number = next(attempts)
    name, address = f"user{number}", f"10.200.{number >> 8}.{number & 255}"
    key = hashlib.md5(KEY_PHRASE.encode()).hexdigest().encode()
    status, text = request(connection, "GET", "/hmackey.php", address)
    if status == 200:
        challenge = json.loads(text)["key"]
        equivalent = mac(key, f"password of {name}".encode(), "md5").hex()
        proof = mac(key, (equivalent + challenge).encode(), "md5").hex()
        form = {"username": name, "password": proof, "key": challenge}
        status, text = request(connection, "POST", "/loginhmac.php", address, form)
    if status not in (200, 503) or status == 200 and json.loads(text)["userId"] < 1:
        raise Failure(f"a right login is answered with {status} {text}")
    return status == 200


def measure(bench, rounds, pause=2.0):
    """Stops the process of the engine for a while, again and again. Returns, for each server and round, the seconds from when
    it runs again to the first login."""
    engine = int(bench.engine.info("server")["process_id"])
    connections = [http.client.HTTPConnection("127.0.0.1", port, timeout=30) for port in bench.servers.ports]
    times = []
    for number in range(rounds):
        os.kill(engine, signal.SIGSTOP)
        # Long enough for the servers to give their connections up, and not always at the same point of their attempts.
        end = time.monotonic() + pause + number * 0.07
        while time.monotonic() < end:
            if logs_in(connections[number % len(connections)]):
                raise Failure("a login succeeds while the engine is stopped")
            time.sleep(0.05)
        os.kill(engine, signal.SIGCONT)
        times += first_logins(connections, time.monotonic())
    return times


def first_logins(connections, start):
    found = {}
    while len(found) < len(connections):
        for place in range(len(connections)):
            if place not in found and logs_in(connections[place]):
                found[place] = time.monotonic() - start
        if time.monotonic() - start > 20:
            raise Failure("a server does not come back")
        time.sleep(0.005)
    return list(found.values())


def measure_restarts(bench, rounds, pause=2.0):
    """Kills and starts the engine with its data. Returns the seconds from its start to the first login of each server, without
    the time by which challenges must be younger than the new history of the engine."""
    connections = [http.client.HTTPConnection("127.0.0.1", port, timeout=30) for port in bench.servers.ports]
    times = []
    for number in range(rounds):
        bench.engine.stop()
        time.sleep(pause + number * 0.07)
        bench.engine.start()
        start = time.monotonic()
        bench.engine.begin_history()
        times += first_logins(connections, start)
    return times
