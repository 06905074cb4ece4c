# Part of CredKit. SPDX-License-Identifier: Apache-2.0
"""Writes the Swift blocks of pages as the sources of a package, and prints the names of the programs.

usage: example-programs.py FOLDER PAGE…

Each block that begins with an import is a program, FOLDER/ExamplePAGEn/main.swift, or ExamplePAGEnBuiltOnly after a line
`<!-- built-only: REASON -->`. Each block after a comment `<!-- built-after: CODE -->` is a fragment: with the code in the
comment it becomes a function in a file of the target FOLDER/Fragments, which is not run.
"""

import os
import re
import sys

from markdown_pages import BLOCK, read


def write(*path, text):
    os.makedirs(os.path.join(*path[:-1]), exist_ok=True)
    with open(os.path.join(*path), "w", encoding="utf-8") as file:
        file.write(text)


def function(code):
    """Code as a function, after its imports."""
    imports = re.findall(r"^import .*\n", code, re.MULTILINE)
    statements = re.sub(r"^import .*\n", "", code, flags=re.MULTILINE)
    # Values that a page only makes are no reason for a warning.
    statements += "".join(f"_ = {name}\n" for name in re.findall(r"^(?:let|var) (\w+)", code, re.MULTILINE))
    return "".join(imports) + f"\nprivate func fragment() async throws {{\n{statements}}}\n"


def main():
    folder, pages = sys.argv[1], sys.argv[2:]
    for page in pages:
        name = re.sub(r"[^A-Za-z0-9]", "", os.path.splitext(os.path.basename(page))[0])
        found = 0
        for marker, _, context, language, code in BLOCK.findall(read(page)):
            if language != "swift" or marker == "not-run":
                continue
            if code.startswith("import "):
                found += 1
                program = f"Example{name}{found}" + ("BuiltOnly" if marker else "")
                write(folder, program, "main.swift", text=code)
                print(program)
            elif context:
                found += 1
                write(folder, "Fragments", f"{name}{found}.swift", text=function(context + code))
        if not found and not page.startswith("Sources/"):
            sys.exit(f"test-example: error: no program found in {page}")


main()
