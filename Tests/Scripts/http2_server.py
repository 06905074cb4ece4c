"""An HTTP/2 server that misbehaves frame by frame; each behaviour has a separate port on 127.0.0.1.

Prints {"authority": PATH, "ports": {BEHAVIOUR: PORT}} and exits when its standard input ends. The command "requests"
returns the number of requests that each behaviour has seen, "bytes" the number of body bytes, "connections" the number
of connections to silent-at-first.
"""
import json
import socket
import ssl
import struct
import sys
import tempfile
import threading
import time

from authority import Authority

DATA, HEADERS, RST_STREAM, SETTINGS, PUSH_PROMISE, PING, GOAWAY, WINDOW_UPDATE, CONTINUATION = 0, 1, 3, 4, 5, 6, 7, 8, 9
END_STREAM, ACK, END_HEADERS = 1, 1, 4
NO_ERROR, PROTOCOL_ERROR, INTERNAL_ERROR, REFUSED_STREAM = 0, 1, 2, 7
BEHAVIOURS, REQUESTS, BYTES, CONNECTIONS, LOCK = {}, {}, {}, {}, threading.Lock()


def integer(value, bits, first=0):
    """RFC 7541, 5.1."""
    limit = (1 << bits) - 1
    if value < limit:
        return bytes([first | value])
    made, value = bytearray([first | limit]), value - limit
    while value >= 128:
        made.append(value % 128 + 128)
        value //= 128
    made.append(value)
    return bytes(made)


def text(value):
    value = value if isinstance(value, bytes) else value.encode()
    return integer(len(value), 7) + value


def field(name, value, first=b"\0"):
    """A literal field; 0x40 as the first byte also adds it to the dynamic table."""
    return first + text(name) + text(value)


def block(*fields):
    return b"".join(field(name, value) for name, value in fields)


OK = block((":status", "200"), ("content-type", "text/plain"))


class Closed(Exception):
    pass


class Connection:
    def __init__(self, socket, kind):
        self.socket, self.kind, self.lock = socket, kind, threading.Lock()
        self.buffer = b""

    def send(self, kind, flags=0, stream=0, payload=b"", times=1):
        frame = struct.pack(">I", len(payload))[1:] + bytes([kind, flags]) + struct.pack(">I", stream) + payload
        with self.lock:
            self.socket.sendall(frame * times)

    def read(self, count):
        while len(self.buffer) < count:
            piece = self.socket.recv(65536)
            if not piece:
                raise Closed
            self.buffer += piece
        made, self.buffer = self.buffer[:count], self.buffer[count:]
        return made

    def begin(self, settings=b""):
        self.read(24)
        self.send(SETTINGS, payload=settings)

    def frame(self):
        head = self.read(9)
        length, kind, flags = int.from_bytes(head[:3], "big"), head[3], head[4]
        stream = int.from_bytes(head[5:], "big") & 0x7FFFFFFF
        payload = self.read(length)
        if kind == SETTINGS and not flags & ACK:
            self.send(SETTINGS, ACK)
        elif kind == PING and not flags & ACK:
            self.send(PING, ACK, payload=payload)
        elif kind == HEADERS:
            with LOCK:
                REQUESTS[self.kind] += 1
        elif kind == DATA:
            with LOCK:
                BYTES[self.kind] += length
            if length:
                for one in (0, stream):
                    self.send(WINDOW_UPDATE, stream=one, payload=struct.pack(">I", length))
        return kind, flags, stream

    def request(self, whole=True):
        """Waits for a request, by default until it is complete, and returns its stream."""
        stream = 0
        while True:
            kind, flags, its = self.frame()
            if kind == HEADERS:
                stream = its
                if not whole:
                    return stream
            if stream and its == stream and kind in (DATA, HEADERS) and flags & END_STREAM:
                return stream

    def answer(self, stream, fields=OK, body=b"ok"):
        self.send(HEADERS, END_HEADERS, stream, fields)
        self.send(DATA, END_STREAM, stream, body)

    def go_away(self, last, code=NO_ERROR):
        self.send(GOAWAY, payload=struct.pack(">II", last, code))

    def wait(self):
        while True:
            self.frame()


def behaviour(function):
    BEHAVIOURS[function.__name__.replace("_", "-")] = function
    return function


def answering(name, fields, body=b"ok"):
    """A behaviour that answers each request with a field block and a body."""
    def run(connection):
        connection.begin()
        while True:
            connection.answer(connection.request(), fields, body)
    BEHAVIOURS[name] = run


# Valid behaviours.

answering("good", OK)
answering("trailing-status", OK)


@behaviour
def informational(connection):
    connection.begin()
    stream = connection.request()
    for _ in range(3):
        connection.send(HEADERS, END_HEADERS, stream, block((":status", "103"), ("link", "</x>")))
    connection.answer(stream)
    connection.wait()


@behaviour
def trailers(connection):
    connection.begin()
    stream = connection.request()
    connection.send(HEADERS, END_HEADERS, stream, OK)
    connection.send(DATA, 0, stream, b"ok")
    connection.send(HEADERS, END_HEADERS | END_STREAM, stream, block(("x-checksum", "1")))
    connection.wait()


@behaviour
def unknown_frames(connection):
    connection.begin()
    connection.send(0xBB, 0xFF, 0, b"of no known type")
    stream = connection.request()
    connection.send(0xBA, 0xFF, stream, b"of no known type")
    connection.answer(stream)
    connection.wait()


@behaviour
def one_at_a_time(connection):
    connection.begin(struct.pack(">HI", 3, 1))  # MAX_CONCURRENT_STREAMS
    while True:
        connection.answer(connection.request())


@behaviour
def go_away_every_5(connection):
    """Behaves like a server that accepts five requests per connection."""
    connection.begin()
    for _ in range(4):
        connection.answer(connection.request())
    stream = connection.request()
    connection.go_away(stream)
    connection.answer(stream)
    connection.wait()


@behaviour
def go_away_and_answer(connection):
    connection.begin()
    stream = connection.request()
    connection.go_away(stream)
    connection.answer(stream)
    connection.wait()


@behaviour
def reset_after_answer(connection):
    """RFC 9113, 8.1: the response is complete, and the rest of the upload is not wanted."""
    connection.begin(struct.pack(">HI", 4, 1000))  # INITIAL_WINDOW_SIZE
    stream = connection.request(whole=False)
    connection.answer(stream)
    connection.send(RST_STREAM, stream=stream, payload=struct.pack(">I", NO_ERROR))
    connection.wait()


# Behaviours that end in an error.

@behaviour
def go_away_at_once(connection):
    connection.begin()
    connection.go_away(0)
    connection.wait()


@behaviour
def go_away_unprocessed(connection):
    connection.begin()
    connection.request()
    connection.go_away(0)


@behaviour
def go_away_with_error(connection):
    connection.begin()
    stream = connection.request()
    connection.send(HEADERS, END_HEADERS, stream, OK)
    connection.send(DATA, 0, stream, b"half")
    connection.go_away(stream, PROTOCOL_ERROR)


@behaviour
def go_away_in_body(connection):
    """Announces the end of the connection without an error, which the response does not outlive."""
    connection.begin()
    stream = connection.request()
    connection.send(HEADERS, END_HEADERS, stream, OK)
    connection.send(DATA, 0, stream, b"half")
    connection.go_away(stream)


@behaviour
def trailers_without_end(connection):
    connection.begin()
    stream = connection.request()
    connection.send(HEADERS, END_HEADERS, stream, OK)
    connection.send(DATA, 0, stream, b"half")
    connection.send(HEADERS, END_HEADERS, stream, block(("x-checksum", "1")))


@behaviour
def close_after_request(connection):
    connection.begin()
    connection.request()


@behaviour
def close_in_body(connection):
    connection.begin()
    stream = connection.request()
    connection.send(HEADERS, END_HEADERS, stream, OK)
    connection.send(DATA, 0, stream, b"half")


@behaviour
def close_in_head(connection):
    connection.begin()
    stream = connection.request()
    connection.send(HEADERS, 0, stream, OK)


def resetting(name, code, in_body, fields=OK):
    def run(connection):
        connection.begin()
        while True:
            stream = connection.request()
            if in_body:
                connection.send(HEADERS, END_HEADERS, stream, fields)
                connection.send(DATA, 0, stream, b"half")
            connection.send(RST_STREAM, stream=stream, payload=struct.pack(">I", code))
    BEHAVIOURS[name] = run


resetting("reset", INTERNAL_ERROR, False)
resetting("reset-refused", REFUSED_STREAM, False)
resetting("reset-no-error", NO_ERROR, False)
resetting("reset-in-body", INTERNAL_ERROR, True)
resetting("reset-in-body-no-error", NO_ERROR, True)
resetting("reset-in-body-with-length", NO_ERROR, True, OK + field("content-length", "8"))


def flooding(name, *frame, after=None):
    """Sends a frame endlessly once a request has arrived, faster than the client can read it."""
    def run(connection):
        connection.begin()
        stream = connection.request()
        if after:
            connection.send(*after[:2], stream, after[2])
        number = 0 if frame[2] is None else stream
        while True:
            connection.send(frame[0], frame[1], number, frame[3], times=1 + (1 << 18) // (9 + len(frame[3])))
    BEHAVIOURS[name] = run


flooding("endless-continuation", CONTINUATION, 0, True, field("x-more", b"y" * 8000), after=(HEADERS, 0, OK))
flooding("endless-empty-continuation", CONTINUATION, 0, True, b"", after=(HEADERS, 0, OK))
flooding("endless-informational", HEADERS, END_HEADERS, True, block((":status", "103"), ("link", "</x>")))
flooding("endless-data", DATA, 0, True, b"x" * 16384, after=(HEADERS, END_HEADERS, OK))
flooding("endless-empty-data", DATA, 0, True, b"", after=(HEADERS, END_HEADERS, OK))
flooding("settings-flood", SETTINGS, 0, None, struct.pack(">HI", 3, 100))
flooding("ping-flood", PING, 0, None, b"12345678")
flooding("window-flood", WINDOW_UPDATE, 0, None, struct.pack(">I", 1))
flooding("priority-flood", 2, 0, True, struct.pack(">IB", 0, 1))
flooding("unknown-flood", 0xBB, 0, None, b"x" * 100)

answering("many-fields", OK + b"".join(field(f"x-{index}", "1") for index in range(300)))
answering("no-status", block(("content-type", "text/plain")))
answering("two-statuses", block((":status", "200"), (":status", "201")))
answering("status-text", block((":status", "2x0")))
answering("status-low", block((":status", "099")))
answering("status-long", block((":status", "20000000000000000000")))
answering("status-101", block((":status", "101")))
answering("upper-case-name", OK + field("X-Upper", "1"))
answering("line-feed-in-value", OK + field("x-split", "a\r\nset-cookie: sid=evil"))
answering("nul-in-value", OK + field("x-nul", "a\0b"))
answering("empty-field-name", OK + field("", "1"))
answering("space-in-name", OK + field("x y", "1"))
answering("connection-field", OK + field("connection", "close"))
answering("request-pseudo-field", OK + field(":path", "/"))
answering("late-status", block(("x-first", "1"), (":status", "200")))
answering("data-beyond-length", OK + field("content-length", "2"), b"too long")
answering("data-below-length", OK + field("content-length", "200"), b"short")
answering("negative-length", OK + field("content-length", "-2"))
answering("malformed-table-index", OK + b"\xff\xff\x7f")
# One field of 4,000 bytes enters the table once, then 1,000 one-byte references expand to 4 MiB.
answering("table-bomb", OK + field("x-bomb", b"b" * 3900, b"\x40") + b"\xbe" * 1000)


@behaviour
def field_of_81_kibibytes(connection):
    connection.begin()
    stream = connection.request()
    fields = OK + field("x-long", b"y" * (81 << 10))
    connection.send(HEADERS, 0, stream, fields[:16384])
    rest = fields[16384:]
    while rest:
        connection.send(CONTINUATION, END_HEADERS if len(rest) <= 16384 else 0, stream, rest[:16384])
        rest = rest[16384:]
    connection.send(DATA, END_STREAM, stream, b"ok")
    connection.wait()


@behaviour
def closed_window(connection):
    """Accepts no byte of an upload."""
    connection.begin(struct.pack(">HI", 4, 0))  # INITIAL_WINDOW_SIZE
    connection.wait()


@behaviour
def no_streams(connection):
    connection.begin(struct.pack(">HI", 3, 0))  # MAX_CONCURRENT_STREAMS
    connection.wait()


@behaviour
def window_overflow(connection):
    connection.begin()
    stream = connection.request()
    for number in (stream, 0):
        for _ in range(2):
            connection.send(WINDOW_UPDATE, stream=number, payload=struct.pack(">I", 0x7FFFFFFF))
    connection.wait()


@behaviour
def push_promise(connection):
    connection.begin()
    stream = connection.request()
    promised = block((":method", "GET"), (":scheme", "https"), (":authority", "localhost"), (":path", "/pushed"))
    connection.send(PUSH_PROMISE, END_HEADERS, stream, struct.pack(">I", 2) + promised)
    connection.answer(2, OK, b"pushed")
    connection.answer(stream)
    connection.wait()


@behaviour
def data_before_head(connection):
    connection.begin()
    connection.send(DATA, END_STREAM, connection.request(), b"ok")
    connection.wait()


@behaviour
def head_of_stream_0(connection):
    connection.begin()
    connection.request()
    connection.send(HEADERS, END_HEADERS, 0, OK)
    connection.wait()


@behaviour
def head_of_other_stream(connection):
    connection.begin()
    connection.answer(connection.request() + 2)
    connection.wait()


@behaviour
def huge_frame(connection):
    connection.begin()
    stream = connection.request()
    connection.socket.sendall(b"\xff\xff\xff" + bytes([DATA, 0]) + struct.pack(">I", stream) + b"x" * 65536)
    connection.wait()


@behaviour
def no_answer(connection):
    connection.begin()
    connection.wait()


@behaviour
def no_settings(connection):
    connection.read(24)
    while connection.socket.recv(65536):
        pass


@behaviour
def silent_at_first(connection):
    """The first connection hangs, as to an unresponsive machine."""
    connection.begin()
    with LOCK:
        CONNECTIONS["silent-at-first"] = number = CONNECTIONS.get("silent-at-first", 0) + 1
    while number > 1:
        connection.answer(connection.request())
    connection.wait()


@behaviour
def half_head(connection):
    connection.begin()
    connection.send(HEADERS, 0, connection.request(), OK)
    connection.wait()


@behaviour
def half_body(connection):
    connection.begin()
    stream = connection.request()
    connection.send(HEADERS, END_HEADERS, stream, OK)
    connection.send(DATA, 0, stream, b"half")
    connection.wait()


@behaviour
def head_alone(connection):
    connection.begin()
    connection.send(HEADERS, END_HEADERS, connection.request(), OK)
    connection.wait()


@behaviour
def not_http2(connection):
    connection.socket.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
    time.sleep(60)


@behaviour
def close_at_once(connection):
    pass


del BEHAVIOURS["trailing-status"]


def serve(socket, kind, tls):
    connection = None
    try:
        socket.settimeout(120)
        connection = Connection(tls.wrap_socket(socket, server_side=True), kind)
        BEHAVIOURS[kind](connection)
        connection.socket.unwrap()
    except (OSError, Closed, ValueError):
        pass
    finally:
        (connection.socket if connection else socket).close()


def listen(kind, tls):
    listener = socket.create_server(("127.0.0.1", 0), backlog=256)

    def accept():
        while True:
            threading.Thread(target=serve, args=(listener.accept()[0], kind, tls), daemon=True).start()

    REQUESTS[kind] = BYTES[kind] = 0
    threading.Thread(target=accept, daemon=True).start()
    return listener.getsockname()[1]


def main():
    with tempfile.TemporaryDirectory() as folder:
        authority = Authority(folder)
        authority.make_authority("ca")
        authority.sign("server", "ca", names=[("name", "localhost"), ("address", "127.0.0.1")])
        tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        tls.load_cert_chain(authority.path("server.pem"), authority.path("P-256.key"))
        tls.set_alpn_protocols(["h2"])
        ports = {kind: listen(kind, tls) for kind in BEHAVIOURS}
        print(json.dumps({"authority": authority.path("ca.pem"), "ports": ports}), flush=True)
        for line in sys.stdin:
            with LOCK:
                counts = {"bytes": BYTES, "connections": CONNECTIONS, "requests": REQUESTS}
                print(json.dumps(counts[json.loads(line)]), flush=True)


main()
