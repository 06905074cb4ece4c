# Part of CredKit. SPDX-License-Identifier: Apache-2.0
"""Does in gnome-keyring what otherwise needs a dialogue. usage: create LABEL PASSWORD | unlock PATH PASSWORD"""
import sys

from jeepney import DBusAddress, new_method_call
from jeepney.io.blocking import open_dbus_connection

NAME = "org.freedesktop.secrets"
ROOT = "/org/freedesktop/secrets"
INTERNAL = "org.gnome.keyring.InternalUnsupportedGuiltRiddenInterface"
connection = open_dbus_connection("SESSION")


def call(interface, method, signature, *arguments):
    message = new_method_call(DBusAddress(ROOT, NAME, interface), method, signature, arguments)
    reply = connection.send_and_get_reply(message, timeout=10)
    if reply.header.message_type.name == "error":
        sys.exit(f"{method}: {reply.body}")
    return reply.body


_, session = call("org.freedesktop.Secret.Service", "OpenSession", "sv", "plain", ("s", ""))
command, name, password = sys.argv[1:]
secret = (session, b"", password.encode(), "text/plain")
if command == "create":
    properties = {"org.freedesktop.Secret.Collection.Label": ("s", name)}
    print(call(INTERNAL, "CreateWithMasterPassword", "a{sv}(oayays)", properties, secret)[0])
else:
    call(INTERNAL, "UnlockWithMasterPassword", "o(oayays)", name, secret)
