"""Makes the tables from the inputs and the overlays.

A shared type is in the table of Kubernetes, with the releases of each project that has its fields.
Kubernetes decodes and validates by code, so the constraints of its rows come from the overlay and
from its newest release. A row for a custom resource is another one only if the CRDs differ."""

from dataclasses import replace

from language import KEYS, Heading, Mistake, names_in, ranges, read_list, read_table, release_key

TABLES = ("kubernetes", "kserve", "seldon")


class Overlay:
    def __init__(self, text):
        self.top, self.headings = read_table(text)


def schema_keys(row):
    """The keys by which the API server tells the items of a custom resource's list apart."""
    return row.keys()[1] if row.keys() and row.keys()[0] in ("keys", "merge-keys") else None


def agrees(row, seen):
    """Whether a row of Kubernetes' table holds for a custom resource whose CRD has `seen`."""
    if (row.form, row.required) != (seen.form, seen.required):
        return False
    wanted = [c for c in seen.constraints if c[0] not in KEYS]
    if not set(wanted) <= set(row.constraints):
        return False
    return schema_keys(row) == schema_keys(seen)


def as_custom(row, seen):
    """The row of Kubernetes' table for a custom resource whose CRD has `seen`."""
    if agrees(row, seen):
        return row
    changed = replace(row, form=seen.form, required=seen.required).without_keys()
    changed = changed.with_constraints(seen.constraints)
    keys = row.keys()
    # Kubernetes rejects the pod instead.
    if keys and keys[0] == "keys" and not seen.keys():
        changed = changed.with_constraints([("pod-keys", keys[1])])
    return changed


class Generator:
    def __init__(self, inputs, overlays):
        self.inputs = inputs
        self.releases = {p: i.releases for p, i in inputs.items()}
        self.overlays = overlays
        self.headings, self.home = {}, {}
        for table in TABLES:
            for heading in overlays[table].headings:
                if heading.key in self.headings:
                    raise Mistake(f"{heading.key} is in two overlays")
                self.headings[heading.key] = heading
                self.home[heading.key] = table
        for table in TABLES:
            for type_ in inputs[table].rows:
                if any(inputs[table].rows[type_].values()):
                    self.home.setdefault(type_, table)
        self.children = {}
        for heading in self.headings.values():
            if heading.base and not heading.api_version:
                self.children.setdefault(heading.base, []).append(heading.key)
        self.memo = {}

    # What was observed, with the overlay's changes.

    def observed(self, type_, project):
        """{field: {release: Row}} of a type that the project has, else {}."""
        key = ("observed", type_, project)
        if key not in self.memo:
            fields = {name: dict(rows) for name, rows in self.inputs[project].rows.get(type_, {}).items() if rows}
            if project == "kubernetes":
                fields = {name: self.newest_constraints(rows) for name, rows in fields.items()}
            if self.home.get(type_) == project:
                for name, rows in fields.items():
                    for release in rows:
                        line = self.line(type_, name, project, release)
                        rows[release] = self.changed(rows[release], line.row) if line else rows[release]
            self.memo[key] = fields
        return self.memo[key]

    def line(self, type_, name, project, release):
        """The line of the overlay about a field of the type or its nearest base in that table, or None."""
        while self.home.get(type_) == project:
            for line in self.lines(type_):
                chosen = read_list(line.releases, project, self.releases).get(project, ())
                if line.name == name and release in chosen:
                    return line
            type_ = self.base(type_)
        return None

    def names(self, type_):
        """The fields that the type has in any release, also by inheritance."""
        key = ("names", type_)
        if key not in self.memo:
            base = self.base(type_)
            own = {name for project in TABLES for name in self.observed(type_, project)}
            self.memo[key] = own | (self.names(base) if base else set())
        return self.memo[key]

    def base(self, type_):
        return self.headings[type_].base if type_ in self.headings else ""

    def lines(self, type_):
        return self.headings[type_].lines if type_ in self.headings else ()

    def newest_constraints(self, rows):
        newest = rows[max(rows, key=release_key)]
        if newest.keys():
            newest = newest.with_constraints([("merge-keys", newest.keys()[1])])
        return {release: replace(newest, form=row.form) for release, row in rows.items()}

    @staticmethod
    def changed(row, by):
        """A row with what the overlay says. The form of a hint such as `[{}]` is the input's."""
        form = row.form if by.form == "." or "{}" in by.form else by.form
        words = {word for word, _ in by.constraints}
        changed = replace(row, form=form, required=(row.required or by.required) and "optional" not in words)
        if by.keys():
            changed = changed.without_keys()
        return changed.with_constraints([c for c in by.constraints if c[0] not in ("unkeyed", "optional")])

    def own_releases(self, type_, project):
        return {r for rows in self.observed(type_, project).values() for r in rows}

    def all_releases(self, type_, project):
        """The releases in which the project has the type or a derived one."""
        key = ("all", type_, project)
        if key not in self.memo:
            chosen = self.own_releases(type_, project)
            for child in self.children.get(type_, ()):
                chosen |= self.all_releases(child, project)
            self.memo[key] = chosen
        return self.memo[key]

    # The rows that a type has, also by inheritance.

    def kubernetes_row(self, type_, name, project, release):
        """The row of Kubernetes that stands for the field in a custom resource, or None."""
        rows = self.observed(type_, "kubernetes").get(name, {})
        if not rows or self.home[type_] != "kubernetes":
            return None
        seen = self.observed(type_, project).get(name, {}).get(release)
        newest_first = sorted(rows, key=release_key, reverse=True)
        return next((rows[r] for r in newest_first if seen and rows[r].form == seen.form), rows[newest_first[0]])

    def row(self, type_, name, project, release):
        """The row of a type in a release, or None. For a type that only derived ones stand for, the
        row that suits Kubernetes or the first of them."""
        key = (type_, name, project, release)
        if key not in self.memo:
            self.memo[key] = self.find_row(*key)
        return self.memo[key]

    def find_row(self, type_, name, project, release):
        seen = self.observed(type_, project).get(name, {}).get(release)
        if project == "kubernetes" and self.own_releases(type_, project):
            return seen
        of_kubernetes = self.kubernetes_row(type_, name, project, release)
        if release in self.own_releases(type_, project):
            if seen is None:
                return None
            if of_kubernetes:
                return as_custom(of_kubernetes, seen)
            inherited = self.inherited(type_, name, project, release)
            seen = self.in_pod(type_, name, seen, project, release)
            return inherited if inherited and agrees(inherited, seen) else seen
        if name not in self.names(type_):
            return None
        derived = [self.row(child, name, project, release) for child in self.children.get(type_, ())]
        derived = [row for row in derived if row]
        if not derived:
            return None
        inherited = of_kubernetes or self.inherited(type_, name, project, release)
        if inherited and agrees(inherited, derived[0]):
            return inherited
        own = [self.row(type_, name, project, r) for r in sorted(self.own_releases(type_, project), key=release_key)]
        own = [row for row in own if row]
        if derived[0] in own:
            return derived[0]
        # The derived types need rows of their own in any case.
        return inherited if self.home[type_] == "kubernetes" else (own or derived)[0]

    def inherited(self, type_, name, project, release):
        """The row of Kubernetes' table that a type of another table can inherit, or None."""
        holder = self.base(type_)
        while holder in self.home and self.home[holder] != "kubernetes":
            holder = self.base(holder)
        return self.kubernetes_row(holder, name, project, release) if holder in self.home else None

    def in_pod(self, type_, name, seen, project, release):
        """A row outside of Kubernetes' table, which has the keys of what it is derived from."""
        line = self.line(type_, name, project, release)
        if line and line.row.keys():
            return seen
        base = self.base(type_)
        while base and not seen.keys():
            rows = self.observed(base, "kubernetes").get(name)
            keys = rows and rows[max(rows, key=release_key)].keys()
            if keys and keys[0] == "keys":
                return seen.with_constraints([("pod-keys", keys[1])])
            base = self.base(base)
        return seen

    def stated(self, row, type_, name, project, release):
        """The row as a table states it: outside of Kubernetes' table, without Kubernetes' constraints."""
        seen = self.observed(type_, project).get(name, {}).get(release)
        if not seen or self.home[type_] == "kubernetes":
            return row
        return self.in_pod(type_, name, seen, project, release)

    def inherits(self, type_, name, project, release):
        """Whether the base's row is right for the type."""
        return self.row(type_, name, project, release) == self.row(self.base(type_), name, project, release)

    # The text of a table.

    def projects(self, type_):
        return [p for p in TABLES if self.all_releases(type_, p)]

    def own_rows(self, type_):
        """{field: [(Row, {project: releases})]}, newest first, and the fields of the base that it lacks."""
        if not self.projects(type_):
            lines = sorted(self.lines(type_), key=lambda line: line.name)
            return {line.name: [(line.row, line.releases)] for line in lines}, []
        base = self.base(type_)
        names = self.names(type_)
        rows, without = {}, []
        for name in sorted(names):
            places = [(p, r) for p in self.projects(type_) for r in reversed(self.releases[p])
                      if r in self.all_releases(type_, p)]
            if base and all(self.inherits(type_, name, p, r) for p, r in places):
                continue
            by_row = {}
            for project, release in places:
                row = self.row(type_, name, project, release)
                if row:
                    row = self.stated(row, type_, name, project, release)
                    by_row.setdefault(row, {}).setdefault(project, set()).add(release)
            if by_row:
                rows[name] = list(by_row.items())
            elif base:
                without.append(name)
        for line in self.lines(type_):
            if line.name not in names:
                rows.setdefault(line.name, []).append((line.row, line.releases))
        return rows, without

    def list_text(self, type_, chosen):
        """What follows `in`; "" if nothing does."""
        if isinstance(chosen, str):
            return chosen
        home, items = self.home[type_], []
        projects = self.projects(type_)
        for project in TABLES:
            if project not in chosen:
                continue
            free = set(self.releases[project]) - self.all_releases(type_, project)
            text = ranges(chosen[project], self.releases[project], free)
            if project == home:
                items.insert(0, text or project)
            else:
                items.append(f"{project}:{text}" if text else project)
        everywhere = set(items) <= set(TABLES) and set(projects) <= set(chosen)
        return "" if everywhere else "|".join(items)

    def text(self, table):
        headings = self.overlays[table].headings
        kinds = [h.key for h in headings if h.api_version]
        types = sorted(t for t in self.home if self.home[t] == table and t not in kinds)
        blocks = ["\n".join(self.overlays[table].top)]
        blocks += [self.block(key) for key in kinds + types]
        return 'R"table(' + "\n\n".join(blocks) + '\n)table"\n'

    def block(self, type_):
        """The comment, the heading and the rows of a type or kind."""
        heading = self.headings.get(type_, Heading(type_))
        if heading.api_version:
            rows = {line.name: [(self.of_kind(type_, line), "")] for line in heading.lines}
            without = ()
        else:
            rows, without = self.own_rows(type_)
        return "\n".join([*heading.comment, self.first_line(heading, type_, without), *self.row_lines(type_, rows)])

    def first_line(self, heading, type_, without):
        words = ["kind", type_] if heading.api_version else [type_]
        project = self.home[type_]
        # No release is free: a kind has no others than its own.
        releases = ranges(self.all_releases(type_, project), self.releases[project]) \
            if heading.api_version and self.all_releases(type_, project) else ""
        words += ["in", releases] if releases else []
        words += ["open"] if heading.open else []
        words += ["=", heading.base] if heading.base else []
        dropped = sorted({*heading.without, *without})
        return " ".join(words + (["-", *dropped] if dropped else []))

    def of_kind(self, type_, line):
        """A row of a kind, which is the same in all of the kind's releases."""
        rows = self.observed(type_, self.home[type_]).get(line.name)
        return self.changed(rows[max(rows, key=release_key)], line.row) if rows else line.row

    def row_lines(self, type_, rows):
        cells = []
        for name, variants in sorted(rows.items()):
            for row, chosen in variants:
                releases = self.list_text(type_, chosen)
                rest = " ".join(filter(None, [row.constraint_text(), f"in {releases}" if releases else ""]))
                cells.append((name + "*" * row.required, row.form, rest))
        names = max((len(c[0]) for c in cells), default=0)
        forms = max((len(c[1]) for c in cells if c[2]), default=0)
        return [f"  {name:{names}}  {form:{forms}}  {rest}".rstrip() for name, form, rest in cells]


def generate(inputs, overlays):
    """{table: text}."""
    generator = Generator(inputs, overlays)
    texts = {table: generator.text(table) for table in TABLES}
    known = set(generator.home)
    for type_ in known:
        for name, variants in generator.own_rows(type_)[0].items():
            for row, _ in variants:
                unknown = set(names_in(row.form)) - known
                if unknown:
                    raise Mistake(f"{type_} {name}: unknown type {' '.join(unknown)}")
    return texts
