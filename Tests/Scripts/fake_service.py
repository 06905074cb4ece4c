# Part of CredKit. SPDX-License-Identifier: Apache-2.0
"""A Secret Service that misbehaves as its arguments say. usage: fake_service.py LOG [BEHAVIOUR…]

silent           answers nothing
slow=SECONDS     answers everything late
dies=METHOD      ends when it is asked for this method
noalias          has no default collection
gone             has a default collection that does not exist
key=TYPE         sends a text, a number, texts or no bytes as its public key
plain            offers no encrypted session
denied=METHOD    refuses this method
locked           has a locked collection, which takes a prompt to unlock
items=number     lists its items as a number instead of paths
items=texts      lists its items as texts that are no paths
items=foreign    lists its collection and objects of another program as items
items=many       lists more items than are read
items=changing   lists an item that has other attributes when it is read, and is gone when its secret is
odd=METHOD       answers this method with a number
result=text      says that the prompt was answered, with a text instead of paths
left=PROCESS     has an item of a check of a session that this process has made
forgets          forgets the first session after it was opened
damages          stores other secrets than it gets in the first session
prompt=never     shows the prompt and never reports its result
prompt=dismiss   says that the prompt was dismissed
prompt=accept    says that the prompt was accepted, with a broadcast signal
prompt=early     the same, before it answers the call that shows the prompt
prompt=die       ends while the prompt is shown

LOG has a line for every received method call.
"""
import os
import sys
import time

from jeepney import DBusAddress, MessageType, new_error, new_method_return, new_signal
from jeepney.bus_messages import message_bus
from jeepney.io.blocking import open_dbus_connection
from jeepney.low_level import HeaderFields

ROOT = "/org/freedesktop/secrets"
COLLECTION, ITEM, PROMPT, SESSION = (f"{ROOT}/{part}" for part in ("collection/fake", "collection/fake/1", "prompt/1", "session/1"))
SERVICE, LEFT = "org.freedesktop.Secret.", f"{COLLECTION}/left"

behaviour = dict((word.split("=") + [""])[:2] for word in sys.argv[2:])
connection = open_dbus_connection("SESSION")
connection.send_and_get_reply(message_bus.RequestName("org.freedesktop.secrets"))
log = open(sys.argv[1], "a", buffering=1)
locked = "locked" in behaviour
sessions = 0
changing = []
secrets = {LEFT: (SESSION, b"", b"", "text/plain")} if "left" in behaviour else {}


def reply(message, signature=None, *body):
    connection.send(new_method_return(message, signature, body))


def error(message, name):
    connection.send(new_error(message, name, "s", ("so it says",)))


def completed(is_dismissed):
    global locked
    locked = locked and is_dismissed
    result = ("s", "text") if behaviour.get("result") == "text" else ("ao", [] if is_dismissed else [COLLECTION])
    signal = new_signal(DBusAddress(PROMPT, interface=SERVICE + "Prompt"), "Completed", "bv", (is_dismissed, result))
    connection.send(signal)


def answer(message, method):
    global sessions
    path = message.header.fields[HeaderFields.path]
    if method == "OpenSession":
        if "plain" in behaviour and message.body[0] != "plain":
            error(message, "org.freedesktop.DBus.Error.NotSupported")
        elif "plain" in behaviour:
            reply(message, "vo", ("s", ""), SESSION)
        else:
            sessions += 1
            key = {"text": ("s", "A" * 128), "number": ("u", 7), "texts": ("as", ["A"]), "empty": ("ay", b"")}.get(behaviour.get("key"))
            reply(message, "vo", key or ("ay", bytes(127) + b"\x02"), SESSION if sessions == 1 else f"{SESSION}{sessions}")
    elif method == "ReadAlias":
        reply(message, "o", "/" if "noalias" in behaviour else COLLECTION)
    elif method == "GetAll" and path == COLLECTION and "gone" in behaviour:
        error(message, "org.freedesktop.DBus.Error.UnknownMethod")
    elif method == "GetAll" and path == COLLECTION:
        items = {
            "number": ("i", 3),
            "texts": ("as", ["no path", ""]),
            "foreign": ("ao", [COLLECTION, ROOT, "/", "/org/other/1"]),
            "many": ("ao", [f"{COLLECTION}/{number}" for number in range(200_000)]),
            "changing": ("ao", [ITEM]),
        }.get(behaviour.get("items"), ("ao", []))
        reply(message, "a{sv}", {"Locked": ("b", locked), "Label": ("s", "Fake"), "Items": items})
    elif method == "GetAll" and path == ITEM:
        changing.append(path)
        attributes = {"service": "s", "username": f"read {len(changing)}"}
        reply(message, "a{sv}", {"Attributes": ("a{ss}", attributes), "Label": ("s", "L"), "Locked": ("b", False)})
    elif method == "GetAll" and path == LEFT:
        process = f"{behaviour['left']} {os.stat('/proc/self/ns/pid').st_ino}"
        attributes = {"purpose": "CredKit's check of a session", "process": process}
        reply(message, "a{sv}", {"Attributes": ("a{ss}", attributes), "Label": ("s", "L"), "Locked": ("b", False)})
    elif method == "GetAll" and behaviour.get("items") == "foreign":
        error(message, "org.freedesktop.DBus.Error.InvalidArgs")
    elif method == "GetAll":
        reply(message, "a{sv}", {"Collections": ("ao", [COLLECTION])})
    elif method == "SearchItems":
        left = [LEFT] if LEFT in secrets and "purpose" in message.body[0] else []
        reply(message, "ao", [ITEM] if behaviour.get("items") == "changing" else left)
    elif method == "GetSecret" and path in secrets:
        reply(message, "(oayays)", secrets[path])
    elif method == "GetSecret":
        error(message, SERVICE + "Error.NoSuchObject")
    elif method == "CreateItem" and "forgets" in behaviour and message.body[1][0] == SESSION:
        error(message, SERVICE + "Error.NoSession")
    elif method == "CreateItem":
        session, vector, sealed, content_type = message.body[1]
        if "damages" in behaviour and session == SESSION:
            vector = bytes([vector[0] ^ 1]) + vector[1:]
        secrets[ITEM] = (session, vector, sealed, content_type)
        reply(message, "oo", ITEM, "/")
    elif method == "Delete" and secrets.pop(path, None):
        reply(message, "o", "/")
    elif method in ("Unlock", "Lock"):
        reply(message, "aoo", [], PROMPT)
    elif method == "Dismiss":
        reply(message)
    elif method == "Prompt":
        how = behaviour.get("prompt")
        if how == "early":
            completed(False)
            time.sleep(0.2)
        reply(message)
        if how == "die":
            sys.exit()
        if how in ("dismiss", "accept"):
            completed(how == "dismiss")
    else:
        error(message, "org.freedesktop.DBus.Error.UnknownMethod")


while True:
    try:
        message = connection.receive()
    except (ConnectionResetError, EOFError):
        break
    if message.header.message_type != MessageType.method_call:
        continue
    method = message.header.fields[HeaderFields.member]
    log.write(method + "\n")
    if behaviour.get("dies") == method:
        break
    time.sleep(float(behaviour.get("slow", 0)))
    if behaviour.get("denied") == method:
        error(message, "org.freedesktop.DBus.Error.AccessDenied")
    elif behaviour.get("odd") == method:
        reply(message, "i", 3)
    elif "silent" not in behaviour:
        answer(message, method)
