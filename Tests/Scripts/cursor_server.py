"""Lists 31 students with Datasette, whose cursors are the values that a page ends with. Arguments: port, database."""
import sqlite3
import sys

import uvicorn
from datasette.app import Datasette

port, path = int(sys.argv[1]), sys.argv[2]
with sqlite3.connect(path) as school:
    school.execute("create table students (id integer primary key, name text)")
    # Three names, which a cursor repeats with characters that a query must escape.
    names = [(f"student {number % 3} é+&%/#,~ 漢",) for number in range(31)]
    school.executemany("insert into students (name) values (?)", names)

uvicorn.run(Datasette([path]).app(), host="127.0.0.1", port=port, log_level="critical")
