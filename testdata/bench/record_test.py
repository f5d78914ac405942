"""Tests what the benchmark of lint calls a loss: a slower program, and not a busy machine."""

import os
import tempfile
import unittest

import record

QUIET = (0.99, 0.99, 1, 1, 1, 1, 1.01, 1.01, 1.02)
BUSY = (0.8, 0.9, 0.95, 1, 1.1, 1.2, 1.3, 1.4, 1.5)


def row(level, rounds=QUIET, goal=None):
    return record.Row("corpus: CPU", "peer 1.0", [level * each for each in rounds], goal, "1.00 s / 2.00 s")


def entry(ratio, machine="here", against="peer 1.0", commit="a"):
    return {"what": "corpus: CPU", "against": against, "ratio": str(ratio), "machine": machine, "commit": commit}


class Losses(unittest.TestCase):
    def test_a_slower_program_is_a_loss_if_a_second_measurement_confirms_it(self):
        best = entry(0.5)
        self.assertEqual(record.verdict(row(0.55), row(0.55), best), "loss")
        self.assertEqual(record.verdict(row(0.55), row(0.51), best), "not confirmed")
        self.assertEqual(record.verdict(row(0.55), None, best), "not confirmed")

    def test_five_percent_are_allowed(self):
        self.assertEqual(record.verdict(row(0.52), None, entry(0.5)), "")
        self.assertEqual(record.verdict(row(0.3), None, entry(0.5)), "")

    def test_rounds_that_disagree_prove_only_what_their_better_quartile_shows(self):
        self.assertEqual(record.verdict(row(0.5, BUSY), row(0.5, BUSY), entry(0.5)), "rounds disagree")
        self.assertEqual(record.verdict(row(1, BUSY), row(1, BUSY), entry(0.5)), "loss")

    def test_a_goal_may_say_that_more_is_better(self):
        goal = (">=", 1)
        self.assertEqual(record.verdict(row(1, goal=goal), None, entry(0.5)), "")
        self.assertEqual(record.verdict(row(0.4, goal=goal), row(0.4, goal=goal), entry(0.5)), "loss")

    def test_the_best_is_of_the_same_row_and_preferably_of_the_same_machine(self):
        entries = [entry(0.6), entry(0.5), entry(0.3, machine="there"), entry(0.1, against="peer 2.0")]
        self.assertEqual(record.best(entries, row(1), "here")["ratio"], "0.5")
        self.assertEqual(record.best(entries, row(1), "elsewhere")["ratio"], "0.3")
        self.assertIsNone(record.best(entries[3:], row(1), "here"))

    def test_what_the_last_record_has_and_this_run_does_not_is_known(self):
        entries = [entry(1, against="peer 0.9"), entry(1, commit="b"), entry(1, against="peer 2.0", commit="b")]
        self.assertEqual(record.not_measured(entries, [row(1)]), entries[2:])


class File(unittest.TestCase):
    def test_rows_whose_rounds_disagree_are_not_recorded(self):
        quiet, busy = row(0.5), row(0.5, BUSY)
        with tempfile.TemporaryDirectory() as directory:
            file, record.FILE = record.FILE, os.path.join(directory, "record.tsv")
            try:
                with open(record.FILE, "w", encoding="utf-8") as opened:
                    opened.write("\t".join(record.COLUMNS) + "\n")
                self.assertEqual(record.append([quiet, busy], "c", "2026-11-28", "here"), [busy])
                (only,) = record.read()
            finally:
                record.FILE = file
        self.assertEqual((only["ratio"], only["cnsched"], only["other"]), ("0.5", "1.00 s", "2.00 s"))
        self.assertEqual(record.first([only], quiet), only)

    def test_the_record_has_what_it_needs(self):
        for each in record.read():
            self.assertEqual(tuple(each), record.COLUMNS)
            self.assertGreater(float(each["ratio"]), 0)
            self.assertIn(each["better"], ("lower", "higher"))


if __name__ == "__main__":
    unittest.main()
