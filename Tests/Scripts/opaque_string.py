# Part of CredKit. SPDX-License-Identifier: Apache-2.0
"""Writes texts and their results under the OpaqueString profile of RFC 8265, for comparison in OpaqueStringTests.

usage: opaque_string.py COUNT SEED

Each line has one text as hexadecimal UTF-8: the text, its normalization form D, and the result, or "-" if the profile
rejects the text. Single code points come first, then COUNT random texts. The class of a code point is derived
from Python's Unicode data as in RFC 8264 §8, step by step. Code points unknown to Python's version are omitted, and so
are the context rules of RFC 5892, appendix A.
"""
import random
import sys
import unicodedata

count, seed = int(sys.argv[1]), sys.argv[2]
rng = random.Random(seed)

# RFC 5892, section 2.6.
ALLOWED = {0xDF, 0x3C2, 0x6FD, 0x6FE, 0xF0B, 0x3007}
REFUSED = {0x640, 0x7FA, 0x302E, 0x302F, *range(0x3031, 0x3036), 0x303B}
BY_CONTEXT = {0xB7, 0x375, 0x5F3, 0x5F4, 0x30FB, *range(0x660, 0x66A), *range(0x6F0, 0x6FA), 0x200C, 0x200D}
OLD_HANGUL = [(0x1100, 0x11FF), (0xA960, 0xA97C), (0xD7B0, 0xD7C6), (0xD7CB, 0xD7FB)]
# Default_Ignorable_Code_Point of DerivedCoreProperties.txt.
IGNORABLE = [
    (0xAD, 0xAD), (0x34F, 0x34F), (0x61C, 0x61C), (0x115F, 0x1160), (0x17B4, 0x17B5), (0x180B, 0x180F),
    (0x200B, 0x200F), (0x202A, 0x202E), (0x2060, 0x206F), (0x3164, 0x3164), (0xFE00, 0xFE0F), (0xFEFF, 0xFEFF),
    (0xFFA0, 0xFFA0), (0xFFF0, 0xFFF8), (0x1BCA0, 0x1BCA3), (0x1D173, 0x1D17A), (0xE0000, 0xE0FFF),
]  # fmt: skip
VALID = set("Ll Lu Lo Nd Lm Mn Mc Lt Nl No Me Zs Sm Sc Sk So Pc Pd Ps Pe Pi Pf Po".split())


def within(point, ranges):
    return any(first <= point <= last for first, last in ranges)


def is_noncharacter(point):
    return point & 0xFFFE == 0xFFFE or 0xFDD0 <= point <= 0xFDEF


def is_valid(character):
    """Returns whether a code point is in the FreeformClass."""
    point, category = ord(character), unicodedata.category(character)
    if point in ALLOWED or point in REFUSED:
        return point in ALLOWED
    if category == "Cn" and not is_noncharacter(point):
        return False
    if 0x21 <= point <= 0x7E:
        return True
    if within(point, OLD_HANGUL) or within(point, IGNORABLE) or is_noncharacter(point) or category == "Cc":
        return False
    if unicodedata.normalize("NFKC", character) != character:
        return True
    return category in VALID


def enforce(text):
    """Returns the result, or None if the text is rejected."""
    text = "".join(" " if unicodedata.category(character) == "Zs" else character for character in text)
    text = unicodedata.normalize("NFC", text)
    return text if text and all(map(is_valid, text)) else None


def digits(text):
    return text.encode().hex()


def write(text):
    result = enforce(text)
    print(digits(text), digits(unicodedata.normalize("NFD", text)), "-" if result is None else digits(result))


def is_known(character):
    point = ord(character)
    if unicodedata.category(character) == "Cn" and not is_noncharacter(point):
        return False
    return not any(ord(each) in BY_CONTEXT for each in unicodedata.normalize("NFC", character))


known = [chr(point) for point in range(0x110000) if not 0xD800 <= point < 0xE000 and is_known(chr(point))]
# Large blocks of equivalent code points are sampled.
LARGE = [(0x3400, 0x9FFF), (0xAC00, 0xD7A3), (0xE000, 0xF8FF), (0x17000, 0x18CFF), (0x20000, 0x10FFFF)]
points = [c for c in known if not within(ord(c), LARGE) or ord(c) % 97 == 0 or is_noncharacter(ord(c))]
for character in points:
    write(character)

composing = [c for c in points if unicodedata.normalize("NFD", c) != c or unicodedata.combining(c)]
# Marks that count as starters and decompose into marks.
starting = ["\u0f73", "\u0f75", "\u0f81"]
jamo = [chr(point) for point in [*range(0x1100, 0x1113), *range(0x1161, 0x1176), *range(0x11A8, 0x11C3)]]
valid = [c for c in points if is_valid(c)]
for _ in range(count):
    kinds = rng.choices([valid, composing, starting, jamo, points], weights=[10, 20, 2, 2, 1], k=rng.randint(1, 12))
    text = "".join(rng.choice(kind) for kind in kinds)
    write(unicodedata.normalize(rng.choice(["NFC", "NFD"]), text) if rng.random() < 0.3 else text)
