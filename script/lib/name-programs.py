# Part of CredKit. SPDX-License-Identifier: Apache-2.0
"""Writes Swift files that only compile if no public type of CredKit is ambiguous beside the libraries users import.

usage: name-programs.py FOLDER MARKDOWN… < NAMES

Types.swift names each type of NAMES (one per line) without its module. Program1.swift and so on are the programs of the
pages: the Swift blocks that begin with an import, without those that a comment says are not built. All files import all MODULES. They share one target, so each program
becomes a function, and its type declarations and extensions become private to the file.
"""

import os
import re
import sys

from markdown_pages import BLOCK, read

MODULES = [
    "AsyncHTTPClient", "CredKit", "CredKitClient", "CredKitKeychain", "CredKitPostgreSQL", "CredKitServer", "CredKitTesting", "Crypto",
    "CryptoExtras", "Foundation", "FoundationNetworking", "HTTPTypes", "Hummingbird", "HummingbirdCore", "Logging",
    "NIOCore", "NIOHTTP1", "NIOPosix",
]
TYPE = re.compile(r"(final |indirect )*(struct|class|enum|actor|protocol) ")
EXTENSION = re.compile(r"extension [^{:]*?( where [^{]*)?\{")
CONFORMANCE = re.compile(r"extension ")


def private(line):
    """The first line of a declaration that must stand at file scope, private to the file; None for other lines."""
    if TYPE.match(line):
        return "private " + line
    if EXTENSION.match(line):
        return "fileprivate " + line
    return line if CONFORMANCE.match(line) else None


def wrap(program, number):
    """A program as the text of a file of its own."""
    declarations, statements, target = [], [], None
    imports = set(MODULES)
    for line in program.splitlines():
        if line.startswith("import "):
            imports.add(line.split()[1])
        elif target is not None:
            target.append(line)
            target = None if line.startswith("}") else target
        elif (declaration := private(line)) is not None:
            declarations.append(declaration)
            is_whole = re.sub(r"\s*//.*", "", line).endswith("}")
            target = None if is_whole else declarations
        else:
            statements.append(line)
    lines = [f"import {module}" for module in sorted(imports)]
    lines += declarations + [f"func program{number}() async throws {{"] + statements + ["}"]
    return "\n".join(lines) + "\n"


def main():
    folder, pages = sys.argv[1], sys.argv[2:]
    blocks = [block for page in pages for block in BLOCK.findall(read(page))]
    programs = [code for marker, _, _, language, code in blocks
                if language == "swift" and code.startswith("import ") and marker != "not-run"]
    if len(programs) < 5:
        sys.exit(f"test-names: error: only {len(programs)} programs found in {' '.join(pages)}")
    files = {f"Program{number}.swift": wrap(program, number) for number, program in enumerate(programs, 1)}
    names = sys.stdin.read().split()
    files["Types.swift"] = "".join(
        [f"import {module}\n" for module in MODULES]
        + [f"private typealias Type{number} = {name}\n" for number, name in enumerate(names, 1)]
    )
    for old in os.listdir(folder):
        if old not in files:
            os.remove(os.path.join(folder, old))
    for name, text in files.items():
        path = os.path.join(folder, name)
        # An unchanged file is not compiled again.
        if not os.path.exists(path) or open(path, encoding="utf-8").read() != text:
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
    print(f"test-names: wrote {len(programs)} programs and the names of {len(names)} types to {folder}")


main()
