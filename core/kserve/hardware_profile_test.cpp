#include "core/kserve/hardware_profile.h"
#include "testdata/support.h"

namespace cnsched::kserve::hardware_profile_test {

constexpr const char* kProfiles = R"(
apiVersion: infrastructure.opendatahub.io/v1
kind: HardwareProfile
metadata: {name: gpu, namespace: ml}
spec:
  identifiers:
  - {identifier: cpu, minCount: 1, maxCount: 8, defaultCount: 2}
  - {identifier: nvidia.com/gpu, minCount: 1, maxCount: 4, defaultCount: 1}
  scheduling: {type: Node, node: {nodeSelector: {pool: a100}}}
)";

/// A service of namespace `ml` after the webhook, as KServe reads it.
struct Admitted {
  explicit Admitted(const std::string& text, const std::optional<Version>& release = {},
                    const std::string& profiles = kProfiles,
                    const std::set<std::string_view>& complete = {})
      : profile_file(profiles), parsed(text) {
    objects.add(profile_file.object(), "profiles.yaml");
    objects.add(parsed.object(), "in.yaml");
    objects.sort(1);
    const ControllerContext context{objects, {}, {}, config, arena, release, &complete};
    service.emplace(with_hardware_profile(parsed.object(), context));
  }

  const yaml::Node& predictor() const { return service->object.spec()["predictor"]; }
  std::string selector() const {
    return joined(k8s::labels_in(predictor()["nodeSelector"]),
                  [](const k8s::Label& l) { return fmt::format("{}={}", l.key, l.value); });
  }
  std::string_view amount(std::string_view list, std::string_view resource) const {
    return predictor()["model"]["resources"].under(list).under(resource).text();
  }

  Parsed profile_file;
  Parsed parsed;
  k8s::Objects objects;
  k8s::ControllerConfig config;
  Arena arena;
  std::optional<AdmittedService> service;
};

std::string service(const std::string& predictor, const std::string& name = "gpu") {
  return inference_service(predictor,
                           "name: a, namespace: ml, annotations: "
                           "{opendatahub.io/hardware-profile-name: " +
                               name + "}");
}

TEST_CASE("the release decides how a profile is merged") {
  const std::string text = service("nodeSelector: {zone: a}, model: {}");
  const auto release = [&](int major, int minor) {
    return Admitted(text, Version{major, minor, 0});
  };
  CHECK(Admitted(text).selector() == "zone=a pool=a100");
  CHECK(release(3, 4).selector() == "zone=a pool=a100");
  CHECK(release(3, 2).selector() == "pool=a100");
  CHECK(release(2, 35).selector() == "pool=a100");
  CHECK(release(2, 34).selector() == "zone=a");
  CHECK(release(2, 31).service->profile == nullptr);

  CHECK(Admitted(text).amount("limits", "cpu") == "2");
  CHECK(release(3, 4).amount("limits", "cpu") == "8");
  CHECK(release(3, 4).amount("limits", "nvidia.com/gpu") == "1");
  CHECK(release(3, 3).amount("limits", "nvidia.com/gpu") == "4");
  CHECK(release(2, 34).amount("limits", "cpu").empty());
}

TEST_CASE("requests and limits that exist stay") {
  const Admitted limit(service("model: {resources: {limits: {nvidia.com/gpu: 2}}}"));
  CHECK(limit.amount("requests", "nvidia.com/gpu") == "1");
  CHECK(limit.amount("limits", "nvidia.com/gpu") == "2");
  const Admitted request(service("model: {resources: {requests: {cpu: 500m}}}"));
  CHECK(request.amount("limits", "cpu") == "500m");
}

TEST_CASE("a custom predictor gets the placement only") {
  const Admitted custom(service("containers: [{name: kserve-container, image: a}]"));
  CHECK(custom.selector() == "pool=a100");
  CHECK_FALSE(custom.predictor()["model"]);
  CHECK_FALSE(custom.predictor()["containers"].at(0)["resources"]);
}

TEST_CASE("a profile that does not exist is unknown unless all of its namespace are known") {
  const std::string text = service("model: {}", "other");
  const Admitted unknown(text);
  REQUIRE(unknown.service->unknown);
  CHECK(unknown.service->unknown->what == "HardwareProfile 'other'");
  const Admitted rejected(text, {}, kProfiles, {"ml"});
  CHECK_FALSE(rejected.service->unknown);
  CHECK(rejected.service->rejection ==
        "the webhook of Open Data Hub rejects the InferenceService: HardwareProfile 'other' does "
        "not exist in namespace 'ml'");
}

TEST_CASE("an amount that is no quantity is rejected") {
  const Admitted broken(service("model: {}"), {}, R"(
apiVersion: infrastructure.opendatahub.io/v1
kind: HardwareProfile
metadata: {name: gpu, namespace: ml}
spec: {identifiers: [{identifier: memory, defaultCount: 8GB}]}
)");
  CHECK(broken.service->rejection ==
        "the webhook of Open Data Hub rejects the InferenceService: '8GB' of 'memory' in the "
        "HardwareProfile is not a quantity");
}

}  // namespace cnsched::kserve::hardware_profile_test
