#!/usr/bin/env python3
# Part of CredKit. SPDX-License-Identifier: Apache-2.0
"""Writes random tables with `mariadb -B`, PostgreSQL's COPY and Python's csv, and compares `credkit audit` with them.

    table_peers.py SEED COUNT CONNINFO

Each table has names with quotes, tabs, carriage returns, backslashes, line feeds and nothing. The records that the command
counts must be those that the peer wrote, and so must the hashes.
"""
import contextlib
import csv
import io
import json
import pathlib
import random
import subprocess
import sys
import tempfile
import time

PIECES = ['"', '""', "'", "\t", "\r", "\r\n", "\n", ",", "\\", "\\N", "\\t", ":", " ", "", "a", "é", "\\."]


def name_of(rng):
    return "".join(rng.choice(PIECES) for _ in range(rng.choice([0, 1, 2, 3, 6])))


def rows_of(rng):
    return [(name_of(rng), "{:032x}".format(rng.getrandbits(128))) for _ in range(rng.randrange(1, 12))]


def literal(text):
    """A text for both databases: the digits of its bytes."""
    return text.encode().hex()


@contextlib.contextmanager
def running_mariadb(folder):
    """Runs a server of MariaDB, and gives the command of a client."""
    data, socket = folder / "mariadb", folder / "mariadb.sock"
    data.mkdir()
    server = subprocess.Popen(
        ["/usr/sbin/mariadbd", "--no-defaults", "--user=root", "--skip-networking", "--skip-grant-tables", f"--datadir={data}",
         f"--socket={socket}", f"--pid-file={folder}/pid", "--innodb-flush-log-at-trx-commit=0"],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    client = ["mariadb", "--no-defaults", f"--socket={socket}", "--batch", "--default-character-set=utf8mb4"]
    try:
        deadline = time.monotonic() + 60
        while subprocess.run(client + ["-e", "SELECT 1"], capture_output=True).returncode != 0:
            assert time.monotonic() < deadline and server.poll() is None, "mariadbd did not start"
        yield client
    finally:
        server.kill()
        server.wait()


def mariadb_tables(folder, tables):
    script = []
    for rows in tables:
        union = " UNION ALL ".join(
            f"SELECT {i} AS id, CONVERT(X'{literal(n)}' USING utf8mb4) AS name, '{h}' AS hash"
            for i, (n, h) in enumerate(rows))
        script.append(f"SELECT name, hash FROM ({union}) t ORDER BY id; SELECT '<end of the table>' AS e;")
    with running_mariadb(folder) as client:
        answer = subprocess.run(client, input="\n".join(script).encode(), capture_output=True, check=True).stdout
    return answer.split(b"e\n<end of the table>\n")[:-1]


def postgresql_tables(conninfo, tables, form):
    script = []
    for rows in tables:
        values = ",".join(f"({i},convert_from('\\x{literal(n)}','UTF8'),'{h}')" for i, (n, h) in enumerate(rows))
        options = "FORMAT csv, HEADER" if form == "csv" else "FORMAT text"
        script.append(f"COPY (SELECT name, hash FROM (VALUES {values}) t (id, name, hash) ORDER BY id) TO STDOUT ({options});")
        script.append("\\echo <end of the table>")
    answer = subprocess.run(
        ["psql", conninfo, "-X", "-q", "-v", "ON_ERROR_STOP=1"], input="\n".join(script).encode(), capture_output=True)
    assert answer.returncode == 0, answer.stderr
    tables = answer.stdout.split(b"<end of the table>\n")[:-1]
    return [b"name\thash\n" + table if form == "text" else table for table in tables]


def python_tables(tables):
    for rows in tables:
        text = io.StringIO()
        writer = csv.writer(text)
        writer.writerow(["name", "hash"])
        writer.writerows(rows)
        yield text.getvalue().encode()


def check(folder, peer, number, table, rows, ending):
    path = folder / f"table.{ending}"
    path.write_bytes(table)
    answer = subprocess.run(
        ["credkit", "audit", "--json", "--as", "md5", "--memory", "64KiB", "--passes", "1", "--hash-column", "hash", str(path)], capture_output=True, text=True)
    found = json.loads(answer.stdout) if answer.stdout else {}
    wrong = [key for key, value in [("records", len(rows)), ("accounts", len(rows)), ("hiddenLines", 0)]
             if found.get(key) != value]
    spanning = sum("\n" in name for name, _ in rows) if ending == "csv" else 0
    if wrong or found["multiline"] != spanning or answer.returncode != 0:
        sys.exit(f"{peer}, table {number}: {wrong}, status {answer.returncode}: {table!r}\n{answer.stdout}{answer.stderr}")


def main():
    seed, count, conninfo = sys.argv[1], int(sys.argv[2]), sys.argv[3]
    rng = random.Random(seed)
    tables = [rows_of(rng) for _ in range(count)]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        peers = [
            ("mariadb -B", mariadb_tables(folder, tables), "tsv"),
            ("COPY", postgresql_tables(conninfo, tables, "text"), "tsv"),
            ("COPY csv", postgresql_tables(conninfo, tables, "csv"), "csv"),
            ("python", list(python_tables(tables)), "csv"),
        ]
        for peer, written, ending in peers:
            assert len(written) == count, (peer, len(written))
            for number, table in enumerate(written):
                check(folder, peer, number, table, tables[number], ending)
            print(f"{peer}: {count} tables of {sum(map(len, tables))} records, seed {seed}")


if __name__ == "__main__":
    main()
