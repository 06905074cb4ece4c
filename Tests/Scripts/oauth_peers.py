#!/usr/bin/env python3
# Part of CredKit. SPDX-License-Identifier: Apache-2.0
"""Authorization servers that others have written, for tests: `authlib` (with RFC 9207) or `django` (django-oauth-toolkit).

usage: oauth_peers.py authlib|django

It prints {"port": …}, and exits when its standard input ends. The client `desktop` is public, with the redirect URL
http://127.0.0.1/callback. The user alice is logged in, and allows everything at once; `authlib` refuses the scope `teachers`
in her name, and `django` asks her for the client `asking`. GET /data answers {"user": "alice"} to an access token; GET /state
the tokens: {"refresh": […], "revoked": N}."""
import http.server
import json
import os
import secrets
import sys
import threading
import time
import urllib.parse

sys.dont_write_bytecode = True
os.environ["AUTHLIB_INSECURE_TRANSPORT"] = "1"


def authlib_server():
    from authlib.oauth2 import AuthorizationServer, OAuth2Request
    from authlib.oauth2.rfc6749 import AuthorizationCodeMixin, ClientMixin, TokenMixin, grants
    from authlib.oauth2.rfc6749.errors import AccessDeniedError, OAuth2Error
    from authlib.oauth2.rfc6749.requests import BasicOAuth2Payload
    from authlib.oauth2.rfc6750 import BearerTokenGenerator
    from authlib.oauth2.rfc7009 import RevocationEndpoint
    from authlib.oauth2.rfc7636 import CodeChallenge
    from authlib.oauth2.rfc9207 import IssuerParameter

    codes, tokens = {}, []

    class Client(ClientMixin):
        def get_client_id(self):
            return "desktop"

        def get_default_redirect_uri(self):
            return None

        def get_allowed_scope(self, scope):
            return scope or "students"

        def check_redirect_uri(self, redirect_uri):
            # Any port (RFC 8252, section 7.3).
            parts = urllib.parse.urlsplit(redirect_uri)
            return (parts.scheme, parts.hostname, parts.path) == ("http", "127.0.0.1", "/callback")

        def check_client_secret(self, client_secret):
            return False

        def check_endpoint_auth_method(self, method, endpoint):
            return method == "none"

        def check_response_type(self, response_type):
            return response_type == "code"

        def check_grant_type(self, grant_type):
            return grant_type in ("authorization_code", "refresh_token")

    class Code(AuthorizationCodeMixin):
        def __init__(self, **members):
            self.__dict__.update(members)

        def get_redirect_uri(self):
            return self.redirect_uri

        def get_scope(self):
            return self.scope

    class Token(TokenMixin):
        def __init__(self, members):
            self.__dict__.update(members, revoked=False)

        def check_client(self, client):
            return True

        def get_scope(self):
            return self.scope

        def get_expires_in(self):
            return self.expires_in

        def is_expired(self):
            return False

        def is_revoked(self):
            return self.revoked

        def get_user(self):
            return "alice"

        def get_client(self):
            return Client()

    class CodeGrant(grants.AuthorizationCodeGrant):
        TOKEN_ENDPOINT_AUTH_METHODS = ["none"]

        def save_authorization_code(self, code, request):
            data = request.payload.data
            codes[code] = Code(
                code=code, redirect_uri=data["redirect_uri"], scope=data.get("scope", ""),
                code_challenge=data.get("code_challenge"), code_challenge_method=data.get("code_challenge_method"))

        def query_authorization_code(self, code, client):
            return codes.get(code)

        def delete_authorization_code(self, authorization_code):
            del codes[authorization_code.code]

        def authenticate_user(self, authorization_code):
            return "alice"

    class RefreshGrant(grants.RefreshTokenGrant):
        TOKEN_ENDPOINT_AUTH_METHODS = ["none"]
        INCLUDE_NEW_REFRESH_TOKEN = True

        def authenticate_refresh_token(self, refresh_token):
            return next((t for t in tokens if t.refresh_token == refresh_token and not t.revoked), None)

        def authenticate_user(self, refresh_token):
            return "alice"

        def revoke_old_credential(self, refresh_token):
            refresh_token.revoked = True

    class Revocation(RevocationEndpoint):
        CLIENT_AUTH_METHODS = ["none"]

        def query_token(self, token_string, token_type_hint):
            return next((t for t in tokens if token_string in (t.access_token, t.refresh_token)), None)

        def revoke_token(self, token, request):
            token.revoked = True

    class Request(OAuth2Request):
        def __init__(self, method, target, body, headers):
            super().__init__(method, url + target, headers=headers)
            query = urllib.parse.urlsplit(target).query
            self.fields = dict(urllib.parse.parse_qsl(body if method == "POST" else query))
            self.payload = BasicOAuth2Payload(self.fields)

        @property
        def form(self):
            return self.fields if self.method == "POST" else {}

        @property
        def args(self):
            return {} if self.method == "POST" else self.fields

    class Response:
        def __init__(self, status, body, headers):
            self.status, self.body, self.headers = status, body, headers
            self.location = headers.pop("Location", None)

    class Issuer(IssuerParameter):
        def get_issuer(self):
            return url

    class Server(AuthorizationServer):
        def query_client(self, client_id):
            return Client() if client_id == "desktop" else None

        def save_token(self, token, request):
            tokens.append(Token(token))

        def send_signal(self, name, *arguments, **named):
            pass

        def create_oauth2_request(self, request):
            return request if isinstance(request, OAuth2Request) else Request(*request)

        def handle_response(self, status, body, headers):
            return Response(status, body, dict(headers))

    oauth = Server()
    oauth.register_token_generator("default", BearerTokenGenerator(
        lambda **_: secrets.token_urlsafe(32), lambda **_: secrets.token_urlsafe(32)))
    oauth.register_grant(CodeGrant, [CodeChallenge(required=True)])
    oauth.register_grant(RefreshGrant)
    oauth.register_endpoint(Revocation)
    oauth.register_extension(Issuer())
    lock = threading.Lock()

    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *arguments):
            pass

        def send(self, response):
            location = {"Location": response.location} if response.location else {}
            self.answer(response.status, response.body, response.headers | location)

        def answer(self, status, body, headers):
            data = (body if isinstance(body, str) else json.dumps(body or {})).encode()
            self.send_response(status)
            for name, value in {"Content-Type": "application/json", **headers, "Content-Length": len(data)}.items():
                self.send_header(name, str(value))
            self.end_headers()
            self.wfile.write(data)

        def do_POST(self):
            body = self.rfile.read(int(self.headers.get("Content-Length", 0))).decode()
            request = ("POST", self.path, body, dict(self.headers))
            with lock:
                if self.path == "/token":
                    self.send(oauth.create_token_response(request))
                else:
                    self.send(oauth.create_endpoint_response("revocation", request))

        def do_GET(self):
            if self.path.startswith("/.well-known/oauth-authorization-server"):
                return self.answer(200, {
                    "issuer": url, "authorization_endpoint": f"{url}/authorize", "token_endpoint": f"{url}/token",
                    "revocation_endpoint": f"{url}/revoke", "response_types_supported": ["code"],
                    "code_challenge_methods_supported": ["S256"],
                    "authorization_response_iss_parameter_supported": True}, {})
            with lock:
                if self.path.startswith("/authorize?"):
                    request = Request("GET", self.path, "", dict(self.headers))
                    try:
                        grant = oauth.get_consent_grant(request, "alice")
                        user = None if "teachers" in (request.payload.scope or "") else "alice"
                        return self.send(oauth.create_authorization_response(request, user, grant))
                    except (OAuth2Error, AccessDeniedError) as error:
                        return self.answer(400, dict(error.get_body()), {})
                if self.path == "/state":
                    return self.answer(200, {
                        "refresh": [t.refresh_token for t in tokens if not t.revoked],
                        "revoked": sum(t.revoked for t in tokens)}, {})
                token = self.headers.get("Authorization", "").removeprefix("Bearer ")
                isValid = any(t.access_token == token and not t.revoked for t in tokens)
            self.answer(200 if isValid else 401, {"user": "alice"} if isValid else {}, {})

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    url = f"http://127.0.0.1:{server.server_address[1]}"
    return server


def django_server():
    import socketserver
    import wsgiref.simple_server

    class WSGIServer(socketserver.ThreadingMixIn, wsgiref.simple_server.WSGIServer):
        daemon_threads = True
        # Otherwise connections of several browsers are lost, and come again after seconds.
        request_queue_size = 128

    class QuietHandler(wsgiref.simple_server.WSGIRequestHandler):
        def log_message(self, *arguments):
            pass

    server = wsgiref.simple_server.make_server("127.0.0.1", 0, None, WSGIServer, QuietHandler)
    url = f"http://127.0.0.1:{server.server_address[1]}"

    import django
    import tempfile
    from django.conf import settings

    place = tempfile.TemporaryDirectory()
    # Removed when the program ends.
    server.place = place
    settings.configure(
        SECRET_KEY=secrets.token_hex(16), ALLOWED_HOSTS=["127.0.0.1"], ROOT_URLCONF=__name__, USE_TZ=True,
        INSTALLED_APPS=["django.contrib.auth", "django.contrib.contenttypes", "oauth2_provider"],
        DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": f"{place.name}/db"}},
        TEMPLATES=[{"BACKEND": "django.template.backends.django.DjangoTemplates", "APP_DIRS": True}],
        MIDDLEWARE=[f"{__name__}.LoggedIn"], DEFAULT_AUTO_FIELD="django.db.models.BigAutoField",
        OAUTH2_PROVIDER={
            "SCOPES": {"students": "", "teachers": ""}, "DEFAULT_SCOPES": ["students"], "PKCE_REQUIRED": True,
            "REFRESH_TOKEN_REUSE_PROTECTION": True, "REFRESH_TOKEN_GRACE_PERIOD_SECONDS": 0})
    django.setup()
    from django.contrib.auth.models import User
    from django.core.management import call_command
    from django.core.wsgi import get_wsgi_application
    from django.http import JsonResponse
    from django.urls import include, path
    from oauth2_provider.models import Application, RefreshToken
    from oauth2_provider.urls import base_urlpatterns, metadata_urlpatterns
    from oauth2_provider.views.generic import ProtectedResourceView

    call_command("migrate", verbosity=0)
    user = User.objects.create_user("alice")
    for name in ["desktop", "asking"]:
        Application.objects.create(
            client_id=name, client_type="public", authorization_grant_type="authorization-code", user=user, name=name,
            redirect_uris="http://127.0.0.1/callback", skip_authorization=name == "desktop")

    class Data(ProtectedResourceView):
        def get(self, request):
            return JsonResponse({"user": request.resource_owner.username})

    def state(request):
        return JsonResponse({
            "refresh": [t.token for t in RefreshToken.objects.filter(revoked=None)],
            "revoked": RefreshToken.objects.exclude(revoked=None).count()})

    module = sys.modules[__name__]
    module.LoggedIn = lambda respond: lambda request: (setattr(request, "user", user), respond(request))[1]
    patterns = (metadata_urlpatterns + base_urlpatterns, "oauth2_provider")
    module.urlpatterns = [path("data", Data.as_view()), path("state", state), path("", include(patterns))]
    server.set_app(get_wsgi_application())
    return server


server = {"authlib": authlib_server, "django": django_server}[sys.argv[1]]()
threading.Thread(target=server.serve_forever, daemon=True).start()
print(json.dumps({"port": server.server_address[1]}), flush=True)
sys.stdin.read()
