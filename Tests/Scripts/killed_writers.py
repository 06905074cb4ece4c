# Part of CredKit. SPDX-License-Identifier: Apache-2.0
"""Kills programs that change a vault, two at a time, and checks what is left; see crash_test.py."""
import itertools
import os
import random
import shutil
import signal
import subprocess
import tempfile
import threading
import time
from collections import Counter

KINDS = ["set", "delete", "import", "move", "passphrase", "rekey", "repair"]
ALARMS = ("rollbackDetected", "vaultReplaced", "vaultMissing")
BASE = {("base", str(number)): "base" for number in range(5)}
DELETED_COUNT = 40
MOVED_COUNT = 3
IMPORTED_COUNT = 20
# The kinds of damage that the probe causes.
DAMAGE_COUNT = 7


class Failure(Exception):
    pass


class Refused(Exception):
    """The next program got an error."""

    def __init__(self, command, code, message):
        super().__init__(f"{command}: {message}")
        self.code = code


def environment(key):
    """The environment of a program, in which only programs with the same key wait for each other's moves."""
    return os.environ | {"XDG_STATE_HOME": key + ".state"}


class Inspector:
    """The next program: each question opens the vault anew."""

    def __init__(self, probe, key):
        self.process = subprocess.Popen([probe, "inspect", key], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        text=True, env=environment(key))

    def ask(self, *words):
        self.process.stdin.write(" ".join(words) + "\n")
        self.process.stdin.flush()
        lines = []
        while (line := self.process.stdout.readline().rstrip("\n")) != "end":
            if not line:
                raise Failure(f"the inspector ended: {words}")
            if line.startswith("error "):
                _, code, message = line.split(" ", 2)
                raise Refused(words[0], code, message)
            lines.append(line)
        return lines

    def items(self, path):
        """Returns the secrets by service and account; `None` if there is no vault."""
        lines = self.ask("list", path)
        if lines == ["none"]:
            return None
        items = {}
        for line in lines:
            service, account, secret = line.split(" ")
            if (service, account) in items:
                raise Failure(f"{service} {account} is listed twice")
            items[service, account] = secret
        return items

    def close(self):
        self.process.stdin.close()
        self.process.wait()
        self.process.stdout.close()


class Writer:
    """A program that changes a vault until it is killed."""

    def __init__(self, probe, kind, path, key, name, extra, retries):
        self.kind = kind
        self.name = name
        # The services of its items.
        self.services = [f"{name}-{number}" for number in range(4)] if kind == "move" else [name]
        # Whether another writer moves the same items.
        self.shares_items = False
        self.process = subprocess.Popen(
            [probe, "work", kind, path, key, name, extra] + ["retry"] * retries,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment(key),
        )

    def wait_until_ready(self):
        if self.process.stdout.readline() != b"ready\n":
            raise Failure(f"{self.kind} did not begin: {self.process.communicate()[1].decode()}")

    def begin(self):
        self.process.stdin.write(b"\n")
        self.process.stdin.flush()

    def kill(self):
        self.process.send_signal(signal.SIGKILL)

    def collect(self):
        """Counts what was acknowledged. A truncated line was not."""
        output, errors = self.process.communicate()
        self.lines = output.decode().split("\n")[:-1]
        self.acknowledged = sum(line.isdigit() for line in self.lines)
        if self.process.returncode != -signal.SIGKILL:
            raise Failure(f"{self} failed: {self.process.returncode} {errors.decode()[-20_000:]}")

    def __str__(self):
        return f"{self.kind} {self.name}"

    # What may be left of its items: each returns whether the step that was not acknowledged was done.

    def check_set(self, items, other):
        mine = self.mine(items)
        done = False
        for account in range(4):
            allowed = {None}
            for number in range(account, self.acknowledged, 4):
                allowed = {str(number)}
            if self.acknowledged % 4 == account:
                allowed.add(str(self.acknowledged))
                done = mine.get(str(account)) == str(self.acknowledged)
            if mine.get(str(account)) not in allowed:
                raise Failure(f"{account} is {mine.get(str(account))}, not one of {allowed}")
        return done

    def check_delete(self, items, other):
        left = set(map(int, self.mine(items)))
        allowed = [set(range(self.acknowledged + more, DELETED_COUNT)) for more in (0, 1)]
        if left not in allowed:
            raise Failure(f"{sorted(left)} are left")
        return left == allowed[1] and left != allowed[0]

    def check_import(self, items, other):
        mine = self.mine(items)
        numbers = set(mine.values())
        allowed = [{str(self.acknowledged - 1)} if self.acknowledged else set(), {str(self.acknowledged)}]
        if numbers not in allowed or len(mine) not in ((0, IMPORTED_COUNT) if not self.acknowledged
                                                       else (IMPORTED_COUNT,)):
            raise Failure(f"the imported items are {mine}")
        return numbers == allowed[1]

    def check_move(self, items, other):
        """Each service was moved to the other vault, later back, and so on."""
        full = {str(number): "moved" for number in range(MOVED_COUNT)}
        done = False
        for number, service in enumerate(self.services):
            moves = len(range(number, self.acknowledged, len(self.services)))
            stores = [self.mine(items, service), self.mine(other, service)]
            if moves % 2:
                stores.reverse()
            allowed = [[full, {}]]
            if self.shares_items or self.acknowledged % len(self.services) == number:
                allowed += [[full, full], [{}, full]]
                done = stores[1] == full and not self.shares_items
            if stores not in allowed:
                raise Failure(f"after {moves} moves the items in the source and the target are {stores}")
        return done

    def mine(self, items, mine=None):
        mine = mine or self.name
        return {account: secret for (service, account), secret in (items or {}).items() if service == mine}


class Statistics:
    """What all threads have counted."""

    def __init__(self):
        self.lock = threading.Lock()
        self.killed = Counter()
        self.acknowledged = Counter()
        self.done = Counter()
        self.found = Counter()

    def count(self, writers):
        with self.lock:
            for writer in writers:
                self.killed[writer.kind] += 1
                self.acknowledged[writer.kind] += writer.acknowledged

    def note(self, name, count=1):
        with self.lock:
            self.found[name] += count

    def show(self, seconds):
        print(f"killed {self.killed.total()} writers, two at a time, in {seconds:.0f} s: nothing acknowledged was lost")
        for kind in [*KINDS, "accept"]:
            done = f", {self.done[kind]} done but not acknowledged" if self.done[kind] else ""
            print(f"  {kind}: {self.killed[kind]} killed, {self.acknowledged[kind]} acknowledged{done}")
        print("  " + ", ".join(f"{count} {name}" for name, count in sorted(self.found.items())))

    def check(self):
        """Checks that the kills hit what they should."""
        kills, steps = self.killed.total(), self.acknowledged.total()
        if steps < kills // 5:
            raise Failure(f"only {steps} steps were acknowledged by {kills} writers: killed too early")
        inside = self.found["unfinished files were left"] + self.done.total()
        if inside < kills // 20:
            raise Failure(f"only {inside} of {kills} kills hit a save")


class Schedule:
    """The kinds of the next two writers: all pairs in random order, again and again."""

    def __init__(self, kills, rng):
        self.left = kills
        self.rng = rng
        self.lock = threading.Lock()
        self.deck = []
        # The longest time from a writer's first call to its kill, in seconds. It follows the speed of the machine.
        self.longest = {kind: 0.1 for kind in [*KINDS, "accept"]}

    def draw(self):
        with self.lock:
            if self.left <= 0:
                return None
            self.left -= 2
            if not self.deck:
                # A rekey drops the slot of a passphrase that another program has changed: that is intended.
                self.deck = [pair for pair in itertools.combinations_with_replacement(KINDS, 2)
                             if pair != ("passphrase", "rekey")]
                self.deck += [("accept", "accept")] * 4
                self.rng.shuffle(self.deck)
            pair = self.deck.pop()
            return self.rng.sample(pair, 2)

    def take(self):
        """Takes two writers out of the schedule, for a round of another kind."""
        with self.lock:
            self.left -= 2

    def moment(self, kind):
        with self.lock:
            return self.rng.uniform(0, self.longest[kind])

    def adapt(self, writer):
        """Lets most writers finish some steps."""
        factor = 1.3 if writer.acknowledged == 0 else 1 if writer.acknowledged < 3 else 1 / 1.2
        with self.lock:
            self.longest[writer.kind] = min(2, max(0.01, self.longest[writer.kind] * factor))


class World:
    """Two vaults, and what must be in them."""

    def __init__(self, thread):
        self.thread = thread
        self.folder = tempfile.mkdtemp(dir=thread.folder)
        self.path = os.path.join(self.folder, "vault")
        self.other = os.path.join(self.folder, "other")
        self.rounds = 0
        self.ask = thread.inspector.ask

    def remove(self):
        shutil.rmtree(self.folder)

    def run(self, kinds, extras, retries, before=lambda *writers: None):
        """Kills two writers at random moments of their work."""
        thread = self.thread
        self.rounds += 1
        shares_items = kinds == ["move", "move"] and thread.schedule.rng.random() < 0.5
        writers = []
        try:
            for kind, extra in zip(kinds, extras):
                thread.number += 1
                name = f"{kind}-{thread.index}-{thread.number}"
                if shares_items and writers:
                    name = writers[0].name
                writers.append(Writer(thread.probe, kind, self.path, thread.key, name, extra, retries))
                writers[-1].shares_items = shares_items
            before(*writers)
            for writer in writers:
                writer.wait_until_ready()
            moments = [(thread.schedule.moment(writer.kind), writer) for writer in writers]
            for writer in writers:
                writer.begin()
            start = time.monotonic()
            for moment, writer in sorted(moments, key=lambda pair: pair[0]):
                time.sleep(max(0, start + moment - time.monotonic()))
                writer.kill()
        finally:
            for writer in writers:
                writer.kill()
        for writer in writers:
            writer.collect()
            thread.schedule.adapt(writer)
        thread.statistics.count(writers)
        self.note_leftovers()
        return writers

    def files(self, folder=None):
        return os.listdir(folder or self.folder)

    def note_leftovers(self):
        unfinished = sum(name.endswith(".tmp") for name in self.files())
        self.thread.statistics.note("unfinished files were left", unfinished)
        for path in (self.path, self.other):
            generations = []
            for file in (path, path + ".bak"):
                if os.path.exists(file):
                    with open(file, "rb") as opened:
                        generations.append(int.from_bytes(opened.read(40)[32:], "little"))
            if len(generations) == 2 and generations[0] < generations[1] and generations[0] > 0:
                self.thread.statistics.note("backups were newer than the vault")

    def check_leftovers(self):
        """After the next program has used the vaults, no temporary file is left."""
        for folder in (self.folder, self.path + ".state", self.other + ".state"):
            if os.path.isdir(folder):
                if left := [name for name in self.files(folder) if name.endswith(".tmp")]:
                    raise Failure(f"temporary files are left: {left}")
        for name in self.files():
            if ".damaged-" in name or ".probe-" in name:
                os.unlink(os.path.join(self.folder, name))


class UsualWorld(World):
    """Vaults with a slot for the key and one for a passphrase."""

    def __init__(self, thread):
        super().__init__(thread)
        self.items = None
        self.passphrase = "first"
        # Services that the next round deletes, and those which damage may have taken.
        self.used = []
        self.lost = set()

    def first_round(self):
        """Kills writers that create the vault."""
        writers = self.run(self.thread.schedule.rng.choices(["set", "import"], k=2), ["-", "-"], False)
        self.check(writers)
        self.ask("create", self.path, self.passphrase)
        self.ask("create", self.other, "other")
        self.items = (self.items or {}) | BASE

    def round(self, kinds):
        rng = self.thread.schedule.rng
        extras = []
        for kind in kinds:
            damages = f"{rng.randrange(DAMAGE_COUNT)}/{DAMAGE_COUNT}"
            extra = {"move": self.other, "passphrase": self.passphrase, "rekey": self.passphrase, "repair": damages}
            extras.append(extra.get(kind, "-"))
        self.check(self.run(kinds, extras, "repair" in kinds, self.prepare))

    def prepare(self, *writers):
        """Stores what the writers need, and damages the vault if one is to repair it."""
        changes = [f"-{service}" for service in self.used]
        for writer in writers:
            if writer.kind == "delete":
                changes.append(f"+{writer.name}:{DELETED_COUNT}:deleted")
            if writer.kind == "move":
                changes += [f"+{service}:{MOVED_COUNT}:moved" for service in writer.services]
        if changes:
            self.ask("update", self.path, *changes)
            self.items = {key: secret for key, secret in self.items.items() if key[0] not in self.used}
        self.used = []
        if any(writer.kind == "repair" for writer in writers):
            self.damage()

    def damage(self):
        """Damages the vault after a save, which is lost then, or leaves that to the writers."""
        rng = self.thread.schedule.rng
        if rng.random() < 0.5:
            return
        self.thread.number += 1
        service = f"lost-{self.thread.index}-{self.thread.number}"
        self.ask("update", self.path, f"+{service}:1:lost")
        self.lost.add(service)
        self.used.append(service)
        with open(self.path, "rb") as file:
            content = bytearray(file.read())
        content[-1] ^= 1
        damaged = rng.choice([None, b"", content[:60], content[:-1], content])
        if damaged is None:
            os.unlink(self.path)
        else:
            # The backup may be the same file under another name.
            replace(self.path, damaged)

    def check(self, writers):
        if any(writer.kind == "repair" for writer in writers):
            for action in self.ask("repair", self.path):
                self.thread.statistics.note(f"repairs by the next program ({action})")
        if alarm := self.ask("status", self.path):
            raise Failure(f"the status has an alarm: {alarm}")
        moves = [writer for writer in writers if writer.kind == "move"]
        items = self.thread.inspector.items(self.path)
        other = self.thread.inspector.items(self.other) if moves else None
        self.check_leftovers()
        for writer in writers:
            self.check_writer(writer, items, other)
        names = {service for writer in writers for service in writer.services}
        rest = {key: secret for key, secret in (items or {}).items() if key[0] not in names | self.lost}
        expected = {key: secret for key, secret in (self.items or {}).items() if key[0] not in self.lost}
        if rest != expected:
            raise Failure(f"other items: lost {expected.items() - rest.items()}, new {rest.items() - expected.items()}")
        if items is None and any(writer.acknowledged for writer in writers):
            raise Failure("there is no vault")
        changes = [writer for writer in writers if writer.kind == "passphrase"]
        if self.items is not None:
            self.check_passphrase(changes)
        for writer in {writer.name: writer for writer in moves}.values():
            self.complete(writer)
        moved = {service for writer in moves for service in writer.services}
        self.items = items and {key: secret for key, secret in items.items() if key[0] not in moved}
        self.used += names

    def check_writer(self, writer, items, other):
        check = getattr(writer, f"check_{writer.kind}", None)
        if check and check(items, other):
            self.note_done(writer)

    def note_done(self, writer):
        statistics = self.thread.statistics
        with statistics.lock:
            statistics.done[writer.kind] += 1

    def check_passphrase(self, writers):
        """Exactly one of the passphrases opens the vault: the last acknowledged one, or the next."""
        allowed, former = set(), set()
        for writer in writers:
            last = writer.acknowledged - 1
            allowed.add(f"{writer.name}-{last + 1}")
            if last >= 0:
                allowed.add(f"{writer.name}-{last}")
            if last >= 1:
                former.add(f"{writer.name}-{last - 1}")
        (former if any(writer.acknowledged for writer in writers) else allowed).add(self.passphrase)
        opening = [passphrase for passphrase in sorted(allowed | former) if self.opens(passphrase)]
        if len(opening) != 1 or opening[0] not in allowed:
            raise Failure(f"{opening} open the vault, not one of {sorted(allowed)}")
        self.passphrase = opening[0]
        for writer in writers:
            if self.passphrase == f"{writer.name}-{writer.acknowledged}":
                self.note_done(writer)

    def opens(self, passphrase):
        try:
            self.ask("open", self.path, passphrase)
            return True
        except Refused as error:
            if error.code != "wrongPassphrase":
                raise
            return False

    def complete(self, writer):
        """Moves again, as the user would."""
        for service in writer.services:
            self.ask("move", self.path, self.other, service)
        items, other = self.thread.inspector.items(self.path), self.thread.inspector.items(self.other)
        for service in writer.services:
            if writer.mine(items, service):
                raise Failure(f"{writer}: moved items are in the source")
            if len(writer.mine(other, service)) != MOVED_COUNT:
                raise Failure(f"{writer}: moved items are not in the target")
        self.ask("update", self.other, *(f"-{service}" for service in writer.services))


class ExchangedWorld(World):
    """A vault that is exchanged for an older copy, for another one, or deleted, again and again."""

    def __init__(self, thread):
        super().__init__(thread)
        self.ask("create", self.path, "first")
        shutil.copy(self.path, self.path + ".old")
        self.ask("update", self.path, "+more:1:more")
        self.ask("update", self.path, "-more")
        self.ask("create", self.other, "other")
        shutil.copy(self.other, self.path + ".other")

    def round(self, kinds):
        writers = self.run(kinds, ["-", "-"], True)
        # After its last exchange, each writer has accepted what it found.
        is_accepted = all(writer.lines[-1:] != ["exchange"] for writer in writers)
        try:
            self.thread.inspector.items(self.path)
        except Refused as error:
            if error.code not in ALARMS or is_accepted:
                raise
            self.thread.statistics.note("exchanges were not accepted yet")
        self.ask("accept", self.path)
        items = self.thread.inspector.items(self.path)
        self.check_leftovers()
        if items not in (None, {}, BASE):
            raise Failure(f"the items are {items}")
        if items is None:
            self.ask("create", self.path, "first")
        else:
            self.ask("update", self.path, "+base:5:base")
        if (items := self.thread.inspector.items(self.path)) != BASE:
            raise Failure(f"the items are {items}")


def replace(path, content):
    with open(path + ".new", "wb") as file:
        os.fchmod(file.fileno(), 0o600)
        file.write(content)
    os.rename(path + ".new", path)


class Thread(threading.Thread):
    """Kills one pair of writers after the other."""

    def __init__(self, index, probe, folder, schedule, statistics, failures):
        super().__init__()
        self.index = index
        self.probe = probe
        self.folder = folder
        self.schedule = schedule
        self.statistics = statistics
        self.failures = failures
        self.number = 0
        self.key = os.path.join(folder, f"key{index}")
        with open(self.key, "wb") as file:
            file.write(os.urandom(32))

    def run(self):
        what = "at first"
        worlds = {}
        try:
            self.inspector = Inspector(self.probe, self.key)
            while not self.failures and (kinds := self.schedule.draw()):
                what = " and ".join(kinds)
                kind = ExchangedWorld if "accept" in kinds else UsualWorld
                world = worlds.get(kind)
                if not world or world.rounds > 20:
                    if world:
                        world.remove()
                    worlds[kind] = world = kind(self)
                    if kind is UsualWorld:
                        what = "the first save"
                        self.schedule.take()
                        world.first_round()
                        what = " and ".join(kinds)
                world.round(kinds)
            self.inspector.close()
        except Exception as error:
            number = self.statistics.killed.total()
            self.failures.append(f"after {number} kills, {what}: {type(error).__name__}: {error}")
            if not isinstance(error, (Failure, Refused)):
                raise


def kill_writers(probe, kills, seed, jobs):
    """Kills writers at random moments, a pair in each of several threads."""
    statistics, failures = Statistics(), []
    schedule = Schedule(kills, random.Random(seed))
    start = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        threads = [Thread(index, probe, folder, schedule, statistics, failures) for index in range(jobs)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    if failures:
        raise Failure("; ".join(failures))
    statistics.show(time.monotonic() - start)
    statistics.check()
