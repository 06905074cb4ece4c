# Part of CredKit. SPDX-License-Identifier: Apache-2.0
"""Compares with the preparations of SCRAM, from Python's tables of RFC 3454 and its Unicode data of version 3.2.

usage: preparation.py single               SASLprep of each code point alone, as lines
                                             = FIRST LAST    runs that it does not change
                                             ! FIRST LAST    runs that it refuses
                                             > POINT RESULT
       preparation.py random COUNT SEED    random texts, as lines TEXT RESULT; the result is "!" if it is refused
       preparation.py verify               reads lines PASSWORD VERIFIER, with a verifier of PostgreSQL, and prints a line
                                             for each password, "1" if the verifier is of its bytes and "0" if not

Numbers, texts and passwords are hexadecimal; the latter two in UTF-8."""
import base64
import hashlib
import hmac
import random
import stringprep as tables
import sys
import unicodedata

old = unicodedata.ucd_3_2_0
PROHIBITED = [
    tables.in_table_c12, tables.in_table_c21_c22, tables.in_table_c3, tables.in_table_c4, tables.in_table_c5,
    tables.in_table_c6, tables.in_table_c7, tables.in_table_c8, tables.in_table_c9, tables.in_table_a1,
]  # fmt: skip


def is_prohibited(character):
    return any(table(character) for table in PROHIBITED)


def prepare(text):
    """Returns SASLprep of a stored string (RFC 4013), or None if the text is refused."""
    mapped = "".join(
        " " if tables.in_table_c12(character) else character
        for character in text
        if tables.in_table_c12(character) or not tables.in_table_b1(character)
    )
    result = old.normalize("NFKC", mapped)
    if not result or any(map(is_prohibited, result)):
        return None
    if any(map(tables.in_table_d1, result)):
        if any(map(tables.in_table_d2, result)) or not all(map(tables.in_table_d1, (result[0], result[-1]))):
            return None
    return result


def digits(text):
    return text.encode().hex()


def points():
    return (point for point in range(0x110000) if not 0xD800 <= point < 0xE000)


def single():
    runs = []
    for point in points():
        character = chr(point)
        result = None if tables.in_table_a1(character) else prepare(character)
        if result not in (character, None):
            print(f"> {point:x} {digits(result)}")
            continue
        sign = "!" if result is None else "="
        if runs and runs[-1][0] == sign and runs[-1][2] == point - 1:
            runs[-1][2] = point
        else:
            runs.append([sign, point, point])
    for sign, first, last in runs:
        print(f"{sign} {first:x} {last:x}")


def texts(rng):
    """Texts of characters that Unicode 3.2 has. Half of them mix removed characters, spaces and right-to-left ones."""
    known = [chr(point) for point in points() if not tables.in_table_a1(chr(point))]
    allowed = [c for c in known if tables.in_table_c12(c) or not is_prohibited(c)]
    removed = list(filter(tables.in_table_b1, known))
    spaces = list(filter(tables.in_table_c12, known))
    right_to_left = list(filter(tables.in_table_d1, allowed))
    neutral = [c for c in allowed if not tables.in_table_d1(c) and not tables.in_table_d2(c)]
    marks = [c for c in allowed if old.combining(c)]
    # Marks that count as starters and decompose into marks.
    marks += ["\u0f73", "\u0f75", "\u0f81"]
    composed = [c for c in allowed if old.normalize("NFKD", c) != c]
    jamo = [c for c in allowed if "\u1100" <= c <= "\u11ff"]
    special = [removed, spaces, right_to_left, marks, neutral]
    # Each row is a kind of text. The second one has no prohibited characters.
    kinds = [
        ([known, marks, composed], 1),
        ([allowed, marks, composed, composed, jamo], 4),
        ([marks, jamo], 1),
        ([*special, composed], 1),
        ([*special, right_to_left], 3),
        ([right_to_left, removed], 2),
    ]
    weights = [weight for _, weight in kinds]
    while True:
        sources = rng.choices(kinds, weights)[0][0]
        text = "".join(rng.choice(rng.choice(sources)) for _ in range(rng.randint(1, 9)))
        yield old.normalize(rng.choice(["NFC", "NFD", "NFKD"]), text) if rng.random() < 0.2 else text


def verify(password, verifier):
    """Returns whether a verifier such as SCRAM-SHA-256$4096:SALT$STOREDKEY:SERVERKEY is of a password."""
    scheme, parameters, keys = verifier.split("$")
    iterations, salt = parameters.split(":")
    salted = hashlib.pbkdf2_hmac("sha256", password, base64.b64decode(salt), int(iterations))
    client, server = (hmac.digest(salted, name, "sha256") for name in (b"Client Key", b"Server Key"))
    expected = hashlib.sha256(client).digest(), server
    return scheme == "SCRAM-SHA-256" and [base64.b64encode(key).decode() for key in expected] == keys.split(":")


if sys.argv[1] == "single":
    single()
elif sys.argv[1] == "random":
    for _, text in zip(range(int(sys.argv[2])), texts(random.Random(sys.argv[3]))):
        result = prepare(text)
        print(digits(text), "!" if result is None else digits(result))
else:
    for line in sys.stdin:
        password, verifier = line.split()
        print(int(verify(bytes.fromhex(password), verifier)))
