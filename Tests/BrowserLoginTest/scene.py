# Part of CredKit. SPDX-License-Identifier: Apache-2.0
"""What the scenarios of logins share: a server, a command, a tab, and what must hold at the end."""

import asyncio
import contextlib
import os
import socket
import sys
import tempfile

from command import ROOT, TIMEOUT, Command, Peer

sys.path.insert(0, os.path.join(ROOT, "Tests/LoginPageTest"))
from inspector import Inspector  # noqa: E402

OAUTHLIB, AUTHLIB, DJANGO = ("oauth_server.py",), ("oauth_peers.py", "authlib"), ("oauth_peers.py", "django")
SUCCEEDED, REFUSED, FAILED = "You are logged in", "The login was refused", "The login failed"
WRONG = "Not the expected answer"


class Scene(Inspector):
    """Runs logins, and looks at how they end."""

    def __init__(self, program, work, *arguments):
        super().__init__(*arguments)
        self.program, self.work, self.times, self.django = program, work, [], None

    @contextlib.asynccontextmanager
    async def scene(self, peer=OAUTHLIB):
        """A server, a command that is not started yet, and a tab."""
        server = self.django if peer == DJANGO else await Peer.start(*peer)
        try:
            async with self.command() as command:
                yield server, command, await self.tab()
        finally:
            if server is not self.django:
                await server.end()

    @contextlib.asynccontextmanager
    async def command(self):
        command = Command(self.program, tempfile.mkdtemp(dir=self.work))
        try:
            yield command
        finally:
            await command.close()

    async def expect_end(self, tab, command, title, status, words, name=None):
        """The last page, and the end of the command."""
        name = name or title
        self.check(f"{name}: page", await tab.text("h1"), title)
        self.check(f"{name}: status", tab.document["status"], 200)
        await self.look(tab, title)
        await self.expect_status(command, status, words, name)

    async def look(self, tab, title):
        if title not in self.seen:
            self.seen.append(title)
            await self.inspect(tab, title)
        # What Chromium says of its own accord of sites that redirect often.
        tab.console = [line for line in tab.console if "BounceTrackingIssue" not in line]
        self.check_console(tab, title)

    async def expect_status(self, command, status, words, name):
        actual, errors = await command.end()
        self.check(f"{name}: exit status of {errors!r}", actual, status)
        self.check(f"{name}: {words!r} in {errors!r}", words in errors, True)
        self.check(f"{name}: the command reports a success", "logged in to" in errors, status == 0)
        if status != 0:
            self.check(f"{name}: saved", await command.saved(), "")
            with self.refusal(name):
                socket.create_connection(("127.0.0.1", command.port), timeout=TIMEOUT).close()
        return errors

    @contextlib.contextmanager
    def refusal(self, name):
        refused = False
        try:
            yield
        except ConnectionRefusedError:
            refused = True
        self.check(f"{name}: the port is closed", refused, True)

    def expect_answer(self, tab):
        """The event that the browser brings an answer."""
        return tab.expect("Network.requestWillBeSent", lambda event: "/callback" in event["request"]["url"])

    def expect_last_page(self, tab):
        """The event that the page has loaded which the command answers with."""
        return tab.expect("Page.loadEventFired", lambda _: "/callback" in (tab.document or {"url": ""})["url"])

    async def go(self, tab, address):
        """Opens an address whose page does not load yet, or shows nothing."""
        asyncio.ensure_future(tab.send("Page.navigate", url=address)).add_done_callback(
            lambda task: task.cancelled() or task.exception())
