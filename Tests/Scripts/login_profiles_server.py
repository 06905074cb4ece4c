# Part of CredKit. SPDX-License-Identifier: Apache-2.0
"""Servers with the logins of well-known programs, for tests of login profiles. Uses only Python's standard library.

It prints {"ports": {KIND: PORT}} and exits when its standard input ends. The user is alice, and each password or token is
s3cret. The kinds:
  form     a form, whose answer sets a cookie
  gitlab   a token in PRIVATE-TOKEN, or as Bearer; / leads to a login page; the server is an OAuth issuer
  forgejo  Authorization: token TOKEN
  django   a form with csrfmiddlewaretoken, whose cookie and Referer count; success is a redirect, rejection the page
  angular  a form by JSON with the cookie XSRF-TOKEN in the header X-XSRF-TOKEN
  api      a login by JSON, whose answer has a bearer token
  basic    Basic below /private/, and a challenge there only
  whole    Basic for everything, beside a challenge of Digest
  bearer   a challenge of Bearer for everything
"""
import base64
import html
import http.server
import json
import secrets
import sys
import threading
import urllib.parse

SECRET = "s3cret"
KINDS = ["form", "gitlab", "forgejo", "django", "angular", "api", "basic", "whole", "bearer"]


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def answer(self, status, body=b"", headers=()):
        if not isinstance(body, bytes):
            body = json.dumps(body).encode() if isinstance(body, dict) else body.encode()
            kind = "application/json" if body.startswith(b"{") else "text/html"
            headers = [("Content-Type", kind), *headers]
        self.send_response(status)
        for name, value in headers:
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    @property
    def url(self):
        return f"http://{self.headers['Host']}"

    def cookies(self):
        pairs = [part.strip().partition("=") for part in self.headers.get("Cookie", "").split(";")]
        return {name: value for name, _, value in pairs}

    def fields(self):
        return {name: values[0] for name, values in urllib.parse.parse_qs(self.body.decode()).items()}

    def who(self, ok):
        self.answer(200, {"user": "alice"}) if ok else self.answer(401, {"message": "log in first"})

    def handle_any(self):
        self.body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        getattr(self, self.server.kind)(urllib.parse.urlsplit(self.path).path)

    do_GET = do_POST = handle_any

    def form(self, path):
        session = self.cookies().get("sid")
        if path == "/logout":
            self.server.sessions.discard(session)
            return self.answer(200, "bye")
        if path != "/login":
            return self.who(session in self.server.sessions)
        form = self.fields()
        if self.command != "POST" or (form.get("username"), form.get("password")) != ("alice", SECRET):
            return self.answer(401, {"message": "unknown user or wrong password"})
        session = secrets.token_hex(16)
        self.server.sessions.add(session)
        self.answer(200, "welcome", [("Set-Cookie", f"sid={session}; Path=/; HttpOnly")])

    def gitlab(self, path):
        given = [self.headers.get("PRIVATE-TOKEN"), self.headers.get("Authorization", "").removeprefix("Bearer ")]
        if path.startswith("/api/"):
            self.who(SECRET in given)
        elif path == "/.well-known/oauth-authorization-server":
            self.answer(200, {"issuer": self.url, "token_endpoint": f"{self.url}/oauth/token"})
        elif path == "/":
            self.answer(302, "", [("Location", "/users/sign_in")])
        else:
            self.answer(200 if path == "/users/sign_in" else 404, "<html>")

    def forgejo(self, path):
        self.who(path.startswith("/api/") and self.headers.get("Authorization") == f"token {SECRET}")

    def django(self, path):
        page = "/accounts/login/"
        sessions = self.server.sessions
        if path != page:
            ok = self.cookies().get("sessionid") in sessions
            return self.answer(200, {"user": "alice"}) if ok else self.answer(302, "", [("Location", f"{page}?next={path}")])
        if self.command == "POST":
            form, cookie = self.fields(), self.cookies().get("csrftoken", "-")
            if form.get("csrfmiddlewaretoken") != "<" + cookie or self.headers.get("Referer") != self.url + page:
                return self.answer(403, "<h1>Forbidden</h1><p>CSRF verification failed.</p>")
            if (form.get("username"), form.get("password")) == ("alice", SECRET):
                session = secrets.token_hex(16)
                sessions.add(session)
                return self.answer(302, "", [("Location", "/profile"), ("Set-Cookie", f"sessionid={session}; Path=/; HttpOnly")])
        token = secrets.token_hex(16)
        hidden = f"<!-- <input name='csrfmiddlewaretoken' value='old'> -->\n<INPUT type=hidden name=csrfmiddlewaretoken\n value=\"{html.escape('<' + token)}\">"
        self.answer(200, f"<form method=post>{hidden}<input name=username></form>", [("Set-Cookie", f"csrftoken={token}; Path=/")])

    def angular(self, path):
        token = "a/b=" + secrets.token_hex(8)
        if path == "/csrf-cookie":
            self.server.sessions.add(token)
            return self.answer(204, b"", [("Set-Cookie", f"XSRF-TOKEN={urllib.parse.quote(token, safe='')}; Path=/")])
        if self.headers.get("X-XSRF-TOKEN") not in self.server.sessions:
            return self.answer(419, {"message": "CSRF token mismatch."})
        self.login()

    def login(self):
        try:
            given = json.loads(self.body)
        except ValueError:
            return self.answer(415, {"message": "send JSON"})
        if given == {"username": "alice", "password": SECRET}:
            token = "token-" + secrets.token_hex(16)
            self.server.sessions.add(token)
            return self.answer(200, {"access_token": token, "token_type": "bearer"})
        self.answer(401, {"error": {"message": f"no account has the password {given.get('password')}"
                                    if given.get("username") == "echo" else "unknown user or wrong password"}})

    def api(self, path):
        if path == "/api/login":
            return self.login()
        self.who(self.headers.get("Authorization", "").removeprefix("Bearer ") in self.server.sessions)

    def challenge(self, ok, value):
        self.answer(200, {"user": "alice"}) if ok else self.answer(401, {}, [("WWW-Authenticate", value)])

    def has_password(self):
        return self.headers.get("Authorization") == "Basic " + base64.b64encode(f"alice:{SECRET}".encode()).decode()

    def basic(self, path):
        self.challenge(not path.startswith("/private/") or self.has_password(), 'Basic realm="private", charset="UTF-8"')

    def whole(self, path):
        self.challenge(self.has_password(), 'Digest realm="a, \\"b", nonce="x", Basic realm="all"')

    def bearer(self, path):
        self.challenge(self.headers.get("Authorization") == f"Bearer {SECRET}", 'Bearer realm="all"')


ports = {}
for name in KINDS:
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    server.kind, server.sessions = name, set()
    ports[name] = server.server_address[1]
    threading.Thread(target=server.serve_forever, daemon=True).start()
print(json.dumps({"ports": ports}), flush=True)
sys.stdin.read()
