# Part of CredKit. SPDX-License-Identifier: Apache-2.0
"""Prints public symbols without documentation that swift format's rule does not see: actors, cases of public enums,
requirements of public protocols, and members of public extensions. The exit status is then 1."""

import re
import subprocess
import sys

TYPE = re.compile(r"(\s*)(?:@\S+ )*(?:public|open) (?:indirect |final )*(enum|protocol|extension|actor) ")
MEMBER = {
    "enum": r"(?:indirect )?case ",
    "protocol": r"(?:@\S+ )*(?:static |mutating )*(?:func|var|init|subscript|associatedtype)\b",
    "extension": r"(?:@\S+ )*(?:static |mutating )*(?:func|var|let|init|subscript|struct|enum|class|typealias)\b",
}
failed = False
for path in subprocess.run(
    ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "Sources/*.swift"],
    check=True, capture_output=True, text=True,
).stdout.split("\0"):
    try:
        lines = open(path, encoding="utf-8").read().splitlines() if path else []
    except FileNotFoundError:
        continue
    open_types = []  # (indentation, kind) of the public types around a line
    for index, line in enumerate(lines):
        indentation = len(line) - len(line.lstrip())
        while line.strip() and open_types and indentation <= open_types[-1][0] and not line.strip().startswith(")"):
            open_types.pop()
        kind = TYPE.match(line)
        member = open_types and indentation == open_types[-1][0] + 4 and re.match(
            MEMBER.get(open_types[-1][1], "$^"), line.strip())
        if member or kind and kind[2] == "actor":
            above = index - 1
            while lines[above].strip().startswith(("@", "#if")):
                above -= 1
            if not lines[above].strip().startswith("///"):
                print(f"{path}:{index + 1}: a public symbol lacks its documentation: {line.strip()}")
                failed = True
        if kind and line.rstrip().endswith("{"):
            open_types.append((indentation, kind[2]))
sys.exit(1 if failed else 0)
