# Part of CredKit. SPDX-License-Identifier: Apache-2.0
"""Exchanges items between credkit and other programs over the keyring of script/with-keyring.

usage: keyring_exchange.py CREDKIT ITEMS

Each program reads what credkit wrote, and credkit reads what each program wrote: secret-tool, python's keyring and
secretstorage, and keepassxc-cli and kwallet-query with their own keyrings.
"""
import json
import os
import random
import subprocess
import sys
import time

import keyring
import keyring.backends.SecretService
import keyring_items
import secretstorage
from keyring_items import retrying

credkit, count = sys.argv[1], int(sys.argv[2])
seed = int(os.environ.get("CREDKIT_SEED", time.time()))
random.seed(seed)
kind = os.environ["CREDKIT_KEYRING"]
os.environ["CREDKIT_BACKEND"] = "secret-service"
results, repetitions = [], []


def run(*command, secret=b"", status=0):
    while True:
        done = subprocess.run(command, input=secret, stdout=-1, stderr=-1, timeout=60)
        # KWallet refuses one session key in 256, and loses sessions.
        if command[0] == credkit or not any(text in done.stderr for text in (b"public key size", b"Can't find session")):
            break
    if done.returncode != status:
        sys.exit(f"{kind}: {command}: {done.returncode}: {done.stderr.decode()} (seed {seed})")
    return done.stdout


def repeated(read, expected):
    """Reads again, five times at most, if KWallet has another key than the program, in one session in 256."""
    for _ in range(5 if kind == "kwallet" else 1):
        try:
            value = read()
        except (SystemExit, UnicodeDecodeError) as error:
            value = error
        if value == expected:
            break
        repetitions.append(value)
    if isinstance(value, BaseException):
        raise value
    return value


def compare(name, read, expected):
    wrong = [number for number, secret in enumerate(expected) if read[number] != secret]
    if wrong:
        number = wrong[0]
        sys.exit(f"{kind}: {name}: {len(wrong)} of {count} differ: {read[number]!r}, {expected[number]!r} (seed {seed})")
    results.append(f"{name} {count}")


def names(prefix):
    return [(f"{prefix} {number % 5}", f"user {number} {keyring_items.random_text(4)}") for number in range(count)]


backend = keyring.backends.SecretService.Keyring()

# credkit writes.
written = names("written")
secrets = [keyring_items.random_secret(number, is_text=True) for number in range(count)]
for (service, account), secret in zip(written, secrets):
    run(credkit, "keychain", "set", service, account, "--timeout", "30s", secret=secret)
read = [
    repeated(lambda: run("secret-tool", "lookup", "service", service, "username", account), secret)
    for (service, account), secret in zip(written, secrets)
]
compare("credkit to secret-tool", read, secrets)
read = [
    repeated(lambda: retrying(lambda: backend.get_password(*pair)).encode(), secret)
    for pair, secret in zip(written, secrets)
]
compare("credkit to python keyring", read, secrets)
by_key = dict(keyring_items.by_secretstorage())
keys = [keyring_items.key_of({"service": service, "username": account}) for service, account in written]
compare("credkit to secretstorage", [by_key[key] for key in keys], secrets)
if kind == "keepassxc":
    # KeePassXC saves with a delay; the last item is awaited.
    for _ in range(200):
        by_key = dict(keyring_items.by_keepassxc_cli())
        if keys[-1] in by_key:
            break
    compare("credkit to keepassxc-cli", [by_key[key] for key in keys], secrets)
if kind == "kwallet":
    read = []
    for service, account in written:
        label = f"Password for '{account}' on '{service}'"
        # It adds a line feed.
        read.append(run("kwallet-query", "-f", "Secret Service", "-r", label, "kdewallet")[:-1])
    compare("credkit to kwallet-query", read, secrets)

# credkit reads.
for program in ["secret-tool", "python keyring", "secretstorage"]:
    written = names(program)
    secrets = [keyring_items.random_secret(number, is_text=True) for number in range(count)]
    collection = secretstorage.get_default_collection(secretstorage.dbus_init())
    for (service, account), secret in zip(written, secrets):
        attributes = {"service": service, "username": account}
        words = [word for pair in attributes.items() for word in pair]

        def write():
            if program == "secret-tool":
                run("secret-tool", "store", "--label", account, *words, secret=secret)
            elif program == "python keyring":
                retrying(lambda: backend.set_password(service, account, secret.decode()))
            else:
                retrying(lambda: collection.create_item(account, attributes, secret, replace=True))
            # What KWallet has stored with another key is another secret for each program.
            return run("secret-tool", "lookup", *words) if kind == "kwallet" else secret

        repeated(write, secret)
        keyring_items.let_keepassxc_save()
    read = [run(credkit, "keychain", "get", service, account, "--timeout", "30s") for service, account in written]
    compare(f"{program} to credkit", read, secrets)
if kind == "keepassxc":
    # keyring_writer.py wrote these before KeePassXC started.
    with open(os.environ["CREDKIT_KEYRING_HOME"] + "/written.json") as file:
        entries = json.load(file)
    read = []
    for title, entry in entries.items():
        attributes = [f"{name}={value}" for name, value in {**entry, "Title": title}.items() if name != "Password"]
        found = run(credkit, "keychain", "list", *attributes)
        if found.count(b"\n") != 1:
            sys.exit(f"{kind}: {title}: found {found!r}")
        options = [option for attribute in attributes for option in ["--attribute", attribute]]
        read.append(run(credkit, "keychain", "get", "", *options, "--timeout", "30s"))
    if len(entries) != count:
        sys.exit(f"{kind}: keepassxc-cli wrote {len(entries)} entries")
    compare("keepassxc-cli to credkit", read, [entry["Password"].encode() for entry in entries.values()])
if kind == "kwallet":
    # kwallet-query replaces secrets, and creates no entry in this folder that the Secret Service lists.
    written = names("kwallet-query")
    secrets = [keyring_items.random_secret(number, is_text=True) for number in range(count)]
    for (service, account), secret in zip(written, secrets):
        run(credkit, "keychain", "set", service, account, "--timeout", "30s", secret=b"replaced")
        label = f"Password for '{account}' on '{service}'"
        run("kwallet-query", "-f", "Secret Service", "-w", label, "kdewallet", secret=secret)
    read = [run(credkit, "keychain", "get", service, account, "--timeout", "30s") for service, account in written]
    compare("kwallet-query to credkit", read, secrets)
print(f"{kind}: " + ", ".join(results) + (f"; {len(repetitions)} repeated" if repetitions else ""))
