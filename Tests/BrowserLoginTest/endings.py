# Part of CredKit. SPDX-License-Identifier: Apache-2.0
"""Logins that end without success."""

import contextlib
import os
import time

from scene import FAILED, OAUTHLIB, REFUSED, Scene


class Endings(Scene):
    """What refuses, fails or ends a login."""

    async def is_refused(self, *options, peer=OAUTHLIB, button=None):
        async with self.scene(peer) as (server, command, tab):
            if peer == OAUTHLIB:
                await server.control(fault="refused")
            await command.start(server.url, *options)
            await tab.open(command.url)
            if button is not None:
                # Of a page that is not ours.
                tab.console.clear()
                await tab.loads(tab.click(button))
            await self.expect_end(tab, command, REFUSED, 77, "access_denied")

    async def fails_at_the_token(self):
        async with self.scene() as (server, command, tab):
            await server.control(fault="no token")
            await command.start(server.url)
            await tab.open(command.url)
            await self.expect_end(tab, command, FAILED, 65, "token")

    async def fails_with_the_server(self):
        """The server ends before it has answered."""
        async with self.scene() as (server, command, tab):
            await server.control(hold=True)
            await command.start(server.url)
            page = self.expect_last_page(tab)
            await self.go(tab, command.url)
            await server.held()
            await server.end()
            await page
            await self.expect_end(tab, command, FAILED, 69, "127.0.0.1")

    async def fails_to_save(self):
        async with self.scene() as (server, command, tab):
            await command.start(server.url)
            os.makedirs(command.path("state/credkit"), exist_ok=True)
            # A file in the place of the folder.
            with contextlib.suppress(OSError):
                os.rmdir(command.path("state/credkit/sessions"))
            open(command.path("state/credkit/sessions"), "w").close()
            await tab.open(command.url)
            self.check("page", await tab.text("h1"), FAILED)
            status, errors = await command.end()
            self.check(f"exit status of {errors!r}", status, 74)
            self.check("cause", "the session cannot be saved" in errors and "logged in to" not in errors, True)
            self.check("tokens", await server.refresh_tokens(), [])

    async def is_interrupted(self):
        async with self.scene() as (server, command, tab):
            await server.control(page=True)
            await command.start(server.url)
            loaded = tab.expect("Page.loadEventFired")
            await self.go(tab, command.url)
            await loaded
            command.interrupt()
            await self.expect_status(command, -2, "", "interrupted")
            failed = tab.expect("Network.loadingFailed", lambda event: event["type"] == "Document")
            await self.go(tab, command.answer(code="a", state=command.parameter("state")))
            self.check("error", (await failed)["errorText"], "net::ERR_CONNECTION_REFUSED")

    async def is_interrupted_at_the_token(self):
        """The server has made the tokens, which the command does not get, and the browser shows an error of its own."""
        async with self.scene() as (server, command, tab):
            await server.control(hold=True)
            await command.start(server.url)
            failed = tab.expect("Network.loadingFailed", lambda event: event["type"] == "Document")
            loaded = tab.expect("Page.loadEventFired")
            await self.go(tab, command.url)
            await server.held()
            command.interrupt()
            await self.expect_status(command, -2, "", "interrupted at the token")
            await failed
            await loaded
            self.check("page", await tab.evaluate("document.body.innerText.includes('logged in')"), False)

    async def waits_five_minutes(self):
        """A hundred times as fast."""
        async with self.scene() as (server, command, tab):
            await server.control(page=True)
            started = time.monotonic()
            await command.start(server.url, before=["faketime", "-f", "+0 x100"])
            await self.go(tab, command.url)
            await self.expect_status(command, 75, "within 300 s", "five minutes")
            self.check("five minutes have passed", time.monotonic() - started > 2.9, True)
