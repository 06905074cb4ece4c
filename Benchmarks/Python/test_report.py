# Part of CredKit. SPDX-License-Identifier: Apache-2.0
"""Tests `CredKitBenchmarks report` with invented results: a missed goal must fail, and a ratio worse than the reference
must be reported. script/bench runs them first.

usage: test_report.py PROGRAM
"""
import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

PROGRAM = ""


def ratio(name, median, goal=None, quantity="speed", unit="×"):
    made = {"id": name, "ours": "ours", "against": "theirs", "quantity": quantity, "unit": unit}
    if median is None:
        made["whyNotMeasured"] = "the processor lacks the instructions"
    else:
        keys = ["minimum", "lowerQuartile", "median", "upperQuartile", "maximum"]
        made["value"] = {key: median * (0.8 + 0.1 * place) for place, key in enumerate(keys)} | {"count": 9}
    if goal:
        made["goal"] = {"direction": goal[0], "bound": goal[1]}
    return made


class ReportTests(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.root = Path(self.folder.name)
        self.reference = self.root / "reference.json"
        (self.root / "Benchmarks/results/parts").mkdir(parents=True)

    def tearDown(self):
        self.folder.cleanup()

    def leave(self, part, *ratios):
        outcome = {"id": part, "title": part, "rows": [], "ratios": ratios}
        fragment = {"part": part, "seconds": 1, "outcomes": [outcome], "sizes": []}
        (self.root / f"Benchmarks/results/parts/{part}.json").write_text(json.dumps(fragment))

    def report(self, *arguments, status=0):
        command = [PROGRAM, "report", "--root", self.root, "--reference", self.reference, *arguments]
        run = subprocess.run(command, capture_output=True, text=True)
        self.assertEqual(run.returncode, status, run.stdout + run.stderr)
        return run.stdout + run.stderr

    def test_merges_parts_into_one_table_and_one_file(self):
        self.leave("base64", ratio("a", 2))
        self.leave("md5", ratio("b", 3))
        text = self.report("base64", "md5", "--json", self.root / "all.json")
        outcomes = json.loads((self.root / "all.json").read_text())["outcomes"]
        self.assertEqual([each["id"] for outcome in outcomes for each in outcome["ratios"]], ["a", "b"])
        self.assertIn("a   2.00 ×", text)
        self.assertIn("b   3.00 ×", text)

    def test_fails_for_a_miss_in_either_direction(self):
        for goal, met, missed in [
            (("at least", 2), 2.0, 1.99), (("at most", 2), 2.0, 2.01), (("below", 2), 1.99, 2.0)
        ]:
            self.leave("base64", ratio("planted", met, goal))
            self.assertNotIn("MISSED", self.report("base64"))
            self.leave("base64", ratio("planted", missed, goal))
            self.assertIn("MISSED: planted", self.report("base64", status=1))

    def test_warns_of_what_is_worse_by_more_than_15_percent_and_does_not_fail(self):
        for goal, quantity, steady, worse, better in [
            (("at least", 1), "speed", 1.71, 1.69, 9.0),
            (("at most", 9), "time", 2.29, 2.31, 0.1),
            (None, "speed", 1.71, 1.69, 9.0),
            (None, "time", 2.29, 2.31, 0.1),
        ]:
            self.leave("base64", ratio("planted", 2, goal, quantity))
            self.report("base64", "--update-reference")
            for median, warnings in [(2, 0), (steady, 0), (better, 0), (worse, 1)]:
                self.leave("base64", ratio("planted", median, goal, quantity))
                text = self.report("base64")
                self.assertEqual(text.count("WARNING: planted is worse than the reference"), warnings, text)

    def test_what_the_processor_lacks_neither_fails_nor_leaves_the_reference(self):
        self.leave("md5", ratio("wide", 9, ("at least", 8)))
        self.report("md5", "--update-reference")
        self.leave("md5", ratio("wide", None, ("at least", 8)))
        self.assertIn("not measured here", self.report("md5", "--update-reference"))
        self.assertEqual(json.loads(self.reference.read_text())["ratios"]["wide"]["median"], 9)

    def test_fails_for_a_part_without_a_result_a_damaged_one_and_an_id_that_is_there_twice(self):
        self.leave("base64", ratio("a", 2))
        self.assertIn("MISSING: md5", self.report("base64", "md5", status=1))
        self.leave("md5", ratio("a", 2))
        self.assertIn("two ratios have one id", self.report("base64", "md5", status=1))
        (self.root / "Benchmarks/results/parts/md5.json").write_text("{")
        self.assertIn("cannot be read", self.report("base64", "md5", status=1))

    def test_misuse_shows_the_usage_with_status_64(self):
        for arguments in [[], ["nonsense"], ["--bogus", "base64"], ["base64", "--reference"]]:
            self.assertIn("usage:", self.report(*arguments, status=64))


if __name__ == "__main__":
    PROGRAM = sys.argv.pop(1)
    unittest.main()
