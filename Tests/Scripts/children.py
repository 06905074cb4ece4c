"""Runs other programs as children of a test's peer, each on a free port. No child outlives the peer."""
import ctypes
import glob
import os
import random
import shutil
import signal
import socket
import subprocess
import tempfile
import time

LIBC = ctypes.CDLL(None)
PR_SET_PDEATHSIG = 1


def is_bindable(port):
    try:
        socket.create_server(("127.0.0.1", port)).close()
        return True
    except OSError:
        return False


def listens(process, port):
    """Whether a process, or one that it started, listens on a TCP port of loopback."""
    inodes = set()
    for line in open("/proc/net/tcp").readlines()[1:]:
        words = line.split()
        if words[3] == "0A" and int(words[1].split(":")[1], 16) == port:
            inodes.add(f"socket:[{words[9]}]")
    group = os.getpgid(process.pid)
    for link in glob.glob("/proc/[0-9]*/fd/*"):
        try:
            if os.readlink(link) in inodes and os.getpgid(int(link.split("/")[2])) == group:
                return True
        except OSError:
            pass
    return False


class Children:
    """Starts programs, each in a separate process group, and terminates the groups."""

    def __init__(self):
        self.processes = []

    def start(self, words, **arguments):
        if shutil.which(words[0]) is None and not os.path.exists(words[0]):
            raise SystemExit(f"{words[0]} is not installed: run script/bootstrap test")
        arguments.setdefault("stderr", subprocess.DEVNULL)
        process = subprocess.Popen(words, start_new_session=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                   preexec_fn=lambda: LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGTERM), **arguments)
        self.processes.append(process)
        return process

    def start_on_free_port(self, words_for_port):
        """Starts a program that must be given a port. Returns the port on which it listens."""
        with tempfile.TemporaryFile() as errors:
            # Another program may take the port first.
            for _ in range(5):
                port = random.choice([port for port in random.sample(range(10000, 32000), 50) if is_bindable(port)])
                words = words_for_port(port)
                process = self.start(words, stderr=errors)
                end = time.monotonic() + 60
                while process.poll() is None and time.monotonic() < end:
                    if listens(process, port):
                        return port
                    time.sleep(0.01)
            errors.seek(0)
            reason = errors.read()[-2000:].decode(errors="replace")
            raise SystemExit(f"{words[0]} does not listen on its port: {reason}")

    def end(self, signals=(signal.SIGTERM, signal.SIGKILL)):
        for process in self.processes:
            for number in signals:
                try:
                    os.killpg(process.pid, number)
                    process.wait(timeout=3)
                    break
                except ProcessLookupError:
                    break
                except subprocess.TimeoutExpired:
                    pass
