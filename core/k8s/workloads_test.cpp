#include "core/k8s/workloads.h"

#include "core/yaml/tree.h"
#include "core/yaml/write.h"
#include "testdata/support.h"

namespace cnsched::k8s::workloads_test {

/// The nodeName of the only pod that the object creates, or "none".
std::string node_name_of(const std::string& text) {
  const Parsed parsed(text);
  const auto pods = pod_templates(parsed.object());
  if (pods.empty()) return "none";
  REQUIRE(pods.size() == 1);
  CHECK(pods.front().component.empty());
  CHECK_FALSE(pods.front().fragment);
  CHECK(pods.front().written == &pods.front().pod.node());
  return std::string(pods.front().pod["nodeName"].text());
}

std::string object(const std::string& api_version, const std::string& kind,
                   const std::string& spec) {
  return "{apiVersion: " + api_version + ", kind: " + kind + ", spec: " + spec + "}";
}

TEST_CASE("finds the pod spec of each core kind") {
  const std::string in_template = "{template: {spec: {nodeName: n}}}";
  CHECK(node_name_of(object("v1", "Pod", "{nodeName: n}")) == "n");
  for (const std::string kind : {"Deployment", "StatefulSet", "DaemonSet", "ReplicaSet"}) {
    CAPTURE(kind);
    CHECK(node_name_of(object("apps/v1", kind, in_template)) == "n");
  }
  CHECK(node_name_of(object("extensions/v1beta1", "Deployment", in_template)) == "n");
  CHECK(node_name_of(object("batch/v1", "Job", in_template)) == "n");
  CHECK(node_name_of(object("batch/v1", "CronJob", "{jobTemplate: {spec: " + in_template + "}}")) ==
        "n");
}

TEST_CASE("kinds of other groups have no core pods") {
  const std::string in_template = "{template: {spec: {nodeName: n}}}";
  CHECK(node_name_of(object("example.com/v1", "Pod", "{nodeName: n}")) == "none");
  CHECK(node_name_of(object("example.com/v1", "Deployment", in_template)) == "none");
  CHECK(node_name_of(object("serving.kserve.io/v1beta1", "InferenceService", in_template)) ==
        "none");
  CHECK(node_name_of(object("batch/v1", "Workflow", in_template)) == "none");
}

TEST_CASE("without a pod spec there is no pod") {
  CHECK(node_name_of("{apiVersion: v1, kind: Pod}") == "none");
  CHECK(node_name_of(object("v1", "Pod", "[nodeName]")) == "none");
  CHECK(node_name_of(object("apps/v1", "Deployment", "{template: {}}")) == "none");
  CHECK(node_name_of(object("apps/v1", "Deployment", "{template: {spec: null}}")) == "none");
}

TEST_CASE("a pod of a core kind has the template's metadata and its controller's name") {
  const Parsed parsed(
      "{apiVersion: apps/v1, kind: Deployment, metadata: {name: d, labels: {not: these}}, spec: "
      "{template: {metadata: {labels: {a: b}, annotations: {c: d}}, spec: {}}}}");
  const PodTemplate pod = pod_templates(parsed.object()).front();
  CHECK(pod.name == "d");
  CHECK((*pod.labels).under("a").text() == "b");
  CHECK((*pod.annotations).under("c").text() == "d");
}

TEST_CASE("a core kind creates one pod by default") {
  const auto replicas = [](const std::string& api, const std::string& kind,
                           const std::string& field) {
    const std::string spec = kind == "Pod" ? "{}" : "{" + field + "template: {spec: {}}}";
    const Parsed parsed(object(api, kind, spec));
    return pod_templates(parsed.object()).front().replicas;
  };
  CHECK(replicas("v1", "Pod", "") == 1);
  CHECK(replicas("apps/v1", "Deployment", "") == 1);
  CHECK(replicas("apps/v1", "StatefulSet", "replicas: 3, ") == 3);
  CHECK(replicas("apps/v1", "ReplicaSet", "replicas: 0, ") == 0);
  CHECK(replicas("apps/v1", "Deployment", "replicas: null, ") == 1);
  CHECK(replicas("apps/v1", "Deployment", "replicas: many, ") == std::nullopt);
  CHECK(replicas("apps/v1", "DaemonSet", "replicas: 3, ") == std::nullopt);
  CHECK(replicas("batch/v1", "Job", "parallelism: 4, ") == 4);
  CHECK(replicas("batch/v1", "Job", "replicas: 4, ") == 1);
  CHECK(replicas("batch/v1", "Job", "suspend: true, ") == 0);
}

}  // namespace cnsched::k8s::workloads_test

namespace cnsched::k8s::pod_object_test {

/// The Pod of a spec, as a Deployment named `d` without a namespace creates it.
struct Created {
  explicit Created(const std::string& spec, PodObjectOptions options = {.name = "d"})
      : parsed("{apiVersion: apps/v1, kind: Deployment, metadata: {name: d}}"),
        spec_text(spec),
        object(parsed.object()),
        result(pod_object(arena, plain_pod("", spec_text.root(), spec_text.root()), object, options,
                          values_left)) {}

  std::string spec() const {
    REQUIRE(result);
    return yaml::to_yaml((**result)["spec"]);
  }

  Arena arena;
  std::size_t values_left = kPodValues * 2;
  Parsed parsed;
  Parsed spec_text;
  Object object;
  Result<const yaml::Node*> result;
};

/// A sequence within a sequence, `depth` times.
std::string nested(std::size_t depth) {
  return fmt::format("{{a: {}x{}}}", std::string(depth, '['), std::string(depth, ']'));
}

/// Aliases that expand to ten times as many values on each of five levels.
std::string expanding() {
  std::string text = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 5; ++i) {
    text += fmt::format("a{0}: &a{0} [*a{1}, *a{1}, *a{1}, *a{1}, *a{1}, *a{1}, *a{1}, *a{1}]\n", i,
                        i - 1);
  }
  return text;
}

TEST_CASE("a Pod has version, kind, name and spec, and nothing unknown") {
  const Created made("{containers: []}");
  REQUIRE(made.result);
  CHECK(yaml::to_yaml(**made.result) ==
        "apiVersion: v1\nkind: Pod\nmetadata:\n  name: d\nspec:\n  containers: []\n");
}

TEST_CASE("labels and annotations are sorted, and the namespace is the object's") {
  const Parsed parsed(
      "{apiVersion: apps/v1, kind: Deployment, metadata: {name: d, namespace: team}, "
      "spec: {template: {metadata: {labels: {b: x, a: z}, annotations: {d: \"1\", c: z}}}}}");
  const yaml::Node& metadata = parsed.root()["spec"]["template"]["metadata"];
  PodTemplate pod = plain_pod("", parsed.root(), parsed.root());
  pod.pod = PodSpec(yaml::missing_node());
  pod.labels = &metadata["labels"];
  pod.annotations = &metadata["annotations"];
  Arena arena;
  std::size_t values_left = 100;
  const auto result = pod_object(arena, pod, parsed.object(), {.name = "d"}, values_left);
  REQUIRE(result);
  CHECK(yaml::to_yaml((**result)["metadata"]) ==
        "name: d\nnamespace: team\nlabels:\n  a: z\n  b: x\nannotations:\n  c: z\n  d: \"1\"\n");
  CHECK((**result)["metadata"]["labels"].under("a").span == metadata["labels"].under("a").span);
}

TEST_CASE("a Pod of a manifest keeps its metadata, except a name that is already used") {
  const Parsed parsed(
      "{apiVersion: v1, kind: Pod, metadata: {labels: {b: x, a: z}, name: p, uid: u}, spec: {}}");
  const Object& object = parsed.object();
  const PodTemplate pod = plain_pod("", object.spec(), object.spec());
  for (const std::string name : {"p", "p-2"}) {
    Arena arena;
    std::size_t values_left = 100;
    const auto result = pod_object(arena, pod, object, {.name = name}, values_left);
    REQUIRE(result);
    CHECK(yaml::to_yaml((**result)["metadata"]) ==
          "labels:\n  b: x\n  a: z\nname: " + name + "\nuid: u\n");
  }
}

TEST_CASE("important fields come first, the rest in written order") {
  const Created made(
      "{zeta: 1, containers: [{env: [], zeta: 1, image: i, alpha: 2, name: c, resources: {}}], "
      "alpha: 2, tolerations: [], nodeSelector: {z: a, b: c}, initContainers: []}");
  CHECK(made.spec() ==
        "nodeSelector:\n  z: a\n  b: c\n"
        "tolerations: []\n"
        "initContainers: []\n"
        "containers:\n"
        "- name: c\n"
        "  image: i\n"
        "  env: []\n"
        "  resources: {}\n"
        "  zeta: 1\n"
        "  alpha: 2\n"
        "zeta: 1\nalpha: 2\n");
}

TEST_CASE("every quantity of a pod is canonical, and other values are unchanged") {
  const Created made(R"({
    resources: {limits: {cpu: 1000m}}, overhead: {cpu: 0.25}, nodeSelector: {limits: 1024Mi},
    containers: [{
      name: c, resources: {limits: {memory: 1024Mi, odd: 16GB}, requests: {nvidia.com/gpu: 1},
                           claims: [{name: "1000m"}]},
      env: [{name: requests, value: 1000m},
            {name: M, valueFrom: {resourceFieldRef: {resource: limits.memory, divisor: 1000m}}}]}],
    initContainers: [{name: i, resources: {requests: {cpu: 1e3}}}],
    volumes: [{name: a, emptyDir: {sizeLimit: 2048Mi}},
              {name: b, ephemeral: {volumeClaimTemplate: {spec: {resources: {requests: {storage: 1.5Gi}}}}}},
              {name: c, downwardAPI: {items: [{resourceFieldRef: {divisor: 1024Ki}}]}},
              {name: d, projected: {sources: [{downwardAPI: {items: [{resourceFieldRef: {divisor: 1000k}}]}}]}}]})");
  REQUIRE(made.result);
  const yaml::Node& spec = (**made.result)["spec"];
  const yaml::Node& container = spec["containers"].at(0);
  const yaml::Node& volumes = spec["volumes"];
  CHECK(spec["resources"]["limits"].under("cpu").text() == "1");
  CHECK(spec["resources"]["limits"].under("cpu").is_string());
  CHECK(spec["overhead"].under("cpu").text() == "250m");
  CHECK(container["resources"]["limits"]["memory"].text() == "1Gi");
  CHECK(container["resources"]["limits"].under("odd").text() == "16GB");
  CHECK(container["resources"]["requests"].under("nvidia.com/gpu").is_string());
  CHECK(container["env"].at(1)["valueFrom"].under("resourceFieldRef")["divisor"].text() == "1");
  CHECK(spec["initContainers"].at(0)["resources"]["requests"].under("cpu").text() == "1k");
  CHECK(volumes.at(0)["emptyDir"].under("sizeLimit").text() == "2Gi");
  const yaml::Node& claim = volumes.at(1)["ephemeral"]["volumeClaimTemplate"]["spec"];
  CHECK(claim["resources"]["requests"]["storage"].text() == "1536Mi");
  CHECK(volumes.at(2)
            .under("downwardAPI")["items"]
            .at(0)
            .under("resourceFieldRef")["divisor"]
            .text() == "1Mi");
  const yaml::Node& source = volumes.at(3).under("projected")["sources"].at(0).under("downwardAPI");
  CHECK(source["items"].at(0).under("resourceFieldRef")["divisor"].text() == "1M");

  CHECK(spec["nodeSelector"]["limits"].text() == "1024Mi");
  CHECK(container["resources"]["claims"].at(0)["name"].text() == "1000m");
  CHECK(container["env"].at(0)["value"].text() == "1000m");
}

TEST_CASE("a value keeps its position in the manifest") {
  const Created made("{containers: [{name: c, resources: {limits: {cpu: 1000m}}}]}");
  REQUIRE(made.result);
  const yaml::Node& cpu =
      (**made.result)["spec"]["containers"].at(0)["resources"]["limits"].under("cpu");
  CHECK(made.spec_text.at(cpu.span) == "1000m");
  CHECK_FALSE(cpu.made);
}

TEST_CASE("a placeholder image is added on request") {
  const std::string spec = "{containers: [{name: c}, {name: d, image: unknown}]}";
  const Created with(spec, {.name = "d", .placeholder_images = true});
  CHECK(with.spec() == "containers:\n- name: c\n  image: unknown\n- name: d\n  image: unknown\n");
  const yaml::Node& containers = (**with.result)["spec"]["containers"];
  CHECK(is_placeholder_image(containers.at(0)["image"]));
  CHECK_FALSE(is_placeholder_image(containers.at(1)["image"]));
  CHECK(Created(spec).spec() == "containers:\n- name: c\n- name: d\n  image: unknown\n");
}

TEST_CASE("keeps the last of keys that become one string") {
  CHECK(Created("{nodeSelector: {010: a, 8: b, yes: c, 'true': d}}").spec() ==
        "nodeSelector:\n  \"8\": b\n  \"true\": d\n");
}

TEST_CASE("a missing value does not appear in the pod") {
  Arena arena;
  const Created other("{}");
  const yaml::Node& lacking = other.parsed.root()["spec"];
  const yaml::Node& spec = yaml::with(arena, yaml::nowhere(), "nodeName"_key, lacking);
  std::size_t values_left = kPodValues;
  const auto made = pod_object(arena, plain_pod("", spec, spec), other.object, {}, values_left);
  REQUIRE(made);
  CHECK((**made)["spec"].is_empty());
}

TEST_CASE("rejects a pod that aliases make too large or too deep") {
  CHECK(Created(nested(kPodDepth - 2)).result);
  const Created deep(nested(kPodDepth));
  REQUIRE_FALSE(deep.result);
  CHECK(deep.result.error().message == "has more than 200 levels");

  const std::string once = expanding();
  CHECK(Created(once).result);
  // Within the limit of a document, and then merged many times.
  const Parsed parsed(once);
  REQUIRE(parsed.document.problems.empty());
  Arena arena;
  const std::vector<const yaml::Node*> copies(50, &parsed.root());
  const yaml::Node& many = yaml::sequence_like(arena, parsed.root(), copies);
  const yaml::Node& spec = yaml::with(arena, yaml::nowhere(), "containers"_key, many);
  std::size_t values_left = 2 * kPodValues;
  const Created other("{}");
  const auto wide = pod_object(arena, plain_pod("", spec, spec), other.object, {}, values_left);
  REQUIRE_FALSE(wide);
  CHECK(wide.error().message == "has more than 1000000 values");
  CHECK(values_left == kPodValues);
}

TEST_CASE("pods share the caller's budget of values") {
  Arena arena;
  const Parsed parsed("{a: b, c: d}");
  const PodTemplate pod = plain_pod("", parsed.root(), parsed.root());
  const Created other("{}");
  std::size_t values_left = 10;
  CHECK(pod_object(arena, pod, other.object, {.name = "d"}, values_left));
  CHECK(values_left == 5);
  CHECK(pod_object(arena, pod, other.object, {.name = "d"}, values_left));
  const auto third = pod_object(arena, pod, other.object, {.name = "d"}, values_left);
  REQUIRE_FALSE(third);
  CHECK(third.error().message == "has more values than are left");
}

}  // namespace cnsched::k8s::pod_object_test
