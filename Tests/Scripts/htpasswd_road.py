# Part of CredKit. SPDX-License-Identifier: Apache-2.0
"""Moves a site from nginx's auth_basic with a file of htpasswd to the login page of credkit-server, while its users visit it. A right
password must pass at any moment. At the end, no MD5 may be left in the users file.

usage: htpasswd_road.py upgrade-first|upgrade-later    in a folder of its own; the commands are those of docs/migrating-from-md5.md
"""
import base64
import contextlib
import http.client
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.parse

MODE = sys.argv[1]
USERS, ADDED = 8, 8
NGINX = "/usr/sbin/nginx"
BASIC = "auth_basic site; auth_basic_user_file htpasswd;"
REQUEST = "auth_request /auth/check;"
# First beside auth_basic: while nginx is reloaded, its old workers still accept some connections.
PAGE = """
    location = /auth/check {
        internal;
        proxy_pass http://127.0.0.1:SERVER;
        proxy_pass_request_body off;
        proxy_set_header Host $http_host;
        proxy_set_header Content-Length "";
        proxy_set_header X-Forwarded-For $remote_addr;
        proxy_set_header X-Forwarded-Proto $scheme;
        proxy_set_header X-Original-URL $scheme://$http_host$request_uri;
    }
    location ^~ /auth/ {
        auth_basic off;
        auth_request off;
        proxy_pass http://127.0.0.1:SERVER;
        proxy_set_header Host $http_host;
        proxy_set_header X-Forwarded-For $remote_addr;
        proxy_set_header X-Forwarded-Proto $scheme;
    }
"""


def run(command, **options):
    return subprocess.run(command, shell=True, executable="/bin/bash", capture_output=True, text=True, **options)


def must(command):
    done = run(command)
    if done.returncode:
        sys.exit(f"{command}: {done.returncode} {done.stdout}{done.stderr}")
    return done.stdout


def until(condition, what):
    end = time.monotonic() + 120
    while not condition():
        if time.monotonic() > end:
            sys.exit(f"not in time: {what}")
        time.sleep(0.02)


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def configure(port, text):
    with open("nginx.conf", "w") as file:
        file.write(f"""daemon off; pid nginx.pid; error_log nginx.log; worker_processes 1; {"user root;" if os.geteuid() == 0 else ""}
            events {{}}
            http {{
                access_log off;
                client_body_temp_path b; proxy_temp_path p; fastcgi_temp_path f; uwsgi_temp_path u; scgi_temp_path s;
                server {{
                    listen 127.0.0.1:{port};
                    {text}
                    location / {{ try_files /none @site; }}
                    location @site {{ return 200 "site"; }}
                }}
            }}""")


class Client(threading.Thread):
    """A user who visits the site again and again, and never from a login that the browser remembers."""

    def __init__(self, port, number):
        super().__init__(daemon=True)
        self.port, self.name, self.password = port, f"user{number}", f"s3cret-{number}"
        self.basic, self.pages, self.faults, self.end = 0, 0, [], threading.Event()

    def send(self, method, path, form=None, cookies=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        credentials = base64.b64encode(f"{self.name}:{self.password}".encode()).decode()
        headers = {"Connection": "close", "Authorization": f"Basic {credentials}"}
        if cookies:
            headers["Cookie"] = "; ".join(f"{name}={value}" for name, value in cookies.items())
        if form:
            headers["Content-Type"] = "application/x-www-form-urlencoded"
        with contextlib.closing(connection):
            connection.request(method, path, urllib.parse.urlencode(form) if form else None, headers)
            answer = connection.getresponse()
            text = answer.read().decode()
        for cookie in (answer.headers.get_all("Set-Cookie") or []) if cookies is not None else []:
            name, _, value = cookie.partition(";")[0].partition("=")
            cookies[name] = value
        return answer, text

    def visit(self):
        answer, text = self.send("GET", "/wiki")
        if answer.status == 200:
            self.basic += 1
            return
        if answer.status != 401 or (answer.getheader("WWW-Authenticate") or "").startswith("Basic"):
            raise ValueError(f"/wiki: {answer.status} {text[:80]!r}")
        cookies = {}
        answer, text = self.send("GET", "/auth/login", cookies=cookies)
        token = re.search('name="token" value="([^"]*)"', text)
        if not token:
            raise ValueError(f"the page: {answer.status} {text[:80]!r}")
        form = {"token": token[1], "username": self.name, "password": self.password}
        answer, text = self.send("POST", "/auth/login", form, cookies)
        if answer.status != 303:
            raise ValueError(f"the login: {answer.status} {re.findall('role=.alert.[^<]*', text)}")
        answer, text = self.send("GET", "/wiki", cookies=cookies)
        # A session of a hash that was layered in the meantime ends: the user logs in again.
        if answer.status != 200 and not (MODE == "upgrade-later" and answer.status == 401):
            raise ValueError(f"/wiki after the login: {answer.status} {text[:80]!r}")
        self.pages += 1

    def run(self):
        while not self.end.is_set():
            try:
                self.visit()
            except (ValueError, OSError, http.client.HTTPException) as error:
                self.faults.append(f"{self.name}: {error!r}")
            self.end.wait(0.1)


def reload(nginx):
    """Reloads nginx, and waits until its old workers are gone."""
    def workers():
        with open(f"/proc/{nginx.pid}/task/{nginx.pid}/children") as file:
            return set(file.read().split())
    old = workers()
    nginx.send_signal(signal.SIGHUP)
    until(lambda: workers() and not workers() & old, "nginx is reloaded")


def upgrade_in_place():
    """Replaces the users file under its lock, if no login has changed it meanwhile."""
    for attempt in range(1, 100):
        must("rm -f before after; cp users before")
        must("credkit upgrade --input before --output after --allow-incompatible")
        if run("flock users sh -c 'cmp -s users before && mv after users'").returncode == 0:
            return attempt
    sys.exit("the users file changes all the time")


def old_hashes():
    return int(run("grep -c -e apr1 -e layered -e JGFwcjEk users").stdout)


# Both tools that make such hashes.
with open("passwords", "w") as file:
    for number in range(USERS):
        file.write(f"user{number} s3cret-{number}\n")
must("""umask 077; touch htpasswd; while read -r name password; do
    case $name in *[02468]) htpasswd -i -m htpasswd "$name" <<< "$password";;
    *) echo "$name:$(openssl passwd -apr1 -stdin <<< "$password")" >> htpasswd;; esac; done < passwords""")
assert must("grep -c ':[$]apr1[$]' htpasswd") == f"{USERS}\n"
print("weak before:", run("credkit audit htpasswd --fail-on-weak").returncode)
port, server_port = free_port(), free_port()
configure(port, BASIC)
processes = [subprocess.Popen([NGINX, "-p", os.getcwd(), "-c", "nginx.conf", "-e", "nginx.log"])]
clients = [Client(port, number) for number in range(USERS)]


def accepts():
    with contextlib.suppress(OSError):
        return bool(clients[0].send("GET", "/wiki"))


try:
    until(accepts, "nginx accepts connections")
    for client in clients:
        client.start()
    until(lambda: all(client.basic > 1 for client in clients), "all users pass auth_basic")
    if MODE == "upgrade-first":
        must("credkit upgrade --input htpasswd --output users --allow-incompatible")
        # An htpasswd that has changed meanwhile would be another one.
        assert must("grep -c 'inner=JGFwcjEk' users") == f"{USERS}\n"
    else:
        must("cp -p htpasswd users")
    server = subprocess.Popen(
        ["credkit-server", "--users", "users", "--site", f"http://127.0.0.1:{port}", "--trusted-proxy", "127.0.0.1", "--listen",
         f"127.0.0.1:{server_port}", "--replace-hashes", "--attempts", "1000000", "--quiet"],
        stdout=subprocess.PIPE, stderr=open("log", "w"), text=True)
    processes.append(server)
    if not server.stdout.readline().startswith("listening on"):
        sys.exit(open("log").read())
    page = PAGE.replace("SERVER", str(server_port))
    for text in (BASIC + page, REQUEST + page):
        configure(port, text)
        reload(processes[0])
    if MODE == "upgrade-later":
        until(lambda: sum(client.pages > 0 for client in clients) >= USERS // 2, "half of the users log in at the page")
        print("replaced at once" if upgrade_in_place() == 1 else "replaced after others", file=sys.stderr)
    # Other programs change the file at the same time.
    for number in range(ADDED):
        must(f"printf added | credkit users users set added{number} --scheme bcrypt --cost 4 --quiet")
    pages = [client.pages for client in clients]
    until(lambda: all(client.pages > before + 1 for client, before in zip(clients, pages)), "all users log in at the page")
    # A login with a hash that the server has not read again yet leaves the replaced one to the next login.
    until(lambda: not old_hashes(), "no MD5 is left")
    for client in clients:
        client.end.set()
    for client in clients:
        client.join()
    faults = [fault for client in clients for fault in client.faults]
    print(f"faults: {len(faults)} {faults[:3]}")
    print("lines:", must("grep -c . users").strip(), "of them added:", must("grep -c ^added users").strip())
    print("MD5 left:", old_hashes())
    print("weak after:", run("grep ^user users > rest; credkit audit rest --fail-on-weak").returncode)
    matches = [run(f"printf %s {client.password} | credkit users users verify {client.name}").returncode for client in clients]
    print("passwords that match:", matches.count(0))
    server.terminate()
    print("status:", server.wait())
    print(open("log").read(), file=sys.stderr)
finally:
    for client in clients:
        client.end.set()
    for process in reversed(processes):
        process.terminate()
        process.wait()
