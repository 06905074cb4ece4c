# Part of CredKit. SPDX-License-Identifier: Apache-2.0
"""Sites behind nginx, configured as docs/operating.md shows it, whose users log in at the page of credkit-server."""

import os
import re
import subprocess
import sys

from aiohttp import WSMsgType, web

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "Tests/Scripts"))
from authority import Authority  # noqa: E402
from children import Children  # noqa: E402

PASSWORD = "correct horse"
SECRET = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"
# These two need a code as well.
CODE_USERS = ["bob", "carol"]
USERS = ["alice", "dave", "erin", "frank", "grace", "heidi", *CODE_USERS]
WIKI = "wiki.example.org"
# Two sites with one login.
DOMAIN, SHOP, DESK = "example.net", "shop.example.net", "desk.example.net"
# A site with passkeys.
KEYS = "keys.example.org"
# A site whose users change their accounts.
HOME = "home.example.org"
STRANGER = "stranger.example.com"

PAGE = """<!doctype html>
<html lang="en"><title>Site</title><h1>Site</h1><p id="user">{user}</p><p id="address">{address}</p>{more}"""


async def answer(request):
    """The program behind the proxy: pages that tell who asked for what, and an echo over a WebSocket."""
    if request.path == "/socket":
        socket = web.WebSocketResponse()
        await socket.prepare(request)
        async for message in socket:
            if message.type == WSMsgType.TEXT:
                await socket.send_str(f"{request.headers.get('Remote-User')}: {message.data}")
        return socket
    more = '<iframe src="/auth/login"></iframe>' if request.path == "/frame" else ""
    page = PAGE.format(user=request.headers.get("Remote-User", "-"), address=request.path_qs.replace("&", "&amp;"), more=more)
    return web.Response(text=page, content_type="text/html")


def documented(text, locations):
    """What precedes the servers in the configuration of the page, and its server for a site, with what it includes."""
    block = re.search(r"cat > site\.conf <<'END'\n(.*?)\nEND\n", text, re.DOTALL).group(1)
    start, end = block.index("    server {"), block.index("    # In place of your program")
    return block[:start], block[start:end].replace("include site/nginx.conf;", locations)


class Sites:
    """The servers, their proxy and the site's program, in a folder."""

    def __init__(self, folder, credkit, server):
        self.folder, self.credkit, self.server = folder, credkit, server
        self.children = Children()

    def path(self, name):
        return os.path.join(self.folder, name)

    async def start(self):
        authority = Authority(self.folder)
        authority.make_authority("authority")
        authority.sign("site", "authority", names=[("name", name) for name in [WIKI, SHOP, DESK, KEYS, HOME, STRANGER]])
        self.authority = self.path("authority.pem")
        done = subprocess.run([self.credkit, "hash", "argon2id", "--memory", "1MiB", "--passes", "1"], input=PASSWORD,
                              capture_output=True, text=True, check=True)
        # The second file is written by its server.
        for name in ["users", "home-users"]:
            self.write(name, "".join(f"{user}:{done.stdout.strip()}\n" for user in USERS))
        self.write("home-codes", "")
        self.write("codes", "".join(f"{user}:otpauth://totp/Site:{user}?secret={SECRET}&issuer=Site\n" for user in CODE_USERS))
        wiki = self.start_server("--site", f"https://{WIKI}", "--first-start", "--attempts", "4")
        # A server that may have been running before refuses codes for a minute.
        domain = self.start_server("--site", f"https://{DESK}", "--site", f"https://{SHOP}", "--cookie-domain", DOMAIN,
                                   "--page-title", "Example & Sons", "--page-color", "#FACC15")
        self.keys = ["--site", f"https://{KEYS}", "--first-start", "--passkeys", self.path("passkeys.json"), "--attempts", "100"]
        keys = self.start_server(*self.keys)
        self.home = ["--site", f"https://{HOME}", "--first-start", "--passkeys", self.path("home-passkeys.json"), "--attempts", "100",
                     "--account-changes", "--recovery-codes", self.path("home-recovery"), "--password-minimum-length", "8"]
        home = self.start_server(*self.home, files="home-")
        subprocess.run([self.server, "init", self.path("init")], capture_output=True, check=True)
        application = web.Application()
        application.router.add_route("*", "/{path:.*}", answer)
        self.runner = web.AppRunner(application)
        await self.runner.setup()
        listener = web.TCPSite(self.runner, "127.0.0.1", 0)
        await listener.start()
        program = self.runner.addresses[0][1]
        servers = {WIKI: wiki, SHOP: domain, DESK: domain, KEYS: keys, HOME: home}
        port = self.children.start_on_free_port(lambda port: self.nginx(port, program, servers))
        self.addresses = {name: port for name in [*servers, STRANGER]}

    def start_server(self, *options, files=""):
        return self.children.start_on_free_port(
            lambda port: [self.server, "--listen", f"127.0.0.1:{port}", *self.options(options, files)])

    def options(self, others, files=""):
        return ["--users", self.path(f"{files}users"), "--otp-file", self.path(f"{files}codes"), "--trusted-proxy", "127.0.0.1",
                *others]

    def link(self, user):
        """A link with which the user can add a passkey."""
        done = subprocess.run([self.server, "passkeys", "link", user, *self.options(self.keys)], capture_output=True, text=True,
                              check=True)
        return done.stdout.strip()

    def account_link(self, action, user, clock=()):
        """A link with which the user can choose a password, made at another time if there is a clock."""
        done = subprocess.run([*clock, self.server, "users", action, user, *self.options(self.home, "home-")], capture_output=True,
                              text=True, check=True)
        return next(line for line in done.stdout.splitlines() if line.startswith(f"https://{HOME}/auth/link?token="))

    def nginx(self, port, program, servers):
        with open(os.path.join(ROOT, "docs/operating.md")) as file:
            text = file.read()
        with open(self.path("init/nginx.conf")) as file:
            first, site = documented(text, file.read())
        # A WebSocket needs three headers more.
        lines = [first.replace("pid site-nginx.pid;", "pid nginx.pid; worker_processes 1;"),
                 '    map $http_upgrade $upgrade { default upgrade; "" ""; }\n']
        for name, server in servers.items():
            lines.append(
                site.replace("127.0.0.1:8444 ssl;", f"127.0.0.1:{port} ssl; server_name {name};")
                .replace("auth_request /auth/check;", "auth_request /auth/check; proxy_http_version 1.1; "
                         "proxy_set_header Upgrade $http_upgrade; proxy_set_header Connection $upgrade;", 1)
                .replace("127.0.0.1:8080", f"127.0.0.1:{server}").replace("127.0.0.1:8445", f"127.0.0.1:{program}")
                .replace("certificate.pem", "site.pem").replace("certificate-key.pem", "P-256.key"))
        lines.append(f"""
            server {{
                listen 127.0.0.1:{port} ssl; server_name {STRANGER};
                ssl_certificate site.pem; ssl_certificate_key P-256.key;
                default_type text/html;
                location = /mail {{
                    return 200 '<!doctype html><html lang="en"><title>Mail</title><h1>Mail</h1>';
                }}
                location / {{
                    return 200 '<!doctype html><title>Stranger</title><h1>Stranger</h1>
                        <iframe src="https://{WIKI}/auth/login"></iframe>';
                }}
            }}
            }}""")
        self.write("nginx.conf", "".join(lines))
        return ["/usr/sbin/nginx", "-p", self.folder, "-c", "nginx.conf", "-e", "nginx.log", "-g", "daemon off;"]

    def write(self, name, text):
        with open(self.path(name), "w", opener=lambda path, flags: os.open(path, flags, 0o600)) as file:
            file.write(text)

    async def end(self):
        await self.runner.cleanup()
        self.children.end()
