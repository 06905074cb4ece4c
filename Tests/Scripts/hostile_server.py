"""An HTTP server on loopback whose behaviour depends on the request path. It prints its ports as JSON on one line.

It exits when its standard input ends. Uses only the standard library, and openssl for certificates.
"""
import json, os, socket, ssl, sys, tempfile, threading, time
from urllib.parse import parse_qs, urlsplit

from authority import Authority

LOG, LOCK, SENT = [], threading.Lock(), {"bytes": 0}


def read_request(stream):
    line = stream.readline()
    if not line:
        return None
    method, target, _ = line.decode("latin-1").split(" ", 2)
    headers = []
    while (line := stream.readline()) not in (b"\r\n", b""):
        name, _, value = line.decode("latin-1").partition(":")
        headers.append([name.lower(), value.strip()])
    fields, body = dict(headers), b""
    if "content-length" in fields:
        body = stream.read(int(fields["content-length"]))
    elif fields.get("transfer-encoding") == "chunked":
        while size := int(stream.readline(), 16):
            body += stream.read(size)
            stream.readline()
        stream.readline()
    return method, target, headers, body


def head(status, fields=(), length=None):
    lines = [f"HTTP/1.1 {status} X"] + [f"{name}: {value}" for name, value in fields]
    if length is not None:
        lines.append(f"Content-Length: {length}")
    return ("\r\n".join(lines) + "\r\n\r\n").encode("utf-8")


def flood(connection, chunked, size):
    piece = b"x" * 65536
    data = b"10000\r\n" + piece + b"\r\n" if chunked else piece
    for _ in range(size // 65536):
        connection.sendall(data)
        with LOCK:
            SENT["bytes"] += 65536


def answer(connection, where, method, target, headers, body):
    """Returns whether the connection stays open."""
    url = urlsplit(target)
    query = {key: values[0] for key, values in parse_qs(url.query, keep_blank_values=True).items()}
    send, path = connection.sendall, url.path
    if path not in ("/log", "/sent", "/forget"):
        with LOCK:
            LOG.append({"at": where, "method": method, "target": target, "headers": headers,
                        "body": body.decode("latin-1")})
    if path in ("/log", "/sent"):
        with LOCK:
            data = json.dumps(LOG if path == "/log" else SENT).encode()
        send(head(200, length=len(data)) + data)
    elif path == "/forget":
        with LOCK:
            LOG.clear()
        send(head(200, length=0))
    elif path == "/echo":
        data = json.dumps(LOG[-1]).encode()
        send(head(200, [("X-Echo", "yes")], len(data)) + (b"" if method == "HEAD" else data))
    elif path == "/redirect":
        fields = [("Location", query["to"])] if "to" in query else []
        text = b"moved" * int(query.get("body", "0"))
        send(head(int(query.get("status", 302)), fields + [("Set-Cookie", "hop=1")], len(text)) + text)
    elif path == "/redirect-without-its-body":
        send(head(302, [("Location", "/echo")], 10) + b"half")
        return query.get("then") != "close" and not time.sleep(60)
    elif path == "/loop":
        send(head(302, [("Location", "/loop")], 0))
    elif path == "/two-locations":
        send(head(302, [("Location", "/echo"), ("Location", "/log")], 0))
    elif path == "/big":
        size, chunked = int(query.get("bytes", 1 << 30)), query.get("mode") == "chunked"
        send(head(200, [("Transfer-Encoding", "chunked")]) if chunked else head(200, length=size))
        flood(connection, chunked, size)
        if chunked:
            send(b"0\r\n\r\n")
    elif path == "/unbounded":
        send(head(200, [("Connection", "close")]))
        flood(connection, False, 1 << 30)
        return False
    elif path == "/silent":
        time.sleep(60)
        return False
    elif path == "/head-only":
        send(head(200, length=10))
        time.sleep(60)
        return False
    elif path == "/close":
        return False
    elif path == "/half":
        if query.get("mode") == "chunked":
            send(head(200, [("Transfer-Encoding", "chunked")]) + b"10\r\nhalf")
        elif query.get("mode") == "between":
            send(head(200, [("Transfer-Encoding", "chunked")]) + b"4\r\nhalf\r\n")
        else:
            send(head(200, length=100) + b"half")
        return False
    elif path == "/drip":
        send(head(200, length=1000))
        for _ in range(1000):
            send(b".")
            time.sleep(0.1)
    elif path == "/drip-head":
        send(b"HTTP/1.1 200 X\r\n")
        for index in range(1000):
            send(f"X-{index}: 1\r\n".encode())
            time.sleep(0.1)
    elif path == "/endless-headers":
        send(b"HTTP/1.1 200 X\r\n")
        while True:
            send(b"X-More: " + b"y" * 1000 + b"\r\n")
    elif path == "/endless-header":
        send(b"HTTP/1.1 200 X\r\nX-More: ")
        while True:
            send(b"y" * 1000)
    elif path == "/endless-continues":
        while True:
            send(b"HTTP/1.1 100 Continue\r\n\r\n")
            time.sleep(0.01)
    elif path == "/continues":
        send(b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n" + head(200, length=2) + b"ok")
    elif path == "/set-cookies":
        send(head(200, [("Set-Cookie", f"c{i}=1") for i in range(int(query["count"]))], 0))
    elif path == "/hostile-cookie":
        send(b"HTTP/1.1 200 X\r\nSet-Cookie: \xff\xfe=\x80;;;=\r\nSet-Cookie: ;;\r\nSet-Cookie:\r\n"
             b"Set-Cookie: a=\xc3\xa4\r\nContent-Length: 0\r\n\r\n")
    elif path == "/raw-location":
        send(b"HTTP/1.1 302 X\r\nLocation: " + query["bytes"].encode("latin-1") + b"\r\nContent-Length: 0\r\n\r\n")
    elif path == "/junk":
        send(b"SSH-2.0-OpenSSH_9.9\r\n\r\n")
        return False
    elif path == "/status":
        code = int(query["code"])
        text = b"" if code in (204, 304) else b"{}"
        send(head(code, length=None if code == 204 else len(text) if code != 304 else 100) + text)
    elif path == "/raw":
        # The bytes before '~' once, then the bytes after it endlessly.
        first, _, rest = query["bytes"].encode("latin-1").partition(b"~")
        send(first)
        while rest:
            send(rest * max(1, 16384 // len(rest)))
        return False
    elif path == "/lf":
        send(b"HTTP/1.1 200 X\nContent-Length: 2\n\nok")
    elif path == "/old":
        send(b"HTTP/1.0 200 X\r\n\r\nuntil the end")
        return False
    else:
        send(head(404, length=0))
    return True


def serve(connection, where, context):
    try:
        if context:
            connection = context.wrap_socket(connection, server_side=True)
        stream = connection.makefile("rb")
        while (request := read_request(stream)) and answer(connection, where, *request):
            pass
    except (OSError, ValueError):
        pass
    finally:
        try:
            connection.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        connection.close()


def listen(host, port, context=None):
    listener = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind((host, port))
    listener.listen(128)
    port = listener.getsockname()[1]

    def accept():
        while True:
            connection, _ = listener.accept()
            threading.Thread(target=serve, args=(connection, f"{host}:{port}", context), daemon=True).start()

    threading.Thread(target=accept, daemon=True).start()
    return port


def certificates(folder):
    """A CA and its leaves: a good one, one for another host, an expired one; and one self-signed."""
    authority = Authority(folder)
    authority.make_authority("ca")
    local = [("name", "localhost")]
    authority.sign("alone", None, "localhost", local)
    authority.sign("good", "ca", names=[*local, ("address", "127.0.0.1")])
    authority.sign("other", "ca", names=[("name", "other.example")])
    authority.sign("expired", "ca", names=local, end="20200201000000Z")
    return authority.path("P-256.key")


def main():
    ports = {"main": listen("127.0.0.1", 0)}
    for host in ("127.0.0.2", "::1"):
        listen(host, ports["main"])
    ports["second"] = listen("127.0.0.1", 0)
    with tempfile.TemporaryDirectory() as folder:
        if "--tls" in sys.argv:
            key = certificates(folder)
            for name in ("good", "other", "expired", "alone"):
                context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
                context.load_cert_chain(os.path.join(folder, f"{name}.pem"), key)
                ports[name] = listen("127.0.0.1", 0, context)
            for name, version in (("old", ssl.TLSVersion.TLSv1_1), ("older", ssl.TLSVersion.TLSv1)):
                context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
                context.load_cert_chain(os.path.join(folder, "good.pem"), key)
                context.set_ciphers("ALL:@SECLEVEL=0")  # OpenSSL supports those versions at this level only
                context.minimum_version = context.maximum_version = version
                ports[name] = listen("127.0.0.1", 0, context)
        closed = socket.socket()
        closed.bind(("127.0.0.1", 0))  # bound, but not listening
        ports["closed"] = closed.getsockname()[1]
        print(json.dumps({"ports": ports, "authority": os.path.join(folder, "ca.pem")}), flush=True)
        sys.stdin.read()


main()
