# Part of CredKit. SPDX-License-Identifier: Apache-2.0
"""Compares docs/architecture.md with the sources: the edges of its diagram with the imports in Sources/*/ and
Server/Sources/*/ and the libraries that C code loads, and the folders in its diagram and its table with those of the
sources. Also compares the pages of docs/decisions with the sources: each line of their lists links one existing file, in
brackets perhaps others, each followed by symbols that occur there outside of comments, and perhaps by their values, whose
numbers occur there. A page takes less than 12 kB, and is in the list of README.md. Prints each difference; the exit status
is then 1."""

import glob
import os
import re
import subprocess
import sys

PAGE = "docs/architecture.md"
INDEX = "docs/decisions/README.md"
# What is read at once by most tools.
MAXIMUM_BYTE_COUNT = 12_000
# The symbols of a file, and their values.
SYMBOLS = r"(?:,? `\w+`(?: = [^][`();]*[^][`();, ])?)+"
# A file that decides, and its symbols.
DECIDER = re.compile(rf"\[([^]]+)\]\(\.\./\.\./([^)]+)\)({SYMBOLS})")
# One file, and in brackets the files for other engines and exceptions.
FILE = rf"\[[^]]+\]\([^)]+\){SYMBOLS}"
DECIDERS = re.compile(rf"{FILE}(?: \([^][();]+: {FILE}(?:; [^][();]+: {FILE})*\))?")
# The folders with modules, of the package itself and of the package of credkit-server.
ROOTS = ("Sources", "Server/Sources")
# Imports that the diagram leaves out: the C library and the toolchain's own modules.
PLATFORM = {"Glibc", "Swift", "Dispatch", "Foundation", "FoundationEssentials", "Synchronization", "XCTest", "Testing"}
# Several modules of one package are one node.
PACKAGES = {"HummingbirdCore": "Hummingbird", "HummingbirdTLS": "Hummingbird"}
IMPORT = re.compile(
    r"^\s*(?:@\w+(?:\(\w+\))?\s+)*(?:(?:public|package|internal|private|fileprivate)\s+)?"
    r"import\s+(?:(?:struct|class|enum|protocol|func|let|var|typealias)\s+)?(\w+)", re.MULTILINE)

problems = []
# The root in which the folder of a module stands.
homes = {}


def complain(text, page=PAGE):
    problems.append(f"{page}: {text}")


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


def location(name):
    """The path of a folder of a module, such as `CredKit/Secrets`."""
    return f"{homes.get(name.split('/')[0], ROOTS[0])}/{name}"


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
        for name in re.findall(r'#include "CCredKit(\w+)\.h"', read(path)):
            if f"C{name}" != folder and os.path.isdir(f"Sources/C{name}"):
                needed.setdefault((module(folder), module(f"C{name}")), path)
        for library in re.findall(r'"(lib[a-z]+)[-.0-9a-z]*\.so', read(path)):
            loaded.setdefault((module(folder), library), path)

# What the page says.
page = read(PAGE)
diagrams = re.findall(r"^```mermaid\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
if len(diagrams) != 1:
    complain(f"expected one Mermaid diagram, found {len(diagrams)}")
drawn, dotted = set(), set()
labels = dict(re.findall(r'(\w+)\["([^"]*)"\]', "".join(diagrams)))
for name in sorted({folder.split("/")[0] for folder in folders if "/" in folder}):
    shown = set(re.split(r", |,?<br>", labels.get(name, "")))
    for child in sorted(folder.split("/")[1] for folder in folders if folder.startswith(name + "/")):
        if child not in shown:
            complain(f"the diagram lacks the folder {child} of {name}")
    for child in sorted(shown - {folder.split("/")[1] for folder in folders if folder.startswith(name + "/")}):
        if child and not child.startswith(name):
            complain(f"the diagram has the folder {child} of {name}, but no file is in {location(name)}/{child}")
for line in "".join(diagrams).splitlines():
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
        complain(f"the diagram has no edge from {edge[0]} to {edge[1]}, which {facts[edge]} {missing}")
    for edge in sorted(edges - facts.keys()):
        complain(f"the diagram has an edge from {edge[0]} to {edge[1]}, but {idle.format(edge[0])}")

table = re.search(r"^## Folders\n(.*?)(?=^## |\Z)", page, re.MULTILINE | re.DOTALL)
listed = []
for row in re.findall(r"^\|([^|]*)\|", table[1] if table else "", re.MULTILINE):
    names = re.findall(r"`([^`]*)`", row)
    # Further folders of a row may leave out the module.
    listed += [name if name.startswith("CredKit") else f"{names[0].split('/')[0]}/{name}" for name in names]
listed = [folder.rstrip("/") for folder in listed]
for folder in sorted(set(listed) - folders):
    complain(f"the table of folders has {folder}, but no file is in {location(folder)}")
for folder in sorted(folders - set(listed)):
    # Files beside folders need no row of their own.
    if not any(other.startswith(folder + "/") for other in folders):
        complain(f"the table of folders lacks {folder}")
for folder in sorted({folder for folder in listed if listed.count(folder) > 1}):
    complain(f"the table of folders has {folder} twice")



def has_number(text, number):
    """Whether a number occurs in a source, in which it may have underscores."""
    digits = number.replace(",", "")
    return re.search(rf"(?<!\d)(?<!\d\.){digits}(?!\.?\d)", re.sub(r"(?<=\d)[_,](?=\d)", "", text))


def check_decision(line, index):
    question, _, rest = line.removeprefix("- ").partition(" → ")
    if not DECIDERS.fullmatch(rest):
        form = "[NAME](../../FILE) `SYMBOL`"
        complain(f"not 'QUESTION → {form} = VALUE (EXCEPTION: {form}; …)': {line}", index)
    for name, path, symbols in DECIDER.findall(rest):
        if path not in files or os.path.basename(path) != f"{name}.swift":
            complain(f"'{question}' links {path}, which is no source file called {name}", index)
            continue
        text = read(path)
        code = re.sub(r"^\s*//.*$", "", text, flags=re.MULTILINE)
        for symbol, value in re.findall(r"`(\w+)`(?: = ([^`]+))?", symbols):
            if not re.search(rf"\b{symbol}\b", code):
                complain(f"'{question}' names {symbol}, which does not occur in {path}", index)
            for number in re.findall(r"\d[\d,]*\d|\d", value):
                if not has_number(text, number):
                    complain(f"'{question}' names the value {number}, which does not occur in {path}", index)


list_of_pages = set(re.findall(r"^- .*\]\(([^)/]+)\)", read(INDEX), re.MULTILINE))
indexes = sorted(index for index in glob.glob("docs/decisions/*.md") if index != INDEX)
for index in indexes:
    if os.path.basename(index) not in list_of_pages:
        complain(f"the list lacks {index}", INDEX)
    if os.path.getsize(index) >= MAXIMUM_BYTE_COUNT:
        complain(f"{os.path.getsize(index)} bytes: divide it, since many tools cut off what has {MAXIMUM_BYTE_COUNT}", index)
    for line in read(index).splitlines():
        if line.startswith("- "):
            check_decision(line, index)

print("\n".join(problems), end="\n" if problems else "")
sys.exit(1 if problems else 0)
