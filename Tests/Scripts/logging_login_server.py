# Part of CredKit. SPDX-License-Identifier: Apache-2.0
"""A server of the legacy timestamped login, for tests of the command. Uses only Python's standard library.

It prints its port, and logs each request to standard error. Users are alice:123456 and bob:654321.
/hmackey.php returns the minute, /loginhmac.php and /login.php log in, /studentList requires cookie and token.
Sessions never expire by time: /control?expire=1 ends them all, so that tests do not depend on timing.
"""
import argparse, base64, hashlib, hmac, json, secrets, ssl, sys, threading, time
from datetime import datetime, timedelta, timezone
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

options = argparse.ArgumentParser()
options.add_argument("--certificate")
options.add_argument("--offset", type=int, default=0, help="minutes that the clock is ahead of UTC")
options.add_argument("--answer", default="", help="the status that every login is answered with")
options = options.parse_args()

USERS = {"alice": "123456", "bob": "654321"}
KEY = hashlib.md5(b"itheima").hexdigest().encode()
sessions, changed, lock = {}, {"password": None, "offset": options.offset}, threading.Lock()


def minute(back=0):
    now = datetime.now(timezone.utc) + timedelta(minutes=changed["offset"] - back)
    return now.strftime("%Y-%m-%d %H:%M")


def code(message):
    return hmac.new(KEY, message.encode(), "md5").hexdigest()


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def answer(self, status, body, headers=()):
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response(status)
        for name, value in headers:
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)

    def user(self):
        cookies = dict(part.strip().split("=", 1) for part in self.headers.get("Cookie", "").split(";") if "=" in part)
        with lock:
            name, token = sessions.get(cookies.get("session"), (None, None))
        ok = name and self.headers.get("x-auth-token") == token
        return name if ok else None

    def let_in(self, name):
        session, token = secrets.token_hex(16), secrets.token_hex(16)
        with lock:
            sessions[session] = (name, token)
        print("GIVEN", session, token, file=sys.stderr, flush=True)
        self.answer(200, {"userId": 7}, [("Set-Cookie", f"session={session}; Path=/; HttpOnly; Max-Age=86400"), ("x-auth-token", token)])

    def send_file(self, query):
        """A file with ranges and If-Range. The connection ends at "cut" if the whole is asked for."""
        data = (b"%08d" * 1024 % tuple(range(1024)))[:8192] * (int(query.get("size", 1 << 20)) // 8192)
        tag, first = '"v1"', 0
        if self.headers.get("If-Range") == tag and self.headers.get("Range"):
            first = int(self.headers["Range"].removeprefix("bytes=").removesuffix("-"))
        print("FROM", first, file=sys.stderr, flush=True)
        self.send_response(206 if first else 200)
        if first:
            self.send_header("Content-Range", f"bytes {first}-{len(data) - 1}/{len(data)}")
        self.send_header("ETag", tag)
        self.send_header("Content-Length", str(len(data) - first))
        self.end_headers()
        cut = int(query["cut"]) if "cut" in query and not first else len(data)
        for start in range(first, cut, 1 << 16):
            self.wfile.write(data[start:min(cut, start + (1 << 16))])
            self.wfile.flush()
            time.sleep(float(query.get("pause", 0)))
        self.close_connection = cut < len(data)

    def send_changing(self):
        """What /control has made of it, with a JSON object in `changing`: the Cache-Control, the age, the body, the status, Vary."""
        page = json.loads(changed.get("changing", "{}"))
        language = self.headers.get("Accept-Language", "-") if "vary" in page else ""
        body = page["body"] + language + "\n"
        tag, status = f'"{body.strip()}"', page.get("status", 200)
        fields = [("Cache-Control", page["control"]), ("ETag", tag), ("Age", str(page["age"]))]
        fields += [("Vary", page["vary"])] if "vary" in page else []
        fresh = status == 200 and self.headers.get("If-None-Match") == tag
        self.answer(304 if fresh else status, b"" if fresh else body.encode(), fields)

    def handle_any(self):
        url = urlsplit(self.path)
        query = {k: v[0] for k, v in parse_qs(url.query, keep_blank_values=True).items()}
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        print(self.command, self.path, file=sys.stderr, flush=True)
        form = {k: v[0] for k, v in parse_qs(body.decode("latin-1"), keep_blank_values=True).items()}
        name = form.get("username", "")
        password = (changed["password"] or USERS.get(name, "")) if name else ""
        match url.path:
            case "/hmackey.php":
                self.answer(200, {"key": minute()})
            case "/loginhmac.php" | "/login.php" if options.answer:
                self.answer(int(options.answer), b"no")
            case "/loginhmac.php":
                proof = form.get("password", "")
                print("PROOF", proof, file=sys.stderr, flush=True)
                good = [code(code(password) + minute(back)) for back in (0, 1)]
                self.let_in(name) if password and proof in good else self.answer(200, {"userId": -1})
            case "/login.php":
                good = password and form.get("password") == password
                self.let_in(name) if good else self.answer(200, {"userId": -1})
            case "/logout.php":
                self.answer(200, {"user": self.user()})
            case "/studentList" if self.user():
                self.answer(200, {"user": self.user(), "id": query.get("id")})
            case "/studentList":
                self.answer(401, b"log in\n")
            case "/page":
                fields = [("Cache-Control", query.get("control", "max-age=600")), ("ETag", '"1"')]
                fresh = self.headers.get("If-None-Match") == '"1"'
                self.answer(304 if fresh else 200, b"" if fresh else f"page of {self.user()}\n".encode(), fields)
            case "/changing":
                self.send_changing()
            case "/echo":
                sent = {k.lower(): v for k, v in self.headers.items()}
                self.answer(200, {"method": self.command, "headers": sent, "body": base64.b64encode(body).decode()})
            case "/redirect":
                self.answer(302, b"", [("Location", query["to"])])
            case "/cookie":
                self.answer(302, b"", [("Set-Cookie", "seen=1; Path=/"), ("Location", "/echo")])
            case "/bytes":
                self.answer(200, b"\x00\x1b[31m\xff\n")
            case "/headers":
                self.answer(200, b"body\n", [("X-Evil", "\x9b31mred\xe2\x80\xae")])
            case "/text":
                body = query.get("body", "").encode("latin-1")
                fields = [("X-Text", query.get("header", "-"))]
                fields += [(name, query[key]) for key, name in (("type", "Content-Type"), ("retry", "Retry-After")) if key in query]
                self.answer(int(query.get("status", 200)), body, fields)
            case "/file":
                self.send_file(query)
            case "/upload" | "/upload/source file" | "/upload/source%20file" if not query.get("login") or self.user():
                print("BODY", len(body), hashlib.sha256(body).hexdigest(), file=sys.stderr, flush=True)
                self.answer(200, b"stored\n")
            case "/upload":
                self.answer(401, b"log in\n")
            case "/slow":
                self.send_response(200)
                self.send_header("Set-Cookie", "late=kept; Path=/; Max-Age=86400")
                self.send_header("Content-Length", "1")
                self.end_headers()
                self.wfile.flush()
                print("SENT", self.path, file=sys.stderr, flush=True)
                time.sleep(30)
            case "/control":
                changed["password"] = query.get("password", changed["password"])
                changed["offset"] = int(query.get("offset", changed["offset"]))
                changed["changing"] = query.get("changing", changed.get("changing"))
                if "expire" in query:
                    with lock:
                        sessions.clear()
                self.answer(200, b"")
            case "/list":
                # As text: a JSON library would change the numbers.
                page = int(query.get("page", 1))
                elements = ['{ "id" : 18446744073709551617,\n"x":1.10 }', '"a \\" b"', "[ ]", "null", '{"user": "%s"}' % self.user()]
                size = int(query.get("per_page", 2))
                rows = ", ".join(elements[(page - 1) * size:page * size])
                link = [("Link", f'</list?page={page + 1}>; rel="next"')] if page < 3 else []
                self.answer(200, f"[ {rows} ]".encode(), link)
            case "/cursors":
                start = int(query.get("after", 0))
                self.answer(200, {"data": {"list": [{"id": start}, {"id": start + 1}]}, "next": start + 2 if start < 4 else None})
            case "/links":
                page = int(query.get("page", 1))
                self.answer(200, {"results": [page], "links": {"next": f"/links?page={page + 1}" if page < 3 else None}})
            case "/offsets":
                start = int(query.get("offset", 0))
                self.answer(200, list(range(start, min(start + int(query.get("limit", 3)), 7))))
            case "/many":
                self.answer(200, list(range(30000)))
            case "/orders" | "/students":
                self.answer(200, [1])
            case "/same":
                self.answer(200, [1, 2])
            case "/away":
                self.answer(200, [1], [("Link", '<http://127.0.0.1:1/>; rel="next"')])
            case "/breaks":
                self.answer(500 if "page=2" in url.query else 200, [1])
            case "/busy":
                fields = [("Retry-After", "5"), ("Content-Type", "application/problem+json")]
                self.answer(503, {"title": "Busy", "detail": "try again later"}, fields)
            case "/broken":
                self.answer(500, b"broken\n")
            case _:
                self.answer(404, b"not here\n")

    do_GET = do_POST = do_PUT = do_HEAD = do_DELETE = handle_any


server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
if options.certificate:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(options.certificate)
    server.socket = context.wrap_socket(server.socket, server_side=True)
print(server.server_address[1], flush=True)
server.serve_forever()
