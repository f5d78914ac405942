"""The language of the tables (core/k8s/schema/reader.h) and of what tools/schema makes them from."""

import re
from dataclasses import dataclass, field, replace

SIMPLE = {"any", "string", "bool", "int", "int32", "int64", "quantity", "int-or-string", "time"}
KEYS = ("keys", "merge-keys", "pod-keys", "unkeyed")
WITHOUT_ARGUMENT = ("templated", "unkeyed", "optional")
ORDER = ("optional", "keys", "merge-keys", "pod-keys", "unkeyed", "min", "max", "min-length", "max-length",
         "min-items", "max-items", "is", "enum", "templated")


class Mistake(Exception):
    """A file that cannot be read, or files that contradict each other."""


@dataclass(frozen=True)
class Row:
    """What a field is: the type of its value, and constraints as (word, argument or None)."""
    form: str
    required: bool = False
    constraints: tuple = ()

    def keys(self):
        """The constraint that identifies items of a list, or None."""
        return next((c for c in self.constraints if c[0] in KEYS), None)

    def with_constraints(self, added):
        """With these in place of those of the same word. Only one kind of keys can hold."""
        words = {word for word, _ in added}
        if words & set(KEYS):
            words |= set(KEYS)
        kept = [c for c in self.constraints if c[0] not in words]
        return replace(self, constraints=tuple(sorted({*kept, *added}, key=lambda c: ORDER.index(c[0]))))

    def without_keys(self):
        return replace(self, constraints=tuple(c for c in self.constraints if c[0] not in KEYS))

    def constraint_text(self):
        return " ".join(w if a is None else f"{w} {a}" for w, a in self.constraints)

    def text(self):
        return " ".join(filter(None, [self.form, self.constraint_text()]))


@dataclass
class Line:
    """One line below a heading."""
    name: str
    row: Row
    releases: str = ""


@dataclass
class Heading:
    """A type or a kind, as a heading and the lines below it state it."""
    name: str
    api_version: str = ""  # of a kind
    base: str = ""
    without: tuple = ()
    open: bool = False
    releases: str = ""
    comment: tuple = ()
    lines: list = field(default_factory=list)

    @property
    def key(self):
        return f"{self.api_version} {self.name}".strip()


def split_form(text):
    """The form at the beginning of the text, up to a blank outside brackets, and the rest."""
    text = text.strip()
    depth = 0
    for end, char in enumerate(text):
        depth += (char in "[{") - (char in "]}")
        if char == " " and depth == 0:
            return text[:end], text[end:].strip()
    return text, ""


def read_row(text, required=False):
    """A row and its releases."""
    form, rest = split_form(text)
    words = rest.split()
    constraints = []
    releases = ""
    while words:
        word = words.pop(0)
        if word not in (*ORDER, "in"):
            raise Mistake(f"unknown word '{word}' in '{text}'")
        if word not in WITHOUT_ARGUMENT and not words:
            raise Mistake(f"'{word}' lacks its argument in '{text}'")
        argument = None if word in WITHOUT_ARGUMENT else words.pop(0)
        if word == "in":
            releases = argument
        else:
            constraints.append((word, argument))
    return Row(form, required).with_constraints(constraints), releases


def read_heading(text):
    words = text.split()
    heading = Heading("")
    if words[0] == "kind":
        heading.api_version = words[1]
        words = words[2:]
    heading.name = words.pop(0)
    while words:
        word = words.pop(0)
        if word == "open":
            heading.open = True
        elif word == "in":
            heading.releases = words.pop(0)
        elif word == "=":
            heading.base = words.pop(0)
        elif word == "-":
            heading.without, words = tuple(words), []
        else:
            raise Mistake(f"unknown word '{word}' in '{text}'")
    return heading


def read_table(text):
    """The comment at the top, and the headings in their order."""
    text = text.removeprefix('R"table(').removesuffix(')table"\n')
    headings, comment, top = [], [], None
    for line in text.split("\n"):
        if line.startswith("#"):
            comment.append(line)
        elif not line.strip():
            if top is None:
                top, comment = tuple(comment), []
        elif line[0] != " ":
            heading = read_heading(line)
            heading.comment, comment = tuple(comment), []
            headings.append(heading)
        else:
            name, _, rest = line.strip().partition(" ")
            row, releases = read_row(rest, name.endswith("*"))
            headings[-1].lines.append(Line(name.removesuffix("*"), row, releases))
    return top or (), headings


def names_in(form):
    """The names of types that a form mentions."""
    return [n for n in re.findall(r"[A-Za-z][\w/.-]*(?![\w/.*-]*:)", form) if n not in SIMPLE | {"map"}]


def ranges(chosen, releases, free=frozenset()):
    """`0.11-0.13,0.15-`: the chosen ones of all releases, oldest first; "" if all are. A release that
    is free may be included."""
    runs = []
    previous = None
    for index, release in enumerate(releases):
        if release in chosen:
            between = releases[previous + 1:index] if previous is not None else releases[:index]
            if runs and set(between) <= free:
                runs[-1][1] = index
            else:
                runs.append([0 if not runs and set(between) <= free else index, index])
            previous = index
    if not runs:
        raise Mistake("no release is chosen")
    last = len(releases) - 1
    if set(releases[runs[-1][1] + 1:]) <= free:
        runs[-1][1] = last
    texts = []
    for begin, end in runs:
        if begin == end and (0 < begin < last or releases[begin] == "head"):
            texts.append(releases[begin])
        else:
            texts.append(f"{releases[begin] if begin > 0 else ''}-{releases[end] if end < last else ''}")
    return "" if texts == ["-"] else ",".join(texts)


def release_key(release):
    if release == "head":  # the development branch
        return [float("inf")]
    try:
        return [int(n) for n in release.split(".")]
    except ValueError as error:
        raise Mistake(f"'{release}' is no release such as 0.20") from error


def read_ranges(text, releases):
    """The releases of such a text."""
    chosen = set()
    for part in text.split(",") if text else ["-"]:
        begin, dash, end = part.partition("-")
        if not dash:
            end = begin
        chosen.update(r for r in releases
                      if (not begin or release_key(begin) <= release_key(r)) and
                      (not end or release_key(r) <= release_key(end)))
    return chosen


def read_list(text, own, releases):
    """What `in LIST` says: the releases by project. `own` is the project of the table."""
    if not text:
        return {project: set(all_) for project, all_ in releases.items()}
    chosen = {}
    for item in text.split("|"):
        project, colon, part = item.partition(":")
        if colon:
            chosen[project] = read_ranges(part, releases[project])
        elif item in releases:
            chosen[item] = set(releases[item])
        else:
            chosen[own] = read_ranges(item, releases[own])
    return chosen
