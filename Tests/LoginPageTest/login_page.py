# Part of CredKit. SPDX-License-Identifier: Apache-2.0
"""Logs in and out at the page of credkit-server as users do, with Chromium, behind nginx as docs/operating.md configures it.

Each state of the page is looked at in a wide, a narrow and a dark window: by axe-core, for its size and for what the console says.

usage: login_page.py CREDKIT CREDKIT-SERVER AXE FOLDER        writes a screenshot of each state to the folder
"""

import asyncio
import os
import sys
import tempfile
import time

import pyotp
from accounts import Accounts
from chromium import Browser
from inspector import Inspector, earlier_code
from passkeys import Passkeys
from sites import DESK, SECRET, SHOP, STRANGER, WIKI, Sites

PAGE = f"https://{WIKI}/auth/login"
ASKED = f"https://{WIKI}/wiki/a?b=1&c=%C3%A9%26"
AT_ONCE = 3
WRONG = "The user name or the password is wrong."
WRONG_CODE = "The one-time code is wrong, or was already used."
OUTDATED = "The page was outdated, or cookies are blocked. Try again."
OPEN_SOCKET = """new Promise(done => {
    const socket = new WebSocket("/socket");
    socket.onopen = () => socket.send("hello");
    socket.onmessage = message => { done(message.data); socket.close(); };
    socket.onerror = () => done("refused");
})"""
FETCH = """fetch("/data?a=1").then(answer => answer.text().then(text =>
    [answer.status, answer.redirected, answer.url, answer.headers.get("location"), text.includes("form")]))"""


class LoginPage(Inspector):
    """What users do, and what must come of it."""

    async def logs_in_and_returns(self):
        """A wrong password first, then the right one; the browser had a session that an attacker knew."""
        tab = await self.tab()
        await tab.send("Network.setCookie", url=PAGE, name="__Host-credkit", value="A" * 43, secure=True, httpOnly=True, path="/")
        await tab.open(ASKED)
        await self.expect_page(tab, "password", 200, None)
        self.check("focus", await tab.focused(), ("textbox", "User name"))
        await self.log_in(tab, "alice", "wrong")
        await self.expect_page(tab, "wrong password", 401, WRONG)
        self.check("name is kept", await tab.evaluate("document.forms[0].username.value"), "alice")
        await tab.press("Tab")
        await self.log_in(tab, "alice")
        await self.expect_site(tab, ASKED, "alice")
        self.check("address that the site got", await tab.text("#address"), "/wiki/a?b=1&c=%C3%A9%26")
        self.check("session is new", await self.session(tab) not in [None, "A" * 43], True)
        await tab.open(PAGE + "?rd=" + f"https://{WIKI}/b")
        await self.expect_page(tab, "logged in", 200, None, "alice")
        await tab.loads(tab.click("main a"))
        await self.expect_site(tab, f"https://{WIKI}/b", "alice")

    async def logs_in_with_a_code_and_no_scripts(self):
        tab = await self.tab()
        await tab.send("Emulation.setScriptExecutionDisabled", value=True)
        await tab.open(ASKED)
        await self.log_in(tab, "bob")
        self.check("page of the code", await tab.text("label"), "One-time code")
        self.check("focus", await tab.focused(), ("textbox", "One-time code"))
        await tab.type("000000")
        await tab.loads(tab.press("Enter"))
        self.check("alert", await tab.text("[role=alert]"), WRONG_CODE)
        self.check("focus", await tab.focused(), ("alert", WRONG_CODE))
        await tab.press("Tab")
        await tab.type(pyotp.TOTP(SECRET).now())
        await tab.loads(tab.press("Enter"))
        await self.expect_site(tab, ASKED, "bob")

    async def mistakes_the_code(self):
        tab = await self.tab()
        await tab.open(PAGE)
        await self.log_in(tab, "carol")
        await self.expect_page(tab, "code", 200, None, "carol")
        await tab.type("000000")
        await tab.loads(tab.click("button"))
        await self.expect_page(tab, "wrong code", 401, WRONG_CODE, "carol")
        await self.submit(tab)
        await self.expect_page(tab, "missing code", 200, "Enter the one-time code.", "carol")
        await self.submit(tab, "document.forms[0].ticket.value = 'x'")
        await self.expect_page(tab, "expired", 401, "The login took too long. Enter your password again.")
        await self.submit(tab)
        await self.expect_page(tab, "incomplete", 400, "Enter your user name and your password.")

    async def tries_too_often(self):
        tab = await self.tab()
        await tab.open(PAGE)
        for _ in range(4):
            await self.log_in(tab, "dave", "wrong")
            await tab.press("Tab")
        await self.log_in(tab, "dave")
        notice = await tab.text("[role=alert]")
        self.check("limit", notice and notice.startswith("Too many attempts. Try again in "), True)
        await self.expect_page(tab, "limited", 429, notice)

    async def scripts_and_sockets_follow_the_session(self):
        """A page of the site stays open in one tab while the user logs out and in again in another."""
        profile = await self.browser.profile()
        site, other = await self.tab(profile), await self.tab(profile)
        await site.open(ASKED)
        await self.log_in(site, "erin")
        await self.expect_site(site, ASKED, "erin")
        await other.open(PAGE)
        await other.loads(other.click("button"))
        await self.expect_page(other, "password", 200, None)
        self.check("session after the logout", await self.session(other), None)
        failed = site.expect("Network.webSocketFrameError")
        self.check("socket", await site.evaluate(OPEN_SOCKET), "refused")
        error = await failed
        self.check("status of the handshake", error["errorMessage"], "HTTP Authentication failed; no valid credentials available")
        self.check("fetch", await site.evaluate(FETCH), [401, False, f"https://{WIKI}/data?a=1", None, False])
        site.console.clear()
        await self.log_in(other, "erin")
        await self.expect_site(other, f"https://{WIKI}/", "erin")
        self.check("socket", await site.evaluate(OPEN_SOCKET), "erin: hello")
        self.check("fetch", await site.evaluate(FETCH), [200, False, f"https://{WIKI}/data?a=1", None, False])
        self.check_console(site, "site")

    async def logs_out_everywhere(self):
        here, there, stranger = [await self.tab() for _ in range(3)]
        for tab, user in [(here, "frank"), (there, "frank"), (stranger, "erin")]:
            await tab.open(ASKED)
            await self.log_in(tab, user)
            await self.expect_site(tab, ASKED, user)
        await here.open(PAGE)
        await here.loads(here.click("button.plain"))
        await self.expect_page(here, "password", 200, None)
        await here.back()
        await self.expect_page(here, "password", 200, None)
        await there.open(ASKED)
        await self.expect_page(there, "password", 200, None)
        await stranger.open(ASKED)
        await self.expect_site(stranger, ASKED, "erin")

    async def uses_two_tabs(self):
        """The form of one tab is sent after a login in the other."""
        profile = await self.browser.profile()
        first, second = await self.tab(profile), await self.tab(profile)
        for tab, address in [(first, f"https://{WIKI}/first"), (second, f"https://{WIKI}/second")]:
            await tab.open(address)
        await self.log_in(first, "frank")
        await self.expect_site(first, f"https://{WIKI}/first", "frank")
        # The form is not shown again to a user who goes back to it.
        await first.back()
        await self.expect_page(first, "logged in", 200, None, "frank")
        before = await self.session(first)
        await self.log_in(second, "frank", "wrong")
        await self.expect_page(second, "wrong password", 401, WRONG)
        self.check("session after a wrong password", await self.session(first), before)
        await second.press("Tab")
        await self.log_in(second, "erin")
        await self.expect_site(second, f"https://{WIKI}/second", "erin")
        after = await self.session(first)
        self.check("session is another one", after not in [None, before], True)
        await first.open(f"https://{WIKI}/first")
        await self.expect_site(first, f"https://{WIKI}/first", "erin")
        # The session that it replaced has ended.
        old = await self.tab()
        await old.send("Network.setCookie", url=PAGE, name="__Host-credkit", value=before, secure=True, httpOnly=True, path="/")
        await old.open(f"https://{WIKI}/first")
        await self.expect_page(old, "password", 200, None)

    async def restarts_the_browser(self):
        """The browser has forgotten the cookie of a form that is still open."""
        tab = await self.tab()
        await tab.open(ASKED)
        await tab.send("Network.clearBrowserCookies")
        await self.log_in(tab, "erin")
        await self.expect_page(tab, "outdated", 403, OUTDATED)
        await tab.press("Tab")
        await self.log_in(tab, "erin")
        await self.expect_site(tab, ASKED, "erin")

    async def logs_in_for_a_domain(self):
        """The page of one site leads back to another, and the login counts for both."""
        asked = f"https://{SHOP}/cart?a=b"
        tab = await self.tab()
        await tab.open(asked)
        await self.log_in(tab, "bob")
        # A code that was valid before the server started. The clock may reach the next one meanwhile.
        notice = WRONG_CODE
        while notice == WRONG_CODE:
            await tab.click("#code")
            await tab.type(await earlier_code(pyotp.TOTP(SECRET)))
            await tab.loads(tab.press("Enter"))
            notice = await tab.text("[role=alert]")
        self.check("start", notice and notice.startswith("Logins are not possible at the moment. Try again in "), True)
        await self.expect_page(tab, "unavailable", 503, notice, "bob")
        tab = await self.tab()
        await tab.open(asked)
        self.check("page", (await tab.address()).startswith(f"https://{DESK}/auth/login?rd="), True)
        await self.expect_page(tab, "titled password", 200, None)
        await self.log_in(tab, "alice")
        await self.expect_site(tab, asked, "alice")
        await tab.open(f"https://{DESK}/")
        await self.expect_site(tab, f"https://{DESK}/", "alice")

    async def frames_nothing(self):
        """Neither another site nor the site itself can show the page in a frame."""
        tab = await self.tab()
        await tab.open(f"https://{STRANGER}/")
        self.check_refusal(tab)
        await tab.open(f"https://{WIKI}/frame")
        await self.log_in(tab, "alice")
        self.check_refusal(tab)

    def check_refusal(self, tab):
        refusals = [line for line in tab.console if line.startswith("security: Framing ") and "frame-ancestors 'none'" in line]
        self.check("frames that were refused", len(refusals), 1)
        tab.console.clear()


async def main(credkit, server, axe, folder):
    with open(axe) as file:
        script = file.read()
    with tempfile.TemporaryDirectory() as work:
        sites = Sites(work, credkit, server)
        browser = None
        try:
            await sites.start()
            home = os.path.join(work, "home")
            os.mkdir(home)
            browser = await Browser.start(home, sites.authority, sites.addresses)
            page, keys = LoginPage(browser, script, folder), Passkeys(browser, script, folder)
            accounts = Accounts(browser, script, folder)
            keys.sites = accounts.sites = sites
            turns = asyncio.Semaphore(AT_ONCE)

            async def run(scenario):
                async with turns:
                    started = time.monotonic()
                    try:
                        await scenario()
                    # The others go on, and tell more.
                    except Exception as error:
                        page.check(scenario.__name__, repr(error), "no error")
                    print(f"{scenario.__name__}: {time.monotonic() - started:.1f} s", flush=True)
            await asyncio.gather(*map(run, [
                # First, since its server must have started just before.
                page.logs_in_for_a_domain,
                page.logs_in_and_returns, page.logs_in_with_a_code_and_no_scripts, page.mistakes_the_code, page.tries_too_often,
                page.scripts_and_sockets_follow_the_session, page.logs_out_everywhere, page.uses_two_tabs,
                page.restarts_the_browser, page.frames_nothing,
                keys.logs_in_by_the_button, keys.logs_in_by_autofill, keys.takes_the_second_step, keys.takes_a_code_instead,
                keys.refuses_bogus_answers, keys.removes_one_of_two, keys.adds_by_a_link,
                accounts.changes_the_password, accounts.ends_sessions, accounts.adds_and_removes_codes,
                accounts.logs_in_again_to_change_codes, accounts.is_invited, accounts.gets_a_new_password,
            ]))
        finally:
            if browser is not None:
                await browser.end()
            await sites.end()
    parts = [page, keys, accounts]
    failed, facts, states = [sum(part) for part in zip(*((part.failed, part.count, len(part.seen)) for part in parts))]
    print(f"login page: {facts} facts, {states} states of the page, {failed} failures")
    return 1 if failed else 0


sys.exit(asyncio.run(main(*sys.argv[1:])))
