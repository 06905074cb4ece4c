# Part of CredKit. SPDX-License-Identifier: Apache-2.0
"""Logins that succeed, the time they take, and what they leave behind."""

import urllib.parse

from command import processes_with
from scene import OAUTHLIB, SUCCEEDED, Scene

# From the browser's answer to the end of the command, without the server's part, in seconds.
MAXIMUM_TIME = 0.15


class Logins(Scene):
    """What users do who are not disturbed."""

    async def is_fast(self):
        """Alone, since it measures."""
        async with self.scene() as (server, command, tab):
            await command.start(server.url)
            await tab.open(command.url)
            await self.expect_end(tab, command, SUCCEEDED, 0, "logged in to")
            for _ in range(4):
                async with self.command() as again:
                    again.environment = {**command.environment, "BROWSER": again.environment["BROWSER"]}
                    await again.start(server.url)
                    answer = self.expect_answer(tab)
                    await tab.open(again.url)
                    sent = await answer
                    self.check("exit status", (await again.end())[0], 0)
                    # All clocks are the system's monotonic one.
                    self.times.append(again.ended - sent["timestamp"] - (await server.state())["seconds"][-1])
        # Other checks run beside this one.
        self.check(f"{min(self.times) * 1000:.0f} ms from the answer to the end", min(self.times) <= MAXIMUM_TIME, True)

    async def logs_in(self, *options, peer=OAUTHLIB, button=None):
        async with self.scene(peer) as (server, command, tab):
            await command.start(server.url, *options)
            self.check("arguments of the browser", command.argument_count, 1)
            answer = self.expect_answer(tab)
            await tab.open(command.url)
            if button is not None:
                # Of a page that is not ours.
                tab.console.clear()
                await tab.loads(tab.click(button))
            sent = await answer
            await self.expect_end(tab, command, SUCCEEDED, 0, "logged in to")
            self.check("data", await command.run("request", server.url + "/data"), '{"user": "alice"}')
            code = urllib.parse.parse_qs(urllib.parse.urlsplit(sent["request"]["url"]).query)["code"][0]
            token = await command.run("keychain", "get", server.url, "alice", "--attribute", "credkit-purpose=session-secret")
            for secret in [code, token.strip()]:
                self.check("files with a secret", command.files_with(secret), [])
            self.check("refresh token", token.strip() in await server.refresh_tokens(), True)
            self.check("logout", await command.run("logout", "-q"), "")
            self.check("refresh token after the logout", token.strip() in await server.refresh_tokens(), False)

    async def logs_in_by_form(self):
        """The answer comes as a form that the server's page sends (response_mode=form_post)."""
        async with self.scene() as (server, command, tab):
            with open(command.path("profile.json"), "w") as file:
                file.write(f"""{{"scheme": "oauth", "clientID": "desktop", "scope": "students", "tokenPath": "/token",
                    "authorizationURL": "{server.url}/authorize", "issuer": "{server.url}", "responseMode": "form_post"}}""")
            await command.start(server.url, "--profile", command.path("profile.json"))
            page = self.expect_last_page(tab)
            await self.go(tab, command.url)
            await page
            await self.expect_end(tab, command, SUCCEEDED, 0, "logged in to")

    async def leaves_no_secret(self):
        """Looks everywhere while the login is being completed, and after its end."""
        async with self.scene() as (server, command, tab):
            await server.control(hold=True)
            await command.start(server.url, "--log-level", "trace")
            last = self.expect_last_page(tab)
            await self.go(tab, command.url)
            await server.held()
            state = await server.state()
            form = dict(urllib.parse.parse_qsl(next(body for _, path, _, body in state["requests"] if path == "/token")))
            request = [command.parameter("state"), command.parameter("code_challenge")]
            during = [form["code"], form["code_verifier"], *state["valid"]]
            self.check("secrets", len(during), 3)
            self.check("programs", processes_with(during + request), {(word, "opener", "cmdline") for word in request})
            for secret in during + request:
                self.check("files with a secret", command.files_with(secret), [])
            await server.control(hold=False)
            await last
            page = await tab.evaluate("document.documentElement.outerHTML")
            await self.expect_end(tab, command, SUCCEEDED, 0, "logged in to")
            _, errors = await command.end()
            shown = [line for line in errors.splitlines() if command.url in line]
            self.check("lines with the URL", len(shown), 1)
            logs = errors.replace(shown[0], "")
            self.check("lines of the log", len(logs.splitlines()) > 3, True)
            await command.run("request", server.url + "/data")
            fields = [field for _, _, fields, _ in (await server.state())["requests"] for field in fields.items()]
            bearers = [value[7:] for name, value in fields if name.lower() == "authorization" and value.startswith("Bearer ")]
            self.check("access tokens", len(set(bearers)), 1)
            during += bearers
            for secret in during + request:
                for place, text in {"page": page, "log": logs}.items():
                    self.check(f"secret in the {place}", secret in text, False)
                self.check("files with a secret", command.files_with(secret), [])
