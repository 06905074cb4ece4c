# Part of CredKit. SPDX-License-Identifier: Apache-2.0
"""A site behind nginx that credkit-servers protect, and users who log in at its page."""
import contextlib
import http.client
import os
import re
import shutil
import socket
import subprocess
import time
import urllib.parse

from engines import Failure, free_port, until
from programs import Servers

PASSWORD = "s3cret"
# By the policy, so that no login replaces it. One for all: the server's work is that of any others.
HASH = ("$argon2id$v=19$m=19456,t=2,p=1$JxD9Up2euizLK+SnDhghog"
        "$D4WSXLSIbEL6mBTZM/QQPKV6GW4MN6PwsbChgEaOmAQ")
COOKIE = "__Host-credkit"


def write_users(folder, count):
    """Writes a users file with user0, user1, …, all with the same password."""
    path = folder / "users"
    path.write_text("".join(f"user{number}:{HASH}\n" for number in range(count)))
    path.chmod(0o600)
    return path


def nginx_program():
    program = shutil.which("nginx", path=f"{os.environ.get('PATH', '')}:/usr/sbin")
    if program is None:
        raise Failure("nginx is not installed")
    return program


class Nginx:
    """nginx with some text as its block `http`, on a port that stands in it as PORT."""

    def __init__(self, folder, text, prefix=()):
        folder.mkdir(exist_ok=True)
        for name in "bpfus":
            (folder / name).mkdir(exist_ok=True)
        self.port = free_port()
        (folder / "nginx.conf").write_text(f"""daemon off; pid nginx.pid; error_log nginx.log; worker_processes 1;
            events {{ worker_connections 4096; }}
            http {{
                access_log off; keepalive_requests 1000000;
                client_body_temp_path b; proxy_temp_path p; fastcgi_temp_path f; uwsgi_temp_path u; scgi_temp_path s;
                {text.replace("PORT", str(self.port))}
            }}""")
        # Its worker reads the files of passwords, and need not be another user.
        command = [*prefix, nginx_program(), "-p", folder, "-c", "nginx.conf", "-e", "nginx.log",
                   *(["-g", "user root;"] if os.geteuid() == 0 else [])]
        self.process = subprocess.Popen(command)
        until(self.accepts, "nginx does not start")

    def accepts(self):
        if self.process.poll() is not None:
            raise Failure("nginx does not start")
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self.port), timeout=5):
            return True
        return False

    def workers(self):
        task = f"/proc/{self.process.pid}/task/{self.process.pid}/children"
        with open(task) as file:
            return [int(word) for word in file.read().split()]

    def stop(self):
        # Its worker would outlive a master that is killed.
        self.process.terminate()
        return self.process.wait()


# What docs/operating.md tells nginx, without TLS. /check shows the server's own answer.
SITE = """
    upstream servers {{ {servers} {options} }}
    server {{
        listen 127.0.0.1:PORT;
        auth_request /auth/check;
        auth_request_set $credkit_user $upstream_http_remote_user;
        proxy_set_header Host $http_host;
        proxy_set_header X-Forwarded-For $http_x_client;
        proxy_set_header X-Forwarded-Proto $scheme;
        proxy_set_header X-Original-URL $scheme://$http_host$request_uri;
        {headers}
        location = /auth/check {{
            internal;
            proxy_pass http://servers;
            proxy_pass_request_body off;
            proxy_set_header Host $http_host;
            proxy_set_header Content-Length "";
            proxy_set_header X-Forwarded-For $http_x_client;
            proxy_set_header X-Forwarded-Proto $scheme;
            proxy_set_header X-Original-URL $scheme://$http_host$request_uri;
            {headers}
        }}
        location ^~ /auth/ {{ auth_request off; proxy_pass http://servers; }}
        location = /check {{ auth_request off; proxy_pass http://servers/auth/check; }}
        location / {{ try_files /none @site; }}
        location @site {{ add_header Site-User $credkit_user; empty_gif; }}
    }}
"""
KEPT = ("keepalive 16;", 'proxy_http_version 1.1; proxy_set_header Connection "";')


def site(ports, is_kept):
    options, headers = KEPT if is_kept else ("", "")
    servers = " ".join(f"server 127.0.0.1:{port} max_fails=0;" for port in ports)
    return SITE.format(servers=servers, options=options, headers=headers)


class SiteServers(Servers):
    """Servers of a site with the users of a file, each of which can be restarted."""

    def command(self, program, users, engine, count, folder, listen):
        return [program, "--users", users, "--site", "http://127.0.0.1", "--listen", listen, "--trusted-proxy", "127.0.0.1",
                "--quiet", "--attempts", "1000000", *engine.options(count, folder)]

    def __init__(self, program, folder, users, engine, count=2, prefix=()):
        self.processes, self.ports, self.folder = [], [], folder
        key = folder / "state-key"
        if not key.exists():
            key.write_bytes(os.urandom(32))
            key.chmod(0o600)
        self.make = lambda listen: [*prefix, *self.command(program, users, engine, count, folder, listen)]
        for number in range(count):
            self.start(self.make("127.0.0.1:0"), folder, folder / f"log-{number}")
        engine.begin_history()

    def restart(self, number):
        """Ends a server, and starts one on its port. Returns the status with the log, and how long each took, in seconds."""
        begin = time.monotonic()
        process, port = self.processes.pop(number), self.ports.pop(number)
        process.terminate()
        process.stdout.close()
        status, stopped = process.wait(), time.monotonic()
        log = (self.folder / f"log-{number}").read_text()
        self.start(self.make(f"127.0.0.1:{port}"), self.folder, self.folder / f"log-{number}")
        self.processes.insert(number, self.processes.pop())
        self.ports.insert(number, self.ports.pop())
        return (status, log), stopped - begin, time.monotonic() - stopped


class Browser:
    """A user's browser, with an address of its own."""

    def __init__(self, port, name, address):
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
        self.name, self.address, self.cookies = name, address, {}

    def send(self, method, path, form=None):
        headers = {"X-Client": self.address, "X-Forwarded-For": self.address,
                   "Cookie": "; ".join(f"{name}={value}" for name, value in self.cookies.items())}
        if form:
            headers["Content-Type"] = "application/x-www-form-urlencoded"
        self.connection.request(method, path, urllib.parse.urlencode(form) if form else None, headers)
        answer = self.connection.getresponse()
        text = answer.read().decode("latin-1")
        for cookie in answer.headers.get_all("Set-Cookie") or []:
            name, _, value = cookie.partition(";")[0].partition("=")
            self.cookies[name] = value
        return answer, text

    def post(self, path, **form):
        """Posts a form of the page. It must lead on."""
        answer, text = self.send("GET", "/auth/login")
        token = re.search('name="token" value="([^"]*)"', text)
        if answer.status != 200 or token is None:
            raise ValueError(f"the page: {answer.status} {text[:80]!r}")
        answer, text = self.send("POST", path, form | {"token": token[1]})
        if answer.status != 303:
            raise ValueError(f"{path}: {answer.status} {text[:80]!r}")

    def log_in(self):
        self.post("/auth/login", username=self.name, password=PASSWORD)
        return self.cookies[COOKIE]

    def log_out(self):
        self.post("/auth/logout")

    def check(self):
        """Asks the server itself, as a proxy does."""
        answer, text = self.send("GET", "/check")
        if (answer.status, answer.getheader("Remote-User")) != (204, self.name):
            raise ValueError(f"/check: {answer.status} {text[:80]!r}")

    def visit(self):
        """Visits the site, for which nginx asks the server."""
        answer, text = self.send("GET", "/wiki?page=1")
        if (answer.status, answer.getheader("Site-User")) != (200, self.name):
            raise ValueError(f"/wiki: {answer.status} {text[:80]!r}")
