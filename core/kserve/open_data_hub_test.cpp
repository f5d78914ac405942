#include "core/kserve/open_data_hub.h"

#include <doctest/doctest.h>

#include "testdata/support.h"

namespace cnsched::kserve {

static bool is_of_open_data_hub(const std::string& metadata) {
  const test::Parsed parsed(
      "apiVersion: serving.kserve.io/v1beta1\nkind: InferenceService\nmetadata: " + metadata +
      "\nspec: {predictor: {}}\n");
  return is_of_open_data_hub(k8s::objects_in(parsed.document).front());
}

TEST_CASE("Open Data Hub's objects are known by its label, of any value, or its annotation") {
  CHECK(is_of_open_data_hub("{name: a, labels: {opendatahub.io/dashboard: \"true\"}}"));
  CHECK(is_of_open_data_hub("{name: a, labels: {opendatahub.io/dashboard: \"false\"}}"));
  CHECK(is_of_open_data_hub(
      "{name: a, annotations: {serving.knative.openshift.io/enablePassthrough: \"true\"}}"));
  CHECK_FALSE(is_of_open_data_hub("{name: a}"));
  CHECK_FALSE(is_of_open_data_hub("{name: a, labels: {app: opendatahub.io}}"));
}

TEST_CASE("its operator sets the flags of placement and of persistent volume claims only") {
  CHECK(is_set_by_open_data_hub("kubernetes.podspec-nodeselector"));
  CHECK(is_set_by_open_data_hub("kubernetes.podspec-persistent-volume-write"));
  CHECK_FALSE(is_set_by_open_data_hub("kubernetes.podspec-schedulername"));
  CHECK_FALSE(is_set_by_open_data_hub("kubernetes.podspec-init-containers"));
}

}  // namespace cnsched::kserve
