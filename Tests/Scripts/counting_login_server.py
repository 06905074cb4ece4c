#!/usr/bin/env python3
# Part of CredKit. SPDX-License-Identifier: Apache-2.0
"""A server of the legacy timestamped login, for tests of the client. Uses only Python's standard library.

It prints its port, and exits when its standard input ends. Requests control it:
  POST /admin/expire             forgets all logins
  POST /admin/password?NAME=PW   changes a password
  POST /admin/login?mode=MODE    sets the response to later logins: ok, 503, 429, drop
  POST /admin/data?mode=MODE     sets the response to later data requests: ok, 401, expire (forget all logins in the
                                 middle of the next upload)
  GET  /admin/counts             {"logins": …, "data": …, "headers": [headers of requests to /data…],
                                 "uploads": [SHA-256 of bodies of PUT…]}
  PUT                            {"user": …, "size": …, "sha256": …} of the body, or status 401"""
import hashlib
import hmac
import http.server
import json
import secrets
import sys
import threading
import time
import urllib.parse

lock = threading.Lock()
passwords = {"alice": "zhang", "bob": "li"}
sessions = {}
counts = {"logins": 0, "data": 0}
headers = []
uploads = []
# The key of the protocol is the MD5 of the phrase, in hex.
key_of_phrase = hashlib.md5(b"itheima").hexdigest()
modes = {"login": "ok", "data": "ok"}


def md5_hmac(key, text):
    return hmac.new(key.encode(), text.encode(), hashlib.md5).hexdigest()


def minute():
    return time.strftime("%Y-%m-%d %H:%M", time.gmtime())


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def answer(self, status, value, extra=()):
        body = json.dumps(value).encode()
        self.send_response(status)
        for name, text in extra:
            self.send_header(name, text)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments):
        pass

    def user(self):
        for part in (self.headers.get("Cookie") or "").split("; "):
            name, _, value = part.partition("=")
            if name == "sid" and self.headers.get("x-auth-token") == "t-" + value:
                return sessions.get(value)
        return None

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0)).decode()
        self.handle_request(body)

    def do_GET(self):
        self.handle_request("")

    def do_PUT(self):
        size = left = int(self.headers["Content-Length"])
        digest = hashlib.sha256()
        while left:
            piece = self.rfile.read(min(left, 1 << 20))
            if not piece:
                self.close_connection = True
                return
            digest.update(piece)
            left -= len(piece)
            with lock:
                if modes["data"] == "expire" and left <= size // 2:
                    modes["data"] = "ok"
                    sessions.clear()
        with lock:
            uploads.append(digest.hexdigest())
            user = self.user()
        if user is None:
            return self.answer(401, {"error": "log in"})
        self.answer(200, {"user": user, "size": size, "sha256": digest.hexdigest()})

    def handle_request(self, body):
        url = urllib.parse.urlsplit(self.path)
        query = dict(urllib.parse.parse_qsl(url.query))
        with lock:
            if url.path == "/admin/expire":
                sessions.clear()
                return self.answer(200, {})
            if url.path == "/admin/password":
                passwords.update(query)
                return self.answer(200, {})
            if url.path in ("/admin/login", "/admin/data"):
                modes[url.path[7:]] = query["mode"]
                return self.answer(200, {})
            if url.path == "/admin/counts":
                return self.answer(200, {**counts, "headers": headers, "uploads": uploads})
            if url.path == "/hmackey.php":
                return self.answer(200, {"key": minute()})
            if url.path == "/loginhmac.php":
                return self.log_in(dict(urllib.parse.parse_qsl(body)))
            if url.path == "/redirect":
                headers.append([[name, value] for name, value in self.headers.items()])
                return self.answer(302, {}, [("Location", query["to"])])
            if url.path == "/logout.php":
                sessions.clear()
                return self.answer(200, {})
            counts["data"] += 1
            headers.append([[name, value] for name, value in self.headers.items()])
            user = None if modes["data"] == "401" else self.user()
            if user is None:
                return self.answer(401, {"error": "log in"})
            return self.answer(200, {"user": user})

    def log_in(self, form):
        counts["logins"] += 1
        if modes["login"] == "drop":
            self.close_connection = True
            self.connection.shutdown(2)
            return
        if modes["login"] != "ok":
            return self.answer(int(modes["login"]), {})
        name = form.get("username")
        if not self.is_proof(name, form.get("password", "")):
            return self.answer(200, {"userId": -1})
        sid = secrets.token_hex(16)
        sessions[sid] = name
        self.answer(200, {"userId": 7}, [("Set-Cookie", "sid=" + sid + "; HttpOnly"), ("x-auth-token", "t-" + sid)])

    def is_proof(self, name, proof):
        if name not in passwords:
            return False
        record = md5_hmac(key_of_phrase, passwords[name])
        now = time.time()
        texts = [time.strftime("%Y-%m-%d %H:%M", time.gmtime(now - back)) for back in (0, 60)]
        return any(hmac.compare_digest(md5_hmac(key_of_phrase, record + text), proof) for text in texts)


class Server(http.server.ThreadingHTTPServer):
    request_queue_size = 2048
    daemon_threads = True


server = Server(("127.0.0.1", int(sys.argv[1]) if len(sys.argv) > 1 else 0), Handler)
print(server.server_port, flush=True)
threading.Thread(target=server.serve_forever, daemon=True).start()
sys.stdin.read()
