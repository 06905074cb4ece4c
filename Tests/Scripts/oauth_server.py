#!/usr/bin/env python3
# Part of CredKit. SPDX-License-Identifier: Apache-2.0
"""An OAuth 2.0 authorization server and its resources, for tests: oauthlib on the standard library's server.

It prints {"port": …}, and exits when its standard input ends. A line of JSON on the standard input, or the body of a POST
to /control, is a command, and the answer is JSON:
  {"grant": NAME}            a refresh token of a new login
  {"expire": true}           forgets all access tokens
  {"approve": USER_CODE, "user": NAME} or {"deny": USER_CODE}
  {"rotation": "strict"}     a refresh token is replaced at each use, and one that comes again ends its login
  {"rotation": "overlap"}    the old one is valid until the new one is used
  {"rotation": "none"}       a refresh token is not replaced
  {"hold": true}             answers of the token endpoint wait, after their work, for {"hold": false}
  {"interval": S}, {"lifetime": S}     of later logins with a device, of later access tokens, in seconds
  {"state": true}            {"refreshes": N, "reused": N, "revoked": [tokens], "valid": [refresh tokens],
                             "held": N, "codes": [user codes], "requests": [[method, target, headers, body]]}"""
import http.server
import json
import sys
import threading
import time

from oauthlib.oauth2 import (BearerToken, DeviceAuthorizationEndpoint, RefreshTokenGrant, RequestValidator,
                             ResourceEndpoint, RevocationEndpoint, TokenEndpoint)
from oauthlib.oauth2.rfc8628.grant_types import DeviceCodeGrant

DEVICE_GRANT = "urn:ietf:params:oauth:grant-type:device_code"
changed = threading.Condition(threading.RLock())
settings = {"rotation": "strict", "hold": False, "interval": 1, "lifetime": 3600}
clients = {"desktop": None, "service": "s3cret"}
logins, access, devices = [], {}, {}
record = {"refreshes": 0, "reused": 0, "revoked": [], "held": 0, "requests": []}


class Client:
    def __init__(self, name):
        self.client_id = name


def login_of(token):
    return next((login for login in logins if token in login["tokens"]), None)


class Validator(RequestValidator):
    def client_authentication_required(self, request, *_, **__):
        return clients.get(request.client_id) is not None or request.headers.get("Authorization") is not None

    def authenticate_client(self, request, *_, **__):
        import base64
        import urllib.parse
        kind, _, text = request.headers.get("Authorization", "").partition(" ")
        if kind != "Basic":
            return False
        name, _, secret = base64.b64decode(text).decode().partition(":")
        name, secret = urllib.parse.unquote_plus(name), urllib.parse.unquote_plus(secret)
        request.client, request.client_id = Client(name), name
        return clients.get(name) is not None and clients[name] == secret

    def authenticate_client_id(self, client_id, request, *_, **__):
        request.client = Client(client_id)
        return client_id in clients and clients[client_id] is None

    def validate_client_id(self, client_id, request, *_, **__):
        request.client = Client(client_id)
        return client_id in clients

    def validate_grant_type(self, client_id, grant_type, client, request, *_, **__):
        return grant_type in ("refresh_token", DEVICE_GRANT)

    def validate_refresh_token(self, token, client, request, *_, **__):
        login = login_of(token)
        if login is None:
            return False
        if token not in login["valid"]:
            # RFC 9700, section 4.14.2.
            record["reused"] += 1
            login["valid"] = []
            return False
        if settings["rotation"] == "overlap":
            login["valid"] = [token]
        request.login, request.user = login, login["user"]
        return True

    def get_original_scopes(self, token, request, *_, **__):
        return ["students"]

    def rotate_refresh_token(self, request):
        return settings["rotation"] != "none"

    def save_bearer_token(self, token, request, *_, **__):
        login = getattr(request, "login", None)
        access[token["access_token"]] = (request.user, time.monotonic() + settings["lifetime"])
        token["expires_in"] = settings["lifetime"]
        new = token.get("refresh_token")
        if new is None:
            return
        if login is None:
            logins.append({"user": request.user, "tokens": [new], "valid": [new]})
        elif new not in login["tokens"]:
            login["tokens"].append(new)
            login["valid"] = (login["valid"] if settings["rotation"] == "overlap" else []) + [new]

    def validate_device_code(self, client_id, code, request, *_, **__):
        device = devices.get(code)
        if device is None or device["client"] != client_id:
            return None
        last, device["asked"] = device["asked"], time.monotonic()
        # A little less than what it said, for timers that end early.
        if device["asked"] - last < device["interval"] - 0.05:
            return DeviceCodeGrant.DEVICE_CODE_SLOW_DOWN
        if device["user"] is None:
            return DeviceCodeGrant.DEVICE_CODE_PENDING
        del devices[code]
        if not device["user"]:
            return DeviceCodeGrant.DEVICE_CODE_DENIED
        request.user, request.scopes = device["user"], device["scopes"]
        return DeviceCodeGrant.DEVICE_CODE_AUTHORIZED

    def get_default_scopes(self, client_id, request, *_, **__):
        return ["students"]

    def validate_scopes(self, client_id, scopes, client, request, *_, **__):
        return set(scopes) <= {"students", "teachers"}

    def revoke_token(self, token, hint, request, *_, **__):
        record["revoked"].append(token)
        login = login_of(token)
        if login:
            login["valid"] = []
        access.pop(token, None)

    def validate_bearer_token(self, token, scopes, request):
        user, end = access.get(token, (None, 0))
        request.user = user
        return user is not None and time.monotonic() < end


validator = Validator()
bearer = BearerToken(validator)
token_endpoint = TokenEndpoint("refresh_token", bearer, {
    "refresh_token": RefreshTokenGrant(validator), DEVICE_GRANT: DeviceCodeGrant(validator)})
revocation_endpoint = RevocationEndpoint(validator)
resource_endpoint = ResourceEndpoint("Bearer", {"Bearer": bearer})


def control(command):
    with changed:
        try:
            for name in ("rotation", "hold", "interval", "lifetime"):
                if name in command:
                    settings[name] = command[name]
            if "grant" in command:
                token = f"refresh-{len(logins)}-{time.monotonic_ns()}"
                logins.append({"user": command["grant"], "tokens": [token], "valid": [token]})
                return token
            if "expire" in command:
                access.clear()
            for name in ("approve", "deny"):
                for device in devices.values():
                    if device["code"] == command.get(name):
                        device["user"] = command["user"] if name == "approve" else False
            if "state" in command:
                return {**record, "valid": [token for login in logins for token in login["valid"]],
                        "codes": [device["code"] for device in devices.values()]}
            return True
        finally:
            changed.notify_all()


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def log_message(self, *arguments):
        pass

    def answer(self, headers, body, status):
        body = (body if isinstance(body, str) else json.dumps(body)).encode()
        self.send_response(status)
        for name, value in {"Content-Type": "application/json", **(headers or {})}.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0))).decode()
        if self.path == "/control":
            return self.answer({}, control(json.loads(body)), 200)
        uri = f"https://{self.headers['Host']}{self.path}"
        request = (uri, "POST", body, dict(self.headers))
        with changed:
            record["requests"].append(["POST", self.path, dict(self.headers), body])
            if self.path == "/token":
                answer = token_endpoint.create_token_response(*request)
                if answer[2] == 200 and "grant_type=refresh_token" in body:
                    record["refreshes"] += 1
                record["held"] += 1
                changed.notify_all()
                changed.wait_for(lambda: not settings["hold"])
                record["held"] -= 1
            elif self.path == "/device_authorization":
                endpoint = DeviceAuthorizationEndpoint(
                    validator, f"http://{self.headers['Host']}/device", interval=settings["interval"],
                    verification_uri_complete=f"http://{self.headers['Host']}/device?code={{user_code}}",
                    user_code_generator=lambda: f"CODE-{time.monotonic_ns() % 100000:05}")
                answer = endpoint.create_device_authorization_response(*request)
                if answer[2] == 200:
                    data = answer[1]
                    devices[data["device_code"]] = {
                        "code": data["user_code"], "client": "desktop", "user": None, "interval": settings["interval"],
                        "asked": time.monotonic(), "scopes": data.get("scope", "students").split()}
                    changed.notify_all()
            elif self.path == "/revoke":
                answer = revocation_endpoint.create_revocation_response(*request)
            else:
                answer = ({}, {}, 404)
        self.answer(*answer)

    def do_GET(self):
        if self.path == "/.well-known/oauth-authorization-server":
            url = f"http://127.0.0.1:{self.server.server_address[1]}"
            return self.answer({}, {
                "issuer": url, "token_endpoint": f"{url}/token", "revocation_endpoint": f"{url}/revoke",
                "device_authorization_endpoint": f"{url}/device_authorization"}, 200)
        with changed:
            record["requests"].append(["GET", self.path, dict(self.headers), ""])
            valid, request = resource_endpoint.verify_request(
                f"https://{self.headers['Host']}{self.path.partition('?')[0]}", "GET", None, dict(self.headers))
        if valid:
            self.answer({}, {"user": request.user}, 200)
        else:
            self.answer({"WWW-Authenticate": 'Bearer error="invalid_token"'}, {}, 401)


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 1024


server = Server(("127.0.0.1", int(sys.argv[1]) if len(sys.argv) > 1 else 0), Handler)
threading.Thread(target=server.serve_forever, daemon=True).start()
print(json.dumps({"port": server.server_address[1]}), flush=True)
for line in sys.stdin:
    print(json.dumps(control(json.loads(line))), flush=True)
