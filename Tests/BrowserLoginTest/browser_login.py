# Part of CredKit. SPDX-License-Identifier: Apache-2.0
"""Logs in with `credkit login` as users do, with Chromium, at authorization servers that others have written, while pages,
users and scanners get in the way. The command must end, and neither it nor a page may report a success that there was not.

usage: browser_login.py CREDKIT AXE FOLDER        writes a screenshot of each last page to the folder
"""

import asyncio
import os
import statistics
import sys
import tempfile
import time

from command import Peer
from disturbances import Disturbances
from endings import Endings
from logins import Logins
from neighbours import STRANGER, Stranger
from scene import AUTHLIB, DJANGO

from chromium import Browser

AT_ONCE = 4


class BrowserLogin(Logins, Endings, Disturbances):
    """All scenarios."""


async def main(program, axe, folder):
    with open(axe) as file:
        script = file.read()
    with tempfile.TemporaryDirectory() as work:
        home = os.path.join(work, "home")
        os.mkdir(home)
        browser = await Browser.start(home, local=[STRANGER])
        try:
            login = BrowserLogin(program, work, browser, script, folder)
            login.stranger = await Stranger.start()
            turns = asyncio.Semaphore(AT_ONCE)

            async def run(scenario, *options, **settings):
                name = " ".join([scenario.__name__, *options, *settings.get("peer", [])])
                async with turns:
                    started = time.monotonic()
                    try:
                        await scenario(*options, **settings)
                    # The others go on, and tell more.
                    except Exception as error:
                        login.check(name, repr(error), "no error")
                    print(f"{name}: {time.monotonic() - started:.1f} s", flush=True)
            await run(login.is_fast)
            login.django = await Peer.start(*DJANGO)
            await asyncio.gather(
                # First, since it takes the longest.
                run(login.meets_a_scanner),
                run(login.logs_in), run(login.logs_in, peer=AUTHLIB), run(login.logs_in, peer=DJANGO),
                run(login.logs_in, "--client-id", "asking", peer=DJANGO, button="[name=allow]"),
                run(login.logs_in, "--redirect-uri", "http://localhost/callback"),
                run(login.is_refused), run(login.is_refused, "--scope", "teachers", peer=AUTHLIB),
                run(login.is_refused, "--client-id", "asking", peer=DJANGO, button="[value=Cancel]"),
                *map(run, [
                    login.logs_in_by_form, login.leaves_no_secret, login.fails_at_the_token, login.fails_with_the_server,
                    login.fails_to_save, login.is_interrupted, login.is_interrupted_at_the_token, login.waits_five_minutes,
                    login.closes_tabs, login.uses_two_tabs, login.meets_another_page, login.gives_up, login.meets_another_user,
                    login.meets_silent_connections,
                ]))
            await login.django.end()
            login.stranger.close()
        finally:
            await browser.end()
    times = " ".join(f"{value * 1000:.0f}" for value in sorted(login.times))
    print(f"from the answer to the end, without the server's part: {times} ms, median {statistics.median(login.times) * 1000:.0f}")
    print(f"login in the browser: {login.count} facts, {len(login.seen)} pages, {login.failed} failures")
    return 1 if login.failed else 0


sys.exit(asyncio.run(main(*sys.argv[1:])))
