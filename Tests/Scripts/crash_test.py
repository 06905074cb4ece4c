# Part of CredKit. SPDX-License-Identifier: Apache-2.0
"""Kills writers of a vault, fails their system calls, and checks the result.

usage: crash_test.py PROBE [--kills N] [--faults [STEP…]] [--order] [--races] [--halfway]
                     [--full-disk] [--seed N] [--jobs N]

PROBE is the program KeychainProbe. Afterwards the next program must open the vault, find all that was acknowledged, and
leave no temporary file. With the same seed the same kinds of writers meet; the moment when a kill hits a writer still
depends on the machine.
"""
import argparse
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from killed_writers import Failure, kill_writers, replace

# The fallible system calls of a save. The probe's own read of its key file is among the failed calls.
CALLS = [
    ("openat", ["EACCES", "EMFILE", "ENOSPC"]),
    ("read", ["EIO"]),
    ("write", ["ENOSPC", "EIO", "EDQUOT"]),
    ("fchmod", ["EPERM"]),
    ("fsync", ["EIO", "ENOSPC"]),
    ("linkat", ["ENOSPC", "EPERM", "EACCES"]),
    ("renameat", ["EACCES", "ENOSPC", "EIO"]),
    ("renameat2", ["EACCES"]),
    ("unlinkat", ["EIO"]),
    ("flock", ["ENOLCK"]),
    ("newfstatat", ["EIO"]),
    ("fstat", ["EIO"]),
    ("mkdir", ["EACCES"]),
    ("getdents64", ["EIO"]),
]

STEPS = ["set", "rekey", "repair"]

# At these the program is also killed.
CHANGING_CALLS = ["write", "fsync", "linkat", "renameat", "renameat2", "unlinkat"]


class Vault:
    def __init__(self, probe, folder):
        self.probe = probe
        self.folder = folder
        self.path = os.path.join(folder, "vault")
        self.key = os.path.join(folder, "key")
        with open(self.key, "wb") as file:
            file.write(os.urandom(32))
        self.acknowledged = set()

    def command(self, name, count=1):
        return [self.probe, "write", self.path, self.key, str(count), name]

    def check(self, what):
        """Opens the vault as the next program would, and compares the items."""
        # If all writers were killed before the first one created the vault, as on a busy machine, there is no vault.
        if not self.acknowledged and not os.path.exists(self.path) and not os.path.exists(self.path + ".bak"):
            return set()
        result = subprocess.run([self.probe, "list", self.path, self.key], capture_output=True, timeout=60)
        if result.returncode != 0:
            raise Failure(f"{what}: the vault does not open: {result.returncode} {result.stderr.decode()[-20_000:]}")
        present = set(result.stdout.decode().split())
        if missing := self.acknowledged - present:
            raise Failure(f"{what}: acknowledged and lost: {sorted(missing)}")
        for folder in (self.folder, self.path + ".state"):
            if os.path.isdir(folder):
                if left := [name for name in os.listdir(folder) if name.endswith(".tmp")]:
                    raise Failure(f"{what}: temporary files are left: {left}")
        return present


class Step:
    """A change of a vault: storing an item, replacing the key, or repairing."""

    def __init__(self, vault, kind):
        self.vault = vault
        self.kind = kind

    def prepare(self):
        """Repairing needs a damaged vault, and a backup that contains everything."""
        if self.kind == "repair":
            with open(self.vault.path, "rb") as file:
                content = file.read()
            replace(self.vault.path + ".bak", content)
            replace(self.vault.path, content[:-1])

    def command(self, name):
        if self.kind == "set":
            return self.vault.command(name)
        extra = {"repair": "0/1", "rekey": "unused"}[self.kind]
        return [self.vault.probe, "step", self.kind, self.vault.path, self.vault.key, name, extra]

    def finish(self, name, output, status):
        """Checks the vault, and returns whether the step was acknowledged."""
        acknowledgement = f"{name}-0" if self.kind == "set" else "0"
        acknowledged = acknowledgement in output.split()
        if not acknowledged and status == 0:
            raise Failure(f"{name}: neither acknowledged nor failed")
        if acknowledged and self.kind == "set":
            self.vault.acknowledged.add(acknowledgement)
        if self.kind == "repair" and not acknowledged:
            self.repair(name)
        for file in os.listdir(self.vault.folder):
            if ".damaged-" in file:
                os.unlink(os.path.join(self.vault.folder, file))
        self.vault.check(name)
        return acknowledged

    def repair(self, name):
        """Repairs the vault as the next program."""
        result = subprocess.run(self.command("again"), capture_output=True, timeout=60)
        if result.returncode != 0:
            raise Failure(f"{name}: the vault cannot be repaired: {result.stderr.decode()[-20_000:]}")


def faults(vault, kind):
    """Fails each system call of a step in turn, and kills the program at each that changes a file."""
    run(vault.command("before"))
    vault.acknowledged.add("before-0")
    step = Step(vault, kind)
    failed = 0
    hit = {}
    log = os.path.join(vault.folder, "trace")
    for call, errors in CALLS:
        # Path filters make strace count only calls on the vault, not those of program start-up. Calls on files with
        # random names have no path filter, and are counted per thread.
        options = ["-e", f"trace={call}"]
        if call not in ("write", "fchmod", "fsync", "flock"):
            for path in (vault.folder, vault.path, vault.path + ".lock", vault.path + ".state", vault.key):
                options += ["-P", path]
        step.prepare()
        run(["strace", "-f", "-qq", "-y", "-o", log, *options, *step.command("before")])
        step.finish("before", "before-0 0", 0)
        counts = {}
        own = set()
        for line in open(log, errors="replace"):
            thread, text = line.split(maxsplit=1)
            if text.startswith(f"{call}("):
                counts[thread] = counts.get(thread, 0) + 1
                if vault.folder in text:
                    own.add(counts[thread])
        for fault in [f"error={error}" for error in errors] + ["signal=KILL"] * (call in CHANGING_CALLS):
            for number in sorted(own):
                name = f"{kind}-{call}-{fault.split('=')[1]}-{number}"
                step.prepare()
                output, status = run_traced(
                    ["strace", "-f", "-qq", "-o", log, *options, "-e",
                     f"inject={call}:{fault}:when={number}", *step.command(name)], log
                )
                if not is_injected(log) and status != -signal.SIGKILL:
                    raise Failure(f"{name}: no fault was injected")
                hit[call] = hit.get(call, 0) + 1
                failed += not step.finish(name, output, status)
    links = ("linkat", "unlinkat") if kind == "set" else ()
    for call in ("openat", "write", "fsync", "renameat", "flock", *links):
        if not hit.get(call):
            raise Failure(f"{call} was never called: the list of calls is out of date")
    print(f"{kind}: failed {sum(hit.values())} calls ({', '.join(f'{c} {n}' for c, n in hit.items())}): "
          f"{failed} steps failed, nothing was lost")


def order(vault):
    """Checks the order of the calls that make a save durable."""
    run(vault.command("before"))
    log = os.path.join(vault.folder, "trace")
    run(["strace", "-f", "-qq", "-y", "-s", "200", "-o", log,
         "-e", "trace=fsync,fdatasync,renameat,renameat2,rename,write,linkat", *vault.command("order")])
    steps = []
    for line in open(log, errors="replace"):
        if re.search(r"write\(\d+<[^>]*vault\.\w+\.tmp>", line) and steps[-1:] != ["write"]:
            steps.append("write")
        elif re.search(r"fsync\(\d+<[^>]*vault\.\w+\.tmp>\) += 0", line):
            steps.append("fsync file")
        elif re.search(r"rename\w*\(.*\"\.vault\.\w+\.tmp\", .*\"vault\.bak\"", line):
            steps.append("backup")
        elif re.search(r"rename\w*\(.*\"\.vault\.\w+\.tmp\", .*\"vault\"", line):
            steps.append("rename")
        elif re.search(rf"fsync\(\d+<{re.escape(os.path.realpath(vault.folder))}>\) += 0", line):
            steps.append("fsync folder")
        elif re.search(r"write\(1<.*order-0", line):
            steps.append("acknowledge")
    expected = ["write", "fsync file", "backup", "rename", "fsync folder", "acknowledge"]
    if steps != expected:
        raise Failure(f"the order is {steps}, not {expected}")
    print(f"the order is right: {' → '.join(steps)}")


def halfway(vault):
    """Kills a rekey at each rename, so that only the backup may have the new key, then damages the vault."""
    run(vault.command("before", 3))
    vault.acknowledged.update(f"before-{number}" for number in range(3))
    step = Step(vault, "rekey")
    for number in (1, 2):
        run(step.command("before"))
        result = subprocess.run(["strace", "-f", "-qq", "-o", "/dev/null", "-e", "trace=renameat", "-e",
                                 f"inject=renameat:signal=KILL:when={number}", *step.command("killed")],
                                capture_output=True, timeout=60)
        if result.returncode != -signal.SIGKILL:
            raise Failure(f"the rekey was not killed at rename {number}: {result.stderr.decode()[-20_000:]}")
        vault.check(f"killed at rename {number}")
        with open(vault.path, "rb") as file:
            content = bytearray(file.read())
        content[-1] ^= 1
        replace(vault.path, content)
        Step(vault, "repair").repair(f"killed at rename {number}, then damaged")
        vault.check(f"repaired after a kill at rename {number}")
    print("a vault is repaired from the backup of a killed rekey")


def races(vault):
    """Stops a program after it has looked for the vault, before it reads what was seen of it, while another one saves.
    The program must not take the save for a rollback, or the new vault for a missing one."""
    log = os.path.join(vault.folder, "trace")
    # The call to be stopped is the first that opens this folder.
    state = vault.path + ".state"
    os.mkdir(state, 0o700)
    for number, question in enumerate(["list", "status", "list", "status"]):
        # The vault is created during the first question.
        command = ["strace", "-f", "-qq", "-o", log, "-e", "trace=openat", "-P", state, "-e",
                   "inject=openat:signal=STOP:when=1", vault.probe, "inspect", vault.key]
        with open(log, "w"):
            pass
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                                   start_new_session=True)
        process.stdin.write(f"{question} {vault.path}\n")
        process.stdin.close()
        while "stopped by SIGSTOP" not in open(log, errors="replace").read():
            if process.poll() is not None:
                raise Failure(f"{question}: the program was not stopped")
            time.sleep(0.01)
        run(vault.command(f"race{number}"))
        vault.acknowledged.add(f"race{number}-0")
        os.killpg(process.pid, signal.SIGCONT)
        answer = process.stdout.read().split("\n")
        process.wait()
        if answer[-2] != "end" or (question == "status" and answer[0] != "end"):
            raise Failure(f"{question} during the save {number}: {answer}")
        vault.check(f"after race {number}")
    print("saves during four reads caused no alarm")


def full_disk(vault_of):
    """Fills a small file system."""
    folder = tempfile.mkdtemp()
    mount = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=96k,mode=0700", "none", folder], capture_output=True)
    if mount.returncode != 0:
        raise Failure(f"no small file system can be mounted: {mount.stderr.decode()}")
    try:
        vault = vault_of(folder)
        result = subprocess.run(vault.command("full", 5000), capture_output=True, timeout=120)
        vault.acknowledged.update(result.stdout.decode().split())
        if result.returncode == 0 or b"No space left" not in result.stderr:
            raise Failure(f"the disk did not become full: {result.stderr.decode()[-300:]}")
        vault.check("on a full disk")
        print(f"a full disk: {len(vault.acknowledged)} items were acknowledged and are there")
    finally:
        subprocess.run(["umount", folder], check=True)
        os.rmdir(folder)


def run_traced(command, log):
    """Returns the output and the status of a command. Calls are counted per thread, so a runtime call may also fail
    and then wait forever: that is equivalent to a killed writer."""
    with open(log, "w"):
        pass
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, start_new_session=True)
    # Before a call has failed, a writer waits only for the machine.
    for _ in range(12):
        try:
            return process.communicate(timeout=5)[0].decode(), process.returncode
        except subprocess.TimeoutExpired:
            if is_injected(log):
                break
    os.killpg(process.pid, signal.SIGKILL)
    return process.communicate()[0].decode(), -signal.SIGKILL


def is_injected(log):
    """Returns whether a call was failed."""
    with open(log, errors="replace") as file:
        return "(INJECTED)" in file.read()


def run(command):
    subprocess.run(command, check=True, capture_output=True, timeout=60)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("probe")
    parser.add_argument("--kills", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=(os.cpu_count() or 1) + 1)
    parser.add_argument("--faults", nargs="*", choices=STEPS, metavar="STEP")
    parser.add_argument("--order", action="store_true")
    parser.add_argument("--races", action="store_true")
    parser.add_argument("--halfway", action="store_true")
    parser.add_argument("--full-disk", action="store_true")
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 32))
    options = parser.parse_args()
    print(f"seed {options.seed}", flush=True)

    def in_folder(body):
        with tempfile.TemporaryDirectory() as folder:
            body(Vault(options.probe, folder))

    try:
        if options.kills:
            kill_writers(options.probe, options.kills, options.seed, options.jobs)
        if options.halfway:
            in_folder(halfway)
        if options.races:
            in_folder(races)
        if options.order:
            in_folder(order)
        if options.faults is not None:
            for kind in options.faults or STEPS:
                in_folder(lambda vault: faults(vault, kind))
        if options.full_disk:
            full_disk(lambda folder: Vault(options.probe, folder))
    except Failure as failure:
        sys.exit(f"crash_test: {failure}")


main()
