"""Tests of tools/schema, and that the committed tables are what it makes of the committed inputs."""

import subprocess
import sys
import unittest
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))

from condense import QUANTITY, condense  # noqa: E402
from generate import Overlay, generate  # noqa: E402
from inputs import Inputs  # noqa: E402
from language import Mistake, Row, names_in, ranges, read_list, read_ranges, read_row, read_table  # noqa: E402

RELEASES = ["0.8", "0.9", "0.10", "0.11"]


def crd(properties, required=(), version="v1", served=True):
    schema = {"properties": {"spec": {"type": "object", "properties": properties, "required": list(required)}}}
    return {"kind": "CustomResourceDefinition",
            "spec": {"group": "x.io", "names": {"kind": "Kind"},
                     "versions": [{"name": version, "served": served, "schema": {"openAPIV3Schema": schema}}]}}


KIND = "kind x.io/v1 Kind = Object\n  spec  KindSpec\n\n"


def overlays(**texts):
    return {p: Overlay(f"# {p}\n\n{texts.get(p, '')}") for p in ("kubernetes", "kserve", "seldon")}


def inputs(**texts):
    read = {p: Inputs.read(texts.get(p, "")) for p in ("kubernetes", "kserve", "seldon")}
    for project, releases in (("kubernetes", "1.0 1.1 1.2"), ("kserve", "0.8 0.9 0.10 0.11"), ("seldon", "2.0 2.1")):
        read[project].releases = read[project].releases or releases.split()
    return read


def condensed(properties, overlay="", required=(), kubernetes="", release="0.9"):
    """The rows of a CRD as text, without the kind's, and notes."""
    rows, notes = condense("kserve", release, [crd(properties, required)], overlays(kserve=KIND + overlay),
                           inputs(kubernetes=kubernetes))
    texts = {f"{t}.{n}{'*' * r.required}": r.text() for (t, n), r in rows.items() if t != "x.io/v1 Kind"}
    return texts, notes


def tsv(releases, *lines):
    return "\n".join([f"# releases {releases}", *("\t".join(line) for line in lines)])


class Language(unittest.TestCase):
    def test_ranges_are_as_short_as_free_releases_allow(self):
        for chosen, free, text in [("0.8 0.9 0.10 0.11", "", ""), ("0.9 0.10 0.11", "", "0.9-"), ("0.8", "", "-0.8"),
                                   ("0.9", "", "0.9"), ("0.11", "", "0.11-"), ("0.9 0.10", "", "0.9-0.10"),
                                   ("0.8 0.10", "", "-0.8,0.10"), ("0.8 0.10", "0.9", "-0.10"),
                                   ("0.9 0.10", "0.8", "-0.10"), ("0.9 0.10", "0.8 0.11", "")]:
            self.assertEqual(ranges(set(chosen.split()), RELEASES, frozenset(free.split())), text)

    def test_ranges_are_read_by_number(self):
        self.assertEqual(read_ranges("-0.9,0.11", RELEASES), {"0.8", "0.9", "0.11"})
        self.assertEqual(read_ranges("0.10-", RELEASES), {"0.10", "0.11"})
        self.assertEqual(read_ranges("", RELEASES), set(RELEASES))
        with self.assertRaises(Mistake):
            read_ranges("next", RELEASES)

    def test_a_list_names_projects(self):
        releases = {"kubernetes": ["1.0", "1.1"], "kserve": RELEASES}
        self.assertEqual(read_list("1.1-|kserve:-0.8", "kubernetes", releases),
                         {"kubernetes": {"1.1"}, "kserve": {"0.8"}})
        self.assertEqual(read_list("kserve", "kubernetes", releases), {"kserve": set(RELEASES)})
        self.assertEqual(read_list("", "kserve", releases), {"kubernetes": {"1.0", "1.1"}, "kserve": set(RELEASES)})

    def test_a_row_has_a_type_constraints_and_releases(self):
        row, releases = read_row("[{a*: string, b: int}]  min-items 1 keys a in 0.9-|kserve")
        self.assertEqual(row, Row("[{a*: string, b: int}]", False, (("keys", "a"), ("min-items", "1"))))
        self.assertEqual(releases, "0.9-|kserve")
        for wrong in ("string enum", "string maximum 1"):
            with self.assertRaises(Mistake):
                read_row(wrong)

    def test_names_of_types_are_found(self):
        self.assertEqual(names_in("map[[Pod/v1]]"), ["Pod/v1"])
        self.assertEqual(names_in("{name*: string, port: Port}"), ["Port"])
        self.assertEqual(names_in("map[int-or-string]"), [])

    def test_comments_belong_to_the_next_type(self):
        top, headings = read_table("# top\n\nA = B - c d\n\n# about E\nE open in 0.9-\n  f*  int  min 1\n")
        self.assertEqual(top, ("# top",))
        self.assertEqual((headings[0].base, headings[0].without), ("B", ("c", "d")))
        self.assertEqual((headings[1].comment, headings[1].open, headings[1].releases), (("# about E",), True, "0.9-"))
        self.assertEqual(headings[1].lines[0].row, Row("int", True, (("min", "1"),)))


class Condense(unittest.TestCase):
    def test_forms_and_constraints(self):
        rows, notes = condensed({
            "any": {"x-kubernetes-preserve-unknown-fields": True},
            "codes": {"type": "array", "maxItems": 3, "items": {"type": "integer", "minimum": 400}},
            "free": {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
            "int": {"type": "integer"}, "int32": {"type": "integer", "format": "int32", "minimum": 0},
            "label": {"type": "string", "minLength": 0, "maxLength": 9, "pattern": "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$"},
            "map": {"type": "object", "additionalProperties": {"type": "boolean"}},
            "metadata": {"type": "object"},
            "mode": {"type": "string", "enum": ["a", "b"]},
            "other": {"type": "string", "pattern": "^x$"},
            "port": {"x-kubernetes-int-or-string": True},
            "size": {"x-kubernetes-int-or-string": True, "pattern": QUANTITY},
            "time": {"type": "string", "format": "date-time"}}, required=["int"])
        self.assertEqual(rows, {
            "KindSpec.any": "any", "KindSpec.codes": "[int] min 400 max-items 3", "KindSpec.free": "map[any]",
            "KindSpec.int*": "int", "KindSpec.int32": "int32 min 0",
            "KindSpec.label": "string max-length 9 is dns-1123-label", "KindSpec.map": "map[bool]",
            "KindSpec.metadata": "EmptyObject", "KindSpec.mode": "string enum a|b", "KindSpec.other": "string",
            "KindSpec.port": "int-or-string", "KindSpec.size": "quantity", "KindSpec.time": "time"})
        self.assertEqual(notes, ["no name for the pattern ^x$ of other"])

    def test_types_are_named_by_the_overlay_and_by_kubernetes(self):
        item = {"type": "object", "properties": {"name": {"type": "string"}}}
        properties = {
            "first": item, "inline": {"type": "array", "items": item}, "new": item,
            "pods": {"type": "array", "items": {"type": "object", "properties": {"port": item}},
                     "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["a", "b"]}}
        rows, notes = condensed(properties, "KindSpec\n  first  First\n  inline  [{}]\n  pods  [Pod]\n",
                                kubernetes=tsv("1.0", ("Pod", "port", "Port", "")))
        self.assertEqual(rows, {
            "KindSpec.first": "First", "First.name": "string", "KindSpec.inline": "[{name: string}]",
            "KindSpec.new": "KindSpecNew", "KindSpecNew.name": "string",
            "KindSpec.pods": "[Pod] keys a|b", "Pod.port": "Port", "Port.name": "string"})
        self.assertEqual(notes, ["x.io/v1 Kind.spec.new is a new type, KindSpecNew"])

    def test_a_name_may_differ_between_releases(self):
        item = {"type": "object", "properties": {"a": {"type": "string"}}}
        overlay = "KindSpec\n  x  New  in 0.9-\n  x  Old  in -0.8\n"
        self.assertIn("New.a", condensed({"x": item}, overlay)[0])
        self.assertIn("Old.a", condensed({"x": item}, overlay, release="0.8")[0])

    def test_places_of_a_type_must_agree(self):
        def item(schema, name="a"):
            return {"type": "object", "properties": {name: schema}}
        overlay = "KindSpec\n  x  Item\n  y  Item\n"
        for other in (item({"type": "string", "maxLength": 3}), item({"type": "string"}, "b")):
            with self.assertRaisesRegex(Mistake, "places of a type differ"):
                condensed({"x": item({"type": "string"}), "y": other}, overlay)
        lenient = condensed({"x": item({"type": "string", "minLength": 3}), "y": item({"type": "string"})},
                            overlay.replace("y  Item", "y  Item  templated"))
        self.assertEqual(lenient[0]["Item.a"], "string min-length 3")

    def test_a_constraint_needs_a_named_type(self):
        item = {"type": "object", "properties": {"a": {"type": "string", "minLength": 1}}}
        with self.assertRaisesRegex(Mistake, "needs a named type"):
            condensed({"x": item}, "KindSpec\n  x  {}\n")

    def test_what_has_no_fields_or_is_not_served_is_ignored(self):
        minimal = crd({"a": {"type": "string"}})
        minimal["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"] = {"type": "object"}
        fields = {"a": {"type": "string"}}
        for document in (minimal, crd(fields, served=False), crd(fields, version="v2")):
            self.assertEqual(condense("kserve", "0.9", [document], overlays(kserve=KIND), inputs())[0], {})

    def test_kubernetes_names_its_types(self):
        def reference(name):
            return {"$ref": f"#/definitions/io.k8s.api.core.v1.{name}"}
        condition = {"required": ["type"], "properties": {"type": {"type": "string"}}}
        definitions = {
            "Pod": {"properties": {"spec": reference("Spec"), "status": reference("Status")}},
            "Spec": {"required": ["list"], "properties": {
                "list": {"type": "array", "items": reference("Item"), "x-kubernetes-patch-merge-key": "name"},
                "claims": reference("OldClaims")}},
            "Item": {"required": ["name"], "properties": {"name": {"type": "string"}}},
            "OldClaims": {"properties": {"a": {"type": "string"}}},
            "Status": {"required": ["all"], "properties": {
                "all": {"type": "array", "items": reference("Condition"), "x-kubernetes-list-map-keys": ["type"]}}},
            "Condition": condition, "Unused": condition, "Root": {"properties": {"a": {"type": "string"}}}}
        document = {"definitions": {f"io.k8s.api.core.v1.{n}": d for n, d in definitions.items()}}
        overlay = ("kind v1 Pod = Object\n  spec  RunnableSpec\n\nRunnableSpec = Spec\n\n"
                   "Root\n\nSpec\n  claims  Claims\n")
        rows, _ = condense("kubernetes", "1.0", [document], overlays(kubernetes=overlay), inputs())
        self.assertEqual({f"{t}.{n}{'*' * r.required}": r.text() for (t, n), r in rows.items()}, {
            "Spec.list*": "[Item] keys name", "Item.name*": "string", "Spec.claims": "Claims", "Claims.a": "string",
            "Root.a": "string", "Status.all": "[Condition]", "Condition.type": "string"})


class Generate(unittest.TestCase):
    def table(self, name, overlay_texts, **texts):
        """The blocks of a table by their first line."""
        text = generate(inputs(**texts), overlays(**overlay_texts))[name]
        blocks = text.removeprefix('R"table(').removesuffix('\n)table"\n').split("\n\n")
        return {b.splitlines()[0]: b.splitlines()[1:] for b in blocks}

    def test_rows_have_their_releases_newest_first(self):
        made = self.table("kserve", {"kserve": KIND}, kserve=tsv(
            "0.8 0.9 0.10 0.11", ("x.io/v1 Kind", "spec", "KindSpec", "0.9-"), ("KindSpec", "a", "int", "0.9"),
            ("KindSpec", "a*", "int32 min 1", "0.10-"), ("KindSpec", "always", "string", "0.9-")))
        self.assertEqual(made["kind x.io/v1 Kind in 0.9- = Object"], ["  spec  KindSpec"])
        # The type has no other releases than those from 0.9 on.
        self.assertEqual(made["KindSpec"], [
            "  a*      int32  min 1 in 0.10-", "  a       int    in -0.9", "  always  string"])

    def test_a_shared_type_has_the_releases_of_each_project(self):
        overlay = "Pod\n  name  .  enum a|b\n  list  .  keys name\n"
        lines = (("Pod", "name*", "string", ""), ("Pod", "new", "string", "1.1-"),
                 ("Pod", "list", "[string] keys name", ""), ("Pod", "env", "[string] keys name", ""))
        made = self.table("kubernetes", {"kubernetes": overlay}, kubernetes=tsv("1.0 1.1 1.2", *lines), kserve=tsv(
            "0.8 0.9 0.10 0.11", ("Pod", "name*", "string", ""), ("Pod", "new", "string", "0.11-"),
            ("Pod", "list", "[string] keys name", "0.9-"), ("Pod", "list", "[string]", "0.8"),
            ("Pod", "env", "[string] keys name", "0.9-"), ("Pod", "env", "[string]", "0.8")))
        self.assertEqual(made["Pod"], [
            "  env    [string]  merge-keys name in kubernetes|kserve:0.9-", "  env    [string]  in kserve:-0.8",
            "  list   [string]  keys name in kubernetes|kserve:0.9-", "  list   [string]  pod-keys name in kserve:-0.8",
            "  name*  string    enum a|b", "  new    string    in 1.1-|kserve:0.11-"])

    def test_a_derived_type_states_only_what_differs(self):
        pod = tsv("1.0 1.1 1.2", ("Pod", "a", "string", ""), ("Pod", "b", "int", ""),
                  ("Pod", "list", "[string] keys name", ""), ("Pod", "new", "string", "1.2-"))
        kserve = tsv("0.8 0.9 0.10 0.11", ("Worker", "a", "string", "0.9-"), ("Worker", "list", "[string]", ""),
                     ("Worker", "size", "int", "0.10"))
        texts = {"kubernetes": "Pod\n  list  .  keys name\n", "kserve": "Worker = Pod\n"}
        made = self.table("kserve", texts, kubernetes=pod, kserve=kserve)
        # `new` and `b` are Kubernetes' alone, and so need not be removed.
        self.assertEqual(made["Worker = Pod"], ["  list  [string]  pod-keys name", "  size  int       in 0.10"])
        made = self.table("kubernetes", texts, kubernetes=pod, kserve=kserve)
        self.assertEqual(made["Pod"], ["  a     string    in kubernetes|kserve:0.9-", "  b     int       in kubernetes",
                                       "  list  [string]  keys name", "  new   string    in 1.2-"])

    def test_a_derived_type_lacks_fields_of_its_base(self):
        made = self.table("kserve", {"kserve": "Child = Parent\n"}, kserve=tsv(
            "0.8 0.9 0.10 0.11", ("Parent", "a", "string", ""), ("Parent", "b", "string", ""),
            ("Child", "a", "string", "")))
        self.assertEqual(made["Child = Parent - b"], [])

    def test_the_overlay_adds_changes_and_weakens(self):
        overlay = ("Literal = Seen - a\n  own*  map[any]  is kind\n\n# about\nSeen open\n"
                   "  a  .  unkeyed templated in 0.10-\n  b  .  optional\n  c*  Literal\n")
        made = self.table("kserve", {"kserve": overlay}, kserve=tsv(
            "0.8 0.9 0.10 0.11", ("Seen", "a", "[int] keys x", ""), ("Seen", "b*", "int", "")))
        self.assertEqual(made["Literal = Seen - a"], ["  own*  map[any]  is kind"])
        self.assertEqual(made["# about"], [
            "Seen open", "  a   [int]  templated in 0.10-", "  a   [int]  keys x in -0.9", "  b   int",
            "  c*  Literal"])

    def test_an_unknown_type_is_a_mistake(self):
        with self.assertRaisesRegex(Mistake, "unknown type Lost"):
            generate(inputs(), overlays(seldon="Found\n  a  [Lost]\n"))


class Committed(unittest.TestCase):
    def test_a_release_can_be_condensed_again(self):
        lines = tsv("0.8 0.9", ("A", "b", "int", ""), ("A", "c*", "int", "0.9-"))
        text = f"# What x has; tools/schema condense writes this.\n{lines}\n"
        read = Inputs.read(text)
        self.assertEqual(read.text("x"), text)
        read.replace("0.10", {("A", "c"): Row("int", True)})
        self.assertIn("A\tb\tint\t-0.9\nA\tc*\tint\t0.9-\n", read.text("x"))

    def test_the_tables_are_made_of_the_inputs(self):
        run = subprocess.run([sys.executable, HERE, "generate", "--check"], capture_output=True, text=True)
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr + "\nrun: python3 tools/schema generate")


if __name__ == "__main__":
    unittest.main()
