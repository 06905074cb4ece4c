# Part of CredKit. SPDX-License-Identifier: Apache-2.0
"""Prints the names of the public top-level types in symbol graphs, sorted.

usage: public-names.py SYMBOLS.json…
"""

import json
import sys

KINDS = {f"swift.{kind}" for kind in ("actor", "class", "enum", "protocol", "struct", "typealias")}
names = set()
for path in sys.argv[1:]:
    with open(path, encoding="utf-8") as file:
        for symbol in json.load(file)["symbols"]:
            if symbol["kind"]["identifier"] in KINDS and len(symbol["pathComponents"]) == 1:
                names.add(symbol["names"]["title"])
print("\n".join(sorted(names)))
