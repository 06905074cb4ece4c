#!/usr/bin/env python3
# Part of CredKit. SPDX-License-Identifier: Apache-2.0
"""A client for SCRAM over HTTP, written from RFC 5802, 7677 and 7804 with Python's standard library only.

usage: python_scram_client.py SCENARIO URL [JSON]
Prints the observations of the scenario as one line of JSON.
"""

import base64
import collections
import concurrent.futures
import hashlib
import hmac
import http.client
import json
import os
import random
import re
import ssl
import sys
import threading
import urllib.parse


def b64(data):
    return base64.b64encode(data).decode()


def hi(password, salt, iterations):
    return hashlib.pbkdf2_hmac("sha256", password.encode(), salt, iterations)


def mac(key, text):
    return hmac.new(key, text.encode(), hashlib.sha256).digest()


def equivalent(password, key_phrase="itheima"):
    """The password-equivalent of a timestamped login."""
    key = hashlib.md5(key_phrase.encode()).hexdigest().encode()
    return hmac.new(key, password.encode(), hashlib.md5).hexdigest()


def parameters(text):
    return dict(re.findall(r'([\w-]+)="([^"]*)"', text))


class Client:
    def __init__(self, url, ca=None):
        parts = urllib.parse.urlsplit(url)
        self.host, self.port = parts.hostname, parts.port
        self.tls = ssl.create_default_context(cafile=ca) if parts.scheme == "https" else None
        self.certificate = None

    def send(self, method, path, headers=None, form=None):
        if self.tls:
            connection = http.client.HTTPSConnection(self.host, self.port, timeout=60, context=self.tls)
        else:
            connection = http.client.HTTPConnection(self.host, self.port, timeout=60)
        headers = dict(headers or {})
        body = None
        if form is not None:
            body = urllib.parse.urlencode(form)
            headers["Content-Type"] = "application/x-www-form-urlencoded"
        connection.connect()
        if self.tls:
            self.certificate = connection.sock.getpeercert(binary_form=True)
        connection.request(method, path, body, headers)
        response = connection.getresponse()
        text = response.read().decode()
        connection.close()
        return response, text

    def begin(self, user, flag="n", mechanism="SCRAM-SHA-256"):
        self.mechanism, self.header = mechanism, f"{flag},,"
        self.bare = f"n={user},r={b64(os.urandom(18))}"
        first = b64((self.header + self.bare).encode())
        response, _ = self.send("POST", "/scram", {"Authorization": f'{mechanism} data="{first}"'})
        self.values = response.headers.get_all("WWW-Authenticate") or []
        found = parameters(self.values[0]) if self.values else {}
        self.sid = found.get("sid")
        self.first = base64.b64decode(found.get("data", "")).decode()
        self.attributes = dict(part.split("=", 1) for part in self.first.split(",") if part)
        return response.status

    def final(self, password, binding=b""):
        channel = b64(self.header.encode() + binding)
        without = f"c={channel},r={self.attributes['r']}"
        salted = hi(password, base64.b64decode(self.attributes["s"]), int(self.attributes["i"]))
        client_key = mac(salted, "Client Key")
        text = f"{self.bare},{self.first},{without}"
        signature = mac(hashlib.sha256(client_key).digest(), text)
        proof = bytes(a ^ b for a, b in zip(client_key, signature))
        self.expected = "v=" + b64(mac(mac(salted, "Server Key"), text))
        return f"{without},p={b64(proof)}"

    def finish(self, final, form=None):
        value = f'{self.mechanism} sid="{self.sid}", data="{b64(final.encode())}"'
        response, text = self.send("POST", "/scram", {"Authorization": value}, form)
        info = parameters(response.headers.get("Authentication-Info") or "")
        refusal = parameters(response.headers.get("WWW-Authenticate") or "")
        self.token = response.headers.get("x-auth-token")
        self.ticket = info.get("verifier-ticket")
        self.answer = base64.b64decode((info or refusal).get("data", "")).decode()
        self.is_stale = refusal.get("stale") == "true"
        self.body = json.loads(text)
        proved = response.status == 200 and info.get("sid") == self.sid and self.answer == self.expected
        return [response.status, proved]

    def log_in(self, user, password, **options):
        self.begin(user, **options)
        return self.finish(self.final(password))


def verifier(password, iterations=600000, salt=b"0123456789abcdef"):
    salted = hi(password, salt, iterations)
    stored = hashlib.sha256(mac(salted, "Client Key")).digest()
    return f"SCRAM-SHA-256${iterations}:{b64(salt)}${b64(stored)}:{b64(mac(salted, 'Server Key'))}"


def scenario_login(url, options):
    client = Client(url, options.get("ca"))
    password = options["password"]
    status = client.log_in(options["user"], equivalent(password) if options.get("layered") else password)
    response, text = client.send("GET", "/auth/session", {"x-auth-token": client.token or ""})
    session = [response.status, (json.loads(text)["data"] or {}).get("userName")]
    return {"login": status, "user": client.body.get("userName"), "session": session, "answer": client.answer[:2]}


def scenario_list(url, options):
    client = Client(url, options.get("ca"))
    response, _ = client.send("POST", "/scram")
    basic, _ = client.send("POST", "/scram", {"Authorization": "Basic YTpi"})
    odd = [
        client.send("POST", "/scram", {"Authorization": value})[0].status
        for value in ['SCRAM-SHA-256 data="!"', "SCRAM-SHA-256 data=", 'SCRAM-SHA-256 data="a", data="b"', "=", "SCRAM-SHA-256"]
    ]
    return [response.status, response.headers.get_all("WWW-Authenticate"), basic.status, odd]


def scenario_crowd(url, options):
    client = Client(url)
    client.begin(options["user"])
    final = client.final(options["password"])
    answers = []

    def run():
        copy = Client(url)
        copy.__dict__.update(client.__dict__)
        answers.append(tuple(copy.finish(final)))

    threads = [threading.Thread(target=run) for _ in range(options["count"])]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    return {json.dumps(list(answer)): answers.count(answer) for answer in sorted(set(answers))}


def scenario_rejections(url, options):
    client = Client(url)
    seen = {}
    for name, user, password in [("wrong", options["user"], "wrong"), ("unknown", "nemo", "wrong")]:
        status = client.log_in(user, password)
        seen[name] = [*status, client.answer, client.is_stale, client.body["userId"]]
    client.begin(options["user"])
    final = client.final(options["password"])
    client.sid = client.sid[:-1]
    seen["cut sid"] = [*client.finish(final), client.answer, client.is_stale, client.body["userId"]]
    return seen


def scenario_salts(url, options):
    client = Client(url)
    seen = []
    for user in options["users"]:
        client.begin(user)
        seen.append([client.attributes["s"], client.attributes["i"], sorted(client.attributes)])
    return seen


def scenario_binding(url, options):
    client = Client(url, options["ca"])
    seen = {"list": [value.split()[0] for value in client.send("POST", "/scram")[0].headers.get_all("WWW-Authenticate")]}
    plus = {"flag": "p=tls-server-end-point", "mechanism": "SCRAM-SHA-256-PLUS"}
    client.begin(options["user"], **plus)
    digest = hashlib.sha256(client.certificate).digest()
    seen["bound"] = client.finish(client.final(options["password"], digest))
    client.begin(options["user"], **plus)
    seen["relay"] = [*client.finish(client.final(options["password"], hashlib.sha256(b"other").digest())), client.answer]
    for flag in ["n", "y"]:
        status = client.begin(options["user"], flag=flag)
        seen[flag] = [status, client.sid is not None]
    return seen


def scenario_replacement(url, options):
    client = Client(url)
    seen = {"layered": client.log_in(options["user"], equivalent(options["password"])), "f": client.attributes.get("f")}
    token, ticket = client.token, client.ticket
    form = {"ticket": ticket or "", "verifier": verifier(options["password"])}

    def send(form, token):
        return client.send("POST", "/scram-verifier", {"x-auth-token": token or ""}, form)[0].status

    seen["statuses"] = [
        send(form, None), send({}, token), send({**form, "verifier": verifier("a", iterations=1)}, token),
        send({**form, "ticket": "x"}, token), send(form, token), send(form, token),
    ]
    seen["old"] = client.log_in(options["user"], equivalent(options["password"]))
    seen["new"] = client.log_in(options["user"], options["password"])
    seen["then"] = [client.attributes.get("f"), client.ticket]
    return seen


def scenario_load(url, options):
    """Old and new clients at once, 10 logins of each user: 4 right and 1 wrong by each mechanism. Each right proof is sent again."""
    import python_login_client

    users = [(f"user{number}", f"password {number}", number + 1) for number in options["users"]]
    jobs = [(kind, user, True) for user in users for kind in ("old", "new") for _ in range(4)]
    jobs += [(kind, user, False) for user in users for kind in ("old", "new")]
    random.Random(1).shuffle(jobs)

    def old(name, password):
        client = python_login_client.Client(url)
        value = python_login_client.proof(password, client.time_text())
        return [client.post(name, value) for _ in range(2)]

    def new(name, password):
        client = Client(url)
        client.begin(name)
        final = client.final(equivalent(password))
        answers = []
        for _ in range(2):
            status, proved = client.finish(final)
            answers.append([status, client.body["userId"] if proved or status != 200 else "not proved"])
        return answers

    def run(job):
        kind, (name, password, number), is_right = job
        answers = (old if kind == "old" else new)(name, password if is_right else password + "x")
        own = ["own" if answer[1] == number else answer[1] for answer in answers]
        return f"{kind} {'right' if is_right else 'wrong'}", json.dumps(list(zip([a[0] for a in answers], own)))

    seen = collections.defaultdict(collections.Counter)
    with concurrent.futures.ThreadPoolExecutor(options["clients"]) as pool:
        for name, answers in pool.map(run, jobs):
            seen[name][answers] += 1
    return {name: seen[name] for name in sorted(seen)}


if __name__ == "__main__":
    options = json.loads(sys.argv[3]) if len(sys.argv) > 3 else {}
    print(json.dumps(globals()["scenario_" + sys.argv[1]](sys.argv[2], options)))
