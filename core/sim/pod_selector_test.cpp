#include "core/sim/pod_selector.h"
#include "testdata/support.h"

namespace cnsched::sim::pod_selector_test {

/// A pod with these labels; `spec` identifies its template.
struct Labelled {
  explicit Labelled(const std::string& labels, bool is_complete = true)
      : spec("{containers: []}"), written("{" + labels + "}") {
    pod.spec = k8s::PodSpec(spec.root());
    pod.labels = k8s::labels_in(written.root());
    std::ranges::sort(pod.labels, {}, &k8s::Label::key);
    pod.has_all_labels = is_complete;
  }

  Parsed spec;
  Parsed written;
  Pod pod;
};

constexpr const char* kSelector = "labelSelector: {matchLabels: {app: a}}";

/// Whether a selector of `owner` matches `other`: "yes", "no" or "?".
std::string matches(const std::string& holder, const Labelled& owner, const Labelled& other) {
  const Parsed parsed("{" + holder + "}");
  const PodMatch match = PodSelector(parsed.root(), owner.pod).matches(other.pod);
  return match.is_certain() ? "yes" : match.is_possible ? "?" : "no";
}

TEST_CASE("selects nothing with a missing selector, everything with an empty one") {
  const Labelled pod("app: a");
  const auto is_everything = [&](const std::string& holder) {
    const Parsed parsed("{" + holder + "}");
    return PodSelector(parsed.root(), pod.pod).is_everything();
  };
  CHECK(matches("", pod, pod) == "no");
  CHECK(matches("labelSelector: null", pod, pod) == "no");
  CHECK(matches("labelSelector: {}", pod, pod) == "yes");
  CHECK_FALSE(is_everything(""));
  CHECK(is_everything("labelSelector: {}"));
  CHECK(is_everything("labelSelector: {}, matchLabelKeys: [none]"));
  CHECK_FALSE(is_everything("labelSelector: {}, matchLabelKeys: [app]"));
}

TEST_CASE("ignores keys without a labelSelector") {
  const Labelled pod("app: a");
  CHECK(matches("matchLabelKeys: [app]", pod, pod) == "no");
  CHECK(matches("mismatchLabelKeys: [app]", pod, pod) == "no");
}

TEST_CASE("pods of one template share the value of a label that a controller sets") {
  const std::string same = std::string(kSelector) + ", matchLabelKeys: [pod-template-hash]";
  const std::string other = std::string(kSelector) + ", mismatchLabelKeys: [pod-template-hash]";
  const Labelled owner("app: a", false);
  CHECK(matches(same, owner, owner) == "yes");
  CHECK(matches(other, owner, owner) == "no");
  CHECK(matches(same, owner, Labelled("app: a, pod-template-hash: x")) == "?");
  CHECK(matches(other, owner, Labelled("app: a, pod-template-hash: x")) == "?");
  CHECK(matches(same, owner, Labelled("app: b, pod-template-hash: x")) == "no");
}

TEST_CASE("ignores a key that no label has, like the API server") {
  const std::string same = std::string(kSelector) + ", matchLabelKeys: [revision]";
  CHECK(matches(same, Labelled("app: a", false), Labelled("app: a, revision: x")) == "yes");
  const std::string hash = std::string(kSelector) + ", matchLabelKeys: [pod-template-hash]";
  CHECK(matches(hash, Labelled("app: a", true), Labelled("app: a, pod-template-hash: x")) == "yes");
}

TEST_CASE("a running pod possibly selects a pod by a label that a controller sets") {
  const std::string hash = "labelSelector: {matchLabels: {app: a, pod-template-hash: x}}";
  const Labelled owner("app: a");
  CHECK(matches(hash, owner, Labelled("app: a", false)) == "?");
  CHECK(matches(hash, owner, Labelled("app: b", false)) == "no");
  CHECK(matches(hash, owner, Labelled("app: a", true)) == "no");
}

TEST_CASE("two pods without a namespace are in the same one if they are created together") {
  CHECK(in_one_namespace({"a"}, {"a"}).is_certain());
  CHECK(in_one_namespace({}, {}).is_certain());
  static constexpr k8s::PackageId kPackage[] = {1};
  CHECK_FALSE(in_one_namespace({}, {"", kPackage}).is_certain());
  CHECK(in_one_namespace({}, {"", kPackage}).is_possible);
  CHECK_FALSE(in_one_namespace({"a"}, {"b"}).is_possible);
  CHECK(in_one_namespace({"a"}, {}).is_possible);
  CHECK_FALSE(in_one_namespace({}, {"a"}).is_certain());
}

TEST_CASE("shows a selector like kubectl and escapes control characters") {
  const Labelled pod("");
  const auto text = [&](const std::string& selector) {
    const Parsed parsed("{labelSelector: " + selector + "}");
    return PodSelector(parsed.root(), pod.pod).text();
  };
  CHECK(text("null") == "none");
  CHECK(text("{}") == "any");
  CHECK(text("{matchLabels: {app: a, b: c}}") == "app=a,b=c");
  CHECK(
      text("{matchExpressions: [{key: a, operator: In, values: [x, y]}, {key: b, operator: NotIn, "
           "values: [x]}, {key: c, operator: Exists}, {key: d, operator: DoesNotExist}]}") ==
      "a in (x, y),b notin (x),c,!d");
  CHECK(text("{matchExpressions: [{key: a, operator: In, values: [q, w, e, r, t, z]}]}") ==
        "a in (q, w, e, r, …)");
  CHECK(text(R"({matchLabels: {"a\u001b": "\u001b[31m"}})") == "a\\x1b=\\x1b[31m");
}

}  // namespace cnsched::sim::pod_selector_test
