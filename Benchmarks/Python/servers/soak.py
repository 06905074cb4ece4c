# Part of CredKit. SPDX-License-Identifier: Apache-2.0
"""Lets several credkit-servers work at half of what they can for long, and checks that they take no more and more memory,
descriptors or threads, and that the engine's memory is bounded. No login may fail.

usage: soak.py --server PROGRAM --generator PROGRAM [--engine redis|URL] [--seconds COUNT] [--users COUNT] [--connections COUNT]
"""
import argparse
import sys
import tempfile
import time
from pathlib import Path

from engines import Failure, engine
from flatness import Flatness, ends
from measuring import Bench
from programs import Generator

# What Redis keeps of a login: a session, of which a user has at most 16, and a used proof until its challenge has expired
# everywhere. Both with their entries in lists of the user. Lists and tables of Redis double when they are full.
SESSION_BYTES, PROOF_BYTES, USER_BYTES, FIXED_BYTES = 1000, 700, 1000, 8 << 20
SESSIONS_OF_A_USER, PROOF_SECONDS = 16, 150


def engine_bound(begin, report, rate, users, seconds):
    logins = report["logins"]
    return (begin + FIXED_BYTES + SESSION_BYTES * min(logins, users * SESSIONS_OF_A_USER)
            + PROOF_BYTES * min(logins, rate * PROOF_SECONDS) + USER_BYTES * min(logins, users))


def check(flatness, report, rate, begin, options):
    """Prints the figures. Returns what is not as it must be."""
    problems = flatness.problems()
    bound = engine_bound(begin, report, rate, options.users, options.seconds)
    if not flatness.others:
        return problems
    first, last = ends(flatness.others)
    print(f"engine: {first / 2**20:.1f} MiB, at the end {last / 2**20:.1f}, at most {max(flatness.others) / 2**20:.1f}, "
          f"bound {bound / 2**20:.1f}")
    if max(flatness.others) > bound:
        problems.append("the memory of the engine is not bounded by what it must keep")
    return problems


def soak(options, folder):
    state = engine(options.engine, folder, options.server)
    bench = None
    try:
        bench = Bench(options, folder, state, "timestamped", options.users)
        full = bench.run("--seconds", min(10, options.seconds / 4))
        rate = full["logins"] / full["seconds"] / 2
        begin = state.memory()
        print(f"{rate * 2:.0f} logins a second at most; {rate:.0f} a second for {options.seconds:.0f} s")
        generator = Generator(options.generator, bench.users, bench.servers, "--seconds", options.seconds,
                              "--rate", f"{rate:.1f}",
                              connections=options.connections)
        try:
            processes = {f"server {number}": process.pid for number, process in enumerate(bench.servers.processes)}
            with Flatness(processes, options.seconds, bench.engine.memory) as flatness:
                start = time.monotonic()
                generator.begin()
                report = generator.end()
        finally:
            generator.stop()
        print(f"{report['logins']} logins in {time.monotonic() - start:.0f} s, {report['failures']} failed, "
              f"p50 {report['p50']:.1f} ms, p99 {report['p99']:.1f} ms, longest {report['longest']:.0f} ms")
        problems = check(flatness, report, rate, begin, options)
        if report["failures"]:
            problems.append(f"{report['failures']} logins failed: {report['firstFailure']}")
        statuses = bench.stop()
        bench = None
        if any(statuses):
            problems.append(f"the servers end with the statuses {statuses}")
        return problems
    finally:
        if bench:
            bench.stop()
        state.stop()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--server", required=True, type=lambda path: str(Path(path).resolve()))
    parser.add_argument("--generator", required=True)
    parser.add_argument("--engine", default="redis")
    parser.add_argument("--seconds", type=float, default=3600)
    parser.add_argument("--users", type=int, default=5000)
    parser.add_argument("--connections", type=int, default=32)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="credkit-soak-") as folder:
        problems = soak(options, Path(folder))
    for problem in problems:
        print(f"FAILED: {problem}")
    if not problems:
        print("memory, descriptors and threads are flat")
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    try:
        main()
    except Failure as failure:
        sys.exit(f"soak: {failure}")
