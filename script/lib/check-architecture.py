# Part of CredKit. SPDX-License-Identifier: Apache-2.0
"""Compares docs/architecture.md with the sources: the edges of its picture with the imports in Sources/*/ and
Server/Sources/*/ and the libraries that C code loads, and the rooms in its picture and its table with the folders. Prints
each difference; the exit status is then 1."""

import os
import re
import subprocess
import sys

PAGE = "docs/architecture.md"
# The folders with modules, of the package itself and of the package of credkit-server.
ROOTS = ("Sources", "Server/Sources")
# Imports that the picture leaves out: the C library and the toolchain's own modules.
PLATFORM = {"Glibc", "Swift", "Dispatch", "Foundation", "FoundationEssentials", "Synchronization", "XCTest", "Testing"}
# Several modules of one package are one node.
PACKAGES = {"HummingbirdCore": "Hummingbird", "HummingbirdTLS": "Hummingbird"}
IMPORT = re.compile(
    r"^\s*(?:@\w+(?:\(\w+\))?\s+)*(?:(?:public|package|internal|private|fileprivate)\s+)?"
    r"import\s+(?:(?:struct|class|enum|protocol|func|let|var|typealias)\s+)?(\w+)", re.MULTILINE)

problems = []
# The root in which the folder of a module stands.
homes = {}


def complain(text):
    problems.append(f"{PAGE}: {text}")


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def place(path):
    """The folder of the module of a file, and the path below that folder."""
    root = next(root for root in ROOTS if path.startswith(root + "/"))
    folder, *rest = path.removeprefix(root + "/").split("/")
    homes.setdefault(folder, root)
    return folder, rest


def module(folder):
    """The name of the module in a folder: C modules carry the package's name as a prefix."""
    return folder if folder.startswith("CredKit") else "CCredKit" + folder[1:]


def location(room):
    """The path of a room."""
    return f"{homes.get(room.split('/')[0], ROOTS[0])}/{room}"


def node(imported):
    return "SwiftNIO" if imported.startswith("NIO") else PACKAGES.get(imported, imported)


files = [
    path
    for path in subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", *ROOTS],
        check=True, capture_output=True, text=True,
    ).stdout.split("\0")
    if path and os.path.exists(path)
]

# What the sources say: edge → a file that needs it.
needed, loaded, folders = {}, {}, set()
for path in files:
    folder, rest = place(path)
    if folder.startswith("CredKit") and rest:
        if len(rest) == 1:
            folders.add(folder)
        elif not rest[0].endswith(".docc"):
            folders.add(f"{folder}/{rest[0]}")
    if path.endswith(".swift"):
        for imported in IMPORT.findall(read(path)):
            if imported not in PLATFORM:
                needed.setdefault((module(folder), node(imported)), path)
    elif path.endswith((".c", ".h")):
        for library in re.findall(r'"(lib[a-z]+)[-.0-9a-z]*\.so', read(path)):
            loaded.setdefault((module(folder), library), path)

# What the page says.
page = read(PAGE)
pictures = re.findall(r"^```mermaid\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
if len(pictures) != 1:
    complain(f"expected one Mermaid picture, found {len(pictures)}")
drawn, dotted = set(), set()
labels = dict(re.findall(r'(\w+)\["([^"]*)"\]', "".join(pictures)))
for name in sorted({folder.split("/")[0] for folder in folders if "/" in folder}):
    shown = set(re.split(r", |,?<br>", labels.get(name, "")))
    for room in sorted(folder.split("/")[1] for folder in folders if folder.startswith(name + "/")):
        if room not in shown:
            complain(f"the picture lacks the room {room} of {name}")
    for room in sorted(shown - {folder.split("/")[1] for folder in folders if folder.startswith(name + "/")}):
        if room and not room.startswith(name):
            complain(f"the picture has the room {room} of {name}, but no file is in {location(name)}/{room}")
for line in "".join(pictures).splitlines():
    for arrow, edges in (("-->", drawn), ("-.->", dotted)):
        if arrow in line:
            sides = [side.split("&") for side in re.sub(r'\["[^"]*"\]|;', "", line).split(arrow)]
            for left, right in zip(sides, sides[1:]):
                edges.update((a.strip(), b.strip()) for a in left for b in right)

for edges, facts, missing, idle in (
    (drawn, needed, "imports", "no file of {0} imports it"),
    (dotted, loaded, "loads", "no C file of {0} names it"),
):
    for edge in sorted(facts.keys() - edges):
        complain(f"the picture has no edge from {edge[0]} to {edge[1]}, which {facts[edge]} {missing}")
    for edge in sorted(edges - facts.keys()):
        complain(f"the picture has an edge from {edge[0]} to {edge[1]}, but {idle.format(edge[0])}")

table = re.search(r"^## Rooms\n(.*?)(?=^## |\Z)", page, re.MULTILINE | re.DOTALL)
rooms = []
for row in re.findall(r"^\|([^|]*)\|", table[1] if table else "", re.MULTILINE):
    names = re.findall(r"`([^`]*)`", row)
    # Further rooms of a row may leave out the module.
    rooms += [name if name.startswith("CredKit") else f"{names[0].split('/')[0]}/{name}" for name in names]
rooms = [room.rstrip("/") for room in rooms]
for room in sorted(set(rooms) - folders):
    complain(f"the table of rooms has {room}, but no file is in {location(room)}")
for room in sorted(folders - set(rooms)):
    # Files beside folders need no row of their own.
    if not any(other.startswith(room + "/") for other in folders):
        complain(f"the table of rooms lacks {room}")
for room in sorted({room for room in rooms if rooms.count(room) > 1}):
    complain(f"the table of rooms has {room} twice")

print("\n".join(problems), end="\n" if problems else "")
sys.exit(1 if problems else 0)
