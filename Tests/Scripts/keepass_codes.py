# Part of CredKit. SPDX-License-Identifier: Apache-2.0
"""Second factors as programs keep them in files of KeePass, and their codes of the 59th second.

usage: keepass_codes.py FOLDER    writes codes.xml and codes.csv, prints a JSON object: by title, the code and its source

keepassxc-cli imports the fields, exports them and computes the codes. pyotp computes those of fields that KeePassXC 2.7.4
does not know: KeePass 2 describes them at https://keepass.info/help/base/placeholders.html#otp, KeeOtp2 at
https://github.com/tiuub/KeeOtp2. A code is null if CredKit must refuse it, and say so.
"""
import base64
import hashlib
import json
import os
import subprocess
import sys
from xml.etree import ElementTree

import pyotp

SEED = "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP"
# The seed of the test vectors of RFC 4226 and RFC 6238.
RFC = b"12345678901234567890"
RFC32 = base64.b32encode(RFC).decode()
# By title: the fields. KeePassXC computes the codes.
KEEPASSXC = {
    "uri": {"otp": f"otpauth://totp/a:b?secret={SEED}&period=30&digits=6"},
    "digits": {"otp": f"otpauth://totp/a:b?secret={SEED}&period=30&digits=8"},
    "period": {"otp": f"otpauth://totp/a:b?secret={SEED}&period=7&digits=6"},
    "sha512": {"otp": f"otpauth://totp/a:b?secret={SEED}&period=30&digits=6&algorithm=SHA512"},
    "leftover bits": {"otp": "otpauth://totp/a:b?secret=S46SQCPPTCNPROMHWYBDCTBZXV&period=30&digits=6"},
    "dashes": {"otp": "otpauth://totp/a:b?secret=JBSW-Y3DP-EHPK-3PXP-JBSW-Y3DP-EHPK-3PXP&period=30&digits=6"},
    "lowercase": {"otp": f"otpauth://totp/a:b?secret={SEED.lower()}&period=30&digits=6"},
    "no label": {"otp": f"otpauth://totp?secret={SEED}&period=30&digits=6"},
    "Router: admin": {"otp": f"otpauth://totp/Router%3A%20admin:b?secret={SEED}&period=30&digits=6&issuer=Router%3A%20admin"},
    "KeeOtp": {"otp": f"key={SEED}&size=8&step=60"},
    "KeeOtp SHA-256": {"otp": f"key={SEED}&size=6&step=30&otpHashMode=Sha256"},
    "KeeOtp alone": {"otp": f"key={SEED}"},
    "KeeTrayTOTP": {"TOTP Seed": SEED, "TOTP Settings": "30;6"},
    "KeeTrayTOTP 8": {"TOTP Seed": SEED, "TOTP Settings": "60;8"},
    "KeeTrayTOTP with a clock": {"TOTP Seed": SEED, "TOTP Settings": "30;6;https://clock.example/"},
    "KeeTrayTOTP typed": {"TOTP Seed": "jbsw y3dp ehpk 3pxp jbsw y3dp ehpk 3pxp", "TOTP Settings": "30;6"},
}
# Fields that KeePassXC does not know, and the codes of pyotp.
OTHERS = {
    "KeePass text": ({"TimeOtp-Secret": RFC.decode(), "TimeOtp-Length": "8"}, pyotp.TOTP(RFC32, digits=8)),
    "KeePass hexadecimal": ({"TimeOtp-Secret-Hex": RFC.hex()}, pyotp.TOTP(RFC32)),
    "KeePass HEXADECIMAL": ({"TimeOtp-Secret-Hex": RFC.hex().upper(), "TimeOtp-Period": "60"}, pyotp.TOTP(RFC32, interval=60)),
    "KeePass Base32": ({"TimeOtp-Secret-Base32": SEED, "TimeOtp-Length": "", "TimeOtp-Period": "30"}, pyotp.TOTP(SEED)),
    "KeePass Base64": ({"TimeOtp-Secret-Base64": base64.b64encode(RFC).decode()}, pyotp.TOTP(RFC32)),
    "KeePass SHA-1": ({"TimeOtp-Secret-Base32": SEED, "TimeOtp-Algorithm": "HMAC-SHA-1"}, pyotp.TOTP(SEED)),
    "KeePass SHA-256": (
        {"TimeOtp-Secret-Base32": SEED, "TimeOtp-Algorithm": "HMAC-SHA-256", "TimeOtp-Length": "7"},
        pyotp.TOTP(SEED, digest=hashlib.sha256, digits=7)),
    "KeePass SHA-512": (
        {"TimeOtp-Secret-Base32": SEED, "TimeOtp-Algorithm": "HMAC-SHA-512", "TimeOtp-Period": "15"},
        pyotp.TOTP(SEED, digest=hashlib.sha512, interval=15)),
    "KeePass counter": ({"HmacOtp-Secret": RFC.decode(), "HmacOtp-Counter": "5"}, pyotp.HOTP(RFC32).at(5)),
    "KeePass counter Base32": ({"HmacOtp-Secret-Base32": RFC32}, pyotp.HOTP(RFC32).at(0)),
    "KeePass twice": ({"TimeOtp-Secret-Base32": SEED, "TOTP Seed": SEED, "TOTP Settings": "30;6"}, pyotp.TOTP(SEED)),
    "seed alone": ({"otp": SEED}, pyotp.TOTP(SEED)),
    "KeeTrayTOTP alone": ({"TOTP Seed": SEED}, pyotp.TOTP(SEED)),
    "KeeOtp2 hexadecimal": ({"otp": f"key={RFC.hex()}&encoding=Hex&type=Totp"}, pyotp.TOTP(RFC32)),
    "KeeOtp2 Base64": ({"otp": "key=MTIzNDU2Nzg5MDEyMzQ1Njc4OTA%3D&encoding=Base64"}, pyotp.TOTP(RFC32)),
    "KeeOtp2 counter": ({"otp": f"key={RFC32}&type=Hotp&counter=7"}, pyotp.HOTP(RFC32).at(7)),
    "Steam": ({"otp": f"otpauth://totp/a:b?secret={SEED}&period=30&digits=5&encoder=steam"}, None),
    "Steam URI": ({"otp": f"steam://{SEED}"}, None),
    "Steam settings": ({"TOTP Seed": SEED, "TOTP Settings": "30;S"}, None),
    "Steam KeeOtp2": ({"otp": f"key={SEED}&type=Steam"}, None),
    "Ten digits": ({"TimeOtp-Secret-Base32": SEED, "TimeOtp-Length": "10"}, None),
    "No seed": ({"TOTP Seed": "not a seed!", "TOTP Settings": "30;6"}, None),
    "No hexadecimal": ({"TimeOtp-Secret-Hex": "abc"}, None),
}

folder = sys.argv[1]
source, path = (os.path.join(folder, name) for name in ("source.xml", "codes.kdbx"))
environment = dict(os.environ, QT_QPA_PLATFORM="offscreen", TZ="UTC")


def keepassxc(command, *arguments, clock=()):
    # faketime fails where a semaphore of an ended process has its name.
    for _ in range(3):
        outcome = subprocess.run(
            [*clock, "keepassxc-cli", command, "-q", *arguments], input="x\nx\n", capture_output=True, text=True, env=environment)
        if outcome.returncode == 0:
            return outcome.stdout
    sys.exit(f"{[*clock, 'keepassxc-cli', command]} ended with {outcome.returncode}: {outcome.stderr}{outcome.stdout}")


document = ElementTree.Element("KeePassFile")
group = ElementTree.SubElement(ElementTree.SubElement(document, "Root"), "Group")
ElementTree.SubElement(group, "Name").text = "Passwords"
for title, fields in {**KEEPASSXC, **{title: fields for title, (fields, _) in OTHERS.items()}}.items():
    entry = ElementTree.SubElement(group, "Entry")
    for name, value in {"Title": title, "UserName": "alice", "Password": "pw", **fields}.items():
        field = ElementTree.SubElement(entry, "String")
        ElementTree.SubElement(field, "Key").text = name
        ElementTree.SubElement(field, "Value").text = value
ElementTree.ElementTree(document).write(source, encoding="utf-8", xml_declaration=True)
# The least time for a key, because each command derives it again.
keepassxc("import", "-t", "100", "-p", source, path)
for form in ("xml", "csv"):
    with open(os.path.join(folder, f"codes.{form}"), "w", encoding="utf-8") as file:
        file.write(keepassxc("export", "-f", form, path))
codes = {}
for title in KEEPASSXC:
    # Without a sign the clock stands still.
    code = keepassxc("show", "-t", path, title, clock=("faketime", "-f", "1970-01-01 00:00:59")).strip()
    codes[title] = {"code": code, "source": "KeePassXC"}
for title, (_, key) in OTHERS.items():
    codes[title] = {"code": key.at(59) if isinstance(key, pyotp.TOTP) else key, "source": "pyotp"}
print(json.dumps(codes))
