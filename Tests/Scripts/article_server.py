#!/usr/bin/env python3
# Part of CredKit. SPDX-License-Identifier: Apache-2.0
"""A server of the legacy timestamped login, written from a published article on that protocol with Python's standard
library only. It contains no CredKit code: tests and the demo run CredKit's client against it.

    GET  /hmackey.php      {"key": "yyyy-MM-dd HH:mm"}, the server's minute
    POST /loginhmac.php    username, password: hex(HMAC-MD5(key, hex(HMAC-MD5(key, password)) + minute)) with
                           key = hex(MD5(key phrase)); this minute and the one before are valid.
                           {"userId": 1, "userName": ...} and a cookie, or {"userId": -1}
    GET  /studentList      {"code": 0, "msg": ..., "data": [...]} with the cookie, status 401 without
    GET  /stats            {"logins": n, "refused": n, "served": n}, for tests
As in that article, there is no logout, and a proof can be replayed. Options add common extensions of real servers:
an x-auth-token that is required in addition to the cookie, POST /logout.php, and a list that caches may store.

usage: article_server.py [--port N] [--user NAME] [--password TEXT] [--key-phrase TEXT] [--session-ttl SECONDS]
                         [--skew-minutes N] [--expired-logins N] [--users FILE] [--token] [--logout]
                         [--max-age SECONDS]
Prints its address on the first line.
"""

import argparse
import datetime
import hashlib
import hmac
import json
import secrets
import threading
import time
import urllib.parse
from http.cookies import SimpleCookie
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

STUDENTS = [{"stuId": 1, "name": "王芳", "phone": None}, {"stuId": 2, "name": "李伟", "phone": "555-0103"}]


class Article:
    def __init__(self, options):
        self.options = options
        self.lock = threading.Lock()
        # The server stores this for each user, never the password.
        self.users = {options.user: self.code(options.password)}
        if options.users:
            with open(options.users) as file:
                self.users = dict(line.strip().split(":") for line in file)
        self.sessions = {}
        self.stats = {"logins": 0, "refused": 0, "served": 0}

    def minute(self, minutes_ago=0):
        now = datetime.datetime.now() + datetime.timedelta(minutes=self.options.skew_minutes - minutes_ago)
        return now.strftime("%Y-%m-%d %H:%M")

    def code(self, message):
        key = hashlib.md5(self.options.key_phrase.encode()).hexdigest().encode()
        return hmac.new(key, message.encode(), hashlib.md5).hexdigest()

    def log_in(self, user, proof):
        stored = self.users.get(user)
        right = [self.code(stored + self.minute(ago)) for ago in (0, 1)] if stored else []
        with self.lock:
            if proof not in right:
                self.stats["refused"] += 1
                return None
            self.stats["logins"] += 1
            lifetime = self.options.session_ttl if self.stats["logins"] > self.options.expired_logins else 0
            session, token = secrets.token_hex(16), secrets.token_hex(16) if self.options.token else None
            self.sessions[session] = (time.monotonic() + lifetime, token)
            return session, token

    def serves(self, session, token):
        with self.lock:
            end, wanted = self.sessions.get(session, (0, None))
            valid = end > time.monotonic() and wanted in (None, token)
            self.stats["served"] += valid
            return valid

    def log_out(self, session):
        with self.lock:
            self.sessions.pop(session, None)


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    # A response is written in two pieces: do not wait until the first is acknowledged.
    disable_nagle_algorithm = True

    def log_message(self, *_):
        pass

    def cookie(self):
        cookie = SimpleCookie(self.headers.get("Cookie", "")).get("PHPSESSID")
        return cookie.value if cookie else None

    def answer(self, status, value, cookie=None, token=None, max_age=None):
        body = json.dumps(value, ensure_ascii=False).encode() + b"\n"
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        if max_age:
            self.send_header("Cache-Control", f"private, max-age={max_age}")
        if cookie:
            self.send_header("Set-Cookie", f"PHPSESSID={cookie}; path=/")
        if token:
            self.send_header("x-auth-token", token)
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        article = self.server.article
        path = self.path.partition("?")[0]
        if path == "/hmackey.php":
            self.answer(200, {"key": article.minute()})
        elif path == "/studentList":
            if article.serves(self.cookie(), self.headers.get("x-auth-token")):
                self.answer(200, {"code": 0, "msg": "ok", "data": STUDENTS}, max_age=article.options.max_age)
            else:
                self.answer(401, {"code": 401, "msg": "please log in", "data": None})
        elif path == "/stats":
            self.answer(200, article.stats)
        else:
            self.answer(404, {"code": 404, "msg": "not found", "data": None})

    def do_POST(self):
        body = self.rfile.read(min(int(self.headers.get("Content-Length", "0")), 1 << 16)).decode()
        article = self.server.article
        if self.path == "/logout.php" and article.options.logout:
            article.log_out(self.cookie())
            self.answer(200, {"code": 0, "msg": "logged out", "data": None})
            return
        if self.path != "/loginhmac.php":
            self.answer(404, {"code": 404, "msg": "not found", "data": None})
            return
        form = urllib.parse.parse_qs(body, keep_blank_values=True)
        user = form.get("username", [""])[0]
        login = article.log_in(user, form.get("password", [""])[0])
        if login:
            self.answer(200, {"userId": 1, "userName": user}, *login)
        else:
            self.answer(200, {"userId": -1})


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--user", default="zhang")
    parser.add_argument("--password", default="zhang")
    parser.add_argument("--key-phrase", default="itheima")
    parser.add_argument("--session-ttl", type=float, default=3600)
    parser.add_argument("--skew-minutes", type=int, default=0, help="how far the server's clock is ahead")
    parser.add_argument("--expired-logins", type=int, default=0, help="how many logins, from the first on, expire immediately")
    parser.add_argument(
        "--users",
        help="a file with a line NAME:VALUE for each user, the value as 'credkit hash legacy timestamp --password-equivalent' has it",
    )
    parser.add_argument("--token", action="store_true", help="data requests need an x-auth-token in addition to the cookie")
    parser.add_argument("--logout", action="store_true", help="there is POST /logout.php")
    parser.add_argument("--max-age", type=int, help="how many seconds the list is fresh")
    options = parser.parse_args()
    ThreadingHTTPServer.request_queue_size = 1024
    ThreadingHTTPServer.daemon_threads = True
    server = ThreadingHTTPServer(("127.0.0.1", options.port), Handler)
    server.article = Article(options)
    print(f"listening on http://127.0.0.1:{server.server_port}", flush=True)
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        pass


if __name__ == "__main__":
    main()
