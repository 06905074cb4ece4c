# Part of CredKit. SPDX-License-Identifier: Apache-2.0
"""Writes random entries with keepassxc-cli, half of them in two steps, while KeePassXC is closed.

usage: CREDKIT_KEYRING_PREPARE="keyring_writer.py ITEMS" script/with-keyring keepassxc COMMAND

The entries are noted in $CREDKIT_KEYRING_HOME/written.json: title, user name, URL, notes and password.
"""
import json
import os
import subprocess
import sys

import keyring_items

home, password = os.environ["CREDKIT_KEYRING_HOME"], os.environ["CREDKIT_KEYRING_PASSWORD"]
environment = dict(os.environ, QT_QPA_PLATFORM="offscreen")


def run(command, entry, title):
    options = ["-u", entry["UserName"], "--url", entry["URL"], "--notes", entry["Notes"]]
    command = ["keepassxc-cli", command, "-q", "-p", *options, home + "/keyring.kdbx", title]
    text = f"{password}\n{entry['Password']}\n"
    subprocess.run(command, input=text.encode(), check=True, stdout=subprocess.DEVNULL, env=environment)


def entry_of(number):
    text = keyring_items.random_text
    # The password is one line.
    return {"UserName": f"user {number}", "URL": "https://" + text(8), "Notes": text(30), "Password": text(20)}


written = {}
for number in range(int(sys.argv[1])):
    title = f"entry {number} {keyring_items.random_text(4)}"
    written[title] = entry_of(number)
    run("add", written[title], title)
    if number % 2:
        written[title] = entry_of(number + 1000)
        run("edit", written[title], title)
with open(home + "/written.json", "w") as file:
    json.dump(written, file)
