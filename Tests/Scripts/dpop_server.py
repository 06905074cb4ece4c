#!/usr/bin/env python3
# Part of CredKit. SPDX-License-Identifier: Apache-2.0
"""An OAuth server whose tokens are bound to keys (RFC 9449), two origins of resources and a foreign one, for tests. Proofs are
verified with pydpop, and once more with joserfc.

It prints {"main": PORT, "other": PORT, "foreign": PORT}, and exits when its standard input ends. The token endpoint is at
"main". A line of JSON on the standard input is a command, and the answer is JSON:
  {"grant": NAME}          a refresh token of a new login, which the first key that uses it is bound to
  {"expire": true}         forgets all access tokens
  {"set": {NAME: VALUE}}   "rotate": the number of proofs that a nonce is for, 0 for no nonces; "skew": how far the clocks may
                           differ, in seconds; "close": the share of GET requests on kept connections that get no answer;
                           "type": of the tokens, "DPoP" or "Bearer"; "endless": whether no nonce is accepted
  {"state": true}          {"refreshes": N, "reused": N, "strangers": N, "proofs": N, "closed": N, "challenges": N,
                           "revoked": N, "problems": [TEXT], "foreign": [[header names]], "jkts": [thumbprints], "valid": [tokens]}

"strangers" are refresh tokens that another key than theirs came with. /data is a resource, /hop redirects to /data of the other
origin, /leave to the foreign one, and that back to /data."""
import http.server
import json
import random
import sys
import threading
import time
import urllib.parse

import pydpop
from joserfc import jws
from joserfc.jwk import ECKey

lock = threading.RLock()
settings = {"rotate": 0, "skew": 60, "close": 0.0, "type": "DPoP", "endless": False}
logins, access, nonces, used, ports = [], {}, {}, set(), {}
record = {"refreshes": 0, "reused": 0, "strangers": 0, "proofs": 0, "closed": 0, "challenges": 0, "revoked": 0,
          "problems": [], "foreign": [], "jkts": []}
numbers = iter(range(1, 1 << 60))


class Refusal(Exception):
    """An error of RFC 9449, section 5 or 7."""


def nonce_of(place):
    """The nonces that are accepted, of which the last one is new."""
    if place not in nonces or nonces[place]["count"] >= settings["rotate"]:
        last = nonces.get(place, {"valid": []})["valid"][-1:]
        nonces[place] = {"count": 0, "valid": last + [f"{place[0]}-{place[1]}-{next(numbers)}"]}
    return nonces[place]["valid"]


def check(handler, role, token):
    """Returns the thumbprint of the key of a proof."""
    proofs = handler.headers.get_all("DPoP") or []
    if len(proofs) != 1:
        raise Refusal("invalid_dpop_proof")
    url = f"http://{handler.headers['Host']}{handler.path}"
    try:
        found = pydpop.verify_proof(proof=proofs[0], htm=handler.command, htu=url, access_token=token,
                                    clock_skew=settings["skew"])
        header, claims = jws.extract_compact(proofs[0].encode()).headers(), found["claims"]
        key = ECKey.import_key(header["jwk"])
        jws.deserialize_compact(proofs[0], key, algorithms=["ES256"])
        if key.thumbprint() != found["jwk_thumbprint"] or key.is_private or "d" in header["jwk"]:
            raise ValueError("the key is not a public one, or has another thumbprint")
        if claims["htu"] != url.partition("?")[0] or ("ath" in claims) != (token is not None):
            raise ValueError(f"{claims} for {url}")
        if claims["jti"] in used:
            raise ValueError(f"{claims['jti']} twice")
        used.add(claims["jti"])
    except (pydpop.DPoPError, ValueError) as error:
        record["problems"].append(f"{handler.command} {url}: {error}")
        raise Refusal("invalid_dpop_proof")
    record["proofs"] += 1
    if settings["rotate"]:
        place = (role, handler.server.server_port)
        known = nonce_of(place)
        nonces[place]["count"] += 1
        handler.nonce = nonce_of(place)[-1]
        if settings["endless"] or claims.get("nonce") not in known:
            record["challenges"] += 1
            raise Refusal("use_dpop_nonce")
    return found["jwk_thumbprint"]


def login_of(token):
    return next((login for login in logins if token in login["tokens"]), None)


def issue(login, jkt):
    login["jkt"] = jkt
    login["tokens"].append(f"refresh-{next(numbers)}")
    token = f"access-{next(numbers)}"
    access[token] = (login["user"], jkt if settings["type"] == "DPoP" else None)
    return {"access_token": token, "token_type": settings["type"], "refresh_token": login["tokens"][-1], "expires_in": 3600}


def token_answer(handler, form):
    jkt = check(handler, "authorization", None) if "DPoP" in handler.headers else None
    if jkt and jkt not in record["jkts"]:
        record["jkts"].append(jkt)
    if form.get("device_code"):
        login = {"user": "device", "tokens": [], "jkt": None}
        logins.append(login)
        return issue(login, jkt)
    login = login_of(form.get("refresh_token"))
    if login is None or not login["tokens"]:
        raise Refusal("invalid_grant")
    if login["jkt"] not in (None, jkt):
        record["strangers"] += 1
        raise Refusal("invalid_grant")
    if login["tokens"][-1] != form["refresh_token"]:
        # RFC 9700, section 4.14.2.
        record["reused"] += 1
        login["tokens"].append("none")
        raise Refusal("invalid_grant")
    record["refreshes"] += 1
    return issue(login, jkt)


def control(command):
    with lock:
        if "grant" in command:
            logins.append({"user": command["grant"], "tokens": [f"refresh-{next(numbers)}"], "jkt": None})
            return logins[-1]["tokens"][-1]
        if "expire" in command:
            access.clear()
        settings.update(command.get("set", {}))
        if "state" in command:
            return {**record, "valid": [login["tokens"][-1] for login in logins if login["tokens"]]}
        return True


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    count = 0
    nonce = None

    def log_message(self, *arguments):
        pass

    def answer(self, status, body, **headers):
        body = json.dumps(body).encode()
        self.send_response(status)
        if self.nonce:
            self.send_header("DPoP-Nonce", self.nonce)
        for name, value in {"Content-Type": "application/json", **headers}.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_POST(self):
        self.count, self.nonce = self.count + 1, None
        form = dict(urllib.parse.parse_qsl(self.rfile.read(int(self.headers.get("Content-Length", 0))).decode()))
        with lock:
            if self.path == "/device":
                return self.answer(200, {"device_code": f"device-{next(numbers)}", "user_code": "CODE", "expires_in": 60,
                                         "interval": 1, "verification_uri": f"http://{self.headers['Host']}/"})
            if self.path == "/revoke":
                record["revoked"] += 1
                login = login_of(form.get("token"))
                if login:
                    login["tokens"] = []
                return self.answer(200, {})
            try:
                answer, status = token_answer(self, form), 200
            except Refusal as refusal:
                answer, status = {"error": str(refusal)}, 400
        self.answer(status, answer)

    def do_GET(self):
        self.count, self.nonce = self.count + 1, None
        place = next(name for name, port in ports.items() if port == self.server.server_port)
        if place == "foreign":
            record["foreign"].append(sorted(name.lower() for name in self.headers))
            return self.answer(302, {}, Location=f"http://127.0.0.1:{ports['main']}/open")
        if self.path == "/open":
            names = {name.lower() for name in self.headers}
            if names & {"dpop", "authorization"}:
                record["problems"].append("credentials after a foreign origin")
            return self.answer(200, {"user": "guest"})
        kind, _, token = self.headers.get("Authorization", "").partition(" ")
        with lock:
            user, jkt = access.get(token, (None, None))
            try:
                if kind == "DPoP" and check(self, "resource", token) != jkt:
                    raise Refusal("invalid_token")
                if user is None or (kind, jkt is None) not in (("DPoP", False), ("Bearer", True)):
                    raise Refusal("invalid_token")
            except Refusal as refusal:
                return self.answer(401, {}, WWW_Authenticate=f'DPoP error="{refusal}", algs="ES256"')
            if self.count > 1 and random.random() < settings["close"]:
                record["closed"] += 1
                self.close_connection = True
                return None
        if self.path.startswith("/hop"):
            other = ports["other" if place == "main" else "main"]
            return self.answer(302, {}, Location=f"http://127.0.0.1:{other}/data")
        if self.path.startswith("/leave"):
            return self.answer(302, {}, Location=f"http://127.0.0.1:{ports['foreign']}/")
        self.answer(200, {"user": user})


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 1024


for name in ("main", "other", "foreign"):
    server = Server(("127.0.0.1", 0), Handler)
    ports[name] = server.server_port
    threading.Thread(target=server.serve_forever, daemon=True).start()
print(json.dumps(ports), flush=True)
for line in sys.stdin:
    print(json.dumps(control(json.loads(line))), flush=True)
