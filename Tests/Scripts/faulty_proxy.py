"""Proxies that refuse, fail and hang, on 127.0.0.1; each behaviour has a separate port. `https-…` uses TLS.

Prints {"authority": PATH, "ports": {BEHAVIOUR: PORT}} and exits when its standard input ends. The command "heads"
returns {BEHAVIOUR: [the first bytes of each connection, as Latin-1]}.
"""
import json
import socket
import ssl
import sys
import tempfile
import threading

from authority import Authority

BEHAVIOURS, HEADS, LOCK = {}, {}, threading.Lock()
FOREVER = threading.Event()
OPEN = b"HTTP/1.1 200 Connection established\r\n\r\n"


def note(kind, data):
    with LOCK:
        HEADS.setdefault(kind, []).append(data.decode("latin-1"))


def read_head(connection):
    head = b""
    while b"\r\n\r\n" not in head:
        piece = connection.recv(65536)
        if not piece:
            break
        head += piece
    return head


def answering(name, answer, hangs=False):
    def run(connection):
        note(name, read_head(connection))
        connection.sendall(answer)
        if hangs:
            FOREVER.wait()
    BEHAVIOURS[name] = run


def refusal(status, *fields, body=b"no"):
    lines = [f"HTTP/1.1 {status}", *fields, f"Content-Length: {len(body)}"]
    return ("\r\n".join(lines) + "\r\n\r\n").encode() + body


answering("forbidden", refusal("403 Forbidden", "Connection: close"))
answering("bad-gateway", refusal("502 Bad Gateway", "Connection: close"))
answering("password", refusal("407 Proxy Authentication Required", 'Proxy-Authenticate: Basic realm="here"',
                              "Connection: close"))
answering("digest", refusal("407 Proxy Authentication Required",
                            'Proxy-Authenticate: Digest realm="here", nonce="abc", qop="auth"', "Connection: close"))
answering("negotiate", refusal("407 Proxy Authentication Required", "Proxy-Authenticate: Negotiate", "Connection: close"))
answering("redirect", refusal("302 Found", "Location: http://127.0.0.1:9/elsewhere", "Connection: close"))
answering("endless-body", b"HTTP/1.1 403 Forbidden\r\nContent-Length: 1000000000\r\n\r\n" + b"x" * 1000, hangs=True)
answering("close", b"")
answering("half-head", b"HTTP/1.1 200 Conn")
answering("half-head-hang", b"HTTP/1.1 200 Connection established\r\nX-More: ", hangs=True)
answering("silent", b"", hangs=True)
answering("junk", b"SSH-2.0-OpenSSH_9.9\r\n\r\n")
answering("close-in-tunnel", OPEN)
answering("silent-tunnel", OPEN, hangs=True)
answering("junk-in-tunnel", OPEN + b"220 mail.example ESMTP\r\n")
answering("https-forbidden", refusal("403 Forbidden", "Connection: close"))
answering("https-other-name", OPEN)
answering("https-expired", OPEN)
answering("https-other-authority", OPEN)


def endless_head(connection):
    note("endless-head", read_head(connection))
    connection.sendall(b"HTTP/1.1 200 Connection established\r\n")
    while True:
        connection.sendall(b"X-More: " + b"y" * 1000 + b"\r\n")


def endless_line(connection):
    note("endless-line", read_head(connection))
    connection.sendall(b"HTTP/1.1 200 Connection established\r\nX-More: ")
    while True:
        connection.sendall(b"y" * 1000)


def tunnel(connection, name, answer=OPEN, cut_after=None):
    """A working tunnel that closes after a number of bytes from the server."""
    head = read_head(connection)
    note(name, head)
    host, _, port = head.split(b" ")[1].decode().rpartition(":")
    server = socket.create_connection((host.strip("[]"), int(port)))
    connection.sendall(answer)

    def up():
        try:
            while data := connection.recv(65536):
                server.sendall(data)
            server.shutdown(socket.SHUT_WR)
        except OSError:
            pass

    threading.Thread(target=up, daemon=True).start()
    left = cut_after
    while data := server.recv(65536):
        if left is not None:
            data = data[:left]
            left -= len(data)
        connection.sendall(data)
        if left == 0:
            break
    server.close()


def tunnelling(name, **arguments):
    BEHAVIOURS[name] = lambda connection: tunnel(connection, name, **arguments)


BEHAVIOURS["endless-head"], BEHAVIOURS["endless-line"] = endless_head, endless_line
tunnelling("good")
# Fields of the proxy's answer are not the server's.
tunnelling("cookie", answer=b"HTTP/1.1 200 OK\r\nSet-Cookie: from=proxy\r\nX-Auth-Token: proxy\r\n\r\n")
tunnelling("cut-in-handshake", cut_after=100)
tunnelling("cut-in-answer", cut_after=100_000)


def socks(name, *steps, hangs=False):
    """Reads a request and answers with each step in turn."""
    def run(connection):
        heard = b""
        for step in steps:
            piece = connection.recv(65536)
            heard += piece
            if not piece:
                break
            connection.sendall(step)
        note(name, heard)
        if hangs:
            FOREVER.wait()
    BEHAVIOURS[name] = run


def no(code):
    return bytes([5, code, 0, 1, 0, 0, 0, 0, 0, 0])


socks("socks-no-method", b"\x05\xff")
socks("socks-rejects-password", b"\x05\x02", b"\x01\x01")
socks("socks-failure", b"\x05\x00", no(1))
socks("socks-forbidden", b"\x05\x00", no(2))
socks("socks-unreachable", b"\x05\x00", no(4))
socks("socks-refused", b"\x05\x00", no(5))
socks("socks-unknown-code", b"\x05\x00", no(77))
socks("socks-close", b"\x05\x00", b"")
socks("socks-close-at-once")
socks("socks-half-answer", b"\x05\x00", b"\x05\x00\x00")
socks("socks-silent", b"\x05\x00", b"", hangs=True)
socks("socks-silent-at-once", b"", hangs=True)
socks("socks-version-4", b"\x04\x00")
socks("socks-junk", b"HTTP/1.1 400 Bad Request\r\n\r\n")
socks("socks-other-method", b"\x05\x01")
socks("socks-close-in-tunnel", b"\x05\x00", b"\x05\x00\x00\x01\x00\x00\x00\x00\x00\x00")
socks("socks-silent-tunnel", b"\x05\x00", b"\x05\x00\x00\x01\x00\x00\x00\x00\x00\x00", hangs=True)


def serve(connection, kind, tls):
    try:
        connection.settimeout(60)
        if tls:
            connection = tls.wrap_socket(connection, server_side=True)
        BEHAVIOURS[kind](connection)
    except (OSError, ValueError, IndexError):
        pass
    finally:
        try:
            connection.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        connection.close()


def listen(kind, tls):
    listener = socket.create_server(("127.0.0.1", 0), backlog=256)

    def accept():
        while True:
            threading.Thread(target=serve, args=(listener.accept()[0], kind, tls), daemon=True).start()

    threading.Thread(target=accept, daemon=True).start()
    return listener.getsockname()[1]


def main():
    with tempfile.TemporaryDirectory() as folder:
        authority = Authority(folder)
        authority.make_authority("ca")
        authority.make_authority("other-ca")
        right = [("name", "localhost"), ("address", "127.0.0.1")]
        authority.sign("https-forbidden", "ca", names=right)
        authority.sign("https-other-name", "ca", names=[("address", "192.0.2.1")])
        authority.sign("https-expired", "ca", names=right, end="20210101000000Z")
        authority.sign("https-other-authority", "other-ca", names=right)

        def context(kind):
            if not kind.startswith("https-"):
                return None
            tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            tls.load_cert_chain(authority.path(f"{kind}.pem"), authority.path("P-256.key"))
            return tls

        ports = {kind: listen(kind, context(kind)) for kind in BEHAVIOURS}
        print(json.dumps({"authority": authority.path("ca.pem"), "ports": ports}), flush=True)
        for _ in sys.stdin:
            with LOCK:
                print(json.dumps(HEADS), flush=True)


main()
