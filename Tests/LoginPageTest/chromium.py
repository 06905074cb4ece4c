# Part of CredKit. SPDX-License-Identifier: Apache-2.0
"""Drives headless Chromium by the DevTools protocol, over a pipe: it ends when this program does. Each wait is for an event."""

import asyncio
import base64
import json
import os
import shutil
import subprocess

# Of a single event, on a busy machine.
TIMEOUT = 60
KEYS = {"Enter": ("Enter", 13, "\r"), "Tab": ("Tab", 9, ""), "Space": (" ", 32, " ")}


class Browser:
    """A browser, whose windows share nothing if they are of different profiles."""

    @classmethod
    async def start(cls, folder, authority=None, addresses={}, local=()):
        """Starts it with a home in a folder.

        `authority` is the PEM file of the only authority beside the public ones, `addresses` maps names of hosts to ports of
        this machine for HTTPS, `local` are names of this machine for all ports. No other host is found.
        """
        program = shutil.which("chromium") or shutil.which("chromium-browser")
        if program is None:
            raise SystemExit("chromium is not installed: run script/bootstrap deep")
        if authority is not None:
            database = os.path.join(folder, ".pki/nssdb")
            os.makedirs(database)
            for words in [["-N", "--empty-password"], ["-A", "-t", "C,,", "-n", "authority", "-i", authority]]:
                subprocess.run(["certutil", "-d", f"sql:{database}", *words], check=True)
        rules = [f"MAP {name}:443 127.0.0.1:{port}" for name, port in addresses.items()]
        rules += [f"MAP {name} 127.0.0.1" for name in local]
        rules += ["MAP * ~NOTFOUND", "EXCLUDE 127.0.0.1", "EXCLUDE localhost"]
        # A container has no user namespaces, which the browser's sandbox needs; the sites are our own.
        arguments = ["--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu", "--hide-scrollbars",
                     "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync",
                     "--remote-debugging-pipe", f"--user-data-dir={folder}/profile", "--host-resolver-rules=" + ",".join(rules)]
        self = cls()
        self.errors = open(os.path.join(folder, "errors"), "wb")
        self.process = await asyncio.create_subprocess_exec(
            "sh", "-c", 'exec "$0" "$@" 3<&0 4>&1 </dev/null >&2', program, *arguments, stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=self.errors, limit=1 << 28, env={**os.environ, "HOME": folder})
        self.answers, self.tabs, self.count = {}, {}, 0
        self.reader = asyncio.create_task(self.read())
        return self

    async def read(self):
        while True:
            try:
                message = json.loads((await self.process.stdout.readuntil(b"\0"))[:-1])
            except asyncio.IncompleteReadError:
                for answer in self.answers.values():
                    answer.cancel()
                return
            if "id" in message:
                answer = self.answers.pop(message["id"], None)
                if answer is None or answer.done():
                    continue
                if "error" in message:
                    answer.set_exception(RuntimeError(message["error"]["message"]))
                else:
                    answer.set_result(message["result"])
            elif message.get("sessionId") in self.tabs:
                self.tabs[message["sessionId"]].receive(message["method"], message["params"])

    async def send(self, method, session=None, **parameters):
        self.count += 1
        message = {"id": self.count, "method": method, "params": parameters}
        if session is not None:
            message["sessionId"] = session
        answer = self.answers[self.count] = asyncio.get_running_loop().create_future()
        self.process.stdin.write(json.dumps(message).encode() + b"\0")
        try:
            return await asyncio.wait_for(answer, TIMEOUT)
        except asyncio.TimeoutError:
            raise RuntimeError(f"no answer to {method}") from None

    async def profile(self):
        """A new profile, without any cookies."""
        return (await self.send("Target.createBrowserContext"))["browserContextId"]

    async def tab(self, profile):
        target = await self.send("Target.createTarget", url="about:blank", browserContextId=profile)
        session = (await self.send("Target.attachToTarget", targetId=target["targetId"], flatten=True))["sessionId"]
        tab = self.tabs[session] = Tab(self, session)
        for domain in ["Page", "Network", "Log", "Runtime", "Audits"]:
            await tab.send(f"{domain}.enable")
        await tab.send("Page.setLifecycleEventsEnabled", enabled=True)
        # Otherwise only one of several tabs has the focus.
        await tab.send("Emulation.setFocusEmulationEnabled", enabled=True)
        return tab

    async def end(self):
        try:
            await self.send("Browser.close")
            await asyncio.wait_for(self.process.wait(), TIMEOUT)
        finally:
            if self.process.returncode is None:
                self.process.kill()
                await self.process.wait()
            await self.reader
            self.errors.close()


class Tab:
    """One tab: what its user does, and what the browser says of it."""

    def __init__(self, browser, session):
        self.browser, self.session = browser, session
        self.waiting = []
        # What the console shows, and the answer that made the page.
        self.console, self.document, self.sizes = [], None, {}

    async def send(self, method, **parameters):
        return await self.browser.send(method, self.session, **parameters)

    def receive(self, event, details):
        if event == "Log.entryAdded":
            entry = details["entry"]
            self.console.append(f"{entry['source']}: {entry['text']}")
        elif event == "Runtime.consoleAPICalled":
            self.console.append(f"script: {details['args']}")
        elif event == "Runtime.exceptionThrown":
            self.console.append(f"exception: {details['exceptionDetails']}")
        elif event == "Audits.issueAdded":
            self.console.append(f"issue: {details['issue']}")
        elif event == "Network.responseReceived" and details["type"] == "Document":
            self.document = {**details["response"], "request": details["requestId"]}
        elif event == "Network.loadingFinished":
            self.sizes[details["requestId"]] = details["encodedDataLength"]
        for name, condition, found in list(self.waiting):
            if name == event and not found.done() and condition(details):
                found.set_result(details)

    def expect(self, event, condition=lambda details: True):
        """The details of the next event of a name, to be awaited after what causes it."""
        found = asyncio.get_running_loop().create_future()
        entry = (event, condition, found)
        self.waiting.append(entry)

        async def wait():
            try:
                return await asyncio.wait_for(found, TIMEOUT)
            except asyncio.TimeoutError:
                raise RuntimeError(
                    f"the event {event} did not come; the address is {await self.address()}, the console {self.console}") from None
            finally:
                self.waiting.remove(entry)
        return wait()

    async def loads(self, action):
        """Waits until a page has loaded because of an action, and was painted: then the element with autofocus has the focus."""
        events = [self.expect("Page.loadEventFired"),
                  self.expect("Page.lifecycleEvent", lambda details: details["name"] == "firstContentfulPaint")]
        await asyncio.gather(action, *events)

    async def open(self, address):
        """Opens an address as a user does who types it."""
        await self.loads(self.send("Page.navigate", url=address))

    async def back(self):
        history = await self.send("Page.getNavigationHistory")
        entry = history["entries"][history["currentIndex"] - 1]
        # A page that was kept is not loaded again.
        kept = self.expect("Page.frameNavigated", lambda details: details["type"] == "BackForwardCacheRestore")
        loading = [asyncio.ensure_future(kept), asyncio.ensure_future(self.loads(
            self.send("Page.navigateToHistoryEntry", entryId=entry["id"])))]
        done, others = await asyncio.wait(loading, return_when=asyncio.FIRST_COMPLETED)
        for other in others:
            other.cancel()
        for task in done:
            task.result()

    async def evaluate(self, expression):
        answer = await self.send("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(f"{expression[:200]}: {answer['exceptionDetails']}")
        return answer["result"].get("value")

    async def address(self):
        history = await self.send("Page.getNavigationHistory")
        return history["entries"][history["currentIndex"]]["url"]

    async def text(self, selector):
        return await self.evaluate(f"document.querySelector({json.dumps(selector)})?.innerText")

    async def type(self, text):
        await self.send("Input.insertText", text=text)

    async def press(self, key):
        name, code, text = KEYS[key]
        for kind in ["keyDown", "keyUp"]:
            await self.send("Input.dispatchKeyEvent", type=kind, key=name, code=key, windowsVirtualKeyCode=code,
                            text=text if kind == "keyDown" else "")

    async def click(self, selector):
        """Clicks the middle of an element with the mouse."""
        box = await self.evaluate(f"""(() => {{
            const element = document.querySelector({json.dumps(selector)});
            element.scrollIntoView({{block: "center", behavior: "instant"}});
            const box = element.getBoundingClientRect();
            return [box.x + box.width / 2, box.y + box.height / 2];
        }})()""")
        for kind in ["mousePressed", "mouseReleased"]:
            await self.send("Input.dispatchMouseEvent", type=kind, x=box[0], y=box[1], button="left", clickCount=1)

    async def focused(self):
        """The role and the name of what has the focus, or else its text, as an assistive program sees them."""
        tree = await self.send("Accessibility.getFullAXTree")
        nodes = {node["nodeId"]: node for node in tree["nodes"]}

        def name(node):
            own = node.get("name", {}).get("value", "")
            return own or "".join(name(nodes[child]) for child in node.get("childIds", []) if child in nodes)
        for node in reversed(tree["nodes"]):
            if any(item["name"] == "focused" and item["value"]["value"] for item in node.get("properties", [])):
                return node["role"]["value"], name(node)
        return None

    async def look(self, width, height, scheme):
        await self.send("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 800)
        await self.send("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])

    async def shoot(self, path):
        picture = await self.send("Page.captureScreenshot")
        with open(path, "wb") as file:
            file.write(base64.b64decode(picture["data"]))
