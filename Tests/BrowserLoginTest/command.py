# Part of CredKit. SPDX-License-Identifier: Apache-2.0
"""`credkit login` with a home and an opener of its own, and the authorization servers that it logs in at."""

import asyncio
import glob
import json
import os
import signal
import sys
import urllib.error
import urllib.parse
import urllib.request

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
# Of one step. A command that takes longer hangs.
TIMEOUT = 30
# Hands the URL over, and lives on as the browser would that has it as an argument.
OPENER = """#!/bin/sh
printf '%s\\n' "$#" "$1" >"${0%/*}/opened"
read -r _ <"${0%/*}/closed"
"""


def load(url):
    """The status and the body that a program of this user gets."""
    try:
        with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(url, timeout=TIMEOUT) as answer:
            return answer.status, answer.read()
    except urllib.error.HTTPError as error:
        return error.code, error.read()


class Peer:
    """An authorization server of Tests/Scripts, which ends with this program."""

    @classmethod
    async def start(cls, script, *arguments):
        self = cls()
        self.has_control = script == "oauth_server.py"
        self.process = await asyncio.create_subprocess_exec(
            sys.executable, "-B", os.path.join(ROOT, "Tests/Scripts", script), *arguments, stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE, limit=1 << 26)
        port = json.loads(await asyncio.wait_for(self.process.stdout.readline(), TIMEOUT))["port"]
        self.url = f"http://127.0.0.1:{port}"
        return self

    async def control(self, **command):
        """Sends a command to oauth_server.py."""
        self.process.stdin.write(json.dumps(command).encode() + b"\n")
        return json.loads(await asyncio.wait_for(self.process.stdout.readline(), TIMEOUT))

    async def state(self):
        return await self.control(state=True)

    async def held(self):
        """Waits until the token endpoint has done its work, and does not answer."""
        while (await self.state())["held"] == 0:
            await asyncio.sleep(0.005)

    async def refresh_tokens(self):
        """Those that are valid."""
        if self.has_control:
            return (await self.state())["valid"]
        return json.loads((await asyncio.to_thread(load, self.url + "/state"))[1])["refresh"]

    async def end(self):
        if self.process.returncode is None:
            self.process.kill()
        await self.process.wait()


class Command:
    """A login, from its start to its end."""

    def __init__(self, program, folder):
        self.program, self.folder = program, folder
        os.makedirs(os.path.join(folder, "tmp"))
        opener = os.path.join(folder, "opener")
        with open(opener, "w") as file:
            file.write(OPENER)
        os.chmod(opener, 0o700)
        self.pipes = {}
        for name in ["opened", "closed"]:
            os.mkfifo(self.path(name))
            # Also for writing: neither side waits for the other one to open it.
            self.pipes[name] = open(os.open(self.path(name), os.O_RDWR | os.O_NONBLOCK), "r+b", buffering=0)
        self.environment = {
            "PATH": os.environ["PATH"], "HOME": folder, "TMPDIR": self.path("tmp"), "CREDKIT_BACKEND": "vault",
            "CREDKIT_PASSPHRASE": "the test's", "BROWSER": opener,
            **{f"XDG_{name}_HOME": self.path(name.lower()) for name in ["DATA", "STATE", "CACHE"]}}

    def path(self, name):
        return os.path.join(self.folder, name)

    async def start(self, url, *options, before=()):
        """Starts a login, and returns the URL that the browser gets."""
        words = [self.program, "login", url, "--user", "alice"]
        if "--profile" not in options:
            words += ["--mechanism", "oauth", "--issuer", url]
            for name, value in {"--client-id": "desktop", "--scope": "students"}.items():
                words += [] if name in options else [name, value]
        self.process = await asyncio.create_subprocess_exec(
            *before, *words, *options, stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE, env=self.environment, start_new_session=True,
            # A program that runs in the background of a shell ignores Ctrl-C.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
        self.ending = asyncio.create_task(self.run_to_end())
        reader = asyncio.StreamReader()
        self.transport, _ = await asyncio.get_running_loop().connect_read_pipe(
            lambda: asyncio.StreamReaderProtocol(reader), self.pipes["opened"])
        self.argument_count = int(await self.first(reader.readline()))
        self.url = (await self.first(reader.readline())).decode().rstrip("\n")
        return self.url

    async def first(self, opening):
        """What the opener says, unless the command ends before."""
        opening = asyncio.ensure_future(opening)
        done, _ = await asyncio.wait([opening, self.ending], timeout=TIMEOUT, return_when=asyncio.FIRST_COMPLETED)
        if opening in done:
            return opening.result()
        opening.cancel()
        raise RuntimeError(f"no browser was opened: {self.ending.result() if self.ending.done() else 'the command hangs'}")

    async def run_to_end(self):
        output, errors = await self.process.communicate()
        self.ended = asyncio.get_running_loop().time()
        return self.process.returncode, output.decode(), errors.decode()

    async def end(self):
        """Its exit status, and what it printed to its standard error."""
        try:
            status, _, errors = await asyncio.wait_for(asyncio.shield(self.ending), TIMEOUT)
        except asyncio.TimeoutError:
            raise RuntimeError("the command hangs") from None
        return status, errors

    def interrupt(self):
        os.killpg(self.process.pid, signal.SIGINT)

    def is_running(self):
        return not self.ending.done()

    def parameter(self, name):
        return urllib.parse.parse_qs(urllib.parse.urlsplit(self.url).query)[name][0]

    def answer(self, **parameters):
        """The URL that brings an answer."""
        return f"{self.parameter('redirect_uri')}?{urllib.parse.urlencode(parameters)}"

    @property
    def port(self):
        return urllib.parse.urlsplit(self.parameter("redirect_uri")).port

    async def run(self, *words):
        """The output of another call of the command."""
        process = await asyncio.create_subprocess_exec(
            self.program, *words, stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE, env=self.environment)
        output, errors = await asyncio.wait_for(process.communicate(), TIMEOUT)
        return (output + errors).decode()

    async def saved(self):
        """What is saved of logins."""
        return await self.run("sessions") + await self.run("keychain", "list")

    def files_with(self, secret):
        """The files in its home that contain a text."""
        found = []
        for path in glob.glob(self.path("**"), recursive=True, include_hidden=True):
            if os.path.isfile(path):
                with open(path, "rb") as file:
                    if secret.encode() in file.read():
                        found.append(os.path.relpath(path, self.folder))
        return found

    async def close(self):
        if hasattr(self, "process") and self.process.returncode is None:
            os.killpg(self.process.pid, signal.SIGKILL)
            await self.ending
        if hasattr(self, "transport"):
            self.transport.close()
        for pipe in self.pipes.values():
            pipe.close()


def processes_with(secrets):
    """Which programs of this computer have a text in their arguments or their environment: text, program, place."""
    found = set()
    for folder in glob.glob("/proc/[0-9]*"):
        for place in ["cmdline", "environ"]:
            try:
                with open(f"{folder}/{place}", "rb") as file:
                    content = file.read()
                with open(f"{folder}/comm") as file:
                    name = file.read().strip()
            # It has ended, or is another user's.
            except OSError:
                continue
            found |= {(secret, name, place) for secret in secrets if secret.encode() in content}
    return found
