# Part of CredKit. SPDX-License-Identifier: Apache-2.0
"""Moves items from one keyring to another through a vault, with kills. A session bus has one Secret Service, so that each
keyring has a run of script/with-keyring of its own.

usage: keyring_chain.py out CREDKIT ITEMS KILLS FOLDER    in the first keyring: fills it, and moves to the vault in FOLDER
       keyring_chain.py in CREDKIT ITEMS KILLS FOLDER     in the second keyring: moves from the vault

Python's secretstorage fills the first keyring, and reads both. Keys, secrets and counts must be the same in the second.
Each other property that differs must have been announced by --dry-run before.
"""
import base64
import json
import os
import random
import re
import subprocess
import sys
import time

import keyring_items
import secretstorage
from keyring_items import retrying

direction, credkit, item_count, kill_count, folder = *sys.argv[1:3], int(sys.argv[3]), int(sys.argv[4]), sys.argv[5]
seed = int(os.environ.get("CREDKIT_SEED", time.time()))
random.seed(seed)
kind = os.environ["CREDKIT_KEYRING"]
os.environ.update(CREDKIT_VAULT=folder + "/moved.vault", CREDKIT_PASSPHRASE="the passphrase of a vault")
stores = ["--from", "secret-service", "--to", "vault"] if direction == "out" else ["--from", "vault", "--to", "secret-service"]
command = [credkit, "keychain", "move", *stores, "--timeout", "60s"]


def fail(text):
    sys.exit(f"{kind}: {direction}: {text} (seed {seed})"[:3000])


def fill():
    collection = secretstorage.get_default_collection(secretstorage.dbus_init())
    for number in range(item_count):
        attributes = {"service": f"service {number % 5}", "username": f"user {number}"}
        if number % 3:
            attributes["realm"] = keyring_items.random_text(8)
        if number % 4 == 1:
            attributes["xdg:schema"] = "org.example.Login"
        secret = keyring_items.random_secret(number)
        try:
            content_type = "application/octet-stream" if b"\0" in secret or not secret.decode() else "text/plain"
        except UnicodeDecodeError:
            content_type = "application/octet-stream"
        label = f"label {number} {keyring_items.random_text(5)}"
        retrying(lambda: collection.create_item(label, attributes, secret, content_type=content_type))
        keyring_items.let_keepassxc_save()


def snapshot():
    """Returns each item's key, secret, as text of Base64, and other properties."""
    if kind == "kwallet":
        # Sessions of KWallet may have a wrong key; two must agree.
        keyring_items.by_secretstorage()
    pairs = keyring_items.by_secretstorage()
    collection = secretstorage.get_default_collection(secretstorage.dbus_init())
    collection.session = retrying(lambda: keyring_items.open_session(collection.connection))
    found = {}
    for item, (key, secret) in zip(collection.get_all_items(), pairs, strict=True):
        attributes = item.get_attributes()
        if keyring_items.key_of(attributes) != key:
            fail("the keyring lists its items in another order")
        name = json.dumps(sorted(key))
        if name in found:
            fail(f"doubled: {name}")
        found[name] = {
            "secret": base64.b64encode(secret).decode(),
            "label": item.get_label(),
            "content-type": item.get_secret_content_type(),
            "created": item.get_created(),
            "modified": item.get_modified(),
            "schema": attributes.get("xdg:schema"),
        }
    return found


def announced():
    done = subprocess.run([*command, "--dry-run"], stdout=-1, stderr=-1)
    if done.returncode:
        fail(f"--dry-run: {done.stderr.decode()}")
    return sorted(set(re.findall(r"^credkit: not kept: (\S+) of", done.stderr.decode(), re.MULTILINE)))


def move():
    """Moves, and returns how often it was killed."""
    kills = 0
    # About what a move takes, in seconds.
    longest = 1 + item_count * (0.3 if kind == "keepassxc" else 0.04)
    while True:
        moving = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        try:
            # The mean is a share of a whole move. Delays as long as a move would let most kills come after its end.
            delay = random.uniform(0, 2 * longest / kill_count) if kills < kill_count else 600 + 10 * item_count
            errors = moving.communicate(timeout=delay)[1]
        except subprocess.TimeoutExpired:
            moving.kill()
            moving.communicate()
            if kills >= kill_count:
                fail(f"a move took more than {delay} seconds")
            kills += 1
            continue
        if moving.returncode:
            fail(f"a move failed after {kills} kills: {errors.decode()[-1000:]}")
        return kills


def in_vault():
    done = subprocess.run([credkit, "keychain", "list", "--backend", "vault", "--json"], stdout=-1, stderr=-1)
    if done.returncode:
        fail(f"list: {done.stderr.decode()}")
    return done.stdout.decode().splitlines()


def compare(before, after, losses):
    if before.keys() != after.keys():
        fail(f"lost {sorted(before.keys() - after.keys())[:2]}, unknown {sorted(after.keys() - before.keys())[:2]}")
    differing = set()
    for key, item in before.items():
        # A schema that credkit adds to an item without one is no loss.
        differing |= {field for field, value in item.items() if value is not None and after[key][field] != value}
    if not differing <= set(losses):
        field = sorted(differing - set(losses))[0]
        examples = [(key, item[field], after[key][field]) for key, item in before.items() if item[field] != after[key][field]]
        fail(f"{field} of {len(examples)} items differs, and was not announced: {examples[0]}")
    return sorted(differing)


record = folder + "/record.json"
if direction == "out":
    fill()
    before = snapshot()
    if len(before) != item_count:
        fail(f"{len(before)} items were stored")
    losses = announced()
    kills = move()
    if snapshot():
        fail("the source has items left")
    if len(in_vault()) != item_count:
        fail(f"the vault has {len(in_vault())} items")
    with open(record, "w") as file:
        json.dump({"items": before, "losses": losses, "kills": kills, "kind": kind}, file)
else:
    with open(record) as file:
        recorded = json.load(file)
    losses = recorded["losses"] + announced()
    kills = move()
    if in_vault():
        fail("the vault has items left")
    differing = compare(recorded["items"], snapshot(), losses)
    if kind == "keepassxc":
        secrets = {key: base64.b64decode(item["secret"]) for key, item in recorded["items"].items()}
        read = [(json.dumps(sorted(key)), secret) for key, secret in keyring_items.by_keepassxc_cli()]
        # None: an attachment that was not read.
        if sorted(key for key, _ in read) != sorted(secrets) or any(s not in (None, secrets[key]) for key, s in read):
            fail("keepassxc-cli reads other items")
    kills += recorded["kills"]
    fields = ", ".join(differing)
    print(f"{recorded['kind']} to {kind}: {item_count} items, killed {kills} times: 0 lost, 0 doubled; announced: {fields}")
