# Part of CredKit. SPDX-License-Identifier: Apache-2.0
"""What gets in the way of a login: other tabs and pages, another user, connections that say nothing."""

import asyncio
import socket
import time

from command import load
from neighbours import ATTACK, Scan, steal
from scene import SUCCEEDED, WRONG, Scene

NOTICE = "another page or program has sent an answer that is not one of this login"


class Disturbances(Scene):
    """What others do meanwhile."""

    async def closes_tabs(self):
        """One before the answer, and one that waits for the end; the login succeeds all the same."""
        async with self.scene() as (server, command, tab):
            await server.control(page=True, hold=True)
            await command.start(server.url)
            loaded = tab.expect("Page.loadEventFired")
            await self.go(tab, command.url)
            await loaded
            await tab.send("Page.close")
            self.check("running", command.is_running(), True)
            await server.control(page=False)
            second = await self.tab()
            await self.go(second, command.url)
            await server.held()
            await second.send("Page.close")
            await server.control(hold=False)
            await self.expect_status(command, 0, "logged in to", "closed tab")

    async def uses_two_tabs(self):
        """Both bring an answer. One code is exchanged, and both show how the login ended; none does so later."""
        async with self.scene() as (server, command, tab):
            await server.control(hold=True)
            await command.start(server.url)
            second = await self.tab()
            for one in [tab, second]:
                answer = self.expect_answer(one)
                await self.go(one, command.url)
                await answer
            await server.held()
            while len(await server.control(answers=True)) < 2:
                await asyncio.sleep(0.005)
            loads = [one.expect("Page.loadEventFired") for one in [tab, second]]
            await server.control(hold=False)
            await asyncio.gather(*loads)
            self.check("second page", await second.text("h1"), SUCCEEDED)
            await self.expect_end(tab, command, SUCCEEDED, 0, "logged in to")
            self.check("exchanges", len((await server.state())["seconds"]), 1)
            failed = tab.expect("Network.loadingFailed", lambda event: event["type"] == "Document")
            await self.go(tab, command.url)
            self.check("error", (await failed)["errorText"], "net::ERR_CONNECTION_REFUSED")

    async def meets_another_page(self):
        """A page of another site has answers sent in all ways that it has; one of them, in a tab, counts as wrong."""
        async with self.scene() as (server, command, tab):
            await command.start(server.url)
            page = await self.tab()
            await page.open(self.stranger.url)
            wrong = command.answer(code="a", state="A" * 43)
            self.check("requests of the page", await page.evaluate(f"{ATTACK}({wrong!r})") > 25, True)
            await page.loads(page.evaluate(f"location = {wrong!r}"))
            self.check("status", page.document["status"], 400)
            self.check("page", await page.text("h1"), WRONG)
            page.console.clear()
            await self.look(page, WRONG)
            form = "document.body.innerHTML = '<form method=post action=' + JSON.stringify({!r}) + '>'; document.forms[0].submit()"
            await page.open(self.stranger.url)
            await page.loads(page.evaluate(form.format(wrong)))
            self.check("status of a form", page.document["status"], 405)
            for other in [command.answer(error="access_denied"), wrong.replace("/callback", "/other")]:
                await page.open(other)
                self.check("status", page.document["status"], 400)
            self.check("running", command.is_running(), True)
            await tab.open(command.url)
            await self.expect_end(tab, command, SUCCEEDED, 0, NOTICE)
            self.check("notices", (await command.end())[1].count(NOTICE), 1)
            self.check("exchanges", len((await server.state())["seconds"]), 1)

    async def gives_up(self):
        """After 20 wrong answers."""
        async with self.scene() as (server, command, tab):
            await command.start(server.url)
            for count in range(18):
                status, _ = await asyncio.to_thread(load, command.answer(code=count, state="A" * 43))
                self.check("status", status, 400)
            for count in range(2):
                self.check("running", command.is_running(), True)
                await tab.open(command.answer(code=count, state="A" * 43))
                self.check("page", await tab.text("h1"), WRONG)
            await self.expect_status(command, 75, "log in again", "20 wrong answers")

    async def meets_another_user(self):
        async with self.scene() as (server, command, tab):
            await command.start(server.url)
            got = await steal(command.port)
            if got is None:
                print("another user: not tried, since only root may become one", flush=True)
            else:
                self.check("what another user gets who knows the state", got, ["closed"])
            self.check("running", command.is_running(), True)
            await tab.open(command.url)
            await self.expect_end(tab, command, SUCCEEDED, 0, "logged in to")
            self.check("exchanges", len((await server.state())["seconds"]), 1)

    async def meets_silent_connections(self):
        """More than the command keeps, by the browser and by a program."""
        async with self.scene() as (server, command, tab):
            await command.start(server.url)
            silent = [socket.create_connection(("127.0.0.1", command.port)) for _ in range(40)]
            page = await self.tab()
            await page.open(self.stranger.url)
            origin = f"http://127.0.0.1:{command.port}"
            await page.evaluate(f"""for (const mode of ["anonymous", "use-credentials"]) {{
                const link = document.createElement("link");
                Object.assign(link, {{rel: "preconnect", href: {origin!r}, crossOrigin: mode}});
                document.head.append(link);
            }}""")
            started = time.monotonic()
            await tab.open(command.url)
            await self.expect_end(tab, command, SUCCEEDED, 0, "logged in to")
            self.check("the silent ones are not waited for", time.monotonic() - started < 8, True)
            for connection in silent:
                connection.close()

    async def meets_a_scanner(self):
        """A thousand connections while the user logs in."""
        async with self.scene() as (server, command, tab):
            await command.start(server.url)
            scan = Scan(command.port)
            self.check("connections", await asyncio.to_thread(scan.run, 1000), 1000)
            # It goes on until the port is closed.
            scanning = asyncio.ensure_future(asyncio.to_thread(scan.run, 1000))
            await tab.open(command.url)
            await self.expect_end(tab, command, SUCCEEDED, 0, "logged in to")
            await scanning
            scan.close()
