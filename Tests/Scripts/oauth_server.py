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
  {"fault": NAME}            breaks one rule from now on, see FAULTS; "" for none
  {"page": true}             the authorization endpoint shows a page that leads nowhere, and the user does nothing there
  {"answers": true}          the answers that the authorization endpoint has sent the browser with, as URLs
  {"state": true}            {"refreshes": N, "reused": N, "revoked": [tokens], "valid": [refresh tokens],
                             "held": N, "codes": [user codes], "requests": [[method, target, headers, body]],
                             "seconds": what each request to the token endpoint took}"""
import html
import http.server
import json
import sys
import threading
import time
import urllib.parse

from oauthlib.oauth2 import (AuthorizationCodeGrant, AuthorizationEndpoint, BearerToken, DeviceAuthorizationEndpoint,
                             OAuth2Error, RefreshTokenGrant, RequestValidator, ResourceEndpoint, RevocationEndpoint,
                             TokenEndpoint)
from oauthlib.oauth2.rfc8628.grant_types import DeviceCodeGrant

DEVICE_GRANT = "urn:ietf:params:oauth:grant-type:device_code"
FAULTS = {
    "": None,
    # Metadata.
    "metadata redirected": lambda url, m: None, "no S256": lambda url, m: m.update(code_challenge_methods_supported=["plain"]),
    "no ES256": lambda url, m: m.update(dpop_signing_alg_values_supported=["ES384", "Ed25519"]),
    "pushed requests": lambda url, m: m.update(require_pushed_authorization_requests=True),
    "script endpoint": lambda url, m: m.update(authorization_endpoint="javascript:alert(1)"),
    "another issuer": lambda url, m: m.update(issuer="http://127.0.0.1:1"),
    "other origins": lambda url, m: m.update(token_endpoint="http://127.0.0.1:1/token"),
    "iss unannounced": lambda url, m: m.pop("authorization_response_iss_parameter_supported"),
    # Answers: what replaces the pairs of names and values.
    "no state": lambda pairs: [pair for pair in pairs if pair[0] != "state"],
    "another state": lambda pairs: [(name, "A" * 43 if name == "state" else value) for name, value in pairs],
    "two states": lambda pairs: pairs + [("state", "A" * 43)],
    "two codes": lambda pairs: pairs + [("code", "another")],
    "two iss": lambda pairs: pairs + [("iss", "https://another.example")],
    "no iss": lambda pairs: [pair for pair in pairs if pair[0] != "iss"],
    "another iss": lambda pairs: [(name, value + "/" if name == "iss" else value) for name, value in pairs],
    "code and error": lambda pairs: pairs + [("error", "access_denied")],
    "neither": lambda pairs: [pair for pair in pairs if pair[0] != "code"],
    "control in code": lambda pairs: [(name, "a\n" if name == "code" else value) for name, value in pairs],
    "refused": lambda pairs: [pair for pair in pairs if pair[0] != "code"] + [("error", "access_denied")],
    "refused by another server": lambda pairs: [("error", "access_denied"), ("iss", "https://another.example")]
        + [pair for pair in pairs if pair[0] == "state"],
    "refused without state": lambda pairs: [("error", "access_denied")],
    "escapes in error": lambda pairs: [pair for pair in pairs if pair[0] != "code"]
        + [("error", "\x1b[2J<script>"), ("error_description", "\x1b]0;owned\x07<b>"), ("error_uri", "javascript:alert(1)")],
    # Tokens.
    "redirect rewritten": None, "token redirected": None, "another type": None, "no token": None, "html": None,
}
changed = threading.Condition(threading.RLock())
settings = {"rotation": "strict", "hold": False, "interval": 1, "lifetime": 3600, "fault": "", "page": False}
clients = {"desktop": None, "service": "s3cret"}
logins, access, devices, codes, answers = [], {}, {}, {}, []
record = {"refreshes": 0, "reused": 0, "revoked": [], "held": 0, "requests": [], "seconds": []}


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
        return grant_type in ("refresh_token", "authorization_code", DEVICE_GRANT)

    # The authorization code grant. A redirect to this computer may have any port (RFC 8252, section 7.3).
    def validate_redirect_uri(self, client_id, redirect_uri, request, *_, **__):
        parts = urllib.parse.urlsplit(redirect_uri)
        return (parts.scheme, parts.hostname, parts.path) in (
            ("http", "127.0.0.1", "/callback"), ("http", "::1", "/callback"), ("http", "localhost", "/callback"))

    def get_default_redirect_uri(self, client_id, request, *_, **__):
        return None

    def validate_response_type(self, client_id, response_type, client, request, *_, **__):
        return response_type == "code"

    def is_pkce_required(self, client_id, request):
        return True

    def save_authorization_code(self, client_id, code, request, *_, **__):
        redirect = request.redirect_uri
        if settings["fault"] == "redirect rewritten":
            redirect = redirect.replace("127.0.0.1", "localhost")
        codes[code["code"]] = {
            "client": client_id, "redirect": redirect, "challenge": request.code_challenge, "used": False,
            "method": request.code_challenge_method, "scopes": request.scopes, "user": "alice"}

    def validate_code(self, client_id, code, client, request, *_, **__):
        found = codes.get(code)
        if found is None or found["client"] != client_id:
            return False
        if found["used"]:
            # RFC 6749, section 4.1.2.
            record["reused"] += 1
            for login in logins:
                if login.get("code") == code:
                    login["valid"] = []
            return False
        request.user, request.scopes, request.used_code = found["user"], found["scopes"], code
        return True

    def get_code_challenge(self, code, request):
        return codes[code]["challenge"]

    def get_code_challenge_method(self, code, request):
        return codes[code]["method"]

    def confirm_redirect_uri(self, client_id, code, redirect_uri, client, request, *_, **__):
        return codes[code]["redirect"] == redirect_uri

    def invalidate_authorization_code(self, client_id, code, request, *_, **__):
        codes[code]["used"] = True

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
            logins.append({"user": request.user, "tokens": [new], "valid": [new],
                           "code": getattr(request, "used_code", None)})
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
code_grant = AuthorizationCodeGrant(validator)
authorization_endpoint = AuthorizationEndpoint("code", bearer, {"code": code_grant})
token_endpoint = TokenEndpoint("refresh_token", bearer, {
    "authorization_code": code_grant, "refresh_token": RefreshTokenGrant(validator),
    DEVICE_GRANT: DeviceCodeGrant(validator)})
revocation_endpoint = RevocationEndpoint(validator)
resource_endpoint = ResourceEndpoint("Bearer", {"Bearer": bearer})


def control(command):
    with changed:
        try:
            for name in ("rotation", "hold", "interval", "lifetime", "fault", "page"):
                if name in command:
                    settings[name] = command[name]
            if settings["fault"] not in FAULTS:
                raise ValueError(settings["fault"])
            if "answers" in command:
                return answers
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
        started = time.monotonic()
        with changed:
            record["requests"].append(["POST", self.path, dict(self.headers), body])
            if self.path == "/token":
                answer = token_endpoint.create_token_response(*request)
                if "grant_type=authorization_code" in body and answer[2] == 200:
                    answer = {
                        "token redirected": ({"Location": "/elsewhere"}, "", 307), "no token": ({}, {"token_type": "Bearer"}, 200),
                        "another type": ({}, answer[1].replace("Bearer", "mac"), 200), "html": ({}, "<html>", 200),
                    }.get(settings["fault"], answer)
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
            if self.path == "/token":
                record["seconds"].append(time.monotonic() - started)
        self.answer(*answer)

    def metadata(self):
        url = f"http://127.0.0.1:{self.server.server_address[1]}"
        if settings["fault"] == "metadata redirected" and self.path != "/metadata":
            # To a server that says what the client wants to hear.
            return self.answer({"Location": f"http://localhost:{self.server.server_address[1]}/metadata"}, "", 302)
        metadata = {
            "issuer": url, "token_endpoint": f"{url}/token", "revocation_endpoint": f"{url}/revoke",
            "device_authorization_endpoint": f"{url}/device_authorization", "authorization_endpoint": f"{url}/authorize",
            "response_types_supported": ["code"], "code_challenge_methods_supported": ["plain", "S256"],
            "authorization_response_iss_parameter_supported": True}
        fault = FAULTS[settings["fault"]]
        if fault and fault.__code__.co_argcount == 2:
            fault(url, metadata)
        self.answer({}, metadata, 200)

    def authorize(self):
        """The user is logged in, and allows everything at once."""
        url = f"http://127.0.0.1:{self.server.server_address[1]}"
        with changed:
            record["requests"].append(["GET", self.path, dict(self.headers), ""])
            if settings["page"]:
                return self.answer({"Content-Type": "text/html"}, "<title>Log in</title>", 200)
            try:
                scopes, credentials = authorization_endpoint.validate_authorization_request(
                    f"https://{self.headers['Host']}{self.path}", "GET", None, dict(self.headers))
                answer = authorization_endpoint.create_authorization_response(
                    f"https://{self.headers['Host']}{self.path}", "GET", None, dict(self.headers), scopes,
                    {key: value for key, value in credentials.items() if key != "request"})
            except OAuth2Error as error:
                return self.answer({}, {"error": error.error, "description": error.description}, 400)
            target, _, query = answer[0]["Location"].partition("?")
            pairs = urllib.parse.parse_qsl(query) + [("iss", url)]
            fault = FAULTS[settings["fault"]]
            if fault and fault.__code__.co_argcount == 1:
                pairs = fault(pairs)
            answers.append(f"{target}?{urllib.parse.urlencode(pairs)}")
        if urllib.parse.parse_qs(self.path).get("response_mode") == ["form_post"]:
            fields = "".join(
                f'<input type="hidden" name="{html.escape(name)}" value="{html.escape(value)}">' for name, value in pairs)
            return self.answer({"Content-Type": "text/html"}, (
                f'<form method="post" action="{html.escape(target)}">{fields}</form>'
                "<script>document.forms[0].submit()</script>"), 200)
        self.answer({"Location": answers[-1], "Referrer-Policy": "no-referrer"}, "", 302)

    def do_GET(self):
        if self.path in ("/.well-known/oauth-authorization-server", "/metadata"):
            return self.metadata()
        if self.path.startswith("/authorize?"):
            return self.authorize()
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
