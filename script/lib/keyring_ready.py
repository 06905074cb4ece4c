# Part of CredKit. SPDX-License-Identifier: Apache-2.0
"""Waits for the Secret Service of script/with-keyring. usage: keyring_ready.py named|logged-in|unlocked

named       a program offers the Secret Service
logged-in   KWallet has opened, or created, its wallet with the password that PAM would give it
unlocked    the default collection exists and is unlocked; a locked one is unlocked, without a dialog
"""
import hashlib
import os
import sys
import time

from jeepney import DBusAddress, MatchRule, MessageType, message_bus, new_method_call
from jeepney.io.blocking import Proxy, open_dbus_connection

DEADLINE = time.monotonic() + 60
NAME, ROOT = "org.freedesktop.secrets", "/org/freedesktop/secrets"


def connect():
    while True:
        try:
            return open_dbus_connection(os.environ["DBUS_SESSION_BUS_ADDRESS"])
        except OSError:
            # The bus is starting.
            if time.monotonic() > DEADLINE:
                raise
            time.sleep(0.02)


connection = connect()


def call(path, interface, method, signature=None, body=(), name=NAME):
    left = max(0.1, DEADLINE - time.monotonic())
    message = new_method_call(DBusAddress(path, name, interface), method, signature, body)
    reply = connection.send_and_get_reply(message, timeout=left)
    return None if reply.header.message_type == MessageType.error else reply.body


def wait(is_true):
    while not is_true():
        if time.monotonic() > DEADLINE:
            sys.exit("keyring_ready: timed out")
        time.sleep(0.02)


def is_named():
    return Proxy(message_bus, connection).NameHasOwner(NAME)[0]


def log_in():
    with open(os.environ["CREDKIT_KEYRING_SALT"], "rb") as file:
        salt = file.read()
    key = hashlib.pbkdf2_hmac("sha512", os.environ["CREDKIT_KEYRING_PASSWORD"].encode(), salt, 50_000, 56)
    body = ("kdewallet", key, 0)
    # kwalletd5 or kwalletd6
    daemon = os.environ["CREDKIT_KEYRING_DAEMON"]
    answer = call(f"/modules/{daemon}", "org.kde.KWallet", "pamOpen", "sayi", body, f"org.kde.{daemon}")
    if answer is None:
        sys.exit("keyring_ready: KWallet did not open its wallet")


def is_unlocked():
    alias = call(ROOT, "org.freedesktop.Secret.Service", "ReadAlias", "s", ("default",))
    if not alias or alias[0] == "/":
        return False
    asked = ("org.freedesktop.Secret.Collection", "Locked")
    locked = call(alias[0], "org.freedesktop.DBus.Properties", "Get", "ss", asked)
    if not locked or not locked[0][1]:
        return bool(locked)
    if os.environ["CREDKIT_KEYRING"] == "kwallet":
        _, prompt = call(ROOT, "org.freedesktop.Secret.Service", "Unlock", "ao", ([alias[0]],))
        completed = MatchRule(type="signal", interface="org.freedesktop.Secret.Prompt", member="Completed", path=prompt)
        Proxy(message_bus, connection).AddMatch(completed)
        with connection.filter(completed) as signals:
            call(prompt, "org.freedesktop.Secret.Prompt", "Prompt", "s", ("",))
            connection.recv_until_filtered(signals, timeout=20)
    return False


{"named": lambda: wait(is_named), "logged-in": log_in, "unlocked": lambda: wait(is_unlocked)}[sys.argv[1]]()
