# Part of CredKit. SPDX-License-Identifier: Apache-2.0
"""Prints stretches of twelve or more equal lines that stand twice in Sources; the exit status is then 1. Indentation,
blank lines, lines of brackets alone and the licence header do not count."""

import re
import subprocess
import sys

LENGTH = 12

lines = []  # (text, path, number); between two files a line that equals no other
for path in subprocess.run(
    ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "Sources", "Server/Sources"],
    check=True, capture_output=True, text=True,
).stdout.split("\0"):
    try:
        text = open(path, encoding="utf-8").read() if path else ""
    except FileNotFoundError:
        continue
    for number, line in enumerate(text.splitlines(), 1):
        line = line.strip()
        if not re.fullmatch(r"[{}()\[\],;]*", line) and "SPDX-License-Identifier" not in line:
            lines.append((line, path, number))
    lines.append((len(lines), path, 0))

seen, found, index = {}, 0, 0
while index + LENGTH <= len(lines):
    first = seen.setdefault(tuple(line[0] for line in lines[index : index + LENGTH]), index)
    if index - first < LENGTH:
        index += 1
        continue
    length = LENGTH
    while first + length < index and index + length < len(lines) and lines[first + length][0] == lines[index + length][0]:
        length += 1
    _, path, start = lines[index]
    _, other, other_start = lines[first]
    print(f"{path}:{start}-{lines[index + length - 1][2]}: {length} lines stand also in "
          f"{other}:{other_start}-{lines[first + length - 1][2]}")
    found += 1
    index += length
sys.exit(1 if found else 0)
