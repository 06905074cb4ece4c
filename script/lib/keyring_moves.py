# Part of CredKit. SPDX-License-Identifier: Apache-2.0
"""Moves items between a vault and the keyring of script/with-keyring, and kills the moves at random moments.

usage: keyring_moves.py CREDKIT ITEMS KILLS

Each move that was killed is resumed, until all items are in its target; then they are moved back. At the end of each
direction, the source must be empty, and the target must have each item once, with its secret.
"""
import base64
import json
import os
import random
import subprocess
import sys
import time

import keyring_items

credkit, item_count, kill_count = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
seed = int(os.environ.get("CREDKIT_SEED", time.time()))
random.seed(seed)
home = os.environ["HOME"]
os.environ.update(CREDKIT_VAULT=home + "/moved.vault", CREDKIT_PASSPHRASE="the passphrase of a vault")
kind = os.environ["CREDKIT_KEYRING"]


def run(*arguments):
    done = subprocess.run([credkit, "keychain", *arguments], stdout=-1, stderr=-1)
    if done.returncode:
        sys.exit(f"credkit keychain {arguments}: {done.returncode}: {done.stderr.decode()}")
    return done


expected = {}
document = {"format": "credkit-credentials", "version": 1, "items": []}
for number in range(item_count):
    attributes = {"realm": keyring_items.random_text(8)} if number % 3 else {}
    item = {"service": f"service {number % 7}", "account": f"user {number}", "attributes": attributes}
    secret = keyring_items.random_secret(number)
    expected[keyring_items.key_of(dict(attributes, service=item["service"], username=item["account"]))] = secret
    document["items"].append(dict(item, secretBase64=base64.b64encode(secret).decode()))
    document["items"][-1]["contentType"] = "application/octet-stream" if number % 2 else "text/plain"
with open(home + "/items.json", "w") as file:
    json.dump(document, file)
run("import", "--backend", "vault", home + "/items.json")


def in_vault():
    path = home + "/exported.json"
    run("export", "--backend", "vault", "--plain-json", path)
    with open(path) as file:
        items = json.load(file)["items"]
    os.remove(path)
    found = []
    for item in items:
        attributes = dict(item.get("attributes", {}), service=item["service"], username=item["account"])
        secret = base64.b64decode(item["secretBase64"]) if "secretBase64" in item else item["secret"].encode()
        found.append((keyring_items.key_of(attributes), secret))
    return found


def check(name, found, wanted):
    lost = len([key for key in wanted if key not in dict(found)])
    doubled = len(found) - len(dict(found))
    # None: the secret was not read.
    changed = [(sorted(key), secret, wanted.get(key)) for key, secret in found if secret != wanted.get(key)]
    changed = [entry for entry in changed if entry[1] is not None or entry[2] is None]
    if lost or doubled or changed:
        counts = f"{lost} lost, {doubled} doubled, {len(changed)} changed or unknown (seed {seed})"
        sys.exit(f"{kind}: {name}: {counts}; read, stored: {changed[:1]}"[:2000])


# In seconds, for a busy machine: KeePassXC is given a second for each change.
deadline = 600 + 10 * item_count
# The kills are spread over moves in both directions. Each of these moves is resumed until it ends, and is then checked.
kills_of_one = max(1, kill_count // 4)
kills = kills_now = finished = 0
limits = {}
stores = ["vault", "secret-service"]
while kills < kill_count or kills_now or stores[0] != "vault" or finished < 2:
    begin = time.monotonic()
    command = [credkit, "keychain", "move", "--from", stores[0], "--to", stores[1], "--timeout", "60s"]
    moving = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    # The first move in each direction is not killed: it shows how long one takes.
    longest = limits.get(stores[0])
    is_killed = longest and kills < kill_count and kills_now < kills_of_one
    try:
        # The mean is a share of a whole move. Delays as long as a move would let most kills come after its end.
        delay = random.uniform(0, 2 * longest / kills_of_one) if is_killed else deadline
        errors = moving.communicate(timeout=delay)[1]
    except subprocess.TimeoutExpired:
        moving.kill()
        moving.communicate()
        if not is_killed:
            sys.exit(f"{kind}: a move took more than {deadline} seconds")
        kills += 1
        kills_now += 1
        continue
    if moving.returncode:
        sys.exit(f"{kind}: a move failed after {kills} kills: {errors.decode()[-1000:]} (seed {seed})")
    limits.setdefault(stores[0], time.monotonic() - begin)
    finished += 1
    kills_now = 0
    print(f"{kind}: from the {stores[0]} after {kills} kills, {time.monotonic() - begin:.0f} s", file=sys.stderr, flush=True)
    contents = {"vault": in_vault, "secret-service": keyring_items.by_secretstorage}
    check(f"after {kills} kills, source {stores[0]}", contents[stores[0]](), {})
    check(f"after {kills} kills, target {stores[1]}", contents[stores[1]](), expected)
    if kind == "keepassxc" and stores[1] != "vault":
        check("keepassxc-cli", keyring_items.by_keepassxc_cli(), expected)
    if finished == 1:
        announced = [f"not kept: {field} of" in errors.decode() for field in ("created", "modified", "content-type")]
        if not all(announced):
            sys.exit(f"{kind}: a lost field was not announced: {errors.decode()}")
    stores.reverse()
print(f"{kind}: {item_count} items moved {finished} times, killed {kills} times: 0 lost, 0 doubled, 0 changed")
