# Part of CredKit. SPDX-License-Identifier: Apache-2.0
"""Makes hashes behind names in braces by their definitions, with hashlib.

usage: prefixed_hashes.py COUNT

Prints COUNT lines for each form: the scheme that credkit has for it, the password in hexadecimal digits, and the hash.
"""
import base64
import hashlib
import random
import string
import sys

rng = random.Random(0x50FA)


def b64(data):
    return base64.b64encode(data).decode()


def dotted(data):
    return b64(data).rstrip("=").replace("+", ".")


def suffixed(name, text):
    """Dovecot's encodings of a text, or of the bytes of a digest."""
    return rng.choice((f"{{{name}.HEX}}{text.hex()}", f"{{{name}.b64}}{b64(text)}"))


def digests():
    for name, function, scheme in (
        ("MD5", "md5", "md5"),
        ("SHA", "sha1", "sha"),
        ("SHA256", "sha256", "sha256"),
        ("SHA384", "sha384", "sha384"),
        ("SHA512", "sha512", "sha512"),
    ):

        def plain(password, salt, name=name, function=function):
            return f"{{{name}}}" + b64(hashlib.new(function, password).digest())

        def salted(password, salt, name=name, function=function):
            return f"{{S{name}}}" + b64(hashlib.new(function, password + salt).digest() + salt)

        yield f"ldap-{scheme}", plain
        yield f"ldap-s{scheme}", salted
        if function == "sha384":
            continue

        def digits(password, salt, name=name, function=function):
            return f"{{{name}}}" + hashlib.new(function, password).hexdigest()

        def encoded(password, salt, name=name, function=function):
            return suffixed(name, hashlib.new(function, password).digest())

        yield f"ldap-{scheme}", digits
        # Dovecot's {MD5} is md5crypt.
        if name != "MD5":
            yield f"ldap-{scheme}", encoded


def spring(password, salt):
    braced = "{" + b64(salt) + "}"
    return "{SHA-256}" + braced + hashlib.sha256(password + braced.encode()).hexdigest()


def spring_sha256(password, salt):
    salt = (salt * 8)[:8]
    digest = salt + password
    for _ in range(1024):
        digest = hashlib.sha256(digest).digest()
    return "{sha256}" + (salt + digest).hex()


def netscape(password, salt):
    salt = "".join(rng.choices("0123456789abcdef", k=32)).encode()
    return "{NS-MTA-MD5}" + hashlib.md5(salt + b"\x59" + password + b"\xf7" + salt).hexdigest() + salt.decode()


def dovecot_pbkdf2(password, salt):
    salt, count = "".join(rng.choices(string.ascii_letters, k=16)), rng.randint(1, 50)
    return f"{{PBKDF2}}$1${salt}${count}$" + hashlib.pbkdf2_hmac("sha1", password, salt.encode(), count).hex()


def openldap_pbkdf2(password, salt):
    count = rng.randint(1, 50)
    return f"{{PBKDF2-SHA512}}{count}${dotted(salt)}${dotted(hashlib.pbkdf2_hmac('sha512', password, salt, count))}"


def directory_server_pbkdf2(password, salt):
    count = rng.randint(1, 50)
    return f"{{PBKDF2-SHA256}}{count}${b64(salt)}${b64(hashlib.pbkdf2_hmac('sha256', password, salt, count))}"


def directory_server(password, salt):
    salt, count = rng.randbytes(64), rng.randint(1, 50)
    return "{PBKDF2_SHA256}" + b64(count.to_bytes(4, "big") + salt + hashlib.pbkdf2_hmac("sha256", password, salt, count, 256))


FORMS = [
    *digests(),
    ("ldap-ssha256", spring),
    ("spring-sha256", spring_sha256),
    ("netscape-md5", netscape),
    ("pbkdf2-sha1", dovecot_pbkdf2),
    ("pbkdf2-sha512", openldap_pbkdf2),
    ("pbkdf2-sha256", directory_server_pbkdf2),
    ("pbkdf2-sha256", directory_server),
]

for scheme, make in FORMS:
    for _ in range(int(sys.argv[1])):
        password = rng.randbytes(rng.randint(1, 40))
        print(scheme, password.hex(), make(password, rng.randbytes(rng.randint(1, 32))))
