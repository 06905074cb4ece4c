# Part of CredKit. SPDX-License-Identifier: Apache-2.0
"""Exchanges password hashes between credkit and other tools, in both directions.

usage: interoperability.py CREDKIT [--short] [SEED]

With --short every tool, scheme and direction is checked with one random password and a fixed one.

Prints a line for each tool, scheme and direction. The exit status is 1 if any hash was not accepted, any wrong
password was, a tool is missing, or a tool or credkit has a scheme that is not compared here.
"""
import base64
import ctypes
import ctypes.util
import hashlib
import hmac
import json
import os
import random
import re
import string
import subprocess
import sys
import tempfile
import time
import warnings
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from importlib.metadata import version
from typing import Callable

import argon2
import bcrypt
import passlib.hash
import passlib.registry
import werkzeug.security
from django.conf import settings
from django.contrib.auth import hashers

# Deprecated calls that a later version removes; the version is pinned.
warnings.simplefilter("ignore", DeprecationWarning)
warnings.filterwarnings("ignore", "The .* password method is deprecated")

os.environ["LC_ALL"] = "C.UTF-8"


class Trouble(Exception):
    """A tool failed instead of accepting or rejecting a password."""


def run(arguments, password=b"", statuses=(0,), pass_fds=()):
    """Runs a program with a password on its standard input; raises Trouble for any unexpected status."""
    try:
        result = subprocess.run(arguments, input=password, capture_output=True, pass_fds=pass_fds, timeout=60)
    except OSError as error:
        raise Trouble(f"{arguments[0]} cannot be run: {error.strerror}") from None
    if result.returncode not in statuses:
        message = (result.stderr or result.stdout).decode(errors="replace").strip()
        raise Trouble(f"{arguments[0]} ended with {result.returncode}: {message}")
    return result


# Passwords ----------------------------------------------------------------------------------------------------------

# Each kind includes the passwords of the kinds before it.
ASCII, TEXT, LINE, ANY = range(4)

FIXED = [
    (ASCII, b"correct horse battery staple"),
    (ASCII, b"x"),
    (ASCII, b"  two  spaces  "),
    (ASCII, b"-$6$'\"`\\!%:*#~{}"),
    (ASCII, b"seventy-two bytes: " + b"0123456789" * 5 + b"..."),
    (ASCII, b""),
    (TEXT, "Grüße aus Köln, 你好 🔑".encode()),
    (LINE, b"\xff\xa3\x80 of no encoding"),
    (ANY, b"a NUL \0 and more"),
    (ANY, b"\ntwo lines\n"),
]
RANDOM_COUNT = 3
is_short = False
# Lengths around the limits of DES, the blocks of hash functions, and bcrypt's limit.
LENGTHS = (1, 7, 8, 9, 15, 16, 17, 55, 56, 63, 64, 65, 71, 72, 73, 111, 112, 126, 128, 129, 254, 255, 511, 1000)
PRINTABLE = bytes(range(0x20, 0x7F))


@dataclass(frozen=True)
class Passwords:
    """The passwords that a tool supports."""

    kind: int = ANY
    longest: int = 1000
    shortest: int = 0
    takes_empty: bool = True
    # The number of significant bytes.
    significant: int | None = None
    limit: int | None = None

    def draw(self, rng):
        fixed = [word for kind, word in FIXED if kind <= self.kind and self.shortest <= len(word) <= self.longest]
        drawn = [self.random(rng) for _ in range(RANDOM_COUNT)]
        if is_short:
            fixed = [rng.choice(fixed)]
            del drawn[1:]
        # Random passwords first, so that a limit on the count leaves some of them.
        return [word for word in drawn + fixed if word or self.takes_empty][: self.limit]

    def random(self, rng):
        count = rng.choice([length for length in LENGTHS if self.shortest <= length <= self.longest])
        if self.kind == ASCII:
            return bytes(rng.choices(PRINTABLE, k=count))
        if self.kind == TEXT:
            characters = (rng.choice((rng.randint(0x20, 0x7E), rng.randint(0xA0, 0xD7FF))) for _ in range(count))
            return "".join(map(chr, characters)).encode()[:count].decode(errors="ignore").encode()
        return bytes(rng.randint(0x20 if self.kind == LINE else 0, 255) for _ in range(count))

    def wrong(self, word):
        """Wrong passwords that are similar to a correct one."""
        if not word:
            return [b"x"]
        # A bit that is significant even in 7-bit schemes, and that does not produce a control character.
        others = [bytes([word[0] ^ 1]) + word[1:]]
        if len(word) < (self.significant or self.longest):
            others.append(word + b"x")
        # Without its last byte, unless that byte is insignificant: HMAC pads keys with NULs, and DES reads seven bits
        # of each byte.
        if 1 < len(word) <= (self.significant or self.longest) and word[-1] & 0x7F:
            others.append(word[:-1])
        return others


# credkit ------------------------------------------------------------------------------------------------------------


class CredKit:
    """The credkit command. It receives passwords on standard input or on a separate descriptor."""

    def __init__(self, path):
        self.path = path

    def verify(self, stored, password, options=()):
        """Returns the scheme's name and whether the password matches, or None and the message if there is no answer."""
        arguments = [self.path, "verify", "--raw", "--json", *options, "--", stored]
        result = run(arguments, password, statuses=(0, 1, 65))
        if result.returncode == 65:
            return None, result.stderr.decode().strip()
        answer = json.loads(result.stdout)
        if answer["result"] != ("match", "mismatch")[result.returncode]:
            raise Trouble(f"credkit ended with {result.returncode} and printed {answer['result']}")
        return answer["scheme"], result.returncode == 0

    def hash(self, scheme, costs, password):
        source, target = os.pipe()
        try:
            with open(target, "wb") as pipe:
                # Without a byte there is no password; an empty line is an empty one.
                pipe.write(password or b"\n")
            raw = ["--raw"] if password else []
            arguments = [self.path, "hash", scheme, *costs, *raw, "--password-fd", str(source)]
            return run(arguments, pass_fds=(source,)).stdout.decode().removesuffix("\n")
        finally:
            os.close(source)

    def schemes(self):
        text = run([self.path, "help", "formats"]).stdout.decode()
        return re.findall(r"[^,\s]+", re.search(r"that write them:\n(.*?)\n\n", text, re.DOTALL).group(1))

    def makers(self):
        return re.findall(r"Print a new (\S+) hash", run([self.path, "hash", "--help"]).stdout.decode())


# Cases --------------------------------------------------------------------------------------------------------------


@dataclass
class Tally:
    """The results of a case."""

    line: str
    matched: int = 0
    refused: int = 0
    failures: list = field(default_factory=list)

    def fail(self, text, stored, password):
        self.failures.append(f"{text}\n    hash {stored}\n    password {password!r}")


@dataclass
class Verified:
    """credkit verifies hashes that a tool created."""

    tool: str
    scheme: str
    # Creates a hash of a password; the generator is for salts.
    make: Callable[[bytes, random.Random], str]
    passwords: Passwords = Passwords()
    variant: str = ""
    options: tuple = ()

    def __str__(self):
        return f"{self.tool} → credkit  {self.scheme} {self.variant}".rstrip()

    def run(self, credkit, rng):
        tally = Tally(str(self))
        for password in self.passwords.draw(rng):
            stored = None
            try:
                stored = self.make(password, rng)
                answer = credkit.verify(stored, password, self.options)
                if answer == (self.scheme, True):
                    tally.matched += 1
                else:
                    tally.fail(f"credkit says {answer}", stored, password)
                other = rng.choice(self.passwords.wrong(password))
                answer = credkit.verify(stored, other, self.options)
                if answer == (self.scheme, False):
                    tally.refused += 1
                else:
                    tally.fail(f"credkit says {answer} for a wrong password", stored, other)
            except Exception as error:
                tally.fail(f"{type(error).__name__}: {error}", stored, password)
        return tally


@dataclass
class Made:
    """A tool verifies hashes that credkit created, or computes the same hash."""

    tool: str
    scheme: str
    # Whether a hash matches a password.
    check: Callable[[str, bytes], bool]
    passwords: Passwords = Passwords()
    # Whether the tool can read the hash.
    is_possible: Callable[[str], bool] = lambda stored: True
    # Whether the tool can read hashes of these costs.
    reads: Callable[[tuple], bool] = lambda costs: True

    def __str__(self):
        return f"credkit → {self.tool}  {self.scheme}"

    def run(self, credkit, rng):
        tally = Tally(str(self))
        for costs in filter(self.reads, COSTS[self.scheme]):
            for password in self.passwords.draw(rng):
                stored = None
                try:
                    while stored is None or not self.is_possible(stored):
                        stored = credkit.hash(self.scheme, costs, password)
                    if self.check(stored, password):
                        tally.matched += 1
                    else:
                        tally.fail(f"{self.tool} does not accept it", stored, password)
                    for other in self.passwords.wrong(password):
                        if not self.check(stored, other):
                            tally.refused += 1
                        else:
                            tally.fail(f"{self.tool} accepts a wrong password", stored, other)
                except Exception as error:
                    tally.fail(f"{type(error).__name__}: {error}", stored, password)
        return tally


@dataclass
class Unmatched:
    """credkit recognizes the mark of an account without a password, which no password matches."""

    tool: str
    scheme: str
    make: Callable[[random.Random], str]

    def __str__(self):
        return f"{self.tool} → credkit  {self.scheme}"

    def run(self, credkit, rng):
        tally = Tally(str(self))
        stored = self.make(rng)
        for password in [*Passwords().draw(rng), b"", stored.encode()]:
            answer = credkit.verify(stored, password)
            if answer == (self.scheme, False):
                tally.refused += 1
            else:
                tally.fail(f"credkit says {answer}", stored, password)
        return tally


@dataclass
class Unknown:
    """credkit reports that it does not check these hashes, and never that the password is wrong."""

    tool: str
    # Creates hashes of a password.
    make: dict[str, Callable[[bytes], str]]

    def __str__(self):
        names = ", ".join(self.make) if len(self.make) <= 3 else f"{len(self.make)} schemes"
        return f"{self.tool} → credkit  not checked: {names}"

    def run(self, credkit, rng):
        tally = Tally(str(self))
        for name, make in self.make.items():
            password, stored = b"correct horse", None
            try:
                stored = make(password)
                scheme, answer = credkit.verify(stored, password)
                if scheme is None:
                    tally.refused += 1
                else:
                    tally.fail(f"credkit identifies a hash of {name} as {scheme} and says {answer}", stored, password)
            except Exception as error:
                tally.fail(f"{name}: {type(error).__name__}: {error}", stored, password)
        return tally


# The costs for credkit's hashes: low, and those whose notation differs, such as SHA-crypt's 5,000 rounds.
COSTS = {
    "argon2id": [("--memory=8KiB", "--passes=1"), ("--memory=1MiB", "--passes=3"), ()],
    "scrypt": [("--cost=4",), ("--cost=10", "--block-size=4", "--parallelism=3")],
    "bcrypt": [("--cost=4",), ("--cost=5",)],
    "yescrypt": [("--cost=1",), ("--cost=3",)],
    "sha512-crypt": [("--rounds=1000",), ("--rounds=5000",)],
    "sha256-crypt": [("--rounds=1000",), ("--rounds=5000",)],
    "pbkdf2-sha256": [("--iterations=1",), ("--iterations=1000",)],
    "pbkdf2-sha512": [("--iterations=1",), ("--iterations=1000",)],
    "scram-sha-256": [("--iterations=4096", "--form=dovecot"), ("--iterations=5000",)],
    "scram-sha-512": [("--iterations=4096", "--form=dovecot"), ("--iterations=5000",)],
}

SIGNIFICANT = {"bcrypt": 72, "des-crypt": 8}

# Debian installs these where no ordinary user's PATH leads.
SLAPPASSWD_PATH = "/usr/sbin/slappasswd"
SLAPD_MODULES = "/usr/lib/ldap"
MARIADBD_PATH = "/usr/sbin/mariadbd"


def salt_of(rng, count, alphabet=string.ascii_letters + string.digits):
    return "".join(rng.choices(alphabet, k=count))


def unpadded(data):
    return base64.b64encode(data).decode().rstrip("=")


def from_unpadded(text):
    return base64.b64decode(text + "=" * (-len(text) % 4), validate=True)


# The argon2 command -------------------------------------------------------------------------------------------------


def argon2_command_cases():
    # The command supports no empty password, and at most 126 bytes.
    passwords = Passwords(longest=126, takes_empty=False)

    def compute(options, password, salt):
        return run(["argon2", salt, *options, "-e"], password).stdout.decode().strip()

    def maker(options):
        return lambda password, rng: compute(options, password, salt_of(rng, rng.randint(8, 48)))

    for scheme, variant in (("argon2id", "-id"), ("argon2i", "-i"), ("argon2d", "-d")):
        for lanes in (1, 2, 4):
            for passes, memory, length in ((1, 32, 16), (3, 1024, 32), (2, 100, 64)):
                options = [variant, "-t", str(passes), "-k", str(memory), "-p", str(lanes), "-l", str(length)]
                limited = Passwords(longest=126, takes_empty=False, limit=4)
                name = f"m={memory},t={passes},p={lanes} {length} bytes"
                yield Verified("argon2", scheme, maker(options), limited, name)

    def recompute(stored, password):
        _, name, _, costs, salt, digest = stored.split("$")
        memory, passes, lanes = re.fullmatch(r"m=(\d+),t=(\d+),p=(\d+)", costs).groups()
        options = ["-id", "-t", passes, "-k", memory, "-p", lanes, "-l", str(len(from_unpadded(digest)))]
        return compute(options, password, from_unpadded(salt)) == stored

    def has_argument_for_salt(stored):
        return 0 not in from_unpadded(stored.split("$")[4])

    yield Made("argon2", "argon2id", recompute, passwords, has_argument_for_salt)

    small = ["-t", "1", "-k", "8"]
    yield Unknown(
        "argon2",
        {
            "argon2id with 8 bytes": lambda password: compute(["-id", "-l", "8", *small], password, "saltsalt"),
        },
    )


# argon2-cffi --------------------------------------------------------------------------------------------------------


def argon2_cffi_cases():
    def maker(variant, **costs):
        hasher = argon2.PasswordHasher(type=variant, **costs)
        return lambda password, rng: hasher.hash(password, salt=rng.randbytes(rng.randint(8, 64)))

    for scheme, variant in (("argon2id", argon2.Type.ID), ("argon2i", argon2.Type.I)):
        for lanes in (1, 2, 4):
            costs = dict(time_cost=2, memory_cost=512, parallelism=lanes, hash_len=16 * lanes)
            yield Verified("argon2-cffi", scheme, maker(variant, **costs), variant=f"p={lanes}")

    def check(stored, password):
        try:
            return argon2.PasswordHasher().verify(stored, password)
        except argon2.exceptions.VerifyMismatchError:
            return False

    yield Made("argon2-cffi", "argon2id", check)


# libpass ------------------------------------------------------------------------------------------------------------

# Handlers of schemes that credkit has: what credkit calls them, settings, passwords.
LIBPASS = {
    "argon2": [
        ("argon2id", dict(type="ID", rounds=2, memory_cost=256, parallelism=2), Passwords()),
        ("argon2i", dict(type="I", rounds=3, memory_cost=256, parallelism=1, digest_size=64), Passwords()),
    ],
    "scrypt": [
        ("scrypt", dict(rounds=8, block_size=4, parallelism=2), Passwords()),
        ("scrypt", dict(rounds=4, salt_size=0), Passwords(limit=6)),
    ],
    "bcrypt": [
        ("bcrypt", dict(ident="2b", rounds=4), Passwords(LINE, 72, significant=72)),
        ("bcrypt", dict(ident="2y", rounds=4), Passwords(LINE, 72, significant=72)),
        # libxcrypt's $2a$ deliberately differs from others' for some passwords with a byte 0xFF, which UTF-8 never
        # contains.
        ("bcrypt", dict(ident="2a", rounds=4), Passwords(TEXT, 72, significant=72)),
    ],
    "pbkdf2_sha256": [
        ("pbkdf2-sha256", dict(rounds=1000), Passwords()),
        ("pbkdf2-sha256", dict(rounds=1, salt_size=0), Passwords(limit=6)),
    ],
    "pbkdf2_sha512": [
        ("pbkdf2-sha512", dict(rounds=1000), Passwords()),
        ("pbkdf2-sha512", dict(rounds=1, salt_size=100), Passwords(limit=6)),
    ],
    "sha256_crypt": [
        ("sha256-crypt", dict(rounds=1000), Passwords(LINE, 511)),
        ("sha256-crypt", dict(rounds=5000, salt_size=1), Passwords(LINE, 511, limit=6)),
    ],
    "sha512_crypt": [
        ("sha512-crypt", dict(rounds=1000), Passwords(LINE, 511)),
        ("sha512-crypt", dict(rounds=5000, salt_size=1), Passwords(LINE, 511, limit=6)),
    ],
    "md5_crypt": [
        ("md5-crypt", {}, Passwords(LINE, 511)),
        ("md5-crypt", dict(salt_size=0), Passwords(LINE, 511, limit=6)),
    ],
    "apr_md5_crypt": [
        ("apr1", {}, Passwords(LINE)),
        ("apr1", dict(salt_size=0), Passwords(LINE, limit=6)),
    ],
    "sha1_crypt": [
        ("sha1-crypt", dict(rounds=500), Passwords(LINE, 511)),
        ("sha1-crypt", dict(rounds=1, salt_size=64), Passwords(LINE, 511, limit=6)),
        ("sha1-crypt", dict(rounds=3, salt_size=0), Passwords(LINE, 511, limit=6)),
    ],
    "sun_md5_crypt": [
        ("sun-md5", dict(rounds=0), Passwords(LINE, 511, limit=8)),
        ("sun-md5", dict(rounds=100), Passwords(LINE, 511, limit=8)),
    ],
    "des_crypt": [("des-crypt", {}, Passwords(LINE, 511, significant=8))],
    # A hash of at most 8 bytes is one of DES; libpass hashes more than 128 bytes, crypt(3) does not.
    "bigcrypt": [("bigcrypt", {}, Passwords(LINE, 128, shortest=9, significant=128))],
    "bsdi_crypt": [
        ("bsdi-crypt", dict(rounds=1), Passwords(LINE, 511, limit=6)),
        ("bsdi-crypt", dict(rounds=1001), Passwords(LINE, 511, limit=6)),
    ],
    # libpass decodes the password as UTF-8; crypt(3), and credkit with it, as Latin-1.
    "bsd_nthash": [("nt", {}, Passwords(ASCII, 128))],
    "ldap_md5": [("ldap-md5", {}, Passwords())],
    "ldap_sha1": [("ldap-sha", {}, Passwords())],
    "ldap_hex_md5": [("ldap-md5", {}, Passwords())],
    "ldap_hex_sha1": [("ldap-sha", {}, Passwords())],
    "ldap_pbkdf2_sha1": [("pbkdf2-sha1", dict(rounds=100), Passwords(limit=6))],
    "ldap_pbkdf2_sha256": [("pbkdf2-sha256", dict(rounds=100), Passwords(limit=6))],
    "ldap_pbkdf2_sha512": [("pbkdf2-sha512", dict(rounds=100), Passwords(limit=6))],
    "ldap_salted_md5": [("ldap-smd5", {}, Passwords()), ("ldap-smd5", dict(salt_size=16), Passwords(limit=6))],
    "ldap_salted_sha1": [("ldap-ssha", {}, Passwords()), ("ldap-ssha", dict(salt_size=16), Passwords(limit=6))],
    "ldap_salted_sha256": [("ldap-ssha256", {}, Passwords()), ("ldap-ssha256", dict(salt_size=16), Passwords(limit=6))],
    "ldap_salted_sha512": [("ldap-ssha512", {}, Passwords()), ("ldap-ssha512", dict(salt_size=16), Passwords(limit=6))],
    "ldap_bcrypt": [("bcrypt", dict(rounds=4), Passwords(LINE, 72, significant=72, limit=6))],
    "ldap_bsdi_crypt": [("bsdi-crypt", dict(rounds=1), Passwords(LINE, 511, limit=6))],
    "ldap_des_crypt": [("des-crypt", {}, Passwords(LINE, 511, significant=8))],
    "ldap_md5_crypt": [("md5-crypt", {}, Passwords(LINE, 511))],
    "ldap_sha1_crypt": [("sha1-crypt", dict(rounds=10), Passwords(LINE, 511))],
    "ldap_sha256_crypt": [("sha256-crypt", dict(rounds=1000), Passwords(LINE, 511))],
    "ldap_sha512_crypt": [("sha512-crypt", dict(rounds=1000), Passwords(LINE, 511))],
    "atlassian_pbkdf2_sha1": [("atlassian-pbkdf2", {}, Passwords())],
    "mysql41": [("mysql41", {}, Passwords())],
    "pbkdf2_sha1": [
        ("pbkdf2-sha1", dict(rounds=1000), Passwords()),
        ("pbkdf2-sha1", dict(rounds=1, salt_size=0), Passwords(limit=6)),
    ],
    "bcrypt_sha256": [
        ("bcrypt-sha256", dict(rounds=4), Passwords()),
        ("bcrypt-sha256", dict(rounds=4, version=1, ident="2a"), Passwords()),
        ("bcrypt-sha256", dict(rounds=4, version=1, ident="2b"), Passwords(limit=6)),
    ],
    "phpass": [
        ("phpass", dict(rounds=7), Passwords()),
        ("phpass", dict(rounds=9, ident="H"), Passwords(limit=6)),
    ],
    "django_argon2": [("argon2i", dict(rounds=3, memory_cost=256, parallelism=1), Passwords())],
    "django_bcrypt": [("bcrypt", dict(rounds=4), Passwords(LINE, 72, significant=72))],
    "django_bcrypt_sha256": [("bcrypt-sha256", dict(rounds=4), Passwords())],
    "django_des_crypt": [("des-crypt", {}, Passwords(LINE, 511, significant=8))],
    "django_pbkdf2_sha1": [("pbkdf2-sha1", dict(rounds=1000), Passwords())],
    "django_pbkdf2_sha256": [("pbkdf2-sha256", dict(rounds=1000), Passwords())],
    "django_salted_md5": [("django-md5", {}, Passwords())],
    "django_salted_sha1": [
        ("django-sha1", {}, Passwords()),
        ("django-sha1", dict(salt_size=0), Passwords(limit=6)),
        # These are Werkzeug's lengths, which make the notation ambiguous.
        ("django-sha1", dict(salt_size=8), Passwords(limit=6)),
        ("django-sha1", dict(salt_size=16), Passwords(limit=6)),
    ],
    "hex_md5": [("md5", {}, Passwords())],
    "hex_sha1": [("sha1", {}, Passwords())],
    "hex_sha256": [("sha256", {}, Passwords())],
    "hex_sha512": [("sha512", {}, Passwords())],
    "nthash": [("ntlm", {}, Passwords(TEXT))],
}

# Handlers of schemes that credkit does not have.
LIBPASS_UNKNOWN = """
    cisco_asa cisco_pix cisco_type7 cta_pbkdf2_sha1 dlitz_pbkdf2_sha1 fshp grub_pbkdf2_sha512 hex_md4 htdigest
    ldap_plaintext lmhash msdcc msdcc2
    mssql2000 mssql2005 mysql323 oracle10 oracle11 plaintext postgres_md5 roundup_plaintext scram
""".split()

# Its hashes have the form of a bigcrypt hash of 9 to 16 bytes.
LIBPASS_INDISTINGUISHABLE = {"crypt16"}

# Schemes whose hashes are digits alone.
BARE = ("md5", "sha1", "sha256", "sha384", "sha512", "ntlm")

LIBPASS_VERIFIES = {
    "argon2id": ("argon2", Passwords()),
    "scrypt": ("scrypt", Passwords()),
    "bcrypt": ("bcrypt", Passwords(LINE, 72, significant=72)),
    "pbkdf2-sha256": ("pbkdf2_sha256", Passwords()),
    "pbkdf2-sha512": ("pbkdf2_sha512", Passwords()),
    "sha256-crypt": ("sha256_crypt", Passwords(LINE, 511, limit=8)),
    "sha512-crypt": ("sha512_crypt", Passwords(LINE, 511, limit=8)),
}


def libpass_cases():
    known = set(passlib.registry.list_crypt_handlers())
    disabled = {"django_disabled", "unix_disabled"}
    require_all("libpass", known, set(LIBPASS) | set(LIBPASS_UNKNOWN) | LIBPASS_INDISTINGUISHABLE | disabled)
    for name in sorted(disabled):
        yield Unmatched("libpass", "unusable", lambda rng, name=name: getattr(passlib.hash, name).hash(""))

    for name, variants in LIBPASS.items():
        for scheme, settings, passwords in variants:
            handler = getattr(passlib.hash, name).using(**settings)

            def make(password, rng, handler=handler):
                return handler.hash(password)

            variant = " ".join([name] + [f"{key}={value}" for key, value in settings.items()])
            options = ("--as", scheme) if scheme in BARE else ()
            yield Verified("libpass", scheme, make, passwords, variant, options)

    def bare_sun_md5(password, rng):
        # Without the second '$' the salt is also hashed without a '$'.
        return passlib.hash.sun_md5_crypt.genhash(password, f"$md5,rounds=7${salt_of(rng, 8)}")

    def scrypt_crypt(password, rng):
        return passlib.hash.scrypt.using(ident="$7$", rounds=8, block_size=4, parallelism=2).hash(password)

    yield Verified("libpass", "sun-md5", bare_sun_md5, Passwords(LINE, 511, limit=6), "sun_md5_crypt of a bare salt")
    yield Verified("libpass", "scrypt-crypt", scrypt_crypt, Passwords(LINE, 511), "scrypt ident=$7$")

    for scheme, (name, passwords) in LIBPASS_VERIFIES.items():
        handler = getattr(passlib.hash, name)

        def check(stored, password, handler=handler):
            return handler.verify(password, stored)

        yield Made("libpass", scheme, check, passwords)

    def unknown(name):
        handler = getattr(passlib.hash, name)
        if getattr(handler, "max_rounds", None) and "rounds" in handler.setting_kwds:
            handler = handler.using(rounds=max(handler.min_rounds, 3))
        context = {key: "name" for key in ("user", "realm") if key in handler.context_kwds}
        return lambda password: handler.hash(password, **context)

    yield Unknown("libpass", {name: unknown(name) for name in LIBPASS_UNKNOWN})


# mkpasswd -----------------------------------------------------------------------------------------------------------

# credkit's name of each method, and the method's settings.
MKPASSWD = {
    "yescrypt": ("yescrypt", ["-R", "1"]),
    "gost-yescrypt": ("gost-yescrypt", ["-R", "1"]),
    "scrypt": ("scrypt-crypt", ["-R", "6"]),
    "bcrypt": ("bcrypt", []),
    "bcrypt-a": ("bcrypt", []),
    "sha512crypt": ("sha512-crypt", ["-R", "1000"]),
    "sha256crypt": ("sha256-crypt", ["-R", "1000"]),
    "sunmd5": ("sun-md5", []),
    "md5crypt": ("md5-crypt", []),
    "bsdicrypt": ("bsdi-crypt", []),
    "descrypt": ("des-crypt", []),
    "nt": ("nt", []),
}
# Slow methods: a tenth of a second or more.
MKPASSWD_SLOW = ("scrypt", "sunmd5")


def mkpasswd_cases():
    lines = run(["mkpasswd", "-m", "help"]).stdout.decode().splitlines()[1:]
    require_all("mkpasswd", {line.split()[0] for line in lines}, set(MKPASSWD))

    def maker(*options):
        return lambda password, rng: run(["mkpasswd", "-s", *options], password).stdout.decode().strip()

    for method, (scheme, options) in MKPASSWD.items():
        significant = SIGNIFICANT.get(scheme)
        # The first passwords are random.
        passwords = Passwords(LINE, 255, significant=significant, limit=7 if method in MKPASSWD_SLOW else None)
        yield Verified("mkpasswd", scheme, maker("-m", method, *options), passwords, " ".join(["-m", method, *options]))
        if options:
            passwords = Passwords(LINE, 255, significant=significant, limit=2)
            yield Verified("mkpasswd", scheme, maker("-m", method), passwords, f"-m {method}")


# libxcrypt ----------------------------------------------------------------------------------------------------------


def libxcrypt_cases():
    name = ctypes.util.find_library("crypt")
    if name is None:
        raise Trouble("libcrypt is not there")
    library = ctypes.CDLL(name, use_errno=True)
    library.crypt_rn.restype = ctypes.c_char_p
    library.crypt_rn.argtypes = [ctypes.c_char_p, ctypes.c_char_p, ctypes.c_void_p, ctypes.c_int]

    def crypt(password, setting):
        size = 32768
        result = library.crypt_rn(password, setting.encode(), ctypes.create_string_buffer(size), size)
        if result is None:
            raise Trouble(f"crypt_rn fails: {os.strerror(ctypes.get_errno())}")
        return result.decode()

    for scheme in ("yescrypt", "bcrypt", "sha256-crypt", "sha512-crypt"):
        longest = SIGNIFICANT.get(scheme, 511)
        passwords = Passwords(LINE, longest, significant=SIGNIFICANT.get(scheme))
        yield Made("libxcrypt", scheme, lambda stored, password: crypt(password, stored) == stored, passwords)

    # With characters beyond ASCII, $2x$ accepts several passwords.
    def bcrypt_x(password, rng):
        return crypt(password, "$2x$04$" + salt_of(rng, 21) + "e")

    yield Verified("libxcrypt", "bcrypt-x", bcrypt_x, Passwords(ASCII, 511, significant=72))

    # Forms that no tool writes today: all of Sun's MD5, bigcrypt, and empty salts; * is a random salt.
    for scheme, setting, passwords in [
        ("sun-md5", "$md5$*", Passwords(LINE, 511, limit=3)),
        ("sun-md5", "$md5$*$", Passwords(LINE, 511, limit=3)),
        ("sun-md5", "$md5$rounds=7$*", Passwords(LINE, 511, limit=3)),
        ("sun-md5", "$md5$rounds=7$*$", Passwords(LINE, 511, limit=3)),
        ("sun-md5", "$md5,rounds=7$*", Passwords(LINE, 511, limit=3)),
        ("sun-md5", "$md5$", Passwords(LINE, 511, limit=3)),
        ("sun-md5", "$md5,rounds=7$$", Passwords(LINE, 511, limit=3)),
        ("bigcrypt", "ab" + "." * 20, Passwords(LINE, 511, shortest=9, significant=128)),
        ("md5-crypt", "$1$$", Passwords(LINE, 511, limit=3)),
        ("sha256-crypt", "$5$rounds=1000$$", Passwords(LINE, 511, limit=3)),
        ("sha512-crypt", "$6$rounds=1000$$", Passwords(LINE, 511, limit=3)),
        ("sha1-crypt", "$sha1$24$*$", Passwords(LINE, 511, limit=3)),
        ("scrypt-crypt", "$7$46..../....$", Passwords(LINE, 511, limit=3)),
        ("yescrypt", "$y$j75$$", Passwords(LINE, 511, limit=3)),
        ("gost-yescrypt", "$gy$j75$$", Passwords(LINE, 511, limit=3)),
    ]:

        def make(password, rng, setting=setting):
            return crypt(password, setting.replace("*", salt_of(rng, 8)))

        yield Verified("libxcrypt", scheme, make, passwords, f"setting {setting}")


# htpasswd -----------------------------------------------------------------------------------------------------------

# credkit's name for the hash that each option selects.
HTPASSWD = {
    "B": ("bcrypt", ["-C", "4"]),
    "m": ("apr1", []),
    "s": ("ldap-sha", []),
    "d": ("des-crypt", []),
    "2": ("sha256-crypt", ["-r", "1000"]),
    "5": ("sha512-crypt", ["-r", "1000"]),
}


def htpasswd_cases(folder):
    usage = run(["htpasswd"], statuses=(2,)).stderr.decode()
    require_all("htpasswd", set(re.findall(r"^ -(\w) +Force ", usage, re.MULTILINE)), set(HTPASSWD))

    def maker(option, more):
        def make(password, rng):
            output = run(["htpasswd", *more, f"-nb{option}", "user", password]).stdout.decode()
            return output.strip().removeprefix("user:")

        return make

    for option, (scheme, more) in HTPASSWD.items():
        passwords = Passwords(LINE, 255, significant=SIGNIFICANT.get(scheme))
        yield Verified("htpasswd", scheme, maker(option, more), passwords, " ".join([f"-nb{option}", *more]))

    def check(stored, password):
        with tempfile.NamedTemporaryFile(dir=folder, suffix=".htpasswd") as file:
            file.write(f"user:{stored}\n".encode())
            file.flush()
            # 3 means a wrong password.
            return run(["htpasswd", "-vb", file.name, "user", password], statuses=(0, 3)).returncode == 0

    # htpasswd passes crypt(3) hashes on to it.
    for scheme in ("bcrypt", "yescrypt", "sha256-crypt", "sha512-crypt"):
        significant = SIGNIFICANT.get(scheme)
        yield Made("htpasswd -vb", scheme, check, Passwords(LINE, significant or 255, significant=significant))


# slappasswd ---------------------------------------------------------------------------------------------------------

# credkit's name for the hash of each scheme; those of SHA-2 are in the module pw-sha2.
SLAPPASSWD = {
    "{SHA}": "ldap-sha",
    "{SSHA}": "ldap-ssha",
    "{MD5}": "ldap-md5",
    "{SMD5}": "ldap-smd5",
    "{SHA256}": "ldap-sha256",
    "{SSHA256}": "ldap-ssha256",
    "{SHA384}": "ldap-sha384",
    "{SSHA384}": "ldap-ssha384",
    "{SHA512}": "ldap-sha512",
    "{SSHA512}": "ldap-ssha512",
}
SLAPPASSWD_CRYPT = {
    "%.2s": "des-crypt",
    "$1$%.8s": "md5-crypt",
    "$2b$04$%.22s": "bcrypt",
    "$5$rounds=1000$%.16s": "sha256-crypt",
    "$6$rounds=1000$%.16s": "sha512-crypt",
    "$7$46..../....%.22s$": "scrypt-crypt",
    "$y$j75$%.16s": "yescrypt",
}


def slappasswd_cases():
    def maker(*options):
        def make(password, rng):
            # An argument is hashed without the line feed that a file ends with.
            return run([SLAPPASSWD_PATH, "-n", *options, "-s", password]).stdout.decode()

        return make

    modules = ("-o", f"module-path={SLAPD_MODULES}", "-o", "module-load=pw-sha2")
    for name, scheme in SLAPPASSWD.items():
        yield Verified("slappasswd", scheme, maker(*modules, "-h", name), Passwords(LINE, takes_empty=False), f"-h {name}")
    for salt, scheme in SLAPPASSWD_CRYPT.items():
        significant = SIGNIFICANT.get(scheme)
        passwords = Passwords(LINE, significant or 511, takes_empty=False, significant=significant, limit=6)
        yield Verified("slappasswd", scheme, maker("-h", "{CRYPT}", "-c", salt), passwords, f"-h {{CRYPT}} -c {salt}")


# Names in braces ----------------------------------------------------------------------------------------------------

# credkit's name for the hash of each scheme of Dovecot that holds neither the password nor what logs in without it.
DOVEADM = {
    "ARGON2": "argon2id",
    "ARGON2I": "argon2i",
    "ARGON2ID": "argon2id",
    "BLF-CRYPT": "bcrypt",
    "CRYPT": "bcrypt",
    "DES-CRYPT": "des-crypt",
    "LDAP-MD5": "ldap-md5",
    "MD5": "md5-crypt",
    "MD5-CRYPT": "md5-crypt",
    "PBKDF2": "pbkdf2-sha1",
    "PLAIN-MD4": "ldap-md4",
    "PLAIN-MD5": "ldap-md5",
    "SHA": "ldap-sha",
    "SHA1": "ldap-sha",
    "SHA256": "ldap-sha256",
    "SHA256-CRYPT": "sha256-crypt",
    "SHA512": "ldap-sha512",
    "SHA512-CRYPT": "sha512-crypt",
    "SMD5": "ldap-smd5",
    "SSHA": "ldap-ssha",
    "SSHA256": "ldap-ssha256",
    "SSHA512": "ldap-ssha512",
}


def prefixed_cases():
    """Dovecot itself; OpenLDAP's module argon2 itself, and others of its modules and Spring Security by their definitions."""
    known = run(["doveadm", "pw", "-l"]).stdout.decode().split()
    for name, scheme in DOVEADM.items():
        # Dovecot has this name since 2.4.
        if name == "ARGON2" and name not in known:
            continue
        for suffix in ("", ".HEX", ".b64"):

            def doveadm(password, rng, name=name + suffix):
                return run(["doveadm", "pw", "-s", name, "-p", password]).stdout.decode().strip()

            significant = SIGNIFICANT.get(scheme)
            passwords = Passwords(LINE, significant or 127, takes_empty=False, significant=significant, limit=3)
            yield Verified("doveadm", scheme, doveadm, passwords, f"-s {name}{suffix}")

    def openldap_argon2(password, rng):
        modules = ("-o", f"module-path={SLAPD_MODULES}", "-o", "module-load=argon2")
        return run([SLAPPASSWD_PATH, "-n", *modules, "-h", "{ARGON2}", "-s", password]).stdout.decode()

    # OpenLDAP 2.5 writes Argon2i, 2.6 Argon2id.
    written = openldap_argon2("password", None).partition("$")[2].partition("$")[0]
    yield Verified("slappasswd", written, openldap_argon2, Passwords(LINE, 127, takes_empty=False, limit=6), "-h {ARGON2}")

    def openldap_pbkdf2(password, rng):
        salt, iterations = rng.randbytes(rng.randint(1, 32)), rng.randint(1, 3000)
        digest = hashlib.pbkdf2_hmac("sha512", password, salt, iterations)
        return f"{{PBKDF2-SHA512}}{iterations}${unpadded(salt)}${unpadded(digest)}".replace("+", ".")

    def netscape(password, rng):
        salt = salt_of(rng, 32, "0123456789abcdef").encode()
        return "{NS-MTA-MD5}" + hashlib.md5(salt + b"\x59" + password + b"\xf7" + salt).hexdigest() + salt.decode()

    def spring_sha256(password, rng):
        salt = rng.randbytes(8)
        digest = salt + password
        for _ in range(1024):
            digest = hashlib.sha256(digest).digest()
        return "{sha256}" + (salt + digest).hex()

    def spring_digest(password, rng):
        salt = "{" + base64.b64encode(rng.randbytes(32)).decode() + "}"
        return "{SHA-256}" + salt + hashlib.sha256(password + salt.encode()).hexdigest()

    yield Verified("hashlib", "pbkdf2-sha512", openldap_pbkdf2, variant="as OpenLDAP writes it")
    yield Verified("hashlib", "netscape-md5", netscape, variant="as OpenLDAP reads it")
    yield Verified("hashlib", "spring-sha256", spring_sha256, variant="as Spring Security writes it")
    yield Verified("hashlib", "ldap-ssha256", spring_digest, variant="as Spring Security writes it")


# MariaDB ------------------------------------------------------------------------------------------------------------


class MariaDB:
    """PASSWORD() of many strings, computed by one run of the server without a network and without its tables."""

    def __init__(self, folder):
        self.folder = os.path.join(folder, "mariadb")
        os.mkdir(self.folder)

    def hashes(self, passwords):
        queries = "".join(
            f"SELECT PASSWORD(x'{word.hex()}') INTO OUTFILE '{self.folder}/{index}.hash';\n"
            for index, word in enumerate(passwords)
        )
        options = ["--no-defaults", "--bootstrap", f"--datadir={self.folder}", "--user=root", "--skip-log-bin"]
        run([MARIADBD_PATH, *options], queries.encode())
        results = []
        for index in range(len(passwords)):
            with open(os.path.join(self.folder, f"{index}.hash")) as file:
                results.append(file.read().strip())
        return results


def mariadb_cases(folder):
    # All at once, because the server takes a second to start.
    words = Passwords(LINE, takes_empty=False).draw(random.Random(os.urandom(8)))
    hashes = dict(zip(words, MariaDB(folder).hashes(words)))

    @dataclass(frozen=True)
    class Drawn(Passwords):
        def draw(self, rng):
            return words

    yield Verified("MariaDB", "mysql41", lambda password, rng: hashes[password], Drawn(LINE))


# openssl ------------------------------------------------------------------------------------------------------------

# credkit's name for the hash that each option selects; None if credkit does not check it.
OPENSSL = {
    "1": "md5-crypt",
    "5": "sha256-crypt",
    "6": "sha512-crypt",
    "apr1": "apr1",
    "aixmd5": None,
}


def openssl_cases():
    usage = run(["openssl", "passwd", "-help"]).stderr.decode()
    section = re.search(r"^Cryptographic options:\n(.*?)\n\n", usage, re.MULTILINE | re.DOTALL).group(1)
    require_all("openssl passwd", set(re.findall(r"^ -(\S+)", section, re.MULTILINE)) - {"salt"}, set(OPENSSL))

    def compute(option, password, *more):
        return run(["openssl", "passwd", f"-{option}", *more, "-stdin"], password + b"\n").stdout.decode().strip()

    for option, scheme in OPENSSL.items():
        if scheme is None:
            unknown = {f"-{option}": lambda password, option=option: compute(option, password)}
            yield Unknown("openssl passwd", unknown)
            continue
        # Its SHA-crypt produces no hash for an empty password.
        passwords = Passwords(LINE, 255, takes_empty=option not in "56")

        def make(password, rng, option=option):
            return compute(option, password)

        yield Verified("openssl passwd", scheme, make, passwords, f"-{option}")

    def recompute(stored, password):
        _, option, *setting, digest = stored.split("$")
        return compute(option, password, "-salt", "$".join(setting)) == stored

    for scheme in ("sha256-crypt", "sha512-crypt"):
        yield Made("openssl passwd", scheme, recompute, Passwords(LINE, 255, takes_empty=False))


# python's own hashlib -----------------------------------------------------------------------------------------------


def scrypt(password, salt, log_n, block_size, parallelism, count):
    return hashlib.scrypt(password, salt=salt, n=1 << log_n, r=block_size, p=parallelism, maxmem=1 << 28, dklen=count)


def hashlib_cases(folder):
    def make_scrypt(password, rng):
        costs = (rng.randint(1, 8), rng.randint(1, 9), rng.randint(1, 3))
        salt = rng.randbytes(rng.randint(1, 64))
        digest = scrypt(password, salt, *costs, rng.choice((32, 64, 128)))
        return "$scrypt$ln={},r={},p={}$".format(*costs) + f"{unpadded(salt)}${unpadded(digest)}"

    def check_scrypt(stored, password):
        costs, salt, digest = re.fullmatch(r"\$scrypt\$([^$]*)\$([^$]*)\$([^$]*)", stored).groups()
        costs = map(int, re.fullmatch(r"ln=(\d+),r=(\d+),p=(\d+)", costs).groups())
        digest = from_unpadded(digest)
        return scrypt(password, from_unpadded(salt), *costs, len(digest)) == digest

    yield Verified("hashlib", "scrypt", make_scrypt)
    yield Made("hashlib", "scrypt", check_scrypt)

    for function in ("sha256", "sha512"):
        scheme = f"pbkdf2-{function}"

        def make_pbkdf2(password, rng, function=function):
            salt, iterations = rng.randbytes(rng.randint(0, 200)), rng.randint(1, 3000)
            digest = hashlib.pbkdf2_hmac(function, password, salt, iterations)
            return f"$pbkdf2-{function}${iterations}${unpadded(salt)}${unpadded(digest)}".replace("+", ".")

        def check_pbkdf2(stored, password, function=function):
            _, name, iterations, salt, digest = stored.split("$")
            salt, digest = (from_unpadded(text.replace(".", "+")) for text in (salt, digest))
            assert name == f"pbkdf2-{function}"
            return hashlib.pbkdf2_hmac(function, password, salt, int(iterations)) == digest

        yield Verified("hashlib", scheme, make_pbkdf2)
        yield Made("hashlib", scheme, check_pbkdf2)

    # From the definitions of Django's PBKDF2PasswordHasher and MD5PasswordHasher.
    def django_pbkdf2(password, rng):
        salt, iterations = salt_of(rng, 22), rng.randint(1, 3000)
        digest = hashlib.pbkdf2_hmac("sha256", password, salt.encode(), iterations)
        return f"pbkdf2_sha256${iterations}${salt}${base64.b64encode(digest).decode()}"

    def django_md5(password, rng):
        salt = salt_of(rng, 22)
        return f"md5${salt}${hashlib.md5(salt.encode() + password).hexdigest()}"

    yield Verified("hashlib", "pbkdf2-sha256", django_pbkdf2, variant="as Django writes it")
    yield Verified("hashlib", "django-md5", django_md5, variant="as Django writes it")

    # Tables that contain only the digest.
    for function in ("md5", "sha1", "sha256", "sha384", "sha512"):

        def digest(data, function=function):
            return hashlib.new(function, data).hexdigest()

        def repeated(password, rng, digest=digest):
            for _ in range(3):
                password = digest(password).encode()
            return password.decode()

        bare = ("--as", function)
        yield Verified("hashlib", function, lambda password, rng, digest=digest: digest(password), options=bare)
        yield Verified(
            "hashlib",
            function,
            lambda password, rng, digest=digest: digest(password).upper(),
            Passwords(limit=3),
            "uppercase",
            bare,
        )
        yield Verified("hashlib", function, repeated, Passwords(limit=6), "rounds=3", (*bare, "--rounds", "3"))
        for position, order in (("prefix", 1), ("suffix", -1)):
            yield Verified(
                "hashlib",
                f"salted-{function}",
                lambda password, rng, digest=digest, order=order: digest(b"".join([b"shop", password][::order])),
                Passwords(limit=6),
                variant=f"{position}=shop",
                options=("--as", f"salted-{function}", "--position", position, "--salt", "shop"),
            )
    key = b"84143"
    with open(os.path.join(folder, "key"), "wb") as file:
        file.write(key)
    yield Verified(
        "hashlib",
        "hmac-md5",
        lambda password, rng: hmac.new(key, password, "md5").hexdigest(),
        options=("--as", "hmac-md5", "--key-id", "app", "--legacy-key", f"app={file.name}"),
    )

    # credkit's own notation for Argon2id over an older hash, computed from its definition: Argon2id of the older text
    # with zeros for its digest, a NUL, and the digest.
    def layered(password, rng):
        inner = "$hex-md5$position=suffix,salt=c2hvcA$" + "0" * 32
        older = inner.encode() + b"\0" + hashlib.md5(password + b"shop").digest()
        salt = rng.randbytes(16)
        outer = argon2.low_level.hash_secret_raw(older, salt, 2, 64, 1, 32, argon2.Type.ID)
        costs = f"m=64,t=2,p=1,inner={unpadded(inner.encode())}"
        return f"$layered-argon2id$v=19${costs}${unpadded(salt)}${unpadded(outer)}"

    yield Verified("argon2-cffi", "layered-argon2id", layered, variant="over hashlib's MD5")


# Django -------------------------------------------------------------------------------------------------------------


class SmallArgon2(hashers.Argon2PasswordHasher):
    time_cost, memory_cost, parallelism = 1, 256, 2


def django_cases():
    settings.configure()

    def maker(hasher, salt=None, **costs):
        def make(password, rng):
            # Its salts have 22 characters; those of bcrypt are bcrypt's.
            own = salt() if salt else salt_of(rng, rng.choice((5, 12, 22)))
            return hasher.encode(password.decode(), own, **costs)

        return make

    text = Passwords(TEXT)
    small = dict(salt=lambda: bcrypt.gensalt(4))
    pbkdf2, pbkdf2_sha1 = hashers.PBKDF2PasswordHasher(), hashers.PBKDF2SHA1PasswordHasher()
    yield Verified("Django", "pbkdf2-sha256", maker(pbkdf2, iterations=1000), text)
    yield Verified("Django", "pbkdf2-sha1", maker(pbkdf2_sha1, iterations=1000), text)
    yield Verified("Django", "argon2id", maker(SmallArgon2(), salt=lambda: os.urandom(11).hex()), text)
    yield Verified("Django", "scrypt", maker(hashers.ScryptPasswordHasher(), n=256, r=4, p=3), text)
    yield Verified("Django", "bcrypt-sha256", maker(hashers.BCryptSHA256PasswordHasher(), **small), text)
    cut = Passwords(TEXT, 72, significant=72)
    yield Verified("Django", "bcrypt", maker(hashers.BCryptPasswordHasher(), **small), cut)
    yield Verified("Django", "django-md5", maker(hashers.MD5PasswordHasher()), text)
    yield Unmatched("Django", "unusable", lambda rng: hashers.make_password(None))


# Werkzeug -----------------------------------------------------------------------------------------------------------

# credkit's names of methods. Version 2.3 is the last one that has those of one digest.
WERKZEUG = {
    "scrypt:256:4:2": "scrypt",
    "pbkdf2:sha1:1000": "pbkdf2-sha1",
    "pbkdf2:sha256:1000": "pbkdf2-sha256",
    "pbkdf2:sha512:1000": "pbkdf2-sha512",
    "md5": "django-md5",
    "sha1": "django-sha1",
    "sha256": "werkzeug-hmac",
    "sha384": "werkzeug-hmac",
    "sha512": "werkzeug-hmac",
}


def werkzeug_cases():
    for method, scheme in WERKZEUG.items():
        for length in (8, 16):

            def make(password, rng, method=method, length=length):
                return werkzeug.security.generate_password_hash(password.decode(), method, length)

            yield Verified("Werkzeug", scheme, make, Passwords(TEXT, limit=8), f"{method}, {length} characters of salt")
    yield Unknown("Werkzeug", {"plain": lambda password: f"plain$${password.decode()}"})


# PHP ----------------------------------------------------------------------------------------------------------------

# From the definitions of phpass, Drupal 7 and WordPress 6.8, with PHP's own functions. Each prints a hash of the password
# on standard input.
PHP = r"""
$alphabet = './0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
$password = stream_get_contents(STDIN);

function encode(string $bytes): string {
    global $alphabet;
    $bits = '';
    foreach (str_split($bytes) as $byte) { $bits .= strrev(sprintf('%08b', ord($byte))); }
    $text = '';
    foreach (str_split($bits, 6) as $group) { $text .= $alphabet[bindec(strrev($group))]; }
    return $text;
}

function stretch(string $algorithm, string $password, string $name, int $logarithm): string {
    global $alphabet;
    $salt = encode(random_bytes(6));
    $digest = hash($algorithm, $salt . $password, true);
    for ($round = 0; $round < 1 << $logarithm; $round++) { $digest = hash($algorithm, $digest . $password, true); }
    return substr($name . $alphabet[$logarithm] . $salt . encode($digest), 0, 55);
}
"""
PHP_HASHES = [
    ("phpass", "stretch('md5', $password, '$P$', 8)"),
    ("phpass", "stretch('md5', $password, '$H$', 7)"),
    ("phpass", "'U' . stretch('md5', md5($password), '$P$', 7)"),
    ("drupal7", "stretch('sha512', $password, '$S$', 7)"),
    ("drupal7", "'U' . stretch('sha512', md5($password), '$S$', 9)"),
    (
        "wordpress-bcrypt",
        "'$wp' . password_hash(base64_encode(hash_hmac('sha384', trim($password), 'wp-sha384', true)), "
        "PASSWORD_BCRYPT, ['cost' => 4])",
    ),
    ("bcrypt", "password_hash($password, PASSWORD_BCRYPT, ['cost' => 4])"),
    ("joomla-sha256", "'{SHA256}' . hash('sha256', $password . 'aB3dE6gH') . ':aB3dE6gH'"),
    # MediaWiki's types.
    ("mediawiki-md5", "':A:' . md5($password)"),
    ("mediawiki-md5", "':B:0a1b2c3d:' . md5('0a1b2c3d-' . md5($password))"),
    (
        "pbkdf2-sha512",
        "':pbkdf2-legacyB:!sha512:10:64!0a1b2c3d!c2FsdA==!' . "
        "base64_encode(hash_pbkdf2('sha512', md5('0a1b2c3d-' . md5($password)), 'salt', 10, 64, true))",
    ),
    (
        "pbkdf2-sha512",
        "':pbkdf2-legacyA:!sha512:10:64!!c2FsdA==!' . "
        "base64_encode(hash_pbkdf2('sha512', md5($password), 'salt', 10, 64, true))",
    ),
    (
        "pbkdf2-sha256",
        "':pbkdf2:sha256:10:128:c2FsdA==:' . base64_encode(hash_pbkdf2('sha256', $password, 'salt', 10, 128, true))",
    ),
]


class Trimmed(Passwords):
    """Passwords of which WordPress removes white space at both ends."""

    def wrong(self, word):
        return super().wrong(word.strip(b" \n\r\t\v\0"))


def php_cases():
    for scheme, expression in PHP_HASHES:
        passwords = Passwords()
        if scheme == "wordpress-bcrypt":
            passwords = Trimmed()
        elif scheme == "bcrypt":
            passwords = Passwords(LINE, 72, significant=72)

        def make(password, rng, expression=expression):
            return run(["php", "-r", f"{PHP} echo {expression};"], password).stdout.decode()

        yield Verified("PHP", scheme, make, passwords, expression.split("(")[0] + ("…" if "U" in expression else ""))


# IP.Board escapes a password by this table of Invision Community 4, in this order.
PHP_ESCAPED = r"""str_ireplace(
    ['&', '<!--', '-->', '<script', '>', '<', '"', "\n", '$', '!', "'", '\\'],
    ['&amp;', '&#60;&#33;--', '--&#62;', '&#60;script', '&gt;', '&lt;', '&quot;', '<br />', '&#036;', '&#33;', '&#39;', '&#092;'],
    $password)"""

# The name of an application, what credkit calls the scheme, and the digest of password $password and salt $salt.
PHP_APPLICATIONS = [
    ("vbulletin", "vbulletin", "md5(md5($password) . $salt)"),
    ("mybb", "mybb", "md5(md5($salt) . md5($password))"),
    ("ipb", "ipb", f"md5(md5($salt) . md5({PHP_ESCAPED}))"),
    ("smf", "smf", "sha1(strtolower($salt) . $password)"),
    ("wbb3", "wbb3", "sha1($salt . sha1($salt . sha1($password)))"),
    ("opencart", "opencart", "sha1($salt . sha1($salt . sha1(htmlspecialchars($password, ENT_COMPAT, 'UTF-8'))))"),
    ("punbb", "punbb", "sha1($salt . sha1($password))"),
    ("fluxbb", "punbb", "sha1($salt . sha1($password))"),
    ("redmine", "punbb", "sha1($salt . sha1($password))"),
    ("joomla", "salted-md5", "md5($password . $salt)"),
    ("oscommerce", "salted-md5", "md5($salt . $password)"),
]


def php_application_cases():
    for application, scheme, expression in PHP_APPLICATIONS:

        def make(password, rng, expression=expression):
            salt = salt_of(rng, rng.randint(1, 30), string.ascii_letters + string.digits + "!:.-_~")
            program = f"$password = stream_get_contents(STDIN); $salt = $argv[1]; echo {expression}, ':', $salt;"
            return run(["php", "-n", "-r", program, "--", salt], password).stdout.decode()

        # htmlspecialchars makes nothing of what is not UTF-8.
        passwords = Passwords(TEXT if application == "opencart" else ANY, limit=6)
        variant = " ".join(expression.split()) if len(expression) < 100 else application
        yield Verified("PHP", scheme, make, passwords, variant, ("--as", application))


# Other notations of PBKDF2 ------------------------------------------------------------------------------------------


def pbkdf2_cases():
    """PHC strings, and ASP.NET Identity by its definition, computed with hashlib."""
    for function, name, length in (
        ("sha1", "pbkdf2", 20),
        ("sha1", "pbkdf2-sha1", None),
        ("sha256", "pbkdf2-sha256", 32),
        ("sha256", "pbkdf2-sha256", 64),
        ("sha512", "pbkdf2-sha512", 32),
        ("sha512", "pbkdf2-sha512", None),
    ):

        def phc(password, rng, function=function, name=name, length=length):
            salt, iterations = rng.randbytes(rng.randint(1, 64)), rng.randint(1, 3000)
            digest = hashlib.pbkdf2_hmac(function, password, salt, iterations, length)
            stated = f",l={length}" if length else ""
            return f"${name}$i={iterations}{stated}${unpadded(salt)}${unpadded(digest)}"

        variant = f"PHC {name}" + (f" l={length}" if length else "")
        yield Verified("hashlib", f"pbkdf2-{function}", phc, Passwords(limit=8), variant)

    def identity2(password, rng):
        salt = rng.randbytes(16)
        return base64.b64encode(b"\0" + salt + hashlib.pbkdf2_hmac("sha1", password, salt, 1000, 32)).decode()

    yield Verified("hashlib", "pbkdf2-sha1", identity2, variant="as ASP.NET Identity 2 writes it")
    for code, function in enumerate(("sha1", "sha256", "sha512")):

        def identity3(password, rng, code=code, function=function):
            salt, iterations = rng.randbytes(16), rng.randint(1, 3000)
            digest = hashlib.pbkdf2_hmac(function, password, salt, iterations, 32)
            header = b"".join(number.to_bytes(4, "big") for number in (code, iterations, len(salt)))
            return base64.b64encode(b"\1" + header + salt + digest).decode()

        yield Verified("hashlib", f"pbkdf2-{function}", identity3, variant="as ASP.NET Identity 3 writes it")


# Firebase -----------------------------------------------------------------------------------------------------------


def firebase_cases():
    """The definition of firebase/scrypt, computed with hashlib and OpenSSL, in the form of Supabase."""

    def make(password, rng):
        key, salt, separator = rng.randbytes(64), rng.randbytes(10), rng.randbytes(1)
        derived = hashlib.scrypt(password, salt=salt + separator, n=1 << 4, r=8, p=1, dklen=32)
        arguments = ["openssl", "enc", "-aes-256-ctr", "-K", derived.hex(), "-iv", "0" * 32]
        texts = [base64.b64encode(data).decode() for data in (separator, key, salt, run(arguments, key).stdout)]
        return "$fbscrypt$v=1,n=4,r=8,p=1,ss={},sk={}${}${}".format(*texts)

    yield Verified("hashlib", "firebase-scrypt", make, Passwords(limit=6))


# SCRAM --------------------------------------------------------------------------------------------------------------

SCRAM_FUNCTIONS = {"scram-sha-1": "sha1", "scram-sha-256": "sha256", "scram-sha-512": "sha512"}


def scram_keys(function, password, salt, iterations):
    """StoredKey and ServerKey of RFC 5802, in Base64. The password is not prepared."""
    salted = hashlib.pbkdf2_hmac(function, password, salt, iterations)
    keys = (hmac.digest(salted, name, function) for name in (b"Client Key", b"Server Key"))
    client, server = keys
    return [base64.b64encode(key).decode() for key in (hashlib.new(function, client).digest(), server)]


def scram_cases(folder):
    """Dovecot and GNU SASL themselves, and PostgreSQL's form by its definition."""
    # Printable ASCII is the same with each preparation. SASLprep refuses the empty password, and PostgreSQL has none.
    ascii = Passwords(ASCII, takes_empty=False)
    for scheme in ("scram-sha-1", "scram-sha-256"):

        def doveadm(password, rng, scheme=scheme):
            return run(["doveadm", "pw", "-s", scheme.upper(), "-p", password]).stdout.decode().strip()

        def gsasl(password, rng, scheme=scheme):
            arguments = ["gsasl", "--mkpasswd", "--mechanism", scheme.upper(), "--iteration-count", "100"]
            return run([*arguments, b"--password=" + password]).stdout.decode().strip()

        # Dovecot prepares no password.
        yield Verified("doveadm", scheme, doveadm, Passwords(LINE, limit=6))
        yield Verified("gsasl", scheme, gsasl, Passwords(ASCII, takes_empty=False, limit=6))

    def doveadm_check(stored, password):
        return run(["doveadm", "pw", "-t", stored, "-p", password], statuses=(0, 75)).returncode == 0

    yield Made("doveadm", "scram-sha-256", doveadm_check, ascii, lambda stored: True, is_dovecot)

    key = b"84143"
    with open(os.path.join(folder, "scram-key"), "wb") as file:
        file.write(key)
    for scheme, function in SCRAM_FUNCTIONS.items():

        def postgresql(password, rng, scheme=scheme, function=function):
            salt, iterations = rng.randbytes(rng.randint(1, 64)), rng.randint(1, 3000)
            keys = ":".join(scram_keys(function, password, salt, iterations))
            return f"{scheme.upper()}${iterations}:{base64.b64encode(salt).decode()}${keys}"

        def dovecot(password, rng, scheme=scheme, function=function):
            salt, iterations = rng.randbytes(rng.randint(1, 64)), rng.randint(1, 3000)
            fields = [str(iterations), base64.b64encode(salt).decode(), *scram_keys(function, password, salt, iterations)]
            return "{" + scheme.upper() + "}" + ",".join(fields)

        yield Verified("hashlib", scheme, postgresql, ascii, "as PostgreSQL writes it")
        yield Verified("hashlib", scheme, dovecot, Passwords(), "as Dovecot writes it")
        if scheme == "scram-sha-1":
            continue

        def check(stored, password, scheme=scheme, function=function):
            name, iterations, salt, *keys = re.fullmatch(
                r"\{?([A-Z0-9-]+)[$}](\d+)[:,]([^$,]+)[$,]([^:,]+)[:,](.+)", stored
            ).groups()
            assert name == scheme.upper()
            return scram_keys(function, password, base64.b64decode(salt), int(iterations)) == keys

        yield Made("hashlib", scheme, check, ascii)

        def layered(password, rng, make=postgresql):
            equivalent = hmac.new(key, password, "md5").hexdigest().encode()
            return "$layered-scram$keyid=app$" + make(equivalent, rng)

        legacy = ("--legacy-key", f"app={file.name}")
        yield Verified("hashlib", f"layered-{scheme}", layered, Passwords(limit=6), "", legacy)
        yield Verified(
            "hashlib",
            f"layered-{scheme}",
            lambda password, rng, make=dovecot, layered=layered: layered(password, rng, make),
            Passwords(limit=6),
            "as Dovecot writes it",
            legacy,
        )


def is_dovecot(costs):
    return "--form=dovecot" in costs


# All of it ----------------------------------------------------------------------------------------------------------


def require_all(tool, offered, expected):
    """Fails unless all available schemes are compared."""
    if offered - expected:
        raise Trouble(f"{tool} has schemes that are not compared here: {', '.join(sorted(offered - expected))}")
    if expected - offered:
        raise Trouble(f"{tool} lacks schemes that are compared here: {', '.join(sorted(expected - offered))}")


def all_cases(credkit, folder):
    cases = [
        *argon2_command_cases(),
        *argon2_cffi_cases(),
        *libpass_cases(),
        *mkpasswd_cases(),
        *libxcrypt_cases(),
        *htpasswd_cases(folder),
        *slappasswd_cases(),
        *prefixed_cases(),
        *mariadb_cases(folder),
        *openssl_cases(),
        *hashlib_cases(folder),
        *pbkdf2_cases(),
        *scram_cases(folder),
        *django_cases(),
        *werkzeug_cases(),
        *php_cases(),
        *php_application_cases(),
        *firebase_cases(),
    ]
    verified = {case.scheme for case in cases if isinstance(case, (Verified, Unmatched))}
    require_all("credkit verify", set(credkit.schemes()), verified)
    require_all("credkit hash", set(credkit.makers()), {case.scheme for case in cases if isinstance(case, Made)})
    return cases


def main():
    global is_short
    arguments = sys.argv[1:]
    if "--short" in arguments[1:]:
        arguments.remove("--short")
        is_short = True
    if not 1 <= len(arguments) <= 2:
        sys.exit(__doc__)
    credkit = CredKit(arguments[0])
    seed = arguments[1] if len(arguments) == 2 else os.urandom(8).hex()
    start = time.monotonic()
    packages = " ".join(f"{name} {version(name)}," for name in ("argon2-cffi", "libpass", "bcrypt", "django", "werkzeug"))
    openssl = run(["openssl", "version"]).stdout.decode().split(" (")[0].strip()
    mkpasswd = run(["mkpasswd", "--version"]).stdout.decode().splitlines()[0]
    print(f"{openssl}, {mkpasswd}, {packages} python {sys.version.split()[0]}; seed {seed}")

    tallies = []
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(os.cpu_count()) as pool:
        cases = all_cases(credkit, folder)
        for tally in pool.map(lambda case: case.run(credkit, random.Random(f"{seed} {case}")), cases):
            tallies.append(tally)
            print(f"{tally.line}: {tally.matched} accepted, {tally.refused} refused", flush=True)
            for failure in tally.failures:
                print(f"FAILED: {failure}", flush=True)

    matched = sum(tally.matched for tally in tallies)
    refused = sum(tally.refused for tally in tallies)
    failed = sum(len(tally.failures) for tally in tallies)
    outcome = f"{failed} FAILED, seed {seed}" if failed else "none failed"
    print(
        f"interoperability: {len(tallies)} comparisons; {matched} right passwords accepted, {refused} wrong ones and "
        f"unknown schemes refused, {outcome}; {time.monotonic() - start:.0f} s"
    )
    return 1 if failed or not matched else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Trouble as trouble:
        sys.exit(f"interoperability: {trouble}")
