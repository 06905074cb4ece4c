#!/usr/bin/env python3
# Part of CredKit. SPDX-License-Identifier: Apache-2.0
"""The server of the article about timestamped passwords, written anew from what the article says and with python's
standard library alone. Nothing of CredKit is in it: it is what CredKit's client is tested against.

    GET  /hmackey.php      {"key": "yyyy-MM-dd HH:mm"}, the server's minute
    POST /loginhmac.php    username, password: hex(HMAC-MD5(key, hex(HMAC-MD5(key, password)) + minute)) with
                           key = hex(MD5(key phrase)); this minute and the one before are right.
                           {"userId": 1, "userName": ...} and a cookie, or {"userId": -1}
    GET  /studentList      {"code": 0, "msg": ..., "data": [...]} with the cookie, status 401 without
    GET  /stats            {"logins": n, "refused": n, "served": n}, for tests
There is no way to log out, and a proof is right as often as it is posted, as in the article.

usage: article_server.py [--port N] [--user NAME] [--password TEXT] [--key-phrase TEXT] [--session-ttl SECONDS]
                         [--skew-minutes N]
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
        self.sessions = {}
        self.stats = {"logins": 0, "refused": 0, "served": 0}

    def minute(self, minutes_ago=0):
        now = datetime.datetime.now() + datetime.timedelta(minutes=self.options.skew_minutes - minutes_ago)
        return now.strftime("%Y-%m-%d %H:%M")

    def code(self, message):
        key = hashlib.md5(self.options.key_phrase.encode()).hexdigest().encode()
        return hmac.new(key, message.encode(), hashlib.md5).hexdigest()

    def log_in(self, user, proof):
        stored = self.code(self.options.password)
        right = [self.code(stored + self.minute(ago)) for ago in (0, 1)]
        with self.lock:
            if user != self.options.user or proof not in right:
                self.stats["refused"] += 1
                return None
            self.stats["logins"] += 1
            session = secrets.token_hex(16)
            self.sessions[session] = time.monotonic() + self.options.session_ttl
            return session

    def serves(self, session):
        with self.lock:
            valid = self.sessions.get(session, 0) > time.monotonic()
            self.stats["served"] += valid
            return valid


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    # An answer is written in two pieces: do not wait for the first to be acknowledged.
    disable_nagle_algorithm = True

    def log_message(self, *_):
        pass

    def answer(self, status, value, cookie=None):
        body = json.dumps(value, ensure_ascii=False).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        if cookie:
            self.send_header("Set-Cookie", f"PHPSESSID={cookie}; path=/")
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        article = self.server.article
        path = self.path.partition("?")[0]
        if path == "/hmackey.php":
            self.answer(200, {"key": article.minute()})
        elif path == "/studentList":
            cookie = SimpleCookie(self.headers.get("Cookie", "")).get("PHPSESSID")
            if cookie and article.serves(cookie.value):
                self.answer(200, {"code": 0, "msg": "ok", "data": STUDENTS})
            else:
                self.answer(401, {"code": 401, "msg": "please log in", "data": None})
        elif path == "/stats":
            self.answer(200, article.stats)
        else:
            self.answer(404, {"code": 404, "msg": "not found", "data": None})

    def do_POST(self):
        body = self.rfile.read(min(int(self.headers.get("Content-Length", "0")), 1 << 16)).decode()
        if self.path != "/loginhmac.php":
            self.answer(404, {"code": 404, "msg": "not found", "data": None})
            return
        form = urllib.parse.parse_qs(body, keep_blank_values=True)
        user = form.get("username", [""])[0]
        session = self.server.article.log_in(user, form.get("password", [""])[0])
        if session:
            self.answer(200, {"userId": 1, "userName": user}, session)
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
