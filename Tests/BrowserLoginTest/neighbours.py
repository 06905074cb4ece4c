# Part of CredKit. SPDX-License-Identifier: Apache-2.0
"""Others who reach the port of a login: another user of this computer, scanners, and pages of other sites."""

import asyncio
import concurrent.futures
import os
import shutil
import socket
import struct
import subprocess

OTHER_USER = 65534
# Reads the arguments of all programs, as any user may, and sends a code with the right state. Prints what it got for
# each state of this port.
THIEF = """
import glob, socket, urllib.parse
found = {}
for path in glob.glob("/proc/[0-9]*/cmdline"):
    try:
        words = open(path, "rb").read().decode(errors="replace").split("\\0")
    except OSError:
        continue
    for word in words:
        pairs = urllib.parse.parse_qs(urllib.parse.urlsplit(word).query)
        if "state" in pairs and "redirect_uri" in pairs:
            found[pairs["state"][0]] = urllib.parse.urlsplit(pairs["redirect_uri"][0])
for state, back in found.items():
    if back.port != PORT:
        continue
    target = f"{back.path}?code=of-another-account&state={state}"
    try:
        connection = socket.create_connection((back.hostname, back.port), timeout=20)
        connection.sendall(f"GET {target} HTTP/1.1\\r\\nHost: {back.netloc}\\r\\n\\r\\n".encode())
        print("answer" if connection.recv(1) else "closed")
    except ConnectionError:
        print("closed")
"""
# What a page of another site can have its visitors' browsers send. Each promise ends when the browser has the answer.
ATTACK = """(back => {
    const element = (name, attribute) => new Promise(done => {
        const made = document.createElement(name);
        made.onload = made.onerror = done;
        if (name === "link") made.rel = "stylesheet";
        made[attribute] = back;
        document.body.append(made);
    });
    const all = [fetch(back, {mode: "no-cors"}).catch(() => 0), fetch(back, {mode: "no-cors", method: "POST"}).catch(() => 0),
        element("script", "src"), element("link", "href"), element("iframe", "src"), element("object", "data")];
    for (let count = 0; count < 25; count++) all.push(element("img", "src"));
    return Promise.all(all).then(() => all.length);
})"""
STRANGER = "stranger.example.com"


async def steal(port):
    """What another user gets who answers first; `None` if this program may not become one."""
    if os.geteuid() != 0:
        return None
    return await asyncio.to_thread(lambda: subprocess.run(
        [shutil.which("python3", path="/usr/bin:/usr/local/bin"), "-I", "-c", THIEF.replace("PORT", str(port))], user=OTHER_USER,
        group=OTHER_USER, extra_groups=[], cwd="/", env={}, capture_output=True, text=True, timeout=30).stdout.split())


class Scan:
    """Connections to a port, most of which say nothing or no HTTP."""

    def __init__(self, port):
        self.port, self.kept = port, []

    def connect(self, number):
        try:
            connection = socket.create_connection(("127.0.0.1", self.port), timeout=30)
        # The port is closed.
        except OSError:
            return False
        # Most end with a reset: the lists of the system would grow long.
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", number % 8 != 2, 0))
        try:
            if number % 4 == 0:
                connection.sendall(b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03")
            elif number % 4 == 1:
                connection.sendall(b"GET / HTTP/1.1\r\nHo")
        # It was closed because there are too many.
        except OSError:
            pass
        self.kept.append(connection)
        if number % 4 == 2 or len(self.kept) > 100:
            self.kept.pop(0).close()
        return True

    def run(self, count):
        """Returns how many of some connections were made, several at a time."""
        with concurrent.futures.ThreadPoolExecutor(16) as pool:
            return sum(pool.map(self.connect, range(count)))

    def close(self):
        for connection in self.kept:
            connection.close()


class Stranger:
    """The page of another site."""

    @classmethod
    async def start(cls):
        self = cls()
        self.server = await asyncio.start_server(self.answer, "127.0.0.1", 0)
        self.url = f"http://{STRANGER}:{self.server.sockets[0].getsockname()[1]}/"
        return self

    async def answer(self, reader, writer):
        page = b'<!doctype html><html lang="en"><title>Stranger</title><h1>Stranger</h1>'
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nConnection: close\r\nContent-Length: %d\r\n\r\n%s"
                     % (len(page), page))
        await writer.drain()
        writer.close()

    def close(self):
        self.server.close()
