"""Makes CustomResourceDefinitions of KServe's largest kinds from the tables of core/k8s/schema, about as long as
KServe's own, which have no descriptions either."""

import os
import sys

TOP = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..")
sys.path.insert(0, os.path.join(TOP, "tools/schema"))
import language  # noqa: E402

KINDS = {
    "InferenceService": ["v1beta1"],
    "LLMInferenceService": ["v1alpha1", "v1alpha2"],
    "LLMInferenceServiceConfig": ["v1alpha1", "v1alpha2"],
}
NEWEST = {"kubernetes": ["1.36"], "kserve": ["0.20"], "seldon": ["2.10"]}
SIMPLE = {
    "string": "type: string",
    "bool": "type: boolean",
    "int": "type: integer",
    "int32": "format: int32\ntype: integer",
    "int64": "format: int64\ntype: integer",
    "time": "format: date-time\ntype: string",
    "int-or-string": "anyOf:\n- type: integer\n- type: string\nx-kubernetes-int-or-string: true",
    "quantity": "anyOf:\n- type: integer\n- type: string\n"
    r"pattern: ^(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|"
    r"([eE](\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))))?$" + "\nx-kubernetes-int-or-string: true",
    "any": "x-kubernetes-preserve-unknown-fields: true",
}


def indented(text, by=2):
    return "\n".join(" " * by + line for line in text.split("\n"))


class Tables:
    def __init__(self):
        self.headings = {}
        for project in ("kubernetes", "kserve"):
            with open(f"{TOP}/core/k8s/schema/{project}.table", encoding="utf-8") as file:
                for heading in language.read_table(file.read())[1]:
                    heading.project = project
                    self.headings[heading.key] = heading

    def fields(self, heading):
        """The rows of a type, by name."""
        rows = {}
        if heading.base:
            base = self.fields(self.headings[heading.base])
            rows = {name: row for name, row in base.items() if name not in heading.without}
        for name in {line.name for line in heading.lines}:
            rows.pop(name, None)
        for line in heading.lines:
            releases = language.read_list(line.releases, heading.project, NEWEST)
            if "0.20" in releases.get("kserve", ()):
                rows[line.name] = line.row
        return dict(sorted(rows.items()))

    def schema(self, form):
        """The schema of a form, as YAML."""
        if form in SIMPLE:
            return SIMPLE[form]
        if form.startswith("["):
            return f"items:\n{indented(self.schema(form[1:-1]))}\ntype: array"
        if form.startswith("map["):
            return f"additionalProperties:\n{indented(self.schema(form[4:-1]))}\ntype: object"
        if form.startswith("{"):
            parts = (part.split(":", 1) for part in form[1:-1].split(","))
            return self.object({n.strip().rstrip("*"): language.Row(f.strip()) for n, f in parts})
        return self.object(self.fields(self.headings[form]))

    def object(self, rows):
        if not rows:
            return "type: object"
        parts = []
        for name, row in rows.items():
            parts.append(f"{name}:\n{indented(self.schema(row.form))}")
        return "properties:\n" + indented("\n".join(parts)) + "\ntype: object"


def definition(tables, kind, versions):
    text = (
        "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\n"
        f"metadata:\n  name: {kind.lower()}s.serving.kserve.io\n"
        f"spec:\n  group: serving.kserve.io\n  names:\n    kind: {kind}\n  scope: Namespaced\n  versions:\n"
    )
    for version in versions:
        heading = tables.headings[f"serving.kserve.io/{version} {kind}"]
        rows = tables.fields(heading)
        rows["metadata"] = language.Row("EmptyObject")
        schema = f"openAPIV3Schema:\n{indented(tables.object(rows))}"
        text += f"  - name: {version}\n    schema:\n{indented(schema, 6)}\n    served: true\n    storage: true\n"
    return text


def write(path):
    """Writes all of them to one file."""
    tables = Tables()
    with open(path, "w", encoding="utf-8") as file:
        file.write("---\n".join(definition(tables, *each) for each in KINDS.items()))
