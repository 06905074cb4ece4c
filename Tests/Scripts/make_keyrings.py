# Part of CredKit. SPDX-License-Identifier: Apache-2.0
"""Creates Vectors/Data/libsecret-keyrings.json with libsecret itself. No test runs this.

usage: make_keyrings.py > Vectors/Data/libsecret-keyrings.json

Needs the Debian package libsecret-1-0. libsecret keeps the salt and iteration count of an existing keyring, so the
script first writes an empty keyring where few iterations are wanted.
"""
import ctypes
import json
import os
import struct
import subprocess
import sys
import tempfile

CASES = [
    {"password": "test", "iterations": None, "items": [
        {"label": "label1", "attributes": {"service": "mail", "username": "alice"}, "secret": b"test1"},
        {"label": "Büro", "attributes": {"foo": "bar", "apple": "orange"}, "secret": "größe".encode()},
    ]},
    {"password": "пароль 🗝", "iterations": 2, "items": [
        {"label": "", "secret": b"",
         "attributes": {"xdg:schema": "org.example.Password", "service": "", "username": "", "empty": ""}},
        {"label": "binary", "attributes": {"service": "key", "ä": "é\u0301\n"}, "secret": bytes(range(256))},
        {"label": "long", "attributes": {"service": "s" * 300, "username": "名前", "xdg:content-type": "text/html"},
         "secret": b"<p>" + b"x" * 600},
    ]},
    {"password": "p" * 200, "iterations": 1, "items": [
        {"label": f"item {number}", "attributes": {"service": "many", "username": f"user {number}", "n": str(number)},
         "secret": b"secret %d" % number} for number in range(12)
    ]},
    {"password": "small", "iterations": 3, "items": [
        {"label": "l", "attributes": {"service": "s", "username": "u"}, "secret": b"small secret"},
        {"label": "m", "attributes": {"service": "t"}, "secret": b"other secret"},
    ]},
    {"password": "anything", "iterations": 5, "items": []},
]


def without_items(iterations):
    salt = os.urandom(32)
    return (b"GnomeKeyring\n\r\0\n\1\0" + struct.pack("<I", len(salt)) + salt + struct.pack("<IQI", iterations, 0, 0)
            + bytes([4 + len(salt)]))


def store():
    """Runs as a separate process: libsecret opens only one keyring per process."""
    glib, secret = ctypes.CDLL("libglib-2.0.so.0"), ctypes.CDLL("libsecret-1.so.0")
    for function in (glib.g_hash_table_new, secret.secret_value_new):
        function.restype = ctypes.c_void_p
    for item in json.load(sys.stdin):
        table = ctypes.c_void_p(glib.g_hash_table_new(glib.g_str_hash, glib.g_str_equal))
        # The table does not copy its strings.
        strings = [(name.encode(), value.encode()) for name, value in item["attributes"].items()]
        for name, value in strings:
            glib.g_hash_table_insert(table, ctypes.c_char_p(name), ctypes.c_char_p(value))
        data = bytes.fromhex(item["secret"])
        value = ctypes.c_void_p(secret.secret_value_new(data, ctypes.c_ssize_t(len(data)), b"text/plain"))
        if not secret.secret_password_storev_binary_sync(None, table, None, item["label"].encode(), value, None, None):
            sys.exit("libsecret did not store an item")


def main():
    cases = []
    for case in CASES:
        items = [item | {"secret": item["secret"].hex()} for item in case["items"]]
        with tempfile.TemporaryDirectory() as folder:
            path = folder + "/k.keyring"
            if case["iterations"]:
                with open(path, "wb") as file:
                    file.write(without_items(case["iterations"]))
            environment = os.environ | {"SECRET_BACKEND": "file", "SECRET_FILE_TEST_PATH": path,
                                        "SECRET_FILE_TEST_PASSWORD": case["password"]}
            if items:
                subprocess.run([sys.executable, __file__, "store"], env=environment, check=True,
                               input=json.dumps(items).encode())
            with open(path, "rb") as file:
                keyring = file.read().hex()
        cases.append({"password": case["password"], "keyring": keyring, "items": items})
    source = ("Keyrings that libsecret 0.20.5 (Debian 12) wrote with SECRET_BACKEND=file, made by "
              "Tests/Scripts/make_keyrings.py; the last one, without items, is the script's own")
    json.dump({"source": source, "cases": cases}, sys.stdout, indent=2, ensure_ascii=False)
    print()


if len(sys.argv) > 1 and sys.argv[1] == "store":
    store()
else:
    main()
