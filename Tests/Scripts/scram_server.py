"""A login server that frames scramp by RFC 7804, over http and, with pyOpenSSL, over TLS.

Prints {"authority": PATH, "ports": {KIND: PORT}} and exits when its standard input ends. Each line is a JSON object of
settings to change; the answer is the state. Ports: `plain`; TLS with certificates that are signed with `sha256`, `sha384`,
`sha512` and `ed25519`; `tls12` and `tls12-no-ems` (no extended master secret); `relay`, which ends TLS with a certificate of
its own for the same name and passes the bytes on to `sha256`; `proxy`, which forwards connections by CONNECT.
"""
import base64
import hashlib
import http.server
import io
import json
import os
import re
import secrets
import socket
import sys
import tempfile
import threading
import urllib.parse

import scramp
import scramp.core as core
from OpenSSL import SSL, crypto

from authority import Authority

# scramp compares bindings that it is given; it only refuses to name this one.
core.CbName.SUPPORTED_TYPES |= {"tls-exporter"}
core.CbName.UNSUPPORTED_TYPES = frozenset()

LOCK = threading.Lock()
EQUIVALENT = "97070e99c2efa11e14a1b6f5407b4209"  # of zhang with the key phrase itheima
SETTINGS = {
    "mechanism": "SCRAM-SHA-256",
    "binding": None,  # the kind of channel binding that is offered
    "lists": None,  # what the list of mechanisms says, if not the truth
    "subject": None,  # f=
    "password": "zhang",
    "iterations": 4096,
    "closes": 0,  # how often the connection closes after the server's first message
    "otp": None,
    "ticket": None,
    "salt": "000102030405060708090a0b0c0d0e0f",
}
STATE = {"lists": 0, "firsts": 0, "finals": 0, "logins": 0, "flags": [], "verifiers": [], "codes": [], "tokens": []}
EXCHANGES, SESSIONS = {}, set()


def header(value):
    """The scheme and the parameters of Authorization; values are tokens or quoted strings."""
    scheme, _, rest = value.partition(" ")
    return scheme, {name.lower(): quoted if quoted else token
                    for name, quoted, token in re.findall(r'([\w-]+)=(?:"([^"]*)"|([^\s,"]+))', rest)}


class Wire(io.RawIOBase):
    """A pyOpenSSL connection or a socket as a stream."""

    def __init__(self, connection):
        self.connection = connection

    def readable(self):
        return True

    def writable(self):
        return True

    def readinto(self, buffer):
        try:
            data = self.connection.recv(len(buffer))
        except (SSL.Error, OSError):
            data = b""
        buffer[:len(data)] = data
        return len(data)

    def write(self, data):
        try:
            self.connection.sendall(bytes(data))
        except (SSL.Error, OSError):
            pass
        return len(data)


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def __init__(self, connection, certificate):
        self.tls = connection if isinstance(connection, SSL.Connection) else None
        self.certificate = certificate
        self.rfile, self.wfile = io.BufferedReader(Wire(connection)), Wire(connection)
        self.client_address = ("127.0.0.1", 0)
        self.close_connection = True
        self.handle()

    def log_message(self, *_):
        pass

    def value(self, kind):
        """The binding of this connection."""
        if self.tls is None or kind is None:
            return None
        if kind == "tls-exporter":
            version = self.tls.get_protocol_version_name()
            return self.tls.export_keying_material(b"EXPORTER-Channel-Binding", 32, None if version == "TLSv1.3" else b"")
        return hashlib.new(self.certificate[1], self.certificate[0]).digest()

    def answer(self, status, fields=(), body=b"{}"):
        self.send_response(status)
        for name, value in fields:
            self.send_header(name, value)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        # As one record, so that the relay passes it on at once.
        self._headers_buffer.append(b"\r\n" + body)
        self.flush_headers()

    def do_GET(self):
        cookie = self.headers.get("Cookie", "")
        with LOCK:
            known = any(f"sid={one}" in cookie for one in SESSIONS)
        self.answer(200, body=b'{"user": "alice"}') if known else self.answer(401)

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", "0"))).decode()
        with LOCK:
            if self.path == "/scram":
                self.scram(body)
            elif self.path == "/scram-verifier":
                form = urllib.parse.parse_qs(body)
                STATE["verifiers"].append([form["ticket"][0], form["verifier"][0], self.headers.get("Cookie", "")])
                STATE["tokens"].append(self.headers.get("X-Auth-Token", ""))
                self.answer(204 if form["ticket"][0] == SETTINGS["ticket"] else 403)
            else:
                self.answer(404)

    def scram(self, body):
        name, kind = SETTINGS["mechanism"], SETTINGS["binding"]
        value = self.value(kind)
        if "Authorization" not in self.headers:
            STATE["lists"] += 1
            names = SETTINGS["lists"] or ([f"{name}-PLUS"] if value else []) + [name]
            return self.answer(401, [("WWW-Authenticate", f'{one} realm="school"') for one in names])
        scheme, parameters = header(self.headers["Authorization"])
        message = base64.b64decode(parameters["data"], validate=True).decode()
        if "sid" not in parameters:
            return self.first(scheme, message, kind, value)
        STATE["finals"] += 1
        exchange = EXCHANGES.pop(parameters["sid"], None)
        sid = parameters["sid"]
        if exchange is None:
            return self.challenge(scheme, sid, "e=other-error")
        if isinstance(exchange, tuple):  # the same message again, with a code
            right, proof = exchange
            if message != right:
                return self.challenge(scheme, sid, "e=other-error")
        else:
            if value and scheme.endswith("-PLUS"):
                exchange.cb = core.ChannelBinding(core.CbName(kind), core.CBindData(value))
            try:
                exchange.set_client_final(message)
            except scramp.ScramException:
                return self.challenge(scheme, sid, exchange.get_server_final())
            data = base64.b64encode(exchange.get_server_final().encode()).decode()
            proof = f'sid="{sid}", data="{data}"'
        if SETTINGS["otp"]:
            code = urllib.parse.parse_qs(body).get("otp", [""])[0]
            STATE["codes"].append(code)
            if code != SETTINGS["otp"]:
                EXCHANGES[sid] = (message, proof)
                return self.answer(200, [("Authentication-Info", proof)], b'{"userId": -1, "codeRequired": 1}')
        STATE["logins"] += 1
        session = f"cookie-{secrets.token_hex(8)}"
        SESSIONS.add(session)
        if SETTINGS["ticket"]:
            proof += f', verifier-ticket="{SETTINGS["ticket"]}"'
        self.answer(200, [("Authentication-Info", proof), ("Set-Cookie", f"sid={session}; Path=/"),
                          ("x-auth-token", f"token-{session}")], b'{"userId": 7}')

    def first(self, scheme, message, kind, value):
        STATE["firsts"] += 1
        STATE["flags"].append(message.split(",")[0])
        sid = secrets.token_urlsafe(12)

        def lookup(user):
            info = scramp.ScramMechanism(SETTINGS["mechanism"]).make_auth_info(
                SETTINGS["password"], iteration_count=SETTINGS["iterations"], salt=bytes.fromhex(SETTINGS["salt"]))
            return info

        exchange = scramp.ScramMechanism(scheme).make_server(lookup, channel_binding=(kind, value) if value else None)
        try:
            exchange.set_client_first(message)
            text = exchange.get_server_first()
        except scramp.ScramException:
            return self.challenge(scheme, sid, f"e={exchange.error.value}")
        if SETTINGS["subject"]:
            text += f",f={SETTINGS['subject']}"
            exchange.server_first = text
        EXCHANGES[sid] = exchange
        if SETTINGS["closes"]:
            SETTINGS["closes"] -= 1
            self.close_connection = True
        self.challenge(scheme, sid, text)

    def challenge(self, scheme, sid, message):
        data = base64.b64encode(message.encode()).decode()
        self.answer(401, [("WWW-Authenticate", f'{scheme} sid="{sid}", data="{data}"')])


def serve(connection, context, certificate):
    connection.settimeout(None)
    wire = connection
    try:
        if context is not None:
            wire = SSL.Connection(context, connection)
            wire.set_accept_state()
            wire.do_handshake()
        Handler(wire, certificate)
        if context is not None:
            wire.shutdown()
    except (SSL.Error, OSError):
        pass
    finally:
        connection.close()


def relay(connection, context, port, authority):
    """Ends TLS and passes the bytes on to the server behind it, whose certificate it checks."""
    try:
        front = SSL.Connection(context, connection)
        front.set_accept_state()
        front.do_handshake()
        client = SSL.Context(SSL.TLS_CLIENT_METHOD)
        client.load_verify_locations(authority)
        back = SSL.Connection(client, socket.create_connection(("127.0.0.1", port)))
        back.set_tlsext_host_name(b"localhost")
        back.set_connect_state()
        back.do_handshake()
        while True:
            request = front.recv(65536)
            if not request:
                return
            back.sendall(request)
            front.sendall(back.recv(65536))
    except (SSL.Error, OSError):
        pass
    finally:
        connection.close()


def proxy(connection):
    head = b""
    while b"\r\n\r\n" not in head:
        head += connection.recv(65536) or b"\r\n\r\n"
    host, _, port = head.split(b" ")[1].decode().rpartition(":")
    back = socket.create_connection((host, int(port)))
    connection.sendall(b"HTTP/1.1 200 OK\r\n\r\n")

    def copy(source, target):
        try:
            while piece := source.recv(65536):
                target.sendall(piece)
            target.shutdown(socket.SHUT_WR)
        except OSError:
            pass

    threading.Thread(target=copy, args=(back, connection), daemon=True).start()
    copy(connection, back)


def listen(target, *arguments):
    listener = socket.create_server(("127.0.0.1", 0))

    def accept():
        while True:
            threading.Thread(target=target, args=(listener.accept()[0], *arguments), daemon=True).start()

    threading.Thread(target=accept, daemon=True).start()
    return listener.getsockname()[1]


def main():
    with tempfile.TemporaryDirectory() as folder:
        authority = Authority(folder)
        authority.make_authority("ca")
        authority.make_authority("ed-ca", kind="ed25519")
        names = [("name", "localhost")]

        def context(kind, digest="sha256", issuer="ca", version=None, options=0):
            authority.sign(kind, issuer, names=names, digest=digest)
            made = SSL.Context(SSL.TLS_SERVER_METHOD)
            made.use_certificate_file(authority.path(f"{kind}.pem"))
            made.use_privatekey_file(authority.path(authority.key("P-256")))
            made.set_session_cache_mode(SSL.SESS_CACHE_OFF)
            made.set_options(options)
            if version:
                made.set_max_proto_version(version)
            with open(authority.path(f"{kind}.pem"), "rb") as file:
                certificate = crypto.load_certificate(crypto.FILETYPE_PEM, file.read())
            der = crypto.dump_certificate(crypto.FILETYPE_ASN1, certificate)
            # What some servers guess for Ed25519.
            return made, (der, "sha512" if digest == "default" else digest)

        ports = {"plain": listen(serve, None, None)}
        for digest in ("sha256", "sha384", "sha512"):
            ports[digest] = listen(serve, *context(digest, digest))
        ports["ed25519"] = listen(serve, *context("ed25519", "default", "ed-ca"))
        ports["tls12"] = listen(serve, *context("tls12", version=SSL.TLS1_2_VERSION))
        # SSL_OP_NO_EXTENDED_MASTER_SECRET
        ports["tls12-no-ems"] = listen(serve, *context("no-ems", version=SSL.TLS1_2_VERSION, options=1))
        front = SSL.Context(SSL.TLS_SERVER_METHOD)
        authority.sign("relay", "ca", names=names, digest="sha384")
        front.use_certificate_file(authority.path("relay.pem"))
        front.use_privatekey_file(authority.path(authority.key("P-256")))
        ports["relay"] = listen(relay, front, ports["sha256"], authority.path("ca.pem"))
        ports["proxy"] = listen(proxy)
        authority.write("all.pem", authority.read("ca.pem", "ed-ca.pem"))
        print(json.dumps({"authority": os.path.join(folder, "all.pem"), "ports": ports}), flush=True)
        for line in sys.stdin:
            with LOCK:
                command = json.loads(line)
                if command.pop("expire", False):
                    SESSIONS.clear()
                SETTINGS.update(command)
                print(json.dumps(STATE), flush=True)


main()
