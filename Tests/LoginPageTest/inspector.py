# Part of CredKit. SPDX-License-Identifier: Apache-2.0
"""What a state of the login page is looked at for: its status and notice, axe-core, its size, the console, three windows."""

import asyncio
import os
import time

from sites import PASSWORD, WIKI

WINDOWS = [("wide", 1280, 800, "light"), ("narrow", 320, 568, "light"), ("dark", 1280, 800, "dark")]
# The first packets of a connection carry as much.
MAXIMUM_BYTES = 14336
# A status of 400 or more is an entry in the console, too.
STATUS = "network: Failed to load resource: the server responded with a status of "


async def earlier_code(device):
    """The code of the period before: the present one stays for later. It is not used where that period is about to end."""
    left = device.interval - time.time() % device.interval
    if left < 10:
        await asyncio.sleep(left)
    return device.at(time.time() - device.interval)


class Inspector:
    """Looks at pages, and counts what is not as expected."""

    def __init__(self, browser, axe, folder):
        self.browser, self.axe, self.folder = browser, axe, folder
        self.count, self.failed, self.seen = 0, 0, []

    def check(self, what, actual, expected):
        self.count += 1
        if actual != expected:
            self.failed += 1
            print(f"FAILED: {what}: {actual!r} in place of {expected!r}", flush=True)

    async def tab(self, profile=None):
        return await self.browser.tab(profile or await self.browser.profile())

    async def log_in(self, tab, user, password=PASSWORD):
        """With the keyboard: the first field has the focus."""
        await tab.type(user)
        await tab.press("Tab")
        await tab.type(password)
        await tab.loads(tab.press("Enter"))

    async def submit(self, tab, change=""):
        """Sends the first form as it is, after a change by a script."""
        await tab.loads(tab.evaluate(f"{change}; document.forms[0].submit()"))

    async def expect_page(self, tab, name, status, notice, user=None):
        """The state of the page, and what is announced."""
        self.check(f"{name}: status", tab.document["status"], status)
        self.check(f"{name}: alert", await tab.text("[role=alert]"), notice)
        if notice is not None:
            self.check(f"{name}: focus", await tab.focused(), ("alert", notice))
        if user is not None:
            self.check(f"{name}: user", await tab.text("strong"), user)
        if name not in self.seen:
            self.seen.append(name)
            await self.inspect(tab, name)
        self.check_console(tab, name)

    def check_console(self, tab, name):
        self.check(f"{name}: console", [line for line in tab.console if not line.startswith(STATUS)], [])
        tab.console.clear()

    async def inspect(self, tab, name):
        size = tab.sizes.get(tab.document["request"], 0)
        self.check(f"{name}: {size} bytes fit", 0 < size <= MAXIMUM_BYTES, True)
        await tab.evaluate(f"window.axe || (() => {{ {self.axe} }})()")
        for window, width, height, scheme in WINDOWS:
            await tab.look(width, height, scheme)
            found = await tab.evaluate("""axe.run(document, {preload: false, resultTypes: ["violations"], runOnly: [
                "wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]}).then(result => result.violations.map(
                violation => violation.id + ": " + violation.nodes.map(node => node.html).join(" ")))""")
            self.check(f"{name}, {window}: violations", found, [])
            wider = await tab.evaluate("document.documentElement.scrollWidth - window.innerWidth")
            self.check(f"{name}, {window}: fits", wider <= 0, True)
            await tab.shoot(os.path.join(self.folder, f"{name.replace(' ', '-')}-{window}.png"))
        await tab.look(*WINDOWS[0][1:])

    async def expect_site(self, tab, address, user):
        self.check("address", await tab.address(), address)
        self.check("user", await tab.text("#user"), user)
        self.check_console(tab, "site")

    async def session(self, tab):
        cookies = (await tab.send("Network.getCookies", urls=[f"https://{WIKI}/"]))["cookies"]
        return next((cookie["value"] for cookie in cookies if cookie["name"] == "__Host-credkit"), None)
