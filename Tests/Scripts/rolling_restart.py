# Part of CredKit. SPDX-License-Identifier: Apache-2.0
"""Restarts four servers behind nginx in turn, while clients log in and use their sessions.

usage: rolling_restart.py REDIS-PORT ROUNDS UPSTREAM-OPTIONS PROXY-HEADERS
"""
import contextlib
import hashlib
import hmac
import http.client
import json
import os
import random
import subprocess
import sys
import threading
import time
import urllib.parse

CLIENTS, SERVERS, LOGINS_BETWEEN = 8, 4, 32
# Of the 2000 users, each client has its own. The server remembers at most 64 proofs of a user.
USERS_OF_A_CLIENT = 100
REDIS_PORT, ROUNDS, UPSTREAM, HEADERS = sys.argv[1], int(sys.argv[2]), sys.argv[3], sys.argv[4]
NGINX = "/usr/sbin/nginx"


class Server:
    def __init__(self):
        self.port = 0
        self.start()

    def start(self):
        self.process = subprocess.Popen(
            ["credkit-server", "--mechanism", "timestamp", "--key-phrase", "x", "--users", "users", "--quiet",
             "--trusted-proxy", "127.0.0.1",
             "--listen", f"127.0.0.1:{self.port}", "--state", f"redis://127.0.0.1:{REDIS_PORT}",
             "--state-key-file", "state-key", "--processes", str(SERVERS), "--attempts", "1000000"],
            stdout=subprocess.PIPE, text=True)
        # It is ready when it has announced its address.
        self.port = int(self.process.stdout.readline().rpartition(":")[2])

    def stop(self):
        self.process.terminate()
        return self.process.wait()


def start_nginx(servers):
    upstream = " ".join(f"server 127.0.0.1:{server.port} max_fails=0;" for server in servers)
    while True:
        # A free port can be taken by another program before nginx has it.
        port = random.randrange(20000, 30000)
        with open("nginx.conf", "w") as file:
            file.write(f"""daemon off; pid nginx.pid; error_log nginx.log; worker_processes 1;
                events {{}}
                http {{
                    access_log off;
                    client_body_temp_path b; proxy_temp_path p; fastcgi_temp_path f; uwsgi_temp_path u; scgi_temp_path s;
                    upstream servers {{ {upstream} {UPSTREAM} }}
                    server {{
                        listen 127.0.0.1:{port};
                        location / {{
                            proxy_pass http://servers; {HEADERS}
                            proxy_set_header X-Forwarded-For $http_x_client;
                        }}
                    }}
                }}""")
        nginx = subprocess.Popen([NGINX, "-p", os.getcwd(), "-c", "nginx.conf", "-e", "nginx.log"])
        while nginx.poll() is None:
            with contextlib.suppress(OSError):
                Client(port, 0).send("GET", "/health/live")
                return nginx, port


def code(text):
    key = hashlib.md5(b"x").hexdigest().encode()
    return hmac.new(key, text.encode(), "md5").hexdigest()


class Client(threading.Thread):
    """Logs users in again and again, each time from another address, and uses the new session and an older one."""

    def __init__(self, port, number):
        super().__init__()
        self.port, self.number = port, number
        self.logins, self.failures, self.tokens = 0, [], []
        self.end = threading.Event()
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)

    def send(self, method, path, form=None, token=None):
        headers = {"X-Client": f"10.{self.number}.{self.logins >> 8 & 255}.{self.logins & 255}"}
        if token:
            headers["x-auth-token"] = token
        if form:
            headers["Content-Type"] = "application/x-www-form-urlencoded"
        self.connection.request(method, path, urllib.parse.urlencode(form) if form else None, headers)
        answer = self.connection.getresponse()
        text = answer.read().decode()
        if answer.status != 200:
            raise ValueError(f"{method} {path}: {answer.status} {text[:80]!r}")
        return answer, text

    def uses(self, token):
        self.send("GET", "/auth/session", token=token)

    def log_in(self):
        challenge = json.loads(self.send("GET", "/hmackey.php")[1])["key"]
        name = f"user{self.number * USERS_OF_A_CLIENT + self.logins % USERS_OF_A_CLIENT}"
        form = {"username": name, "password": code(code("123456") + challenge), "key": challenge}
        answer, text = self.send("POST", "/loginhmac.php", form)
        token = answer.getheader("x-auth-token")
        if not token:
            raise ValueError(f"login: {text}")
        return token

    def run(self):
        while not self.end.is_set():
            try:
                token = self.log_in()
                # Of these, the first is from before a restart.
                self.tokens = [*self.tokens, token][-8:]
                self.uses(self.tokens[0])
                self.uses(token)
            except (ValueError, OSError, http.client.HTTPException) as error:
                self.failures.append(repr(error))
                self.connection.close()
            self.logins += 1
            # Without a pause, all wait for processors, and Redis is late for the servers.
            self.end.wait(0.02)


def wait_for_logins(clients):
    """Waits until each client has logged in a few more times, at all servers."""
    goals = [client.logins + LOGINS_BETWEEN // CLIENTS for client in clients]
    end = time.monotonic() + 60
    while any(client.logins < goal for client, goal in zip(clients, goals)):
        if time.monotonic() > end:
            sys.exit("the clients log in no more")
        time.sleep(0.01)


servers = [Server() for _ in range(SERVERS)]
nginx, port = start_nginx(servers)
# The history of Redis began long ago.
subprocess.run(["redis-cli", "-p", REDIS_PORT, "HSET", "{credkit}:epoch", "since", "1"], stdout=subprocess.DEVNULL, check=True)
clients = [Client(port, number) for number in range(CLIENTS)]
try:
    # Sessions that outlive all restarts, of users who log in only once: a user has at most 16 sessions.
    kept = [Client(port, CLIENTS + number).log_in() for number in range(CLIENTS)]
    for client in clients:
        client.start()
    wait_for_logins(clients)
    restarts, statuses = 0, []
    for _ in range(ROUNDS):
        for server in servers:
            statuses.append(server.stop())
            server.start()
            restarts += 1
            wait_for_logins(clients)
    for client in clients:
        client.end.set()
    for client in clients:
        client.join()
        for token in [*client.tokens, *kept]:
            client.uses(token)
    failures = [failure for client in clients for failure in client.failures] + [status for status in statuses if status]
    print(f"restarts: {restarts}, failures: {len(failures)} {failures[:3]}")
    print(f"{sum(client.logins for client in clients)} logins", file=sys.stderr)
finally:
    for client in clients:
        client.end.set()
    for server in servers:
        server.process.kill()
    # Its worker would outlive a master that is killed.
    nginx.terminate()
    nginx.wait()
