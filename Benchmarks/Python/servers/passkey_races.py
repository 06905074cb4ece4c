# Part of CredKit. SPDX-License-Identifier: Apache-2.0
"""Sends each answer of a passkey to four credkit-servers over one PostgreSQL at once, which must accept it once, also while a
primary is killed that has more than its standby: then at most once. Two servers finish two logins with one passkey at once, whose
counter and time of the last use must be right afterwards. Redis keeps no passkeys: PasskeyFailoverTests has the same over Redis.

usage: passkey_races.py --server PROGRAM [--rounds COUNT] [--failovers COUNT] [--data FOLDER]
"""
import argparse
import collections
import concurrent.futures
import http.client
import itertools
import json
import random
import sys
import tempfile
import threading
import time
import urllib.parse
from pathlib import Path

import passkeys
from engines import Failure, until
from failover import PostgreSQLWithStandby
from programs import Servers, Users

SERVERS = 4
# They take turns: a server remembers 64 accepted answers of a user for the five minutes in which they could come again, and refuses
# the next ones until then.
USERS = 200
# Around a failover: answers that the standby knows, that it lacks, and that are sent while the primary is killed.
KNOWN, LOST, MEANWHILE = 2, 4, 6
ACCEPTED, REFUSED, UNAVAILABLE, BROKEN = 200, 401, 503, 0


class Answer:
    def __init__(self, ceremony, response):
        self.form = {"token": passkeys.TOKEN, "ceremony": ceremony, "response": response}
        self.accepted = 0


class Site:
    """The servers as browsers see them, each with a thread and a connection of its own."""

    # Limits count attempts of an address.
    numbers = itertools.count()

    def __init__(self, ports, users):
        self.connections = [http.client.HTTPConnection("127.0.0.1", port, timeout=60) for port in ports]
        self.pair, self.names = users.pair, itertools.cycle(users.names)
        self.threads = concurrent.futures.ThreadPoolExecutor(SERVERS)

    def post(self, server, path, form):
        """Returns the status and the JSON of an answer; 0 if the connection broke."""
        number, connection = next(self.numbers), self.connections[server]
        headers = {"Content-Type": "application/x-www-form-urlencoded", "Cookie": passkeys.COOKIE,
                   "X-Forwarded-For": f"10.{number >> 16 & 255}.{number >> 8 & 255}.{number & 255}"}
        try:
            connection.request("POST", path, urllib.parse.urlencode(form), headers)
            answer = connection.getresponse()
            status, text = answer.status, answer.read()
        except (OSError, http.client.HTTPException):
            connection.close()
            return BROKEN, {}
        if status not in (ACCEPTED, REFUSED, UNAVAILABLE):
            raise Failure(f"{path} is answered with {status} {text[:200]}")
        return status, json.loads(text)

    def answer(self, server, name=None, count=0):
        """A new answer of a passkey, by default of the next user; None if the server does not give options now."""
        status, begun = self.post(server, "/auth/passkey/options", {"token": passkeys.TOKEN})
        if status != ACCEPTED:
            return None
        return Answer(begun["ceremony"], self.pair.answer(begun["options"], name or next(self.names), count))

    def send(self, pairs):
        """Sends answers to servers, all at once. Returns the statuses in the order of the pairs."""
        def one(server, answer):
            barrier.wait()
            return self.post(server, "/auth/passkey", answer.form)[0]

        barrier = threading.Barrier(len(pairs))
        results = [self.threads.submit(one, server, answer) for server, answer in pairs]
        statuses = [result.result() for result in results]
        for (_, answer), status in zip(pairs, statuses):
            answer.accepted += status == ACCEPTED
        return statuses

    def send_everywhere(self, answer):
        return self.send([(server, answer) for server in range(SERVERS)])


class Races:
    def __init__(self, site, engine):
        self.site, self.engine = site, engine
        self.problems, self.once, self.around, self.controls = [], 0, [], 0
        self.both, self.pairs, self.slow = 0, 0, 0

    def check_once(self, rounds):
        """Each answer is accepted by one server of four."""
        for number in range(rounds):
            answer = self.site.answer(number % SERVERS)
            if answer is None:
                raise Failure("a server gives no options")
            statuses = self.site.send_everywhere(answer)
            self.slow += statuses.count(UNAVAILABLE)
            self.once += answer.accepted == 1
            if answer.accepted != 1 or BROKEN in statuses:
                self.problems.append(f"an answer is answered with {statuses}")

    def fail_over(self):
        """Nothing is accepted twice although the standby lacks what the primary had accepted."""
        self.engine.add_standby()
        known, lost, meanwhile = (
            [self.site.answer(number % SERVERS) for number in range(count)] for count in (KNOWN, LOST, MEANWHILE))
        everything = known + lost + meanwhile
        for answer in known:
            self.site.send_everywhere(answer)
        self.engine.fall_behind()
        for answer in lost:
            self.site.send_everywhere(answer)
        at = random.randrange(MEANWHILE)
        killer = threading.Thread(target=self.engine.fail_over)
        for number, answer in enumerate(meanwhile):
            if number == at:
                killer.start()
            self.site.send_everywhere(answer)
        killer.join()
        self.wait_for_all()
        for _ in range(2):
            for answer in everything:
                self.site.send_everywhere(answer)
        self.problems += [f"around a failover, an answer is accepted {answer.accepted} times" for answer in everything
                          if answer.accepted > 1]
        if not all(answer.accepted for answer in known + lost):
            self.problems.append("an answer before a failover is not accepted")
        self.around += everything
        # As if servers did not know when the history of their engine began: what was lost is accepted again.
        self.engine.begin_history()
        for answer in lost:
            before = answer.accepted
            self.site.send_everywhere(answer)
            self.controls += answer.accepted > before
            answer.accepted = before
        self.wait_for_all(logging_in=True)

    def wait_for_all(self, logging_in=False):
        """Waits until each server reaches the new primary, or accepts answers."""
        for server in range(SERVERS):
            def is_back():
                answer = self.site.answer(server)
                status = self.site.send([(server, answer)])[0] if answer else BROKEN
                # An answer that might have been used before a failover is refused for some seconds.
                return status == ACCEPTED or status == UNAVAILABLE and not logging_in and self.reaches_primary()

            until(is_back, f"server {server} does not come back", 60)

    def reaches_primary(self):
        return int(self.engine.sql("SELECT count(*) FROM credkit.epoch WHERE history = credkit.history()")) == 1

    def check_counters(self, rounds):
        """Of two answers at once, the one with the higher counter is accepted, and the other one if it came first."""
        counts, last_uses = collections.Counter(), collections.Counter()
        for number in range(rounds):
            name, servers = next(self.site.names), (number % SERVERS, (number + 1) % SERVERS)
            answers = [self.site.answer(server, name, counts[name] + 1 + place) for place, server in enumerate(servers)]
            counts[name] += len(servers)
            begin = int(time.time())
            statuses = self.site.send(list(zip(servers, answers)))
            end = int(time.time())
            stored, used = map(int, self.engine.sql(
                f"SELECT sign_count, last_use FROM credkit.passkeys WHERE id = '\\x{passkeys.identifier(name).hex()}'").split("|"))
            self.pairs += 1
            self.both += statuses == [ACCEPTED, ACCEPTED]
            if statuses[1] != ACCEPTED or statuses[0] not in (ACCEPTED, REFUSED):
                self.problems.append(f"two logins at once are answered with {statuses}")
            if stored != counts[name]:
                self.problems.append(f"the counter is {stored} after a login with {counts[name]}")
            # A server that waits for its engine counts the beginning of a second as a whole one.
            if not max(begin, last_uses[name]) <= used <= end + 1:
                self.problems.append(f"the last use is at {used}, the login was between {begin} and {end}")
            last_uses[name] = used

    def report(self):
        accepted = sum(answer.accepted == 1 for answer in self.around)
        print(f"{self.once} answers, each to {SERVERS} servers at once, were accepted exactly once; "
              f"{self.slow} of their copies were answered with 503")
        print(f"{len(self.around)} answers around failovers: {accepted} accepted once, "
              f"{sum(not answer.accepted for answer in self.around)} never, "
              f"{sum(answer.accepted > 1 for answer in self.around)} more often; without the time at which the history began, "
              f"{self.controls} would have been accepted again")
        print(f"{self.pairs} pairs of logins with one passkey at once: counter and last use are checked, "
              f"both accepted {self.both} times")


def run(options, folder):
    engine = PostgreSQLWithStandby(options.server, options.data)
    servers = None
    try:
        users = Users(folder, "passkeys", USERS)
        servers = Servers(options.server, folder, users, engine, SERVERS)
        races = Races(Site(servers.ports, users), engine)
        races.wait_for_all(logging_in=True)
        parts = options.failovers + 1
        for number in range(parts):
            races.check_once(options.rounds // parts + (number < options.rounds % parts))
            if number < options.failovers:
                races.fail_over()
        races.check_counters(options.rounds)
        races.report()
        if options.failovers and not races.controls:
            races.problems.append("no answer was lost, so that failovers show nothing")
        return races.problems
    finally:
        if servers:
            servers.stop()
        engine.stop()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--server", required=True, type=lambda path: str(Path(path).resolve()))
    parser.add_argument("--rounds", type=int, default=1000)
    parser.add_argument("--failovers", type=int, default=10)
    parser.add_argument("--data", default="/tmp", help="the folder of PostgreSQL's clusters")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="credkit-passkeys-") as folder:
        problems = run(options, Path(folder))
    for problem in problems[:20]:
        print(f"FAILED: {problem}")
    if not problems:
        print("no answer was accepted twice, and counters are right")
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    try:
        main()
    except Failure as failure:
        sys.exit(f"passkey_races: {failure}")
