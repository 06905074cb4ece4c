"""An HTTP/1.1 server whose connections close or hang, on 127.0.0.1: each behaviour has a plain and a TLS port.

Prints {"authority": PATH, "ports": {BEHAVIOUR: PORT}, "tls": {BEHAVIOUR: PORT}} and exits when its standard input ends.
The command "seen" returns {ID: number of requests with this x-id}, "connections" the number of connections,
"signatures" {ID: the values of Signature-Input and Signature of each request, one after the other};
"answer-unasked" returns after an unsolicited response was sent over each connection of that behaviour.
"""
import json
import socket
import ssl
import struct
import sys
import tempfile
import threading

from authority import Authority

BEHAVIOURS, SEEN, LOCK = {}, {}, threading.Lock()
CONNECTIONS, KEPT, SIGNATURES = {}, [], {}
FOREVER = threading.Event()


def behaviour(function):
    BEHAVIOURS[function.__name__.replace("_", "-")] = function
    return function


class Stream:
    """A connection on which requests are read."""

    def __init__(self, connection):
        self.connection, self.file = connection, connection.makefile("rb")

    def head(self):
        """Method, target and fields of the next request; None at the end."""
        line = self.file.readline()
        if not line.endswith(b"\r\n"):
            return None
        method, target, _ = line.decode("latin-1").split(" ", 2)
        fields = {}
        while (line := self.file.readline()) not in (b"\r\n", b""):
            name, _, value = line.decode("latin-1").partition(":")
            fields[name.lower()] = value.strip()
        if not line:
            return None
        if "x-id" in fields:
            with LOCK:
                SEEN[fields["x-id"]] = SEEN.get(fields["x-id"], 0) + 1
                if "signature" in fields:
                    signatures = SIGNATURES.setdefault(fields["x-id"], [])
                    signatures += [fields["signature-input"], fields["signature"]]
        return method, target, fields

    def request(self):
        head = self.head()
        if head:
            fields = head[2]
            if "content-length" in fields:
                self.file.read(int(fields["content-length"]))
            elif fields.get("transfer-encoding") == "chunked":
                while size := int(self.file.readline(), 16):
                    self.file.read(size + 2)
                self.file.readline()
        return head

    def send(self, data):
        self.connection.sendall(data)

    def answer(self):
        self.send(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")


def reset(connection):
    """Closes the connection with RST instead of FIN."""
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


@behaviour
def good(stream):
    while stream.request():
        stream.answer()


@behaviour
def close_after_answer(stream):
    """Closes after each response, without announcing it."""
    if stream.request():
        stream.answer()


@behaviour
def reset_after_answer(stream):
    if stream.request():
        stream.answer()
        reset(stream.connection)


@behaviour
def close_at_second(stream):
    """Answers one request, and closes when the next one has arrived, like a server that closes just too late."""
    if stream.request():
        stream.answer()
        stream.request()


@behaviour
def reset_at_second(stream):
    if stream.request():
        stream.answer()
        stream.request()
        reset(stream.connection)


@behaviour
def close_at_second_head(stream):
    """The same, when the head has arrived and the body has not."""
    if stream.request():
        stream.answer()
        stream.head()


@behaviour
def close_at_first(stream):
    stream.request()


@behaviour
def half_answer_at_second(stream):
    """Sends part of a response: the request must never be retried, whatever the method."""
    if stream.request():
        stream.answer()
        stream.request()
        stream.send(b"HTTP/1.1 200 OK\r\nX-Fir")


@behaviour
def unasked_answer(stream):
    """Answers, and sends another response on command."""
    if stream.request():
        with LOCK:
            KEPT.append(stream)
        stream.answer()
        while stream.request():
            stream.answer()


def answer_unasked():
    """Sends an unsolicited response over each kept connection; returns the number of connections."""
    with LOCK:
        kept, KEPT[:] = KEPT[:], []
    count = 0
    for stream in kept:
        try:
            stream.send(b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil")
            count += 1
        except OSError:
            pass  # The client has closed it.
    return {"answers": count}


@behaviour
def cut_head(stream):
    if stream.request():
        stream.send(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nX-Last: 1\r\n")


@behaviour
def cut_head_in_line(stream):
    if stream.request():
        stream.send(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nX-La")


@behaviour
def cut_status_line(stream):
    if stream.request():
        stream.send(b"HTTP/1.1 200")


@behaviour
def cut_body(stream):
    if stream.request():
        stream.send(b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf")


@behaviour
def cut_chunk(stream):
    if stream.request():
        stream.send(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n")


@behaviour
def cut_last_chunk(stream):
    """The empty chunk is there, and the end of the trailers is not."""
    if stream.request():
        stream.send(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n0\r\n")


@behaviour
def cut_trailers(stream):
    if stream.request():
        stream.send(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n0\r\nX-Sum: 1\r\nX-La")


@behaviour
def endless_trailers(stream):
    if stream.request():
        stream.send(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n")
        while True:
            stream.send(b"X-Sum: 1\r\n" * 100)


@behaviour
def until_close(stream):
    if stream.request():
        stream.send(b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nok")


@behaviour
def until_cut(stream):
    """No length, and no closing alert over TLS: an attacker may have caused the end."""
    if stream.request():
        stream.send(b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nok")
        raise OSError


@behaviour
def old_until_close(stream):
    if stream.request():
        stream.send(b"HTTP/1.0 200 OK\r\n\r\nok")


@behaviour
def old_until_cut(stream):
    if stream.request():
        stream.send(b"HTTP/1.0 200 OK\r\n\r\nok")
        raise OSError


@behaviour
def hang_before_tls(stream):
    raise AssertionError


@behaviour
def hang_before_answer(stream):
    stream.request()
    FOREVER.wait()


@behaviour
def hang_in_status_line(stream):
    stream.request()
    stream.send(b"HTTP/1.1 20")
    FOREVER.wait()


@behaviour
def hang_in_head(stream):
    stream.request()
    stream.send(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n")
    FOREVER.wait()


@behaviour
def hang_in_body(stream):
    stream.request()
    stream.send(b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf")
    FOREVER.wait()


@behaviour
def hang_in_chunk(stream):
    stream.request()
    stream.send(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n10\r\nhalf")
    FOREVER.wait()


@behaviour
def hang_in_upload(stream):
    """Reads the head, but no byte of the body."""
    while stream.connection.recv(1, socket.MSG_PEEK if not isinstance(stream.connection, ssl.SSLSocket) else 0):
        FOREVER.wait()


def serve(connection, kind, tls):
    try:
        with LOCK:
            CONNECTIONS[kind] = CONNECTIONS.get(kind, 0) + 1
        connection.settimeout(120)
        if kind == "hang-before-tls":
            FOREVER.wait()
        if tls:
            connection = tls.wrap_socket(connection, server_side=True)
        BEHAVIOURS[kind](Stream(connection))
        if tls:
            connection.settimeout(1)
            connection.unwrap()
    except (OSError, ValueError):
        pass
    finally:
        # Unread input would turn the FIN into a RST.
        try:
            connection.shutdown(socket.SHUT_WR)
        except OSError:
            pass
        connection.close()


def listen(kind, tls):
    listener = socket.create_server(("127.0.0.1", 0), backlog=1024)

    def accept():
        while True:
            connection = listener.accept()[0]
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            threading.Thread(target=serve, args=(connection, kind, tls), daemon=True).start()

    threading.Thread(target=accept, daemon=True).start()
    return listener.getsockname()[1]


def listen_without_room():
    """A port that answers no SYN: its queue is full and is never emptied."""
    listener = socket.create_server(("127.0.0.1", 0), backlog=0)
    waiting = [listener]
    for _ in range(4):
        one = socket.socket()
        one.setblocking(False)
        one.connect_ex(listener.getsockname())
        waiting.append(one)
    return waiting


def main():
    threading.stack_size(256 << 10)
    with tempfile.TemporaryDirectory() as folder:
        authority = Authority(folder)
        authority.make_authority("ca")
        authority.sign("server", "ca", names=[("name", "localhost"), ("address", "127.0.0.1")])
        tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        tls.load_cert_chain(authority.path("server.pem"), authority.path("P-256.key"))
        ports = {kind: listen(kind, None) for kind in BEHAVIOURS}
        over_tls = {kind: listen(kind, tls) for kind in BEHAVIOURS}
        waiting = listen_without_room()
        ports["hang-before-accepting"] = over_tls["hang-before-accepting"] = waiting[0].getsockname()[1]
        print(json.dumps({"authority": authority.path("ca.pem"), "ports": ports, "tls": over_tls}), flush=True)
        for line in sys.stdin:
            command = json.loads(line)
            unasked = answer_unasked() if command == "answer-unasked" else None
            known = {"seen": SEEN, "connections": CONNECTIONS, "signatures": SIGNATURES}
            with LOCK:
                print(json.dumps(unasked or known[command]), flush=True)


main()
