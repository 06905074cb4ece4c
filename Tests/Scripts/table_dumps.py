#!/usr/bin/env python3
# Part of CredKit. SPDX-License-Identifier: Apache-2.0
"""Has programs dump, export and show a table of accounts, and gives `credkit audit` and `credkit upgrade` what they wrote.

    table_dumps.py CONNINFO

Each file must be read with the two accounts that were stored, or recognized with the command that makes a table of it. Those
commands that are printed for JSON and for Redis are run, and their tables must be read. CONNINFO is that of a superuser of
PostgreSQL.
"""
import contextlib
import json
import pathlib
import shlex
import subprocess
import sys
import tempfile
import time

import table_peers

SHA = "{SHA}5en6G6MezRroT3XKqkdPOmY/BfQ="
ROWS = [(1, "a", SHA), (2, "b", None)]
COSTS = ["--memory", "64KiB", "--passes", "1"]
MARIADB, POSTGRESQL, SQLITE = "mariadb -B -e", "psql -d DATABASE -c", "sqlite3 -csv -header"
SHOWN = "a table as a client shows it"


def run(*command, text=b"", folder=None):
    answer = subprocess.run([str(part) for part in command], input=text, capture_output=True, cwd=folder)
    if answer.returncode != 0:
        sys.exit(f"{command} ended with {answer.returncode}: {answer.stderr.decode()}")
    return answer.stdout


def values():
    return ",".join(f"({i},'{name}',{'NULL' if text is None else repr(text)})" for i, name, text in ROWS)


class Checker:
    def __init__(self, folder):
        self.folder = folder
        self.read = 0
        self.recognized = 0

    def commands(self, path, options):
        output = self.folder / "upgraded"
        output.unlink(missing_ok=True)
        for command in [["audit", path], ["upgrade", "--allow-incompatible", "--input", path, "--output", output]]:
            yield subprocess.run(["credkit", *map(str, command), "--json", *COSTS, *options], capture_output=True, text=True)

    def is_other(self, peer, content, *words):
        """A file that is recognized, with a command that these words are of."""
        path = self.folder / "dump"
        path.write_bytes(content)
        for answer in self.commands(path, []):
            lines = [line for line in answer.stderr.splitlines() if f"{path}: this file is " in line]
            if answer.returncode != 65 or len(lines) != 1 or answer.stdout or not all(word in lines[0] for word in words):
                sys.exit(f"{peer}: status {answer.returncode}: {answer.stdout}{answer.stderr}: {content[:200]!r}")
        self.recognized += 1
        return lines[0]

    def is_table(self, peer, content, *options, layered=1, empty=1, weak=0):
        """A table that is read."""
        path = self.folder / "table"
        path.write_bytes(content)
        audit, upgrade = self.commands(path, options)
        found = json.loads(audit.stdout) if audit.stdout else {}
        counts = json.loads(upgrade.stdout) if upgrade.stdout else {}
        right = (found.get("upgradable"), found.get("weak"), found.get("withoutPassword"), found.get("unreadable")) == (layered, weak, empty, 0)
        if not right or counts.get("layered") != layered or counts.get("problems") != 0:
            sys.exit(f"{peer}: {found} {counts}: {audit.stderr}{upgrade.stderr}: {content[:200]!r}")
        self.read += 1


def mariadb(check, folder):
    with table_peers.running_mariadb(folder) as client:
        access = ["--no-defaults", next(option for option in client if option.startswith("--socket"))]
        table = "CREATE TABLE users (id int PRIMARY KEY, name varchar(20), password varchar(200))"
        run(*client, text=f"CREATE DATABASE shop; USE shop; {table}; INSERT INTO users VALUES {values()};".encode())
        for program in ["mysqldump", "mariadb-dump"]:
            for options in [
                [], ["--compact"], ["--compact", "--no-create-info"], ["--skip-comments"], ["--replace", "--no-create-info"],
                ["--compatible=ansi", "--compact"], ["--insert-ignore", "--skip-extended-insert"], ["--databases"],
            ]:
                check.is_other(f"{program} {options}", run(program, *access, *options, "shop"), "dump in SQL", MARIADB)
            check.is_other(f"{program} --xml", run(program, *access, "--xml", "shop"), "XML or HTML", MARIADB)
        run("mariadb-dump", *access, f"--tab={folder}", "shop")
        check.is_other("--tab, statements", (folder / "users.sql").read_bytes(), "dump in SQL", MARIADB)
        check.is_table("--tab", (folder / "users.txt").read_bytes(), "--format", "tsv", "--hash-column", "3")

        def query(*options):
            return run("mariadb", *access, *options, "-e", "SELECT * FROM users", "shop")

        check.is_table("--batch", query("--batch"), "--format", "tsv", "--hash-column", "password")
        check.is_table("--batch -N", query("--batch", "-N", "--raw"), "--format", "tsv", "--hash-column", "3")
        for option in ["--table", "--vertical"]:
            check.is_other(option, query(option), SHOWN, MARIADB)
        for option in ["--xml", "--html"]:
            check.is_other(option, query(option), "XML or HTML", MARIADB)


def postgresql(check, folder, conninfo):
    def psql(text, *options):
        return run("psql", conninfo, "-X", "-q", "-v", "ON_ERROR_STOP=1", *options, "-c", text)

    psql(f"CREATE TABLE users (id int PRIMARY KEY, name text, password text); INSERT INTO users VALUES {values()}")
    psql("CREATE ROLE one LOGIN PASSWORD 'secret'; CREATE ROLE two NOLOGIN PASSWORD 'secret'; CREATE ROLE three")
    for options in [[], ["--inserts"], ["--data-only"], ["--column-inserts", "--table", "users"], ["--schema-only"], ["--clean"]]:
        check.is_other(f"pg_dump {options}", run("pg_dump", "-d", conninfo, *options), "dump in SQL", POSTGRESQL)
    check.is_other("pg_dump -Fc", run("pg_dump", "-d", conninfo, "-Fc"), "pg_dump's own format", POSTGRESQL)
    check.is_other("pg_dump -Ft", run("pg_dump", "-d", conninfo, "-Ft"), "tar archive", POSTGRESQL)
    run("pg_dump", "-d", conninfo, "-Fd", "-f", folder / "directory")
    check.is_other("pg_dump -Fd", (folder / "directory" / "toc.dat").read_bytes(), "pg_dump's own format", POSTGRESQL)
    data = next((folder / "directory").glob("*.dat.gz"))
    check.is_other("pg_dump -Fd, data", data.read_bytes(), "gunzip")
    # The last line ends the data.
    rows = run("gunzip", "-c", data).split(b"\\.\n")[0]
    check.is_table("pg_dump -Fd, data", rows, "--format", "tsv", "--hash-column", "3")
    for options in [[], ["--roles-only"], ["--globals-only", "--no-comments"]]:
        check.is_other(f"pg_dumpall {options}", run("pg_dumpall", "-d", conninfo, *options), "dump in SQL", POSTGRESQL)
    for options in [[], ["-x"], ["-P", "border=2"], ["-P", "linestyle=unicode"]]:
        check.is_other(f"psql {options}", psql("TABLE users", *options), SHOWN, POSTGRESQL)
    check.is_other("psql -H", psql("TABLE users", "-H"), "XML or HTML", POSTGRESQL)
    check.is_table("psql -At", psql("TABLE users", "-At"), "--delimiter", "|", "--hash-column", "3", "--header", "no")
    check.is_table("psql --csv", psql("TABLE users", "--csv"), "--format", "csv", "--hash-column", "password")
    check.is_table("COPY", psql("COPY users TO STDOUT"), "--format", "tsv", "--hash-column", "3")
    check.is_other("COPY, binary", psql("COPY users TO STDOUT (FORMAT binary)"), "binary format of COPY", POSTGRESQL)
    # A role that may not log in keeps its verifier.
    roles = psql("COPY (SELECT rolname, rolpassword FROM pg_authid WHERE rolname IN ('one', 'two', 'three')) TO STDOUT (FORMAT csv)")
    check.is_table("pg_authid", roles, "--format", "csv", "--hash-column", "2", "--header", "no", layered=0, weak=2)
    is_json(check, folder, "json_agg", psql("SELECT json_agg(users) FROM users", "-At"))
    is_json(check, folder, "row_to_json", psql("SELECT row_to_json(users) FROM users", "-At"))


def is_json(check, folder, peer, content):
    """A file of JSON, of which the command that the message has makes a table."""
    line = check.is_other(peer, content, "JSON", "jq -r")
    command = line[line.index("jq -r"):].replace("FILE > users.csv", shlex.quote(str(folder / "dump")))
    table = run("sh", "-c", command)
    check.is_table(f"{peer}, jq", table, "--format", "csv", "--hash-column", "2", "--header", "no")


def sqlite(check, folder):
    path = folder / "users.db"
    run("sqlite3", path, f"CREATE TABLE users (id int, name text, password text); INSERT INTO users VALUES {values()}")

    def query(*options):
        return run("sqlite3", *options, path, "SELECT * FROM users")

    check.is_other("sqlite3", path.read_bytes(), "database of SQLite", SQLITE)
    check.is_other(".dump", run("sqlite3", path, ".dump"), "dump in SQL", SQLITE)
    check.is_other(".mode insert", query("-cmd", ".mode insert users"), "dump in SQL")
    for options in [["-box"], ["-table"], ["-markdown"], ["-column", "-header"]]:
        check.is_other(f"sqlite3 {options}", query(*options), SHOWN, SQLITE)
    check.is_other("-html", query("-html"), "XML or HTML", SQLITE)
    is_json(check, folder, "-json", query("-json"))
    check.is_table("-list", query("-list"), "--delimiter", "|", "--hash-column", "3", "--header", "no")
    check.is_table("-tabs", query("-tabs"), "--format", "tsv", "--hash-column", "3", "--header", "no")
    check.is_table("-csv", query("-csv", "-header"), "--format", "csv", "--hash-column", "password")


def php(check, folder):
    users = f'$users = json_decode({json.dumps(json.dumps([dict(zip(("id", "name", "password"), row)) for row in ROWS]))}, true);'
    users = users.replace("$", "\\$").replace("\\$users =", "$users =", 1)

    def script(code):
        return run("php", "-r", users + code)

    for name, code in [
        ("serialize", "echo serialize($users);"), ("var_export", "var_export($users);"), ("print_r", "print_r($users);"),
        ("var_dump", "var_dump($users);"), ("include", 'echo "<?php\\nreturn "; var_export($users);'),
    ]:
        line = check.is_other(name, script(code), "data of PHP", "fputcsv")
    command = line[line.index("php -r '") + len("php -r '"):].rstrip("'")
    run("php", "-r", users + command, folder=folder)
    check.is_table("fputcsv", (folder / "users.csv").read_bytes(), "--format", "csv", "--hash-column", "2", "--header", "no")
    is_json(check, folder, "json_encode", script("echo json_encode($users);"))
    is_json(check, folder, "JSON_PRETTY_PRINT", script("echo json_encode($users, JSON_PRETTY_PRINT);"))


def redis(check, folder):
    path = folder / "redis.sock"
    server = subprocess.Popen(
        ["redis-server", "--port", "0", "--unixsocket", path, "--save", "", "--dir", folder, "--appendonly", "yes",
         "--aof-use-rdb-preamble", "no", "--appendfsync", "always"],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        deadline = time.monotonic() + 60
        while subprocess.run(["redis-cli", "-s", path, "PING"], capture_output=True).stdout != b"PONG\n":
            assert time.monotonic() < deadline and server.poll() is None, "redis-server did not start"
        for number, name, text in ROWS:
            run("redis-cli", "-s", path, "HSET", f"user:{number}", "name", name, "password", text or "")
        run("redis-cli", "-s", path, "--rdb", folder / "redis.rdb")
        line = check.is_other("redis-cli --rdb", (folder / "redis.rdb").read_bytes(), "dump of Redis", "redis-cli --scan")
        log = next((folder / "appendonlydir").glob("*.incr.aof")).read_bytes()
        check.is_other("appendonly", log, "log of Redis", "redis-cli --scan")
        command = line[line.index("redis-cli --scan"):].replace(" > users.tsv", "").replace("redis-cli", f"redis-cli -s {path}")
        table = run("bash", "-c", command)
        check.is_table("HGET", table, "--format", "tsv", "--hash-column", "2", "--header", "no")
    finally:
        server.kill()
        server.wait()


@contextlib.contextmanager
def running_slapd(configuration, address, pid):
    run("/usr/sbin/slapd", "-f", configuration, "-h", address)
    try:
        yield
    finally:
        run("kill", pid.read_text().strip())


def ldap(check, folder):
    data = folder / "ldap"
    data.mkdir()
    configuration, pid = folder / "slapd.conf", folder / "slapd.pid"
    configuration.write_text(
        "modulepath /usr/lib/ldap\nmoduleload back_mdb\ninclude /etc/ldap/schema/core.schema\n"
        f'pidfile {pid}\ndatabase mdb\nmaxsize 67108864\ndirectory {data}\nsuffix "o=test"\nrootdn "cn=root,o=test"\nrootpw x\n')
    entries = "dn: o=test\nobjectClass: organization\no: test\n"
    for _, name, text in ROWS:
        password = f"userPassword: {text}\n" if text else ""
        entries += f"\ndn: cn={name},o=test\nobjectClass: person\ncn: {name}\nsn: x\n{password}"
    run("/usr/sbin/slapadd", "-q", "-f", configuration, text=entries.encode())
    check.is_other("slapcat", run("/usr/sbin/slapcat", "-f", configuration), "LDIF", "uid:userPassword")
    address = "ldapi://" + f"{folder}/ldapi".replace("/", "%2F")
    with running_slapd(configuration, address, pid):
        deadline = time.monotonic() + 60
        search = ["ldapsearch", "-H", address, "-x", "-D", "cn=root,o=test", "-w", "x", "-b", "o=test"]
        while subprocess.run(search, capture_output=True).returncode != 0:
            assert time.monotonic() < deadline, "slapd did not start"
        for options in [[], ["-L"], ["-LL"], ["-LLL"], ["-LLL", "-o", "ldif-wrap=no"]]:
            check.is_other(f"ldapsearch {options}", run(*search, *options), "LDIF", "uid:userPassword")


def others(check):
    for scheme in ["SSHA512", "MD5-CRYPT", "SSHA", "SHA512-CRYPT", "PLAIN-MD5"]:
        table = run("doveadm", "pw", "-s", scheme, "-p", "secret")
        check.is_table(f"doveadm pw {scheme}", table, "--hash-column", "1", "--header", "no", "--format", "csv", empty=0)
    check.is_table("htpasswd", run("htpasswd", "-nbm", "a", "secret") .strip() + b"\n", empty=0)
    stanzas = b"root:\n\tpassword = " + SHA.encode() + b"\n\tlastupdate = 1\n\nguest:\n\tpassword = *\n"
    check.is_other("AIX", stanzas, "stanzas", "awk")


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        folder.chmod(0o777)
        check = Checker(folder)
        mariadb(check, folder)
        postgresql(check, folder, sys.argv[1])
        sqlite(check, folder)
        php(check, folder)
        redis(check, folder)
        ldap(check, folder)
        others(check)
        print(f"{check.read} tables, {check.recognized} other files")


main()
