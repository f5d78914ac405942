#include "core/kserve/storage_initializer.h"
#include "core/kserve/child_name.h"
#include "core/yaml/tree.h"
#include "testdata/support.h"

namespace cnsched::kserve::storage_initializer_test {

/// A pod and a request for storage: `pod`, and `uri` or `uris`.
std::string stored(const std::string& text, bool read_only = true) {
  const Parsed parsed("apiVersion: v1\nkind: Pod\n" + text);
  const k8s::Objects objects;
  const k8s::ControllerConfig config;
  Arena arena;
  const ControllerContext context{objects, {}, {}, config, arena};
  StorageRequest request{.object = &parsed.object(), .container = "kserve-container"};
  request.uri = &parsed.root()["uri"];
  request.uris = &parsed.root().under("uris");
  request.read_only = read_only;
  const yaml::Node& pod = with_many_models(parsed.root().under("pod"), request, context);
  const yaml::Node& result = with_one_model(pod, request, context);
  // Golden tests check resources.
  const yaml::Node* initializer = &result["initContainers"].at(0);
  if (!*initializer) return compact(result);
  initializer = &yaml::without(arena, *initializer, "resources");
  return compact(yaml::with(arena, result, "initContainers"_key,
                            yaml::sequence_like(arena, result, {initializer})));
}

const std::string kPod = "pod: {containers: [{name: kserve-container}, {name: other}]}\n";

TEST_CASE("adds the init container and the volume that load a model") {
  CHECK(stored(kPod + "uri: hf://a/b\n") ==
        R"({"containers":[{"name":"kserve-container","volumeMounts":[{"mountPath":"/mnt/models",)"
        R"("name":"kserve-provision-location","readOnly":true}]},{"name":"other"}],)"
        R"("initContainers":[{"args":["hf://a/b","/mnt/models"],)"
        R"("image":"unknown","name":"storage-initializer",)"
        R"("volumeMounts":[{"mountPath":"/mnt/models","name":"kserve-provision-location"}]}],)"
        R"("volumes":[{"emptyDir":{},"name":"kserve-provision-location"}]})");
}

TEST_CASE("mounts a claim, with its sub-path") {
  CHECK(
      stored(kPod + "uri: pvc://claim/a/b\n", false) ==
      R"({"containers":[{"name":"kserve-container","volumeMounts":[{"mountPath":"/mnt/models",)"
      R"("name":"kserve-pvc-source","subPath":"a/b"}]},{"name":"other"}],)"
      R"("volumes":[{"name":"kserve-pvc-source","persistentVolumeClaim":{"claimName":"claim"}}]})");
  CHECK_FALSE(has(stored(kPod + "uri: pvc://claim\n"), "subPath"));
  CHECK(has(stored(kPod + "uri: pvc://\n"), R"("volumes")"));
}

TEST_CASE("changes nothing without a model, or if the initializer exists") {
  CHECK(stored(kPod) == R"({"containers":[{"name":"kserve-container"},{"name":"other"}]})");
  CHECK(stored("pod: {initContainers: [{name: storage-initializer}]}\nuri: s3://a\n") ==
        R"({"initContainers":[{"name":"storage-initializer"}]})");
}

TEST_CASE("sets the model's path for a custom container") {
  const std::string pod = stored(
      "pod: {containers: [{name: kserve-container, env: [{name: STORAGE_URI, value: s3://a}]}]}\n"
      "uri: s3://a\n");
  CHECK(has(pod, R"("env":[{"name":"STORAGE_URI","value":"/mnt/models"}])"));
}

TEST_CASE("names volumes after paths, and shares the deepest common directory") {
  CHECK(volume_name("/mnt/models/") == "mnt-models");
  CHECK(volume_name("/").empty());
  CHECK(common_directory("/mnt/models/a", "/mnt/models/b") == "/mnt/models");
  CHECK(common_directory("/mnt/models", "/mnt/models/a") == "/mnt/models");
  CHECK(common_directory("/mnt/models", "/mnt/model") == "/mnt");
  CHECK(common_directory("/a", "/b") == "/");
  CHECK(common_directory("/a/", "/a") == "/a");
}

TEST_CASE("skips a container that mounts the volume, not one that uses the path") {
  const std::string mounts = stored(
      "pod: {containers: [{name: kserve-container, volumeMounts: [{name: own, mountPath: "
      "/mnt/models}]}]}\nuri: pvc://claim\n");
  CHECK(has(mounts, R"("name":"own")"));
  CHECK(has(mounts, R"("name":"kserve-pvc-source","readOnly")"));
}

}  // namespace cnsched::kserve::storage_initializer_test
