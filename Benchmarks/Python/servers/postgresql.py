# Part of CredKit. SPDX-License-Identifier: Apache-2.0
"""A PostgreSQL server with a new cluster, as docs/operating.md requires it: with every commit on the disk."""
import glob
import os
import pwd
import shutil
import signal
import subprocess
import tempfile
from pathlib import Path

import engines

ROLE, PASSWORD = "login_server", "of-the-benchmark"


class PostgreSQL:
    name = "postgresql"
    limit = None

    def __init__(self, server_program, data):
        programs = sorted(glob.glob("/usr/lib/postgresql/*/bin"))
        if not programs:
            raise engines.Failure("PostgreSQL is not installed")
        self.programs, self.port = Path(programs[-1]), engines.free_port()
        # It does not run as root, and its user cannot enter every folder.
        self.user = "postgres" if os.getuid() == 0 else None
        self.folder = Path(tempfile.mkdtemp(prefix="credkit-postgresql-", dir=data))
        if self.user:
            os.chown(self.folder, pwd.getpwnam(self.user).pw_uid, -1)
        self.run("initdb", "-D", "data", "-U", "postgres", "--auth-local=trust", "--auth-host=scram-sha-256",
                 "--no-instructions")
        self.socket = self.folder
        self.process = self.start("data", "127.0.0.1", self.socket)
        self.sql(f"CREATE ROLE {ROLE} LOGIN PASSWORD '{PASSWORD}'")
        self.sql("CREATE EXTENSION pg_stat_statements")
        schema = subprocess.run([server_program, "schema", "--role", ROLE], check=True, capture_output=True, text=True)
        self.sql(schema.stdout)
        # The new cluster is on the disk before anything is measured.
        self.sql("CHECKPOINT")

    def start(self, data, address, socket):
        """Starts a server with a cluster. Returns its process."""
        settings = {"port": self.port, "listen_addresses": address, "unix_socket_directories": socket,
                    "shared_preload_libraries": "pg_stat_statements", "shared_buffers": "128MB"}
        process = subprocess.Popen(
            [self.programs / "postgres", "-D", data, *(f"--{name}={value}" for name, value in settings.items())],
            cwd=self.folder, user=self.user, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        engines.until(lambda: self.run("pg_isready", "-h", socket, "-p", self.port, check=False) == 0,
                      "PostgreSQL does not start")
        return process

    def run(self, program, *arguments, check=True):
        outcome = subprocess.run([self.programs / program, *map(str, arguments)], cwd=self.folder, user=self.user,
                                 capture_output=True, text=True)
        if check and outcome.returncode:
            raise engines.Failure(f"{program}: {outcome.stderr}")
        return outcome.returncode

    def sql(self, script):
        outcome = subprocess.run(
            [self.programs / "psql", "-h", self.socket, "-p", str(self.port), "-U", "postgres", "-qAtX",
             "-v", "ON_ERROR_STOP=1"], input=script, capture_output=True, text=True, cwd="/")
        if outcome.returncode:
            raise engines.Failure(f"psql: {outcome.stderr}")
        return outcome.stdout.strip()

    def options(self, processes, folder):
        path = folder / "state-password"
        path.write_text(PASSWORD)
        path.chmod(0o600)
        return ["--state", f"postgresql://{ROLE}@127.0.0.1:{self.port}/postgres", "--state-key-file", "state-key",
                "--state-password-file", path.name, "--processes", str(processes)]

    def begin_history(self):
        self.sql("INSERT INTO credkit.epoch (history, since) VALUES (credkit.history(), 1)"
                 " ON CONFLICT (one) DO UPDATE SET history = excluded.history, since = 1")

    def counters(self):
        role = f"(SELECT oid FROM pg_roles WHERE rolname = '{ROLE}')"
        # Statements of a round trip are sent together, and one of them pins the search path. Without that none would count.
        calls = self.sql("SELECT coalesce(sum(calls), 0) FROM pg_stat_statements"
                         f" WHERE toplevel AND userid = {role} AND query LIKE '%set_config%'")
        return {"commands": int(calls)}

    def processes(self):
        children = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text().split()
        return [self.process.pid, *map(int, children)]

    def processor_seconds(self):
        return sum(map(engines.processor_seconds, self.processes()))

    def memory(self):
        return int(self.sql("SELECT pg_database_size('postgres')"))

    def stop(self):
        self.process.send_signal(signal.SIGINT)
        self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)
