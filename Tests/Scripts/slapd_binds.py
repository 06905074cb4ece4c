# Part of CredKit. SPDX-License-Identifier: Apache-2.0
"""Has OpenLDAP itself verify hashes: starts slapd with an entry for each, and binds with passwords.

usage: slapd_binds.py < CASES

Each line is a JSON object: the stored hash, its password, a wrong one, and perhaps `isLocked` for a hash that no password may
match. Prints a line for each hash that a bind with its password does not accept, or one with the wrong password does, and at last
the number of hashes. One process and one connection make all binds.
"""
import base64
import json
import os
import pathlib
import select
import signal
import socket
import subprocess
import sys
import tempfile
import time

MODULES = "/usr/lib/ldap"
SUCCESS, INVALID_CREDENTIALS = 0, 49


def element(tag, content):
    """An element of BER."""
    size = len(content)
    length = bytes([size]) if size < 128 else bytes([0x82]) + size.to_bytes(2, "big")
    return bytes([tag]) + length + content


def exactly(connection, count):
    data = b""
    while len(data) < count:
        part = connection.recv(count - len(data))
        if not part:
            raise SystemExit("slapd closed the connection")
        data += part
    return data


def bind(connection, name, password):
    """Binds, and returns the result code. RFC 4511: a message of an identifier and a BindRequest."""
    request = element(0x02, b"\3") + element(0x04, name) + element(0x80, password)
    connection.sendall(element(0x30, element(0x02, b"\1") + element(0x60, request)))
    header = exactly(connection, 2)
    if header[1] >= 128:
        raise SystemExit("the response of slapd is too long")
    # Message identifier (3 bytes), BindResponse and its length (2), and the code: an enumeration of one byte.
    return exactly(connection, header[1])[7]


def connect(connection, path):
    """Connects to slapd, which may return before its child listens."""
    for attempt in range(1000):
        try:
            return connection.connect(path)
        except ConnectionRefusedError:
            if attempt == 999:
                raise
            time.sleep(0.01)


def main():
    cases = [json.loads(line) for line in sys.stdin]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "data").mkdir()
        modules = ["back_mdb", "argon2", "pw-pbkdf2", "pw-sha2", "pw-apr1"]
        configuration = [
            f"modulepath {MODULES}",
            *(f"moduleload {module}" for module in modules),
            "include /etc/ldap/schema/core.schema",
            f"pidfile {folder}/pid",
            "database mdb",
            "maxsize 67108864",
            f"directory {folder}/data",
            'suffix "o=test"',
        ]
        (folder / "slapd.conf").write_text("\n".join(configuration) + "\n")
        entries = ["dn: o=test\nobjectClass: organization\no: test\n"]
        for number, case in enumerate(cases):
            stored = base64.b64encode(case["hash"].encode()).decode()
            entries.append(f"dn: cn={number},o=test\nobjectClass: person\ncn: {number}\nsn: x\nuserPassword:: {stored}\n")
        (folder / "entries.ldif").write_text("\n".join(entries))
        add = ["/usr/sbin/slapadd", "-q", "-f", folder / "slapd.conf", "-l", folder / "entries.ldif"]
        subprocess.run(add, check=True, stdout=subprocess.DEVNULL)
        path = f"{folder}/socket"
        address = "ldapi://" + path.replace("/", "%2F")
        subprocess.run(["/usr/sbin/slapd", "-f", folder / "slapd.conf", "-h", address], check=True)
        try:
            with socket.socket(socket.AF_UNIX) as connection:
                connect(connection, path)
                for number, case in enumerate(cases):
                    right = INVALID_CREDENTIALS if case.get("isLocked") else SUCCESS
                    for key, expected in (("password", right), ("wrong", INVALID_CREDENTIALS)):
                        code = bind(connection, f"cn={number},o=test".encode(), case[key].encode())
                        if code != expected:
                            print(f"{case['hash']}: {key} {case[key]!r}: result {code}")
        finally:
            process = int((folder / "pid").read_text())
            descriptor = os.pidfd_open(process)
            os.kill(process, signal.SIGTERM)
            select.select([descriptor], [], [])
            os.close(descriptor)
    print(len(cases))


main()
