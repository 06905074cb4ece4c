# Part of CredKit. SPDX-License-Identifier: Apache-2.0
"""Whether processes that work for long take no more and more: resident memory, descriptors and threads."""
import os
import statistics
import threading
from pathlib import Path

# The first third fills caches, tables and the allocator. Then the median of the last tenth may exceed the first tenth's by so
# much. In a short run, the first third is not long enough for all of it.
WARM_UP, PART = 1 / 3, 1 / 10
GROWTH, SHORT_GROWTH = 1.05, 1.5
SHORT = 180
# How many more descriptors or threads a process may have at the end.
COUNT_GROWTH = 4


def resident_bytes(process):
    return int(Path(f"/proc/{process}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def counts(process):
    folders = (("descriptors", "fd"), ("threads", "task"))
    return {kind: len(os.listdir(f"/proc/{process}/{folder}")) for kind, folder in folders}


def ends(samples, part=PART):
    """The medians after the start and at the end."""
    rest = samples[int(len(samples) * WARM_UP):]
    size = max(1, int(len(samples) * part))
    return [statistics.median(part) for part in (rest[:size], rest[-size:])]


class Flatness:
    """Samples processes, at some 300 times, while a block runs."""

    def __init__(self, processes, seconds, besides=None, part=PART):
        """processes: the identifiers by name; besides: what else to sample, a function; part: the share of samples to compare."""
        self.processes, self.seconds, self.besides, self.part = processes, seconds, besides, part
        self.resident = {name: [] for name in processes}
        self.counts = {name: {"descriptors": [], "threads": []} for name in processes}
        self.others = []
        self.end, self.failure = threading.Event(), None
        self.thread = threading.Thread(target=self.sample)

    def sample(self):
        try:
            while not self.end.wait(max(0.2, self.seconds / 300)):
                for name, process in self.processes.items():
                    resident = resident_bytes(process)
                    # That of a process that has ended, until its parent asks for its status.
                    if not resident:
                        raise ProcessLookupError(f"{name} has ended")
                    self.resident[name].append(resident)
                    for kind, count in counts(process).items():
                        self.counts[name][kind].append(count)
                if self.besides:
                    self.others.append(self.besides())
        except Exception as failure:
            # Of the processes, or of what is sampled besides.
            self.failure = failure

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.end.set()
        self.thread.join()

    def problems(self):
        """Prints the figures. Returns what is not as it must be."""
        if self.failure or not all(self.resident.values()):
            return [f"what the processes take was not seen to the end: {self.failure!r}"]
        problems = []
        growth = GROWTH if self.seconds >= SHORT else SHORT_GROWTH
        for name, samples in self.resident.items():
            first, last = ends(samples, self.part)
            line = f"{name}: resident {first / 2**20:.1f} MiB, at the end {last / 2**20:.1f}, at most {max(samples) / 2**20:.1f}"
            if last > first * growth:
                problems.append(f"the memory of {name} grows by more than {(growth - 1) * 100:.0f} %")
            for kind, numbers in self.counts[name].items():
                first, last = ends(numbers, self.part)
                line += f"; {kind} {first:.0f}, at the end {last:.0f}"
                if last > first + COUNT_GROWTH:
                    problems.append(f"{name} has more and more {kind}")
            print(line)
        return problems
