# Part of CredKit. SPDX-License-Identifier: Apache-2.0
"""Types into a shell on a pseudoterminal: each text, then waits until its pattern is printed.

usage: type_keys.py PROGRAM ARGUMENT… -- TEXT PATTERN …
"""
import os, pty, re, select, sys, time
split = sys.argv.index("--")
program, steps = sys.argv[1:split], sys.argv[split + 1:]
child, terminal = pty.fork()
if child == 0:
    os.environ["TERM"] = "dumb"
    os.execvp(program[0], program)
end = time.monotonic() + 120
for keys, pattern in zip(steps[::2], steps[1::2]):
    os.write(terminal, keys.encode().decode("unicode_escape").encode())
    seen = b""
    while not re.search(pattern.encode(), seen):
        ready = select.select([terminal], [], [], max(0, end - time.monotonic()))[0]
        if not ready:
            sys.exit(f"no match of {pattern!r} in {seen!r}")
        try:
            seen += os.read(terminal, 65536)
        except OSError:
            sys.exit(f"no match of {pattern!r} in {seen!r}")
os.close(terminal)
