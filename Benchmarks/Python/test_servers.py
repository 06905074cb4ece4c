# Part of CredKit. SPDX-License-Identifier: Apache-2.0
"""Runs the measurements of several login servers in short forms, with programs of any build: that they measure, that the report
reads what they find, and that they fail when logins do. Figures are not judged here.

usage: test_servers.py FOLDER    with credkit-server, LoginGenerator and CredKitBenchmarks
"""
import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SERVERS = Path(__file__).resolve().parent / "servers"
sys.path.insert(0, str(SERVERS))

import engines  # noqa: E402
import flatness  # noqa: E402
import measuring  # noqa: E402

PROGRAMS = Path()


class Programs:
    def __init__(self):
        self.server, self.generator = str(PROGRAMS / "credkit-server"), str(PROGRAMS / "LoginGenerator")
        # One for each server: a debug build beside other work must answer within the time limit of the engine.
        self.connections = 4


class ServersTests(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="credkit-servers-")
        self.root = Path(self.folder.name)
        self.addCleanup(self.folder.cleanup)

    def memory(self):
        """A disk that is busy otherwise would not write commits within the time limit of the engine."""
        return ["--data", "/dev/shm"] if os.access("/dev/shm", os.W_OK) else []

    def run_script(self, name, *arguments):
        programs = Programs()
        return self.run_program(name, "--generator", programs.generator, "--connections", str(programs.connections), *arguments)

    def run_program(self, name, *arguments):
        return subprocess.run([sys.executable, SERVERS / name, "--server", Programs().server, *arguments],
                              capture_output=True, text=True)

    def test_measures_each_engine_beside_memory_and_the_report_reads_it(self):
        result = self.root / "result.json"
        run = self.run_script("login_load.py", "--engine", "redis", "--engine", "postgresql", "--logins", "200", "--rounds", "1",
                              "--users", "300", "--json", result, *self.memory())
        self.assertEqual(run.returncode, 0, run.stderr)
        outcomes = json.loads(result.read_text())
        ratios = {ratio["id"]: ratio for outcome in outcomes for ratio in outcome["ratios"]}
        for name in ("redis", "postgresql"):
            for kind in ("timestamped", "scram"):
                for quantity in ("rate", "p50", "p99", "round-trips", "processor-time"):
                    self.assertGreater(ratios[f"servers-{name}-{kind}-answers-{quantity}"]["value"]["median"], 0)
                # Not a speed: it is the same on any machine.
                if ratios[f"servers-{name}-{kind}-answers-unavailable"]["value"]["maximum"] == 0:
                    self.assertEqual(ratios[f"servers-{name}-{kind}-answers-round-trips"]["value"]["median"], 2)
        self.assertIn("servers-redis-timestamped-bare", ratios)
        self.assertIn("servers-redis-back", ratios)
        # The report decides by the goals alone, so that these are met here.
        for ratio in ratios.values():
            ratio.pop("goal", None)
        parts = self.root / "Benchmarks/results/parts"
        parts.mkdir(parents=True)
        fragment = {"part": "servers", "seconds": 1, "outcomes": outcomes, "sizes": []}
        (parts / "servers.json").write_text(json.dumps(fragment))
        report = subprocess.run([PROGRAMS / "CredKitBenchmarks", "report", "--root", self.root, "servers"],
                                capture_output=True, text=True)
        self.assertEqual(report.returncode, 0, report.stdout + report.stderr)
        self.assertIn("2 round trips", report.stdout)

    def test_measures_passkeys_beside_timestamped_logins(self):
        run = self.run_script("passkey_load.py", "--logins", "100", "--rounds", "1", "--users", "100", *self.memory())
        self.assertEqual(run.returncode, 0, run.stderr)
        ratios = {ratio["id"]: ratio["value"]["median"] for ratio in json.loads(run.stdout)[0]["ratios"]}
        for mode in ("answers", "logins"):
            for quantity in ("rate", "p50", "p99", "processor-time"):
                self.assertGreater(ratios[f"passkeys-servers-{mode}-{quantity}"], 0)

    def test_answers_of_passkeys_are_accepted_once_across_a_failover(self):
        run = self.run_program("passkey_races.py", "--rounds", "4", "--failovers", "1", *self.memory())
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
        self.assertIn("no answer was accepted twice, and counters are right", run.stdout)

    def test_clients_stay_flat(self):
        run = self.run_program("client_soak.py", "--client", str(PROGRAMS / "CredKitBenchmarks"), "--seconds", "20")
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
        self.assertIn("nothing failed", run.stdout)

    def test_a_process_that_ends_is_not_flat(self):
        with subprocess.Popen(["sleep", "100"]) as process:
            with flatness.Flatness({"one": process.pid}, 1) as watched:
                process.kill()
                watched.thread.join()
        self.assertIn("one has ended", "".join(watched.problems()))

    def test_growth_is_found(self):
        watched = flatness.Flatness({"one": 0}, flatness.SHORT)
        watched.counts["one"] = {"descriptors": list(range(100)), "threads": [4] * 100}
        for growth, count in ((0, 1), (1000, 2)):
            watched.resident["one"] = [100_000 + number * growth for number in range(100)]
            self.assertEqual(len(watched.problems()), count)

    def test_fails_if_logins_fail(self):
        bench = measuring.Bench(Programs(), self.root, engines.engine("memory", self.root, None), "timestamped", 10)
        try:
            bench.users.generator_file.write_text(f"user0 10.0.0.1 {'0' * 32}\n")
            with self.assertRaisesRegex(engines.Failure, "1 logins failed with memory: step 2 of user0 at server 0: 200 "):
                bench.run("--logins", 1)
        finally:
            self.assertEqual(bench.stop(), [0, 0, 0, 0])

    def test_servers_take_no_more_and_more(self):
        run = self.run_script("soak.py", "--seconds", "15", "--users", "1000")
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
        self.assertIn("memory, descriptors and threads are flat", run.stdout)

    def test_servers_of_a_site_are_restarted_in_turn(self):
        for options in ([], ["--kept"]):
            run = self.run_program("restarts.py", "--minutes", "0.1", "--every", "1.5", "--steady", "6", "--clients", "4", *options)
            self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
            self.assertRegex(run.stdout, "^[1-9][0-9]* restarts; ")
            self.assertIn("no request failed; memory, descriptors and threads are flat", run.stdout)

    def test_measures_checks_beside_those_of_nginx(self):
        run = self.run_script("checks.py", "--seconds", "0.5", "--rounds", "1")
        self.assertEqual(run.returncode, 0, run.stderr)
        ratios = {ratio["id"]: ratio["value"]["median"] for ratio in json.loads(run.stdout)[0]["ratios"]}
        for name in ("memory", "redis", "nginx-memory", "nginx-redis-kept", "basic-bcrypt", "basic-apr1"):
            self.assertGreater(ratios[f"checks-{name}-rate"], 0)

    def test_generator_shows_its_usage_with_status_64(self):
        for arguments in [[], ["other"], ["scram", "--users", "/dev/null"], ["check", "--path", "/"]]:
            run = subprocess.run([Programs().generator, *arguments], capture_output=True, text=True)
            self.assertEqual(run.returncode, 64, arguments)
            self.assertIn("usage:", run.stderr)


if __name__ == "__main__":
    PROGRAMS = Path(sys.argv.pop(1)).resolve()
    unittest.main()
