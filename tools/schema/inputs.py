"""The condensed inputs: what each field is in each release of a project. A file inputs/PROJECT.tsv
has a line for each type, field (* if required), what it is, and its releases."""

from pathlib import Path

from language import ranges, read_ranges, read_row, release_key

FOLDER = Path(__file__).parent / "inputs"
PROJECTS = ("kubernetes", "kserve", "seldon")


class Inputs:
    def __init__(self):
        self.releases = []  # oldest first
        self.rows = {}  # {type: {field: {release: Row}}}

    @classmethod
    def read(cls, text):
        inputs = cls()
        for line in text.splitlines():
            if line.startswith("# releases "):
                inputs.releases = line.split()[2:]
            elif line and not line.startswith("#"):
                type_, name, what, releases = line.split("\t")
                row, _ = read_row(what, name.endswith("*"))
                for release in read_ranges(releases, inputs.releases):
                    inputs.add(type_, name.removesuffix("*"), release, row)
        return inputs

    def add(self, type_, name, release, row):
        self.rows.setdefault(type_, {}).setdefault(name, {})[release] = row

    def replace(self, release, rows):
        """Sets what a release has: {(type, field): Row}."""
        if release not in self.releases:
            self.releases.append(release)
            self.releases.sort(key=release_key)
        for fields in self.rows.values():
            for by_release in fields.values():
                by_release.pop(release, None)
        for (type_, name), row in rows.items():
            self.add(type_, name, release, row)

    def text(self, project):
        lines = [f"# What {project} has; tools/schema condense writes this.",
                 f"# releases {' '.join(self.releases)}"]
        for type_ in sorted(self.rows):
            for name in sorted(self.rows[type_]):
                by_row = {}
                for release in reversed(self.releases):
                    if release in self.rows[type_][name]:
                        by_row.setdefault(self.rows[type_][name][release], set()).add(release)
                for row, chosen in by_row.items():
                    lines.append("\t".join([type_, name + "*" * row.required, row.text(),
                                            ranges(chosen, self.releases)]))
        return "\n".join(lines) + "\n"


def read_all(folder=FOLDER):
    read = {}
    for project in PROJECTS:
        path = folder / f"{project}.tsv"
        read[project] = Inputs.read(path.read_text()) if path.exists() else Inputs()
    return read

