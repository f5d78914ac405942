"""Reads CustomResourceDefinitions and Kubernetes' OpenAPI document into condensed rows.

A structural schema has no names of types. They come from the overlays (`predictor PredictorSpec`)
and, for what Kubernetes' API has too, from Kubernetes' OpenAPI document. The same type is found at
many places, which must agree."""

import re

from language import Mistake, Row, names_in, read_list, release_key

# The patterns that have a name (core/k8s/schema/schema.cpp).
DNS_LABEL = r"[a-z0-9]([-a-z0-9]*[a-z0-9])?"
PATTERNS = {
    r"^[a-z]([-a-z0-9]*[a-z0-9])?$": "dns-1035-label",
    rf"^{DNS_LABEL}$": "dns-1123-label",
    r"^[a-z0-9]([a-z0-9-]*[a-z0-9])?$": "dns-1123-label",
    rf"^{DNS_LABEL}(\.{DNS_LABEL})*$": "dns-1123-subdomain",
    rf"^$|^{DNS_LABEL}(\.{DNS_LABEL})*$": "dns-1123-subdomain-or-empty",
    r"^[a-zA-Z]([-a-zA-Z0-9]*[a-zA-Z0-9])?$": "kind",
    r"^\d+(\.\d+)?$": "decimal",
    r"^([0-9]{1,5}(h|m|s|ms)){1,4}$": "gateway-duration",
    r"^[A-Za-z0-9!#$%&'*+\-.^_\x60|~]+$": "http-header-name",
    r"^(?:[-A-Za-z0-9/._~!$&'()*+,;=:@]|[%][0-9a-fA-F]{2})+$": "http-path",
}
NUMBER = r"(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))"
QUANTITY = rf"^{NUMBER}(([KMGTPE]i)|[numkMGTPE]|([eE]{NUMBER}))?$"
LIMITS = {"minimum": "min", "maximum": "max", "minLength": "min-length", "maxLength": "max-length",
          "minItems": "min-items", "maxItems": "max-items"}
REFERENCES = {"Quantity": "quantity", "IntOrString": "int-or-string", "Time": "time", "MicroTime": "time",
              "FieldsV1": "any", "RawExtension": "any"}


def inner(hint, opener):
    """The hint for the elements of a list or map, from the hint for the collection."""
    return hint[len(opener):-1] if hint.startswith(opener) else "."


class Names:
    """Names the types of fields in one release."""

    def __init__(self, project, release, overlays, inputs):
        self.project, self.release = project, release
        self.headings = {h.key: h for overlay in overlays.values() for h in overlay.headings}
        self.home = {h.key: p for p, overlay in overlays.items() for h in overlay.headings}
        self.releases = {p: i.releases for p, i in inputs.items()}
        self.releases[project] = [*self.releases[project], release]
        self.kubernetes = inputs["kubernetes"].rows

    def chain(self, type_):
        """The type and its bases."""
        while type_:
            yield type_
            heading = self.headings.get(type_)
            type_ = heading.base if heading else ""

    def hint(self, type_, name):
        """The form that an overlay or Kubernetes' document gives the field, or '.'."""
        for holder in self.chain(type_):
            for line in self.headings[holder].lines if holder in self.headings else ():
                if line.name == name and line.row.form != "." and self.holds(line, holder):
                    return line.row
        for holder in self.chain(type_):
            by_release = self.kubernetes.get(holder, {}).get(name)
            if by_release:
                newest = max(by_release, key=release_key)
                return Row(by_release[newest].form)
        return Row(".")

    def holds(self, line, holder):
        if not line.releases:
            return True
        chosen = read_list(line.releases, self.home[holder], self.releases)
        return self.release in chosen.get(self.project, ())


class Rows:
    """What was found: {(type, field): {Row: a place}}, and the fields at each place of a type."""

    def __init__(self):
        self.found = {}
        self.lenient = {}
        self.fields = {}
        self.unnamed = set()
        self.notes = []

    def add(self, type_, name, row, place, lenient):
        (self.lenient if lenient else self.found).setdefault((type_, name), {}).setdefault(row, place)

    def add_fields(self, type_, names, place):
        self.fields.setdefault(type_, {}).setdefault(frozenset(names), place)

    def result(self):
        """{(type, field): Row}."""
        mistakes = []
        for type_, places in self.fields.items():
            (first, place), *others = places.items()
            mistakes += [f"{type_}: {' '.join(sorted(first ^ other))}: only at one of {place}, {other_place}"
                         for other, other_place in others]
        rows = {}
        for key, by_row in {**self.lenient, **self.found}.items():
            if len(by_row) > 1:
                mistakes += [f"{key[0]} {key[1]}: '{'*' * r.required}{r.text()}' at {p}" for r, p in by_row.items()]
            rows[key] = next(iter(by_row))
        if mistakes:
            raise Mistake("places of a type differ; name them apart in an overlay:\n" + "\n".join(mistakes))
        return rows


class Condenser:
    def __init__(self, names):
        self.names = names
        self.rows = Rows()

    def object(self, type_, schema, place, lenient=False):
        """Records the fields of an object, and of the objects in it."""
        required = set(schema.get("required", ()))
        self.rows.add_fields(type_, schema.get("properties", {}), place)
        for name, field in schema.get("properties", {}).items():
            hint = self.names.hint(type_, name)
            below = lenient or ("templated", None) in hint.constraints
            form = self.form(field, hint.form, type_, name, f"{place}.{name}", below)
            row = Row(form, name in required).with_constraints(self.constraints(field, form, f"{place}.{name}"))
            self.rows.add(type_, name, row, f"{place}.{name}", lenient)

    def form(self, schema, hint, type_, name, place, lenient):
        if hint != "." and "{" not in hint and not names_in(hint):
            return hint
        if schema.get("x-kubernetes-int-or-string"):
            return "quantity" if schema.get("pattern") == QUANTITY else "int-or-string"
        kind = schema.get("type")
        if kind == "array":
            return f"[{self.form(schema['items'], inner(hint, '['), type_, name, place + '[]', lenient)}]"
        if kind == "object" and isinstance(schema.get("additionalProperties"), dict):
            element = schema["additionalProperties"]
            return f"map[{self.form(element, inner(hint, 'map['), type_, name, place + '{}', lenient)}]"
        if kind == "object" and "properties" in schema:
            return self.named(schema, hint, type_, name, place, lenient)
        if kind == "object":
            return "map[any]" if schema.get("x-kubernetes-preserve-unknown-fields") else "EmptyObject"
        if kind is None:
            return "any"
        if kind == "integer":
            return schema["format"] if schema.get("format") in ("int32", "int64") else "int"
        if kind == "string":
            return "time" if schema.get("format") == "date-time" else "string"
        if kind == "boolean":
            return "bool"
        raise Mistake(f"{place}: unknown type {kind}")

    def named(self, schema, hint, type_, name, place, lenient):
        if hint.startswith("{"):
            limited = [n for n, s in schema["properties"].items() if self.constraints(s, "string", place)]
            if limited:
                raise Mistake(f"{place} needs a named type, because of the constraints of {' '.join(limited)}")
            fields = [f"{n}{'*' if n in schema.get('required', ()) else ''}: "
                      f"{self.form(s, '.', type_, name, place + '.' + n, lenient)}"
                      for n, s in sorted(schema["properties"].items())]
            return "{" + ", ".join(fields) + "}"
        if hint == ".":
            hint = f"{type_.split()[-1]}{name[0].upper()}{name[1:]}"
            if type_ not in self.rows.unnamed:
                self.rows.notes.append(f"{place} is a new type, {hint}")
            self.rows.unnamed.add(hint)
        self.object(hint, schema, place, lenient)
        return hint

    def constraints(self, schema, form, place):
        if form in ("[string]", "[int]", "[int32]"):
            # A row's constraints of values apply to the elements of a list.
            schema = {**schema["items"], **schema}
        found = [(word, str(schema[key])) for key, word in LIMITS.items()
                 if key in schema and not (schema[key] == 0 and key in ("minLength", "minItems"))]
        if schema.get("x-kubernetes-list-type") == "map":
            found.append(("keys", "|".join(schema["x-kubernetes-list-map-keys"])))
        if "enum" in schema:
            found.append(("enum", "|".join(str(v) for v in schema["enum"])))
        pattern = schema.get("pattern")
        if pattern and form not in ("quantity", "int-or-string"):
            if pattern not in PATTERNS:
                self.rows.notes.append(f"no name for the pattern {pattern} of {re.sub('.*[.]', '', place)}")
            else:
                found.append(("is", PATTERNS[pattern]))
        return found


def condense_crds(documents, names):
    """The rows of the kinds that an overlay has."""
    condenser = Condenser(names)
    for crd in documents:
        if crd.get("kind") != "CustomResourceDefinition":
            continue
        for version in crd["spec"].get("versions", ()):
            api_version = f"{crd['spec']['group']}/{version['name']}"
            kind = f"{api_version} {crd['spec']['names']['kind']}"
            properties = version.get("schema", {}).get("openAPIV3Schema", {}).get("properties", {})
            # The minimal form of a CRD has no fields.
            if kind in names.headings and "properties" in properties.get("spec", {}) and version["served"]:
                spec = {"spec": properties["spec"]}
                required = version["schema"]["openAPIV3Schema"].get("required", ())
                condenser.object(kind, {"properties": spec, "required": required}, kind)
    return condenser.rows


class OpenApi(Condenser):
    """Kubernetes' document names its types."""

    def __init__(self, names, definitions):
        super().__init__(names)
        self.definitions = definitions
        self.walked = set()
        self.in_status = False
        self.statuses = []

    def object(self, type_, schema, place, lenient=False):
        """What only a status has is neither required nor keyed: nobody writes one, and nodes may have
        two addresses of one type."""
        if self.in_status:
            schema = {**schema, "required": ()}
        super().object(type_, schema, place, lenient)

    def form(self, schema, hint, type_, name, place, lenient):
        reference = schema.get("$ref", "").rpartition("/")[2]
        short = reference.rpartition(".")[2]
        if not reference:
            return super().form(schema, hint, type_, name, place, lenient)
        if short in REFERENCES:
            return REFERENCES[short]
        if name == "status" and not self.in_status:
            self.statuses.append((schema, hint, type_, name, place, lenient))
            return short
        # What an overlay derives from a type is hand-made, and not in the document.
        own = names_in(hint)
        if own and not (own[0] in self.names.headings and self.names.headings[own[0]].base):
            short = own[0]
        if short not in self.walked:
            self.walked.add(short)
            self.object(short, self.definitions[reference], short)
        return short

    def constraints(self, schema, form, place):
        if self.in_status:
            return []
        keys = schema.get("x-kubernetes-list-map-keys") or [schema.get("x-kubernetes-patch-merge-key")]
        return [("keys", "|".join(keys))] if keys[0] else []


def condense_openapi(document, names):
    definitions = document["definitions"]
    condenser = OpenApi(names, definitions)
    kinds = {}
    for heading in names.headings.values():
        group = heading.api_version if "/" in heading.api_version else f"core/{heading.api_version or 'v1'}"
        definition = f"io.k8s.api.{group.replace('/', '.')}.{heading.name}"
        if definition in definitions and names.home[heading.key] == "kubernetes":
            kinds[definition] = heading.key
    for definition, key in kinds.items():
        for name, schema in definitions[definition].get("properties", {}).items() if " " in key else ():
            condenser.form(schema, ".", key, name, key, False)
        if " " not in key:
            condenser.form({"$ref": f"#/definitions/{definition}"}, ".", key, "", key, False)
    condenser.in_status = True
    for status in condenser.statuses:
        condenser.form(*status)
    return condenser.rows


def condense(project, release, documents, overlays, inputs):
    """{(type, field): Row} and notes."""
    names = Names(project, release, overlays, inputs)
    if project == "kubernetes":
        found = condense_openapi(documents[0], names)
    else:
        found = condense_crds(documents, names)
    return found.result(), sorted(set(found.notes))
