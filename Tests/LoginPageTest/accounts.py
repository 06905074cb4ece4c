# Part of CredKit. SPDX-License-Identifier: Apache-2.0
"""What users change at the pages of their account, without scripts, and what becomes of the links that they get."""

import os
import subprocess

import pyotp
from inspector import Inspector, earlier_code
from passkeys import NO_AUTOFILL
from sites import HOME, PASSWORD, STRANGER

PAGE = f"https://{HOME}/auth/login"
ASKED = f"https://{HOME}/wiki?a=b"
NEW = "a password of many words"
CHANGED = "The password was changed."
# The clock of a command that makes a link which has expired.
LAST_MONTH = ("faketime", "-f", "-30d")
OPENINGS = 40


class Accounts(Inspector):
    """What users do, and what must come of it."""

    async def tab(self, profile=None):
        tab = await super().tab(profile)
        await tab.send("Page.addScriptToEvaluateOnNewDocument", source=NO_AUTOFILL)
        return tab

    async def sign_in(self, user, password=PASSWORD):
        tab = await self.tab()
        await tab.open(ASKED)
        await self.log_in(tab, user, password)
        await self.expect_site(tab, ASKED, user)
        return tab

    async def visit(self, tab, page):
        await tab.open(f"https://{HOME}/auth/{page}")

    async def fill(self, tab, selector, *texts):
        """Types into a field and those that follow, and sends the form."""
        await tab.click(selector)
        for index, text in enumerate(texts):
            if index:
                await tab.press("Tab")
            await tab.type(text)
        await tab.loads(tab.press("Enter"))

    async def expect_done(self, tab, text):
        self.check("status", await tab.text("[role=status]"), text)
        self.check("focus", await tab.focused(), ("status", text))

    async def expect_end(self, tab):
        """The session has ended: the site sends the browser to the login page."""
        await tab.open(ASKED)
        self.check("address", (await tab.address()).startswith(PAGE), True)

    async def changes_the_password(self):
        here, there = await self.sign_in("alice"), await self.sign_in("alice")
        await here.open(PAGE)
        await here.loads(here.click("main p:last-child a"))
        await self.expect_page(here, "account", 200, None, "alice")
        await here.loads(here.click("li a"))
        await self.expect_page(here, "change of the password", 200, None)
        self.check("focus", await here.focused(), ("textbox", "Old password"))
        await self.fill(here, "#password", "wrong", NEW, NEW)
        await self.expect_page(here, "wrong old password", 401, "The old password or the code is wrong.")
        await self.fill(here, "#password", PASSWORD, NEW, NEW + "x")
        await self.expect_page(here, "different new passwords", 400, "The new passwords differ.")
        await self.fill(here, "#password", PASSWORD, "short", "short")
        notice = await here.text("[role=alert]")
        self.check("notice", notice and notice.startswith("The new password is not accepted: "), True)
        await self.expect_page(here, "refused password", 400, notice)
        await self.fill(here, "#password", PASSWORD, NEW, NEW)
        await self.expect_page(here, "changed password", 200, None, "alice")
        await self.expect_done(here, CHANGED)
        await self.expect_end(there)
        await self.log_in(there, "alice")
        self.check("old password", await there.text("[role=alert]"), "The user name or the password is wrong.")
        await here.open(ASKED)
        await self.expect_site(here, ASKED, "alice")

    async def ends_sessions(self):
        here, second, third = [await self.sign_in("erin") for _ in range(3)]
        await self.visit(here, "sessions")
        await self.expect_page(here, "sessions", 200, None)
        # The newest is the first.
        await here.loads(here.click("button[name=session]"))
        await self.expect_page(here, "ended session", 200, None)
        await self.expect_done(here, "The session has ended.")
        await self.expect_end(third)
        await second.open(ASKED)
        await self.expect_site(second, ASKED, "erin")
        await here.loads(here.click("button[name=others]"))
        await self.expect_page(here, "only session", 200, None)
        await self.expect_done(here, "All other sessions have ended.")
        await self.expect_end(second)
        await here.open(ASKED)
        await self.expect_site(here, ASKED, "erin")

    def read_code(self, picture):
        done = subprocess.run(["zbarimg", "-q", "--raw", "-Sdisable", "-Sqrcode.enable", picture], capture_output=True, text=True)
        return done.stdout.strip()

    async def adds_and_removes_codes(self):
        tab, other = await self.sign_in("frank"), await self.sign_in("frank")
        await self.visit(tab, "codes")
        await self.expect_page(tab, "new code", 200, None)
        self.check("focus", await tab.focused(), ("textbox", "Code that the app shows"))
        key = await tab.evaluate("document.querySelector('a[href^=otpauth]').href")
        for scheme in ["light", "dark"]:
            await tab.look(1280, 1200, scheme)
            picture = os.path.join(self.folder, f"qr-code-{scheme}.png")
            await tab.shoot(picture)
            self.check(f"QR code, {scheme}", self.read_code(picture), key)
        await tab.look(1280, 800, "light")
        device = pyotp.parse_uri(key)
        await self.fill(tab, "#code", "000000")
        await self.expect_page(tab, "wrong new code", 401, "The one-time code is wrong, or was already used.")
        # The same key, so that the device need not be set up again.
        self.check("key", await tab.evaluate("document.querySelector('a[href^=otpauth]').href"), key)
        await self.fill(tab, "#code", await earlier_code(device))
        await self.expect_page(tab, "codes", 200, None)
        await self.expect_done(tab, "One-time codes were added.")
        await self.expect_end(other)
        await tab.loads(tab.click("button"))
        await self.expect_page(tab, "recovery codes", 200, None)
        codes = await tab.evaluate("[...document.querySelectorAll('li code')].map(code => code.innerText)")
        self.check("recovery codes", len(codes), 10)
        await self.log_in(other, "frank")
        await other.type(codes[0])
        await other.loads(other.press("Enter"))
        await self.expect_site(other, ASKED, "frank")
        await self.visit(tab, "codes")
        self.check("codes that are left", "9 recovery codes are left." in await tab.text("main"), True)
        await self.fill(tab, "#code", codes[0])
        await self.expect_page(tab, "wrong code to remove", 401, "The one-time code is wrong, or was already used.")
        await self.fill(tab, "#code", device.now())
        await self.expect_done(tab, "One-time codes were removed.")

    async def logs_in_again_to_change_codes(self):
        """What says that the login was recent has expired."""
        tab = await self.sign_in("grace")

        async def wait():
            await tab.send("Network.deleteCookies", name="__Secure-credkit-recent", domain=HOME, path="/auth")
        await self.visit(tab, "codes")
        key = await tab.evaluate("document.querySelector('a[href^=otpauth]').href")
        await wait()
        await self.fill(tab, "#code", await earlier_code(pyotp.parse_uri(key)))
        await self.expect_page(tab, "late code", 403, "Log in again, and repeat the change in the first five minutes.")
        await self.visit(tab, "codes")
        await self.expect_page(tab, "no codes", 200, None)
        await tab.loads(tab.click("main a"))
        await self.log_in(tab, "grace")
        self.check("address", await tab.address(), f"https://{HOME}/auth/codes")
        key = await tab.evaluate("document.querySelector('a[href^=otpauth]').href")
        await self.fill(tab, "#code", await earlier_code(pyotp.parse_uri(key)))
        await self.expect_done(tab, "One-time codes were added.")
        await wait()
        await self.visit(tab, "codes")
        await self.expect_page(tab, "codes after five minutes", 200, None)
        await self.visit(tab, "password")
        await self.expect_page(tab, "change of the password with a code", 200, None)
        await self.fill(tab, "#password", PASSWORD, NEW, NEW, pyotp.parse_uri(key).now())
        await self.expect_done(tab, CHANGED)

    async def open_by_mail(self, link):
        """Clicks a link on a page of another site, as in a web mailer. The server may have yet to read the new user."""
        tab = await self.tab()
        for _ in range(OPENINGS):
            await tab.open(f"https://{STRANGER}/mail")
            tab.console.clear()
            await tab.evaluate(f"document.body.innerHTML = '<a href=\"{link}\">Choose a password</a>'")
            await tab.loads(tab.click("a"))
            if tab.document["status"] == 200:
                break
            await tab.evaluate("new Promise(done => setTimeout(done, 100))")
        self.check("address", await tab.address(), f"https://{HOME}/auth/link")
        history = await tab.send("Page.getNavigationHistory")
        secret = link.partition("=")[2]
        self.check("history", [entry["url"] for entry in history["entries"] if secret in entry["url"]], [])
        self.check("referrer", secret in await tab.evaluate("document.referrer"), False)
        return tab

    async def is_invited(self):
        link = self.sites.account_link("invite", "judy")
        # Something else opens it first, such as a mail scanner.
        scanner = await self.open_by_mail(link)
        tab = await self.open_by_mail(link)
        await self.expect_page(tab, "invitation", 200, None, "judy")
        self.check("focus", await tab.focused(), ("textbox", "New password"))
        await self.fill(tab, "#new", NEW, NEW + "x")
        await self.expect_page(tab, "different first passwords", 400, "The new passwords differ.", "judy")
        await self.fill(tab, "#new", NEW, NEW)
        await self.expect_page(tab, "chosen password", 200, None)
        await self.expect_done(tab, CHANGED)
        await tab.click("#username")
        await self.log_in(tab, "judy", NEW)
        # Where a passkey can be added.
        self.check("address", await tab.address(), f"https://{HOME}/auth/passkeys")
        self.check("user", await tab.text("strong"), "judy")
        await self.fill(scanner, "#new", "another password", "another password")
        await self.expect_page(scanner, "used link", 410, None)

    async def gets_a_new_password(self):
        old = await self.sign_in("heidi")
        links = [self.sites.account_link("reset", "heidi") for _ in range(2)]
        expired = await self.tab()
        await expired.open(self.sites.account_link("reset", "heidi", LAST_MONTH))
        await self.expect_page(expired, "expired link", 410, None)
        first, second = [await self.open_by_mail(link) for link in links]
        await self.expect_page(first, "new password by a link", 200, None, "heidi")
        await self.fill(first, "#new", NEW, NEW)
        await self.expect_done(first, CHANGED)
        await self.expect_end(old)
        await self.fill(second, "#new", "another password", "another password")
        await self.expect_page(second, "doubled link", 410, None)
        await first.click("#username")
        await self.log_in(first, "heidi", NEW)
        self.check("address", await first.address(), f"https://{HOME}/auth/account")
