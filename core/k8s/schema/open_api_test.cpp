#include "core/k8s/schema/open_api.h"
#include "core/k8s/api_kinds.h"
#include "core/k8s/schema/deviations.h"
#include "testdata/support.h"

namespace cnsched::k8s::schema::open_api_test {

std::string_view word_for(Deviation::Kind kind) {
  static constexpr std::array kWords = {
      "unknown", "type",        "missing",  "choice",  "quantity", "format",  "range",    "length",
      "count",   "placeholder", "repeated", "pattern", "number",   "entries", "combined", "rule"};
  return kWords.at(static_cast<std::size_t>(kind));
}

/// A CustomResourceDefinition of InferenceGraph, by the schema of its `spec`, in flow style.
struct Defined {
  explicit Defined(const std::string& spec, const std::string& of_kind = "InferenceGraph")
      : kind(of_kind),
        crd("apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\n"
            "metadata: {name: x}\nspec:\n  group: serving.kserve.io\n  names: {kind: " +
            kind +
            "}\n  versions:\n  - name: v1alpha1\n    served: true\n    schema:\n"
            "      openAPIV3Schema:\n        type: object\n        properties:\n          spec: " +
            spec + "\n") {
    REQUIRE(crd.document.problems.empty());
    definitions = definitions_in(crd.object());
    for (const Definition& each : definitions) schemas.define(each, true);
  }

  /// "missing spec.a; type spec.b": what deviates in an object.
  std::string deviations_of(const std::string& spec) const {
    const Parsed parsed("apiVersion: serving.kserve.io/v1alpha1\nkind: " + kind +
                        "\nmetadata: {name: a}\nspec: " + spec + "\n");
    REQUIRE(parsed.document.problems.empty());
    std::vector<std::string> words;
    for (const Deviation& each : deviations(parsed.object(), schemas)) {
      std::string pointer = yaml::pointer_to(*each.node, *parsed.object().root);
      if (each.kind == Deviation::Kind::missing_field) {
        pointer += "/" + std::string(each.field->name);
      }
      std::string word = fmt::format("{} {}", word_for(each.kind), pointer);
      if (!each.message.empty()) word += " " + each.message;
      words.push_back(word);
    }
    std::ranges::sort(words);
    return fmt::format("{}", fmt::join(words, "; "));
  }

  std::vector<std::string> unevaluated() const { return definitions.front().types->unevaluated(); }

  std::string kind;
  Parsed crd;
  std::vector<Definition> definitions;
  Schemas schemas;
};

/// The deviations of one field `a` with that schema.
std::string of_field(const std::string& schema, const std::string& value) {
  return Defined("{type: object, properties: {a: " + schema + "}}")
      .deviations_of("{a: " + value + "}");
}

TEST_CASE("a definition replaces the fields of the tables") {
  const Defined defined(
      "{type: object, required: [b], properties: {a: {type: string}, b: {type: integer}}}");
  CHECK(defined.deviations_of("{b: 1}").empty());
  CHECK(defined.deviations_of("{a: x, b: 1, c: 2}") == "unknown /spec/c");
  CHECK(defined.deviations_of("{a: 1}") == "missing /spec/b; type /spec/a");
  // A table of InferenceGraph has `nodes`.
  CHECK(defined.deviations_of("{b: 1, nodes: {}}") == "unknown /spec/nodes");
}

TEST_CASE("definitions limit values") {
  CHECK(of_field("{type: string, enum: [x, w]}", "z") == "choice /spec/a");
  CHECK(of_field("{type: string, enum: [x, w]}", "w").empty());
  CHECK(of_field("{type: string, pattern: '^a+$'}", "ab") == "pattern /spec/a");
  CHECK(of_field("{type: string, pattern: '^a+$'}", "aaa").empty());
  CHECK(of_field("{type: string, minLength: 2, maxLength: 3}", "a") == "length /spec/a");
  CHECK(of_field("{type: string, minLength: 2, maxLength: 3}", "abcd") == "length /spec/a");
  CHECK(of_field("{type: integer, minimum: 1, maximum: 3}", "0") == "range /spec/a");
  CHECK(of_field("{type: integer, minimum: 1, maximum: 3}", "3").empty());
  CHECK(of_field("{type: integer, maximum: 3, exclusiveMaximum: true}", "3") == "number /spec/a");
  CHECK(of_field("{type: integer, format: int32}", "2147483648") == "range /spec/a");
  CHECK(of_field("{type: integer, format: int64}", "2147483648").empty());
  CHECK(of_field("{type: number, minimum: 0.5}", "0.4") == "number /spec/a");
  CHECK(of_field("{type: number, minimum: 0.5}", "1").empty());
  CHECK(of_field("{type: number}", "x") == "type /spec/a");
  CHECK(of_field("{type: integer, multipleOf: 4}", "6") == "number /spec/a");
  CHECK(of_field("{type: boolean}", "'true'") == "type /spec/a");
  CHECK(of_field("{type: array, items: {type: string}, maxItems: 1}", "[x, w]") == "count /spec/a");
  CHECK(of_field("{type: object, additionalProperties: {type: string}, maxProperties: 1}",
                 "{x: w, z: w}") == "entries /spec/a");
}

TEST_CASE("definitions limit the elements of lists and maps") {
  const std::string list = "{type: array, items: {type: string, enum: [x], maxLength: 3}}";
  CHECK(of_field(list, "[x, z]") == "choice /spec/a/1");
  CHECK(of_field(list, "[x, 1]") == "type /spec/a/1");
  CHECK(of_field("{type: object, additionalProperties: {type: integer, minimum: 2}}",
                 "{x: 1, y: 2, z: a}") == "range /spec/a/x; type /spec/a/z");
  CHECK(of_field("{type: array, items: {type: array, items: {type: integer}}}", "[[1], [a]]") ==
        "type /spec/a/1/0");
}

TEST_CASE("lists of sets and maps have no repeated items") {
  CHECK(of_field("{type: array, x-kubernetes-list-type: set, items: {type: string}}",
                 "[x, w, x]") == "repeated /spec/a/2");
  const std::string map =
      "{type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [k, p], items: "
      "{type: "
      "object, properties: {k: {type: string}, p: {type: string, default: q}, v: {type: "
      "integer}}}}";
  CHECK(of_field(map, "[{k: x}, {k: x, p: q}]") == "repeated /spec/a/1");
  CHECK(of_field(map, "[{k: x}, {k: x, p: r}]").empty());
}

TEST_CASE("int-or-string, preserved fields, null and defaults") {
  CHECK(of_field("{x-kubernetes-int-or-string: true, anyOf: [{type: integer}, {type: string}]}",
                 "1.5") == "type /spec/a");
  CHECK(of_field("{x-kubernetes-int-or-string: true}", "25%").empty());
  CHECK(of_field("{x-kubernetes-int-or-string: true, pattern: '^[0-9]+%$'}", "x") ==
        "pattern /spec/a");
  CHECK(of_field("{x-kubernetes-int-or-string: true, pattern: '^[0-9]+%$'}", "7").empty());
  CHECK(
      of_field("{type: object, x-kubernetes-preserve-unknown-fields: true, properties: {b: {type: "
               "integer}}}",
               "{b: x, c: 1}") == "type /spec/a/b");
  CHECK(of_field("{x-kubernetes-preserve-unknown-fields: true}", "[1, {b: 2}]").empty());
  CHECK(of_field("{type: object}", "{b: 1}") == "unknown /spec/a/b");
  const Defined defined(
      "{type: object, required: [n, d, r], properties: {n: {type: string, nullable: true}, d: "
      "{type: "
      "string, default: x}, r: {type: string}}}");
  CHECK(defined.deviations_of("{n: null, r: x}").empty());
  CHECK(defined.deviations_of("{n: x, r: null}") == "missing /spec/r");
}

TEST_CASE("embedded resources have a kind and metadata") {
  const std::string schema =
      "{type: object, x-kubernetes-embedded-resource: true, x-kubernetes-preserve-unknown-fields: "
      "true}";
  CHECK(of_field(schema, "{spec: {}}") == "missing /spec/a/apiVersion; missing /spec/a/kind");
  CHECK(of_field(schema, "{apiVersion: v1, kind: Pod, metadata: {name: a, label: b}}") ==
        "unknown /spec/a/metadata/label");
}

TEST_CASE("combinations of schemas") {
  const std::string one =
      "{type: object, properties: {x: {type: string}, y: {type: string}}, oneOf: "
      "[{required: [x]}, {required: [y]}]}";
  CHECK(of_field(one, "{x: a}").empty());
  CHECK(of_field(one, "{x: a, y: b}") == "combined /spec/a");
  CHECK(of_field(one, "{}") == "combined /spec/a");
  CHECK(of_field("{type: string, not: {enum: [x]}}", "x") == "combined /spec/a");
  CHECK(of_field("{type: string, anyOf: [{pattern: ^a}, {pattern: ^b}]}", "c") ==
        "combined /spec/a");
  CHECK(of_field("{type: string, allOf: [{pattern: ^a}, {maxLength: 2}]}", "ab").empty());
}

TEST_CASE("combinations see what is stored") {
  const std::string fields =
      "{type: object, properties: {a: {type: string}, b: {type: string, default: x}, n: {type: "
      "string, "
      "nullable: true}}, ";
  const std::string one = fields + "oneOf: [{required: [a]}, {required: [b]}]}";
  CHECK(of_field(one, "{a: foo}") == "combined /spec/a");
  CHECK(of_field(one, "{}").empty());
  CHECK(of_field(fields + "anyOf: [{required: [a]}, {required: [n]}]}", "{n: null}").empty());
  CHECK(of_field("{type: array, items: {type: string}, not: {minItems: 3}}", "[x]").empty());
  CHECK(of_field("{type: array, items: {type: string}, anyOf: [{minItems: 3}]}", "[x]") ==
        "combined /spec/a");
}

TEST_CASE("counts and enums are about values, not about texts") {
  const std::string map = "{type: object, additionalProperties: {type: string}, maxProperties: 1}";
  CHECK(of_field(map, "{x: w, z: null}").empty());
  CHECK(of_field("{type: object, minProperties: 1, properties: {b: {type: string}}}", "{c: x}") ==
        "entries /spec/a; unknown /spec/a/c");
  CHECK(of_field("{type: number, enum: [2.5, 1.0]}", "2.50").empty());
  CHECK(of_field("{type: number, enum: [2.5, 1.0]}", "1").empty());
  CHECK(of_field("{type: boolean, enum: [true]}", "True").empty());
  CHECK(of_field("{type: boolean, enum: [true]}", "false") == "choice /spec/a");
  CHECK(of_field("{type: number, multipleOf: 0.1}", "0.3").empty());
  CHECK(of_field("{type: number, multipleOf: 0.1}", "0.35") == "number /spec/a");
  CHECK(of_field("{type: integer, minimum: 0.5}", "0") == "number /spec/a");
  CHECK(of_field("{type: array, x-kubernetes-list-type: set, items: {x-kubernetes-int-or-string: "
                 "true}}",
                 "[1, '1']")
            .empty());
}

TEST_CASE("rules see null as absent, and read no texts with a format") {
  const Defined defined(
      "{type: object, properties: {n: {type: string, nullable: true}, m: {type: object, "
      "additionalProperties: {type: string, x-kubernetes-validations: [{rule: 'self.size() > "
      "0'}]}}, t: "
      "{type: string, format: duration}}, x-kubernetes-validations: [{rule: '!has(self.n) || "
      "self.n != "
      "\"x\"'}, {rule: '!has(self.t) || duration(self.t) > duration(\"1s\")'}]}");
  CHECK(defined.deviations_of("{n: null, m: {a: null, b: w}}").empty());
  CHECK(defined.unevaluated().empty());
  CHECK(defined.deviations_of("{m: {b: ''}, n: x}") ==
        "rule /spec failed rule: !has(self.n) || self.n != \"x\"; rule /spec/m/b failed rule: "
        "self.size() > 0");
  CHECK(defined.deviations_of("{t: 1s}").empty());
  CHECK(defined.unevaluated().size() == 1);
}

TEST_CASE("rules of CEL are evaluated on valid objects") {
  const Defined defined(
      "{type: object, properties: {least: {type: integer}, most: {type: integer, default: 3}, "
      "name-x: {type: string}}, x-kubernetes-validations: [{rule: 'self.least <= self.most', "
      "message: "
      "'least is above most', fieldPath: .least}, {rule: '!has(self.name__dash__x) || "
      "self.name__dash__x != \"a\"'}]}");
  CHECK(defined.deviations_of("{least: 4}") == "rule /spec/least least is above most");
  CHECK(defined.deviations_of("{least: 3}").empty());
  CHECK(defined.deviations_of("{least: x}") == "type /spec/least");
  CHECK(defined.deviations_of("{least: 1, name-x: a}") ==
        "rule /spec failed rule: !has(self.name__dash__x) || self.name__dash__x != \"a\"");
  CHECK(defined.deviations_of("{}") == "rule /spec rule evaluation error: no such key: least");
  CHECK(defined.unevaluated().empty());
}

TEST_CASE("rules about changes do not count, and unknown functions are noted") {
  const Defined defined(
      "{type: object, x-kubernetes-validations: [{rule: 'self == oldSelf'}, {rule: 'self.f()'}, "
      "{rule: 'self ++'}], properties: {a: {type: string, pattern: '('}}}");
  CHECK(defined.deviations_of("{a: x}").empty());
  CHECK(defined.unevaluated().size() == 3);
}

TEST_CASE("what validation of pods demands stays, where a definition does not state it") {
  const Defined defined(
      "{type: object, properties: {containers: {type: array, items: {type: object, properties: "
      "{name: {type: string}, imagePullPolicy: {type: string}}}}}}",
      "ServingRuntime");
  const Parsed parsed(
      "apiVersion: serving.kserve.io/v1alpha1\nkind: ServingRuntime\nspec: {containers: [{name: a, "
      "imagePullPolicy: Sometimes}]}");
  const auto found = deviations(parsed.object(), defined.schemas);
  REQUIRE(found.size() == 1);
  CHECK(found.front().kind == Deviation::Kind::not_allowed);
  CHECK(found.front().rejected_in_pod);
  CHECK(found.front().holder->name == "Container");
}

TEST_CASE("a minimal definition leaves the fields to the tables") {
  const Defined minimal("{type: object, x-kubernetes-preserve-unknown-fields: true}");
  CHECK(minimal.definitions.front().types == nullptr);
  CHECK(minimal.deviations_of("{nodes: {}, nodez: {}}") == "unknown /spec/nodez");
}

TEST_CASE("an OpenAPI document decides about the fields of Kubernetes' kinds") {
  const Parsed document(
      R"({"swagger": "2.0", "definitions": {
        "io.k8s.api.core.v1.Pod": {"type": "object", "properties": {
          "apiVersion": {"type": "string"}, "kind": {"type": "string"},
          "metadata": {"$ref": "#/definitions/meta"},
          "spec": {"$ref": "#/definitions/io.k8s.api.core.v1.PodSpec"}},
          "x-kubernetes-group-version-kind": [{"group": "", "kind": "Pod", "version": "v1"}]},
        "meta": {"type": "object", "properties": {"name": {"type": "string"}}},
        "loop": {"$ref": "#/definitions/loop"},
        "nest": {"type": "array", "items": {"$ref": "#/definitions/nest"}},
        "io.k8s.api.core.v1.PodSpec": {"type": "object", "required": ["nodeName"], "properties": {
          "containers": {"type": "array", "items": {"type": "object", "properties": {
            "name": {"type": "string"}, "imagePullPolicy": {"type": "string"},
            "new": {"type": "integer"}}}},
          "restartPolicy": {"type": "string"},
          "a": {"$ref": "#/definitions/loop"}, "b": {"$ref": "#/definitions/nest"}}}}})");
  REQUIRE(document.document.problems.empty());
  const auto definitions = definitions_in_open_api(document.root());
  REQUIRE(definitions.size() == 1);
  Schemas schemas;
  schemas.define(definitions.front(), true);
  const Parsed parsed(
      "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: {resources: {}, restartPolicy: x, a: "
      "1, "
      "b: [[[]]], containers: [{name: a, imagePullPolicy: w, new: z, image: b}]}");
  std::vector<std::string> words;
  for (const Deviation& each : deviations(parsed.object(), schemas)) {
    words.push_back(fmt::format("{} {}", word_for(each.kind),
                                yaml::pointer_to(*each.node, *parsed.object().root)));
  }
  std::ranges::sort(words);
  CHECK(fmt::format("{}", fmt::join(words, "; ")) ==
        "choice /spec/containers/0/imagePullPolicy; choice /spec/restartPolicy; type "
        "/spec/containers/0/new; unknown /spec/containers/0/image; unknown /spec/resources");
}

TEST_CASE("accepts contradicting and unusual schemas") {
  CHECK(of_field("{type: string, minLength: 5, maxLength: 2}", "abc") == "length /spec/a");
  CHECK(of_field("{type: nonsense}", "abc").empty());
  CHECK(of_field("[]", "abc").empty());
  CHECK(of_field("{type: array}", "[1, x]").empty());
  CHECK(of_field("{type: integer, multipleOf: 0}", "6").empty());
  CHECK(of_field("{type: string, pattern: '(a+)+$'}", std::string(10'000, 'a') + "b") ==
        "pattern /spec/a");
  std::string wide = "{type: object, properties: {";
  constexpr int kFields = 10'000;
  for (int i = 0; i < kFields; ++i) wide += fmt::format("f{}: {{type: string}}, ", i);
  CHECK(of_field(wide + "}}", "{f1: x, f9999: w, g: z}") == "unknown /spec/a/g");
}

}  // namespace cnsched::k8s::schema::open_api_test
