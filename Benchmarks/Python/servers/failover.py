# Part of CredKit. SPDX-License-Identifier: Apache-2.0
"""A PostgreSQL server that is killed, and whose asynchronous standby takes over."""
import os
import shutil
import signal
import subprocess

import engines
from postgresql import ROLE, PostgreSQL


class PostgreSQLWithStandby(PostgreSQL):
    """Primary and standby take turns at two addresses, which servers try one after the other."""

    addresses = ("127.0.0.1", "127.0.0.2")

    def __init__(self, server_program, data):
        self.count, self.data, self.standby = 0, "data", None
        super().__init__(server_program, data)

    def options(self, processes, folder):
        options = super().options(processes, folder)
        hosts = ",".join(f"{address}:{self.port}" for address in self.addresses)
        options[1] = f"postgresql://{ROLE}@{hosts}/postgres?sslmode=disable"
        # Of several hosts, servers do not judge whether all are this machine.
        return [*options, "--allow-insecure-state"]

    def add_standby(self):
        """Starts a standby, and waits until it follows."""
        self.count += 1
        data, socket = f"data-{self.count}", self.folder / f"socket-{self.count}"
        socket.mkdir()
        if self.user:
            shutil.chown(socket, self.user)
        self.run("pg_basebackup", "-h", self.socket, "-p", self.port, "-U", "postgres", "-D", data, "-R", "-X", "stream",
                 "-c", "fast")
        process = self.start(data, self.addresses[self.count % 2], socket)
        self.standby = process, data, socket
        engines.until(lambda: self.senders(), "the standby does not follow")

    def senders(self):
        return [int(line) for line in self.sql("SELECT pid FROM pg_stat_replication WHERE state = 'streaming'").split()]

    def fall_behind(self):
        """Waits until the standby has all that is committed, and lets it have nothing of what is committed later."""
        senders = self.senders()
        engines.until(lambda: self.sql("SELECT count(*) FROM pg_stat_replication"
                                       " WHERE replay_lsn >= pg_current_wal_flush_lsn()") == "1", "the standby lags behind")
        for sender in senders:
            os.kill(sender, signal.SIGSTOP)

    def fail_over(self):
        """Kills the primary, and promotes the standby."""
        lines = (self.folder / self.data / "postmaster.pid").read_text().splitlines()
        for process in self.processes():
            os.kill(process, signal.SIGKILL)
        self.process.wait()
        # A killed server leaves its shared memory behind; it goes when the last process has ended.
        subprocess.run(["ipcrm", "-m", lines[6].split()[1]], user=self.user, check=False, capture_output=True)
        old = self.data
        self.process, self.data, self.socket = self.standby
        self.standby = None
        self.run("pg_ctl", "promote", "-D", self.data, "-w", "-t", "60")
        shutil.rmtree(self.folder / old)

    def stop(self):
        if self.standby:
            self.standby[0].kill()
            self.standby[0].wait()
        super().stop()
