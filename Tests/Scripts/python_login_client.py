#!/usr/bin/env python3
# Part of CredKit. SPDX-License-Identifier: Apache-2.0
"""A client for timestamped logins, written from a published description of them with Python's
standard library only.

usage: python_login_client.py SCENARIO URL [JSON]
Prints the observations of the scenario as one line of JSON.
"""

import concurrent.futures
import datetime
import hashlib
import hmac
import http.client
import json
import re
import socket
import ssl
import sys
import threading
import time
import urllib.parse

KEY = hashlib.md5(b"itheima").hexdigest().encode()


def code(text):
    return hmac.new(KEY, text.encode(), hashlib.md5).hexdigest()


def proof(password, time_text):
    return code(code(password) + time_text)


class Client:
    def __init__(self, url, ca=None, keeps_cookies=True):
        parts = urllib.parse.urlsplit(url)
        self.host, self.port = parts.hostname, parts.port
        self.tls = ssl.create_default_context(cafile=ca) if parts.scheme == "https" else None
        self.keeps_cookies = keeps_cookies
        self.cookies = {}
        self.token = None

    def send(self, method, path, form=None, headers=None, cookies=True):
        if self.tls:
            connection = http.client.HTTPSConnection(self.host, self.port, timeout=60, context=self.tls)
        else:
            connection = http.client.HTTPConnection(self.host, self.port, timeout=60)
        headers = dict(headers or {})
        body = None
        if form is not None:
            body = urllib.parse.urlencode(form)
            headers.setdefault("Content-Type", "application/x-www-form-urlencoded")
        if cookies and self.cookies:
            headers["Cookie"] = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        connection.request(method, path, body, headers)
        response = connection.getresponse()
        text = response.read().decode()
        for line in response.headers.get_all("Set-Cookie") or []:
            name, _, value = line.partition(";")[0].partition("=")
            if self.keeps_cookies:
                self.cookies[name] = value
        self.headers = response.headers
        return response.status, text

    def time_text(self):
        return json.loads(self.send("GET", "/hmackey.php")[1])["key"]

    def post(self, user, value, extra=None):
        status, text = self.send("POST", "/loginhmac.php", {"username": user, "password": value, **(extra or {})})
        return [status, json.loads(text)["userId"]]

    def log_in(self, user="zhang", password="s3cret"):
        return self.post(user, proof(password, self.time_text()))


def login(url, options):
    """A complete login and its results."""
    client = Client(url, options.get("ca"), options.get("keepsCookies", True))
    text = client.time_text()
    seen = {"textIsMinute": bool(re.fullmatch(r"\d{4}-\d\d-\d\d \d\d:\d\d", text))}
    seen["textBeginsWithMinute"] = bool(re.match(r"\d{4}-\d\d-\d\d \d\d:\d\d", text))
    seen["login"] = client.post("zhang", proof("s3cret", text))
    cookies = [line for line in client.headers.get_all("Set-Cookie") or []]
    seen["cookies"] = [re.sub(r"=[^;]*", "=*", line, count=1) for line in cookies]
    token = client.headers["x-auth-token"]
    seen["withToken"] = client.send("GET", "/auth/session", headers={"x-auth-token": token}, cookies=False)[0]
    seen["withCookie"] = client.send("GET", "/auth/session")[0]
    seen["with"] = client.send("GET", "/auth/session", cookies=False)[0]
    return seen


def replay(url, options):
    """A used proof, replayed by an attacker who has seen all traffic."""
    client = Client(url, keeps_cookies=False)
    text = client.time_text()
    value = proof("s3cret", text)
    seen = [client.post("zhang", value)]
    for extra in ({}, {"key": text}):
        seen.append(client.post("zhang", value, extra))
    seen.append(client.post("zhang", value.upper()))
    waits = client.headers["Retry-After"]
    return {"answers": seen, "waits": waits is not None and 1 <= int(waits) <= 60}


def crowd(url, options):
    """One proof, posted many times concurrently."""
    client = Client(url)
    value = proof("s3cret", client.time_text())
    answers = []
    barrier = threading.Barrier(options["count"])

    def post():
        own = Client(url)
        barrier.wait()
        answers.append(own.post("zhang", value))

    threads = [threading.Thread(target=post) for _ in range(options["count"])]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return {"accepted": sum(answer[1] > 0 for answer in answers), "answers": len(answers)}


def own_clock(url, options):
    """A client that uses its own clock, off by a number of minutes."""
    if time.time() % 60 > 50:
        time.sleep(61 - time.time() % 60)
    minute = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(minutes=options["minutes"])
    return Client(url).post("zhang", proof("s3cret", minute.strftime("%Y-%m-%d %H:%M")))


def expiry(url, options):
    """An expired session."""
    client = Client(url)
    seen = [client.log_in(), client.send("GET", "/auth/session")[0]]
    time.sleep(options["seconds"])
    for path in ("/auth/session", "/api/auth/session"):
        status, text = client.send("GET", path)
        seen.append([status, json.loads(text)["code"]])
    return seen


def logout(url, options):
    """The state after a logout."""
    client = Client(url)
    client.log_in()
    kept = dict(client.cookies)
    seen = [client.send("GET", "/auth/session")[0], client.send("POST", "/logout.php")[0]]
    seen.append(client.cookies["session"])
    client.cookies = kept
    seen.append(client.send("GET", "/auth/session")[0])
    seen.append(client.send("GET", "/auth/session", headers={"x-auth-token": kept["session"]})[0])
    return seen


def refusals(url, options):
    """Invalid logins and requests."""
    client = Client(url)
    text = client.time_text()
    seen = {
        "wrong password": client.post("zhang", proof("wrong", text)),
        "no such user": client.post("unknown", proof("s3cret", text)),
        "no proof": client.post("zhang", "s3cret"),
        "form only": client.post("li", proof("secret", text)),
        "forged text": client.post("zhang", proof("s3cret", text[:16]), {"key": text[:16]}),
        "no fields": client.send("POST", "/loginhmac.php", {})[0],
        "JSON": client.send("POST", "/loginhmac.php", {}, {"Content-Type": "application/json"})[0],
        "GET login": client.send("GET", "/login.php?username=zhang&password=s3cret")[0],
        "GET proof": client.send("GET", "/loginhmac.php?username=zhang&password=x")[0],
        "POST session": client.send("POST", "/auth/session", {})[0],
        "nowhere": client.send("GET", "/nowhere")[0],
        "no session": client.send("GET", "/auth/session")[0],
        "odd tokens": [
            client.send("GET", "/auth/session", headers={"x-auth-token": token, "Cookie": f"session={token}"}, cookies=False)[0]
            for token in ("", "0", "=;=", "9" * 3000)
        ],
    }
    seen["login"] = client.log_in()
    # Paths for data that other servers of the timestamped login have, and this one has not.
    for path in ("/messages", "/messages?page=2", "/studentList?id=666", "/student/v5/student/list", "/student/v5/student/detail?stuId=1"):
        seen.setdefault("data", []).append(client.send("GET", path)[0])
    return seen


def form(url, options):
    """Logins with plaintext passwords."""
    client = Client(url)

    def post(user, password):
        status, text = client.send("POST", "/login.php", {"username": user, "password": password})
        return [status, json.loads(text).get("userId")]

    seen = [post("li", "p&s+w%rd= é"), post("li", "wrong"), post("zhang", "s3cret"), post("zhang", "S3cret")]
    seen.append(post("unknown", "s3cret"))
    seen.append(client.send("GET", "/login.php?username=zhang&password=s3cret")[0])
    return seen


def guesses(url, options):
    """An attacker who guesses passwords."""
    client = Client(url)
    seen = [client.post("zhang", "0" * 32)[0] for _ in range(options["count"])]
    waits = int(client.headers["Retry-After"] or 0)
    # The time that the guesses took is part of the wait.
    return {"statuses": seen, "waits": options["waits"] - 10 <= waits <= options["waits"], "right": client.log_in()[0]}


def bodies(url, options):
    """Oversized bodies and bodies that never arrive, at the same time."""
    parts = urllib.parse.urlsplit(url)

    def see(head, total):
        connection = socket.create_connection((parts.hostname, parts.port), timeout=60)
        connection.sendall(f"POST /loginhmac.php HTTP/1.1\r\nHost: x\r\n{head}\r\n\r\n".encode())
        piece = b"10000\r\n" + b"a" * 65536 + b"\r\n" if "chunked" in head else b"a" * min(total, 65536)
        start, sent, answer = time.monotonic(), 0, b""

        def receive():
            nonlocal answer
            try:
                while data := connection.recv(65536):
                    answer += data
            except OSError:
                pass

        thread = threading.Thread(target=receive)
        thread.start()
        try:
            while sent < total:
                connection.sendall(piece)
                sent += len(piece)
        except OSError:
            pass
        thread.join()
        connection.close()
        return [answer[9:12].decode(), sent < 1 << 40, time.monotonic() - start < 30]

    kinds = [
        ("Content-Length: 1099511627776", 1 << 40),
        ("Transfer-Encoding: chunked", 1 << 40),
        ("Content-Length: 100", 10),
    ]
    with concurrent.futures.ThreadPoolExecutor(len(kinds)) as pool:
        return list(pool.map(lambda kind: see(*kind), kinds))


def headers(url, options):
    """Oversized headers."""
    parts = urllib.parse.urlsplit(url)
    seen = []
    for lines in (["X: " + "a" * 100_000], ["X: a"] * 5000, ["Cookie: session=" + "a" * 10_000]):
        text = "GET /auth/session HTTP/1.1\r\nHost: x\r\nConnection: close\r\n" + "\r\n".join(lines) + "\r\n\r\n"
        status = ""
        # The server closes just after its answer: a client that stalls meanwhile finds the connection reset.
        for _ in range(2):
            with socket.create_connection((parts.hostname, parts.port), timeout=60) as connection:
                try:
                    connection.sendall(text.encode())
                    status = connection.recv(65536)[9:12].decode()
                except OSError:
                    pass
            if status:
                break
        seen.append(status)
    return seen


if __name__ == "__main__":
    scenario, address = sys.argv[1], sys.argv[2]
    print(json.dumps(globals()[scenario](address, json.loads(sys.argv[3] if len(sys.argv) > 3 else "{}"))))
