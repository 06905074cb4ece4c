# Part of CredKit. SPDX-License-Identifier: Apache-2.0
"""Writes databases with pykeepass and keepassxc-cli, for KeePassDatabaseTests.

usage: keepass_databases.py random FOLDER COUNT SEED [keepassxc]
       keepass_databases.py large FOLDER COUNT
       keepass_databases.py small FOLDER
       keepass_databases.py keyed FOLDER
       keepass_databases.py empty FOLDER
       keepass_databases.py twofish FOLDER

`random` writes COUNT databases over all versions, ciphers, key derivations and kinds of keys. With `keepassxc`, every
third one is written again by keepassxc-cli, which adds an entry. `large` writes one with COUNT entries, `small` one of
each version with a single entry, `keyed` one without a password, `empty` one with an empty password beside the key file,
`twofish` one that is encrypted so. A line of JSON is printed for each: the file, its password, its key file, and what
pykeepass reads in it.
"""
import base64
import copy
import hashlib
import json
import os
import random
import subprocess
import sys

from construct import Container, ListContainer
from lxml import etree
from pykeepass import PyKeePass, pykeepass
from pykeepass.kdbx_parsing import kdbx3, kdbx4

BLANK = PyKeePass(pykeepass.BLANK_DATABASE_LOCATION, pykeepass.BLANK_DATABASE_PASSWORD)
VECTOR_SIZES = {"aes256": 16, "chacha20": 12, "twofish": 16}
KEY_FILES = ("xml1", "xml2", "raw", "hex", "other")
TEXTS = ("größe 名前 🗝", "<a href=\"x\">&amp;</a>", "]]>", "a]]]>b]]", "line 1\nline 2\ttab", " blanks  ", "x" * 700,
         "{notes}", "'\"", "&#13; &lt;", "<![CDATA[x]]>", "<!-- no comment -->")


DOCUMENT = etree.tostring(BLANK.kdbx.body.payload.xml)


def item(name, data):
    return Container(id=name, data=data)


def inner_item(name, data):
    return Container(type=name, data=data)


def key_file(kind, path, choose):
    key = choose.randbytes(32)
    text = {
        "xml1": '<?xml version="1.0" encoding="utf-8"?>\n<KeyFile>\n\t<Meta>\n\t\t<Version>1.00</Version>\n\t</Meta>\n'
                f"\t<Key>\n\t\t<Data>{base64.b64encode(key).decode()}</Data>\n\t</Key>\n</KeyFile>\n",
        "xml2": '<?xml version="1.0" encoding="utf-8"?>\n<KeyFile>\n\t<Meta>\n\t\t<Version>2.0</Version>\n\t</Meta>\n'
                f'\t<Key>\n\t\t<Data Hash="{hashlib.sha256(key).hexdigest()[:8].upper()}">\n\t\t\t'
                f'{key.hex(" ", 4).upper()}\n\t\t</Data>\n\t</Key>\n</KeyFile>\n',
        "raw": key,
        "hex": key.hex(),
        "other": choose.randbytes(choose.choice((1, 31, 33, 64, 5000))),
    }[kind]
    with open(path, "wb") as file:
        file.write(text.encode() if isinstance(text, str) else text)
    return path


def set_form(database, choose, version, cipher, derivation, streams=("salsa20", "chacha20")):
    """Gives a database another form: its header is that of a new file."""
    head = database.kdbx.header.value
    header = [
        item("cipher_id", cipher),
        item("compression_flags", Container(compression=choose.random() < 0.7)),
        item("master_seed", bytes(32)),
        item("encryption_iv", bytes(VECTOR_SIZES[cipher])),
    ]
    if version == 3:
        header += [
            item("transform_seed", bytes(32)),
            item("transform_rounds", choose.choice((1, 2, 60, 6000))),
            item("protected_stream_key", bytes(32)),
            item("stream_start_bytes", bytes(32)),
            item("protected_stream_id", choose.choice(streams)),
        ]
    else:
        def value(kind, key, value):
            return Container(type=kind, key=key, value=value, next_byte=1)

        values = [value(0x42, "$UUID", kdbx4.kdf_uuids[derivation]), value(0x42, "S", bytes(32))]
        if derivation == "aeskdf":
            values.append(value(0x05, "R", choose.choice((1, 2, 60, 6000))))
        else:
            lanes = choose.choice((1, 2, 4))
            values += [
                value(0x04, "P", lanes),
                value(0x05, "M", 1024 * choose.choice((8 * lanes, 64, 100, 1000))),
                value(0x05, "I", choose.choice((1, 2, 3))),
                value(0x04, "V", choose.choice((0x10, 0x13))),
            ]
        values[-1].next_byte = 0
        dictionary = Container({one.key: one for one in values})
        header.append(item("kdf_parameters", Container(version=b"\x00\x01", dict=dictionary)))
        database.kdbx.body.payload.inner_header = Container(
            binary=ListContainer(),
            protected_stream_id=inner_item("protected_stream_id", choose.choice(streams)),
            protected_stream_key=inner_item("protected_stream_key", bytes(64)),
            end=inner_item("end", b""),
        )
    header.append(item("end", b"\r\n\r\n"))
    head.minor_version = 1 if version == 3 else choose.choice((0, 1))
    head.dynamic_header = Container({one.id: one for one in header})


def save(database, path):
    """Saves a database. The header of version 3 is authenticated by its digest in the document, which pykeepass leaves to
    its caller."""
    header = database.kdbx.header.value
    if header.major_version == 3:
        rotate, pykeepass.rotate_seeds = pykeepass.rotate_seeds, lambda *_, **__: None
        rotate(database.kdbx)
        head = (header.sig1 + header.sig2 + header.minor_version.to_bytes(2, "little")
                + header.major_version.to_bytes(2, "little") + kdbx3.DynamicHeader.build(header.dynamic_header))
        meta = database.kdbx.body.payload.xml.find("Meta")
        for old in meta.findall("HeaderHash"):
            meta.remove(old)
        digest = etree.SubElement(meta, "HeaderHash")
        digest.text = base64.b64encode(hashlib.sha256(head).digest()).decode()
        database.kdbx.body.payload.cred_check = None
        database.save(path)
        pykeepass.rotate_seeds = rotate
    else:
        database.save(path)


def new_database(password, key_path, version):
    database = copy.copy(BLANK)
    # Times have another form in version 3.
    head = Container(sig1=b"\x03\xd9\xa2\x9a", sig2=b"\x67\xfb\x4b\xb5", major_version=version,
                     minor_version=0)
    database.kdbx = Container(
        header=Container(value=head),
        body=Container(payload=Container(xml=etree.ElementTree(etree.fromstring(DOCUMENT)))),
    )
    database.password, database.keyfile = password, key_path
    return database


def add_entries(database, choose, count):
    groups = [database.root_group]
    for number in range(choose.randrange(4)):
        groups.append(database.add_group(choose.choice(groups), f"group {number} &"))
    for number in range(count):
        entry = database.add_entry(
            choose.choice(groups), f"title {number} <&>", choose.choice(("", "alice", "jürgen", "<a>")),
            choose.choice(TEXTS) + f" {choose.getrandbits(64):x}",
            url=choose.choice((None, f"https://host{number}.example/path")),
            notes=choose.choice((None, f"notes {choose.choice(TEXTS)} {choose.getrandbits(64):x}")),
            otp=choose.choice((None, None, f"otpauth://totp/I:a?secret=GEZDGNBVGY3TQOJQ&issuer=I{number}")),
        )
        for field in range(choose.randrange(3)):
            value = f"{choose.choice(TEXTS)} {choose.getrandbits(64):x}"
            entry.set_custom_property(f"field {field} ß", value, protect=choose.random() < 0.5)
        if choose.random() < 0.2:
            entry.save_history()
            entry.password = f"new {choose.getrandbits(64):x}"
        if database.kdbx.header.value.major_version == 4 and choose.random() < 0.1:
            entry.add_attachment(database.add_binary(choose.randbytes(100), protected=True), "file.bin")
        if choose.random() < 0.1:
            database.trash_entry(entry)


def add_with_keepassxc(path, password, key_path):
    command = ["keepassxc-cli", "add", "-q", "-u", "xc", "--url", "https://xc.example/", "-p"]
    command += ["-k", key_path] if key_path else []
    command += ["--no-password"] if password is None else []
    lines = ([] if password is None else [password]) + ["pass & <word>"]
    subprocess.run(
        command + [path, "from KeePassXC"], input="\n".join(lines) + "\n", text=True, check=True,
        stdout=subprocess.DEVNULL, env=os.environ | {"QT_QPA_PLATFORM": "offscreen"},
    )


def report(path, password, key_path, details):
    database = PyKeePass(path, password, key_path)
    bin_group = database.recyclebin_group
    items, codes = [], 0
    for entry in database.entries:
        names, group = [], entry.group
        is_deleted = False
        while group is not None:
            is_deleted = is_deleted or (bin_group is not None and group.uuid == bin_group.uuid)
            if not group.is_root_group:
                names.insert(0, group.name)
            group = group.parentgroup
        if is_deleted:
            continue
        place = [entry.username or "", entry.url or "", "/".join(names)]
        codes += entry.otp is not None
        items.append([entry.title, *place, entry.password or ""])
        if entry.notes:
            items.append([f"Notes of {entry.title}", *place, entry.notes])
        for name, value in entry.custom_properties.items():
            items.append([f"{name} of {entry.title}", *place, value])
    print(json.dumps({"file": path, "password": password, "keyFile": key_path, "items": items, "codeCount": codes,
                      "details": details}), flush=True)


def main():
    kind, folder = sys.argv[1:3]
    if kind == "random":
        count, seed = int(sys.argv[3]), int(sys.argv[4])
        choose = random.Random(seed)
        forms = [(version, cipher, derivation) for version, derivations in
                 ((3, ["aes"]), (4, ["aeskdf", "argon2", "argon2id"]))
                 for derivation in derivations for cipher in ("aes256", "chacha20")]
        for number in range(count):
            form = forms[number % len(forms)]
            path = f"{folder}/{number}.kdbx"
            file_kind = choose.choice((None, *KEY_FILES))
            key_path = file_kind and key_file(file_kind, f"{folder}/{number}.key", choose)
            password = choose.choice(("password", "p ä 🗝", "x" * 100) + ((None,) if key_path else ()))
            database = new_database(password, key_path, form[0])
            is_by_keepassxc = "keepassxc" in sys.argv[5:] and number // len(forms) % 3 == 0
            # KeePassXC 2.7 decrypts each database of version 3 with Salsa20, whatever its header says.
            set_form(database, choose, *form, ("salsa20",) if is_by_keepassxc and form[0] == 3 else ("salsa20", "chacha20"))
            add_entries(database, choose, choose.randrange(5))
            save(database, path)
            if is_by_keepassxc:
                add_with_keepassxc(path, password, key_path)
            report(path, password, key_path, f"{form} {file_kind} {is_by_keepassxc}")
        return
    choose = random.Random(1)
    versions = (3, 4) if kind == "small" else (4,)
    for version in versions:
        path = f"{folder}/{kind}-{version}.kdbx"
        key_path = key_file("xml2", f"{folder}/key", choose) if kind in ("keyed", "empty") else None
        password = {"keyed": None, "empty": ""}.get(kind, "password")
        database = new_database(password, key_path, version)
        cipher = "twofish" if kind == "twofish" else "chacha20" if version == 4 else "aes256"
        set_form(database, choose, version, cipher, "aeskdf")
        header = database.kdbx.header.value.dynamic_header
        if version == 3:
            header.transform_rounds.data = 1
        else:
            header.kdf_parameters.data.dict["R"].value = 1
        if kind == "large":
            group = database.root_group._element
            for number in range(int(sys.argv[3])):
                entry = etree.SubElement(group, "Entry")
                for name, value in (("Title", f"title {number}"), ("UserName", f"user {number}"),
                                    ("Password", f"secret {number}"), ("URL", f"https://h{number}.example/"),
                                    ("Notes", f"notes {number}")):
                    string = etree.SubElement(entry, "String")
                    etree.SubElement(string, "Key").text = name
                    element = etree.SubElement(string, "Value")
                    element.text = value
                    if name == "Password":
                        element.set("Protected", "True")
            save(database, path)
            print(json.dumps({"file": path, "password": "password", "keyFile": None, "items": [], "codeCount": 0,
                              "details": kind}))
            continue
        database.add_entry(database.root_group, "title", "alice", "s3cret", notes="notes")
        save(database, path)
        report(path, password, key_path, kind)


main()
