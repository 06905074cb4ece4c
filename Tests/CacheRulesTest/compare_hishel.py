# Part of CredKit. SPDX-License-Identifier: Apache-2.0
"""Runs the table of caching scenarios through hishel, another implementation of RFC 9111, and compares where it differs
with differences.txt. The exit status is 1 if a difference is new or gone. With --print, prints the scenarios instead."""

import json
import os
import re
import sys
import time
import uuid

import hishel._core._spec as spec
from hishel import CacheOptions, Entry, Headers, IdleClient, Request, Response

START = 1_000_000_000
FOLDER = os.path.dirname(os.path.abspath(__file__))
TABLE = os.path.join(FOLDER, "../../Vectors/Data/rfc9111-caching.json")


class Difference(Exception):
    pass


class Clock:
    now = START

    def time(self):
        return self.now


def date(name, now):
    words = name.split()
    moment = START + int(words[-1][1:]) if words[-1].startswith("@") else now + int(words[-1])
    form = {"850": "%A, %d-%b-%y %H:%M:%S GMT", "asc": "%a %b %e %H:%M:%S %Y"}.get(words[0], "%a, %d %b %Y %H:%M:%S GMT")
    return time.strftime(form, time.gmtime(moment))


def expand(text, now):
    text = text.replace("'", '"').replace("`", "'")
    return re.sub(r"\{([^}]*)\}", lambda m: "\t" if m[1] == "tab" else date(m[1], now), text).strip()


def message(text, now):
    """Returns the words, and the fields as a dictionary of lists."""
    words, *fields = text.split(" | ")
    headers = {}
    for field in fields:
        name, _, value = field.partition(":")
        headers.setdefault(name.lower(), []).append(expand(value, now))
    return words.split(), headers


def number(words, name, otherwise):
    return next((int(word.split("=")[1]) for word in words if word.startswith(name + "=")), otherwise)


class Cache:
    def __init__(self):
        self.clock, self.entries = Clock(), []
        spec.time = self.clock

    def run(self, step):
        parts = step.split(" => ")
        if len(parts) == 1:
            words = step.split()
            if words[0] == "entries":
                if len(self.entries) != int(words[1]):
                    raise Difference(f"{len(self.entries)} entries")
            elif words[0] == "offline":
                raise Difference("no stale responses while disconnected")
            else:
                self.clock.now += int(step)
            return
        words, headers = message(parts[0], self.clock.now)
        if words[0] == "refresh":
            raise Difference("no refresh in the background")
        target = next((word for word in words[1:] if "/" in word), "/")
        if len(words) > 1 + ("/" in "".join(words[1:])):
            raise Difference("no policy of a call")
        url = target if "://" in target else "https://school.example" + target
        request = Request(words[0], url, Headers(headers))
        kind, kept, fields, status = self.answer(request, [p for p in parts[1:-1] if not p.startswith("sends ")], parts[1:-1])
        words, expected = message(parts[-1], self.clock.now)
        if words[0] != kind:
            raise Difference(kind)
        if kind == "network" and {"kept", "unkept"} & set(words) and ("kept" in words) != kept:
            raise Difference("kept" if kept else "unkept")
        if number(words, "status", status) != status:
            raise Difference(f"status {status}")
        age = next((word[4:] for word in words if word.startswith("age=")), None)
        if age is not None and fields.get("age", "none") != age:
            raise Difference(f"age {fields.get('age', 'none')}")
        for name, values in expected.items():
            value = ", ".join(fields.get_list(name) or ["none"])
            if value != values[0]:
                raise Difference(f"{name}: {value}")

    def answer(self, request, script, parts):
        state = IdleClient(options=CacheOptions(shared=False, allow_stale=False)).next(request, self.entries)
        sent, kept, validated = False, False, False
        while True:
            name = type(state).__name__
            if name in ("CacheMiss", "NeedRevalidation"):
                if not script:
                    raise Difference("sends a request")
                conditions = [p for p in parts if p.startswith("sends ")]
                if conditions and not sent:
                    expected = expand(conditions[0][6:], self.clock.now)
                    headers = state.request.headers
                    own = [f"{n}: {headers[n]}" for n in ("If-Modified-Since", "If-None-Match")
                           if n in headers and n not in request.headers]
                    if " ; ".join(own) != ("" if expected == "nothing" else expected):
                        raise Difference(f"sends {own}")
                sent = True
                text = script.pop(0)
                words, _ = message(text, self.clock.now)
                self.clock.now += number(words, "delay", 0)
                words, headers = message(text, self.clock.now)
                if words[0] == "fails":
                    return "error", False, Headers({}), 0
                headers.setdefault("date", [date("0", self.clock.now)])
                headers = {n: v for n, v in headers.items() if v != ["none"]}
                response = Response(int(words[0]), Headers(headers))
                validated = name == "NeedRevalidation" and response.status_code == 304
                state = state.next(response)
            elif name == "StoreAndUse":
                self.entries.append(Entry(uuid.uuid4(), request, state.response))
                return "network", True, state.response.headers, state.response.status_code
            elif name == "CouldNotBeStored":
                return "network", False, state.response.headers, state.response.status_code
            elif name == "InvalidateEntries":
                self.entries = [e for e in self.entries if e.id not in state.entry_ids]
                state = state.next()
            elif name == "NeedToBeUpdated":
                new = {entry.id: entry for entry in state.updating_entries}
                self.entries = [new.get(entry.id, entry) for entry in self.entries]
                state = state.next()
            else:
                if script and not sent:
                    raise Difference("stored")
                return ("validated" if validated else "stored"), kept, state.entry.response.headers, state.entry.response.status_code


def difference(case):
    cache = Cache()
    for step in case["steps"]:
        try:
            cache.run(step)
        except Difference as found:
            return f"{step}: {found}"
        except Exception as error:  # hishel's own
            return f"{step}: raises {type(error).__name__}"
    return None


with open(TABLE, encoding="utf-8") as file:
    cases = json.load(file)["cases"]
found = {f"{case['section']}: {case['what']}": difference(case) for case in cases}
differing = {name: text for name, text in found.items() if text}
if sys.argv[1:] == ["--print"]:
    for name, text in differing.items():
        print(f"{name} [{text}]")
    sys.exit()
with open(os.path.join(FOLDER, "differences.txt"), encoding="utf-8") as file:
    known = {line[2:].rstrip("\n") for line in file if line.startswith("- ")}
problems = [f"new: {name} [{differing[name]}]" for name in differing if name not in known]
problems += [f"gone: {name}" for name in sorted(known) if name not in differing]
print("\n".join(problems + [f"{len(found) - len(differing)} of {len(found)} scenarios agree with hishel"]))
sys.exit(1 if problems else 0)
