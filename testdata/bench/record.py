"""What the benchmark of lint measured at which commit: reads and extends record.tsv, and finds what is worse than the best
that was ever recorded."""

import csv
import os
import statistics

FILE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "record.tsv")
COLUMNS = ("commit", "date", "machine", "what", "against", "better", "ratio", "cnsched", "other")
ALLOWED = 0.05  # how much worse than the best a ratio may be, and how far apart rounds may be that prove something


class Row:
    """A ratio, measured in some rounds. A goal is `<=` or `>=`, which also says what is better, and a number."""

    def __init__(self, what, against, ratios, goal=None, measured="", recorded=True):
        self.what, self.against, self.goal, self.recorded = what, against, goal, recorded
        self.measured, self.measurement = measured, ""
        self.ratios = sorted(ratios)
        self.ratio = statistics.median(ratios)
        self.better = "higher" if goal and goal[0] == ">=" else "lower"

    @property
    def key(self):
        return self.what, self.against

    @property
    def met(self):
        return self.ratio <= self.goal[1] if self.better == "lower" else self.ratio >= self.goal[1]

    def quartiles(self):
        if len(self.ratios) == 1:
            return self.ratio, self.ratio
        low, _, high = statistics.quantiles(self.ratios, n=4, method="inclusive")
        return low, high

    @property
    def spread(self):
        """How far apart half of the rounds are, of the ratio."""
        low, high = self.quartiles()
        return (high - low) / self.ratio if self.ratio else 0

    @property
    def noisy(self):
        return self.spread > ALLOWED

    @property
    def evidence(self):
        """The ratio that the rounds prove: the median, or the better quartile if they disagree."""
        low, high = self.quartiles()
        return self.ratio if not self.noisy else low if self.better == "lower" else high


def read():
    with open(FILE, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t"))


def append(rows, commit, date, machine):
    """Appends the rows that prove something; returns the others."""
    kept = [row for row in rows if row.recorded and not row.noisy]
    with open(FILE, "a", encoding="utf-8", newline="") as file:
        out = csv.writer(file, delimiter="\t", lineterminator="\n")
        for row in kept:
            cnsched, _, other = row.measured.partition(" / ")
            out.writerow([commit, date, machine, *row.key, row.better, f"{row.ratio:.4g}", cnsched, other])
    return [row for row in rows if row.recorded and row.noisy]


def first(entries, row):
    """The oldest entry of a row, or None."""
    return next((entry for entry in entries if (entry["what"], entry["against"]) == row.key), None)


def best(entries, row, machine):
    """The best entry of a row, or None: of this kind of machine, unless only others were measured."""
    same = [entry for entry in entries if (entry["what"], entry["against"]) == row.key]
    same = [entry for entry in same if entry["machine"] == machine] or same
    choose = min if row.better == "lower" else max
    return choose(same, key=lambda entry: float(entry["ratio"]), default=None)


def worse_by(ratio, row, entry):
    """By what part a ratio of the row is worse than that of the entry; negative if it is better."""
    recorded = float(entry["ratio"])
    return (ratio / recorded if row.better == "lower" else recorded / ratio) - 1


def is_loss(row, entry):
    return worse_by(row.evidence, row, entry) > ALLOWED


def verdict(row, again, entry):
    """What a row shows beside the best entry, and measured `again` (None if it was not): a "loss", why it is none, or
    nothing."""
    if worse_by(row.ratio, row, entry) <= ALLOWED:
        return ""
    if not is_loss(row, entry):
        return "rounds disagree"
    return "loss" if again and is_loss(again, entry) else "not confirmed"


def not_measured(entries, rows):
    """What the last record has, and this run does not."""
    keys = {row.key for row in rows}
    last = [entry for entry in entries if entry["commit"] == entries[-1]["commit"]]
    return [entry for entry in last if (entry["what"], entry["against"]) not in keys]
