# Part of CredKit. SPDX-License-Identifier: Apache-2.0
"""What users do with passkeys at the page, with the virtual authenticators of Chromium."""

import time

import pyotp
from inspector import Inspector
from sites import KEYS, SECRET

PAGE = f"https://{KEYS}/auth/login"
LIST = f"https://{KEYS}/auth/passkeys"
ASKED = f"https://{KEYS}/wiki?a=b"
ROOT = f"https://{KEYS}/"
WRONG = "The passkey was not accepted. Try again, or choose another way."
# Virtual authenticators answer the waiting request of the autofill at once.
NO_AUTOFILL = "PublicKeyCredential.isConditionalMediationAvailable = async () => false"
LISTED = """fetch("/auth/passkeys", {headers: {accept: "application/json"}}).then(answer => answer.json()).then(answer =>
    answer.data.passkeys.map(passkey => [passkey.name, passkey.synced]))"""
ALERTED = """new Promise(done => {
    const look = () => { const alert = document.querySelector("[role=alert]"); if (alert) done(alert.innerText); };
    new MutationObserver(look).observe(document, {childList: true, subtree: true, characterData: true});
    look();
})"""


class Passkeys(Inspector):
    """What users do, and what must come of it."""

    async def tab_with(self, autofill=False, synced=False):
        """A tab with an authenticator, and the identifier of that."""
        tab = await self.tab()
        await tab.send("WebAuthn.enable")
        if not autofill:
            await tab.send("Page.addScriptToEvaluateOnNewDocument", source=NO_AUTOFILL)
        return tab, await self.authenticator(tab, synced)

    async def authenticator(self, tab, synced=False):
        answer = await tab.send("WebAuthn.addVirtualAuthenticator", options={
            "protocol": "ctap2", "ctap2Version": "ctap2_1", "transport": "internal", "hasResidentKey": True,
            "hasUserVerification": True, "isUserVerified": True, "automaticPresenceSimulation": True,
            "defaultBackupEligibility": synced, "defaultBackupState": synced})
        return answer["authenticatorId"]

    async def credentials(self, tab, authenticator):
        return (await tab.send("WebAuthn.getCredentials", authenticatorId=authenticator))["credentials"]

    async def add(self, tab, name):
        """Adds a passkey on the page that is open."""
        await tab.click("#label")
        await tab.type(name)
        await tab.loads(tab.click("#passkey"))

    async def log_out(self, tab):
        await tab.open(PAGE)
        await tab.loads(tab.click("button"))

    async def enrol(self, tab, user, name="Laptop"):
        await tab.open(PAGE)
        await self.log_in(tab, user)
        await tab.open(LIST)
        await self.add(tab, name)

    async def alert(self, tab, action):
        """What is announced because of an action, in place of what was before."""
        await tab.evaluate("document.querySelector('[role=alert]')?.remove()")
        await action
        return await tab.evaluate(ALERTED)

    async def logs_in_by_the_button(self):
        for user, synced in [("alice", False), ("dave", True)]:
            tab, authenticator = await self.tab_with(synced=synced)
            await tab.open(ASKED)
            await self.expect_page(tab, "password with a passkey", 200, None)
            await self.log_in(tab, user)
            await self.expect_site(tab, ASKED, user)
            await tab.open(LIST)
            await self.expect_page(tab, "no passkeys", 200, None, user)
            await self.add(tab, "Laptop")
            await self.expect_page(tab, "passkeys", 200, None, user)
            self.check("passkeys", await tab.evaluate(LISTED), [["Laptop", synced]])
            stored = await self.credentials(tab, authenticator)
            self.check("stored", [(item["rpId"], item["isResidentCredential"]) for item in stored], [(KEYS, True)])
            await self.log_out(tab)
            await tab.open(ASKED)
            await tab.loads(tab.click("#passkey"))
            await self.expect_site(tab, ASKED, user)

    async def logs_in_by_autofill(self):
        tab, _ = await self.tab_with(autofill=True)
        await self.enrol(tab, "erin")
        await tab.open(PAGE)
        arrived = tab.expect("Page.frameNavigated", lambda details: details["frame"]["url"] == ROOT)
        await tab.click("button")
        await arrived
        await tab.evaluate("new Promise(done => document.readyState == 'complete' ? done() : addEventListener('load', done))")
        self.check("user", await tab.text("#user"), "erin")

    async def takes_the_second_step(self):
        tab, _ = await self.tab_with()
        await self.enrol(tab, "frank")
        await self.log_out(tab)
        await tab.open(ASKED)
        await self.log_in(tab, "frank")
        await self.expect_page(tab, "passkey as second step", 200, None, "frank")
        self.check("field of a code", await tab.text("#code"), None)
        await tab.loads(tab.click("#passkey"))
        await self.expect_site(tab, ASKED, "frank")

    async def takes_a_code_instead(self):
        tab, _ = await self.tab_with()
        await tab.open(PAGE)
        await self.log_in(tab, "bob")
        await tab.type(pyotp.TOTP(SECRET).now())
        await tab.loads(tab.press("Enter"))
        await tab.open(LIST)
        await self.add(tab, "Laptop")
        await self.log_out(tab)
        await tab.open(ASKED)
        await self.log_in(tab, "bob")
        await self.expect_page(tab, "passkey or code", 200, None, "bob")
        # The first code was used.
        await tab.click("#code")
        await tab.type(pyotp.TOTP(SECRET).at(self.later()))
        await tab.loads(tab.press("Enter"))
        await self.expect_site(tab, ASKED, "bob")

    @staticmethod
    def later():
        """A time of the next code, which a server accepts before its time."""
        return time.time() + 30

    async def refuses_bogus_answers(self):
        tab, authenticator = await self.tab_with()
        await self.enrol(tab, "grace")
        await self.log_out(tab)
        for fault in ["isBogusSignature", "isBadUV", "isBadUP"]:
            bits = {name: name == fault for name in ["isBogusSignature", "isBadUV", "isBadUP"]}
            await tab.send("WebAuthn.setResponseOverrideBits", authenticatorId=authenticator, **bits)
            self.check(fault, await self.alert(tab, tab.click("#passkey")), WRONG)
            self.check(f"{fault}: address", await tab.address(), PAGE)
        await tab.send("WebAuthn.setResponseOverrideBits", authenticatorId=authenticator, isBogusSignature=False, isBadUV=False,
                       isBadUP=False)
        await tab.loads(tab.click("#passkey"))
        await self.expect_site(tab, ROOT, "grace")

    async def removes_one_of_two(self):
        tab, first = await self.tab_with()
        await self.enrol(tab, "heidi", "First")
        [lost] = await self.credentials(tab, first)
        await tab.send("WebAuthn.removeVirtualAuthenticator", authenticatorId=first)
        second = await self.authenticator(tab)
        await self.add(tab, "Second")
        self.check("passkeys", await tab.evaluate(LISTED), [["First", False], ["Second", False]])
        await self.expect_page(tab, "two passkeys", 200, None, "heidi")
        await tab.click("form.passkey input[type=radio]")
        await tab.loads(tab.click("form.passkey button[formaction]"))
        await self.expect_page(tab, "password with a passkey", 200, None)
        await tab.loads(tab.click("#passkey"))
        await self.expect_site(tab, ROOT, "heidi")
        await tab.open(LIST)
        self.check("passkeys", await tab.evaluate(LISTED), [["Second", False]])
        await tab.loads(tab.click("form.passkey button[formaction]"))
        self.check("authenticator has forgotten it", await self.credentials(tab, second), [])
        await tab.send("WebAuthn.removeVirtualAuthenticator", authenticatorId=second)
        again = await self.authenticator(tab)
        await tab.send("WebAuthn.addCredential", authenticatorId=again, credential=lost)
        self.check("removed passkey", await self.alert(tab, tab.click("#passkey")), WRONG)

    async def adds_by_a_link(self):
        link = self.sites.link("carol")
        tab, _ = await self.tab_with()
        await tab.open(link)
        await self.expect_page(tab, "link", 200, None)
        await self.add(tab, "By link")
        # Who added it is not logged in by that.
        self.check("page", (await tab.address()).startswith(PAGE + "?rd="), True)
        await tab.loads(tab.click("#passkey"))
        self.check("address", await tab.address(), LIST)
        self.check("passkeys", await tab.evaluate(LISTED), [["By link", False]])
        other, _ = await self.tab_with()
        await other.open(link)
        await other.click("#label")
        notice = await self.alert(other, other.click("#passkey"))
        self.check("used link", notice.startswith("Log in again to change passkeys."), True)
