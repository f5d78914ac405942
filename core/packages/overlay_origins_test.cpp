#include "core/packages/overlay_origins.h"
#include "core/yaml/parse.h"
#include "core/yaml/split.h"
#include "testdata/support.h"

namespace cnsched::overlay_origins_test {

constexpr const char* kModel =
    "apiVersion: serving.kserve.io/v1beta1\n"
    "kind: InferenceService\n"
    "metadata: {name: m}\n"
    "spec:\n"
    "  minReplicas: 1\n"
    "  tolerations:\n"
    "  - {key: a, operator: x}\n"
    "  - {key: b, operator: x}\n";

/// The model as kustomize prints it, under that name and with that spec.
std::string rendered_model(const std::string& spec, const std::string& name = "m") {
  return "apiVersion: serving.kserve.io/v1beta1\nkind: InferenceService\nmetadata:\n  name: " +
         name + "\nspec:\n" + spec;
}

/// An overlay in the directory "o", and what kustomize renders of it.
class Overlay {
 public:
  explicit Overlay(std::vector<PackageSource> sources) : sources_(std::move(sources)) {}

  /// The origin of the first bytes `text` after the first `context` in the rendered text.
  Origin origin(const std::string& rendered, const std::string& context,
                const std::string& text) const {
    const SourceFile file(0, "o/<rendered>", rendered);
    const std::size_t at = rendered.find(text, rendered.find(context));
    REQUIRE(at != std::string::npos);
    const Span where{0, static_cast<std::uint32_t>(at),
                     static_cast<std::uint32_t>(at + text.size())};
    for (const Span each : yaml::split(file)) {
      if (each.begin <= where.begin && where.end <= each.end) {
        return OverlayOrigins("o", sources_).of(file, yaml::parse(file, each), where);
      }
    }
    return {};
  }

  /// "o/m.yaml:5 'text'"; the file alone if that is all; empty if nothing is known.
  std::string place(const std::string& rendered, const std::string& context,
                    const std::string& text) const {
    return place_in(origin(rendered, context, text));
  }
  std::string place(const std::string& rendered, const std::string& text) const {
    return place(rendered, text, text);
  }

  std::string place_in(const Origin& origin) const {
    if (origin.place.path.empty()) return origin.file;
    CHECK(origin.file == origin.place.path);
    return words(origin.place);
  }
  std::string words(const SourcePlace& place) const {
    for (const PackageSource& source : sources_) {
      if (source.path != place.path) continue;
      const SourceFile file(0, source.path, source.bytes);
      return source.path + ":" + std::to_string(file.line_of(place.begin)) + " '" +
             source.bytes.substr(place.begin, place.end - place.begin) + "'";
    }
    return "no source";
  }

 private:
  std::vector<PackageSource> sources_;
};

Overlay overlay(const std::string& kustomization, const std::string& resource = kModel) {
  return Overlay(
      {{"o/kustomization.yaml", "resources: [m.yaml]\n" + kustomization}, {"o/m.yaml", resource}});
}

TEST_CASE("a value of a base comes from the base, through overlays and another directory") {
  const Overlay files({{"o/kustomization.yaml", "resources: [../staging]\nnamePrefix: prod-\n"},
                       {"staging/kustomization.yml", "bases: [../base/]\nnamespace: s\n"},
                       {"base/Kustomization", "resources: [./m.yaml]\n"},
                       {"base/m.yaml", kModel}});
  const std::string text =
      "apiVersion: serving.kserve.io/v1beta1\nkind: InferenceService\nmetadata:\n"
      "  name: prod-m\n  namespace: s\nspec:\n  minReplicas: 1\n";
  CHECK(files.place(text, "minReplicas") == "base/m.yaml:5 'minReplicas'");
  CHECK(files.place(text, "minReplicas", "1") == "base/m.yaml:5 '1'");
  CHECK(files.origin(text, "minReplicas", "1").is_literal);
  CHECK(files.place(text, "namespace: s", "s\n").empty());
  CHECK(files.place(text, "namespace") == "staging/kustomization.yml:2 'namespace'");
}

TEST_CASE("the last patch that sets a value decides, with a note of what it replaces") {
  const Overlay files = overlay(
      "patches:\n"
      "- patch: |\n"
      "    apiVersion: serving.kserve.io/v1beta1\n"
      "    kind: InferenceService\n"
      "    metadata: {name: m}\n"
      "    spec:\n"
      "\n"
      "      minReplicas: 7\n");
  const std::string text = rendered_model("  minReplicas: 7\n");
  const Origin origin = files.origin(text, "minReplicas", "7");
  CHECK(files.place_in(origin) == "o/kustomization.yaml:9 '7'");
  CHECK(origin.is_literal);
  REQUIRE(origin.notes.size() == 1);
  CHECK(files.words(origin.notes[0].place) == "o/m.yaml:5 '1'");
  CHECK(origin.notes[0].message == "it replaces this value");
}

TEST_CASE("a value that differs from the rendered one has no origin") {
  const Overlay files = overlay("vars: []\n");
  CHECK(files.place(rendered_model("  minReplicas: 2\n"), "minReplicas", "2").empty());
  CHECK(files.place(rendered_model("  maxReplicas: 1\n"), "maxReplicas").empty());
  CHECK(files.place(rendered_model("  minReplicas: 1\n", "n"), "minReplicas").empty());
}

TEST_CASE("operations of a JSON patch change lists by index; a key comes from the path") {
  const Overlay files = overlay(
      "patches:\n"
      "- target: {kind: Inference.*, name: m}\n"
      "  patch: '[{\"op\": \"remove\", \"path\": \"/spec/tolerations/0\"},\n"
      "    {\"op\": \"add\", \"path\": \"/spec/a~1b\", \"value\": 1}]'\n"
      "- target: {version: v1beta1, kind: InferenceService}\n"
      "  patch: |-\n"
      "    - {op: add, path: /spec/tolerations/-, value: {key: c, operator: x}}\n"
      "    - {op: add, path: /spec/tolerations/0, value: {key: d, operator: x}}\n"
      "    - {op: add, path: /spec/wrong, value: 2}\n");
  const std::string text = rendered_model(
      "  a/b: 1\n  minReplicas: 1\n  tolerations:\n  - key: d\n    operator: x\n  - key: b\n"
      "    operator: x\n  - key: c\n    operator: x\n  wrong: 2\n");
  CHECK(files.place(text, "key: d", "x") == "o/kustomization.yaml:9 'x'");
  CHECK(files.place(text, "key: b", "x") == "o/m.yaml:8 'x'");
  CHECK(files.place(text, "key: c", "x") == "o/kustomization.yaml:8 'x'");
  CHECK(files.place(text, "wrong") == "o/kustomization.yaml:10 'wrong'");
  CHECK(!files.origin(text, "wrong", "wrong").is_literal);
  // The lines of the first patch have no place: its text is folded.
  CHECK(files.place(text, "a/b") == "o/kustomization.yaml");
}

TEST_CASE("lists of a Deployment merge by key, those of a custom resource are replaced") {
  const Overlay files({{"o/kustomization.yaml", "resources: [d.yaml]\npatches: [{path: p.yaml}]\n"},
                       {"o/d.yaml",
                        "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: d}\n"
                        "spec:\n  template:\n    spec:\n      containers:\n"
                        "      - {name: a, imagePullPolicy: x}\n"
                        "      - {name: b, imagePullPolicy: x}\n"
                        "      tolerations: [{operator: x}]\n"},
                       {"o/p.yaml",
                        "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: d}\n"
                        "spec:\n  template:\n    spec:\n      containers:\n"
                        "      - {name: b, stdin: 1}\n"
                        "      - {name: c, imagePullPolicy: x}\n"
                        "      - {name: a, $patch: delete}\n"
                        "      tolerations: [{operator: x}]\n"}});
  const std::string text =
      "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: d\nspec:\n  template:\n"
      "    spec:\n      containers:\n      - imagePullPolicy: x\n        name: b\n"
      "        stdin: 1\n      - imagePullPolicy: x\n        name: c\n      tolerations:\n"
      "      - operator: x\n";
  CHECK(files.place(text, "- imagePullPolicy", "x") == "o/d.yaml:9 'x'");
  CHECK(files.place(text, "stdin", "1") == "o/p.yaml:8 '1'");
  CHECK(files.place(text, "1\n      - image", "x") == "o/p.yaml:9 'x'");
  CHECK(files.place(text, "tolerations", "x") == "o/p.yaml:11 'x'");
  CHECK(files.place(text, "name: b", "b") == "o/d.yaml:9 'b'");
}

TEST_CASE("fields of the kustomization are the origin of what they set") {
  const Overlay files = overlay(
      "namePrefix: A_\n"
      "nameSuffix: -z\n"
      "commonAnnotations: {note: b}\n"
      "labels:\n"
      "- pairs: {team: c d}\n"
      "images:\n"
      "- {name: r/i, newTag: v2}\n",
      std::string(kModel) + "  containers:\n  - image: r/i:v1\n  - image: r/ii:v1\n");
  const std::string text =
      "apiVersion: serving.kserve.io/v1beta1\nkind: InferenceService\nmetadata:\n"
      "  annotations:\n    note: b\n  labels:\n    team: c d\n  name: A_m-z\nspec:\n"
      "  containers:\n  - image: r/i:v2\n  - image: r/ii:v1\n";
  CHECK(files.place(text, "A_m-z") == "o/kustomization.yaml:2 'A_'");
  CHECK(files.place(text, "note", "b") == "o/kustomization.yaml:4 'b'");
  CHECK(files.place(text, "team") == "o/kustomization.yaml:6 'team'");
  CHECK(files.place(text, "c d") == "o/kustomization.yaml:6 'c d'");
  CHECK(!files.origin(text, "c d", "c d").is_literal);
  CHECK(files.place(text, "r/i:v2") == "o/kustomization.yaml:8 'v2'");
  CHECK(files.place(text, "r/ii:v1") == "o/m.yaml:11 'r/ii:v1'");
}

TEST_CASE("of a valid name with a prefix no part is the one to change") {
  const Overlay files = overlay("namePrefix: a-\n");
  CHECK(files.place(rendered_model("  minReplicas: 1\n", "a-m"), "name: a-m", "a-m").empty());
}

TEST_CASE("replicas come from the kustomization") {
  const Overlay files =
      overlay("replicas: [{name: d, count: -1}]\n",
              "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: d}\nspec: {replicas: 2}\n");
  const std::string text =
      "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: d\nspec:\n  replicas: -1\n";
  CHECK(files.place(text, "replicas", "-1") == "o/kustomization.yaml:2 '-1'");
}

TEST_CASE("a replacement leads to its source") {
  const Overlay files(
      {{"o/kustomization.yaml",
        "resources: [m.yaml, c.yaml]\n"
        "replacements:\n"
        "- source: {kind: ConfigMap, name: c, fieldPath: data.n}\n"
        "  targets:\n"
        "  - select: {kind: InferenceService}\n"
        "    fieldPaths: [spec.minReplicas, \"spec.tolerations.[key=b].operator\"]\n"},
       {"o/m.yaml", kModel},
       {"o/c.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndata: {n: q}\n"}});
  const std::string text = rendered_model(
      "  minReplicas: q\n  tolerations:\n  - key: a\n    operator: x\n  - key: b\n"
      "    operator: q\n");
  const Origin origin = files.origin(text, "key: b", "q");
  CHECK(files.place_in(origin) == "o/c.yaml:4 'q'");
  CHECK(!origin.is_literal);
  REQUIRE(origin.notes.size() == 1);
  CHECK(files.words(origin.notes[0].place) ==
        "o/kustomization.yaml:6 '\"spec.tolerations.[key=b].operator\"'");
  CHECK(files.place(text, "minReplicas", "q") == "o/c.yaml:4 'q'");
  CHECK(files.place(text, "key: a", "x") == "o/m.yaml:7 'x'");
}

TEST_CASE("generated data comes from literals, variables and files, with a hash in the name") {
  const Overlay files({{"o/kustomization.yaml",
                        "configMapGenerator:\n"
                        "- name: c\n"
                        "  envs: [e.env]\n"
                        "  files: [f.json]\n"
                        "  literals: [\"a='b'\"]\n"},
                       {"o/e.env", "# one\n  V=w\n"},
                       {"o/f.json", "{\n  \"k\": 1\n}\n"}});
  const std::string text =
      "apiVersion: v1\ndata:\n  V: w\n  a: b\n  f.json: |\n    {\n      \"k\": 1\n    }\n"
      "kind: ConfigMap\nmetadata:\n  name: c-0123456789\n";
  CHECK(files.place(text, "data:", "V") == "o/e.env:2 'V'");
  CHECK(files.place(text, "V: w", "w") == "o/e.env:2 'w'");
  CHECK(files.place(text, "a: b", "b") == "o/kustomization.yaml:5 'b'");
  CHECK(files.place(text, "f.json") == "o/kustomization.yaml:4 'f.json'");
  CHECK(files.place(text, "f.json: |", "\"k\"") == "o/f.json:2 '\"k\"'");
  CHECK(files.place(text, "c-0123456789") == "o/kustomization.yaml:2 'c'");
}

TEST_CASE("components patch the objects of their kustomization, the later one last") {
  const Overlay files(
      {{"o/kustomization.yaml", "resources: [../m.yaml]\ncomponents: [../c1, ../c2]\n"},
       {"m.yaml", kModel},
       {"c1/kustomization.yaml", "kind: Component\npatches: [{path: p.yaml, target: {name: m}}]\n"},
       {"c1/p.yaml", "- {op: replace, path: /spec/minReplicas, value: 3}\n"},
       {"c2/kustomization.yaml", "kind: Component\npatches: [{path: p.yaml, target: {name: m}}]\n"},
       {"c2/p.yaml", "- {op: replace, path: /spec/minReplicas, value: 3}\n"}});
  const std::string text = rendered_model("  minReplicas: 3\n");
  CHECK(files.place(text, "minReplicas", "3") == "c2/p.yaml:1 '3'");
}

TEST_CASE("a patch of several objects, a base used twice and an alias are not literal") {
  const std::string two = "resources: [a, b]\n";
  const Overlay files({{"o/kustomization.yaml", two},
                       {"o/a/kustomization.yaml", "resources: [../base]\nnamePrefix: a-\n"},
                       {"o/b/kustomization.yaml", "resources: [../base]\nnamePrefix: b-\n"},
                       {"o/base/kustomization.yaml", "resources: [m.yaml]\n"},
                       {"o/base/m.yaml", kModel}});
  const std::string text = rendered_model("  minReplicas: 1\n", "b-m");
  CHECK(files.place(text, "minReplicas", "1") == "o/base/m.yaml:5 '1'");
  CHECK(!files.origin(text, "minReplicas", "1").is_literal);

  const Overlay aliases = overlay("", rendered_model("  a: &x [p]\n  b: *x\n"));
  const std::string out = rendered_model("  a:\n  - p\n  b:\n  - p\n");
  CHECK(aliases.place(out, "b:", "p") == "o/m.yaml:6 'p'");
  CHECK(!aliases.origin(out, "b:", "p").is_literal);
  CHECK(!aliases.origin(out, "a:", "p").is_literal);
}

TEST_CASE("what is not simulated has no origin") {
  const std::string text = rendered_model("  minReplicas: 1\n");
  for (const char* kustomization :
       {"transformers: [t.yaml]\n", "generators: [g.yaml]\n", "helmCharts: [{name: x}]\n",
        "unknown: x\n", "configurations: [missing.yaml]\n", "components: [missing]\n",
        "patches: [{path: missing.yaml}]\n", "patches: [null]\n",
        "patches: [{target: {name: \"(m\"}, patch: '[]'}]\n",
        "patches: [{target: {labelSelector: \"a in (b)\"}, patch: '[]'}]\n",
        "patches: [{target: {name: m}, patch: '[{op: remove, path: /none}]'}]\n"}) {
    CAPTURE(kustomization);
    CHECK(overlay(kustomization).place(text, "minReplicas", "1").empty());
  }
  CHECK(overlay("resources: [o\n").place(text, "minReplicas", "1").empty());
  CHECK(overlay("components: [../o]\n").place(text, "minReplicas", "1").empty());
}

TEST_CASE("a target selects by regular expression, label and namespace") {
  const auto patched = [](const std::string& target) {
    const Overlay files =
        overlay("patches:\n- target: " + target +
                    "\n  patch: |\n    - {op: add, path: /spec/minReplicas, value: 1}\n",
                "apiVersion: serving.kserve.io/v1beta1\nkind: InferenceService\n"
                "metadata: {name: m, labels: {a: b}}\nspec: {minReplicas: 1}\n");
    const std::string place = files.place(rendered_model("  minReplicas: 1\n"), "minReplicas", "1");
    return place.starts_with("o/kustomization.yaml");
  };
  for (const char* target :
       {"{name: m}", "{name: '.*'}", "{name: 'x|m'}", "{name: '^(m|n)$'}", "{name: m.*}",
        "{name: '(m+)+'}", "{kind: Inf.+ice, group: serving.kserve.io}", "{labelSelector: a=b}",
        "{labelSelector: 'a==b,c!=d,!e'}", "{namespace: default}", "{}"}) {
    CAPTURE(target);
    CHECK(patched(target));
  }
  for (const char* target :
       {"{name: n}", "{name: 'm.+'}", "{name: 'mm.*'}", "{name: '[n-z]'}", "{kind: Inference}",
        "{version: v1}", "{labelSelector: a=c}", "{labelSelector: '!a'}",
        "{annotationSelector: a=b}", "{namespace: other}"}) {
    CAPTURE(target);
    CHECK(!patched(target));
  }
}

TEST_CASE("a build beyond the limits has no origins") {
  std::string patches = "patches:\n";
  for (int i = 0; i < 10'000; ++i) {
    patches += "- {target: {name: '.*.*.*x'}, patch: '[{op: remove, path: /x}]'}\n";
  }
  std::string models;
  for (int i = 0; i < 100; ++i) {
    models += rendered_model("  minReplicas: 1\n", "m" + std::to_string(i)) + "---\n";
  }
  const std::string text = rendered_model("  minReplicas: 1\n", "m7");
  CHECK(overlay(patches, models).place(text, "minReplicas", "1").empty());
  CHECK(overlay("", models).place(text, "minReplicas", "1").starts_with("o/m.yaml"));
}

}  // namespace cnsched::overlay_origins_test
