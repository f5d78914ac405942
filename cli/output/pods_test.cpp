#include "cli/output/pods.h"

#include "core/yaml/tree.h"
#include "testdata/support.h"

namespace cnsched::cli::origins_test {

TEST_CASE("every leaf is visited once, by its JSON Pointer") {
  const test::Parsed parsed("{a: {b/c: 1, '~d': [x, {}], yes: null}, e: [[], [y]], f: {}, f: 2}");
  std::vector<std::string> pointers;
  each_leaf(parsed.root(), [&](const std::string& pointer, const yaml::Node& leaf) {
    CHECK((leaf.is_scalar() || leaf.is_empty()));
    pointers.push_back(pointer);
  });
  CHECK(pointers == std::vector<std::string>{"/a/b~1c", "/a/~0d/0", "/a/~0d/1", "/a/true", "/e/0",
                                             "/e/1/0", "/f"});
}

TEST_CASE("recognises the values that decide placement") {
  for (const std::string pointer :
       {"/metadata/labels/a",
        "/spec/nodeSelector/a~1b",
        "/spec/affinity/nodeAffinity/requiredDuringSchedulingIgnoredDuringExecution",
        "/spec/tolerations/0/key",
        "/spec/tolerations",
        "/spec/topologySpreadConstraints/0/maxSkew",
        "/spec/nodeName",
        "/spec/schedulerName",
        "/spec/priorityClassName",
        "/spec/priority",
        "/spec/preemptionPolicy",
        "/spec/runtimeClassName",
        "/spec/schedulingGates/0/name",
        "/spec/resourceClaims/0/name",
        "/spec/resources/limits/cpu",
        "/spec/overhead/cpu",
        "/spec/hostNetwork",
        "/spec/containers/0/name",
        "/spec/initContainers/1/name",
        "/spec/containers/0/resources/limits/nvidia.com~1gpu",
        "/spec/containers/0/resources",
        "/spec/containers/0/ports/1/hostPort"}) {
    CAPTURE(pointer);
    CHECK(is_scheduling_value(pointer));
  }
  for (const std::string pointer :
       {"", "/kind", "/metadata/name", "/metadata/namespace", "/metadata/annotations/a",
        "/spec/containers", "/spec/containers/0", "/spec/containers/0/image",
        "/spec/containers/0/ports/1/containerPort", "/spec/containers/0/env/0/name",
        "/spec/volumes/0/name", "/spec/restartPolicy", "/status/nodeName",
        "/spec/containers/0/env/0/resources"}) {
    CAPTURE(pointer);
    CHECK_FALSE(is_scheduling_value(pointer));
  }
}

TEST_CASE("describes a value's origin as a line, its cause or the controller") {
  const auto workspace = workspace_of(
      {{"a\x1b.yaml", "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {nodeName: é n}\n"}});
  const yaml::Node& name = workspace->objects().front().spec()["nodeName"];
  Arena arena;
  CHECK(describe_origin(name, *workspace) == "a\\x1b.yaml:4");
  CHECK(describe_origin(yaml::string_like(arena, name, "made"), *workspace) ==
        "from a\\x1b.yaml:4");
  const yaml::Node& constant = yaml::string_like(arena, yaml::nowhere(), "made");
  CHECK(describe_origin(constant, *workspace) == "set by the controller");
  CHECK(has_place(name));
  CHECK_FALSE(has_place(constant));
  CHECK(place_of(name.span, *workspace) == "a\x1b.yaml:4:18");
  CHECK(describe_line(name.span, workspace->sources) == "a\\x1b.yaml:4");
}

}  // namespace cnsched::cli::origins_test
