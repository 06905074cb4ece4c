#!/usr/bin/env python3
# Part of CredKit. SPDX-License-Identifier: Apache-2.0
"""Prints offsets from Python's zoneinfo, one line per zone, in seconds: `zone<TAB>instant,offset instant,offset …`.

usage: zones.py SEED          every zone that is a canonical name, at random instants from 1900 to 2100
       zones.py --rule RULE   a zone that has nothing but a POSIX rule, each six hours around the turns of some years"""
import datetime
import io
import random
import struct
import sys
import zoneinfo

EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)


def offset(zone, instant):
    moment = EPOCH + datetime.timedelta(seconds=instant)
    return int(moment.astimezone(zone).utcoffset().total_seconds())


def line(name, zone, instants):
    print(name + "\t" + " ".join(f"{instant},{offset(zone, instant)}" for instant in instants))


def rule_file(rule):
    header = b"TZif2" + bytes(15)
    body = struct.pack(">6l", 0, 0, 0, 0, 1, 4) + struct.pack(">lBB", 0, 0, 0) + b"LMT\0"
    return header + body + header + body + b"\n" + rule.encode() + b"\n"


if sys.argv[1] == "--rule":
    contents = rule_file(sys.argv[2])
    zone = zoneinfo.ZoneInfo.from_file(io.BytesIO(contents))
    instants = []
    for year in (1999, 2000, 2024, 2039, 2096):
        start = int((datetime.datetime(year, 1, 1, tzinfo=datetime.timezone.utc) - EPOCH).total_seconds())
        instants += range(start - 86400 * 3, start + 86400 * 369, 21600)
    line(contents.hex(), zone, instants)
    sys.exit()

chance = random.Random(int(sys.argv[1]))
first, last = -2208988800, 4102444800  # 1900 and 2100
for name in sorted(zoneinfo.available_timezones()):
    if "." in name or name in ("localtime", "posixrules") or name.startswith(("right/", "posix/")):
        continue
    zone = zoneinfo.ZoneInfo(name)
    instants = [chance.randrange(first, last) for _ in range(120)]
    # Both sides of recent transitions.
    for year in (2016, 2026, 2037, 2038, 2060):
        start = int((datetime.datetime(year, 1, 1, tzinfo=datetime.timezone.utc) - EPOCH).total_seconds())
        days = [start + 86400 * day for day in range(367)]
        for before, after in zip(days, days[1:]):
            if offset(zone, before) != offset(zone, after):
                while after - before > 1:
                    middle = (before + after) // 2
                    if offset(zone, middle) == offset(zone, before):
                        before = middle
                    else:
                        after = middle
                instants += [before, after]
    line(name, zone, instants)
