#!/usr/bin/env python3
# Part of CredKit. SPDX-License-Identifier: Apache-2.0
"""Compares what `credkit request` prints of a response with `stale-while-revalidate` with what nginx answers as a cache.

    stale_responses.py [SCENARIO…]    all by default

nginx updates a stale response before it answers (`proxy_cache_background_update off`), as the command does, and reads
`stale-while-revalidate` and `stale-if-error` of RFC 5861. Each step changes the page and asks both: status, body and the number
of requests at the server must be the same. The clock of nginx is set forward; the command gets responses with the `Age` that
they will have at their next use. What nginx does not read, such as `must-revalidate`, has an expected answer of its own.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time
import urllib.parse
import urllib.request

SCRIPTS = pathlib.Path(__file__).parent
WHILE, ERROR = "max-age=10, stale-while-revalidate=60", "max-age=10, stale-while-revalidate=60, stale-if-error=60"

# Steps: the seconds since the start, the changes of the page, and the expected status, body and number of requests of the
# command if nginx is not asked. A status of 0 is a server that cannot be reached.
FRESH, STALE, OLD = 1, 30, 1000
SCENARIOS = {
    "unchanged": [(0, dict(control=WHILE)), (STALE, {}), (2 * STALE, {}), (2 * STALE, {})],
    "changed body": [(0, dict(control=WHILE)), (STALE, dict(body="two")), (2 * STALE, dict(body="three")), (2 * STALE, dict(body="four"))],
    "beyond the window": [(0, dict(control=WHILE)), (OLD, {}), (2 * OLD, dict(body="two"))],
    "503": [(0, dict(control=WHILE)), (STALE, dict(status=503)), (STALE, dict(status=200, body="two"))],
    "503, stale-if-error": [(0, dict(control=ERROR)), (STALE, dict(status=503)), (STALE, dict(status=200, body="two"))],
    "500, stale-if-error": [(0, dict(control=ERROR)), (STALE, dict(status=500))],
    "504, stale-if-error": [(0, dict(control=ERROR)), (STALE, dict(status=504))],
    "503, stale-if-error is over": [(0, dict(control=ERROR)), (OLD, dict(status=503))],
    "404, stale-if-error": [(0, dict(control=ERROR)), (STALE, dict(status=404))],
    "410": [(0, dict(control=WHILE)), (STALE, dict(status=410))],
    "no-store from now on": [(0, dict(control=WHILE)), (STALE, dict(control="no-store", body="two")), (STALE, dict(body="three"))],
    "another lifetime": [(0, dict(control=WHILE)), (STALE, dict(control="max-age=500", body="two")), (STALE + 300, dict(body="three"))],
    "Vary": [
        (0, dict(control=WHILE, vary="Accept-Language", language="de")), (0, dict(language="fr")), (STALE, dict(language="de", body="two")),
        (STALE, dict(language="fr")), (STALE, dict(language="de"))],
    "HEAD": [(0, dict(control=WHILE)), (STALE, dict(method="HEAD", body="two")), (2 * STALE, dict(method="GET", body="three"))],
    "fresh": [(0, dict(control=WHILE)), (FRESH, dict(body="two"))],
    "no window": [(0, dict(control="max-age=10")), (STALE, dict(body="two"))],
    "window of 0": [(0, dict(control="max-age=10, stale-while-revalidate=0")), (STALE, dict(body="two"))],
    "down, stale-if-error": [(0, dict(control=ERROR)), (STALE, dict(down=True)), (STALE, {})],
    "down, all is over": [(0, dict(control=ERROR)), (OLD, dict(down=True))],
    # nginx uses the stale response then, as the window permits; the command says that the server cannot be reached.
    "down": [(0, dict(control=WHILE)), (STALE, dict(down=True), (0, "", 0))],
    # nginx stores no response with no-cache, and does not know must-revalidate.
    "no-cache": [(0, dict(control="no-cache, " + WHILE), (200, "one", 1)), (FRESH, {}, (200, "one", 1)), (STALE, dict(body="two"), (200, "two", 1))],
    "must-revalidate": [
        (0, dict(control="must-revalidate, " + ERROR), (200, "one", 1)), (STALE, {}, (200, "one", 1)), (OLD, dict(status=503), (503, "one", 1))],
    "must-revalidate, down": [(0, dict(control="must-revalidate, " + ERROR), (200, "one", 1)), (STALE, dict(down=True), (0, "", 0))],
}
PAGES = [(0, dict(control=WHILE, body="[1]")), (STALE, dict(body="[2]")), (2 * STALE, dict(body="[3]")), (2 * STALE, dict(body="[4]"))]


class Server:
    """The login server, and nginx before it."""

    def __init__(self, folder):
        self.folder = folder
        self.log = folder / "log"
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(
                [sys.executable, SCRIPTS / "logging_login_server.py"], stdout=subprocess.PIPE, stderr=log, text=True)
        self.port = int(self.process.stdout.readline())
        self.url = f"http://127.0.0.1:{self.port}"
        self.changed = {}
        self.nginx = None

    def start_nginx(self, offset, uses_stale):
        """A new process with another clock, and the same cache. It reads stale-if-error for errors of the connection alone, and
        statuses are its own setting."""
        self.stop_nginx()
        socket, configuration = self.folder / "nginx.sock", self.folder / "nginx.conf"
        socket.unlink(missing_ok=True)
        paths = " ".join(
            f"{name}_temp_path {self.folder}/{name};" for name in ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"])
        configuration.write_text(f"""
            daemon off; master_process off; pid {self.folder}/nginx.pid; error_log {self.folder}/error.log;
            events {{}}
            http {{
                access_log off; {paths}
                proxy_cache_path {self.folder}/cache keys_zone=pages:1m use_temp_path=off inactive=1d;
                server {{
                    listen unix:{socket};
                    location / {{
                        proxy_pass {self.url};
                        proxy_cache pages; proxy_cache_key $host$uri; proxy_cache_revalidate on; proxy_cache_background_update off;
                        {"proxy_cache_use_stale http_500 http_503 http_504;" if uses_stale else ""}
                        proxy_http_version 1.1; proxy_set_header Connection "";
                    }}
                }}
            }}
            """)
        self.nginx = subprocess.Popen(
            ["/usr/sbin/nginx", "-p", self.folder, "-c", configuration], env=at(offset), stderr=subprocess.DEVNULL)
        deadline = time.monotonic() + 60
        while not socket.exists():
            assert time.monotonic() < deadline and self.nginx.poll() is None, "nginx did not start"
            time.sleep(0.01)

    def stop_nginx(self):
        if self.nginx:
            self.nginx.kill()
            self.nginx.wait()

    def change(self, changes):
        self.changed |= changes
        page = urllib.parse.urlencode({"changing": json.dumps(self.changed)})
        with urllib.request.urlopen(f"{self.url}/control?{page}") as answer:
            answer.read()

    def stop(self):
        self.process.kill()
        self.process.wait()

    def count(self):
        return sum(b" /changing" in line for line in self.log.read_bytes().splitlines())


def next_age(steps, number, language):
    """The seconds from a step until its response is used again."""
    current = language
    for offset, changes, *_ in steps[number + 1:]:
        current = changes.get("language", current)
        if current == language:
            return offset - steps[number][0]
    return 0


def at(offset):
    """The environment with a clock that is ahead."""
    library = next(pathlib.Path("/usr/lib").glob("*/faketime/libfaketime.so.1"))
    return os.environ | {"LD_PRELOAD": str(library), "FAKETIME": f"+{offset}", "DONT_FAKE_MONOTONIC": "1"}


def of_command(server, method, language, form):
    """The status and the body that the command prints, or writes to a file, or the elements of its pages."""
    if form == "--paginate":
        command = ["credkit", "request", form, "link", f"{server.url}/changing"]
        return 200, f"[{subprocess.run(command, capture_output=True, check=True, text=True).stdout.strip()}]"
    options = ["-H", f"Accept-Language: {language}"] + (["-X", method] if method != "GET" else [])
    path = server.folder / "output"
    path.unlink(missing_ok=True)
    options += ["-o", path] if form in ("-o", "--cache") else []
    options += ["--cache", "default"] if form == "--cache" else []
    answer = subprocess.run(["credkit", "request", "-i", f"{server.url}/changing", *options], capture_output=True, text=True)
    if answer.returncode == 69:
        return 0, ""
    text = answer.stdout + (path.read_text() if path.exists() else "")
    head, _, body = text.partition("\n\n")
    if not head.startswith("HTTP "):
        sys.exit(f"the command ended with {answer.returncode}: {text}{answer.stderr}")
    return int(head.split()[1]), body.strip()


def of_curl(server, method, language, asks_nginx):
    url, options = ("http://localhost", ["--unix-socket", server.folder / "nginx.sock"]) if asks_nginx else (server.url, [])
    command = ["curl", "-sS", *options, "-w", "\n%{http_code}", "-H", f"Accept-Language: {language}"]
    command += ["-I", "-o", "/dev/null"] if method == "HEAD" else []
    *body, status = subprocess.run([*command, f"{url}/changing"], capture_output=True, check=True, text=True).stdout.split("\n")
    return (0, "") if status == "502" else (int(status), "" if method == "HEAD" else "\n".join(body).strip())


def run(name, steps, form):
    """Runs the steps of a scenario. A response that is written to a file is requested from the server without `--cache`."""
    with tempfile.TemporaryDirectory() as path:
        folder = pathlib.Path(path)
        server = Server(folder)
        try:
            login = ["credkit", "login", server.url, "--user", "alice", "--key-phrase", "itheima"]
            subprocess.run(login, input="123456", text=True, check=True, capture_output=True)
            state = {"body": "one"}
            for number, (offset, changes, *expected) in enumerate(steps):
                state |= changes
                method, language = state.get("method", "GET"), state.get("language", "en")
                state["age"] = next_age(steps, number, language)
                if changes.get("down"):
                    server.stop()
                elif not state.get("down"):
                    server.change({key: value for key, value in state.items() if key not in ("method", "language")})
                before = server.count()
                found = (*of_command(server, method, language, form), server.count() - before)
                if not expected:
                    if form != "-o":
                        server.start_nginx(offset, uses_stale=state["control"] == ERROR and offset < OLD)
                    before = server.count()
                    expected = [(*of_curl(server, method, language, asks_nginx=form != "-o"), server.count() - before)]
                if found != expected[0]:
                    sys.exit(f"{name}, step {number}: the command {found}, expected {expected[0]}")
        finally:
            server.stop_nginx()
            server.stop()


def main():
    runs = [(name, steps, None) for name, steps in SCENARIOS.items()] + [("--paginate", PAGES, "--paginate")]
    for name in ["changed body", "503, stale-if-error", "Vary"]:
        runs += [(f"{name}, {form}", SCENARIOS[name], form) for form in ["-o", "--cache"]]
    runs = [one for one in runs if not sys.argv[1:] or one[0] in sys.argv[1:]]
    for one in runs:
        run(*one)
    print(f"{len(runs)} scenarios")


if __name__ == "__main__":
    main()
