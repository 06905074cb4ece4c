# Part of CredKit. SPDX-License-Identifier: Apache-2.0
"""Checks that the verifiers in interoperability/ and credkit accept and refuse the same passwords.

usage: compare_verifiers.py CREDKIT CLASSES COUNT LANGUAGE…

Each language reads Vectors/Data/layered-hashes.json, and COUNT records that 'credkit upgrade' made of random older
hashes, each with the right password and a wrong one; credkit verifies COUNT new hashes of each language. The seed is
printed; SEED in the environment repeats a run.
"""
import base64
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

import make_vectors

folder = pathlib.Path(__file__).parent
credkit, classes, count, languages = sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4:]
jars = ["/usr/share/java/bcprov.jar", "/usr/share/java/commons-codec.jar"]
commands = {
    "python": [sys.executable, folder / "answer.py"],
    "php": ["php", folder / "answer.php"],
    "java": ["java", "-cp", ":".join([classes, *jars]), "Answer"],
}
# What a verifier does not read.
refused = {"python": ("$apr1$",), "php": ("$apr1$",), "java": ("pbkdf2_", "$P$")}
seed = os.environ.get("SEED") or str(random.SystemRandom().getrandbits(32))
rng = random.Random(seed)
failures = 0


def answers(language, lines):
    text = "".join("\t".join([base64.b64encode(password).decode(), *rest]) + "\n" for password, *rest in lines)
    result = subprocess.run(commands[language], input=text.encode(), capture_output=True, check=True)
    return result.stdout.decode().splitlines()


def expect(title, language, lines, expected):
    global failures
    got = answers(language, lines)
    wrong = [(line, answer) for line, answer, right in zip(lines, got, expected, strict=True) if answer != right]
    failures += len(wrong)
    print(f"{language}: {title}: {len(lines) - len(wrong)} of {len(lines)}")
    for line, answer in wrong[:3]:
        print(f"  {answer} for {line}")


def random_password():
    """Returns a password of 1 to 40 bytes without NUL, which crypt(3) ends at."""
    if rng.random() < 0.5:
        return bytes(rng.choices(range(1, 256), k=rng.randint(1, 40)))
    return "".join(rng.choices("abcXYZ019 .$ß漢✓", k=rng.randint(1, 20))).encode()[:40]


def wrong_password(password):
    """Returns another password, whose first byte differs also in the 7 bits that DES reads."""
    return bytes([password[0] ^ 1 or 3]) + password[1:]


def inner(stored):
    text = stored.split("inner=")[1].split("$")[0]
    return base64.b64decode(text + "=" * (-len(text) % 4)).decode()


def compare(title, records):
    lines = [(password, stored) for right, stored in records for password in (right, wrong_password(right))]
    for language in languages:
        known = [not inner(stored).startswith(refused.get(language, ("none",))) for _, stored in lines]
        right = [("match", "mismatch")[index % 2] if known[index] else "refused" for index in range(len(lines))]
        expect(title, language, lines, right)


def upgraded(records):
    """Returns the records after 'credkit upgrade'."""
    with tempfile.TemporaryDirectory() as name:
        table = pathlib.Path(name, "table")
        table.write_text("".join(f"{index}:{text}\n" for index, (_, text) in enumerate(records)))
        arguments = ["--input", table, "--output", f"{table}.new", "--memory", "64KiB", "--passes", "1"]
        subprocess.run([credkit, "upgrade", "--allow-incompatible", *arguments], check=True, capture_output=True)
        stored = [line.split(":", 1)[1] for line in pathlib.Path(f"{table}.new").read_text().splitlines()]
    return [(password, text) for (password, _), text in zip(records, stored, strict=True)]


def named(text):
    """Returns the layered hash of an older one, and the languages that 'credkit upgrade' then names."""
    with tempfile.TemporaryDirectory() as name:
        table = pathlib.Path(name, "table")
        table.write_text(f"u:{text}\n")
        arguments = ["--input", table, "--output", f"{table}.new", "--memory", "64KiB", "--passes", "1"]
        command = [credkit, "upgrade", "--allow-incompatible", *arguments]
        said = subprocess.run(command, check=True, capture_output=True, text=True).stderr
        line = next(line for line in said.splitlines() if "these can: " in line)
        stored = pathlib.Path(f"{table}.new").read_text().rstrip("\n").split(":", 1)[1]
        return stored, {language for language in commands if language in line.lower()}


def credkit_answer(line):
    password, stored = line
    arguments = [credkit, "verify", "--quiet", "--raw", stored]
    return subprocess.run(arguments, input=password, capture_output=True).returncode


print(f"seed {seed}")
vectors = json.loads((folder / "../../Vectors/Data/layered-hashes.json").read_text())["cases"]
compare("vectors", [(case["password"].encode(), case["hash"]) for case in vectors])

records = []
while len(records) < count:
    password = random_password()
    text, _, _ = rng.choice(list(make_vectors.older_hashes(password)))
    records.append((password, text))
compare("records of credkit", upgraded(records))

# 'credkit upgrade' names the verifiers that read the hashes of the table, and no other.
others = ["$2b$04$WrqEK/pxxRyuAFI.M4tjDuFg1ZZ36c4Yt0OgHkN.LvGqgUEiQlQVe", "{SHA1}L55TUjtiq8FBorTWAZ0jy6g129A="]
texts = [text for text, _, _ in make_vectors.older_hashes(b"secret")] + others
with ThreadPoolExecutor(os.cpu_count()) as pool:
    kinds = list(pool.map(named, texts))
for language in languages:
    got = [answer != "refused" for answer in answers(language, [(b"secret", stored) for stored, _ in kinds])]
    wrong = [text for text, read, (_, names) in zip(texts, got, kinds, strict=True) if read != (language in names)]
    failures += len(wrong)
    print(f"{language}: named by upgrade: {len(texts) - len(wrong)} of {len(texts)}", *wrong)

for language in languages:
    passwords = [random_password() for _ in range(count)]
    made = list(zip(passwords, answers(language, [(password,) for password in passwords]), strict=True))
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        right = list(pool.map(credkit_answer, made))
        wrong = list(pool.map(credkit_answer, [(wrong_password(password), stored) for password, stored in made]))
    agreed = sum(pair == (0, 1) for pair in zip(right, wrong))
    failures += count - agreed
    print(f"{language}: its records in credkit: {agreed} of {count}")

# Only what is layered, or costs an attacker less than a new hash, is replaced.
kept = ["m=19456,t=2", "m=65536,t=3", "m=47104,t=1", "m=19456,t=9"]
replaced = ["m=19456,t=1", "m=12288,t=3", "m=64,t=64"]
texts = [f"$argon2id$v=19${costs},p=1$AAAAAAAAAAAAAAAAAAAAAA$" + "A" * 43 for costs in kept + replaced]
for language in languages:
    lines = [(b"", text, "rehash?") for text in [*texts, vectors[0]["hash"]]]
    expect("rehash", language, lines, ["keep"] * len(kept) + ["rehash"] * (len(replaced) + 1))

malformed = ["", "$argon2id$", "$layered-argon2id$v=19$m=8,t=1,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAA", "x" * 5000]
case = vectors[0]["hash"]
malformed += [case[:-1] + "=", case + "$", case.replace("v=19", "v=16"), case.replace("p=1", "p=0"), case + "\0"]
malformed += [case.replace("m=19456", "m=99999999"), case.replace("t=2", "t=999999999"), case.replace("inner=", "inner=AAAA")]
malformed += [case.replace("m=19456,t=2", "m=524288,t=9"), case[:-30], case.replace("t=2,", "t=2,t=2,")]


def with_setting(setting):
    """Returns a layered hash with another setting, whose digest is not looked at if the setting is refused."""
    return case.replace(case.split("inner=")[1].split("$")[0], make_vectors.unpadded(setting.encode()))


malformed += [with_setting("{SHA}AAAAA"), with_setting("{SHA}AAAA"), with_setting("$hex-md5$" + "1" * 32)]
malformed += [with_setting("$unknown$"), with_setting("$1$" + "a" * 20 + "$" + "." * 22), with_setting("")]
# Settings that several frameworks can have made.
malformed += [with_setting(f"md5${'x' * count}$" + "0" * 32) for count in (1, 4, 6, 8, 11, 13, 16, 21, 23)]
malformed += [with_setting("sha1$saltSALT$" + "0" * 40), with_setting("sha256$salt$" + "0" * 64)]
for language in languages:
    expect("malformed", language, [(b"secret", text) for text in malformed], ["refused"] * len(malformed))
sys.exit(failures > 0)
