# Part of CredKit. SPDX-License-Identifier: Apache-2.0
"""Runs of logins, and what they took: for each round a number of each quantity."""
import collections
import statistics

from engines import Failure
from programs import Generator, Servers, Users


class Bench:
    """Servers over one engine, for one way to log in."""

    def __init__(self, programs, folder, engine, kind, user_count):
        self.programs, self.engine, self.kind = programs, engine, kind
        folder = folder / f"{engine.name}-{kind}"
        folder.mkdir()
        self.users = Users(folder, kind, user_count)
        self.servers = Servers(programs.server, folder, self.users, engine)
        self.samples = collections.defaultdict(list)

    def totals(self):
        return {
            "servers": self.servers.processor_seconds(),
            "engine": self.engine.processor_seconds(),
            "commands": self.engine.counters()["commands"],
        }

    def warm_up(self, count, attempts=20):
        """Sends logins until none fails. Servers connect to PostgreSQL with their first requests, which may take longer than those
        are permitted to wait."""
        while self.run("--logins", count)["failures"]:
            attempts -= 1
            if attempts == 0:
                raise Failure(f"{self.engine.name} does not answer in time")

    def run(self, *options):
        """Sends logins. Returns the generator's report, with the processor seconds of all and the commands."""
        generator = Generator(self.programs.generator, self.users, self.servers, *options,
                              connections=self.programs.connections)
        try:
            before = self.totals()
            generator.begin()
            report = generator.end()
        finally:
            generator.stop()
        # The answer 503 is what a server gives when the engine is too slow; any other one is an error.
        if report["failures"] and (not report["logins"] or ": 503 " not in report["firstFailure"]):
            raise Failure(f"{report['failures']} logins failed with {self.engine.name}: {report['firstFailure']}")
        after = self.totals()
        return report | {name: after[name] - before[name] for name in after} | {"generator": report["processorSeconds"]}

    def measure(self, count, in_advance):
        """Sends a number of logins, whole or only the answers to challenges, and keeps what they took."""
        report = self.run("--logins", count, *(["--in-advance"] if in_advance else []))
        mode = "answers" if in_advance else "logins"
        logins = report["logins"]
        self.add(mode, "rate", logins / report["seconds"])
        self.add(mode, "failed", report["failures"] / (logins + report["failures"]) * 100)
        for name in ("p50", "p99"):
            self.add(mode, name, report[name])
        for name in ("generator", "servers", "engine", "commands"):
            self.add(mode, name, report[name] / logins)

    def add(self, mode, name, value):
        self.samples[mode, name].append(value)

    def stop(self):
        return self.servers.stop()


def spread(values):
    """The figures of a report: see Spread.swift."""
    values = sorted(values)
    quartiles = statistics.quantiles(values, n=4, method="inclusive") if len(values) > 1 else values * 3
    names = ["minimum", "lowerQuartile", "median", "upperQuartile", "maximum"]
    return dict(zip(names, [values[0], *quartiles, values[-1]])) | {"count": len(values)}
