# Part of CredKit. SPDX-License-Identifier: Apache-2.0
"""Prints the public symbols and conformances of a module as sorted lines, from its symbol graphs.

usage: public-api.py MODULE FOLDER
"""

import glob
import json
import subprocess
import sys

# The compiler adds these to almost every type, and others with each version.
IMPLICIT = {"Copyable", "Escapable", "SendableMetatype", "BitwiseCopyable"}

module, folder = sys.argv[1:]
graphs = []
for path in sorted(glob.glob(f"{folder}/{module}.symbols.json") + glob.glob(f"{folder}/{module}@*.symbols.json")):
    with open(path, encoding="utf-8") as file:
        graphs.append(json.load(file))

symbols = {symbol["identifier"]["precise"]: symbol for graph in graphs for symbol in graph["symbols"]}
relations = [relation for graph in graphs for relation in graph["relationships"]]
requirements = {relation["source"] for relation in relations if relation["kind"] == "requirementOf"}


def path_of(identifier, fallback=""):
    symbol = symbols.get(identifier)
    return ".".join(symbol["pathComponents"]) if symbol else fallback


def demangled(identifiers):
    """The names of types of other modules: `s:Sa` is Swift.Array."""
    if not identifiers:
        return {}
    mangled = "\n".join("$" + identifier.replace(":", "", 1) for identifier in identifiers)
    names = subprocess.run(
        ["swift", "demangle", "--compact", "--simplified"], input=mangled, capture_output=True, text=True, check=True
    ).stdout.split("\n")
    return {identifier: name.removeprefix("Swift.") for identifier, name in zip(identifiers, names)}


lines = set()
for identifier, symbol in symbols.items():
    declaration = " ".join("".join(part["spelling"] for part in symbol["declarationFragments"]).split())
    owner = ".".join(symbol["pathComponents"][:-1])
    kind = "requirement " if identifier in requirements else ""
    lines.add(f"{owner}: {kind}{declaration}" if owner else declaration)
relations = [relation for relation in relations if relation["kind"] in ("conformsTo", "inheritsFrom")]
foreign = demangled(sorted({relation["source"] for relation in relations} - symbols.keys()))
for relation in relations:
    target = relation.get("targetFallback", "").removeprefix("Swift.") or path_of(relation["target"], relation["target"])
    if target not in IMPLICIT:
        source = path_of(relation["source"]) or foreign[relation["source"]]
        lines.add(f"extension {source}: {target}")

print(f"# The public API of {module}: one symbol or conformance a line, as `type: declaration`. Written by script/api-baseline --update.")
print("\n".join(sorted(lines)))
