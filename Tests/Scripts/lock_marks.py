#!/usr/bin/env python3
# Part of CredKit. SPDX-License-Identifier: Apache-2.0
"""Has programs lock accounts, and compares how `credkit audit` and `credkit upgrade` class their records.

    lock_marks.py

Each program locks an account in a table of its own. The class must be the expected one, the mark must stay, and after the
same program has unlocked the upgraded record, the hash must verify its password. The tools of shadow-utils, systemd and libuser
work on a private /etc in a mount namespace. Needs Django and libpass.
"""
import json
import os
import pathlib
import pwd
import shutil
import subprocess
import sys
import tempfile
import time

PASSWORD = "secret"
MD5_CRYPT = "$1$abcdefgh$cHJi5PXp/ki/ktXzqlk6I1"
COSTS = ["--memory", "64KiB", "--passes", "1"]
CLASSES = ["current", "upgradable", "weak", "withoutPassword", "locked", "unreadable"]
# What the tools read below /etc.
COPIED = ["pam.d", "security", "login.defs", "nsswitch.conf", "ld.so.cache", "default", "alternatives"]


def run(command, text="", **options):
    return subprocess.run([str(part) for part in command], input=text, capture_output=True, text=True, **options)


def succeed(*command, text=""):
    answer = run(command, text)
    if answer.returncode != 0:
        sys.exit(f"{command} ended with {answer.returncode}: {answer.stderr}")
    return answer.stdout


class Checker:
    def __init__(self, folder):
        self.folder = folder
        self.count = 0
        self.records = {}

    def expect(self, peer, record, expected, options=()):
        """Remembers a record, and the class that it must have."""
        self.records.setdefault((expected, tuple(options)), []).append((peer, record))

    def finish(self):
        """Checks all remembered records: those of a class together, so that few commands are needed."""
        for (expected, options), records in self.records.items():
            peers, lines = zip(*records)
            self.check(", ".join(dict.fromkeys(peers)), lines, expected, options=options)
        self.records = {}

    def check(self, peers, lines, expected, with_hash=0, options=()):
        """Compares the class of all records of a table with the expected one, and returns the upgraded records."""
        source, output = self.folder / "table", self.folder / "upgraded"
        source.write_text("".join(line + "\n" for line in lines))
        output.unlink(missing_ok=True)
        arguments = ["--json", *COSTS, *options]
        audit = run(["credkit", "audit", *arguments, source])
        found = json.loads(audit.stdout) if audit.stdout else {}
        wanted = {name: 0 for name in CLASSES} | {expected: len(lines), "lockedWithHash": with_hash, "comments": 0}
        wrong = {key: found.get(key) for key, value in wanted.items() if found.get(key) != value}
        upgrade = run(["credkit", "upgrade", "--allow-incompatible", *arguments, "--input", source, "--output", output])
        counts = json.loads(upgrade.stdout) if upgrade.stdout else {}
        plan = {"layered": wanted["upgradable"], "lockedWithHash": with_hash, "locked": wanted["locked"], "problems": 0}
        wrong |= {"upgrade " + key: counts.get(key) for key, value in plan.items() if counts.get(key) != value}
        if wrong or audit.returncode or upgrade.returncode:
            table = source.read_text()
            sys.exit(f"{peers}: {table}{wrong}, status {audit.returncode}, {upgrade.returncode}: {audit.stderr}{upgrade.stderr}")
        self.count += len(lines)
        return output.read_text().splitlines()

    def verify(self, peer, field):
        """The unlocked hash is a layered one of the password, and of no other."""
        path = self.folder / "hash"
        path.write_text(field + "\n")
        for password, status in [(PASSWORD, 0), (PASSWORD + "x", 1)]:
            answer = run(["credkit", "verify", "--hash-file", path], password)
            if not field.startswith("$layered-argon2id$") or answer.returncode != status:
                sys.exit(f"{peer}: {field!r} does not verify: {answer.stdout}{answer.stderr}")


def field_of(path, name):
    lines = [line for line in path.read_text().splitlines() if line.startswith(name + ":")]
    if len(lines) != 1:
        sys.exit(f"{path} has {len(lines)} records of {name}")
    return lines[0]


def replace(path, name, record):
    lines = [record if line.startswith(name + ":") else line for line in path.read_text().splitlines()]
    path.write_text("\n".join(lines) + "\n")


# Tools that change /etc/shadow and /etc/gshadow --------------------------------------------------------------------


def private_etc(folder):
    """Mounts a folder with few accounts over /etc."""
    etc = folder / "etc"
    etc.mkdir()
    for name in COPIED:
        source = pathlib.Path("/etc") / name
        if source.is_dir():
            shutil.copytree(source, etc / name, symlinks=True, ignore_dangling_symlinks=True)
        elif source.exists():
            shutil.copy(source, etc / name)
    files = {
        "passwd": "root:x:0:0::/root:/bin/sh\n", "shadow": "root:*:19000:0:99999:7:::\n",
        "group": "root:x:0:\nshadow:x:42:\n", "gshadow": "root:*::\n",
    }
    for name, text in files.items():
        (etc / name).write_text(text)
    (etc / "shadow").chmod(0o600)
    succeed("mount", "--bind", etc, "/etc")


def tools_of_accounts(checker):
    shadow, gshadow = pathlib.Path("/etc/shadow"), pathlib.Path("/etc/gshadow")

    pending = []

    def locked(peer, name, lock, unlock, path=shadow, mark="!"):
        """An account whose hash stays behind the mark: it is upgraded with all others, and unlocked again."""
        for command in lock:
            succeed(*command)
        record = field_of(path, name)
        if record.split(":")[1] != mark + MD5_CRYPT:
            sys.exit(f"{peer} wrote {record}")
        pending.append((peer, name, unlock, path, mark, record))

    def unlock_all():
        upgraded = checker.check("locked", [one[-1] for one in pending], "upgradable", with_hash=len(pending))
        for (peer, name, unlock, path, mark, record), new in zip(pending, upgraded):
            before, after = record.split(":"), new.split(":")
            if before[0] != after[0] or before[2:] != after[2:] or not after[1].startswith(mark + "$layered"):
                sys.exit(f"{peer}: {record} became {new}")
            replace(path, name, new)
            succeed(*unlock)
            checker.verify(peer, field_of(path, name).split(":")[1])

    def is_of(peer, name, expected, path=shadow, text=None):
        record = field_of(path, name)
        if text is not None and record.split(":")[1] != text:
            sys.exit(f"{peer} wrote {record}")
        checker.expect(peer, record, expected)

    def add(name, *options):
        succeed("useradd", "-M", "-N", *options, name)

    for number, (lock, unlock) in enumerate([
        (["passwd", "-l"], ["passwd", "-u"]), (["usermod", "-L"], ["usermod", "-U"]), (["passwd", "-l"], ["usermod", "-U"]),
        (["usermod", "-L"], ["passwd", "-u"]),
    ]):
        name = f"l{number}"
        add(name, "-p", MD5_CRYPT)
        # Twice is as once.
        locked(" ".join(lock), name, [[*lock, name], [*lock, name]], [*unlock, name])
    add("encrypted")
    is_of("useradd", "encrypted", "locked", text="!")
    succeed("chpasswd", "-e", text=f"encrypted:!{MD5_CRYPT}\n")
    locked("chpasswd -e", "encrypted", [], ["usermod", "-U", "encrypted"])
    add("system", "-r")
    is_of("useradd -r", "system", "locked", text="!")
    add("star", "-p", "*")
    is_of("usermod -p", "star", "locked", text="*")
    succeed("passwd", "-l", "star")
    is_of("passwd -l of *", "star", "locked", text="!*")
    add("deleted", "-p", MD5_CRYPT)
    succeed("passwd", "-d", "deleted")
    is_of("passwd -d", "deleted", "withoutPassword", text="")
    succeed("usermod", "-L", "deleted")
    is_of("usermod -L without a password", "deleted", "locked", text="!")
    # These accounts are locked by another field, and their hash is one like any other.
    for command in [["chage", "-E", "0"], ["passwd", "-e"], ["usermod", "-e", "1970-01-02"]]:
        name = "expired" + command[0]
        add(name, "-p", MD5_CRYPT)
        succeed(*command, name)
        is_of(" ".join(command), name, "upgradable", text=MD5_CRYPT)
    succeed("systemd-sysusers", "-", text='u service - "a service" /\n')
    is_of("systemd-sysusers", "service", "locked", text="!*")
    # Passwords of groups.
    succeed("groupadd", "staff")
    is_of("groupadd", "staff", "locked", gshadow, "!")
    succeed("groupmod", "-p", MD5_CRYPT, "staff")
    is_of("groupmod -p", "staff", "upgradable", gshadow, MD5_CRYPT)
    succeed("gpasswd", "-R", "staff")
    is_of("gpasswd -R", "staff", "locked", gshadow, "!")
    succeed("gpasswd", "-r", "staff")
    is_of("gpasswd -r", "staff", "withoutPassword", gshadow, "")
    # libuser has two marks, as Fedora's passwd.
    configuration = checker.folder / "libuser.conf"
    configuration.write_text("[defaults]\nmodules = files shadow\ncreate_modules = files shadow\n")
    os.environ["LIBUSER_CONF"] = str(configuration)
    succeed("luseradd", "-M", "-n", "fedora")
    is_of("luseradd", "fedora", "locked", text="!!")
    succeed("lpasswd", "-p", MD5_CRYPT, "fedora")
    locked("lusermod -L", "fedora", [["lusermod", "-L", "fedora"]], ["lusermod", "-U", "fedora"], mark="!!")
    succeed("lgroupadd", "group")
    is_of("lgroupadd", "group", "locked", gshadow, "!!")
    succeed("lpasswd", "-g", "-p", MD5_CRYPT, "group")
    locked("lgroupmod -L", "group", [["lgroupmod", "-L", "group"]], ["lgroupmod", "-U", "group"], gshadow, "!!")
    unlock_all()
    checker.finish()
    # All of them in the table that other programs see.
    table = succeed("getent", "shadow")
    found = json.loads(run(["credkit", "audit", "--json", "-"], table).stdout)
    if found["unreadable"] or found["comments"] or found["records"] != len(table.splitlines()):
        sys.exit(f"getent shadow: {found}")


# Others -------------------------------------------------------------------------------------------------------------


def samba(checker):
    """smbpasswd, whose table has the hash of LAN Manager in the third field and that of Windows NT in the fourth."""
    table, configuration = checker.folder / "smbpasswd", checker.folder / "smb.conf"
    private = checker.folder / "samba"
    private.mkdir()
    folders = ["private dir", "lock directory", "state directory", "cache directory", "pid directory", "ncalrpc dir"]
    settings = [f"passdb backend = smbpasswd:{table}", f"log file = {private}/log", *(f"{name} = {private}" for name in folders)]
    configuration.write_text("[global]\n" + "\n".join(settings) + "\n")

    def smbpasswd(*options, text=""):
        succeed("smbpasswd", "-c", configuration, "-L", "-s", *options, text=text)

    def is_of(peer, name, expected, column="4"):
        checker.expect(peer, field_of(table, name), expected, ["--as", "ntlm", "--hash-column", column])

    # They must be users of the system.
    first, second, third = [entry.pw_name for entry in pwd.getpwall()[:3]]
    smbpasswd("-a", first, text=f"{PASSWORD}\n{PASSWORD}\n")
    is_of("smbpasswd -a", first, "upgradable")
    is_of("smbpasswd -a, LAN Manager", first, "locked", "3")
    # The flags lock the account.
    smbpasswd("-d", first)
    is_of("smbpasswd -d", first, "upgradable")
    smbpasswd("-n", first)
    is_of("smbpasswd -n, LAN Manager", first, "locked", "3")
    smbpasswd("-a", "-d", second)
    is_of("smbpasswd -a -d", second, "locked")
    smbpasswd("-a", "-n", third)
    is_of("smbpasswd -a -n", third, "locked")


def python_frameworks(checker):
    import django.conf
    from django.contrib.auth.hashers import check_password, is_password_usable, make_password
    from passlib.context import CryptContext

    django.conf.settings.configure()
    unusable = [make_password(None) for _ in range(1000)]
    assert not any(map(is_password_usable, unusable)) and not check_password(PASSWORD, unusable[0])
    for text in unusable:
        checker.expect("set_unusable_password", f"u:{text}", "locked")
    unix = CryptContext(["md5_crypt", "unix_disabled"])
    of_django = CryptContext(["md5_crypt", "django_disabled"])
    checker.expect("disable() without a hash", f"u:{unix.disable()}", "locked")
    checker.expect("django_disabled", f"u:{of_django.disable()}", "locked")
    for marker in "!*":
        context = CryptContext(["md5_crypt", "unix_disabled"], unix_disabled__marker=marker)
        disabled = context.disable(MD5_CRYPT)
        assert disabled == marker + MD5_CRYPT and not context.is_enabled(disabled)
        upgraded = checker.check("disable()", [f"u:{disabled}"], "upgradable", with_hash=1)[0]
        checker.verify("enable()", context.handler("unix_disabled").enable(upgraded[2:]))


def mariadb(checker):
    """Accounts of the server itself: ACCOUNT LOCK stands in another field than the hash."""
    data, socket, pid = [checker.folder / name for name in ("mariadb", "mariadb.sock", "mariadb.pid")]
    options = ["--no-defaults", "--user=root", f"--datadir={data}"]
    succeed("mariadb-install-db", *options, "--auth-root-authentication-method=normal", "--skip-test-db")
    server = subprocess.Popen(
        ["mariadbd", *options, "--skip-networking", f"--socket={socket}", f"--pid-file={pid}"], stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL)
    client = ["mariadb", "--no-defaults", f"--socket={socket}", "--batch", "--skip-column-names"]
    try:
        deadline = time.monotonic() + 60
        while run([*client, "-e", "SELECT 1"]).returncode != 0:
            assert time.monotonic() < deadline and server.poll() is None, "mariadbd did not start"
        statements = [
            "CREATE USER open IDENTIFIED BY 'secret'", "CREATE USER closed IDENTIFIED BY 'secret' ACCOUNT LOCK",
            "CREATE USER expired IDENTIFIED BY 'secret' PASSWORD EXPIRE", "CREATE USER empty", "CREATE ROLE role",
            "CREATE USER socket IDENTIFIED VIA unix_socket",
            "CREATE USER unusable IDENTIFIED VIA mysql_native_password USING 'invalid'",
        ]
        succeed(*client, text=";\n".join(statements))
        hashes = "SELECT user, json_value(priv, '$.authentication_string') FROM mysql.global_priv"
        for expected, names in [
            ("upgradable", "'open', 'closed', 'expired'"), ("withoutPassword", "'empty', 'role', 'socket'"), ("locked", "'unusable'"),
        ]:
            lines = succeed(*client, text=f"{hashes} WHERE user IN ({names})").splitlines()
            checker.check("MariaDB", lines, expected, options=["--format", "tsv", "--hash-column", "2", "--header", "no"])
    finally:
        server.kill()
        server.wait()


def dovecot(checker):
    """doveadm refuses the password of hashes behind marks that stand behind a name, and accepts it without the mark."""
    def accepts(field):
        return run(["doveadm", "pw", "-t", field, "-p", PASSWORD]).returncode == 0

    for name in ["CRYPT", "MD5-CRYPT"]:
        if not accepts(f"{{{name}}}{MD5_CRYPT}"):
            sys.exit(f"doveadm refuses the password behind {name}")
        marks = ["!", "!!", "*", "*LK*", "*LOCKED*"]
        fields = [f"{{{name}}}{mark}{MD5_CRYPT}" for mark in marks]
        upgraded = checker.check("doveadm", [f"u:{field}" for field in fields], "upgradable", with_hash=len(marks))
        for mark, field, new in zip(marks, fields, upgraded):
            if accepts(field) or not new.startswith(f"u:{mark}$layered"):
                sys.exit(f"{field} is no locked hash, or became {new}")
        checker.verify("doveadm", upgraded[-1].removeprefix("u:*LOCKED*"))
    for field in ["{CRYPT}", "{CRYPT}x", "{CRYPT}NP", "{CRYPT}!", "{CRYPT}!!", "{CRYPT}*", "{CRYPT}*LK*", "{crypt}!x", "{MD5-CRYPT}!"]:
        if accepts(field):
            sys.exit(f"doveadm accepts {field}")
        checker.expect("doveadm", f"u:{field}", "locked")


def in_namespace():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        private_etc(folder)
        checker = Checker(folder)
        tools_of_accounts(checker)
        print(f"{checker.count} records of /etc")


def main():
    os.environ["PATH"] += ":/usr/sbin:/sbin"
    if sys.argv[1:] == ["--private"]:
        return in_namespace()
    namespace = ["unshare", "--mount"] + ([] if os.getuid() == 0 else ["--map-root-user"])
    answer = run([*namespace, sys.executable, __file__, "--private"])
    if answer.returncode != 0:
        sys.exit(answer.stdout + answer.stderr)
    print(answer.stdout, end="")
    with tempfile.TemporaryDirectory() as name:
        checker = Checker(pathlib.Path(name))
        for peer in [samba, python_frameworks, mariadb, dovecot]:
            peer(checker)
            checker.finish()
        print(f"{checker.count} records of others")


main()
