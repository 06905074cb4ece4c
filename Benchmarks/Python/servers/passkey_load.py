# Part of CredKit. SPDX-License-Identifier: Apache-2.0
"""Measures logins with passkeys at several credkit-servers that share their state in PostgreSQL, beside timestamped logins at as
many. Redis keeps no passkeys. As in login_load.py, an answer is the second request of a login, which the generator has signed
before; a login is both requests.

usage: passkey_load.py --server PROGRAM --generator PROGRAM [--logins COUNT] [--rounds COUNT] [--users COUNT]
                       [--connections COUNT] [--data FOLDER] [--json FILE]
"""
import argparse
import json
import sys
import tempfile
from pathlib import Path

from engines import Failure, engine
from login_load import row, value
from measuring import Bench, spread

KINDS = {"passkeys": "logins with passkeys", "timestamped": "timestamped logins"}


def outcome(benches):
    """The figures of passkeys beside those of timestamped logins."""
    passkeys, timestamped = benches["passkeys"].samples, benches["timestamped"].samples
    rows, ratios = [], []
    for mode in ("answers", "logins"):
        for kind, bench in benches.items():
            for part in ("servers", "engine", "generator"):
                rows.append(row(f"{mode} of {KINDS[kind]}: processor time of the {part}", bench.samples[mode, part]))
        prefix, what = f"passkeys-servers-{mode}", f"{mode} of {KINDS['passkeys']}, 4 servers over PostgreSQL"
        for name, unit in (("rate", "/s"), ("p50", "ms"), ("p99", "ms")):
            beside = spread(timestamped[mode, name])["median"]
            ratios.append(value(f"{prefix}-{name}", passkeys[mode, name], unit, what, f"{beside:.1f} of timestamped logins"))
        ratios += [
            value(f"{prefix}-unavailable", passkeys[mode, "failed"], "%", f"{what}, answered with 503", "none", ("at most", 0)),
            value(f"{prefix}-processor-time",
                  [ours / theirs for ours, theirs in zip(passkeys[mode, "servers"], timestamped[mode, "servers"])], "×",
                  f"the servers, {what}", KINDS["timestamped"], quantity="processor time"),
        ]
    return {"id": "passkeys-servers", "title": "Logins with passkeys, 4 servers over PostgreSQL, beside timestamped ones",
            "rows": rows, "ratios": ratios}


def measure(programs, folder):
    engines, benches = [], {}
    try:
        for kind in KINDS:
            engines.append(engine("postgresql", folder, programs.server, programs.data))
            benches[kind] = Bench(programs, folder, engines[-1], kind, programs.users)
        for bench in benches.values():
            bench.warm_up(max(programs.logins // 4, 1))
        for _ in range(programs.rounds):
            for in_advance in (True, False):
                for bench in benches.values():
                    bench.measure(programs.logins, in_advance)
        return outcome(benches)
    finally:
        for bench in benches.values():
            bench.stop()
        for each in engines:
            each.stop()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--server", required=True, type=lambda path: str(Path(path).resolve()))
    parser.add_argument("--generator", required=True)
    parser.add_argument("--logins", type=int, default=4000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--users", type=int, default=20_000)
    parser.add_argument("--connections", type=int, default=32)
    parser.add_argument("--data", default="/tmp", help="the folder of PostgreSQL's clusters")
    parser.add_argument("--json")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="credkit-passkeys-") as folder:
        outcomes = [measure(options, Path(folder))]
    text = json.dumps(outcomes, ensure_ascii=False, indent=2)
    if options.json:
        Path(options.json).write_text(text + "\n")
    else:
        print(text)


if __name__ == "__main__":
    try:
        main()
    except Failure as failure:
        sys.exit(f"passkey_load: {failure}")
