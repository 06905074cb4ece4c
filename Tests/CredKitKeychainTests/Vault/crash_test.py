# Part of CredKit. SPDX-License-Identifier: Apache-2.0
"""Kills writers of a vault, fails their system calls, and checks the result.

usage: crash_test.py PROBE [--kills N] [--faults] [--order] [--full-disk] [--seed N]

PROBE is the program KeychainProbe. Afterwards the vault must open, contain all acknowledged items, and leave no
temporary file.
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


class Failure(Exception):
    pass


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
            raise Failure(f"{what}: the vault does not open: {result.returncode} {result.stderr.decode()[-500:]}")
        present = set(result.stdout.decode().split())
        if missing := self.acknowledged - present:
            raise Failure(f"{what}: acknowledged and lost: {sorted(missing)}")
        for folder in (self.folder, self.path + ".state"):
            if os.path.isdir(folder):
                if left := [name for name in os.listdir(folder) if name.endswith(".tmp")]:
                    raise Failure(f"{what}: temporary files are left: {left}")
        return present


def kills(vault, count, rng):
    """Kills writers at random moments."""
    acknowledged_by_killed = 0
    for number in range(count):
        # The time until a writer's first save differs tenfold between an idle machine and a busy one.
        if number % 10 == 0:
            start = time.monotonic()
            run(vault.command(f"whole{number}"))
            vault.acknowledged.add(f"whole{number}-0")
            longest = max(0.06, 2 * (time.monotonic() - start))
        name = f"kill{number}"
        writer = subprocess.Popen(vault.command(name, 1000), stdout=subprocess.PIPE)
        # From before the writer has opened a file to several saves later.
        time.sleep(rng.uniform(0.002, longest))
        writer.send_signal(signal.SIGKILL)
        output = writer.stdout.read().decode()
        writer.wait()
        # A truncated line was not acknowledged.
        names = [line for line in output.split("\n")[:-1]]
        acknowledged_by_killed += len(names)
        # The machine may have been faster during the measurement than afterwards.
        if acknowledged_by_killed < number // 2:
            longest = min(2 * longest, 5)
        vault.acknowledged.update(names)
        if number % 5 == 4 or number == count - 1:
            present = vault.check(f"after kill {number}")
            # Keeps files small, and lets the next writers begin without a vault.
            if len(present) > 400:
                shutil.rmtree(vault.path + ".state")
                for file in os.listdir(vault.folder):
                    if file.startswith("vault"):
                        os.unlink(os.path.join(vault.folder, file))
                vault.acknowledged.clear()
    if acknowledged_by_killed < count // 2:
        raise Failure(f"only {acknowledged_by_killed} saves were acknowledged by {count} writers: killed too early")
    print(f"killed {count} writers, which had acknowledged {acknowledged_by_killed} items: all there")


def faults(vault):
    """Fails each system call of a save in turn."""
    run(vault.command("before"))
    vault.acknowledged.add("before-0")
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
        run(["strace", "-f", "-qq", "-y", "-o", log, *options, *vault.command("before")])
        counts = {}
        own = set()
        for line in open(log, errors="replace"):
            thread, text = line.split(maxsplit=1)
            if text.startswith(f"{call}("):
                counts[thread] = counts.get(thread, 0) + 1
                if vault.folder in text:
                    own.add(counts[thread])
        for error in errors:
            for number in sorted(own):
                name = f"{call}-{error}-{number}"
                output, status = run_traced(
                    ["strace", "-f", "-qq", "-o", log, *options, "-e",
                     f"inject={call}:error={error}:when={number}", *vault.command(name)], log
                )
                if not is_injected(log):
                    raise Failure(f"{name}: no fault was injected")
                hit[call] = hit.get(call, 0) + 1
                if f"{name}-0" in output.split():
                    vault.acknowledged.add(f"{name}-0")
                else:
                    failed += 1
                    if status == 0:
                        raise Failure(f"{name}: neither acknowledged nor failed")
                vault.check(name)
    for call in ("openat", "write", "fsync", "linkat", "unlinkat", "flock"):
        if not hit.get(call):
            raise Failure(f"{call} was never called: the list of calls is out of date")
    print(f"failed {sum(hit.values())} calls ({', '.join(f'{c} {n}' for c, n in hit.items())}): {failed} saves failed, "
          "nothing was lost")


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
    parser.add_argument("--faults", action="store_true")
    parser.add_argument("--order", action="store_true")
    parser.add_argument("--full-disk", action="store_true")
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 32))
    options = parser.parse_args()
    print(f"seed {options.seed}")
    rng = random.Random(options.seed)

    def in_folder(body):
        with tempfile.TemporaryDirectory() as folder:
            body(Vault(options.probe, folder))

    try:
        if options.kills:
            in_folder(lambda vault: kills(vault, options.kills, rng))
        if options.order:
            in_folder(order)
        if options.faults:
            in_folder(faults)
        if options.full_disk:
            full_disk(lambda folder: Vault(options.probe, folder))
    except Failure as failure:
        sys.exit(f"crash_test: {failure}")


main()
