# Part of CredKit. SPDX-License-Identifier: Apache-2.0
"""Signs requests with 'credkit sign' as clients send them, and compares what is signed with signature_base.py and with
http-message-signatures, for SignedTargetTests.

usage: request_targets.py peers|random    prints how many requests agree; a difference is an error

peers: requests of curl, of Node.js and of Python's http.client, recorded by a socket.
random: 200 requests whose URL the Python package accepts, and 50 with other bytes.
"""

import json
import random
import re
import socket
import subprocess
import sys
from http.client import HTTPMessage
from types import SimpleNamespace
from urllib.parse import unquote_to_bytes

import signature_base
from http_message_signatures import HTTPMessageVerifier, MappingKeyResolver
from http_message_signatures.algorithms import HMAC_SHA256
from http_message_signatures.exceptions import HTTPMessageSignaturesException

KEY = b"0123456789abcdef0123456789abcdef"
COMPONENTS = ["@method", "@target-uri", "@authority", "@scheme", "@request-target", "@path", "@query"]


def parts(head):
    """Takes a request apart, by RFC 9112 section 3."""
    lines = head.decode("utf-8", "surrogateescape").split("\r\n")
    method, target, _ = lines[0].split(" ")
    hosts = [line.partition(":")[2].strip() for line in lines[1:] if line.lower().startswith("host:")]
    case = {"method": method, "target": target, "scheme": "http", "path": "", "query": None, "fields": []}
    url = re.fullmatch(r"(?is)(https?)://([^/?]*)([^?]*)(?:\?(.*))?", target)
    if method == "CONNECT":
        case["authority"] = target
    elif target == "*":
        case["authority"] = hosts[0]
    elif url:
        case["scheme"], case["authority"], case["path"], case["query"] = url.groups()
    else:
        case["authority"] = hosts[0]
        case["path"], mark, query = target.partition("?")
        case["query"] = query if mark else None
    return case


def value(case, component):
    if component == "@request-target":
        return case["target"]
    # RFC 9110 section 4.2.3, RFC 9112 section 3.3: these URLs have no path.
    if component == "@target-uri" and not case["path"] and case["method"] in ("OPTIONS", "CONNECT"):
        return f"{case['scheme']}://{case['authority']}" + ("" if case["query"] is None else "?" + case["query"])
    name, _, parameter = component.partition(";name=")
    return signature_base.request_component(case, name.strip('"'), {"name": parameter})


def parameters(case):
    """The identifiers of the parameters that can be signed."""
    found = []
    for pair in (case["query"] or "").split("&"):
        try:
            name = signature_base.form(unquote_to_bytes(pair.partition("=")[0].replace("+", " ")))
            component = f'"@query-param";name="{name}"'
            value(case, component)
        except (signature_base.Refused, UnicodeError):
            continue
        if pair:
            found.append(component)
    return found


def credkit(arguments, message, status=0):
    outcome = subprocess.run(["credkit", *arguments], input=message, capture_output=True)
    assert outcome.returncode == status, (arguments, message, outcome)
    return outcome


def covering(components):
    return ["--http"] + [word for component in components for word in ("--cover", component)]


def check(head):
    """Compares one request. Returns whether the Python package has verified it too."""
    case = parts(head)
    line = head.partition(b"\r\n")[0]
    sign = ["sign", "--with", "hmac-sha256:k=key"]
    possible = [name for name in COMPONENTS if re.fullmatch("[ -~]+", value(case, name))]
    # RFC 9421 section 2.5: a base is ASCII.
    for component in set(COMPONENTS) - set(possible):
        assert b"printable ASCII" in credkit(sign + covering([component]), head, 65).stderr, head
    components = possible + parameters(case)
    signed = credkit(sign + covering(components), head).stdout
    assert signed.startswith(line + b"\r\n"), signed
    verify = ["sign", "verify", "--with", "hmac-sha256:k=key"]
    base = credkit(verify + ["--base", "--http"], signed).stdout.decode()
    for component, found in zip(components, base.split("\n")):
        identifier = component if component.startswith('"') else f'"{component}"'
        assert found == f"{identifier}: {value(case, component)}", (head, found)
    credkit(verify + ["--quiet"] + covering(components), signed)
    # The package's URL of CONNECT has a slash at the end.
    return case["method"] != "CONNECT" and possible == COMPONENTS and is_verified(case, signed)


def is_verified(case, signed):
    headers = HTTPMessage()
    for line in signed.decode().split("\r\n")[1:-2]:
        name, _, text = line.partition(": ")
        headers[name] = text
    query = "" if case["query"] is None else "?" + case["query"]
    message = SimpleNamespace(
        method=case["method"],
        url=f"{case['scheme']}://{case['authority']}{case['path']}{query}",
        request_target=case["target"],
        headers=headers,
    )
    keys = MappingKeyResolver(public_keys={"k": KEY}, private_keys={})
    try:
        HTTPMessageVerifier(signature_algorithm=HMAC_SHA256, key_resolver=keys).verify(message)
    except HTTPMessageSignaturesException as error:
        assert "Invalid URL" in str(error), (signed, error)
        return False
    return True


# Clients


class Recorder:
    """Accepts connections, and returns the head of the first request on each."""

    def __init__(self):
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.socket.settimeout(60)
        self.host = f"127.0.0.1:{self.socket.getsockname()[1]}"

    def record(self, command):
        client = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        connection, _ = self.socket.accept()
        head = b""
        with connection:
            while b"\r\n\r\n" not in head:
                piece = connection.recv(65536)
                assert piece, (command, head)
                head += piece
            connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
        client.wait()
        return head[: head.index(b"\r\n\r\n") + 4]


PATHS = [
    "/", "/a[1]|b", "/{a}^b?c={d}", '/a"b<c>?"=<>', "/a\\b", "/a`b", "/%zz?x=%&y=%4", "/a?b?c", "//a//b",
    "/%2e%2E/x/../y",
    "/caf\u00e9?n=\u00fc&m=1", "/~a%7e?a~b=1+2", "/?", "/a?q=[1]&r=|",
]
NODE = "require('http').request({host: '127.0.0.1', ...JSON.parse(process.argv[1])}).on('error', () => {}).end()"
PYTHON = """
import http.client, sys
host, method, target = sys.argv[1:]
http.client.HTTPConnection(host).request(method, target)
"""


def curl(host):
    http = f"http://{host}"
    plain = ["curl", "-q", "-s", "--noproxy", "*", "--globoff", "--path-as-is"]
    proxied = ["curl", "-q", "-s", "--noproxy", "", "--globoff", "--path-as-is", "-x", http]
    for path in PATHS:
        yield plain + [http + path]
        yield proxied + ["http://Example.COM:80" + path]
    for url in ["http://Example.COM", "http://h.example?q", "http://[::1]:81/x"]:
        yield proxied + [url]
        yield proxied + ["-p", url]
    yield plain + ["-X", "OPTIONS", "--request-target", "*", http]
    yield plain + ["-X", "OPTIONS", "--request-target", "HTTP://H.example:80", http]
    yield plain + ["--request-target", "https://H.example:443/x|y?[z]", http]
    yield plain + ["-H", "Host: Other.Example:080", http + "/x"]


def node(host):
    port = int(host.rpartition(":")[2])
    requests = [("GET", path) for path in PATHS] + [("GET", "http://Other.example:80" + path) for path in PATHS]
    requests += [("OPTIONS", "*"), ("OPTIONS", "http://h.example"), ("CONNECT", "Example.com:443")]
    for method, path in requests:
        yield ["node", "-e", NODE, json.dumps({"port": port, "method": method, "path": path})]
    yield ["node", "-e", "fetch(process.argv[1]).catch(() => {})", f"http://{host}/caf\u00e9[1]|b?x={{1}}^|\"<"]


def python(host):
    requests = [("GET", path) for path in PATHS if path.isascii()]
    requests += [("GET", "http://Other.example:80" + path) for path in PATHS if path.isascii()]
    for method, target in requests + [("OPTIONS", "*"), ("CONNECT", "Example.com:443")]:
        yield [sys.executable, "-c", PYTHON, host, method, target]


def peers():
    recorder = Recorder()
    for client in (curl, node, python):
        heads = [recorder.record(command) for command in client(recorder.host)]
        for head in heads:
            check(head)
        print(f"{client.__name__}: {len(heads)} requests agree")


# Random requests

VALID = "abzAZ09-._~!$&'()*+,;=:@//&=&=+"
OTHER = '[]{}|^"<>\\`%?'


def random_text(generator, others):
    pieces = []
    for _ in range(generator.randrange(12)):
        kind = generator.random()
        if kind < 0.2:
            pieces.append("%" + generator.choice(["20", "2f", "2F", "7e", "C3%A9", "e2%82%ac", "00", "26", "25"]))
        elif others and kind < 0.5:
            pieces.append(generator.choice([*OTHER, "%zz", "\u00e9", "\u20ac"]))
        else:
            pieces.append(generator.choice(VALID))
    return "".join(pieces)


def random_head(generator, others):
    hosts = ["h", "Example.COM", "h.example:80", "h:8080", "[::1]", "[2001:DB8::1]:80", "a_b:00080", "h:"]
    host = generator.choice(hosts)
    query = generator.choice(["", "", "?", "?" + random_text(generator, others)])
    path = "/" + random_text(generator, others)
    method = generator.choice(["GET", "POST", "OPTIONS", "PROPFIND"])
    kind = generator.random()
    if kind < 0.1 and not others:
        method, target = "OPTIONS", "*"
    elif kind < 0.4:
        scheme = generator.choice(["http", "https", "HTTP"])
        path = generator.choice([path, path, path, ""])
        target = f"{scheme}://{generator.choice(['Other.example', host])}{path}{query}"
    else:
        target = path + query
    return f"{method} {target} HTTP/1.1\r\nHost: {host}\r\n\r\n".encode()


def randoms():
    generator = random.Random(9421)
    verified = sum(check(random_head(generator, False)) for _ in range(200))
    for _ in range(50):
        check(random_head(generator, True))
    print(f"{verified} of 200 requests are verified by http-message-signatures, and 50 others agree")


with open("key", "wb") as file:
    file.write(KEY)
{"peers": peers, "random": randoms}[sys.argv[1]]()
