#include "core/k8s/schema/destination.h"
#include "testdata/support.h"

namespace cnsched::k8s::schema::destination_test {

/// Where the only unknown field of the object belongs: the path for messages; empty if unknown.
/// "outside" of its own part of the object.
std::string place_in(const std::string& text) {
  const Parsed parsed(text);
  const auto found = deviations(parsed.object(), {});
  const auto unknown = std::ranges::find(found, Deviation::Kind::unknown_field, &Deviation::kind);
  REQUIRE(unknown != found.end());
  const auto place = destination_of(parsed.object(), {}, *unknown);
  if (!place) return {};
  // The existing part and the rest of the path.
  const std::string existing = yaml::pointer_to(*place->mapping, *parsed.object().root);
  return fmt::format("{} ({} {}){}", place->path, existing.empty() ? "." : existing, place->pointer,
                     place->is_in_own_part ? "" : " outside");
}

/// The path to the first key or value `word` of the text.
std::string path_of(const std::string& text, std::string_view word) {
  const Parsed parsed(text);
  std::string path = "nowhere";
  yaml::walk(parsed.root(), [&](const yaml::Node& node) {
    const bool keyed = node.key() != nullptr && node.key()->text() == word;
    if (path == "nowhere" && (keyed || node.text() == word)) path = path_to(node, parsed.object());
  });
  return path;
}

TEST_CASE("finds where a misplaced field belongs") {
  // "pod: " begins the fields of a Pod, "service: " those of an InferenceService.
  constexpr std::string_view kPod = "pod: ";
  constexpr std::string_view kService = "service: ";
  check_cases("core/k8s/schema/destination.cases", [&](std::string_view text) {
    std::string manifest(text);
    if (text.starts_with(kPod)) manifest.replace(0, kPod.size(), "apiVersion: v1\nkind: Pod\n");
    if (text.starts_with(kService)) {
      manifest.replace(0, kService.size(),
                       "apiVersion: serving.kserve.io/v1beta1\nkind: InferenceService\n");
    }
    const std::string place = place_in(manifest + "\n");
    return place.empty() ? "nothing" : place;
  });
}

TEST_CASE("does not search among more fields than any object has") {
  std::string many = "apiVersion: v1\nkind: Pod\nmetadata:\n  hostNetwork: true\n";
  CHECK(place_in(many) == "spec.hostNetwork (. /spec/hostNetwork) outside");
  for (int i = 0; i < 1000; ++i) many += fmt::format("  label{}: a\n", i);
  CHECK(place_in(many).empty());
}

TEST_CASE("a path names keys, and lists by brackets") {
  const std::string pod =
      "apiVersion: v1\nkind: Pod\nspec:\n  containers:\n  - name: a\n    args: [b, c]\n"
      "    lists: [[d]]\n";
  CHECK(path_of(pod, "spec") == "spec");
  CHECK(path_of(pod, "containers") == "spec.containers");
  CHECK(path_of(pod, "name") == "spec.containers[].name");
  CHECK(path_of(pod, "c") == "spec.containers[].args[]");
  CHECK(path_of(pod, "d") == "spec.containers[].lists[]");
}

TEST_CASE("a path shortens a long key") {
  const std::string pod = "apiVersion: v1\nkind: Pod\nspec: {" + std::string(200, 'a') + ": b}\n";
  CHECK(path_of(pod, "b") == "spec." + std::string(63, 'a'));
}

TEST_CASE("a path begins at its object") {
  const std::string list =
      "apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: Pod\n  spec: {hostname: a}\n";
  CHECK(path_of(list, "hostname") == "spec.hostname");
  const Parsed parsed(list);
  CHECK(path_to(*parsed.object().root, parsed.object()).empty());
}

}  // namespace cnsched::k8s::schema::destination_test
