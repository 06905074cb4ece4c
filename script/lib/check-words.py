# Part of CredKit. SPDX-License-Identifier: Apache-2.0
"""Prints lines with words that CredKit's plain English avoids, save those in allowed-words.txt; the exit status is then
1. Each entry there is `PATH: TEXT`: in files whose path matches PATH, as in a shell, TEXT is in order."""

import fnmatch
import os
import re
import subprocess
import sys

WORDS = r"whoever|nobody|somebody|everybody|admission|recipe|time ?text|keeping|lets? [a-z]+ in\b|what is no "
ALLOWED = os.path.join(os.path.dirname(__file__), "allowed-words.txt")

with open(ALLOWED, encoding="utf-8") as file:
    allowed = [tuple(line.rstrip("\n").split(": ", 1)) for line in file if line.strip()]
hits = subprocess.run(
    ["git", "grep", "--untracked", "-InizE", WORDS, "--", "Sources", "README.md", "docs", "Tests",
     "Fuzz", ":!Fuzz/Corpus"],
    capture_output=True, text=True, errors="replace",
).stdout.split("\n")
used, problems = set(), []
for hit in filter(None, hits):
    path, number, text = hit.split("\0", 2)
    rest = text
    for entry in allowed:
        if fnmatch.fnmatchcase(path, entry[0]) and entry[1] in rest:
            used.add(entry)
            rest = rest.replace(entry[1], "")
    found = re.search(WORDS, rest, re.IGNORECASE)
    if found:
        problems.append(f"{path}:{number}: use another word than '{found[0].strip()}': {text.strip()}")
problems += [f"{ALLOWED}: no line needs the entry '{': '.join(entry)}'" for entry in allowed if entry not in used]
if len(allowed) > 20:
    problems.append(f"{ALLOWED}: {len(allowed)} entries are more than 20")
print("\n".join(problems), end="\n" if problems else "")
sys.exit(1 if problems else 0)
