# Part of CredKit. SPDX-License-Identifier: Apache-2.0
"""A second implementation of the signature base of RFC 9421 and of HMAC with it, from the RFC's text, for
SignatureReferenceTests.

Reads a list of cases as JSON from standard input, and writes one with their bases and codes. A base is null if the RFC, or
a rule that CredKit adds, refuses the message. Characters of fields are bytes.
"""

import base64
import hmac
import json
import re
import sys
from urllib.parse import quote_from_bytes, unquote_to_bytes


class Refused(Exception):
    pass


class Parser:
    """RFC 9651, dictionaries. Each value is returned in its canonical form. CredKit refuses repeated keys."""

    NUMBER = re.compile(r"-?([0-9]{1,15}(?![0-9.])|[0-9]{1,12}\.[0-9]{1,3}(?![0-9.]))")
    STRING = re.compile(r'"((?:[ !#-\[\]-~]|\\["\\])*)"')
    TOKEN = re.compile(r"[A-Za-z*][!#$%&'*+\-.^_`|~0-9A-Za-z:/]*")
    BYTES = re.compile(r":([A-Za-z0-9+/]*)(=*):")
    KEY = re.compile(r"[a-z*][a-z0-9_\-.*]*")

    def __init__(self, text):
        self.text = text.strip(" ")

    def take(self, pattern):
        match = re.compile(pattern).match(self.text)
        if not match:
            raise Refused("structured field")
        self.text = self.text[match.end() :]
        return match

    def dictionary(self):
        members = {}
        while self.text:
            key = self.take(self.KEY)[0]
            if key in members:
                raise Refused("a key twice")
            if self.text.startswith("="):
                self.take("=")
                members[key] = "=" + (self.inner_list() if self.text.startswith("(") else self.item())
            else:
                members[key] = self.parameters()
            self.take(r"[ \t]*")
            if not self.text:
                return members
            self.take(r",[ \t]*")
            if not self.text:
                raise Refused("a comma at the end")
        return members

    def inner_list(self):
        self.take(r"\( *")
        items = []
        while not self.text.startswith(")"):
            items.append(self.item())
            self.take(r"(?=[ )]) *")
        self.take(r"\)")
        return f"({' '.join(items)}){self.parameters()}"

    def item(self):
        return self.bare_item() + self.parameters()

    def parameters(self):
        values = {}
        while self.text.startswith(";"):
            self.take("; *")
            key = self.take(self.KEY)[0]
            if key in values:
                raise Refused("a parameter twice")
            values[key] = "?1"
            if self.text.startswith("="):
                self.take("=")
                values[key] = self.bare_item()
        return "".join(f";{key}" + ("" if value == "?1" else f"={value}") for key, value in values.items())

    def bare_item(self):
        first = self.text[:1]
        if first == '"':
            return self.take(self.STRING)[0]
        if first == ":":
            match = self.take(self.BYTES)
            missing = -len(match[1]) % 4
            if missing == 3 or len(match[2]) not in (0, missing):
                raise Refused("Base64")
            return f":{base64.b64encode(base64.b64decode(match[1] + '=' * missing)).decode()}:"
        if first == "?":
            return self.take(r"\?[01]")[0]
        if first == "-" or first.isdigit():
            text = self.take(self.NUMBER)[0]
            if "." not in text:
                return str(int(text))
            sign = "-" if text.startswith("-") and float(text) != 0 else ""
            whole, fraction = text.split(".")
            return f"{sign}{whole.lstrip('-0') or '0'}.{fraction.rstrip('0') or '0'}"
        return self.take(self.TOKEN)[0]


def request_component(case, name, parameters):
    path, query = case["path"] or "/", case.get("query")
    suffix = "" if query is None else "?" + query
    if name == "@method":
        return case["method"]
    if name == "@target-uri":
        return f"{case['scheme']}://{case['authority']}{path}{suffix}"
    if name == "@authority":
        authority = case["authority"].lower()
        host, colon, port = authority.rpartition(":")
        default = {"http": 80, "https": 443}.get(case["scheme"].lower())
        if colon and re.fullmatch("[0-9]*", port) and (port == "" or int(port) == default):
            return host
        return authority
    if name == "@scheme":
        return case["scheme"].lower()
    if name == "@request-target":
        return path + suffix
    if name == "@path":
        return path
    if name == "@query":
        return "?" + (query or "")
    if name == "@query-param":
        pairs = [pair.partition("=")[::2] for pair in (query or "").split("&") if pair]
        pairs = [[unquote_to_bytes(text.replace("+", " ")) for text in pair] for pair in pairs]
        for key, _ in pairs:
            key.decode()
        values = [value for key, value in pairs if form(key) == parameters["name"].strip('"')]
        if len(values) != 1:
            raise Refused("a parameter that is missing or there twice")
        values[0].decode()
        return form(values[0])
    raise Refused(name)


def form(text):
    """Encodes all but the characters that forms leave."""
    return quote_from_bytes(text, safe="*-._").replace("~", "%7E")


def field(fields, name, parameters):
    lines = [value for key, value in fields if key.lower() == name]
    if not lines:
        raise Refused(name)
    lines = [re.sub(r"(?:[ \t]*\r\n[ \t]+)+", " ", line).strip(" \t") for line in lines]
    if "bs" in parameters:
        encoded = [base64.b64encode(line.encode("latin-1")).decode() for line in lines]
        return ", ".join(f":{line}:" for line in encoded)
    value = ", ".join(lines)
    if "key" in parameters:
        member = Parser(value).dictionary().get(parameters["key"].strip('"'))
        if member is None:
            raise Refused("no such member")
        return member[1:] if member.startswith("=") else "?1" + member
    if "sf" in parameters:
        return ", ".join(key + member for key, member in Parser(value).dictionary().items())
    return value


def base(case):
    lines = []
    for identifier in case["components"]:
        name, *rest = identifier.split(";")
        name = name.strip('"')
        parameters = dict((text + "=").split("=")[:2] for text in rest)
        is_request = case.get("status") is None or "req" in parameters
        if name == "@status":
            value = str(case["status"])
        elif name.startswith("@"):
            value = request_component(case, name, parameters)
        else:
            value = field(case["fields"] if is_request else case["responseFields"], name, parameters)
        if not re.fullmatch(r"[\t -~]*", value):
            raise Refused("a value that is not printable")
        lines.append(f"{identifier}: {value}")
    lines.append(f"\"@signature-params\": {case['signatureInput'].removeprefix('own=')}")
    return "\n".join(lines)


def run(case):
    try:
        text = base(case)
    except (Refused, UnicodeDecodeError):
        return {}
    code = hmac.new(bytes.fromhex(case["key"]), text.encode(), "sha256").digest()
    return {"base": text, "code": base64.b64encode(code).decode()}


if __name__ == "__main__":
    json.dump([run(case) for case in json.load(sys.stdin)], sys.stdout)
