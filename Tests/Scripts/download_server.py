"""A server on loopback for one file, which it sends as a plan says, and often wrongly. It prints its port.

PUT /plan    a JSON list; each GET of /file takes its first element, or {} if there is none left
GET /file    the file, with single ranges and If-Range as in RFC 9110
GET /seen    the Range headers of the requests for the file, as JSON; forgets them
GET /digest  the SHA-256 of the file

Members of an element: version (of the file, from now on), size (from now on), cut (close the connection before this
position of the file), status, headers (replaced, or removed by null), ignoreRange, ignoreIfRange, shift (send and name bytes that
begin so many later), content (a text that is sent instead, as it is), short (send at most so many bytes), chunked,
extra (send so many bytes too many).
It exits when its standard input ends. Uses only the standard library.
"""
import hashlib, json, random, socket, sys, threading

PLAN, SEEN, LOCK = [], [], threading.Lock()
FILE = {"version": 1, "size": 1 << 20}
BLOCK, CACHE = 1 << 20, {}


def base(version):
    if version not in CACHE:
        CACHE.clear()
        CACHE[version] = random.Random(version).randbytes(BLOCK - 32)
    return CACHE[version]


def pieces(version, start, end):
    """The bytes of a version. Each of its blocks differs from all others, and from those of other versions."""
    position = start
    while position < end:
        index, offset = divmod(position, BLOCK)
        piece = (f"{version}:{index};".encode().ljust(32) + base(version))[offset:offset + end - position]
        yield piece
        position += len(piece)


def read_request(stream):
    line = stream.readline()
    if not line:
        return None
    method, target, _ = line.decode("latin-1").split(" ", 2)
    fields = {}
    while (line := stream.readline()) not in (b"\r\n", b""):
        name, _, value = line.decode("latin-1").partition(":")
        fields[name.lower()] = value.strip()
    return method, target, fields, stream.read(int(fields.get("content-length", 0)))


def respond(connection, status, fields, body=b""):
    lines = [f"HTTP/1.1 {status} X"] + [f"{name}: {value}" for name, value in fields.items() if value is not None]
    connection.sendall(("\r\n".join(lines) + "\r\n\r\n").encode("latin-1") + body)


def send_file(connection, fields):
    """Returns whether the connection stays open."""
    with LOCK:
        step = PLAN.pop(0) if PLAN else {}
        FILE.update({key: step[key] for key in ("version", "size") if key in step})
        version, size = FILE["version"], FILE["size"]
        SEEN.append([fields.get("range"), fields.get("if-range")])
    tag, modified = f'"v{version}-{size}"', "Sun, 06 Nov 1994 08:49:37 GMT"
    head = {"ETag": tag, "Last-Modified": modified, "Date": "Mon, 07 Nov 1994 08:49:37 GMT", "Accept-Ranges": "bytes"}
    head |= {name: value for name, value in step.get("headers", {}).items() if name in head}
    start, end, status = 0, size, 200
    range_ = fields.get("range")
    matches = fields.get("if-range") in (None, head["ETag"], head["Last-Modified"])
    if range_ and not step.get("ignoreRange") and (matches or step.get("ignoreIfRange")):
        start = int(range_.removeprefix("bytes=").removesuffix("-"))
        if start >= size:
            status, end = 416, start
            head |= {"Content-Range": f"bytes */{size}"}
        else:
            status, start = 206, start + step.get("shift", 0)
            end = min(size, start + step["short"]) if "short" in step else size
            head |= {"Content-Range": f"bytes {start}-{end - 1}/{size}"}
    if "content" in step:
        body = step["content"].encode()
        head |= {"Content-Length": len(body)} | step.get("headers", {})
        respond(connection, step.get("status", status), head, body)
        return True
    if step.get("chunked"):
        head |= {"Transfer-Encoding": "chunked"}
    else:
        head |= {"Content-Length": end - start + step.get("extra", 0)}
    respond(connection, step.get("status", status), head | step.get("headers", {}))
    stop = min(end, step.get("cut", end))
    for piece in pieces(version, start, max(start, stop)):
        connection.sendall(b"%x\r\n%s\r\n" % (len(piece), piece) if step.get("chunked") else piece)
    if stop < end:
        return False
    connection.sendall(b"x" * step.get("extra", 0))
    if step.get("chunked"):
        connection.sendall(b"0\r\n\r\n")
    return True


def answer(connection, method, target, fields, body):
    if target == "/plan":
        with LOCK:
            PLAN[:] = json.loads(body)
        respond(connection, 200, {"Content-Length": 0})
    elif target == "/seen":
        with LOCK:
            data = json.dumps(SEEN).encode()
            SEEN.clear()
        respond(connection, 200, {"Content-Length": len(data), "Content-Type": "application/json"}, data)
    elif target == "/digest":
        digest = hashlib.sha256()
        for piece in pieces(FILE["version"], 0, FILE["size"]):
            digest.update(piece)
        data = digest.hexdigest().encode()
        respond(connection, 200, {"Content-Length": len(data)}, data)
    else:
        return send_file(connection, fields)
    return True


def serve(connection):
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    with connection, connection.makefile("rb") as stream:
        try:
            while (request := read_request(stream)) and answer(connection, *request):
                pass
        except (ConnectionError, BrokenPipeError):
            pass


listener = socket.create_server(("127.0.0.1", 0), backlog=64)
print(listener.getsockname()[1], flush=True)


def accept():
    while True:
        threading.Thread(target=serve, args=(listener.accept()[0],), daemon=True).start()


threading.Thread(target=accept, daemon=True).start()
sys.stdin.read()
