# Part of CredKit. SPDX-License-Identifier: Apache-2.0
"""Reads mutated files of password managers with the parsers of Python, for ImportMutationTests.

Standard input has a line for each file: its format and its bytes in hexadecimal. A line is printed for each: `-` if the
file is malformed, otherwise the pairs of user name and secret that an import must find, as `NAME:SECRET` in hexadecimal.
One-time codes and addresses are left out: they are stored in another form than in the file.
"""
import csv
import io
import json
import re
import sys
from xml.etree import ElementTree

CSV_SECRETS = ("Password", "password", "Notes", "note")
KEEPASS_OTHERS = ("Title", "UserName", "URL", "otp")
STRUCTURES = ("card", "identity", "sshKey", "bankAccount", "driversLicense", "passport")


def visible(text):
    """Replaces the control characters that a parser of Python refuses."""
    return "".join(chr(0xE000 + ord(c)) if c < " " and c not in "\t\n\r" else c for c in text)


def table(data):
    reader = csv.DictReader(io.StringIO(visible(data.decode()), newline=""), strict=True)
    for row in reader:
        user = row.get("Username") or row.get("username") or ""
        yield from ((user, row[name] or "") for name in CSV_SECRETS if name in row)


def keepass(data):
    # An import need not look at the declaration and at the attributes of values.
    text = re.sub(r"^\s*<\?.*?\?>", "", data.decode(), flags=re.S)
    text = re.sub(r'<Value [^<>"]*"[^<>"]*">', "<Value>", text)
    root = ElementTree.fromstring(visible(text))
    if root.tag != "KeePassFile":
        raise ValueError(root.tag)
    deleted = root.findtext("Meta/RecycleBinUUID")
    groups = root.findall("Root/Group")
    while groups:
        group = groups.pop()
        if deleted and group.findtext("UUID") == deleted:
            continue
        groups += group.findall("Group")
        for entry in group.findall("Entry"):
            pairs = [(one.findtext("Key"), one.findtext("Value") or "") for one in entry.findall("String")]
            user = dict(pairs).get("UserName", "")
            yield from ((user, value) for name, value in pairs if name not in KEEPASS_OTHERS)


def leaves(value):
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        for one in value:
            yield from leaves(one)
    elif value is not None:
        yield value if isinstance(value, str) else str(value).lower()


def members(pairs):
    """Returns the members of an object; of a name that stands twice, both."""
    found = {}
    for name, value in pairs:
        found[(name, len(found)) if name in found else name] = value
    return found


def bitwarden(data):
    document = json.loads(data, parse_int=str, parse_float=str, object_pairs_hook=members)
    for one in document["items"]:
        login = one.get("login") or {}
        user = login.get("username") or ""
        values = [login.get("password"), one.get("notes")]
        values += [field.get("value") for field in one.get("fields") or [] if field.get("linkedId") is None]
        uris = [uri["uri"] for uri in login.get("uris") or [] if uri.get("uri") is not None]
        others = ("username", "password", "totp", "otp", "uris", "passwordRevisionDate")
        values += uris[1:] + list(leaves({name: login[name] for name in login if name not in others}))
        values += leaves({name: one[name] for name in STRUCTURES if name in one})
        yield from ((user, value or "") for value in values)


def password_store(data):
    lines = data.split(b"\n")
    if len(lines) > 1 and not lines[-1]:
        lines.pop()
    first, *lines = [line.removesuffix(b"\r") for line in lines]
    with_headers = first == b"GOPASS-SECRET-1.0"
    user, address, code, password, notes = None, None, None, b"" if with_headers else first, []
    if first.startswith(b"otpauth://") and len(first) > 10:
        code, password = first, b""
    while lines:
        line = lines.pop(0)
        if with_headers and not line:
            notes += lines
            break
        name, colon, value = line.partition(b":")
        name, value = name.lower() if colon else b"", value.removeprefix(b" ")
        usable = value and value == value.decode(errors="ignore").encode()
        if code is None and line.startswith(b"otpauth://") and len(line) > 10:
            code = line
        elif with_headers and name == b"password":
            password = value
        elif usable and user is None and name in (b"login", b"username", b"user"):
            user = value
        elif usable and address is None and name in (b"url", b"website", b"uri"):
            address = value
        else:
            notes.append(line)
    # The name of the file is host.example/alice.
    user = b"alice" if user is None else user
    yield from ((user, password), (user, b"\n".join(notes)))


READERS = {"keepass-xml": keepass, "bitwarden-json": bitwarden, "pass": password_store}


def normal(text):
    """Returns the bytes of a text without control characters and with the line ends of XML."""
    data = text if isinstance(text, bytes) else text.encode()
    for control in set(range(32)) - {9, 10, 13}:
        data = data.replace(bytes([control]), chr(0xE000 + control).encode())
    return data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")


csv.field_size_limit(1 << 24)
for line in sys.stdin:
    kind, _, digits = line.strip().partition(" ")
    try:
        pairs = {(normal(user), normal(secret)) for user, secret in READERS.get(kind, table)(bytes.fromhex(digits))}
        print(" ".join(sorted(f"{user.hex()}:{secret.hex()}" for user, secret in pairs if secret)))
    except (AttributeError, ElementTree.ParseError, KeyError, TypeError, ValueError, csv.Error):
        print("-")
