# Part of CredKit. SPDX-License-Identifier: Apache-2.0
"""Random items, and the readers of keyrings that the checks of script/test-keyrings share."""
import contextlib
import os
import random
import subprocess
import time
import xml.etree.ElementTree as ElementTree

import secretstorage
from secretstorage.util import open_session

MARKS = {"xdg:schema", "application"}
FIELDS = {"Title", "UserName", "Password", "URL", "Notes", "Uuid", "Path", "FDO_SECRETS_CONTENT_TYPE"}


def random_text(count):
    return "".join(random.choice("abcXYZ 0129äß€🔑=\\\"'<&>%") for _ in range(count)).strip() or "x"


def random_secret(number, is_text=False):
    kinds = [lambda: random_text(20), lambda: "two\nlines\n\ttab " + random_text(5), lambda: random_text(3000)]
    if not is_text:
        kinds += [lambda: os.urandom(32) + b"\xff", lambda: b"\0" + random_text(3).encode(), lambda: b""]
    secret = kinds[number % len(kinds)]()
    return secret if isinstance(secret, bytes) else secret.encode()


def key_of(attributes):
    return frozenset((name, value) for name, value in attributes.items() if name not in MARKS | FIELDS)


def retrying(call):
    """Calls again if KWallet refuses the key of a new session, one in 256, which begins with a zero byte, or loses it."""
    while True:
        try:
            return call()
        except Exception as error:
            if not any(text in str(error) for text in ("public key size", "Can't find session")):
                raise


def let_keepassxc_save():
    """Waits, after a change by a program that does not, while KeePassXC saves: another change would make it crash."""
    if os.environ["CREDKIT_KEYRING"] != "keepassxc":
        return
    folder, idle = f"/proc/{os.environ['CREDKIT_KEYRING_PROCESS']}/task/", 0
    time.sleep(0.4)
    while idle < 3:
        states = []
        for thread in os.listdir(folder):
            with contextlib.suppress(FileNotFoundError, ProcessLookupError), open(f"{folder}{thread}/stat") as file:
                states.append(file.read().rpartition(") ")[2][:1])
        idle = 0 if {"R", "D"} & set(states) else idle + 1
        time.sleep(0.02)


def in_one_session():
    found = []
    collection = secretstorage.get_default_collection(secretstorage.dbus_init())
    collection.session = retrying(lambda: open_session(collection.connection))
    for item in collection.get_all_items():
        found.append((key_of(item.get_attributes()), item.get_secret()))
    return found


def by_secretstorage():
    """Returns the key and secret of each item of the default collection, as python's secretstorage reads them.

    KWallet has another key than other programs in one session of 256, so that two sessions must agree.
    """
    found = in_one_session()
    while os.environ["CREDKIT_KEYRING"] == "kwallet":
        again = in_one_session()
        if again == found:
            break
        found = again
    return found


def by_keepassxc_cli():
    """Returns the same, as keepassxc-cli reads the database."""
    home, password = os.environ["CREDKIT_KEYRING_HOME"], os.environ["CREDKIT_KEYRING_PASSWORD"]
    environment = dict(os.environ, QT_QPA_PLATFORM="offscreen")
    command = ["keepassxc-cli", "export", "-q", home + "/keyring.kdbx"]
    text = subprocess.run(command, input=password.encode() + b"\n", stdout=-1, check=True, env=environment).stdout
    root = ElementTree.fromstring(text[text.index(b"<"):])
    found, titles = [], {}
    for group in root.iterfind("./Root//Group"):
        if group.findtext("Name") == "Recycle Bin":
            continue
        for entry in group.iterfind("Entry"):
            texts = {part.findtext("Key"): part.findtext("Value") or "" for part in entry.iterfind("String")}
            if "FDO_SECRETS_CONTENT_TYPE" in texts:
                titles[len(found)] = texts["Title"]
            found.append((key_of(texts), texts["Password"].encode()))
    # The export has no attachments. Each takes a run of the program, so that at most ten are read.
    for index in titles:
        found[index] = (found[index][0], None)
    # Not --stdout, which writes text.
    path = os.path.join(os.environ["HOME"], "attachment")
    for index in random.sample(sorted(titles), min(10, len(titles))):
        names = [titles[index], "FDO_SECRETS_DATA", path]
        command = ["keepassxc-cli", "attachment-export", "-q", home + "/keyring.kdbx", *names]
        subprocess.run(command, input=password.encode() + b"\n", stdout=-1, check=True, env=environment)
        with open(path, "rb") as file:
            found[index] = (found[index][0], file.read())
        os.remove(path)
    return found
