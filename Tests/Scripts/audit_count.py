#!/usr/bin/env python3
# Part of CredKit. SPDX-License-Identifier: Apache-2.0
"""Counts what `credkit audit` counts, by regular expressions that were written from the descriptions of the formats.

usage: audit_count.py make ROWS VECTORS.json… > TABLE    a table of many schemes, 1 % of it damaged
       audit_count.py count TABLE                       prints the counts as JSON
"""

import base64
import collections
import json
import random
import re
import sys

U = "[./0-9A-Za-z]"
SALT = r"(?:(?![$:;*!\\])[!-~])"
# The last characters of 32 bytes in crypt(3)'s encoding, whose highest bits belong to no byte.
LAST2 = "[./0-9A-D]"


def b64(text, alphabet="+/", padded=False):
    """Decodes Base64 in its only canonical form."""
    plain = text.replace(alphabet[0], "+").replace(alphabet[1], "/") if alphabet != "+/" else text
    if not re.fullmatch("[A-Za-z0-9+/]*=*", plain) or padded and len(plain) % 4:
        raise ValueError("not Base64")
    try:
        data = base64.b64decode(plain + ("" if padded else "=" * (-len(plain) % 4)), validate=True)
    except Exception as error:
        raise ValueError("not Base64") from error
    again = base64.b64encode(data).decode()
    if (again if padded else again.rstrip("=")) != plain:
        raise ValueError("not canonical")
    return data


POSITION = r"(?:position=(?:prefix|suffix),)?(?:rounds=[0-9]+,?)?(?:salt=(?P<salt>[A-Za-z0-9+/]+))?\$"
NUMBER = "(?:0|[1-9][0-9]*)"
PATTERNS = [
    ("yescrypt", rf"\$y\$j(?P<cost>[0-9A-Z]T)\$(?P<salt>{U}*)\${U}{{42}}{LAST2}"),
    ("gost-yescrypt", rf"\$gy\$j(?P<cost>[0-9A-Z]T)\$(?P<salt>{U}*)\${U}{{42}}{LAST2}"),
    ("scrypt-crypt", rf"\$7\$C{U}{{10}}(?P<salt>{SALT}*)\${U}{{42}}{LAST2}"),
    ("bcrypt", rf"\$2[aby]\$(?:0[4-9]|[12][0-9]|3[01])\$(?P<salt>{U}{{21}}[.Oeu]){U}{{30}}[.CGKOSWaeimquy26]"),
    ("sha512-crypt", rf"\$6\$(?:rounds=[1-9][0-9]{{3,8}}\$)?(?P<salt>{SALT}{{0,16}})\${U}{{85}}[./01]"),
    ("sha256-crypt", rf"\$5\$(?:rounds=[1-9][0-9]{{3,8}}\$)?(?P<salt>{SALT}{{0,16}})\${U}{{42}}{LAST2}"),
    ("sun-md5", rf"\$md5(?:\$|[,$]rounds=[1-9][0-9]*\$)(?P<salt>{U}{{0,64}})\$\$?{U}{{21}}[./01]"),
    ("phpass", rf"U?\$[PH]\$[5-9A-S](?P<salt>{U}{{8}}){U}{{21}}[./01]"),
    ("drupal7", rf"U?\$S\$[5-9A-S](?P<salt>{U}{{8}}){U}{{43}}"),
    ("wordpress-bcrypt", rf"\$wp\$2[aby]\$(?:0[4-9]|[12][0-9]|3[01])\$(?P<salt>{U}{{21}}[.Oeu]){U}{{30}}[.CGKOSWaeimquy26]"),
    ("bcrypt-sha256", rf"bcrypt_sha256\$\$2[aby]\$(?:0[4-9]|[12][0-9]|3[01])\$(?P<salt>{U}{{21}}[.Oeu]){U}{{30}}[.CGKOSWaeimquy26]"),
    ("bcrypt-sha256", rf"\$bcrypt-sha256\$(?:v=2,t=2b,r=|2[ab],)(?:[4-9]|[12][0-9]|3[01])\$(?P<salt>{U}{{21}}[.Oeu])\${U}{{30}}[.CGKOSWaeimquy26]"),
    ("bigcrypt", rf"(?P<salt>{U}{{2}})(?:{U}{{10}}[.26AEIMQUYcgkosw]){{2,16}}"),
    ("mysql41", r"\*[0-9A-F]{40}"),
    ("django-sha1", r"sha1\$(?P<salt>[ -#%-~]*)\$[0-9a-f]{40}"),
    ("werkzeug-hmac", r"sha256\$(?P<salt>[ -#%-~]*)\$[0-9a-f]{64}"),
    ("hex-ntlm", r"\$hex-ntlm\$[0-9a-f]{32}"),
    ("md5-crypt", rf"\$1\$(?P<salt>{SALT}{{0,8}})\${U}{{21}}[./01]"),
    ("apr1", rf"\$apr1\$(?P<salt>{SALT}{{0,8}})\${U}{{21}}[./01]"),
    ("bsdi-crypt", rf"_{U}{{4}}(?P<salt>{U}{{4}}){U}{{10}}[.26AEIMQUYcgkosw]"),
    ("des-crypt", rf"(?P<salt>{U}{{2}}){U}{{10}}[.26AEIMQUYcgkosw]"),
    ("nt", r"\$3\$\$[0-9a-f]{32}"),
    ("sha1-crypt", rf"\$sha1\$[1-9][0-9]*\$(?P<salt>{U}{{0,64}})\${U}{{28}}"),
    ("django-md5", r"md5\$(?P<salt>[ -#%-~]*)\$[0-9a-f]{32}"),
    *(
        (f"hex-{name}", rf"\$hex-{name}\$(?:{POSITION})?[0-9a-f]{{{digits}}}")
        for name, digits in (("md5", 32), ("sha1", 40), ("sha256", 64), ("sha384", 96), ("sha512", 128))
    ),
    ("hex-hmac-md5", r"\$hex-hmac-md5\$keyid=[-A-Za-z0-9.+/]{1,32}\$[0-9a-f]{32}"),
]


SIZES = {
    "md5": 16, "smd5": 16, "sha": 20, "ssha": 20, "sha256": 32, "ssha256": 32, "sha384": 48, "ssha384": 48,
    "sha512": 64, "ssha512": 64,
}


def classify(text):
    """Returns scheme and salt; raises ValueError for a text of none of these schemes."""
    for scheme, pattern in PATTERNS:
        match = re.fullmatch(pattern, text, re.ASCII)
        if match:
            return scheme, match.groupdict().get("salt") or ""
    match = re.fullmatch(r"\$(argon2id?)\$v=19\$m=%s,t=%s,p=%s\$([^$]+)\$([^$]+)" % ((NUMBER,) * 3), text)
    if match:
        salt, digest = b64(match[2]), b64(match[3])
        if 8 <= len(salt) <= 64 and 16 <= len(digest) <= 512:
            return match[1], match[2]
    match = re.fullmatch(r"\$scrypt\$ln=%s,r=%s,p=%s\$([^$]*)\$([^$]+)" % ((NUMBER,) * 3), text)
    if match and b64(match[1]) and 32 <= len(b64(match[2])) <= 128:
        return "scrypt", match[1]
    match = re.fullmatch(r"\$pbkdf2-sha(256|512)\$[1-9][0-9]*\$([^$+]*)\$([^$+]+)", text)
    if match and len(b64(match[3], "./")) == int(match[1]) // 8:
        return "pbkdf2-sha" + match[1], b64(match[2], "./").hex()
    match = re.fullmatch(r"pbkdf2_sha256\$[1-9][0-9]*\$([^$]+)\$([^$]+)", text)
    if match and len(b64(match[2], padded=True)) == 32:
        return "pbkdf2-sha256", match[1].encode().hex()
    match = re.fullmatch(r"\{([A-Za-z0-9]+)\}([^{}]*)", text)
    if match and match[1].lower() in SIZES:
        data, name = b64(match[2], padded=True), match[1].lower()
        size = SIZES[name]
        if (1 <= len(data) - size <= 64) if name.startswith(("ssha", "sm")) else len(data) == size:
            return "ldap-" + name, data[size:].hex()
    if match and match[1].lower() == "pkcs5s2" and len(data := b64(match[2], padded=True)) == 48:
        return "atlassian-pbkdf2", data[:16].hex()
    match = re.fullmatch(r"pbkdf2_sha1\$[1-9][0-9]*\$([^$]+)\$([^$]+)", text)
    if match and len(b64(match[2], padded=True)) == 20:
        return "pbkdf2-sha1", match[1].encode().hex()
    raise ValueError(text)


def make(count, *vectors):
    rng = random.Random(18)
    cases = []
    for name in vectors:
        with open(name) as file:
            cases += json.load(file)["cases"]
    known = []
    for case in cases:
        try:
            if classify(case["hash"])[0] == case["scheme"]:
                known.append(case["hash"])
        except ValueError:
            pass
    known = sorted(set(known))
    for number in range(count):
        text = rng.choice(known)
        if rng.random() < 0.7:
            # Another digest.
            digits = "0123456789abcdef"
            if not re.search(r"[0-9a-f]{32}$", text):
                digits += "ABCDEFGHIJKLMNOPQRSTUVWXYZghijklmnopqrstuvwxyz"
            letters = list(text)
            for _ in range(3):
                place = len(letters) - 1 - rng.randrange(4, 10)
                if letters[place].isalnum():
                    letters[place] = rng.choice(digits)
            text = "".join(letters)
        if rng.random() < 0.01:
            text = damaged(text, rng)
        text = rng.choice(["!", "*", ""]) + text if rng.random() < 0.01 else text
        sys.stdout.write("user%d:%s:more\n" % (number, text))


def damaged(text, rng):
    place = rng.randrange(1, len(text))
    return rng.choice(
        [text[:-1], text[:-3], text + "x", text + "=", text[:place] + "~" + text[place + 1:], text[: len(text) // 2],
         text[:place] + "$" + text[place:], text[:place] + "\x07" + text[place:], "%" + text[1:], text.upper()]
    )


def sharing(counter):
    values = [count for count in counter.values() if count > 1]
    return {"accounts": sum(values), "values": len(values), "largest": max(values, default=0)}


def is_note(field, text):
    """Returns whether a text behind a lock mark has no place for a hash; so has what Django stores without a password."""
    if re.fullmatch("![0-9A-Za-z]{40}", field):
        return True
    return not re.search(r"[${]|[./0-9A-Za-z+=]{13}|^[_*].{12}", text, re.DOTALL)


def count(table):
    schemes, hashes, salts = collections.Counter(), collections.Counter(), collections.Counter()
    locked, bad, marked, ambiguous, rows = 0, 0, 0, 0, []
    with open(table, newline="\n") as file:
        for number, line in enumerate(file, 1):
            field = line.split(":")[1]
            text = field.lstrip("!*")
            if field.endswith("*" + text) and (
                re.fullmatch("[0-9A-F]{40}", text)
                # A damaged one.
                or re.fullmatch("[0-9A-Fa-f]{30,}", text) and len(text) not in (32, 40, 64, 96, 128)
            ):
                text = "*" + text
            try:
                scheme, salt = classify(text)
            except ValueError:
                if re.fullmatch("[0-9A-Fa-f]+", text) and len(text) in (32, 40, 64, 96, 128):
                    ambiguous += 1
                elif text != field and is_note(field, text):
                    marked += 1
                else:
                    bad += 1
                    rows.append(number)
                continue
            schemes[scheme] += 1
            locked += text != field
            hashes[text] += 1
            if salt:
                salts[scheme, salt] += 1
    json.dump({"schemes": schemes, "locked": locked, "marked": marked, "bad": bad, "ambiguous": ambiguous, "rows": rows[:20], "equalHashes": sharing(hashes),
               "sharedSalts": sharing(salts)}, sys.stdout)


if __name__ == "__main__":
    if sys.argv[1] == "make":
        make(int(sys.argv[2]), *sys.argv[3:])
    else:
        count(sys.argv[2])
