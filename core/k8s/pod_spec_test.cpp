#include "core/k8s/pod_spec.h"
#include "testdata/support.h"

namespace cnsched::k8s::pod_spec_test {

bool is_gpu(std::string_view name) { return name == "nvidia.com/gpu"; }

bool requests_gpu(const std::string& pod) {
  const Parsed parsed(pod);
  return PodSpec(parsed.root()).requests_resource(is_gpu);
}

Truth matches(const std::string& pod, const std::string& labels, bool complete) {
  const Parsed parsed(pod);
  const Parsed node(labels);
  return NodeRequirements(PodSpec(parsed.root())).matches(labels_in(node.root()), complete);
}

/// With these labels and no others, which leaves nothing unknown.
bool selects(const std::string& pod, const std::string& labels) {
  const Truth truth = matches(pod, labels, true);
  CHECK(truth != Truth::unknown);
  return truth == Truth::yes;
}

bool is_pinned(const std::string& pod) {
  const Parsed parsed(pod);
  return PodSpec(parsed.root()).is_pinned();
}

/// A pod spec with these required terms.
std::string with_terms(const std::string& terms) {
  return "{affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: "
         "{nodeSelectorTerms: " +
         terms + "}}}}";
}

TEST_CASE("a name with a prefix is an extended resource, even if no device plugin advertises it") {
  for (const std::string name : {"nvidia.com/gpu", "nvidia.com/mig-1g.5gb", "nvidia/gpu",
                                 "nvidia.com/gpus", "example.com/dongle", "gpu.intel.com/i915"}) {
    CAPTURE(name);
    CHECK(is_extended_resource(name));
  }
}

TEST_CASE("native, quota and malformed names are not extended resources") {
  for (const std::string name :
       {"", "cpu", "memory", "gpu", "hugepages-2Mi", "kubernetes.io/x",
        "alpha.kubernetes.io/nvidia-gpu", "deviceclass.resource.kubernetes.io/gpu",
        "requests.nvidia.com/gpu", "a/b/c", "nvidia.com/mig-1g.5gb+me", "nvidia.com/", "/gpu"}) {
    CAPTURE(name);
    CHECK_FALSE(is_extended_resource(name));
  }
}

TEST_CASE("the name of an extended resource has to fit after the quota prefix") {
  CHECK(is_extended_resource(std::string(244, 'a') + "/gpu"));
  CHECK_FALSE(is_extended_resource(std::string(245, 'a') + "/gpu"));
}

TEST_CASE("a limit or a request of any container requests a GPU") {
  CHECK(requests_gpu("containers: [{resources: {limits: {nvidia.com/gpu: 1}}}]"));
  CHECK(requests_gpu("containers: [{resources: {requests: {nvidia.com/gpu: '1'}}}]"));
  CHECK(requests_gpu("containers: [{name: a}, {resources: {limits: {nvidia.com/gpu: 1}}}]"));
  CHECK(requests_gpu("initContainers: [{resources: {limits: {nvidia.com/gpu: 1}}}]"));
  CHECK_FALSE(requests_gpu("containers: [{resources: {limits: {cpu: 1}}}]"));
  CHECK_FALSE(requests_gpu("resources: {limits: {nvidia.com/gpu: 1}}"));
}

TEST_CASE("an amount of zero requests no GPU, a placeholder does") {
  CHECK_FALSE(requests_gpu("containers: [{resources: {limits: {nvidia.com/gpu: '0'}}}]"));
  CHECK_FALSE(requests_gpu("containers: [{resources: {limits: {nvidia.com/gpu: 0}}}]"));
  CHECK_FALSE(requests_gpu("containers: [{resources: {limits: {nvidia.com/gpu: null}}}]"));
  CHECK_FALSE(requests_gpu("containers: [{resources: {limits: {nvidia.com/gpu: }}}]"));
  CHECK(requests_gpu("containers: [{resources: {limits: {nvidia.com/gpu: '${GPUS}'}}}]"));
  CHECK(requests_gpu(
      "containers: [{resources: {limits: {nvidia.com/gpu: 0}, requests: {nvidia.com/gpu: 1}}}]"));
}

TEST_CASE("the last of duplicate amounts counts") {
  CHECK_FALSE(
      requests_gpu("containers:\n- resources:\n    limits:\n      nvidia.com/gpu: 1\n      "
                   "nvidia.com/gpu: 0\n"));
}

TEST_CASE("every pair of a nodeSelector is required") {
  const char* pod = "nodeSelector: {gpu: a100, zone: a}";
  CHECK(selects(pod, "{gpu: a100, zone: a, more: x}"));
  CHECK_FALSE(selects(pod, "{gpu: a100}"));
  CHECK_FALSE(selects(pod, "{gpu: A100, zone: a}"));
  CHECK(selects("nodeSelector: {}", "{}"));
  CHECK(selects("{}", "{}"));
}

TEST_CASE("an empty value in a nodeSelector requires the label with an empty value") {
  CHECK(selects("nodeSelector: {gpu: ''}", "{gpu: ''}"));
  CHECK_FALSE(selects("nodeSelector: {gpu: ''}", "{}"));
}

TEST_CASE("terms are ORed, expressions of a term are ANDed") {
  const std::string pod = with_terms(
      "[{matchExpressions: [{key: gpu, operator: In, values: [a100]},"
      " {key: zone, operator: Exists}]},"
      " {matchExpressions: [{key: gpu, operator: In, values: [h100]}]}]");
  CHECK(selects(pod, "{gpu: a100, zone: a}"));
  CHECK_FALSE(selects(pod, "{gpu: a100}"));
  CHECK(selects(pod, "{gpu: h100}"));
}

TEST_CASE("an empty term matches no node, other terms still count") {
  CHECK_FALSE(selects(with_terms("[{}]"), "{gpu: a100}"));
  CHECK_FALSE(selects(with_terms("[{matchExpressions: []}]"), "{gpu: a100}"));
  CHECK(
      selects(with_terms("[{}, {matchExpressions: [{key: gpu, operator: Exists}]}]"), "{gpu: x}"));
}

TEST_CASE("a list without terms matches no node") {
  CHECK_FALSE(selects(with_terms("[]"), "{gpu: a100}"));
  CHECK(selects("affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {}}}",
                "{}"));
}

TEST_CASE("a term with only matchFields counts as satisfied") {
  CHECK(selects(with_terms("[{matchFields: [{key: metadata.name, operator: In, values: [n1]}]}]"),
                "{}"));
}

TEST_CASE("selector and affinity are ANDed") {
  const std::string pod =
      "nodeSelector: {zone: a}\n"
      "affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: "
      "{nodeSelectorTerms: [{matchExpressions: [{key: gpu, operator: Exists}]}]}}}\n";
  CHECK(selects(pod, "{zone: a, gpu: x}"));
  CHECK_FALSE(selects(pod, "{zone: a}"));
  CHECK_FALSE(selects(pod, "{gpu: x}"));
}

TEST_CASE("a label that is not listed is absent if the labels are complete, else unknown") {
  CHECK(matches("nodeSelector: {gpu: a}", "{gpu: a}", false) == Truth::yes);
  CHECK(matches("nodeSelector: {gpu: a}", "{gpu: b}", false) == Truth::no);
  CHECK(matches("nodeSelector: {gpu: a}", "{}", false) == Truth::unknown);
  CHECK(matches("nodeSelector: {gpu: a, zone: b}", "{zone: c}", false) == Truth::no);
  const auto with = [](const std::string& requirement) {
    return with_terms("[{matchExpressions: [" + requirement + "]}]");
  };
  CHECK(matches(with("{key: gpu, operator: Exists}"), "{}", false) == Truth::unknown);
  CHECK(matches(with("{key: gpu, operator: Gt, values: ['1']}"), "{}", false) == Truth::unknown);
  CHECK(matches(with("{key: gpu, operator: NotIn, values: [a]}"), "{}", false) == Truth::yes);
  CHECK(matches(with("{key: gpu, operator: DoesNotExist}"), "{}", false) == Truth::yes);
  CHECK(matches(with("{key: gpu, operator: DoesNotExist}"), "{gpu: a}", false) == Truth::no);
  CHECK(matches(with("{key: gpu, operator: Like}"), "{}", false) == Truth::no);
}

TEST_CASE("the best term decides together with the selector") {
  const std::string terms = with_terms(
      "[{matchExpressions: [{key: gpu, operator: In, values: [a]}]},"
      " {matchExpressions: [{key: zone, operator: Exists}]}]");
  CHECK(matches(terms, "{gpu: a}", false) == Truth::yes);
  CHECK(matches(terms, "{gpu: b}", false) == Truth::unknown);
  CHECK(matches(terms, "{gpu: b}", true) == Truth::no);
  CHECK(matches("{nodeSelector: {pool: a}, " + terms.substr(1), "{gpu: a}", false) ==
        Truth::unknown);
  CHECK(matches("{nodeSelector: {pool: a}, " + terms.substr(1), "{gpu: a, pool: b}", false) ==
        Truth::no);
}

TEST_CASE("selectors, required terms and nodeName pin a pod, preferences do not") {
  CHECK(is_pinned("nodeSelector: {gpu: a100}"));
  CHECK(is_pinned("nodeName: n1"));
  CHECK(is_pinned(with_terms("[{matchExpressions: [{key: gpu, operator: Exists}]}]")));
  CHECK_FALSE(is_pinned("{}"));
  CHECK_FALSE(is_pinned("nodeSelector: {}"));
  CHECK_FALSE(is_pinned("nodeSelector: null"));
  CHECK_FALSE(is_pinned("nodeName: ''"));
  CHECK_FALSE(
      is_pinned("affinity: {nodeAffinity: {preferredDuringSchedulingIgnoredDuringExecution: "
                "[{weight: 1, preference: {matchExpressions: [{key: a, operator: Exists}]}}]}}"));
  CHECK_FALSE(is_pinned("tolerations: [{operator: Exists}]"));
}

TEST_CASE("the terms of preferences are read without their weights") {
  const Parsed parsed(
      "affinity: {nodeAffinity: {preferredDuringSchedulingIgnoredDuringExecution: "
      "[{weight: 1, preference: {matchExpressions: [{key: a, operator: Exists}]}}, {weight: 2}]}}");
  const auto terms = PodSpec(parsed.root()).preferred_terms();
  REQUIRE(terms.size() == 2);
  REQUIRE(terms[0].expressions.size() == 1);
  CHECK(terms[0].expressions[0].key == "a");
  CHECK(terms[1].expressions.empty());
}

TEST_CASE("init containers come before containers, items that are not mappings are omitted") {
  const Parsed parsed("containers: [{name: b}, oops, {name: c}]\ninitContainers: [{name: a}]");
  std::string names;
  for (const Container& container : PodSpec(parsed.root()).all_containers()) {
    names += container.name();
  }
  CHECK(names == "abc");
}

}  // namespace cnsched::k8s::pod_spec_test
