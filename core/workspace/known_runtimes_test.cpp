#include "core/workspace/known_runtimes.h"
#include "testdata/support.h"

namespace cnsched::known_runtimes_test {

const std::string kRuntime = manifest("ServingRuntime", "name: a, namespace: ml",
                                      "{containers: [{name: kserve-container}]}");

/// Whether there may be runtimes beside those in the text.
bool may_have_others(const std::string& text) {
  const auto workspace = workspace_of({{"a.yaml", text}});
  return KnownRuntimes(scope_of(*workspace)).may_have_others();
}

TEST_CASE("templates, broken documents and patches of unknown runtimes may be others") {
  CHECK_FALSE(may_have_others(kRuntime));
  CHECK(may_have_others(kRuntime +
                        "---\napiVersion: serving.kserve.io/v1alpha1\nkind: ServingRuntime\n"
                        "metadata:\n  name: {{ .Values.name }}\n"));
  CHECK(may_have_others(kRuntime +
                        "---\napiVersion: serving.kserve.io/v1alpha1\nkind: ServingRuntime\n"
                        "metadata: [\n"));
  CHECK_FALSE(may_have_others(kRuntime + "---\napiVersion: serving.kserve.io/v1beta1\n"
                                         "kind: InferenceService\nmetadata: [\n"));
  const auto patch = [](std::string_view metadata) {
    return manifest("ServingRuntime", metadata, "{$patch: replace}");
  };
  CHECK(may_have_others(kRuntime + patch("name: b")));
  CHECK_FALSE(may_have_others(kRuntime + patch("name: a")));
}

TEST_CASE("a service sees the runtimes of its namespace and of the cluster") {
  const auto workspace = workspace_of(
      {{"a.yaml", kRuntime + manifest("ServingRuntime", "name: b, namespace: other", "{}") +
                      manifest("ServingRuntime", "name: c", "{}")}});
  const KnownRuntimes known(scope_of(*workspace));
  const auto names = [&](std::string_view ns) {
    std::string all;
    const auto seen = known.visible_to({ns});
    for (const k8s::Object* runtime : seen.value()) all += runtime->name;
    return all;
  };
  CHECK(names("ml") == "ca");
  CHECK(names("third") == "c");
  CHECK(names("") == "abc");
  CHECK(known.first_named("b")->ns.name == "other");
  CHECK(known.first_named("d") == nullptr);
}

TEST_CASE("too many runtimes are not compared with each service") {
  std::string text;
  for (std::size_t i = 0; i <= k8s::Objects::kMaxPerKind; ++i) {
    text += manifest("ServingRuntime", fmt::format("name: r{}, namespace: ml", i), "{}");
  }
  const auto workspace = workspace_of({{"a.yaml", text}});
  const KnownRuntimes known(scope_of(*workspace));
  CHECK_FALSE(known.visible_to({"ml"}));
  CHECK_FALSE(known.visible_to({}));
  CHECK(known.visible_to({"other"})->empty());
}

}  // namespace cnsched::known_runtimes_test
