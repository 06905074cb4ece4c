#!/usr/bin/env python3
# Part of CredKit. SPDX-License-Identifier: Apache-2.0
"""Writes random tables with NULL for some hashes, and compares `credkit audit` and `credkit upgrade` with them.

    table_nulls.py SEED COUNT

The tables are those of Python's csv with several delimiters and texts for NULL, of sqlite3, and of MariaDB: with `mariadb -B`
and with SELECT … INTO OUTFILE. Both commands must find as many hashes, NULLs, locks and unknown texts as were written.
"""
import csv
import io
import json
import pathlib
import random
import subprocess
import sys
import tempfile

import table_peers

NAMES = ["a", "b c", "d,e", "f;g", "h|i", 'j"k', "é", "l:m"]
COSTS = ["--memory", "64KiB", "--passes", "1"]


def rows_of(rng):
    """Rows of a name and a hash, an unknown text, a lock, or None."""
    def field():
        return rng.choice(["{:032x}".format(rng.getrandbits(128)), None, None, "!", "nonsense/+"])
    return [(rng.choice(NAMES), field()) for _ in range(rng.randrange(1, 30))]


def python_tables(rng, rows):
    for delimiter in ",;|\t":
        null = rng.choice(["", "NULL", r"\N", "n/a", "None"])
        text = io.StringIO()
        writer = csv.writer(
            text, delimiter=delimiter, quoting=rng.choice([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]),
            lineterminator=rng.choice(["\n", "\r\n"]))
        writer.writerow(["name", "hash"])
        writer.writerows((name, null if value is None else value) for name, value in rows)
        options = ["--format", "csv"] + (["--delimiter", delimiter] if delimiter != "," else [])
        yield text.getvalue().encode(), options + (["--null", null] if null in ("n/a", "None") else []), "python"


def inserts(rows):
    values = ",".join(
        f"({i},'{name}',{'NULL' if value is None else repr(value)})" for i, (name, value) in enumerate(rows))
    return f"DROP TABLE IF EXISTS t; CREATE TABLE t (id int, name varchar(9), hash varchar(40)); INSERT INTO t VALUES {values};\n"


def sqlite_tables(rng, rows):
    for separator, null in [(",", ""), (";", "NULL"), ("|", r"\\N")]:
        script = f'{inserts(rows)}.headers on\n.mode csv\n.separator "{separator}" "\\n"\n.nullvalue "{null}"\nSELECT name, hash FROM t ORDER BY id;\n'
        table = subprocess.run(["sqlite3"], input=script.encode(), capture_output=True, check=True).stdout
        yield table, ["--format", "csv", "--delimiter", separator], "sqlite3"


def mariadb_tables(folder, client, rows):
    def query(text):
        return subprocess.run(client, input=text.encode(), capture_output=True, check=True).stdout
    start = "CREATE DATABASE IF NOT EXISTS d; USE d; " + inserts(rows)
    yield query(start + "SELECT name, hash FROM t ORDER BY id;"), ["--format", "tsv"], "mariadb -B"
    quoted = "FIELDS TERMINATED BY ',' OPTIONALLY ENCLOSED BY '\"'"
    for form, options in [("", ["--format", "tsv"]), ("FIELDS TERMINATED BY ';'", ["--delimiter", ";"]),
                          ("FIELDS TERMINATED BY '|' ESCAPED BY ''", ["--delimiter", "|"]), (quoted, None)]:
        path = folder / "outfile"
        path.unlink(missing_ok=True)
        # Without quotes, a separator in a name would be escaped or ambiguous.
        name = "name" if options is None else "'n'"
        query(f"USE d; SELECT {name}, hash INTO OUTFILE '{path}' {form} FROM t ORDER BY id;")
        yield path.read_bytes(), (options or ["--format", "csv"]) + ["--header", "no"], f"OUTFILE {form}"


def counts(arguments):
    answer = subprocess.run(["credkit"] + arguments + ["--json", "--as", "md5", "--hash-column", "2"] + COSTS, capture_output=True)
    if not answer.stdout:
        sys.exit(f"{arguments}: {answer.stderr.decode()}")
    return json.loads(answer.stdout)


def check(folder, table, options, rows, peer):
    path = folder / "table"
    path.write_bytes(table)
    fields = [value for _, value in rows]
    nulls, locks, unknown = fields.count(None), fields.count("!"), fields.count("nonsense/+")
    hashes = len(fields) - nulls - locks - unknown
    found = counts(["audit", str(path)] + options)
    expected = dict(records=len(rows), accounts=hashes, empty=nulls, locked=locks, unrecognized=unknown, incomplete=0, comments=0)
    wrong = {key: found[key] for key, value in expected.items() if found[key] != value}
    output = folder / "upgraded"
    output.unlink(missing_ok=True)
    plan = counts(["upgrade", "--input", str(path), "--output", str(output)] + options)
    expected = dict(layered=hashes, kept=nulls + locks, problems=unknown, rehash=0)
    wrong |= {key: plan[key] for key, value in expected.items() if plan[key] != value}
    if wrong:
        sys.exit(f"{peer} {options}: {wrong}: {table!r}")


def main():
    seed, count = sys.argv[1], int(sys.argv[2])
    rng = random.Random(seed)
    tables = 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        with table_peers.running_mariadb(folder) as client:
            for _ in range(count):
                rows = rows_of(rng)
                peers = [*python_tables(rng, rows), *sqlite_tables(rng, rows)]
                for table, options, peer in [*peers, *mariadb_tables(folder, client, rows)]:
                    check(folder, table, options, rows, peer)
                    tables += 1
    print(f"{tables} tables")


main()
