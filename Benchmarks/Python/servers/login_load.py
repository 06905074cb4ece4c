# Part of CredKit. SPDX-License-Identifier: Apache-2.0
"""Measures logins at several credkit-servers that share their state, beside the same logins with state in memory.

Servers, engine and generator share the processors of this machine; their processor times are told apart. An answer is the
second request of a login: the generator has sent the first and computed the rest before. A login is both requests.

usage: login_load.py --server PROGRAM --generator PROGRAM [--engine redis|postgresql|URL]… [--logins COUNT] [--rounds COUNT]
                     [--users COUNT] [--connections COUNT] [--data FOLDER] [--json FILE]
"""
import argparse
import json
import sys
import tempfile
from pathlib import Path

import bare
import recovery
from engines import Failure, engine
from measuring import Bench, spread

# Logins a second at least, and milliseconds of the slowest but one in a hundred at most.
GOALS = {"redis": (4000, 15), "postgresql": (1200, 25)}
ROUND_TRIPS, PROCESSOR_TIME = 2, 1.3
# Milliseconds from the end of an outage to the first login.
BACK = 1000
KINDS = {"timestamped": "timestamped logins", "scram": "logins by SCRAM"}


def value(name, values, unit, ours, against, goal=None, quantity="value"):
    ratio = {"id": name, "ours": ours, "against": against, "quantity": quantity, "unit": unit, "value": spread(values)}
    return ratio | ({"goal": {"direction": goal[0], "bound": goal[1]}} if goal else {})


def row(name, seconds):
    return {"name": name, "seconds": spread(seconds), "peakKiB": 0, "byteCount": 0}


def outcome(kind, bench, memory, limits):
    """The figures of one engine beside memory."""
    name, samples = bench.engine.name, bench.samples
    goals = GOALS[name] if kind == "timestamped" else (None, None)
    rows, ratios = [], []
    for mode in ("answers", "logins"):
        for each in (bench, memory):
            for part in ("servers", "engine", "generator"):
                if each.samples[mode, part] and max(each.samples[mode, part]) > 0:
                    rows.append(row(f"{mode}, {each.engine.name}: processor time of the {part}", each.samples[mode, part]))
        prefix, has_goal = f"servers-{name}-{kind}-{mode}", mode == "answers"
        what, same = f"{mode} of {KINDS[kind]}, 4 servers over {name}", "the same with state in memory"
        rate = memory.samples[mode, "rate"]
        beside = f"{spread(rate)['median']:.0f} in memory"
        rate_goal, time_goal = goals if has_goal else (None, None)
        ratios += [
            value(f"{prefix}-rate", samples[mode, "rate"], "/s", what, beside, rate_goal and ("at least", rate_goal)),
            value(f"{prefix}-p99", samples[mode, "p99"], "ms", f"99 % of {what}",
                  f"{spread(memory.samples[mode, 'p99'])['median']:.1f} ms in memory", time_goal and ("at most", time_goal)),
            value(f"{prefix}-p50", samples[mode, "p50"], "ms", f"half of {what}",
                  f"{spread(memory.samples[mode, 'p50'])['median']:.1f} ms in memory"),
            value(f"{prefix}-unavailable", samples[mode, "failed"], "%", f"{what}, answered with 503", "none", ("at most", 0)),
            value(f"{prefix}-round-trips", samples[mode, "commands"], "round trips", what, "the engine's own count",
                  ("at most", ROUND_TRIPS) if has_goal else None),
            value(f"{prefix}-processor-time",
                  [ours / theirs for ours, theirs in zip(samples[mode, "servers"], memory.samples[mode, "servers"])],
                  "×", f"the servers, {what}", same,
                  ("at most", PROCESSOR_TIME) if rate_goal else None, "processor time"),
        ]
    for quantity, values in limits.items():
        if quantity == "rate":
            ratios.append(value(f"servers-{name}-{kind}-bare", values, "/s", f"the commands of {KINDS[kind]} alone",
                                "one connection, 64 commands on the way"))
        else:
            rows.append(row(f"bare commands: processor time of {name}", values))
    return {"id": f"servers-{name}-{kind}", "title": f"{KINDS[kind]}, 4 servers, {name} beside memory", "rows": rows,
            "ratios": ratios}


def back(bench, rounds):
    """Until users can log in again after an outage of the engine."""
    stopped = recovery.measure(bench, rounds)
    restarted = recovery.measure_restarts(bench, rounds)
    most = ("at most", BACK)
    return [
        value("servers-redis-back", [max(stopped) * 1000], "ms", "the first login at each server after Redis was stopped and goes on",
              f"half of {len(stopped)} within {spread(stopped)['median'] * 1000:.0f} ms", most),
        value("servers-redis-restarted", [max(restarted) * 1000], "ms",
              "the first login at each server after Redis was killed and has started",
              f"half of {len(restarted)} within {spread(restarted)['median'] * 1000:.0f} ms", most),
    ]


def measure(programs, folder, name, kind):
    """Measures one way to log in with one engine."""
    benches = []
    shared = None
    try:
        shared = engine(name, folder, programs.server, programs.data)
        for each in (engine("memory", folder, programs.server), shared):
            benches.append(Bench(programs, folder, each, kind, programs.users))
        memory, bench = benches
        for each in benches:
            each.warm_up(programs.logins // 4)
        for _ in range(programs.rounds):
            for in_advance in (True, False):
                for each in benches:
                    each.measure(programs.logins, in_advance)
        limits = {"rate": [], "engine": []}
        if shared.name == "redis":
            commands = bare.record(bench, programs.logins // 2)
            for _ in range(programs.rounds):
                seconds, processor = bare.replay(shared, commands)
                limits["rate"].append(programs.logins // 2 / seconds)
                limits["engine"].append(processor / (programs.logins // 2))
        else:
            limits = {}
        result = outcome(kind, bench, memory, limits)
        if kind == "timestamped" and shared.name == "redis" and shared.process:
            result["ratios"] += back(bench, programs.rounds)
        return result
    finally:
        for each in benches:
            each.stop()
        if shared:
            shared.stop()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--server", required=True, type=lambda path: str(Path(path).resolve()))
    parser.add_argument("--generator", required=True)
    parser.add_argument("--engine", action="append", dest="engines")
    parser.add_argument("--logins", type=int, default=16_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--users", type=int, default=20_000)
    parser.add_argument("--connections", type=int, default=32)
    parser.add_argument("--data", default="/tmp", help="the folder of PostgreSQL's cluster")
    parser.add_argument("--json")
    options = parser.parse_args()
    outcomes = []
    for name in options.engines or ["redis"]:
        for kind in KINDS:
            with tempfile.TemporaryDirectory(prefix="credkit-servers-") as folder:
                outcomes.append(measure(options, Path(folder), name, kind))
    text = json.dumps(outcomes, ensure_ascii=False, indent=2)
    if options.json:
        Path(options.json).write_text(text + "\n")
    else:
        print(text)


if __name__ == "__main__":
    try:
        main()
    except Failure as failure:
        sys.exit(f"login_load: {failure}")
